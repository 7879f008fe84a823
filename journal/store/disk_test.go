package store_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"worlds/journal"
	"worlds/journal/store"
)

// sectorBytes is what a disk writes whole or not at all.
const sectorBytes = 512

// disk stands between a store and its tail's files, and fails as it is told. It
// knows what every sector that is not synced held before.
type disk struct {
	mu     sync.Mutex
	rand   *rand.Rand
	fault  fault
	sticky bool // the fault stays until it is taken away
	flip   bool // now and then a bit that is read is another
	old    map[uint64]map[int64][]byte
}

// fault is how a disk fails next.
type fault string

const (
	noWrite    fault = "nothing is written"
	shortWrite fault = "a part is written, then the disk is full"
	fullDisk   fault = "the disk is full"
	noSync     fault = "the sync fails"
	lostSync   fault = "the sync fails and some of what was written is lost"
)

var diskFaults = []fault{noWrite, shortWrite, fullDisk, noSync, lostSync}

func newDisk(seed uint64) *disk {
	return &disk{rand: rand.New(rand.NewPCG(seed, 7)), old: map[uint64]map[int64][]byte{}}
}

func (d *disk) set(f fault, sticky bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fault, d.sticky = f, sticky
}

// takes reports whether one of the faults is on, and takes it away unless it stays.
func (d *disk) takes(faults ...fault) fault {
	for _, f := range faults {
		if d.fault == f {
			if !d.sticky {
				d.fault = ""
			}
			return f
		}
	}
	return ""
}

func (d *disk) open(path string, flag int, perm os.FileMode) (store.File, error) {
	f, err := store.OpenDisk(path, flag, perm)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return &diskFile{f, d, info.Sys().(*syscall.Stat_t).Ino}, nil
}

// diskFile is a file on a disk; its number stays when it is renamed.
type diskFile struct {
	store.File
	disk   *disk
	number uint64
}

func (f *diskFile) WriteAt(b []byte, at int64) (int, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	n := len(b)
	var err error
	switch f.disk.takes(noWrite, shortWrite, fullDisk) {
	case noWrite:
		return 0, syscall.EIO
	case fullDisk:
		return 0, syscall.ENOSPC
	case shortWrite:
		n, err = f.disk.rand.IntN(n), syscall.ENOSPC
	}
	f.remember(at, int64(n))
	if wrote, e := f.File.WriteAt(b[:n], at); e != nil {
		return wrote, e
	}
	return n, err
}

// remember keeps what the sectors hold that are about to be written.
func (f *diskFile) remember(at, n int64) {
	old := f.disk.old[f.number]
	if old == nil {
		old = map[int64][]byte{}
		f.disk.old[f.number] = old
	}
	for sector := at / sectorBytes; sector*sectorBytes < at+n; sector++ {
		if old[sector] == nil {
			b := make([]byte, sectorBytes)
			_, _ = f.File.ReadAt(b, sector*sectorBytes) // behind the end it is zeros
			old[sector] = b
		}
	}
}

func (f *diskFile) SyncData() error { return f.sync(f.File.SyncData) }

func (f *diskFile) Sync() error { return f.sync(f.File.Sync) }

func (f *diskFile) sync(do func() error) error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	switch f.disk.takes(noSync, lostSync) {
	case noSync:
		return syscall.EIO
	case lostSync:
		for sector, b := range f.disk.old[f.number] {
			if f.disk.rand.IntN(2) == 0 {
				_, _ = f.File.WriteAt(b, sector*sectorBytes)
			}
		}
		delete(f.disk.old, f.number) // a second sync would find nothing to do
		return syscall.EIO
	}
	delete(f.disk.old, f.number)
	return do()
}

func (f *diskFile) Truncate(size int64) error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if f.disk.takes(noWrite, shortWrite, fullDisk) != "" {
		return syscall.EIO
	}
	return f.File.Truncate(size)
}

func (f *diskFile) ReadAt(b []byte, at int64) (int, error) {
	n, err := f.File.ReadAt(b, at)
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if f.disk.flip && n > 0 && f.disk.rand.IntN(5) == 0 {
		b[f.disk.rand.IntN(n)] ^= 1 << f.disk.rand.IntN(8)
	}
	return n, err
}

