package projection

import "slices"

// undo reverses one applied fact: back says how, from what stood there before.
type undo struct {
	back  func(*State, *undo)
	name  string // of the table, counter, key or mark
	row   *Row   // the row that was put, or deleted
	prev  *Row
	event *EventRow
	same  *EventRow // the event that had the id before
	idem  *Idem
	mark  *MarkRow
	field *int64
	n     int64
	had   bool
}

// undoLog is the recorded changes, in blocks: a long advance has tens of thousands,
// which are not moved as they become more.
type undoLog struct {
	blocks []*[undoBlock]undo
	n      int
}

const undoBlock = 32

func (l *undoLog) at(i int) *undo { return &l.blocks[i/undoBlock][i%undoBlock] }

func (l *undoLog) add(u undo) {
	if l.n == len(l.blocks)*undoBlock {
		l.blocks = append(l.blocks, new([undoBlock]undo))
	}
	*l.at(l.n) = u
	l.n++
}

// cut drops the changes from number to on, and what room a long transaction left.
func (l *undoLog) cut(to int) {
	keep := max(1, (to+undoBlock-1)/undoBlock)
	if len(l.blocks) > keep {
		l.blocks = slices.Delete(l.blocks, keep, len(l.blocks))
	}
	for l.n = min(l.n, len(l.blocks)*undoBlock); l.n > to; l.n-- {
		*l.at(l.n - 1) = undo{}
	}
}

// Apply folds one fact into s. seq is the sequence of the entry that carries
// it. The fact itself is not kept, but its strings and bytes are.
func (s *State) Apply(f Fact, seq uint64) {
	s.own()
	f.apply(s, seq)
}

// Begin starts recording changes so that they can be taken back.
func (s *State) Begin() {
	s.recording = true
	s.undo.cut(0)
}

// Savepoint names the present position in the recorded changes.
func (s *State) Savepoint() int { return s.undo.n }

// Rollback takes back the changes made since a Savepoint of this transaction
// (0 = all of them).
func (s *State) Rollback(to int) {
	s.own()
	for i := s.undo.n - 1; i >= to; i-- {
		u := s.undo.at(i)
		u.back(s, u)
	}
	s.undo.cut(to)
}

// Commit ends the recording and keeps the changes.
func (s *State) Commit() {
	s.recording = false
	s.undo.cut(0)
}

func (s *State) record(u undo) {
	if s.recording {
		s.undo.add(u)
	}
}

func (f *Put) apply(s *State, seq uint64) {
	t := s.tableOrNew(f.Table)
	row := &Row{ID: f.ID, Seq: seq, Terms: f.Terms, Due: f.Due, Body: f.Body}
	prev := t.rows.put(s.owner, row)
	if prev != nil {
		row.Ord = prev.Ord
	} else {
		s.ords++
		row.Ord = s.ords
	}
	s.link(t, row, prev)
	s.record(undo{back: unput, name: t.name, row: row, prev: prev})
}

func unput(s *State, u *undo) {
	t := s.table(u.name)
	if u.prev != nil {
		t.rows.put(s.owner, u.prev)
		s.link(t, u.prev, u.row)
		return
	}
	s.unlink(t, u.row)
	s.ords--
}

func (f *Delete) apply(s *State, _ uint64) {
	t := s.table(f.Table)
	if t == nil {
		return
	}
	row := t.rows.get(f.ID)
	if row == nil {
		return
	}
	s.unlink(t, row)
	s.record(undo{back: undelete, name: t.name, row: row})
}

func undelete(s *State, u *undo) {
	t := s.table(u.name)
	t.rows.put(s.owner, u.row)
	s.link(t, u.row, nil)
}

func (f *Event) apply(s *State, seq uint64) {
	e := &EventRow{Number: s.Events() + 1, Seq: seq, Event: *f}
	same, kept := s.learn(e)
	s.events.set(s.owner, e.Number, e)
	s.record(undo{back: unemit, event: e, same: same, had: kept})
}

func unemit(s *State, u *undo) {
	s.events.delete(s.owner, u.event.Number)
	s.unlearn(u)
}

func (f *Idem) apply(s *State, _ uint64) {
	kept := *f
	name := idemName(kept.API, kept.Key)
	old, had := s.idems.Set(name, &kept)
	s.record(undo{back: unkey, name: name, idem: old, had: had})
}

func unkey(s *State, u *undo) {
	if u.had {
		s.idems.Set(u.name, u.idem)
	} else {
		s.idems.Delete(u.name)
	}
}

func (f *Mark) apply(s *State, seq uint64) {
	old, had := s.marks.Set(f.Name, &MarkRow{Name: f.Name, Seq: seq})
	s.record(undo{back: unmark, name: f.Name, mark: old, had: had})
}

func unmark(s *State, u *undo) {
	if u.had {
		s.marks.Set(u.name, u.mark)
	} else {
		s.marks.Delete(u.name)
	}
}

func (f *Counter) apply(s *State, _ uint64) {
	old, had := s.counters.Set(f.Name, f.Value)
	s.record(undo{back: uncount, name: f.Name, n: old, had: had})
}

func uncount(s *State, u *undo) {
	if u.had {
		s.counters.Set(u.name, u.n)
	} else {
		s.counters.Delete(u.name)
	}
}

func (f *Clock) apply(s *State, _ uint64)  { s.set(&s.clock, f.Now) }
func (f *Minted) apply(s *State, _ uint64) { s.set(&s.minted, f.Count) }
func (f *Log) apply(s *State, _ uint64)    { s.set(&s.logged, f.Count) }

func (s *State) set(field *int64, n int64) {
	s.record(undo{back: unset, field: field, n: *field})
	*field = n
}

func unset(_ *State, u *undo) { *u.field = u.n }
