package store

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"sync"

	"worlds/journal"
)

// Memory is a journal without files, which behaves as a Store does to those who use
// it and keeps nothing: for simulations, and to be compared with. What is appended is
// durable at once, as far as it ever will be. Its methods may be called from any
// goroutine.
type Memory struct {
	mu     sync.Mutex
	closed bool
	worlds map[World]*remembered
	blobs  map[string][]byte
	count  uint64 // of entries
}

// remembered is a world in memory.
type remembered struct {
	head    Head
	entries []journal.Entry // of the present incarnation
}

// NewMemory returns an empty journal.
func NewMemory() *Memory {
	return &Memory{worlds: map[World]*remembered{0: {}}, blobs: map[string][]byte{}}
}

// Append is Store.Append; the ticket is kept already.
func (m *Memory) Append(r Record) (Ticket, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r.bodyBytes()+len(r.Entry.Side) > EntryBytesMax {
		return Ticket{}, fmt.Errorf("memory: world %d, entry %d: %w", r.World, r.Entry.Seq, ErrTooLarge)
	}
	if m.closed {
		return Ticket{}, ErrClosed
	}
	w := m.worlds[r.World]
	switch {
	case w == nil:
		return Ticket{}, fmt.Errorf("memory: world %d: %w", r.World, ErrWorld)
	case w.head.Inc != r.Inc:
		return Ticket{}, fmt.Errorf("memory: world %d, incarnation %d: %w %d", r.World, r.Inc, ErrIncarnation, w.head.Inc)
	case r.Entry.Seq == 0, w.head.Seq != 0 && (r.Entry.Seq != w.head.Seq+1 || r.Entry.Prev != w.head.Hash):
		return Ticket{}, fmt.Errorf("memory: world %d, entry %d: %w after %d", r.World, r.Entry.Seq, ErrOrder, w.head.Seq)
	}
	if err := m.control(&r); err != nil {
		return Ticket{}, err
	}
	e := r.Entry
	if e.Side = bytes.Clone(e.Side); r.Packed == nil {
		e.Body = bytes.Clone(e.Body)
	} else if body, ok := unpack(r.Packed.append(nil)); ok {
		e.Body = body
	}
	w.head.Seq, w.head.Hash = e.Seq, e.Hash
	w.entries = append(w.entries, e)
	m.count++
	return Ticket{}, nil
}

// control changes the table of worlds, or says why it cannot be.
func (m *Memory) control(r *Record) error {
	c := r.Control
	if c == nil {
		return nil
	}
	if r.World != 0 || c.World == 0 {
		return fmt.Errorf("memory: %s of world %d by world %d: %w", c.Op, c.World, r.World, ErrWorld)
	}
	target := m.worlds[c.World]
	switch {
	case c.Op == Create && target == nil:
		m.worlds[c.World] = &remembered{head: Head{Inc: c.Inc}}
	case c.Op == Reset && target != nil:
		if c.Inc <= target.head.Inc {
			return fmt.Errorf("memory: reset world %d to incarnation %d: %w %d", c.World, c.Inc, ErrIncarnation, target.head.Inc)
		}
		*target = remembered{head: Head{Inc: c.Inc}}
	case c.Op == Drop && target != nil:
		delete(m.worlds, c.World)
	default:
		return fmt.Errorf("memory: %s world %d: %w", c.Op, c.World, ErrWorld)
	}
	return nil
}

// Head is Store.Head.
func (m *Memory) Head(w World) (Head, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if found := m.worlds[w]; found != nil {
		return found.head, true
	}
	return Head{}, false
}

// Worlds is Store.Worlds.
func (m *Memory) Worlds() []World {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(maps.Keys(m.worlds))
}

// Scan is Store.Scan.
func (m *Memory) Scan(w World, inc Incarnation, from, to journal.Seq, fn func(*journal.Entry) error) error {
	list, err := m.living(w, inc)
	if err != nil {
		return err
	}
	for i := range list {
		e := list[i]
		if e.Seq < from || to != 0 && e.Seq > to {
			continue
		}
		if i%scanEntries == 0 {
			if _, err := m.living(w, inc); err != nil {
				return err
			}
		}
		e.Body, e.Side = bytes.Clone(e.Body), bytes.Clone(e.Side)
		if err := fn(&e); err != nil {
			return err
		}
	}
	return nil
}

// Walk is Store.Walk: what fn is given is overwritten when it returns, so that who
// keeps it is found.
func (m *Memory) Walk(w World, inc Incarnation, from, to journal.Seq, fn func(*journal.Entry) error) error {
	return m.Scan(w, inc, from, to, func(e *journal.Entry) error {
		err := fn(e)
		clear(e.Body)
		clear(e.Side)
		return err
	})
}

// living are the entries of a world's incarnation, if that is the present one.
func (m *Memory) living(w World, inc Incarnation) ([]journal.Entry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	found := m.worlds[w]
	switch {
	case m.closed:
		return nil, ErrClosed
	case found == nil:
		return nil, fmt.Errorf("memory: world %d: %w", w, ErrWorld)
	case found.head.Inc != inc:
		return nil, fmt.Errorf("memory: world %d, incarnation %d: %w %d", w, inc, ErrIncarnation, found.head.Inc)
	}
	return found.entries[:len(found.entries):len(found.entries)], nil
}

// PutBlob is Store.PutBlob.
func (m *Memory) PutBlob(key string, data []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return ErrClosed
	}
	if old, ok := m.blobs[key]; ok && !bytes.Equal(old, data) {
		return fmt.Errorf("memory: %s: %w", key, ErrBlobDiffers)
	}
	m.blobs[key] = bytes.Clone(data)
	return nil
}

// Blob is Store.Blob.
func (m *Memory) Blob(key string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, ErrClosed
	}
	data, ok := m.blobs[key]
	if !ok {
		return nil, fmt.Errorf("memory: %s: %w", key, ErrBlob)
	}
	return bytes.Clone(data), nil
}

// Blobs is Store.Blobs.
func (m *Memory) Blobs(fn func(key string, data []byte) error) error {
	m.mu.Lock()
	blobs := maps.Clone(m.blobs)
	m.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(blobs)) {
		if err := fn(key, bytes.Clone(blobs[key])); err != nil {
			return err
		}
	}
	return nil
}

// Sync has nothing to do.
func (m *Memory) Sync() error { return m.closedErr() }

// Reopen has nothing to lift: no write fails.
func (m *Memory) Reopen() error { return m.closedErr() }

func (m *Memory) closedErr() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return ErrClosed
	}
	return nil
}

// Stats counts the entries.
func (m *Memory) Stats() Stats {
	m.mu.Lock()
	defer m.mu.Unlock()
	return Stats{Entries: m.count}
}

// Close ends it; what it held is gone with its last user.
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	return nil
}