// powerCut takes from a copy of the folder some of what was never synced.
func (d *disk) powerCut(t *testing.T, from string) string {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	for {
		names := tailNames(t, from)
		to := filepath.Join(t.TempDir(), "data")
		if err := os.CopyFS(to, os.DirFS(from)); err != nil || !maps.Equal(names, tailNames(t, from)) {
			continue // a segment was renamed meanwhile
		}
		for name, number := range names {
			f, err := os.OpenFile(filepath.Join(to, "tail", name), os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			for sector, b := range d.old[number] {
				if d.rand.IntN(2) == 0 {
					if _, err := f.WriteAt(b, sector*sectorBytes); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		}
		return to
	}
}

// tailNames are the files of the tail and their numbers.
func tailNames(t *testing.T, dir string) map[string]uint64 {
	t.Helper()
	list, err := os.ReadDir(filepath.Join(dir, "tail"))
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]uint64{}
	for _, e := range list {
		if info, err := e.Info(); err == nil {
			names[e.Name()] = info.Sys().(*syscall.Stat_t).Ino
		}
	}
	return names
}

// book is what a test knows of a store: what was acknowledged and what failed.
type book struct {
	acked map[store.World]store.Head
	tried map[store.World]journal.Seq // the highest that was asked for
}

// write appends to several worlds at once and notes what came of it.
func (k *book) write(t *testing.T, s *store.Store, r *rand.Rand) (failed []error) {
	t.Helper()
	type asked struct {
		record store.Record
		ticket store.Ticket
	}
	var list []asked
	for _, w := range s.Worlds() {
		for range 1 + r.IntN(2) {
			record := next(t, s, w, r.IntN(4000))
			ticket, err := s.Append(record)
			if err != nil {
				failed = append(failed, err)
				continue
			}
			k.tried[w] = max(k.tried[w], record.Entry.Seq)
			list = append(list, asked{record, ticket})
		}
	}
	errs := make([]error, len(list))
	var waiting sync.WaitGroup
	for i, a := range list {
		waiting.Go(func() { errs[i] = a.ticket.Wait() })
	}
	waiting.Wait()
	for i, a := range list {
		if errs[i] != nil {
			failed = append(failed, errs[i])
			continue
		}
		w := a.record.World
		if a.record.Entry.Seq > k.acked[w].Seq {
			k.acked[w] = store.Head{Inc: a.record.Inc, Seq: a.record.Entry.Seq, Hash: a.record.Entry.Hash}
		}
	}
	return failed
}

// want checks that a store holds what was acknowledged and, exactly, nothing else.
func (k *book) want(t *testing.T, s *store.Store, exactly bool) {
	t.Helper()
	check(t, s)
	for w, acked := range k.acked {
		h, ok := s.Head(w)
		if !ok || h.Inc != acked.Inc || h.Seq < acked.Seq || exactly && h != acked || h.Seq > k.tried[w] {
			t.Fatalf("world %d: acknowledged %d, asked for %d, found %+v %v", w, acked.Seq, k.tried[w], h, ok)
		}
	}
}

// A disk fails in every way. Whoever waits hears of it; nothing is taken any more;
// the heads are those of what was acknowledged. After Reopen or a restart what was
// acknowledged is there, and what failed is not, unless the disk could not even be
// told to forget it.
func TestDiskFaults(t *testing.T) {
	for _, level := range []store.Durability{store.Sync, store.Relaxed} {
		for _, f := range diskFaults {
			if f == lostSync && level == store.Relaxed {
				continue // what is lost then was acknowledged before it was synced
			}
			for _, sticky := range []bool{false, true} {
				t.Run(fmt.Sprintf("%d/%s/%v", level, f, sticky), func(t *testing.T) {
					t.Parallel()
					for seed := range uint64(2) {
						diskFault(t, seed, level, f, sticky)
					}
				})
			}
		}
	}
}

func diskFault(t *testing.T, seed uint64, level store.Durability, f fault, sticky bool) {
	t.Helper()
	d := newDisk(seed)
	r := rand.New(rand.NewPCG(seed, 8)) // the disk's own is the files' to use
	opt := small
	opt.Durability, opt.OpenFile = level, d.open
	dir := t.TempDir()
	s := open(t, dir, opt)
	k := &book{acked: map[store.World]store.Head{}, tried: map[store.World]journal.Seq{}}
	control(t, s, store.Create, 1, 1)
	control(t, s, store.Create, 2, 1)
	k.tried[0] = 2
	for round := range 4 {
		for range r.IntN(20) {
			if failed := k.write(t, s, r); failed != nil {
				t.Fatal(failed)
			}
		}
		var failed []error
		for n := 0; len(failed) == 0; n++ {
			if n == 1000 {
				t.Fatalf("seed %d: nothing failed", seed)
			}
			d.set(f, sticky) // again, if a segment that was made ahead has taken it
			failed = k.write(t, s, r)
		}
		for _, err := range failed {
			if !errors.Is(err, store.ErrSealed) || !errors.Is(err, syscall.EIO) && !errors.Is(err, syscall.ENOSPC) {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		if _, err := s.Append(next(t, s, 1, 1)); !errors.Is(err, store.ErrSealed) {
			t.Fatalf("seed %d: a sealed store took an entry: %v", seed, err)
		}
		k.want(t, s, true)
		left := open(t, crashCopy(t, dir), small)
		k.want(t, left, !sticky && level == store.Sync)
		d.set("", false)
		if round%2 == 0 {
			if err := s.Reopen(); err != nil {
				t.Fatal(err)
			}
			k.want(t, s, true)
			continue
		}
		_ = s.Close() // it may fail, being sealed
		dir = crashCopy(t, dir)
		s = open(t, dir, opt)
		k.want(t, s, !sticky && level == store.Sync)
		for _, w := range s.Worlds() {
			k.acked[w], _ = s.Head(w)
		}
	}
}

// A large entry that the disk does not take fails alone: the world is where it was,
// the others never hear of it, and nothing of it comes back.
func TestLargeEntryFailsAlone(t *testing.T) {
	for _, f := range diskFaults {
		t.Run(string(f), func(t *testing.T) {
			d := newDisk(1)
			opt := small
			opt.OpenFile = func(path string, flag int, perm os.FileMode) (store.File, error) {
				if strings.HasPrefix(filepath.Base(path), "ahead-") {
					return d.open(path, flag, perm)
				}
				return store.OpenDisk(path, flag, perm)
			}
			dir := t.TempDir()
			s := open(t, dir, opt)
			control(t, s, store.Create, 1, 1)
			put(t, s, 1, 100)
			lost := next(t, s, 1, 300<<10)
			d.set(f, false)
			if _, err := s.Append(lost); !errors.Is(err, store.ErrUnwritten) || errors.Is(err, store.ErrSealed) {
				t.Fatalf("%v", err)
			}
			d.set("", false)
			if h, _ := s.Head(1); h.Seq != 1 {
				t.Fatalf("%+v", h)
			}
			put(t, s, 0, 100)
			put(t, s, 1, 200) // in its place
			put(t, s, 1, 300<<10)
			check(t, s)
			s = reopened(t, dir, opt)
			check(t, s)
			if h, _ := s.Head(1); h.Seq != 3 {
				t.Fatalf("%+v", h)
			}
		})
	}
}

// Many large entries at once: they wait for one another, and all of them get there.
func TestManyLargeEntries(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, small)
	const worlds = 8
	for w := range store.World(worlds) {
		control(t, s, store.Create, w+1, 1)
	}
	var writing sync.WaitGroup
	for w := range store.World(worlds) {
		record := next(t, s, w+1, 300<<10)
		writing.Go(func() {
			ticket, err := s.Append(record)
			if err == nil {
				err = ticket.Wait()
			}
			if err != nil {
				t.Errorf("world %d: %v", record.World, err)
			}
		})
	}
	writing.Wait()
	s = reopened(t, dir, small)
	check(t, s)
	for w := range store.World(worlds) {
		if h, _ := s.Head(w + 1); h.Seq != 1 {
			t.Errorf("world %d: %+v", w+1, h)
		}
	}
}

// The power is cut at any moment: of what was not synced any sector may be lost.
// What was acknowledged as synced is there, and the rest whole or not at all.
func TestPowerCut(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			d := newDisk(seed)
			var shelf sync.Mutex // held while the shelf commits: bbolt answers for itself
			opt := small
			opt.OpenFile = d.open
			opt.Hook = func(p store.Point) error {
				switch p {
				case store.PointShelve:
					shelf.Lock()
				case store.PointShelved:
					shelf.Unlock()
				}
				return nil
			}
			dir := t.TempDir()
			s := open(t, dir, opt)
			control(t, s, store.Create, 1, 1)
			control(t, s, store.Create, 2, 1)
			k := &book{acked: map[store.World]store.Head{}, tried: map[store.World]journal.Seq{0: 2}}
			stop := make(chan struct{})
			var mu sync.Mutex
			var working sync.WaitGroup
			working.Go(func() {
				r := rand.New(rand.NewPCG(seed, 9))
				for {
					select {
					case <-stop:
						return
					default:
					}
					mu.Lock()
					k.write(t, s, r)
					mu.Unlock()
				}
			})
			for range 6 {
				mu.Lock()
				acked := maps.Clone(k.acked)
				mu.Unlock()
				shelf.Lock()
				cut := d.powerCut(t, dir)
				shelf.Unlock()
				after := heads(s)
				left := open(t, cut, small)
				check(t, left)
				for w, a := range acked {
					h, ok := left.Head(w)
					if !ok || h.Seq < a.Seq || h.Seq > after[w].Seq {
						t.Errorf("world %d: acknowledged %d, found %+v, the store was at %d", w, a.Seq, h, after[w].Seq)
					}
				}
			}
			close(stop)
			working.Wait()
		})
	}
}

