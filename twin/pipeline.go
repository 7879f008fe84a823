package twin

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"

	"worlds/journal/canon"
	"worlds/journal/mutant"
	"worlds/projection"
)

// run is one twin request on its way through the pipeline.
type run struct {
	m       *Machine
	c       *Catalog
	cmd     *Command
	tx      *Tx
	shape   *Shape // nil: the stored one
	match   match
	params  *Node
	renamed []Alias
	want    *expansion
	out     Outcome
	err     *Error
	doc     Doc
	write   bool
	store   bool // the outcome is kept under the idempotency key
	mention string
	ignored []string
	ticked  Savepoint // after the tick: what a refusal goes back to
}

// pipeline is the order of life of a twin request, and with it every asymmetry
// between one kind of refusal and another:
//
//   - what key, version, caller, route, fault rules and parameters refuse does not
//     tick the clock; what rules answer is not stored either;
//   - from tick on, a request has ticked, whatever becomes of it;
//   - what decide's own parsing and validation refuse is not stored under an
//     idempotency key; everything the endpoint decides is, refusals and faults
//     included;
//   - each of them is journaled and counted in the request log.
//
// A step returns true when the request has its answer.
var pipeline = [...]func(*run) bool{
	(*run).expireKey,
	(*run).checkVersion,
	(*run).admit,
	(*run).findRoute,
	(*run).applyRules,
	(*run).refuseUnknown,
	(*run).tick,
	(*run).replayKey,
	(*run).decide,
	(*run).expand,
}

// forget lets go of what a request has used; its memory is the next one's.
func (m *Machine) forget() {
	if facts := m.tx.facts; cap(facts) <= factsKeptMax {
		clear(facts)
		m.facts = facts[:0]
	} else {
		clear(m.facts[:cap(m.facts)]) // where the first of them stood
	}
	m.run, m.tx = run{}, Tx{}
}

// factsKeptMax is the most facts that there is room for from one request to the next.
const factsKeptMax = 64

// request executes one twin request.
func (m *Machine) request(seq uint64, cmd *Command, c *Catalog) Outcome {
	r := &m.run
	defer m.forget()
	*r = run{m: m, c: c, cmd: cmd, write: cmd.Method != "GET", tx: &m.tx}
	m.State.Begin()
	*r.tx = Tx{m: m, st: m.State, catalog: c, cmd: cmd, seq: seq, minted: m.State.Minted(), facts: m.facts[:0]}
	logged := m.State.Logged() + 1
	if mutant.Is("log-number-repeats") && cmd.Method == "GET" {
		logged--
	}
	r.tx.record(&projection.Log{Count: logged})
	r.out.Request = RequestID(m.Spec.SeedHash, logged)
	r.tx.request = r.out.Request
	r.ticked = r.tx.Savepoint()
	for _, step := range pipeline {
		if step(r) {
			break
		}
	}
	if r.tx.aborted != nil {
		m.State.Rollback(0)
		m.State.Commit()
		return Outcome{Aborted: r.tx.aborted}
	}
	r.settle()
	m.State.Commit()
	return r.out
}

func (r *run) refuse(e *Error) bool {
	r.err = e
	return true
}

func (r *run) checkVersion() bool {
	r.out.Version = r.cmd.Version
	if r.out.Version == "" {
		r.out.Version = r.c.DefaultVersion
	}
	if err := r.c.Version(r.out.Version); err != nil {
		r.out.Version = r.c.DefaultVersion
		return r.refuse(err)
	}
	if r.c.Shape != nil {
		r.shape = r.c.Shape(r.out.Version)
	}
	return false
}

func (r *run) admit() bool {
	if r.c.Admit == nil {
		return false
	}
	if err := r.c.Admit(r.tx); err != nil {
		return r.refuse(err)
	}
	return false
}

func (r *run) findRoute() bool {
	method, path := r.c.spelled(r.cmd)
	ourMethod, ours := r.shape.route(method, path)
	if ours == "" {
		return r.refuse(r.c.Unserved(method + " " + path))
	}
	m, ok := r.c.router.find(ourMethod, ours)
	if !ok || m.route.decide == nil {
		return r.refuse(r.c.NoRoute(method, path))
	}
	if r.cmd.Escaped {
		m.unescape()
	}
	r.match = m
	return false
}

