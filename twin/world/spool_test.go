package world_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"worlds/journal"
	"worlds/journal/store"
	"worlds/twin"
	"worlds/twin/world"
)

const yearSeconds = 365 * 86400

// advanceBy is the admin operation that moves the clock.
func advanceBy(seconds int64) world.Request {
	return world.Request{Command: twin.Command{Actor: "admin", API: "admin", Op: "advance", Args: twin.AdvanceBy(seconds)}}
}

// TestLongAdvance: an entry that was made in pieces is the one that is made at once:
// its body, its hash, its facts decided again and folded again.
func TestLongAdvance(t *testing.T) {
	r := newRig(t, "saas-billing-small", nil)
	r.ok("POST", "/v1/customers", "name=Ann", "k")
	a := r.send(advanceBy(yearSeconds))
	if a.Status != 200 || a.Spilled == 0 {
		t.Fatalf("%d, %d facts came in pieces: %s", a.Status, a.Spilled, a.Body)
	}
	r.ok("POST", "/v1/customers", "name=Ben", "k2")
	want := r.end()
	err := r.world.Entries(context.Background(), a.Seq, a.Seq, func(e *journal.Entry) error {
		f, err := journal.ParseBody(e.Body)
		if err != nil {
			return err
		}
		if len(f.Facts) != a.Spilled+len(a.Facts) || f.At != a.Now && a.Now != 0 || !bytes.Equal(f.Reply, a.Reply) {
			t.Errorf("%d facts, at %d: %s", len(f.Facts), f.At, f.Reply)
		}
		f.Format = 0
		if again := f.AppendBody(nil); !bytes.Equal(again, e.Body) || journal.Link(e.Prev, e.Seq, again) != e.Hash {
			t.Errorf("made at once, the body is another")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	r.replay()
	r.restart()
	if got := r.end(); got != want {
		t.Errorf("after a restart: %s, want %s", got, want)
	}
}

// TestLongAdvanceGivenUp: an advance that is given up after some of it has been
// made leaves nothing, and the next one is as if it had never been.
func TestLongAdvanceGivenUp(t *testing.T) {
	fresh := newRig(t, "saas-billing-small", nil)
	fresh.send(advanceBy(yearSeconds))
	want := fresh.end()

	r := newRig(t, "saas-billing-small", nil)
	before := r.end()
	ctx, cancel := context.WithCancel(context.Background())
	long := advanceBy(yearSeconds)
	long.Progress = func(int64, int64) { cancel() }
	if a, err := r.world.Do(ctx, long); !errors.Is(err, context.Canceled) {
		t.Fatalf("%v %v", a, err)
	}
	if got := r.end(); got != before {
		t.Errorf("given up, it left %s, want %s", got, before)
	}
	if a := r.send(world.Request{Command: twin.Command{Actor: "admin", API: "admin", Op: "advance", Args: twin.AdvanceTo(1)}}); a.Status != 409 {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	r.send(advanceBy(yearSeconds))
	if got := r.end(); got != want {
		t.Errorf("the next one comes to %s, want %s", got, want)
	}
}

// TestLongAdvanceUnwritten: an advance whose entry the disk does not take leaves
// nothing behind, not in memory either, and nobody else hears of it.
func TestLongAdvanceUnwritten(t *testing.T) {
	fresh := newRig(t, "saas-billing-small", nil)
	fresh.send(advanceBy(10 * yearSeconds))
	want := fresh.end()

	var full atomic.Bool
	r := newRig(t, "saas-billing-small", func(r *rig) {
		r.store.OpenFile = func(path string, flag int, perm os.FileMode) (store.File, error) {
			if full.Load() && strings.HasPrefix(filepath.Base(path), "ahead-") {
				return nil, errFull
			}
			return store.OpenDisk(path, flag, perm)
		}
	})
	before := r.end()
	full.Store(true)
	if a, err := r.world.Do(context.Background(), advanceBy(10*yearSeconds)); !errors.Is(err, errFull) || !errors.Is(err, world.ErrJournal) {
		t.Fatalf("%v %v", a, err)
	}
	if err := r.host.Create(2, admin("create", 2)); err != nil {
		t.Fatal(err)
	}
	r.on(r.attach(2)).ok("POST", "/v1/customers", "name=Ann", "k")
	if got := r.end(); got != before {
		t.Errorf("unwritten, it left %s, want %s", got, before)
	}
	full.Store(false)
	r.send(advanceBy(10 * yearSeconds))
	if got := r.end(); got != want {
		t.Errorf("the next one comes to %s, want %s", got, want)
	}
	r.replay()
}
