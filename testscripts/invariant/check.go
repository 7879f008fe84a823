package invariant

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"

	"worlds/journal"
	"worlds/journal/canon"
	"worlds/projection"
)

// Violation is one place where an invariant does not hold.
type Violation struct {
	ID     string `json:"id"`               // of the invariant
	Seq    int64  `json:"seq"`              // of the entry that shows it
	Object string `json:"object,omitempty"` // the row, event or delivery it is about
	Detail string `json:"detail"`
}

// String is the violation on one line.
func (v Violation) String() string {
	if v.Object == "" {
		return fmt.Sprintf("%s at #%d: %s", v.ID, v.Seq, v.Detail)
	}
	return fmt.Sprintf("%s at #%d: %s: %s", v.ID, v.Seq, v.Object, v.Detail)
}

// Checker walks the history of one world. Make it with New.
type Checker struct {
	fold *fold
	seed settings

	genesis [sha256.Size]byte
	head    [sha256.Size]byte
	seq     uint64
	at      int64

	aliases map[string]string // raw idempotency keys
	owners  map[string]string // who holds what only one can hold
	made    map[string]bool   // objects whose creation an event told
	floors  map[string]int64  // highest number of a table that the seed holds

	step    step
	found   []Violation
	scratch []canon.Raw
}

// settings are what of a seed goes on mattering.
type settings struct {
	hash    string
	tick    int64 // seconds an automatic clock moves at each request, 0 for none
	rawKeys bool
}

// step is the entry under examination.
type step struct {
	seq     uint64
	command command
	reply   reply
	facts   []fact
	puts    map[int]*row // the image made by the fact of a number
	changed []*row       // every image made, in order
	first   map[*row]bool
	mints   map[string]int64 // the digits of ids minted, and which they are
	clock   int64            // before the entry, as are the next
	minted  int64
	logged  int64
	events  int
	strange int   // ids that should be minted ones and are not
	used    int64 // the highest number of an id that an event showed
}

// command is what was asked.
type command struct {
	raw                                       canon.Raw
	actor, api, method, path, query, idem, op string
	expires                                   int64
	args                                      canon.Raw
	body                                      string
}

// reply is what was answered.
type reply struct {
	raw                             canon.Raw
	status                          int64
	request, replayed, sha256, rule string
	body                            canon.Raw
}

// Check holds a whole history, and the rows that a world made of it, to every
// invariant. genesis is entry 0, entries what follows it (the joints of forks
// among it). Without rows (nil) only the history is judged.
func Check(genesis *journal.Entry, entries iter.Seq2[*journal.Entry, error], rows *projection.State) ([]Violation, error) {
	c := New(genesis)
	for _, err := range c.Watch(entries) {
		if err != nil {
			return c.found, err
		}
	}
	if rows != nil {
		c.Rows(rows)
	}
	c.Objects()
	return c.found, nil
}

// New returns a Checker for a history that follows genesis. What is wrong with that
// entry is the first thing found.
func New(genesis *journal.Entry) *Checker {
	c := &Checker{
		fold: newFold(), aliases: map[string]string{}, owners: map[string]string{},
		made: map[string]bool{}, floors: map[string]int64{},
	}
	c.begin(genesis)
	return c
}

// Found is everything found so far, oldest first.
func (c *Checker) Found() []Violation { return c.found }

// Next takes the entry that follows and returns what it violates. It copies what it
// keeps of the entry, whose memory a reader of journals may use again.
func (c *Checker) Next(e *journal.Entry) []Violation {
	own := *e
	own.Body, own.Side = bytes.Clone(e.Body), bytes.Clone(e.Side)
	e = &own
	from := len(c.found)
	f, ok := c.frame(e)
	if !ok {
		return c.found[from:]
	}
	if text(f.command, "op") == "fork" {
		c.joint(e, &f)
		return c.found[from:]
	}
	c.chain(e, &f)
	c.seq, c.head, c.step.seq = uint64(e.Seq), e.Hash, uint64(e.Seq)
	c.read(&f)
	c.writer()
	c.answer()
	c.idempotency(e.Side)
	c.mints()
	for i := range c.step.facts {
		c.apply(i, &c.step.facts[i])
	}
	c.settle(f.at)
	return c.found[from:]
}

