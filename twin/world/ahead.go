package world

import (
	"iter"

	"worlds/journal"
)

// Entries are read and checked in batches by one goroutine while another folds or
// decides those before.
const (
	aheadEntries = 128
	aheadBytes   = 1 << 20 // a batch takes no more above it
	aheadBatches = 3
)

type aheadBatch struct {
	entries []journal.Checked
	err     error // what ended the journal behind them
}

type aheadReader struct {
	full, empty chan *aheadBatch
	quit, done  chan struct{}
}

// ahead yields the entries of a journal, each checked by itself; they are read by
// another goroutine, which has come to its end when ahead returns. A yielded entry
// is good until the next one.
func ahead(entries Entries) iter.Seq2[*journal.Checked, error] {
	return func(yield func(*journal.Checked, error) bool) {
		r := &aheadReader{
			full: make(chan *aheadBatch), empty: make(chan *aheadBatch, aheadBatches),
			quit: make(chan struct{}), done: make(chan struct{}),
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
		b.entries = append(b.entries, journal.Check(*e))
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

// next is an empty batch, nil when nobody wants more.
func (r *aheadReader) next() *aheadBatch {
	select {
	case b := <-r.empty:
		clear(b.entries)
		b.entries = b.entries[:0]
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
