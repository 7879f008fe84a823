package projection

import (
	"fmt"

	"worlds/journal/canon"
)

// folder is what folding uses again for each entry.
type folder struct {
	reader reader
	facts  []Fact // one of each kind, in the order of kinds
}

// Fold folds the facts of entry seq into s, in order. It trusts them to be
// canonical: of others it refuses what it happens to notice, with ErrFact, and
// may fold the rest, but never panics. ParseFact is the check for facts from
// elsewhere. On error s holds the facts before the bad one: whoever may meet
// bad entries folds into a copy. The bytes are kept and must never change.
func (s *State) Fold(seq uint64, facts []canon.Raw) error {
	s.own()
	if s.folder == nil {
		s.folder = &folder{facts: make([]Fact, len(kinds))}
		for i := range kinds {
			s.folder.facts[i] = kinds[i].make()
		}
	}
	r := &s.folder.reader
	r.bodies = r.bodies[:0]
	for i, raw := range facts {
		kind, ok := r.open(raw)
		if ok {
			f := s.folder.facts[kind]
			f.parse(r)
			if r.close() == nil {
				f.apply(s, seq)
				r.bodies = append(r.bodies, f.body())
				continue
			}
		}
		return fmt.Errorf("entry %d: fact %d: %w", seq, i, r.err)
	}
	return nil
}
