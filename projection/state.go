package projection

import (
	"iter"
	"slices"

	"github.com/tidwall/btree"

	"worlds/journal/canon"
)

// Row is one object in one table. A Row is immutable: a change makes a new one.
type Row struct {
	ID    string
	Ord   uint64 // creation order within the world, never reused
	Seq   uint64 // sequence of the entry that wrote this version; 0 = genesis
	Terms []string
	Due   int64
	Body  canon.Raw
}

// EventRow is one line of the event log. Number counts from 1.
type EventRow struct {
	Number uint64
	Seq    uint64
	Event
}

// MarkRow is a named position: the state after entry Seq.
type MarkRow struct {
	Name string
	Seq  uint64
}

// table is the rows of one kind, by id and by creation order.
type table struct {
	name  string
	rows  btree.Map[string, *Row]
	order btree.Map[uint64, *Row]
}

func (t *table) copy() *table {
	return &table{name: t.name, rows: *t.rows.Copy(), order: *t.order.Copy()}
}

// State is what facts fold to. The zero State is not usable: see New.
type State struct {
	tables []*table // sorted by name
	// terms holds table \x00 term \x00 ord (8 bytes, big-endian).
	terms btree.Map[string, uint64]
	// due holds the rows time will act on, by due time and ord (8 bytes each).
	due      btree.Map[string, *Due]
	events   btree.Map[uint64, *EventRow]
	eventIDs btree.Map[string, uint64]
	idems    btree.Map[string, *Idem]
	marks    btree.Map[string, *MarkRow]
	counters btree.Map[string, int64]
	clock    int64
	minted   int64
	ords     uint64
	logged   int64

	undo      []undo
	recording bool
}

// New returns an empty State.
func New() *State { return &State{} }

