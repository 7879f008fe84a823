package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"worlds/journal"
	"worlds/journal/store"
)

const benchBody = 1000

// BenchmarkAppend measures durable entries of 1 KiB, each world a client that
// waits for each. Beside it, in the same run and interleaved with it, stand a
// bare write and fdatasync of the same bytes over a prewritten file, and a
// plain log that groups what waits: the most that a disk allows. Only the
// ratios mean anything on another machine.
func BenchmarkAppend(b *testing.B) {
	for i, level := range []store.Durability{store.Sync, store.Relaxed} {
		for _, worlds := range []int{1, 10, 100, 1000} {
			b.Run(fmt.Sprintf("%s/worlds=%d", []string{"sync", "relaxed"}[i], worlds), func(b *testing.B) {
				benchAppend(b, level, worlds)
			})
		}
	}
}

func benchAppend(b *testing.B, level store.Durability, worlds int) {
	s := open(b, b.TempDir(), store.Options{Durability: level})
	for w := range worlds {
		control(b, s, store.Create, store.World(w+1), 1)
	}
	bare := newBareLog(b, level == store.Sync)
	records := make([]store.Record, worlds)
	for w := range records {
		records[w] = next(b, s, store.World(w+1), benchBody)
	}
	b.ResetTimer()
	var ours, group, single time.Duration
	const rounds = 8
	slice := max(b.N/rounds, worlds)
	done := 0
	for done < b.N {
		ours += drive(b, worlds, slice, func(w int) error {
			r := &records[w]
			t, err := s.Append(*r)
			r.Entry.Seq++
			r.Entry.Prev = r.Entry.Hash
			r.Entry.Hash[0]++ // not the price of hashing, which callers pay
			if err != nil {
				return err
			}
			return t.Wait()
		})
		group += drive(b, worlds, slice, func(w int) error { return bare.append(records[w].Entry.Body) })
		if worlds == 1 {
			single += drive(b, 1, slice, func(int) error { return bare.single(records[0].Entry.Body) })
		}
		done += slice
	}
	b.StopTimer()
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(done)/ours.Seconds(), "entries/s")
	b.ReportMetric(group.Seconds()/ours.Seconds(), "x-plain-log")
	if worlds == 1 {
		b.ReportMetric(ours.Seconds()/single.Seconds(), "x-bare-sync-time")
	}
}

// drive makes n calls, shared out to clients, and returns how long they took.
func drive(b *testing.B, clients, n int, call func(client int) error) time.Duration {
	var left atomic.Int64
	left.Store(int64(n))
	var wg sync.WaitGroup
	start := time.Now()
	for c := range clients {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				if err := call(c); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	return time.Since(start)
}

// bareLog is a plain log over prewritten files, with leader and followers.
type bareLog struct {
	files [2]*os.File
	sync  bool
	mu    sync.Mutex
	next  *bareBatch
	busy  bool
	at    int64
	alone int64
}

type bareBatch struct {
	buf  []byte
	led  bool
	turn chan struct{}
	done chan struct{}
	err  error
}

const bareBytes = 16 << 20

func newBareLog(b *testing.B, sync bool) *bareLog {
	l := &bareLog{sync: sync}
	for i := range l.files {
		f, err := os.Create(filepath.Join(b.TempDir(), fmt.Sprint(i)))
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = f.Close() })
		for at := int64(0); at < bareBytes; at += 1 << 20 {
			if _, err := f.WriteAt(make([]byte, 1<<20), at); err != nil {
				b.Fatal(err)
			}
		}
		if err := f.Sync(); err != nil {
			b.Fatal(err)
		}
		l.files[i] = f
	}
	return l
}

func (l *bareLog) write(f *os.File, at *int64, b []byte) error {
	if *at+int64(len(b)) > bareBytes {
		*at = 0
	}
	_, err := f.WriteAt(b, *at)
	*at += int64(len(b))
	if err == nil && l.sync {
		err = store.SyncData(f)
	}
	return err
}

func (l *bareLog) single(b []byte) error { return l.write(l.files[0], &l.alone, b) }

func (l *bareLog) append(body []byte) error {
	l.mu.Lock()
	if l.next == nil {
		l.next = &bareBatch{done: make(chan struct{}), turn: make(chan struct{}, 1)}
	}
	b := l.next
	b.buf = append(b.buf, body...)
	if b.led {
		l.mu.Unlock()
		<-b.done
		return b.err
	}
	b.led = true
	if l.busy {
		l.mu.Unlock()
		<-b.turn
		l.mu.Lock()
	}
	l.busy = true
	l.next = nil
	l.mu.Unlock()
	b.err = l.write(l.files[1], &l.at, b.buf)
	close(b.done)
	l.mu.Lock()
	if l.next != nil {
		l.next.turn <- struct{}{}
	} else {
		l.busy = false
	}
	l.mu.Unlock()
	return b.err
}

// BenchmarkScan reads a world, from the shelf and from the tail.
func BenchmarkScan(b *testing.B) {
	for _, where := range []string{"shelf", "tail"} {
		b.Run(where, func(b *testing.B) {
			s := filled(b, where, 20000)
			b.ResetTimer()
			n := 0
			for n < b.N {
				if err := s.Scan(0, 0, 1, 0, func(*journal.Entry) error { n++; return nil }); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// filled is a store with a world of so many entries, all on the shelf or in the tail.
func filled(t testing.TB, where string, entries int) *store.Store {
	t.Helper()
	s := open(t, t.TempDir(), store.Options{Durability: store.Relaxed, SegmentBytes: 64 << 20})
	for range entries {
		put(t, s, 0, benchBody)
	}
	if where == "shelf" {
		if err := s.Shelve(); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// A walk reads into the same memory again and again.
func TestWalkBudget(t *testing.T) {
	for _, where := range []string{"shelf", "tail"} {
		const entries = 5000
		s := filled(t, where, entries)
		got := testing.AllocsPerRun(3, func() {
			if err := s.Walk(0, 0, 1, 0, func(*journal.Entry) error { return nil }); err != nil {
				t.Fatal(err)
			}
		})
		if got /= entries; got > .1 {
			t.Errorf("%s: %.3f allocations an entry, the budget is 0.1", where, got)
		}
	}
}
