package invariant

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"strings"

	"worlds/journal"
	"worlds/journal/canon"
)

// frame is the body of an entry.
type frame struct {
	at      int64
	command canon.Raw
	facts   []canon.Raw
	reply   canon.Raw
}

// link is the hash of an entry as docs/format.md has it.
func link(prev [sha256.Size]byte, seq uint64, body []byte) (out [sha256.Size]byte) {
	h := sha256.New()
	h.Write(prev[:])
	h.Write(binary.BigEndian.AppendUint64(nil, seq))
	h.Write(body)
	h.Sum(out[:0])
	return out
}

// frame reads an entry's body; what is none is damage, which the chain names.
func (c *Checker) frame(e *journal.Entry) (f frame, ok bool) {
	b := e.Body
	if len(b) < 13 || b[0] != 1 && b[0] != 2 {
		c.fail("entry.frames-ordered", "", "entry %d has no frame", e.Seq)
		return f, false
	}
	numbers := b[1:13] // format 1 has them in front, 2 at the end
	if b[0] == 2 {
		numbers, b = b[len(b)-12:], b[1:len(b)-12]
	} else {
		b = b[13:]
	}
	f.at = int64(binary.LittleEndian.Uint64(numbers))
	count := binary.LittleEndian.Uint32(numbers[8:])
	part := func() (p canon.Raw) {
		if ok = ok && len(b) >= 4; !ok {
			return nil
		}
		n := uint64(binary.LittleEndian.Uint32(b))
		if ok = uint64(len(b)) >= 4+n; !ok {
			return nil
		}
		p, b = canon.Raw(b[4:4+n:4+n]), b[4+n:]
		return p
	}
	ok = true
	f.command = part()
	for i := uint32(0); i < count && ok; i++ {
		f.facts = append(f.facts, part())
	}
	f.reply = part()
	if !ok || len(b) > 0 {
		c.fail("entry.frames-ordered", "", "the frame of entry %d does not come out even", e.Seq)
		return f, false
	}
	return f, true
}

// chain checks that the entry is the next one, and follows the one before.
func (c *Checker) chain(e *journal.Entry, f *frame) {
	before := c.seq
	c.seq = uint64(e.Seq)
	switch {
	case uint64(e.Seq) != before+1:
		c.fail("log.dense-seq", "", "it follows entry %d", before)
	case text(f.command, "op") == "genesis", e.Prev == c.genesis && before != 0 && c.head != c.genesis:
		c.fail("log.one-incarnation", "", "another life of the world begins here")
	case e.Prev != c.head:
		c.fail("log.append-order", "", "it does not follow entry %d", before)
	case link(e.Prev, uint64(e.Seq), e.Body) != e.Hash:
		c.fail("log.hash-chain", "", "the hash is not that of the entry")
	}
	if f.at < c.at {
		c.fail("log.time-monotonic", "", "the clock went back from %d to %d", c.at, f.at)
	}
}

// joint checks the entry that joins a fork to its past.
func (c *Checker) joint(e *journal.Entry, f *frame) {
	parent, _ := canon.Int(member(f.command, "parent_seq"))
	switch {
	case uint64(e.Seq) != c.seq || uint64(parent) != c.seq:
		c.fail("log.dense-seq", "", "a fork at entry %d of a past that ends at %d", parent, c.seq)
	case e.Prev != c.head || text(f.command, "parent_head") != journal.Hash(c.head).String():
		c.fail("log.one-incarnation", "", "the fork does not follow the past before it")
	case link(e.Prev, uint64(e.Seq), e.Body) != e.Hash:
		c.fail("log.hash-chain", "", "the hash is not that of the joint")
	case len(f.facts) > 0:
		c.fail("entry.frames-ordered", "", "a joint has facts")
	}
	c.head = e.Hash
}

// operators are who may ask for the operations that are no request.
var operators = map[string]string{
	"advance": "admin", "mark": "admin", "resend": "admin", "scenario.add": "admin", "scenario.rm": "admin",
	"deliver": "deliverer",
}