func (r *run) refuseUnknown() bool {
	route := r.match.route
	if r.cmd.Idem == IdemTooLong {
		return r.refuse(r.c.KeyTooLong())
	}
	if r.cmd.Header != "" {
		return r.refuse(r.c.Unserved("the header " + r.cmd.Header))
	}
	if r.cmd.Media != "" {
		return r.refuse(r.c.Refuse(route, &Violation{Kind: Malformed, Value: "the content type is " + r.cmd.Media}))
	}
	root, bad := r.parse()
	if bad != nil {
		return r.refuse(r.c.Refuse(route, bad))
	}
	r.params = root
	var err *Error
	if r.cmd.Method == "POST" && r.cmd.Idem != "" && (r.c.Idempotent == nil || r.c.Idempotent(route)) { // keys mean nothing elsewhere
		r.mention = fingerprint(root)
	}
	r.renamed = r.shape.rename(route, root)
	if r.want, err = parseExpand(r.c, route, root); err != nil {
		return r.refuse(err)
	}
	r.tx.want = r.want
	if r.c.Lenient {
		r.ignored = route.plan.prune(root, "", nil)
	} else if names := route.plan.unknown(root, "", nil); len(names) > 0 {
		return r.refuse(r.c.Refuse(route, &Violation{Kind: Unknown, Param: names[0], Names: names, Version: r.out.Version}))
	}
	r.store = r.mention != ""
	return false
}

// parse reads the query string and the body into one tree.
func (r *run) parse() (*Node, *Violation) {
	if !r.c.JSON {
		return ParseForm(r.cmd.Query, r.cmd.Body)
	}
	root, bad := ParseForm(r.cmd.Query)
	if bad != nil {
		return nil, bad
	}
	body, bad := ParseJSON(r.cmd.Body)
	if bad != nil {
		return nil, bad
	}
	root.Kids = append(root.Kids, body.Kids...)
	return root, nil
}

// tick moves an automatic clock on, once per request, before any handler. It is
// all or nothing, like an advance: when something cannot happen, the clock stays
// and the request is answered as a fault of the server, logged, not stored.
func (r *run) tick() bool {
	before := r.tx.Savepoint()
	r.ticked = before // what rules and keys have counted stays counted
	if r.m.Spec.AutoTickSeconds == 0 {
		return false
	}
	if err := r.passTime(); err != nil {
		r.tx.Rollback(before)
		r.store = false
		return r.refuse(r.c.TickRefused(err.Error()))
	}
	r.ticked = r.tx.Savepoint()
	return false
}

func (r *run) passTime() (err error) {
	defer func() {
		if p := recover(); p != nil {
			r.m.faulted(r.cmd, p)
			err = errors.New("something that fell due failed")
		}
	}()
	to := min(r.m.State.Now()+r.m.Spec.AutoTickSeconds, ClockMax)
	if mutant.Is("tick-outside-transaction") {
		r.m.State.Apply(&projection.Clock{Now: to}, r.tx.seq)
	}
	_, err = r.tx.Advance(Time(to))
	return err
}

// target names the endpoint and object a key was used for.
func (r *run) target() string { return r.cmd.Method + " " + r.cmd.Path }

func fingerprint(root *Node) string {
	sum := sha256.Sum256(root.appendCanonical(nil))
	return hex.EncodeToString(sum[:])
}

func (r *run) replayKey() bool {
	if !r.store {
		return false
	}
	old := r.m.State.Idem(r.c.Name, r.cmd.Idem)
	if mutant.Is("stale-idempotency") && old != nil && old.Request == RequestID(r.m.Spec.SeedHash, r.m.State.Logged()-1) {
		old = nil
	}
	if old == nil {
		return false
	}
	r.store = false
	if (old.Target != r.target() || old.Fingerprint != r.mention) && !mutant.Is("replay-of-another") {
		return r.refuse(r.c.KeyReused(old.Target == r.target(), old.Target, r.target()))
	}
	r.out.Status, r.out.Body, r.out.Version, r.out.Replayed = old.Status, old.Reply, old.Version, old.Request
	return true
}

