package store

import (
	"bytes"
	"fmt"
	"io"

	bolt "go.etcd.io/bbolt"

	"worlds/journal"
)

// At most this much is read at a time: it bounds how long a transaction of the
// shelf is open and how long a segment cannot be reused.
const (
	scanEntries = 256
	scanBytes   = 256 << 10
)

// Scan calls fn for the entries from ≤ seq ≤ to of w's incarnation inc, in
// order; to 0 stands for the last. It first waits until everything appended
// before the call is durable by the store's level, and sees nothing appended
// after it. fn may keep the entries and may use the store; its error ends the
// scan and is returned. ErrIncarnation if inc is not, or during the scan ceases
// to be, the present one; a *DamageError if an entry does not hold.
func (s *Store) Scan(w World, inc Incarnation, from, to journal.Seq, fn func(*journal.Entry) error) error {
	return s.scan(w, inc, from, to, fn, func() *chunkRoom { return new(chunkRoom) })
}

// Walk is Scan for an fn that keeps nothing: an entry, its bytes included, is good
// until fn returns. It reads into the same memory again and again.
func (s *Store) Walk(w World, inc Incarnation, from, to journal.Seq, fn func(*journal.Entry) error) error {
	room := new(chunkRoom)
	return s.scan(w, inc, from, to, fn, func() *chunkRoom { return room })
}

