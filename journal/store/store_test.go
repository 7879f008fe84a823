package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"worlds/journal"
	"worlds/journal/canon"
	"worlds/journal/store"
)

// small makes segments turn over quickly.
var small = store.Options{SegmentBytes: 64 << 10}

func open(t testing.TB, dir string, opt store.Options) *store.Store {
	t.Helper()
	s, err := store.Open(dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// frame returns the body of an entry with a reply of n bytes that differs from
// entry to entry. A large one cannot be packed.
func frame(seq journal.Seq, n int) []byte {
	reply := bytes.Repeat([]byte{'x'}, n+2)
	if n >= 64<<10 {
		noise := rand.New(rand.NewPCG(uint64(seq), uint64(n)))
		for i := range reply {
			reply[i] = "0123456789abcdef"[noise.Uint32()%16]
		}
	}
	reply[0], reply[n+1] = '"', '"'
	copy(reply[1:n+1], fmt.Sprint(seq))
	f := journal.Frame{At: int64(seq), Command: canon.Raw(`{"do":"it"}`), Reply: reply}
	return f.AppendBody(nil)
}

// next returns a record that continues w.
func next(t testing.TB, s *store.Store, w store.World, n int) store.Record {
	t.Helper()
	h, ok := s.Head(w)
	if !ok {
		t.Fatalf("world %d is not there", w)
	}
	body := frame(h.Seq+1, n)
	return store.Record{World: w, Inc: h.Inc, Entry: journal.Entry{
		Seq: h.Seq + 1, Prev: h.Hash, Hash: journal.Link(h.Hash, h.Seq+1, body), Body: body,
	}}
}

// put appends to w and waits.
func put(t testing.TB, s *store.Store, w store.World, n int) {
	t.Helper()
	if err := add(t, s, next(t, s, w, n)).Wait(); err != nil {
		t.Fatal(err)
	}
}

func add(t testing.TB, s *store.Store, r store.Record) store.Ticket {
	t.Helper()
	ticket, err := s.Append(r)
	if err != nil {
		t.Fatal(err)
	}
	return ticket
}

// control appends c in the server's own world.
func control(t testing.TB, s *store.Store, op store.ControlOp, w store.World, inc store.Incarnation) {
	t.Helper()
	r := next(t, s, 0, 10)
	r.Control = &store.Control{Op: op, World: w, Inc: inc}
	if err := add(t, s, r).Wait(); err != nil {
		t.Fatal(err)
	}
}

// check proves every chain from its first entry to the head.
func check(t testing.TB, s *store.Store) {
	t.Helper()
	for _, w := range s.Worlds() {
		h, _ := s.Head(w)
		v := journal.NewVerifier(journal.Hash{}, 1)
		if err := s.Scan(w, h.Inc, 1, 0, v.Next); err != nil {
			t.Fatalf("world %d: %v", w, err)
		}
		if seq, hash := v.Head(); seq != h.Seq || hash != h.Hash {
			t.Fatalf("world %d: scanned to %d, head is %d", w, seq, h.Seq)
		}
	}
}

func levels(t *testing.T, fn func(t *testing.T, opt store.Options)) {
	for name, d := range map[string]store.Durability{"sync": store.Sync, "relaxed": store.Relaxed} {
		t.Run(name, func(t *testing.T) {
			opt := small
			opt.Durability = d
			fn(t, opt)
		})
	}
}

func TestEntriesAreThereAfterReopening(t *testing.T) {
	levels(t, func(t *testing.T, opt store.Options) {
		dir := t.TempDir()
		s := open(t, dir, opt)
		control(t, s, store.Create, 7, 1)
		control(t, s, store.Create, 9, 1)
		for range 3 {
			for i := range 200 {
				put(t, s, 7, 100+i)
				put(t, s, 9, 300)
			}
			check(t, s)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			s = open(t, dir, opt)
			check(t, s)
		}
		if h, _ := s.Head(7); h.Seq != 600 {
			t.Fatalf("head is %d", h.Seq)
		}
	})
}

func TestManyWritersKeepTheirOrder(t *testing.T) {
	levels(t, func(t *testing.T, opt store.Options) {
		dir := t.TempDir()
		s := open(t, dir, opt)
		const worlds, entries = 20, 100
		for w := range worlds {
			control(t, s, store.Create, store.World(w+1), 1)
		}
		var wg sync.WaitGroup
		for w := range worlds {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(1, uint64(w)))
				for i := range entries {
					rec := next(t, s, store.World(w+1), r.IntN(3000))
					rec.Lazy = i%3 == 0
					ticket, err := s.Append(rec)
					if err == nil {
						err = ticket.Wait()
					}
					if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		check(t, s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		check(t, open(t, dir, opt))
	})
}

func TestSecondOpenerFailsSoonAndNamesThePath(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, small)
	put(t, s, 0, 10)
	start := time.Now()
	_, err := store.Open(dir, store.Options{LockTimeout: 200 * time.Millisecond})
	if !errors.Is(err, store.ErrLocked) || !bytes.Contains([]byte(err.Error()), []byte(dir)) {
		t.Fatal(err)
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Fatal(took)
	}
	put(t, s, 0, 10)
	check(t, s)
}

func TestOversizeEntry(t *testing.T) {
	levels(t, func(t *testing.T, opt store.Options) {
		dir := t.TempDir()
		s := open(t, dir, opt)
		for range 3 {
			put(t, s, 0, 1000)
			put(t, s, 0, 100<<10) // a segment of its own
			put(t, s, 0, 300<<10) // written ahead
			put(t, s, 0, 1000)
		}
		check(t, s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		check(t, open(t, dir, opt))
	})
}

func TestResetAndDrop(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, small)
	control(t, s, store.Create, 1, 1)
	control(t, s, store.Create, 2, 1)
	for range 600 {
		put(t, s, 1, 400)
		put(t, s, 2, 400)
	}
	if err := s.Shelve(); err != nil {
		t.Fatal(err)
	}
	control(t, s, store.Reset, 1, 2)
	control(t, s, store.Drop, 2, 0)
	if _, ok := s.Head(2); ok {
		t.Fatal("world 2 is there")
	}
	if err := s.Scan(1, 1, 1, 0, func(*journal.Entry) error { return nil }); !errors.Is(err, store.ErrIncarnation) {
		t.Fatal(err)
	}
	put(t, s, 1, 400)
	check(t, s)
	if err := s.Compact(); err != nil {
		t.Fatal(err)
	}
	if st := s.Stats(); st.Cleared != 1200 {
		t.Fatalf("%+v", st)
	}
	put(t, s, 1, 400)
	check(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir, small)
	check(t, s)
	if h, _ := s.Head(1); h.Seq != 2 || h.Inc != 2 {
		t.Fatalf("%+v", h)
	}
}

func TestBlobs(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, small)
	for range 2 {
		if err := s.PutBlob("a", []byte("one")); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.PutBlob("a", []byte("two")); !errors.Is(err, store.ErrBlobDiffers) {
		t.Fatal(err)
	}
	if _, err := s.Blob("b"); !errors.Is(err, store.ErrBlob) {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir, small)
	if b, err := s.Blob("a"); err != nil || string(b) != "one" {
		t.Fatal(b, err)
	}
}

// A reset world's entries go, so that the folder does not grow with rounds.
func TestFolderDoesNotGrowWithResets(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, store.Options{Durability: store.Relaxed, ShelveLagBytes: 8 << 20}) // shelved at once
	control(t, s, store.Create, 1, 1)
	var at10 int64
	for round := range 300 {
		for range 50 {
			put(t, s, 1, 1000)
		}
		control(t, s, store.Reset, 1, store.Incarnation(round+2))
		if round == 9 {
			for s.Stats().TailFileBytes < 3*store.SegmentBytesDefault { // the first ones are still being made
				time.Sleep(time.Millisecond)
			}
			at10 = folderBytes(t, dir)
		}
	}
	if err := s.Shelve(); err != nil { // what the keeper would do in its own time
		t.Fatal(err)
	}
	at300 := folderBytes(t, dir)
	if at300*2 > at10*3 {
		t.Fatalf("%d bytes after 10 rounds, %d after 300", at10, at300)
	}
	check(t, s)
	control(t, s, store.Create, 2, 1)
	for range 20000 {
		put(t, s, 2, 1000)
	}
	full := folderBytes(t, dir)
	control(t, s, store.Drop, 2, 0)
	if err := s.Compact(); err != nil {
		t.Fatal(err)
	}
	if after := folderBytes(t, dir); after > full-15<<20 || after > at10*3/2 {
		t.Fatalf("%d bytes after compacting, %d before", after, full)
	}
	check(t, s)
}

func folderBytes(t testing.TB, dir string) (sum int64) {
	t.Helper()
	err := filepath.Walk(dir, func(_ string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			sum += info.Size()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return sum
}
