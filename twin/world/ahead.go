package world

import (
	"bytes"
	"iter"
	"slices"

	"worlds/journal"
	"worlds/projection"
)

// Entries are read and checked in batches by one goroutine while another folds or
// decides those before.
const (
	aheadEntries = 128
	aheadBytes   = 1 << 20 // a batch takes no more above it
	aheadBatches = 3
	aheadRoomMin = 16 << 10 // what of a batch is used again
	aheadRoomMax = 256 << 10
)

type aheadBatch struct {
	entries []journal.Checked
	room    []byte // of the entries, free
	all     []byte // the whole room
	err     error  // what ended the journal behind them
}

// own returns a copy of data that is good until the batch is used again.
func (b *aheadBatch) own(data []byte) []byte {
	n := len(data)
	if n > aheadRoomMax/2 {
		return bytes.Clone(data)
	}
	for n > len(b.room) {
		b.all = make([]byte, min(max(aheadRoomMin, 2*len(b.all)), aheadRoomMax))
		b.room = b.all
	}
	own := b.room[:n:n]
	b.room = b.room[n:]
	copy(own, data)
	return own
}

type aheadReader struct {
	full, empty chan *aheadBatch
	quit, done  chan struct{}
	fold        *projection.Keeper // nil: the entries are decided again
}

// ahead yields the entries of a journal, each checked by itself; they are read by
// another goroutine, which has come to its end when ahead returns. A yielded entry
// is good until the next one: where it is to be folded its bytes are, too, but for
// what a keeper has kept of its facts, and else they may be kept.
func ahead(entries Entries, fold *projection.Keeper) iter.Seq2[*journal.Checked, error] {
	return func(yield func(*journal.Checked, error) bool) {
		r := &aheadReader{
			full: make(chan *aheadBatch), empty: make(chan *aheadBatch, aheadBatches),
			quit: make(chan struct{}), done: make(chan struct{}), fold: fold,
		}
		for range aheadBatches {
			r.empty <- new(aheadBatch)
		}
		go r.read(entries)
		defer func() {
			close(r.quit)
			<-r.done
		}()
		for b := range r.full {
			for i := range b.entries {
				if !yield(&b.entries[i], nil) {
					return
				}
			}
			if b.err != nil {
				yield(nil, b.err)
				return
			}
			r.empty <- b
		}
	}
}

// read fills batches until the journal ends or nobody wants more.
func (r *aheadReader) read(entries Entries) {
	defer close(r.done)
	defer close(r.full)
	b, size := r.next(), 0
	for e, err := range entries {
		if err != nil {
			b.err = err
			break
		}
		r.check(b, *e)
		if size += len(e.Body); len(b.entries) < aheadEntries && size < aheadBytes {
			continue
		}
		if !r.send(b) {
			return
		}
		if b, size = r.next(), 0; b == nil {
			return
		}
	}
	r.send(b)
}

// check adds an entry, checked, whose bytes are about to be those of another.
func (r *aheadReader) check(b *aheadBatch, e journal.Entry) {
	if r.fold == nil {
		e.Body, e.Side = bytes.Clone(e.Body), bytes.Clone(e.Side)
		b.entries = append(b.entries, journal.Check(e))
		return
	}
	if e.Body = b.own(e.Body); e.Side != nil {
		e.Side = b.own(e.Side)
	}
	n := len(b.entries)
	b.entries = slices.Grow(b.entries, 1)[:n+1] // with the lists of facts of the last time
	b.entries[n].Check(e)
	r.fold.Keep(b.entries[n].Frame.Facts)
}

// next is an empty batch, nil when nobody wants more.
func (r *aheadReader) next() *aheadBatch {
	select {
	case b := <-r.empty:
		b.entries, b.room = b.entries[:0], b.all
		return b
	case <-r.quit:
		return nil
	}
}

func (r *aheadReader) send(b *aheadBatch) bool {
	select {
	case r.full <- b:
		return true
	case <-r.quit:
		return false
	}
}
