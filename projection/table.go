package projection

import (
	"encoding/binary"
	"iter"
	"slices"
	"strings"

	"worlds/journal/canon"
	"worlds/journal/mutant"
)

// Row is one object in one table. A Row is immutable: a change makes a new one.
type Row struct {
	ID    string
	Ord   uint64 // creation order within the world, from 1; kept by replacement
	Seq   uint64 // sequence of the entry that wrote this version; 0 = genesis
	Terms []string
	Due   int64
	Body  canon.Raw
}

func (r *Row) name() string { return r.ID }

// table is the rows of one kind: by id, by creation order, by term.
type table struct {
	name  string
	rows  index[*Row]
	order ordered[Row]
	terms index[*posting]
}

// fork returns a table that shares what t holds. It does not touch t.
func (t *table) fork() table {
	return table{name: t.name, rows: t.rows.fork(), order: t.order, terms: t.terms.fork()}
}

// Get returns the row id of table name, nil if there is none.
func (s *State) Get(name, id string) *Row {
	t := s.table(name)
	if t == nil {
		return nil
	}
	return t.rows.get(id)
}

// Len is the number of rows in table name.
func (s *State) Len(name string) int {
	t := s.table(name)
	if t == nil {
		return 0
	}
	return int(t.order.size)
}

// Tables lists the tables that hold rows, by name.
func (s *State) Tables() []string {
	names := make([]string, 0, len(s.tables))
	for _, t := range s.tables {
		if t.order.size > 0 {
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
			t.order.descend(bound(before), func(_ uint64, r *Row) bool { return yield(r) })
		}
	}
}

// Oldest yields the rows of table name, oldest first, those newer than after.
// The State must not change meanwhile.
func (s *State) Oldest(name string, after uint64) iter.Seq[*Row] {
	return func(yield func(*Row) bool) {
		if t := s.table(name); t != nil && after+1 != 0 {
			t.order.ascend(after+1, func(_ uint64, r *Row) bool { return yield(r) })
		}
	}
}

// NewestWith is Newest over the rows that carry the index term.
func (s *State) NewestWith(name, term string, before uint64) iter.Seq[*Row] {
	return func(yield func(*Row) bool) {
		if t, p := s.posting(name, term); p != nil {
			p.descend(bound(before), func(ord uint64, _ *struct{}) bool { return yield(t.order.get(ord)) })
		}
	}
}

// OldestWith is Oldest over the rows that carry the index term.
func (s *State) OldestWith(name, term string, after uint64) iter.Seq[*Row] {
	return func(yield func(*Row) bool) {
		if t, p := s.posting(name, term); p != nil && after+1 != 0 {
			p.ascend(after+1, func(ord uint64, _ *struct{}) bool { return yield(t.order.get(ord)) })
		}
	}
}

// bound turns an exclusive upper order (0 = none) into an inclusive one.
func bound(before uint64) uint64 { return before - 1 }

func (s *State) posting(name, term string) (*table, *posting) {
	t := s.table(name)
	if t == nil {
		return nil, nil
	}
	return t, t.terms.get(term)
}

func (s *State) table(name string) *table {
	if i, ok := s.tableAt(name); ok {
		return s.tables[i]
	}
	return nil
}

func (s *State) tableAt(name string) (int, bool) {
	return slices.BinarySearchFunc(s.tables, name, func(t *table, name string) int {
		return strings.Compare(t.name, name)
	})
}

func (s *State) tableOrNew(name string) *table {
	i, ok := s.tableAt(name)
	if !ok {
		// The name outlives the entry that brings it.
		s.tables = slices.Insert(s.tables, i, &table{name: strings.Clone(name)})
	}
	return s.tables[i]
}

// link puts row, whose id the index has already, into the place of prev, nil if
// there was none.
func (s *State) link(t *table, row, prev *Row) {
	t.order.set(s.owner, row.Ord, row)
	if prev == nil || !slices.Equal(prev.Terms, row.Terms) {
		if prev != nil {
			s.dropTerms(t, prev)
		}
		if prev != nil && mutant.Is("terms-not-moved") {
			return
		}
		for _, term := range row.Terms {
			s.owned(t, term).add(s.owner, row.Ord)
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
	t.rows.delete(s.owner, row.ID)
	t.order.delete(s.owner, row.Ord)
	s.dropTerms(t, row)
	if row.Due != 0 {
		s.due.Delete(dueKey(row.Due, row.Ord))
	}
}

func (s *State) dropTerms(t *table, row *Row) {
	for _, term := range row.Terms {
		p := s.owned(t, term)
		if p.remove(s.owner, row.Ord); p.empty() {
			t.terms.delete(s.owner, term)
		}
	}
}

// owned returns the posting of term, made if there is none, for s to change.
func (s *State) owned(t *table, term string) (p *posting) {
	t.terms.update(s.owner, term, func(found *posting) *posting {
		switch {
		case found == nil:
			p = &posting{term: term, owner: s.owner}
		case found.owner != s.owner:
			p = &posting{term: found.term, owner: s.owner, only: found.only, rows: found.rows}
		default:
			p = found
		}
		return p
	})
	return p
}

// dueKey orders by (at, ord); the sign bit is flipped so that text order is
// number order.
func dueKey(at int64, ord uint64) string {
	var key [16]byte
	binary.BigEndian.PutUint64(key[:8], uint64(at)^1<<63)
	binary.BigEndian.PutUint64(key[8:], ord)
	return string(key[:])
}