func (r *run) decide() bool {
	before := r.tx.Savepoint()
	doc, err := r.guarded()
	if err != nil {
		if !err.Keep && !mutant.Is("refusal-keeps-changes") {
			r.tx.Rollback(before)
		}
		r.store = r.store && (!err.Unstored || mutant.Is("validation-kept"))
		return r.refuse(err)
	}
	r.doc = doc
	return false
}

// guarded calls the endpoint; a panic is our fault and is answered as one, with
// nothing changed.
func (r *run) guarded() (doc Doc, err *Error) {
	before := r.tx.Savepoint()
	defer func() {
		if p := recover(); p != nil {
			r.tx.Rollback(before)
			r.m.faulted(r.cmd, p)
			doc, err = Doc{}, r.c.Internal()
		}
	}()
	return r.match.route.decide(r.tx, r.match, r.params)
}

// expand answers an expansion that cannot be had with a refusal; what the
// endpoint changed is then taken back, as for any refusal of its own.
func (r *run) expand() bool {
	r.out.Status = r.doc.Status
	if r.out.Status == 0 {
		r.out.Status = 200
	}
	r.out.Body, r.out.Headers = r.shape.show(r.m.State, r.doc.Body), r.doc.Headers
	if r.want == nil {
		return false
	}
	x := &expander{tx: r.tx, c: r.c, shape: r.shape, rows: r.doc.Rows}
	body, err := x.object(r.out.Body, r.want, "")
	if err != nil {
		r.tx.Rollback(r.ticked)
		r.store = false
		return r.refuse(err)
	}
	r.out.Body, r.doc.ref = body, 0
	return false
}

// settle turns what the steps left into facts and a reply.
func (r *run) settle() {
	if r.err != nil {
		r.out.Status, r.out.Body, r.out.Splice, r.out.Headers = r.err.Status, r.err.Body, r.err.Splice, r.err.Headers
		r.out.Body = r.shape.show(r.m.State, r.shape.blame(r.out.Body, r.renamed))
		r.doc = Doc{}
	}
	if !r.write && mutant.Is("read-leaves-count") {
		r.tx.Next("reads")
	}
	r.tx.keepEvents()
	if r.tx.minted != r.m.State.Minted() {
		r.tx.record(&projection.Minted{Count: r.tx.minted})
	}
	if r.store {
		ref := r.doc.ref - 1
		if r.shape != nil { // kept as it was answered: a repeat shows nothing anew
			ref = projection.NoRef
		}
		r.tx.record(&projection.Idem{
			Key: r.cmd.Idem, API: r.c.Name, Target: r.target(), Fingerprint: r.mention, Request: r.out.Request,
			Version: r.out.Version, Status: r.out.Status, Ref: ref, Reply: r.out.Body,
		})
	}
	r.out.Changed = r.out.Changed || len(r.tx.facts) > 1
	r.out.Facts, _ = r.tx.encode(nil)
	r.out.Now = r.m.State.Now()
	r.out.Reply = r.reply()
}

func (r *run) reply() canon.Raw {
	reply := Reply{Status: r.out.Status, Request: r.out.Request, Replayed: r.out.Replayed, Splice: r.out.Splice,
		Ignored: append(r.ignored, r.tx.ignored...), Rule: r.out.Rule, Match: r.out.Match}
	switch {
	case r.out.Body == nil:
	case r.doc.ref > 0:
		reply.Body = canon.AppendInt(nil, int64(r.doc.ref-1))
	case (!r.write || r.out.Replayed != "") && !mutant.Is("read-kept-whole"):
		sum := sha256.Sum256(r.out.Body)
		reply.SHA256 = hex.EncodeToString(sum[:])
	default:
		reply.Body = r.out.Body
	}
	return canon.Marshal(&reply)
}
