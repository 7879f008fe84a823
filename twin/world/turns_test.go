package world_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"worlds/twin/world"
)

// observed is a context that tells when somebody begins to wait for its end.
type observed struct {
	context.Context
	on      atomic.Bool
	waiting chan struct{}
}

func observe(ctx context.Context) *observed {
	return &observed{Context: ctx, waiting: make(chan struct{}, 1)}
}

// Done implements context.Context.
func (o *observed) Done() <-chan struct{} {
	if o.on.Load() {
		select {
		case o.waiting <- struct{}{}:
		default:
		}
	}
	return o.Context.Done()
}

// waitsItsTurn begins a long advance that has to wait, and returns once it does.
func waitsItsTurn(t *testing.T, r *rig, ctx context.Context) (done chan error) {
	t.Helper()
	o := observe(ctx)
	long := advanceBy(10 * yearSeconds)
	long.Progress = func(int64, int64) { o.on.Store(true) }
	done = make(chan error, 1)
	go func() {
		_, err := r.world.Do(o, long)
		done <- err
	}()
	select {
	case <-o.waiting:
	case err := <-done:
		t.Fatalf("it did not wait: %v", err)
	}
	return done
}

// TestLongAdvanceWaits: only so many long advances are decided at a time. One that
// waits holds up no other world, can be given up, and then comes to what it would
// have come to at once.
func TestLongAdvanceWaits(t *testing.T) {
	fresh := newRig(t, "saas-billing-small", nil)
	fresh.send(advanceBy(10 * yearSeconds))
	want := fresh.end()

	r := newRig(t, "saas-billing-small", nil)
	before := r.end()
	if err := r.host.Create(2, admin("create", 2)); err != nil {
		t.Fatal(err)
	}
	other := r.on(r.attach(2))
	giveBack := world.HoldTurns(r.host)

	ctx, cancel := context.WithCancel(context.Background())
	done := waitsItsTurn(t, r, ctx)
	other.ok("POST", "/v1/customers", "name=Ann", "k")
	other.send(advanceBy(86400))
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
	if got := r.end(); got != before {
		t.Errorf("given up, it left %s, want %s", got, before)
	}

	done = waitsItsTurn(t, r, context.Background())
	giveBack()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if got := r.end(); got != want {
		t.Errorf("after its turn %s, want %s", got, want)
	}
	r.replay()
}

// TestResetEndsAWaitingAdvance: an advance that waits for its turn does not outlive
// a reset of its world.
func TestResetEndsAWaitingAdvance(t *testing.T) {
	r := newRig(t, "saas-billing-small", nil)
	before := r.end()
	world.SetWaits(r.host, time.Millisecond, time.Hour)
	defer world.HoldTurns(r.host)()
	done := waitsItsTurn(t, r, context.Background())
	r.reset()
	if err := <-done; !errors.Is(err, world.ErrReset) {
		t.Errorf("%v", err)
	}
	if got := r.end(); got != before {
		t.Errorf("it left %s, want %s", got, before)
	}
}