// Watch yields the same entries, and takes each on its way.
func (c *Checker) Watch(entries iter.Seq2[*journal.Entry, error]) iter.Seq2[*journal.Entry, error] {
	return func(yield func(*journal.Entry, error) bool) {
		for e, err := range entries {
			if err == nil {
				c.Next(e)
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// settle judges an entry as a whole, after its facts.
func (c *Checker) settle(at int64) {
	c.time(at)
	c.plans()
	c.counters()
	c.uses()
	c.refusals()
	c.unique()
	c.tickets()
	c.subscriptions()
	c.references()
	c.sums()
	c.at = at
}

// read takes an entry apart.
func (c *Checker) read(f *frame) {
	s := &c.step
	s.command, s.reply = readCommand(f.command), readReply(f.reply)
	s.clock, s.minted, s.logged, s.events = c.fold.clock, c.fold.minted, c.fold.logged, len(c.fold.events)
	s.facts, s.changed, s.used, s.strange = s.facts[:0], s.changed[:0], c.fold.minted, 0
	s.puts, s.mints, s.first = map[int]*row{}, nil, map[*row]bool{}
	c.scratch = c.scratch[:0]
	for i, raw := range f.facts {
		if cap(c.scratch)-len(c.scratch) < partsMax {
			c.scratch = make([]canon.Raw, 0, partsMax*(len(f.facts)-i))
		}
		parsed, err := readFact(raw, c.scratch[len(c.scratch):])
		if err != nil {
			c.fail("entry.frames-ordered", "", "fact %d: %v", i, err)
			parsed.kind = ""
		}
		c.scratch = c.scratch[:len(c.scratch)+len(parsed.part)]
		s.facts = append(s.facts, parsed)
	}
	c.ordered()
}

// partsMax is how many elements a fact has at most, after its kind.
const partsMax = 9

func readCommand(raw canon.Raw) command {
	c := command{raw: raw}
	for k, v := range canon.Members(raw) {
		s, _ := canon.Unquote(v)
		switch k {
		case "actor":
			c.actor = s
		case "api":
			c.api = s
		case "method":
			c.method = s
		case "path":
			c.path = s
		case "query":
			c.query = s
		case "body":
			c.body = s
		case "idem":
			c.idem = s
		case "op":
			c.op = s
		case "args":
			c.args = v
		case "expires":
			c.expires, _ = canon.Int(v)
		}
	}
	return c
}

func readReply(raw canon.Raw) reply {
	r := reply{raw: raw}
	for k, v := range canon.Members(raw) {
		switch k {
		case "body":
			r.body = v
		case "status":
			r.status, _ = canon.Int(v)
		case "request":
			r.request, _ = canon.Unquote(v)
		case "replayed":
			r.replayed, _ = canon.Unquote(v)
		case "sha256":
			r.sha256, _ = canon.Unquote(v)
		case "rule":
			r.rule, _ = canon.Unquote(v)
		}
	}
	return r
}

func (c *Checker) fail(id, object, format string, args ...any) {
	c.found = append(c.found, Violation{ID: id, Seq: int64(c.seq), Object: object, Detail: fmt.Sprintf(format, args...)})
}

// failRow is fail about a row.
func (c *Checker) failRow(id string, r *row, format string, args ...any) {
	c.fail(id, r.table+" "+r.id, format, args...)
}

// begin takes entry 0.
func (c *Checker) begin(e *journal.Entry) {
	f, ok := c.frame(e)
	if !ok {
		return
	}
	seed := member(f.command, "seed")
	sum := sha256.Sum256(seed)
	epoch := number(seed, "epoch")
	c.seed = settings{hash: hex.EncodeToString(sum[:]),
		rawKeys: text(member(seed, "settings"), "idempotency_keys") == "raw"}
	if text(seed, "clock_mode") == "auto" {
		c.seed.tick = max(number(seed, "auto_tick_seconds"), 1)
	}
	c.genesis, c.head = e.Hash, e.Hash
	want := link([sha256.Size]byte{}, 0, e.Body)
	switch {
	case e.Seq != 0 || e.Prev != (journal.Hash{}):
		c.fail("log.genesis", "", "the first entry is number %d", e.Seq)
	case want != e.Hash:
		c.fail("log.genesis", "", "its hash is not that of its content")
	case text(f.command, "op") != "genesis" || len(seed) == 0:
		c.fail("log.genesis", "", "entry 0 is %q", text(f.command, "op"))
	case !bytes.Equal(f.reply, []byte("null")):
		c.fail("log.genesis", "", "it was answered")
	case f.at != epoch:
		c.fail("log.genesis", "", "it stands at %d, the seed's epoch is %d", f.at, epoch)
	}
	c.read(&f)
	for i := range c.step.facts {
		g := &c.step.facts[i]
		switch g.kind {
		case "put":
			r := c.fold.put(0, g.text(0), g.text(1), g.texts(2), g.number(3), g.part[4])
			c.step.changed = append(c.step.changed, r)
			c.raise(r)
		case "counter":
			c.fold.counters[g.text(0)] = g.number(1)
		case "clock":
			c.fold.clock = g.number(0)
		case "minted":
			c.fold.minted = g.number(0)
		default:
			c.fail("log.genesis", "", "it has a fact %q", g.kind)
		}
	}
	if c.fold.clock != f.at {
		c.fail("log.genesis", "", "the clock stands at %d, the entry at %d", c.fold.clock, f.at)
	}
	c.at = f.at
	c.unique()
}
