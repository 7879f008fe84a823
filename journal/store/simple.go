package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"sync"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"worlds/journal"
)

// Store is the journal of one data folder. Its methods may be called from any
// goroutine.
type Store struct {
	opt    Options
	mu     sync.Mutex
	db     *bolt.DB
	heads  map[World]Head
	closed bool
}

// Ticket is the promise that a record becomes durable.
type Ticket struct{}

// Open opens or creates the journal in dir.
func Open(dir string, opt Options) (*Store, error) {
	if opt.LockTimeout == 0 {
		opt.LockTimeout = LockTimeoutDefault
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "journal.db")
	db, err := bolt.Open(path, 0o644, &bolt.Options{Timeout: opt.LockTimeout, FreelistType: bolt.FreelistMapType})
	if errors.Is(err, berrors.ErrTimeout) {
		return nil, fmt.Errorf("store: %s: %w", dir, ErrLocked)
	}
	if err != nil {
		return nil, err
	}
	s := &Store{opt: opt, db: db, heads: map[World]Head{0: {}}}
	err = db.Update(func(tx *bolt.Tx) error {
		for _, name := range []string{"entries", "worlds", "blobs"} {
			if _, err := tx.CreateBucketIfNotExists([]byte(name)); err != nil {
				return err
			}
		}
		return tx.Bucket([]byte("worlds")).ForEach(func(k, v []byte) error {
			var h Head
			h.Inc = Incarnation(binary.BigEndian.Uint64(v))
			h.Seq = journal.Seq(binary.BigEndian.Uint64(v[8:]))
			copy(h.Hash[:], v[16:])
			s.heads[World(binary.BigEndian.Uint64(k))] = h
			return nil
		})
	})
	return s, err
}

func simpleKey(w World, inc Incarnation, seq journal.Seq) []byte {
	k := binary.BigEndian.AppendUint64(nil, uint64(w))
	k = binary.BigEndian.AppendUint64(k, uint64(inc))
	return binary.BigEndian.AppendUint64(k, uint64(seq))
}

// Append puts r behind everything appended before.
func (s *Store) Append(r Record) (Ticket, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return Ticket{}, ErrClosed
	}
	h, ok := s.heads[r.World]
	if !ok {
		return Ticket{}, fmt.Errorf("store: world %d: %w", r.World, ErrWorld)
	}
	if h.Inc != r.Inc {
		return Ticket{}, fmt.Errorf("store: world %d: %w", r.World, ErrIncarnation)
	}
	if h.Seq != 0 && (r.Entry.Seq != h.Seq+1 || r.Entry.Prev != h.Hash) || r.Entry.Seq == 0 {
		return Ticket{}, fmt.Errorf("store: world %d entry %d: %w", r.World, r.Entry.Seq, ErrOrder)
	}
	return Ticket{}, s.db.Update(func(tx *bolt.Tx) error {
		v := append([]byte(nil), r.Entry.Prev[:]...)
		v = append(v, r.Entry.Hash[:]...)
		v = binary.BigEndian.AppendUint32(v, uint32(len(r.Entry.Side)))
		v = append(append(v, r.Entry.Side...), r.Entry.Body...)
		if err := tx.Bucket([]byte("entries")).Put(simpleKey(r.World, r.Inc, r.Entry.Seq), v); err != nil {
			return err
		}
		if err := s.putHead(tx, r.World, Head{r.Inc, r.Entry.Seq, r.Entry.Hash}); err != nil {
			return err
		}
		if c := r.Control; c != nil {
			if c.Op == Drop {
				delete(s.heads, c.World)
				return tx.Bucket([]byte("worlds")).Delete(binary.BigEndian.AppendUint64(nil, uint64(c.World)))
			}
			return s.putHead(tx, c.World, Head{Inc: c.Inc})
		}
		return nil
	})
}

func (s *Store) putHead(tx *bolt.Tx, w World, h Head) error {
	s.heads[w] = h
	v := binary.BigEndian.AppendUint64(nil, uint64(h.Inc))
	v = binary.BigEndian.AppendUint64(v, uint64(h.Seq))
	return tx.Bucket([]byte("worlds")).Put(binary.BigEndian.AppendUint64(nil, uint64(w)), append(v, h.Hash[:]...))
}

// Wait returns when the record is durable.
func (t Ticket) Wait() error { return nil }

// Head returns the last entry of w, durable or not.
func (s *Store) Head(w World) (Head, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, ok := s.heads[w]
	return h, ok
}

// Worlds returns the worlds there are, ascending, 0 included.
func (s *Store) Worlds() []World {
	s.mu.Lock()
	defer s.mu.Unlock()
	var ws []World
	for w := range s.heads {
		ws = append(ws, w)
	}
	sort.Slice(ws, func(i, j int) bool { return ws[i] < ws[j] })
	return ws
}

// Scan calls fn for the entries of w in [from, to]; to 0 is the head.
func (s *Store) Scan(w World, inc Incarnation, from, to journal.Seq, fn func(*journal.Entry) error) error {
	h, ok := s.Head(w)
	if !ok {
		return fmt.Errorf("store: world %d: %w", w, ErrWorld)
	}
	if h.Inc != inc {
		return fmt.Errorf("store: world %d: %w", w, ErrIncarnation)
	}
	if to == 0 || to > h.Seq {
		to = h.Seq
	}
	var all []journal.Entry
	err := s.db.View(func(tx *bolt.Tx) error {
		c := tx.Bucket([]byte("entries")).Cursor()
		end := simpleKey(w, inc, to)
		for k, v := c.Seek(simpleKey(w, inc, from)); k != nil && bytes.Compare(k, end) <= 0; k, v = c.Next() {
			v = bytes.Clone(v)
			e := journal.Entry{Seq: journal.Seq(binary.BigEndian.Uint64(k[16:]))}
			copy(e.Prev[:], v)
			copy(e.Hash[:], v[32:])
			n := binary.BigEndian.Uint32(v[64:])
			if n > 0 {
				e.Side = v[68 : 68+n]
			}
			e.Body = v[68+n:]
			all = append(all, e)
		}
		return nil
	})
	for i := range all {
		if err == nil {
			err = fn(&all[i])
		}
	}
	return err
}

// PutBlob keeps data under key, durable on return.
func (s *Store) PutBlob(key string, data []byte) error {
	return s.db.Update(func(tx *bolt.Tx) error {
		b := tx.Bucket([]byte("blobs"))
		if old := b.Get([]byte(key)); old != nil {
			if !bytes.Equal(old, data) {
				return fmt.Errorf("store: blob %q: %w", key, ErrBlobDiffers)
			}
			return nil
		}
		return b.Put([]byte(key), data)
	})
}

// Blob returns a copy of the data under key.
func (s *Store) Blob(key string) (data []byte, err error) {
	err = s.db.View(func(tx *bolt.Tx) error {
		v := tx.Bucket([]byte("blobs")).Get([]byte(key))
		if v == nil {
			return fmt.Errorf("store: blob %q: %w", key, ErrBlob)
		}
		data = bytes.Clone(v)
		return nil
	})
	return data, err
}

// Sync makes everything appended so far durable.
func (s *Store) Sync() error { return nil }

// Shelve moves the tail to the shelf.
func (s *Store) Shelve() error { return nil }

// Compact gives unused space back.
func (s *Store) Compact() error { return nil }

// Reopen lifts the seal.
func (s *Store) Reopen() error { return nil }

// Stats returns figures.
func (s *Store) Stats() Stats { return Stats{} }

// Close shelves and closes.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	return s.db.Close()
}