func (s *Store) scan(w World, inc Incarnation, from, to journal.Seq, fn func(*journal.Entry) error, room func() *chunkRoom) error {
	found, head, err := s.readable(w, inc)
	if err != nil {
		return err
	}
	if to == 0 || to > head {
		to = head
	}
	next := from
	started := false
	for next <= to && head != 0 {
		chunk, err := s.chunk(room(), found, inc, next, to)
		if err != nil {
			return err
		}
		if len(chunk) == 0 {
			return nil
		}
		for i := range chunk {
			if started && chunk[i].Seq != next {
				return &DamageError{Path: s.shelf.path, Offset: -1,
					What: fmt.Sprintf("world %d, incarnation %d: entry %d is missing", w, inc, next)}
			}
			started = true
			next = chunk[i].Seq + 1
			if err := fn(&chunk[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// readable waits for w's entries and returns the last one's number.
func (s *Store) readable(w World, inc Incarnation) (*world, journal.Seq, error) {
	s.mu.Lock()
	found := s.worlds[w]
	if s.closed {
		s.mu.Unlock()
		return nil, 0, ErrClosed
	}
	if found == nil || !found.there {
		s.mu.Unlock()
		return nil, 0, fmt.Errorf("store: world %d: %w", w, ErrWorld)
	}
	if found.head.Inc != inc {
		s.mu.Unlock()
		return nil, 0, fmt.Errorf("store: world %d, incarnation %d: %w %d", w, inc, ErrIncarnation, found.head.Inc)
	}
	head, last := found.head.Seq, found.last
	s.mu.Unlock()
	if last != nil {
		if err := s.wait(last); err != nil {
			return nil, 0, err
		}
	}
	return found, head, nil
}

// chunkRoom is what a chunk is read into.
type chunkRoom struct {
	entries      []journal.Entry
	keys, values [][]byte // of the shelf, as long as its transaction
	bytes        []byte
}

// take makes the room one for n entries of so many bytes.
func (r *chunkRoom) take(n, size int) ([]journal.Entry, []byte) {
	if cap(r.entries) < n {
		r.entries = make([]journal.Entry, n)
	}
	if cap(r.bytes) < size {
		r.bytes = make([]byte, size)
	}
	return r.entries[:n], r.bytes[:size]
}

// chunk reads some entries from next on, from the shelf if it has any, else
// from the tail.
func (s *Store) chunk(r *chunkRoom, w *world, inc Incarnation, next, to journal.Seq) ([]journal.Entry, error) {
	for {
		s.mu.Lock()
		moved := s.moved
		inTail := len(w.refs) > 0 && w.refsInc == inc && w.first <= next
		s.mu.Unlock()
		if !inTail {
			entries, err := s.chunkOfShelf(r, w.id, inc, next, to)
			if err == nil {
				err = s.present(w, inc) // else they may be half cleared
			}
			if err != nil || len(entries) > 0 {
				return entries, err
			}
		}
		entries, again, err := s.chunkOfTail(r, w, inc, next, to, moved)
		if !again {
			return entries, err
		}
	}
}

// present fails if inc is no longer w's incarnation.
func (s *Store) present(w *world, inc Incarnation) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	if w.acked.Inc == inc && w.ackedThere {
		return nil
	}
	return fmt.Errorf("store: world %d, incarnation %d: %w %d", w.id, inc, ErrIncarnation, w.acked.Inc)
}

func (s *Store) chunkOfShelf(r *chunkRoom, w World, inc Incarnation, next, to journal.Seq) ([]journal.Entry, error) {
	var entries []journal.Entry
	err := s.shelf.view(func(tx *bolt.Tx) error {
		r.keys, r.values = r.keys[:0], r.values[:0]
		size := 0
		end := key{w, inc, to}.append(nil)
		c := tx.Bucket(entriesBucket).Cursor()
		for k, v := c.Seek(key{w, inc, next}.append(nil)); k != nil && bytes.Compare(k, end) <= 0; k, v = c.Next() {
			if len(r.values) == scanEntries || size > 0 && size+len(v) > scanBytes {
				break
			}
			r.keys, r.values = append(r.keys, k), append(r.values, v)
			size += len(v)
		}
		var own []byte // they die with the transaction
		entries, own = r.take(len(r.values), size)
		for i, v := range r.values {
			mine := own[:copy(own, v):len(v)]
			var ok bool
			if _, entries[i], ok = decodeValue(r.keys[i], mine); !ok {
				return s.shelf.damagedEntry(tx, r.keys[i], v)
			}
			own = own[len(v):]
		}
		return nil
	})
	return entries, err
}

// chunkOfTail reads entries that are not on the shelf yet. again is whether
// they went there since moved was read.
func (s *Store) chunkOfTail(r *chunkRoom, w *world, inc Incarnation, next, to journal.Seq, moved uint64) (entries []journal.Entry, again bool, err error) {
	s.files.RLock()
	defer s.files.RUnlock()
	if err := s.present(w, inc); err != nil {
		return nil, false, err
	}
	s.mu.Lock()
	if s.moved != moved {
		s.mu.Unlock()
		return nil, true, nil
	}
	first := w.first
	refs := w.refs
	if len(refs) == 0 || to < first {
		s.mu.Unlock()
		return nil, false, nil
	}
	if next > first {
		refs = refs[min(next-first, journal.Seq(len(refs))):]
		first = next
	}
	if n := to - first + 1; journal.Seq(len(refs)) > n {
		refs = refs[:n]
	}
	places, segs := s.pick(refs)
	s.mu.Unlock()
	entries, err = r.readTail(w.id, inc, first, places, segs)
	return entries, false, err
}

// pick returns as many of refs as are read at once, with their segments. The
// caller holds mu.
func (s *Store) pick(refs []ref) ([]ref, []*segment) {
	var segs []*segment
	size := 0
	for i, r := range refs {
		if i == scanEntries || size > 0 && size+int(r.bytes) > scanBytes {
			return refs[:i], segs
		}
		size += int(r.bytes)
		if i > 0 && refs[i-1].segment == r.segment {
			segs = append(segs, segs[i-1])
			continue
		}
		segs = append(segs, s.segmentOf(r.segment))
	}
	return refs, segs
}

func (s *Store) segmentOf(number uint64) *segment {
	if s.current != nil && s.current.head.number == number {
		return s.current
	}
	return s.full[number-s.full[0].head.number] // their numbers have no gap
}

func (r *chunkRoom) readTail(w World, inc Incarnation, first journal.Seq, refs []ref, segs []*segment) ([]journal.Entry, error) {
	size := 0
	for i := range refs {
		size += int(refs[i].bytes)
	}
	entries, own := r.take(len(refs), size)
	for i, ref := range refs {
		b := own[:ref.bytes:ref.bytes]
		own = own[ref.bytes:]
		if _, err := segs[i].file.ReadAt(b, int64(ref.offset)); err != nil && err != io.EOF {
			return nil, fmt.Errorf("store: %s: %w", segs[i].path, err)
		}
		name, e, ok := decodeValue(b[:keyBytes], b[keyBytes:])
		if !ok || name != (key{w, inc, first + journal.Seq(i)}) {
			return nil, &DamageError{Path: segs[i].path, Offset: int64(ref.offset),
				What: fmt.Sprintf("world %d, incarnation %d, entry %d: the checksum does not hold", w, inc, first+journal.Seq(i))}
		}
		entries[i] = e
	}
	return entries, nil
}
