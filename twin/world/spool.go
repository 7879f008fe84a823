package world

import (
	"worlds/journal"
	"worlds/journal/canon"
	"worlds/journal/store"
	"worlds/twin"
)

// spool makes the body of a long operation's entry while the operation goes on:
// facts come a piece at a time, and another goroutine links and packs one piece
// while the next is decided. The body is never in memory as a whole.
type spool struct {
	prev journal.Hash
	seq  journal.Seq
	cmd  *twin.Command

	full, empty chan []byte // full is nil until the first piece
	done        chan struct{}
	link        journal.Linker
	packed      *store.Packed
}

// take adds facts, which it copies.
func (s *spool) take(facts []canon.Raw) {
	if s.full == nil {
		s.start()
		s.send(func(dst []byte) []byte { return journal.AppendOpening(dst, canon.Marshal(s.cmd)) })
	}
	s.send(func(dst []byte) []byte { return journal.AppendFacts(dst, facts) })
}

// spoolPieces is how many pieces there are at most at a time.
const spoolPieces = 3

func (s *spool) start() {
	s.link, s.packed = journal.NewLinker(s.prev, s.seq), new(store.Packed)
	s.full, s.empty, s.done = make(chan []byte, spoolPieces), make(chan []byte, spoolPieces), make(chan struct{})
	for range spoolPieces {
		s.empty <- nil
	}
	go func() {
		defer close(s.done)
		for piece := range s.full {
			s.link.Write(piece)
			s.packed.Write(piece)
			s.empty <- piece[:0]
		}
	}()
}

func (s *spool) send(appendTo func([]byte) []byte) { s.full <- appendTo(<-s.empty) }

// finish makes the entry of an operation of which at least some facts were taken.
func (s *spool) finish(out *twin.Outcome, at int64) (journal.Hash, *store.Packed) {
	s.send(func(dst []byte) []byte {
		dst = journal.AppendFacts(dst, out.Facts)
		return journal.AppendClosing(dst, out.Reply, at, out.Spilled+len(out.Facts))
	})
	s.stop()
	return s.link.Sum(), s.packed
}

// stop waits for the other goroutine and ends it, if there is one.
func (s *spool) stop() {
	if s.full != nil {
		close(s.full)
		<-s.done
		s.full = nil
	}
}
