package projection

import (
	"slices"
)

// undo reverses one primitive change. prev fields hold what stood there before;
// nil means nothing did.
type undo struct {
	table *table
	row   *Row // the row that was put; nil for a delete
	prev  *Row
	event *EventRow
	idem  string
	old   *Idem
	mark  string
	name  string // counter
	had   bool
	field *int64
	n     int64
	ords  uint64
}

// Apply folds one fact into s. seq is the sequence of the entry that carries it.
func (s *State) Apply(f Fact, seq uint64) { f.apply(s, seq) }

// Begin starts recording changes so that they can be taken back.
func (s *State) Begin() {
	s.recording = true
	s.undo = s.undo[:0]
}

// Savepoint names the present position in the recorded changes.
func (s *State) Savepoint() int { return len(s.undo) }

// Rollback takes back the changes made since a Savepoint of this transaction
// (0 = all of them).
func (s *State) Rollback(to int) {
	s.recording = false
	for i := len(s.undo) - 1; i >= to; i-- {
		s.revert(&s.undo[i])
	}
	clear(s.undo[to:])
	s.undo = s.undo[:to]
	s.recording = true
}

// Commit ends the recording and keeps the changes.
func (s *State) Commit() {
	s.recording = false
	clear(s.undo)
	s.undo = s.undo[:0]
}

func (s *State) record(u undo) {
	if s.recording {
		s.undo = append(s.undo, u)
	}
}

func (s *State) revert(u *undo) {
	switch {
	case u.table != nil:
		if u.row != nil {
			s.unlink(u.table, u.row)
		}
		if u.prev != nil {
			s.link(u.table, u.prev, nil)
		}
		s.ords = u.ords
	case u.event != nil:
		s.events.Delete(u.event.Number)
		s.eventIDs.Delete(u.event.ID)
	case u.idem != "":
		if u.old != nil {
			s.idems.Set(u.idem, u.old)
		} else {
			s.idems.Delete(u.idem)
		}
	case u.mark != "":
		s.marks.Delete(u.mark)
	case u.name != "":
		if u.had {
			s.counters.Set(u.name, u.n)
		} else {
			s.counters.Delete(u.name)
		}
	case u.field != nil:
		*u.field = u.n
	}
}

func (f *Put) apply(s *State, seq uint64) {
	t := s.tableOrNew(f.Table)
	prev, _ := t.rows.Get(f.ID)
	row := &Row{ID: f.ID, Seq: seq, Terms: f.Terms, Due: f.Due, Body: f.Body}
	u := undo{table: t, row: row, prev: prev, ords: s.ords}
	if prev != nil {
		row.Ord = prev.Ord
	} else {
		s.ords++
		row.Ord = s.ords
	}
	s.link(t, row, prev)
	s.record(u)
}

func (f *Delete) apply(s *State, _ uint64) {
	t := s.table(f.Table)
	if t == nil {
		return
	}
	prev, ok := t.rows.Get(f.ID)
	if !ok {
		return
	}
	s.unlink(t, prev)
	s.record(undo{table: t, prev: prev, ords: s.ords})
}

func (f *Event) apply(s *State, seq uint64) {
	e := &EventRow{Number: uint64(s.events.Len()) + 1, Seq: seq, Event: *f}
	s.events.Set(e.Number, e)
	s.eventIDs.Set(e.ID, e.Number)
	s.record(undo{event: e})
}

func (f *Idem) apply(s *State, _ uint64) {
	old, _ := s.idems.Set(f.Key, f)
	s.record(undo{idem: f.Key, old: old})
}

func (f *Mark) apply(s *State, seq uint64) {
	s.marks.Set(f.Name, &MarkRow{Name: f.Name, Seq: seq})
	s.record(undo{mark: f.Name})
}

func (f *Counter) apply(s *State, _ uint64) {
	old, had := s.counters.Set(f.Name, f.Value)
	s.record(undo{name: f.Name, had: had, n: old})
}

func (f *Clock) apply(s *State, _ uint64)  { s.set(&s.clock, f.Now) }
func (f *Minted) apply(s *State, _ uint64) { s.set(&s.minted, f.Count) }
func (f *Log) apply(s *State, _ uint64)    { s.set(&s.logged, f.Count) }

func (s *State) set(field *int64, n int64) {
	s.record(undo{field: field, n: *field})
	*field = n
}

// link puts row into every index, in the place of prev if there was one.
func (s *State) link(t *table, row, prev *Row) {
	t.rows.Set(row.ID, row)
	t.order.Set(row.Ord, row)
	if prev == nil || !slices.Equal(prev.Terms, row.Terms) {
		if prev != nil {
			s.unindex(t, prev)
		}
		for _, term := range row.Terms {
			s.terms.Set(appendOrd(termPrefix(t.name, term), row.Ord), row.Ord)
		}
	}
	if prev != nil && prev.Due == row.Due {
		return
	}
	if prev != nil && prev.Due != 0 {
		s.due.Delete(dueKey(prev.Due, prev.Ord))
	}
	if row.Due != 0 {
		s.due.Set(dueKey(row.Due, row.Ord), &Due{At: row.Due, Table: t.name, ID: row.ID})
	}
}

func (s *State) unlink(t *table, row *Row) {
	t.rows.Delete(row.ID)
	t.order.Delete(row.Ord)
	s.unindex(t, row)
	if row.Due != 0 {
		s.due.Delete(dueKey(row.Due, row.Ord))
	}
}

func (s *State) unindex(t *table, row *Row) {
	for _, term := range row.Terms {
		s.terms.Delete(appendOrd(termPrefix(t.name, term), row.Ord))
	}
}
