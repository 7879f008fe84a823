package world

import (
	"worlds/journal"
	"worlds/journal/canon"
	"worlds/journal/store"
)

// Rescued is a world that could still be read from a damaged folder.
type Rescued struct {
	ID      ID
	Entries []journal.Entry // the genesis first, then as an export has them; nil if lost
	Head    journal.Hash
	Lost    string // why it is lost; "" if it is not
}

// Salvage reads what can still be read of a damaged folder, changing nothing: every
// world whose chain still holds down to a genesis, across the forks it comes from.
// It also returns the commands of the server's own stream, nil if that is lost.
func Salvage(dir string) (worlds []*Rescued, server []canon.Raw, err error) {
	s := &rescue{streams: map[ID]*store.Salvaged{}, genesis: map[journal.Hash]*Genesis{}}
	err = store.Salvage(dir, func(_ string, data []byte) error {
		if g, err := ParseGenesis(data); err == nil {
			s.genesis[g.Entry.Hash] = g
		}
		return nil
	}, func(found *store.Salvaged) error {
		s.streams[found.World] = found
		s.order = append(s.order, found.World)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	for _, id := range s.order {
		if id != 0 {
			worlds = append(worlds, s.world(id))
			continue
		}
		v := journal.NewVerifier(journal.Hash{}, 1)
		for i := range s.streams[0].Entries {
			e := &s.streams[0].Entries[i]
			if v.Next(e) != nil {
				break
			}
			if frame, err := journal.ParseBody(e.Body); err == nil {
				server = append(server, frame.Command)
			}
		}
	}
	return worlds, server, nil
}

type rescue struct {
	order   []ID
	streams map[ID]*store.Salvaged
	genesis map[journal.Hash]*Genesis
}

// world puts a world's history together and proves it.
func (s *rescue) world(id ID) *Rescued {
	found := s.streams[id]
	out := &Rescued{ID: id, Head: found.Head.Hash, Lost: found.Lost}
	switch {
	case out.Lost != "":
		return out
	case len(found.Entries) == 0:
		out.Lost = "nothing had happened in it"
		return out
	}
	list := s.past(found.Entries[0].Seq-1, found.Entries[0].Prev)
	if list == nil {
		out.Lost = "what it began with is not there"
		return out
	}
	list = append(list, found.Entries...)
	links := NewLinks(list[0].Hash)
	for i := range list[1:] {
		if _, err := links.Next(&list[1+i]); err != nil {
			out.Lost = err.Error()
			return out
		}
	}
	out.Entries = list
	return out
}

// past is the history that ends in the entry named hash, of number seq; nil if it
// is not there.
func (s *rescue) past(seq journal.Seq, hash journal.Hash) []journal.Entry {
	if g := s.genesis[hash]; g != nil {
		return []journal.Entry{g.Entry}
	}
	for _, id := range s.order {
		found := s.streams[id]
		if id == 0 || len(found.Entries) == 0 {
			continue
		}
		first := found.Entries[0].Seq
		if seq < first || int(seq-first) >= len(found.Entries) {
			continue
		}
		upTo := found.Entries[:seq-first+1]
		base := Base{ID: id, Seq: seq, Hash: upTo[len(upTo)-1].Hash}
		if joint := base.entry(); joint.Hash == hash {
			if list := s.past(first-1, found.Entries[0].Prev); list != nil {
				return append(append(list, upTo...), joint)
			}
		}
	}
	if seq == 0 { // a fork at the genesis
		for h, g := range s.genesis {
			base := Base{Hash: h}
			if joint := base.entry(); joint.Hash == hash {
				return []journal.Entry{g.Entry, joint}
			}
		}
	}
	return nil
}
