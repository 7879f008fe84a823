package world_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"worlds/journal/store"
	"worlds/twin/world"
)

// brake stops the next batch before it is written, until it is told how that ends.
type brake struct {
	on      atomic.Bool
	arrived chan struct{}
	end     chan error
}

func newBrake() *brake { return &brake{arrived: make(chan struct{}), end: make(chan error)} }

func (b *brake) hook(p store.Point) error {
	if p == store.PointWrite && b.on.CompareAndSwap(true, false) {
		close(b.arrived)
		return <-b.end
	}
	return nil
}

// A request is decided on the change of another, whose write then fails; the
// journal is open again before the request reaches it. It must not be appended:
// it builds on what never was.
func TestDecidedBeforeTheSealAppendedAfter(t *testing.T) {
	for _, held := range []world.Request{
		request("POST", "/v1/customers", "name=held", ""),
		request("GET", "/v1/customers", "", ""),
	} {
		t.Run(held.Command.Method, func(t *testing.T) {
			b := newBrake()
			s := &stop{arrived: make(chan struct{}), let: make(chan struct{})}
			r := newRig(t, "empty", func(r *rig) {
				r.store.Hook = b.hook
				r.hook = func(_ context.Context, at *world.Passing) error {
					if at.Point == world.Decided && at.Command.Method == held.Command.Method && at.Command.Body == held.Command.Body {
						close(s.arrived)
						<-s.let
					}
					return nil
				}
			})
			world.SetWaits(r.host, time.Second, 0)
			b.on.Store(true)
			first := send(r, request("POST", "/v1/customers", "name=first", ""))
			<-b.arrived
			second := send(r, held)
			<-s.arrived
			b.end <- errFull
			if err := <-first; !errors.Is(err, world.ErrJournal) {
				t.Fatalf("the request whose write failed: %v", err)
			}
			if err := r.host.Ready(); err != nil {
				t.Fatalf("the journal is not open again: %v", err)
			}
			close(s.let)
			if err := <-second; !errors.Is(err, world.ErrJournal) {
				t.Errorf("the request that was decided on it: %v", err)
			}
			r.ok("POST", "/v1/customers", "name=later", "")
			if got := r.names(); got != "later" {
				t.Errorf("the world has %q", got)
			}
			r.replay()
			r.restart()
			r.replay()
		})
	}
}

// The reads of one world are lost when a write of another fails; when the journal
// is open again the world knows, and refuses nobody.
func TestOtherWorldsLoadAgain(t *testing.T) {
	r, d := faulty(t, store.PointWrite, store.Sync)
	r.ok("POST", "/v1/customers", "name=a", "")
	d.full.Store(true)
	for range 3 {
		r.do("GET", "/v1/customers", "", "")
	}
	if err := r.host.Create(2, admin("create", 2)); !errors.Is(err, world.ErrJournal) {
		t.Fatal(err)
	}
	d.full.Store(false)
	if err := r.host.Create(2, admin("create", 2)); !errors.Is(err, world.ErrJournal) {
		t.Fatal(err) // it met the seal
	}
	r.ok("POST", "/v1/customers", "name=b", "")
	r.replay()
}

// A request that outlived the wait stands at the lock when the reset lets it go:
// it finds another life.
func TestResetFencesWhoWaitsAtItsLock(t *testing.T) {
	b := newBrake()
	s := newStop(world.Produced, "name=held")
	r := newRig(t, "empty", func(r *rig) { r.store.Hook, r.hook = b.hook, s.hook })
	world.SetWaits(r.host, time.Millisecond, time.Hour)
	held := send(r, request("POST", "/v1/customers", "name=held", ""))
	<-s.arrived
	b.on.Store(true)
	reset := make(chan error, 1)
	go func() { reset <- r.world.Reset(context.Background(), world.Plainly(admin("reset", 1))) }()
	<-b.arrived // the reset has the lock and waits for the disk
	close(s.let)
	time.Sleep(5 * time.Millisecond) // the request comes to the lock
	b.end <- nil
	if err := <-reset; err != nil {
		t.Fatal(err)
	}
	if err := <-held; !errors.Is(err, world.ErrReset) {
		t.Errorf("the request at the lock: %v", err)
	}
	if v := r.view(); v.Seq != 0 || v.Inc != 2 {
		t.Errorf("the reset world stands at %d in life %d", v.Seq, v.Inc)
	}
}
