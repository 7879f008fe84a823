package store_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"worlds/journal"
	"worlds/journal/store"
)

var errDisk = errors.New("the disk says no")

// faults fails a point of a store's life while it is on.
type faults struct {
	point store.Point
	on    atomic.Bool
}

func (f *faults) hook(p store.Point) error {
	if p == f.point && f.on.Load() {
		return errDisk
	}
	return nil
}

// A write or a sync fails. Whether its bytes reached the file or not: everybody
// who waits hears of it, nothing is taken any more, the heads are those of what
// was acknowledged, and what failed is not there after a restart, nor after
// Reopen.
func TestFailedWrite(t *testing.T) {
	rows := []struct {
		name   string
		level  store.Durability
		point  store.Point
		reopen bool
	}{
		{"write fails, not persisted, then reopened", store.Sync, store.PointWrite, true},
		{"write fails, not persisted, then restarted", store.Sync, store.PointWrite, false},
		{"sync fails, persisted, then reopened", store.Sync, store.PointWritten, true},
		{"sync fails, persisted, then restarted", store.Sync, store.PointWritten, false},
		{"relaxed: write fails, then reopened", store.Relaxed, store.PointWrite, true},
		{"relaxed: write fails, then restarted", store.Relaxed, store.PointWrite, false},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			f := &faults{point: row.point}
			opt := small
			opt.Durability, opt.Hook = row.level, f.hook
			dir := t.TempDir()
			s := open(t, dir, opt)
			control(t, s, store.Create, 1, 1)
			control(t, s, store.Create, 2, 1)
			for range 5 {
				put(t, s, 1, 100)
				put(t, s, 2, 100)
			}
			f.on.Store(true)
			allFail(t, s)
			f.on.Store(false)
			if _, err := s.Append(next(t, s, 1, 100)); !errors.Is(err, store.ErrSealed) || !errors.Is(err, errDisk) {
				t.Fatalf("sealed: %v", err)
			}
			wantAcknowledged(t, s)
			if row.reopen {
				if err := s.Reopen(); err != nil {
					t.Fatal(err)
				}
				wantAcknowledged(t, s)
			} else {
				dir = crashCopy(t, dir)
				s = open(t, dir, opt)
				wantAcknowledged(t, s)
			}
			for w := range store.World(3) {
				put(t, s, w, 100)
			}
			control(t, s, store.Create, 3, 1)
			check(t, s)
			s = reopened(t, dir, opt)
			check(t, s)
			if h, _ := s.Head(1); h.Seq != 6 {
				t.Fatal(h)
			}
		})
	}
}

// A large entry, which is written ahead, fails at each step of its turn: it is away,
// what is before it stays, and the store goes on.
func TestFailedLargeEntry(t *testing.T) {
	for _, level := range []store.Durability{store.Sync, store.Relaxed} {
		for _, point := range []store.Point{store.PointSegment, store.PointWrite, store.PointWritten} {
			for _, reopen := range []bool{true, false} {
				if level == store.Relaxed && point == store.PointWritten {
					continue // any sync may be the first to fail
				}
				t.Run(fmt.Sprintf("%v/%s/%v", level, point, reopen), func(t *testing.T) {
					f := &faults{point: point}
					opt := small
					opt.Durability, opt.Hook = level, f.hook
					dir := t.TempDir()
					s := open(t, dir, opt)
					put(t, s, 0, 100)
					put(t, s, 0, 400<<10)
					f.on.Store(true)
					ticket := add(t, s, next(t, s, 0, 300<<10))
					behind, refused := s.Append(next(t, s, 0, 100)) // at once, if it is sealed already
					if refused == nil {
						refused = behind.Wait()
					}
					for _, err := range []error{ticket.Wait(), refused} {
						if !errors.Is(err, errDisk) || !errors.Is(err, store.ErrSealed) {
							t.Errorf("waiting: %v", err)
						}
					}
					f.on.Store(false)
					if reopen {
						if err := s.Reopen(); err != nil {
							t.Fatal(err)
						}
					} else {
						dir = crashCopy(t, dir)
						s = open(t, dir, opt)
					}
					if h, _ := s.Head(0); h.Seq != 2 {
						t.Fatalf("%+v", h)
					}
					put(t, s, 0, 300<<10)
					put(t, s, 0, 100)
					check(t, s)
					s = reopened(t, dir, opt)
					check(t, s)
					if h, _ := s.Head(0); h.Seq != 4 {
						t.Fatalf("%+v", h)
					}
				})
			}
		}
	}
}

