package projection

import (
	"fmt"

	"worlds/journal/canon"
)

// Fold folds the facts of entry seq into s, in order. On error s holds the facts
// before the bad one: whoever folds untrusted entries folds into a copy.
func (s *State) Fold(seq uint64, facts []canon.Raw) error {
	prior := make([]Fact, 0, len(facts))
	for i, raw := range facts {
		f, err := ParseFact(raw, prior)
		if err != nil {
			return fmt.Errorf("entry %d: fact %d: %w", seq, i, err)
		}
		f.apply(s, seq)
		prior = append(prior, f)
	}
	return nil
}