func heads(s *store.Store) map[store.World]store.Head {
	found := map[store.World]store.Head{}
	for _, w := range s.Worlds() {
		found[w], _ = s.Head(w)
	}
	return found
}

// Bits are other ones when they are read. Whoever opens or reads gets what was
// written, or hears of damage; only the last batch can be taken for a torn one.
func TestFlippedReads(t *testing.T) {
	d := newDisk(1)
	opt := small
	opt.OpenFile = d.open
	dir := t.TempDir()
	s := open(t, dir, opt)
	control(t, s, store.Create, 1, 1)
	for n := range 60 {
		put(t, s, 1, 20*n)
	}
	want, _ := s.Head(1)
	d.flip = true
	seen := map[bool]int{}
	for range 60 {
		v := journal.NewVerifier(journal.Hash{}, 1)
		err := s.Scan(1, 1, 1, 0, v.Next)
		seq, hash := v.Head()
		seen[err == nil]++
		var damage *store.DamageError
		if err == nil && (seq != want.Seq || hash != want.Hash) || err != nil && !errors.As(err, &damage) {
			t.Fatalf("scanned to %d: %v", seq, err)
		}
	}
	d.flip = false
	files := crashCopy(t, dir)
	for seed := range uint64(60) {
		d := newDisk(seed)
		d.flip = true
		opt.OpenFile = d.open
		s, err := store.Open(copyOf(t, files), opt)
		seen[err == nil]++
		var damage *store.DamageError
		if err != nil {
			if !errors.As(err, &damage) {
				t.Fatalf("seed %d: %v", seed, err)
			}
			continue
		}
		d.mu.Lock()
		d.flip = false
		d.mu.Unlock()
		// The very last batch, which none after it vouches for, passes for a torn end.
		if h, _ := s.Head(1); h != want && h.Seq != want.Seq-1 {
			t.Fatalf("seed %d: %+v, not %+v", seed, h, want)
		}
		check(t, s)
		_ = s.Close()
	}
	if seen[true] == 0 || seen[false] == 0 {
		t.Error(seen)
	}
}

func copyOf(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "data")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}