// A batch may be settled by a seal in the moment in which its claimer gets the pen:
// the pen is not lost.
func TestSealedWhileThePenIsPassed(t *testing.T) {
	s := open(t, t.TempDir(), small)
	for range 100 { // a select takes either
		store.AwaitTurnOfSettled(s)
	}
	put(t, s, 0, 100)
}

// allFail appends three entries of one world, a reset of another, and a world
// that begins.
func allFail(t *testing.T, s *store.Store) {
	t.Helper()
	var tickets []store.Ticket
	for range 3 {
		tickets = append(tickets, add(t, s, next(t, s, 1, 100)))
	}
	for _, c := range []store.Control{{Op: store.Reset, World: 2, Inc: 2}, {Op: store.Create, World: 3, Inc: 1}} {
		r := next(t, s, 0, 10)
		r.Control = &c
		tickets = append(tickets, add(t, s, r))
	}
	tickets = append(tickets, add(t, s, next(t, s, 3, 10)))
	var wg sync.WaitGroup
	for _, ticket := range tickets {
		wg.Go(func() {
			if err := ticket.Wait(); !errors.Is(err, errDisk) || !errors.Is(err, store.ErrSealed) {
				t.Errorf("waiting: %v", err)
			}
		})
	}
	wg.Wait()
}

// crashCopy is what a crash of the process would leave.
func crashCopy(t *testing.T, dir string) string {
	t.Helper()
	files := folder(t, dir)
	dir = filepath.Join(t.TempDir(), "data")
	restore(t, dir, files)
	secondReaderAgrees(t, dir)
	return dir
}

func reopened(t *testing.T, dir string, opt store.Options) *store.Store {
	t.Helper()
	return open(t, crashCopy(t, dir), opt)
}

func wantAcknowledged(t *testing.T, s *store.Store) {
	t.Helper()
	if got := fmt.Sprint(s.Worlds()); got != "[0 1 2]" {
		t.Fatal(got)
	}
	for w, want := range map[store.World]store.Head{0: {Inc: 0, Seq: 2}, 1: {Inc: 1, Seq: 5}, 2: {Inc: 1, Seq: 5}} {
		if h, _ := s.Head(w); h.Inc != want.Inc || h.Seq != want.Seq {
			t.Fatalf("world %d: %+v, want %+v", w, h, want)
		}
	}
	check(t, s)
}

// The later sync of the relaxed level fails: what was answered stays, nothing
// more is taken.
func TestFailedLaterSync(t *testing.T) {
	f := &faults{point: store.PointWritten}
	opt := small
	opt.Durability, opt.Hook = store.Relaxed, f.hook
	dir := t.TempDir()
	s := open(t, dir, opt)
	for range 5 {
		put(t, s, 0, 100)
	}
	f.on.Store(true)
	put(t, s, 0, 100)
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(time.Millisecond) {
		if _, err := s.Append(store.Record{}); errors.Is(err, store.ErrSealed) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("never sealed")
		}
	}
	f.on.Store(false)
	for _, s := range []*store.Store{s, reopened(t, dir, opt)} {
		if h, _ := s.Head(0); h.Seq != 6 {
			t.Fatal(h.Seq)
		}
		check(t, s)
	}
	if err := s.Reopen(); err != nil {
		t.Fatal(err)
	}
	put(t, s, 0, 100)
	check(t, s)
	check(t, reopened(t, dir, opt))
}

