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
	room   []byte // free, for facts to come
	kept   int    // bytes of facts so far
}

// What is kept of facts stands in blocks: small ones while there is little.
const (
	roomBytesMin = 1 << 10
	roomBytesMax = 32 << 10
	roomShare    = 4 // a block is at most this part of what is kept already, and a larger part of a block has its own
)

// keep returns a copy of a fact that nothing else is in the way of.
func (f *folder) keep(raw canon.Raw) canon.Raw {
	n := len(raw)
	if n > len(f.room) {
		block := min(max(f.kept/roomShare, roomBytesMin), roomBytesMax)
		if f.kept += n; n > block/roomShare {
			return bytes.Clone(raw)
		}
		f.room = make([]byte, block)
	} else {
		f.kept += n
	}
	own := f.room[:n:n]
	f.room = f.room[n:]
	copy(own, raw)
	return own
}

// Fold folds the facts of entry seq into s, in order. It trusts them to be
// canonical: of others it refuses what it happens to notice, with ErrFact, and
// may fold the rest, but never panics. ParseFact is the check for facts from
// elsewhere. On error s holds the facts before the bad one: whoever may meet
// bad entries folds into a copy. It keeps nothing of the bytes.
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
			if kinds[kind].keeps {
				r.data = s.folder.keep(raw)[:len(r.data):len(r.data)]
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
