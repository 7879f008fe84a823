package twin

import (
	"slices"
	"sync"

	"worlds/journal/canon"
	"worlds/journal/mutant"
	"worlds/projection"
)

// Tx is one operation in progress: what a decide function may read and change.
// It lives as long as the call it is passed to.
type Tx struct {
	m       *Machine
	st      *projection.State
	catalog *Catalog
	cmd     *Command
	seq     uint64
	request string
	quiet   bool // a seed is loading: no events
	facts   []projection.Fact
	kept    int // of facts, those that keepEvents has seen
	bytes   int // of the bodies put, and of what was taken back
	spills  bool
	spilled int // facts before those in facts, which Machine.Spill has
	held    int // tx.bytes at the last spill
	minted  int64
	at      int64 // the due time of what is firing, 0 for the present
	renewed int64 // billing periods so far
	// listeners is the number of endpoints the event being emitted goes to.
	listeners int64
	ignored   []string
	want      *expansion // what the request asked to expand, nil for nothing
	aborted   error      // why a long operation was given up on the way
}

// Savepoint is a position in a Tx that Rollback returns to.
type Savepoint struct {
	undo, facts int
	minted      int64
}

// Now is the logical clock; for what time causes, the moment it fell due.
func (tx *Tx) Now() Time {
	if tx.at != 0 && mutant.Is("advance-stamps-late") {
		return Time(tx.at + 1)
	}
	if tx.at != 0 {
		return Time(tx.at)
	}
	return Time(tx.st.Now())
}

// State is the world as this operation sees it, its own changes included.
func (tx *Tx) State() *projection.State { return tx.st }

// Event is a line of the event log, nil if there is none.
func (tx *Tx) Event(id string) *projection.EventRow {
	tx.st.IndexEvents()
	return tx.st.EventByID(id)
}

// Spec is what of the world's seed goes on mattering; it is read-only.
func (tx *Tx) Spec() *Spec { return &tx.m.Spec }

// Request is the id of the request being decided, "" for what time causes.
func (tx *Tx) Request() string { return tx.request }

// IdemKey is the alias of the idempotency key the request came with, "" if none.
func (tx *Tx) IdemKey() string { return tx.cmd.Idem }

// Version is the API version the answer is rendered in.
func (tx *Tx) Version() string { return tx.cmd.Version }

// Caller is who the credential says the caller is, and whom the caller asks to
// act for; "" where nothing was said.
func (tx *Tx) Caller() (as, behalf string) { return tx.cmd.As, tx.cmd.Behalf }

// Target is the path and the raw query string as they were sent.
func (tx *Tx) Target() (path, query string) { return tx.cmd.Path, tx.cmd.Query }

// Ignore adds to the parameters that the reply says were not looked at.
func (tx *Tx) Ignore(names ...string) {
	for _, name := range names {
		if !slices.Contains(tx.ignored, name) {
			tx.ignored = append(tx.ignored, name)
		}
	}
}

// Include reports whether the request asked for a member of its answer that only
// an expansion shows, and takes it upon the caller to put it there.
func (tx *Tx) Include(name string) bool {
	if tx.want == nil {
		return false
	}
	i := slices.IndexFunc(tx.want.kids, func(k *expansion) bool { return k.name == name && len(k.kids) == 0 })
	if i < 0 {
		return false
	}
	tx.want.kids = slices.Delete(tx.want.kids, i, i+1)
	return true
}

// NewID mints an id from the world counter.
func (tx *Tx) NewID(prefix string, digits int) string {
	tx.minted++
	return mintedID(prefix, tx.m.Spec.SeedHash, tx.minted, digits)
}

// DerivedID is an id that parent implies under label. It moves no counter.
func (tx *Tx) DerivedID(prefix string, digits int, parent, label string) string {
	return derivedID(prefix, tx.m.Spec.SeedHash, parent, label, digits)
}

// Next moves a named counter on by one and returns it; the first value is 1.
func (tx *Tx) Next(name string) int64 {
	n := tx.st.Counter(name) + 1
	tx.record(&projection.Counter{Name: name, Value: n})
	return n
}

// Floor sets a named counter that stands lower to n, so that Next goes on above.
func (tx *Tx) Floor(name string, n int64) {
	if tx.st.Counter(name) < n {
		tx.record(&projection.Counter{Name: name, Value: n})
	}
}

// Emit appends an event that carries doc as it stands. previous is the
// previous_attributes of an update, nil for none. While a seed loads nothing is
// emitted.
func (tx *Tx) Emit(typ string, doc Doc, previous canon.Raw) {
	if tx.quiet {
		return
	}
	d := &tx.catalog.Dialect
	hooks := tx.hooks(typ)
	tx.listeners = int64(len(hooks))
	if mutant.Is("event-id-repeats") && tx.st.Events() > 0 {
		tx.minted--
	}
	id := tx.NewID(d.EventPrefix, d.EventDigits)
	created := int64(tx.Now())
	if mutant.Is("event-from-the-future") {
		created++
	}
	tx.record(&projection.Event{
		ID: id, API: tx.catalog.Name, Type: typ, Created: created,
		Meta: d.Meta(tx, previous), Ref: doc.ref - 1, Object: doc.Body,
	})
	for i := range hooks {
		tx.enqueue(&hooks[i], id, typ)
	}
}

// Savepoint remembers the present position.
func (tx *Tx) Savepoint() Savepoint {
	return Savepoint{undo: tx.st.Savepoint(), facts: len(tx.facts), minted: tx.minted}
}

// Rollback takes back everything since the savepoint, ids included. Docs made
// since then must not be used again.
func (tx *Tx) Rollback(to Savepoint) {
	tx.st.Rollback(to.undo)
	clear(tx.facts[to.facts:])
	if tx.facts = tx.facts[:to.facts]; !mutant.Is("ids-not-given-back") {
		tx.minted = to.minted
	}
	tx.kept = min(tx.kept, len(tx.facts))
}

func (tx *Tx) record(f projection.Fact) {
	tx.st.Apply(f, tx.seq)
	tx.facts = append(tx.facts, f)
}

// spillBytes is about how many bytes of facts are spilled at a time.
const spillBytes = 64 << 10

// spill hands out the facts so far, if there are enough of them. They cannot be
// taken back but all together.
func (tx *Tx) spill() {
	if !tx.spills || tx.bytes-tx.held < spillBytes {
		return
	}
	room, _ := spillRooms.Get().(*[]byte)
	if room == nil {
		room = new([]byte)
	}
	var facts []canon.Raw
	facts, *room = tx.encode(*room)
	tx.m.Spill(facts)
	spillRooms.Put(room)
	tx.held = tx.bytes
	tx.spilled += len(tx.facts)
	clear(tx.facts)
	tx.facts, tx.kept = tx.facts[:0], 0
}

// spillRooms are what facts are spilled from, to be used again.
var spillRooms sync.Pool // of *[]byte

// encode returns the facts as canonical bytes, all in one buffer: room, if there is
// enough. It returns that, too.
func (tx *Tx) encode(room []byte) ([]canon.Raw, []byte) {
	size := 0
	for _, f := range tx.facts {
		switch f := f.(type) {
		case *projection.Put:
			size += len(f.Body) + 160
		default:
			size += 320
		}
	}
	buf := slices.Grow(room[:0], size)
	ends := make([]int, len(tx.facts))
	for i, f := range tx.facts {
		buf = f.Append(buf)
		ends[i] = len(buf)
	}
	out := make([]canon.Raw, len(tx.facts))
	start := 0
	for i, end := range ends {
		out[i] = buf[start:end:end]
		start = end
	}
	return out, buf
}