// A new segment cannot be made.
func TestFailedSegment(t *testing.T) {
	f := &faults{point: store.PointSegment}
	opt := small
	opt.Hook = f.hook
	dir := t.TempDir()
	s := open(t, dir, opt)
	f.on.Store(true)
	var acked journal.Seq
	var err error
	for range 1000 {
		r := next(t, s, 0, 1000)
		var ticket store.Ticket
		if ticket, err = s.Append(r); err == nil {
			err = ticket.Wait()
		}
		if err != nil {
			break
		}
		acked = r.Entry.Seq
	}
	if !errors.Is(err, errDisk) {
		t.Fatal(err)
	}
	if err := s.Reopen(); !errors.Is(err, errDisk) {
		t.Fatal(err)
	}
	if h, _ := s.Head(0); h.Seq != acked {
		t.Fatal(h, acked)
	}
	f.on.Store(false)
	if err := s.Reopen(); err != nil {
		t.Fatal(err)
	}
	put(t, s, 0, 1000)
	check(t, s)
	check(t, reopened(t, dir, opt))
}

// The shelf takes nothing: entries stay in the tail and are read from there,
// until it is full; then nothing more is taken. When the shelf works again, all
// goes on.
func TestFailedShelf(t *testing.T) {
	f := &faults{point: store.PointShelve}
	opt := small
	opt.Hook, opt.ShelveLagBytes = f.hook, 256<<10
	dir := t.TempDir()
	s := open(t, dir, opt)
	f.on.Store(true)
	put(t, s, 0, 1000)
	if err := s.Shelve(); !errors.Is(err, errDisk) {
		t.Fatal(err)
	}
	var err error
	for range 1000 {
		var ticket store.Ticket
		if ticket, err = s.Append(next(t, s, 0, 1000)); err != nil {
			break
		}
		if err = ticket.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	if !errors.Is(err, store.ErrSealed) || !errors.Is(err, errDisk) {
		t.Fatal(err)
	}
	check(t, s)
	check(t, reopened(t, dir, small))
	f.on.Store(false)
	if err := s.Shelve(); err != nil {
		t.Fatal(err)
	}
	put(t, s, 0, 1000)
	check(t, s)
	if st := s.Stats(); st.TailBytes > 128<<10 {
		t.Fatalf("%+v", st)
	}
}

// Appends wait while the shelf lags, and go on when it has caught up.
func TestAppendWaitsForTheShelf(t *testing.T) {
	var slow atomic.Bool
	opt := small
	opt.ShelveLagBytes = 256 << 10
	opt.Hook = func(p store.Point) error {
		if p == store.PointShelve && slow.Load() {
			time.Sleep(30 * time.Millisecond)
		}
		return nil
	}
	s := open(t, t.TempDir(), opt)
	slow.Store(true)
	for range 2000 {
		put(t, s, 0, 1000)
		if st := s.Stats(); st.TailBytes > opt.ShelveLagBytes+8<<10 {
			t.Fatalf("%+v", st)
		}
	}
	check(t, s)
}

// A scan that runs while entries move to the shelf sees each once, in order;
// one of a world that is reset meanwhile ends with ErrIncarnation.
func TestScanWhileEverythingMoves(t *testing.T) {
	levels(t, func(t *testing.T, opt store.Options) {
		s := open(t, t.TempDir(), opt)
		control(t, s, store.Create, 1, 1)
		control(t, s, store.Create, 2, 1)
		stop := make(chan struct{})
		var wg sync.WaitGroup
		wg.Go(func() {
			for n := 1; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				put(t, s, 1, n%1500)
				put(t, s, 2, 1000)
				if n%300 == 0 {
					h, _ := s.Head(2)
					control(t, s, store.Reset, 2, h.Inc+1)
				}
			}
		})
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if err := s.Compact(); err != nil {
					t.Error(err)
				}
				time.Sleep(time.Millisecond)
			}
		})
		for until := time.Now().Add(2 * time.Second); time.Now().Before(until); {
			v := journal.NewVerifier(journal.Hash{}, 1)
			before, _ := s.Head(1)
			if err := s.Scan(1, 1, 1, 0, v.Next); err != nil {
				t.Fatal(err)
			}
			if seq, _ := v.Head(); seq < before.Seq {
				t.Fatalf("scanned to %d, appended before: %d", seq, before.Seq)
			}
			h, _ := s.Head(2)
			v = journal.NewVerifier(journal.Hash{}, 1)
			if err := s.Scan(2, h.Inc, 1, 0, v.Next); err != nil && !errors.Is(err, store.ErrIncarnation) {
				t.Fatal(err)
			}
		}
		close(stop)
		wg.Wait()
		check(t, s)
	})
}

