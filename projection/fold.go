package projection

import (
	"bytes"
	"fmt"

	"worlds/journal/canon"
)

// folder is what folding uses again for each entry.
type folder struct {
	reader reader
	facts  []Fact // one of each kind, in the order of kinds
	keeper Keeper
}

// Keeper copies what a State keeps of facts, side by side into blocks. The zero
// Keeper is ready. It is for one goroutine, which need not be the one that folds.
type Keeper struct {
	reader reader
	room   []byte // free, for facts to come
	kept   int    // bytes of facts so far
}

// What is kept of facts stands in blocks: small ones while there is little.
const (
	roomBytesMin = 1 << 10
	roomBytesMax = 32 << 10
	roomShare    = 4 // a block is at most this part of what is kept already, and a larger part of a block has its own
)

// Keep puts copies in the place of those facts of which a State keeps something, for
// FoldKept. The others are good as long as their bytes are.
func (k *Keeper) Keep(facts []canon.Raw) {
	for i, raw := range facts {
		if kind, ok := k.reader.open(raw); ok && kinds[kind].keeps {
			facts[i] = k.keep(raw)
		}
	}
}

func (k *Keeper) keep(raw canon.Raw) canon.Raw {
	n := len(raw)
	if n > len(k.room) {
		block := min(max(k.kept/roomShare, roomBytesMin), roomBytesMax)
		if k.kept += n; n > block/roomShare {
			return bytes.Clone(raw)
		}
		k.room = make([]byte, block)
	} else {
		k.kept += n
	}
	own := k.room[:n:n]
	k.room = k.room[n:]
	copy(own, raw)
	return own
}

// Fold folds the facts of entry seq into s, in order. It trusts them to be
// canonical: of others it refuses what it happens to notice, with ErrFact, and
// may fold the rest, but never panics. ParseFact is the check for facts from
// elsewhere. On error s holds the facts before the bad one: whoever may meet
// bad entries folds into a copy. It keeps nothing of the bytes.
func (s *State) Fold(seq uint64, facts []canon.Raw) error { return s.fold(seq, facts, false) }

// FoldKept is Fold of facts that a Keeper has kept: their bytes become the State's.
func (s *State) FoldKept(seq uint64, facts []canon.Raw) error { return s.fold(seq, facts, true) }

func (s *State) fold(seq uint64, facts []canon.Raw, kept bool) error {
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
			if !kept && kinds[kind].keeps {
				r.data = s.folder.keeper.keep(raw)[:len(r.data):len(r.data)]
			}
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