// writer checks that the entry says who asked for what.
func (c *Checker) writer() {
	cmd := &c.step.command
	who := cmd.actor
	request := who != "" && who != "admin" && who != "deliverer"
	switch {
	case cmd.op == "" || cmd.op == "delay":
		if !request {
			c.fail("log.writer-known", "", "a request by %q", who)
		}
	case operators[cmd.op] == "":
		c.fail("log.writer-known", "", "nobody may ask for %q", cmd.op)
	case operators[cmd.op] != who:
		c.fail("log.writer-known", "", "%s by %q", cmd.op, who)
	}
	again, err := canon.Canonicalize(cmd.raw)
	switch {
	case err != nil || !bytes.Equal(again, cmd.raw):
		c.fail("entry.command-hash", "", "the command is not in the one form that its hash can be compared in")
	case cmd.op == "" && (cmd.method == "" || !strings.HasPrefix(cmd.path, "/") || cmd.api == "admin"):
		c.fail("entry.command-hash", "", "the command names neither an operation nor a request")
	case cmd.op != "" && cmd.op != "delay" && (cmd.api != "admin" || cmd.method != "" || cmd.path != ""):
		c.fail("entry.command-hash", "", "the command names an operation and a request")
	}
}

// isRequest reports whether the entry is a request to a twin.
func (s *step) isRequest() bool { return s.command.op == "" }

// changes reports whether the method is one that may change something.
func (s *step) changes() bool { return s.command.method != "GET" }

// answer checks that the entry keeps what was answered.
func (c *Checker) answer() {
	s, r := &c.step, &c.step.reply
	switch {
	case (r.status < 100 || r.status > 599) && (r.status != 0 || r.rule == ""): // 0: a fault rule cut the connection
		c.fail("entry.response-recorded", "", "it was answered with status %d", r.status)
	case !s.isRequest():
		if r.request != "" || isNull(r.body) {
			c.fail("entry.response-recorded", "", "an operation's answer is not kept as one")
		}
	case r.request != requestID(c.seed.hash, c.fold.logged+1):
		c.fail("entry.response-recorded", "", "request number %d is called %q", c.fold.logged+1, r.request)
	case r.body != nil && r.sha256 != "":
		c.fail("entry.response-recorded", "", "the answer is kept twice")
	case (!s.changes() || r.replayed != "") && r.body != nil && r.body[0] == '{':
		c.fail("entry.response-recorded", "", "a read keeps its answer whole")
	case s.changes() && r.replayed == "" && r.sha256 != "":
		c.fail("entry.response-recorded", "", "a change keeps its answer as a hash")
	}
}

// ordered checks the order of the facts of a request: its number, what it did, the
// ids it minted, the record of its key; and that references point back to a put.
func (c *Checker) ordered() {
	s := &c.step
	for i := range s.facts {
		f := &s.facts[i]
		bad := ""
		switch f.kind {
		case "log":
			if i != 0 {
				bad = "is not the first"
			}
		case "minted":
			for _, later := range s.facts[i+1:] {
				if later.kind != "idem" {
					bad = "stands before a fact " + later.kind
				}
			}
		case "idem":
			if i != len(s.facts)-1 {
				bad = "is not the last"
			}
			bad += c.refers(i, f, 7)
		case "event":
			bad = c.refers(i, f, 5)
		}
		if bad != "" {
			c.fail("entry.frames-ordered", "", "fact %d, %s, %s", i, f.kind, bad)
		}
	}
	if n, ok := canon.Int(s.reply.body); ok && (n < 0 || n >= int64(len(s.facts)) || s.facts[n].kind != "put") {
		c.fail("entry.frames-ordered", "", "the reply is fact %d, which puts nothing", n)
	}
	if numbered := len(s.facts) > 0 && s.facts[0].kind == "log"; c.seq > 0 && numbered != s.isRequest() {
		c.fail("log.append-order", "", "requests are numbered, and nothing else is")
	}
}

// refers says what is wrong with the reference at part p of fact i.
func (c *Checker) refers(i int, f *fact, p int) string {
	n, ok := canon.Int(f.part[p])
	if ok && (n < 0 || n >= int64(i) || c.step.facts[n].kind != "put") {
		return "refers to a fact that puts nothing before it"
	}
	return ""
}

// body is what part p of a fact carries, by reference or whole.
func (c *Checker) body(f *fact, p int) (body canon.Raw, ref int) {
	if n, ok := canon.Int(f.part[p]); ok {
		if n >= 0 && n < int64(len(c.step.facts)) && c.step.facts[n].kind == "put" {
			return c.step.facts[n].part[4], int(n)
		}
		return nil, -1
	}
	return f.part[p], -1
}