// What a scan hands out is the caller's for good.
func TestScannedEntriesMayBeKept(t *testing.T) {
	s := open(t, t.TempDir(), small)
	var kept []*journal.Entry
	for round := range 3 {
		for range 100 {
			put(t, s, 0, 500)
		}
		if round < 2 {
			if err := s.Compact(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := s.Scan(0, 0, 1, 0, func(e *journal.Entry) error { kept = append(kept, e); return nil }); err != nil {
		t.Fatal(err)
	}
	for range 300 {
		put(t, s, 0, 500)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	v := journal.NewVerifier(journal.Hash{}, 1)
	for _, e := range kept {
		if err := v.Next(e); err != nil {
			t.Fatal(err)
		}
	}
	if len(kept) != 300 {
		t.Fatal(len(kept))
	}
}

// Lazy entries do not make anybody wait, and are written soon all the same.
func TestLazy(t *testing.T) {
	levels(t, func(t *testing.T, opt store.Options) {
		var held atomic.Bool
		gate := make(chan struct{})
		opt.Hook = func(p store.Point) error {
			if p == store.PointWrite && held.Load() {
				<-gate
			}
			return nil
		}
		s := open(t, t.TempDir(), opt)
		control(t, s, store.Create, 1, 1)
		put(t, s, 1, 10)
		held.Store(true)
		r := next(t, s, 1, 10)
		r.Lazy = true
		if err := add(t, s, r).Wait(); err != nil { // nothing is written: the gate is shut
			t.Fatal(err)
		}
		change := next(t, s, 1, 10)
		ticket := add(t, s, change)
		r = next(t, s, 1, 10)
		r.Lazy = true
		read := add(t, s, r)
		done := make(chan error, 1)
		go func() { done <- read.Wait() }()
		select {
		case err := <-done:
			t.Fatalf("a read was answered before the change that it saw was durable: %v", err)
		case <-time.After(20 * time.Millisecond):
		}
		close(gate)
		if err := errors.Join(<-done, ticket.Wait()); err != nil {
			t.Fatal(err)
		}
		held.Store(false)
		r = next(t, s, 1, 10)
		r.Lazy = true
		before := s.Stats().Entries
		add(t, s, r)
		for deadline := time.Now().Add(5 * time.Second); s.Stats().Entries == before; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("never written")
			}
		}
	})
}

// Append refuses what does not continue its world, and nothing changes.
func TestRefusedAppends(t *testing.T) {
	s := open(t, t.TempDir(), small)
	control(t, s, store.Create, 1, 5)
	put(t, s, 1, 10)
	rows := []struct {
		name   string
		change func(*store.Record)
		want   error
	}{
		{"no such world", func(r *store.Record) { r.World = 9 }, store.ErrWorld},
		{"an earlier incarnation", func(r *store.Record) { r.Inc = 4 }, store.ErrIncarnation},
		{"a later incarnation", func(r *store.Record) { r.Inc = 6 }, store.ErrIncarnation},
		{"a gap", func(r *store.Record) { r.Entry.Seq++ }, store.ErrOrder},
		{"again", func(r *store.Record) { r.Entry.Seq-- }, store.ErrOrder},
		{"another before", func(r *store.Record) { r.Entry.Prev[0]++ }, store.ErrOrder},
		{"control by a world", func(r *store.Record) { r.Control = &store.Control{Op: store.Create, World: 7} }, store.ErrWorld},
		{"too large", func(r *store.Record) { r.Entry.Side = make([]byte, store.EntryBytesMax) }, store.ErrTooLarge},
	}
	for _, row := range rows {
		r := next(t, s, 1, 10)
		row.change(&r)
		if _, err := s.Append(r); !errors.Is(err, row.want) {
			t.Errorf("%s: %v", row.name, err)
		}
	}
	controls := []struct {
		c    store.Control
		want error
	}{
		{store.Control{Op: store.Create, World: 1, Inc: 1}, store.ErrWorld},
		{store.Control{Op: store.Reset, World: 2, Inc: 1}, store.ErrWorld},
		{store.Control{Op: store.Drop, World: 2}, store.ErrWorld},
		{store.Control{Op: store.Reset, World: 1, Inc: 5}, store.ErrIncarnation},
		{store.Control{Op: store.Reset, World: 0, Inc: 5}, store.ErrWorld},
		{store.Control{Op: store.Drop, World: 0}, store.ErrWorld},
		{store.Control{World: 1}, store.ErrWorld},
	}
	for _, row := range controls {
		r := next(t, s, 0, 10)
		r.Control = &row.c
		if _, err := s.Append(r); !errors.Is(err, row.want) {
			t.Errorf("%+v: %v", row.c, err)
		}
	}
	put(t, s, 1, 10)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Append(store.Record{}); !errors.Is(err, store.ErrClosed) {
		t.Error(err)
	}
	if err := s.Scan(1, 5, 1, 0, nil); !errors.Is(err, store.ErrClosed) {
		t.Error(err)
	}
	if _, err := s.Blob("x"); !errors.Is(err, store.ErrClosed) {
		t.Error(err)
	}
}

// Appending costs few allocations, whatever the disk does.
func TestAppendAllocations(t *testing.T) {
	opt := store.Options{Durability: store.Relaxed}
	s := open(t, t.TempDir(), opt)
	r := next(t, s, 0, 1000)
	f := journal.Frame{At: 1, Command: r.Entry.Body, Reply: r.Entry.Body}
	body := make([]byte, 0, 8<<10)
	n := testing.AllocsPerRun(500, func() {
		body = f.AppendBody(body[:0])
		r.Entry.Body = body
		r.Entry.Hash[0]++
		ticket, err := s.Append(r)
		if err == nil {
			err = ticket.Wait()
		}
		if err != nil {
			t.Fatal(err)
		}
		r.Entry.Seq, r.Entry.Prev = r.Entry.Seq+1, r.Entry.Hash
	})
	const budget = 5
	if n > budget {
		t.Fatalf("%v allocations for an entry", n)
	}
}

func FuzzTail(f *testing.F) {
	dir := f.TempDir()
	s := open(f, dir, small)
	for i := range 10 {
		put(f, s, 0, 10*i)
	}
	var name string
	var data []byte
	for n, d := range folder(f, dir) {
		if len(spans(d)) > 0 && n > name {
			name, data = n, []byte(d)
		}
	}
	whole, err := store.ScanSegment(data)
	if err != nil || len(whole) != 11 {
		f.Fatal(err, len(whole))
	}
	f.Add(uint32(70), byte(1), uint32(len(data)))
	f.Add(uint32(400), byte(0x80), uint32(400))
	f.Fuzz(func(t *testing.T, at uint32, flip byte, size uint32) {
		changed := append([]byte(nil), data[:min(int(size), len(data))]...)
		if len(changed) > 0 {
			changed[int(at)%len(changed)] ^= flip
		}
		got, err := store.ScanSegment(changed)
		var damage *store.DamageError
		if err != nil && !errors.As(err, &damage) {
			t.Fatal(err)
		}
		if len(got) > len(whole) {
			t.Fatal("more batches than there were")
		}
		for i := range got {
			if got[i] != whole[i] {
				t.Fatalf("batch %d is another", i)
			}
		}
	})
}

func FuzzRecords(f *testing.F) {
	entry := journal.Entry{Seq: 1, Body: []byte("body"), Side: []byte("side")}
	f.Add(store.AppendRecords(), uint32(0))
	f.Add(store.AppendRecords(store.Record{World: 3, Inc: 1, Entry: entry}), uint32(1))
	f.Add(store.AppendRecords(store.Record{Entry: entry, Control: &store.Control{Op: store.Drop, World: 3}},
		store.Record{World: 1, Lazy: true, Entry: entry}), uint32(2))
	f.Fuzz(func(t *testing.T, body []byte, count uint32) {
		keys, ok := store.EachRecord(body, count)
		if ok && uint32(len(keys)) != count {
			t.Fatalf("%d records of %d", len(keys), count)
		}
	})
}
