package projection

import (
	"cmp"
	"iter"
	"slices"

	"github.com/tidwall/btree"
)

// EventRow is one line of the event log. Number counts from 1.
type EventRow struct {
	Number uint64
	Seq    uint64
	Event
}

func (e *EventRow) name() string { return e.ID }

// MarkRow is a named position: the state after entry Seq.
type MarkRow struct {
	Name string
	Seq  uint64
}

// Due is a row that time acts on at second At.
type Due struct {
	At    int64
	Table string
	ID    string
}

// State is what facts fold to. The zero State is not usable: see New.
type State struct {
	tables []*table // sorted by name
	// due holds the rows time will act on, by due time and creation order.
	due      btree.Map[string, *Due]
	events   ordered[EventRow]
	eventIDs eventIDs
	idems    btree.Map[string, *Idem]
	marks    btree.Map[string, *MarkRow]
	counters btree.Map[string, int64]
	ledger   ledger
	rules    []*Rule // replaced, never changed in place
	clock    int64
	minted   int64
	logged   int64
	ords     uint64 // creation orders given

	// owner names the nodes that this State may change in place. shared says
	// that a copy may read them too: the next change takes a new owner.
	owner  *owner
	shared bool

	folder    *folder
	undo      undoLog
	recording bool
}

// New returns an empty State.
func New() *State { return &State{owner: new(owner), eventIDs: eventIDs{once: new(eventsOnce)}} }

// Copy returns an independent State that shares structure with s. It costs less
// than a microsecond whatever the size; the first change to either of the two
// then costs a few more. A State that has been copied once and is not changed
// any more may be copied by any number of goroutines.
func (s *State) Copy() *State {
	if !s.shared {
		s.shared = true
	}
	c := *s
	c.folder, c.undo, c.recording = nil, undoLog{}, false
	return &c
}

// own prepares s for a change: what copies may read is not changed in place.
func (s *State) own() {
	if !s.shared {
		return
	}
	s.shared, s.owner = false, new(owner)
	tables := make([]*table, len(s.tables))
	forks := make([]table, len(s.tables))
	for i, t := range s.tables {
		forks[i] = t.fork()
		tables[i] = &forks[i]
	}
	s.tables = tables
	s.due, s.eventIDs, s.idems = fork(s.due), s.eventIDs.fork(), fork(s.idems)
	s.marks, s.counters = fork(s.marks), fork(s.counters)
}

// fork returns a map that shares the nodes of m. It does not touch the caller's
// m, which copies of a State read: btree's Copy marks what it copies.
// An empty map has nothing to share.
func fork[K cmp.Ordered, V any](m btree.Map[K, V]) btree.Map[K, V] {
	if m.Len() == 0 {
		return m
	}
	return *m.Copy()
}

// Now is the logical clock in unix seconds.
func (s *State) Now() int64 { return s.clock }

// Minted is the number of ids minted from the world counter.
func (s *State) Minted() int64 { return s.minted }

// Logged is the number of requests the request log has seen.
func (s *State) Logged() int64 { return s.logged }

// Counter is the value of a named counter, 0 if it was never set.
func (s *State) Counter(name string) int64 {
	n, _ := s.counters.Get(name)
	return n
}

// NewestEvents yields the event log backwards, from below number before (0 =
// from the newest). The State must not change meanwhile.
func (s *State) NewestEvents(before uint64) iter.Seq[*EventRow] {
	return func(yield func(*EventRow) bool) {
		s.events.descend(bound(before), func(_ uint64, e *EventRow) bool { return yield(e) })
	}
}

// OldestEvents yields the event log forwards, from above number after. The
// State must not change meanwhile.
func (s *State) OldestEvents(after uint64) iter.Seq[*EventRow] {
	return func(yield func(*EventRow) bool) {
		if after+1 != 0 {
			s.events.ascend(after+1, func(_ uint64, e *EventRow) bool { return yield(e) })
		}
	}
}

// Events is the number of lines in the event log.
func (s *State) Events() uint64 { return uint64(s.events.size) }

// Idem returns the record that an API has stored under an idempotency key's alias,
// nil if none.
func (s *State) Idem(api, key string) *Idem {
	f, _ := s.idems.Get(idemName(api, key))
	return f
}

// Idems yields the records of idempotency by (key, API). The State must not change
// meanwhile.
func (s *State) Idems() iter.Seq[*Idem] {
	return func(yield func(*Idem) bool) {
		s.idems.Scan(func(_ string, f *Idem) bool { return yield(f) })
	}
}

// idemName puts records in the order of their keys: two APIs may have been sent one.
func idemName(api, key string) string { return key + "\x00" + api }

// Mark returns a mark by name, nil if there is none.
func (s *State) Mark(name string) *MarkRow {
	m, _ := s.marks.Get(name)
	return m
}

// Marks lists the marks by (position, name).
func (s *State) Marks() []*MarkRow {
	marks := s.marks.Values()
	slices.SortStableFunc(marks, func(a, b *MarkRow) int { return cmp.Compare(a.Seq, b.Seq) })
	return marks
}

// NextDue returns the row due first, by (due time, creation), if it is due at
// or before now.
func (s *State) NextDue(now int64) (Due, bool) {
	_, d, ok := s.due.Min()
	if !ok || d.At > now {
		return Due{}, false
	}
	return *d, true
}
