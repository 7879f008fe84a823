package world

import (
	"sync"

	"worlds/journal"
	"worlds/journal/canon"
	"worlds/journal/store"
	"worlds/twin"
)

// spool makes the body of a long operation's entry while the operation goes on:
// facts come a piece at a time, and are linked and packed, by another goroutine
// while the next are decided if there are many. The body is never in memory as a
// whole.
type spool struct {
	prev journal.Hash
	seq  journal.Seq
	cmd  *twin.Command
	long turn

	link   journal.Linker
	packed *store.Packed // nil until the first piece
	pieces int

	full, empty chan *[]byte // nil until there is another goroutine
	done        chan struct{}
}

const (
	// spoolAlone is how many pieces are worth no other goroutine.
	spoolAlone = 8
	// spoolRoom is how many pieces there are at most at a time.
	spoolRoom = 3
)

// spoolRooms are what pieces stand in, to be used again.
var spoolRooms sync.Pool // of *[]byte

// take adds facts, which it copies.
func (s *spool) take(facts []canon.Raw) {
	if s.packed == nil {
		s.link, s.packed = journal.NewLinker(s.prev, s.seq), new(store.Packed)
		s.add(func(dst []byte) []byte { return journal.AppendOpening(dst, canon.Marshal(s.cmd)) })
	}
	s.add(func(dst []byte) []byte { return journal.AppendFacts(dst, facts) })
}

func (s *spool) add(appendTo func([]byte) []byte) {
	if s.pieces++; s.pieces <= spoolAlone || s.full == nil && !s.start() {
		piece := newPiece()
		*piece = appendTo((*piece)[:0])
		s.work(piece)
		spoolRooms.Put(piece)
		return
	}
	piece := <-s.empty
	*piece = appendTo((*piece)[:0])
	s.full <- piece
}

func newPiece() *[]byte {
	if piece, ok := spoolRooms.Get().(*[]byte); ok {
		return piece
	}
	return new([]byte)
}

func (s *spool) work(piece *[]byte) {
	s.link.Write(*piece)
	s.packed.Write(*piece)
}

// start begins the other goroutine, once it is the operation's turn. It returns false
// when the operation is given up before that.
func (s *spool) start() bool {
	if !s.long.take() {
		return false
	}
	s.full, s.empty, s.done = make(chan *[]byte, spoolRoom), make(chan *[]byte, spoolRoom), make(chan struct{})
	for range spoolRoom {
		s.empty <- newPiece()
	}
	go func() {
		defer close(s.done)
		defer unhurried()()
		for piece := range s.full {
			s.work(piece)
			s.empty <- piece
		}
	}()
	return true
}

// finish makes the entry of an operation of which at least some facts were taken.
func (s *spool) finish(out *twin.Outcome, at int64) (journal.Hash, *store.Packed) {
	s.add(func(dst []byte) []byte {
		dst = journal.AppendFacts(dst, out.Facts)
		return journal.AppendClosing(dst, out.Reply, at, out.Spilled+len(out.Facts))
	})
	s.stop()
	return s.link.Sum(), s.packed
}

// stop waits for the other goroutine and ends it, if there is one.
func (s *spool) stop() {
	if s.full == nil {
		return
	}
	close(s.full)
	<-s.done
	s.full = nil
	s.long.end()
	for len(s.empty) > 0 { // but for one, when making it failed
		spoolRooms.Put(<-s.empty)
	}
}
