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
		chunk, err := s.chunk(found, inc, next, to)
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

// chunk reads some entries from next on, from the shelf if it has any, else
// from the tail.
func (s *Store) chunk(w *world, inc Incarnation, next, to journal.Seq) ([]journal.Entry, error) {
	for {
		s.mu.Lock()
		moved := s.moved
		inTail := len(w.refs) > 0 && w.refsInc == inc && w.first <= next
		s.mu.Unlock()
		if !inTail {
			entries, err := s.chunkOfShelf(w.id, inc, next, to)
			if err == nil {
				err = s.present(w, inc) // else they may be half cleared
			}
			if err != nil || len(entries) > 0 {
				return entries, err
			}
		}
		entries, again, err := s.chunkOfTail(w, inc, next, to, moved)
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

func (s *Store) chunkOfShelf(w World, inc Incarnation, next, to journal.Seq) ([]journal.Entry, error) {
	var entries []journal.Entry
	err := s.shelf.view(func(tx *bolt.Tx) error {
		keys, values := make([][]byte, 0, scanEntries), make([][]byte, 0, scanEntries)
		size := 0
		end := key{w, inc, to}.append(nil)
		c := tx.Bucket(entriesBucket).Cursor()
		for k, v := c.Seek(key{w, inc, next}.append(nil)); k != nil && bytes.Compare(k, end) <= 0; k, v = c.Next() {
			if len(values) == scanEntries || size > 0 && size+len(v) > scanBytes {
				break
			}
			keys, values = append(keys, k), append(values, v)
			size += len(v)
		}
		entries = make([]journal.Entry, len(values))
		own := bytes.Join(values, nil) // they die with the transaction
		for i, v := range values {
			var ok bool
			if _, entries[i], ok = decodeValue(keys[i], own[:len(v):len(v)]); !ok {
				return s.shelf.damagedEntry(tx, keys[i], v)
			}
			own = own[len(v):]
		}
		return nil
	})
	return entries, err
}

// chunkOfTail reads entries that are not on the shelf yet. again is whether
// they went there since moved was read.
func (s *Store) chunkOfTail(w *world, inc Incarnation, next, to journal.Seq, moved uint64) (entries []journal.Entry, again bool, err error) {
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
	entries, err = readEntries(w.id, inc, first, places, segs)
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
	if s.current.head.number == number {
		return s.current
	}
	return s.full[number-s.full[0].head.number] // their numbers have no gap
}

func readEntries(w World, inc Incarnation, first journal.Seq, refs []ref, segs []*segment) ([]journal.Entry, error) {
	entries := make([]journal.Entry, len(refs))
	for i, r := range refs {
		b := make([]byte, r.bytes)
		if _, err := segs[i].file.ReadAt(b, int64(r.offset)); err != nil && err != io.EOF {
			return nil, fmt.Errorf("store: %s: %w", segs[i].path, err)
		}
		name, e, ok := decodeValue(b[:keyBytes], b[keyBytes:])
		if !ok || name != (key{w, inc, first + journal.Seq(i)}) {
			return nil, &DamageError{Path: segs[i].path, Offset: int64(r.offset),
				What: fmt.Sprintf("world %d, incarnation %d, entry %d: the checksum does not hold", w, inc, first+journal.Seq(i))}
		}
		entries[i] = e
	}
	return entries, nil
}
