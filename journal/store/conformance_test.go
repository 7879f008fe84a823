package store_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"worlds/journal"
	"worlds/journal/store"
)

// kept is a journal, on disk or in memory.
type kept interface {
	Append(store.Record) (store.Ticket, error)
	Head(store.World) (store.Head, bool)
	Worlds() []store.World
	Scan(store.World, store.Incarnation, journal.Seq, journal.Seq, func(*journal.Entry) error) error
	Walk(store.World, store.Incarnation, journal.Seq, journal.Seq, func(*journal.Entry) error) error
	PutBlob(string, []byte) error
	Blob(string) ([]byte, error)
	Blobs(func(string, []byte) error) error
	Sync() error
	Reopen() error
	Close() error
}

// Random histories, right ones and wrong ones, come to the same on disk and in
// memory: the same answers, the same heads, the same entries.
func TestConformance(t *testing.T) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			opt := small
			opt.Durability = []store.Durability{store.Sync, store.Relaxed}[seed%2]
			dir := t.TempDir()
			disk, err := store.Open(dir, opt)
			if err != nil {
				t.Fatal(err)
			}
			a := &conforming{t: t, r: rand.New(rand.NewPCG(seed, 0)), both: [2]kept{disk, store.NewMemory()}}
			for n := range 300 {
				a.step()
				if n%100 == 99 { // the disk's forgets nothing in between
					if err := a.both[0].Close(); err != nil {
						t.Fatal(err)
					}
					if a.both[0], err = store.Open(dir, opt); err != nil {
						t.Fatal(err)
					}
				}
				if n%25 == 24 {
					a.compare()
				}
			}
			a.closed()
		})
	}
}

// conforming plays one history on both.
type conforming struct {
	t    *testing.T
	r    *rand.Rand
	both [2]kept
	used store.World
}

// reasons are the errors that mean something to who uses a journal.
var reasons = []error{store.ErrWorld, store.ErrIncarnation, store.ErrOrder, store.ErrTooLarge, store.ErrClosed, store.ErrBlob, store.ErrBlobDiffers}

func reason(err error) string {
	if err == nil {
		return ""
	}
	at := slices.IndexFunc(reasons, func(r error) bool { return errors.Is(err, r) })
	if at < 0 {
		return err.Error()
	}
	return reasons[at].Error()
}

// same does a thing on both and compares what comes of it.
func (a *conforming) same(what string, do func(kept) (string, error)) {
	a.t.Helper()
	one, err1 := do(a.both[0])
	two, err2 := do(a.both[1])
	if one != two || reason(err1) != reason(err2) {
		a.t.Fatalf("%s: on disk %.200s %v, in memory %.200s %v", what, one, err1, two, err2)
	}
}

func (a *conforming) step() {
	w := store.World(a.r.Uint64N(uint64(a.used) + 2))
	h, _ := a.both[1].Head(w)
	switch a.r.IntN(10) {
	case 0:
		a.blob()
		return
	case 1, 2:
		w = 0
		h, _ = a.both[1].Head(0)
	}
	r := record(w, h, a.r.IntN(200))
	if a.r.IntN(12) == 0 {
		r = record(w, h, 100<<10) // it is kept packed
	}
	r.Lazy = a.r.IntN(4) == 0
	r.Entry.Side = []byte(fmt.Sprint(a.r.Uint64()))
	switch a.r.IntN(12) {
	case 0:
		r.Entry.Seq += journal.Seq(a.r.IntN(3))
	case 1:
		r.Entry.Prev[3]++
	case 2:
		r.Inc += store.Incarnation(a.r.IntN(2))
	}
	if w == 0 && a.r.IntN(2) == 0 {
		r.Control = a.control()
		r.Lazy = false
	}
	a.same("append", func(k kept) (string, error) {
		ticket, err := k.Append(r)
		if err == nil {
			err = ticket.Wait()
		}
		return "", err
	})
}

// control is a change of the table of worlds; numbers are not used twice.
func (a *conforming) control() *store.Control {
	c := &store.Control{Op: store.ControlOp(1 + a.r.IntN(3)), World: store.World(a.r.Uint64N(uint64(a.used) + 2)), Inc: store.Incarnation(1 + a.r.IntN(4))}
	if c.Op == store.Create && a.r.IntN(4) > 0 {
		a.used++
		c.World = a.used
	} else if c.Op == store.Create {
		c.World = min(c.World, a.used)
		if _, ok := a.both[1].Head(c.World); !ok {
			c.World = 0
		}
	}
	return c
}

func (a *conforming) blob() {
	key, data := fmt.Sprint(a.r.IntN(4)), []byte(fmt.Sprint(a.r.IntN(2)))
	a.same("put blob", func(k kept) (string, error) { return "", k.PutBlob(key, data) })
	key = fmt.Sprint(a.r.IntN(5))
	a.same("blob", func(k kept) (string, error) { got, err := k.Blob(key); return string(got), err })
}

// compare compares all there is.
func (a *conforming) compare() {
	a.t.Helper()
	a.same("sync", func(k kept) (string, error) { return "", errors.Join(k.Sync(), k.Reopen()) })
	a.same("worlds", func(k kept) (string, error) { return fmt.Sprint(k.Worlds()), nil })
	a.same("blobs", func(k kept) (all string, err error) {
		err = k.Blobs(func(key string, data []byte) error { all += key + "=" + string(data) + " "; return nil })
		return all, err
	})
	for w := range a.used + 2 {
		a.same("head", func(k kept) (string, error) { h, ok := k.Head(w); return fmt.Sprint(h, ok), nil })
		inc := store.Incarnation(a.r.IntN(4))
		if h, ok := a.both[1].Head(w); ok && a.r.IntN(3) > 0 {
			inc = h.Inc
		}
		from, to := journal.Seq(a.r.IntN(5)), journal.Seq(a.r.IntN(20))
		a.same(fmt.Sprintf("scan of %d/%d from %d to %d", w, inc, from, to), func(k kept) (all string, err error) {
			err = k.Scan(w, inc, from, to, func(e *journal.Entry) error {
				all += fmt.Sprintln(e.Seq, e.Hash, len(e.Body), string(e.Side), journal.Link(e.Prev, e.Seq, e.Body) == e.Hash)
				return nil
			})
			return all, err
		})
		a.same(fmt.Sprintf("walk of %d/%d from %d to %d", w, inc, from, to), func(k kept) (all string, err error) {
			err = k.Walk(w, inc, from, to, func(e *journal.Entry) error {
				all += fmt.Sprintln(e.Seq, e.Hash, len(e.Body), string(e.Side), journal.Link(e.Prev, e.Seq, e.Body) == e.Hash)
				return nil
			})
			return all, err
		})
	}
}

func (a *conforming) closed() {
	for _, k := range a.both {
		if err := k.Close(); err != nil {
			a.t.Fatal(err)
		}
	}
	a.same("append to a closed one", func(k kept) (string, error) { _, err := k.Append(record(0, store.Head{}, 1)); return "", err })
	a.same("scan of a closed one", func(k kept) (string, error) { return "", k.Scan(0, 0, 1, 0, nil) })
	a.same("blob of a closed one", func(k kept) (string, error) { _, err := k.Blob("0"); return "", err })
}