// Copy returns an independent State that shares structure with s. It costs a
// few microseconds whatever the size. It must be called by s's owner, with no
// transaction open.
func (s *State) Copy() *State {
	c := &State{
		terms: *s.terms.Copy(), due: *s.due.Copy(), events: *s.events.Copy(), eventIDs: *s.eventIDs.Copy(),
		idems: *s.idems.Copy(), marks: *s.marks.Copy(), counters: *s.counters.Copy(),
		clock: s.clock, minted: s.minted, ords: s.ords, logged: s.logged,
		tables: make([]*table, len(s.tables)),
	}
	for i, t := range s.tables {
		c.tables[i] = t.copy()
	}
	return c
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

// Get returns the row id of table name, nil if there is none.
func (s *State) Get(name, id string) *Row {
	t := s.table(name)
	if t == nil {
		return nil
	}
	r, _ := t.rows.Get(id)
	return r
}

// Len is the number of rows in table name.
func (s *State) Len(name string) int {
	t := s.table(name)
	if t == nil {
		return 0
	}
	return t.rows.Len()
}

// Tables lists the tables that hold rows, by name.
func (s *State) Tables() []string {
	names := make([]string, 0, len(s.tables))
	for _, t := range s.tables {
		if t.rows.Len() > 0 {
			names = append(names, t.name)
		}
	}
	return names
}

// Newest yields the rows of table name, newest first, those older than before
// (a creation order; 0 = from the newest). The State must not change meanwhile.
func (s *State) Newest(name string, before uint64) iter.Seq[*Row] {
	return func(yield func(*Row) bool) {
		if t := s.table(name); t != nil {
			t.order.Descend(bound(before), func(_ uint64, r *Row) bool { return yield(r) })
		}
	}
}

// Oldest yields the rows of table name, oldest first, those newer than after.
func (s *State) Oldest(name string, after uint64) iter.Seq[*Row] {
	return func(yield func(*Row) bool) {
		if t := s.table(name); t != nil {
			t.order.Ascend(after+1, func(_ uint64, r *Row) bool { return yield(r) })
		}
	}
}

// NewestWith is Newest over the rows that carry the index term.
func (s *State) NewestWith(name, term string, before uint64) iter.Seq[*Row] {
	return func(yield func(*Row) bool) {
		t := s.table(name)
		if t == nil {
			return
		}
		prefix := termPrefix(name, term)
		s.terms.Descend(appendOrd(prefix, bound(before)), func(key string, ord uint64) bool {
			if len(key) != len(prefix)+8 || key[:len(prefix)] != prefix {
				return false
			}
			r, _ := t.order.Get(ord)
			return yield(r)
		})
	}
}

// OldestWith is Oldest over the rows that carry the index term.
func (s *State) OldestWith(name, term string, after uint64) iter.Seq[*Row] {
	return func(yield func(*Row) bool) {
		t := s.table(name)
		if t == nil {
			return
		}
		prefix := termPrefix(name, term)
		s.terms.Ascend(appendOrd(prefix, after+1), func(key string, ord uint64) bool {
			if len(key) != len(prefix)+8 || key[:len(prefix)] != prefix {
				return false
			}
			r, _ := t.order.Get(ord)
			return yield(r)
		})
	}
}

// bound turns an exclusive upper order (0 = none) into an inclusive one.
func bound(before uint64) uint64 {
	if before == 0 {
		return ^uint64(0)
	}
	return before - 1
}

// EventByID returns a line of the event log, nil if there is none.
func (s *State) EventByID(id string) *EventRow {
	n, ok := s.eventIDs.Get(id)
	if !ok {
		return nil
	}
	e, _ := s.events.Get(n)
	return e
}

// NewestEvents yields the event log backwards, from below number before (0 =
// from the newest).
func (s *State) NewestEvents(before uint64) iter.Seq[*EventRow] {
	return func(yield func(*EventRow) bool) {
		s.events.Descend(bound(before), func(_ uint64, e *EventRow) bool { return yield(e) })
	}
}

// OldestEvents yields the event log forwards, from above number after.
func (s *State) OldestEvents(after uint64) iter.Seq[*EventRow] {
	return func(yield func(*EventRow) bool) {
		s.events.Ascend(after+1, func(_ uint64, e *EventRow) bool { return yield(e) })
	}
}

// Events is the number of lines in the event log.
func (s *State) Events() uint64 { return uint64(s.events.Len()) }

// Idem returns the record stored under an idempotency key's alias, nil if none.
func (s *State) Idem(key string) *Idem {
	f, _ := s.idems.Get(key)
	return f
}

// Mark returns a mark by name, nil if there is none.
func (s *State) Mark(name string) *MarkRow {
	m, _ := s.marks.Get(name)
	return m
}

// Marks lists the marks by (position, name).
func (s *State) Marks() []*MarkRow {
	marks := s.marks.Values()
	slices.SortStableFunc(marks, func(a, b *MarkRow) int { return int(int64(a.Seq) - int64(b.Seq)) })
	return marks
}

// Due is a row that time acts on at second At.
type Due struct {
	At    int64
	Table string
	ID    string
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

func (s *State) table(name string) *table {
	// A world has a few dozen tables; the list is sorted.
	lo, hi := 0, len(s.tables)
	for lo < hi {
		mid := (lo + hi) / 2
		if s.tables[mid].name < name {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(s.tables) && s.tables[lo].name == name {
		return s.tables[lo]
	}
	return nil
}

func (s *State) tableOrNew(name string) *table {
	if t := s.table(name); t != nil {
		return t
	}
	t := &table{name: name}
	i, _ := slices.BinarySearchFunc(s.tables, name, func(t *table, n string) int {
		if t.name < n {
			return -1
		}
		return 1
	})
	s.tables = slices.Insert(s.tables, i, t)
	return t
}

func termPrefix(name, term string) string { return name + "\x00" + term + "\x00" }

// dueKey orders by (at, ord); the sign bit is flipped so that text order is
// number order.
func dueKey(at int64, ord uint64) string {
	return appendOrd(appendOrd("", uint64(at)^1<<63), ord)
}

func appendOrd(prefix string, ord uint64) string {
	b := make([]byte, 0, len(prefix)+8)
	b = append(b, prefix...)
	return string(append(b, byte(ord>>56), byte(ord>>48), byte(ord>>40), byte(ord>>32),
		byte(ord>>24), byte(ord>>16), byte(ord>>8), byte(ord)))
}
