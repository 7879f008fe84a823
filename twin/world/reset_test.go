package world_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"worlds/twin/world"
)

// stop is a hook that holds one request at one point until it is let go.
type stop struct {
	point   world.Point
	form    string // of the request that is held
	arrived chan struct{}
	let     chan struct{}
}

func newStop(p world.Point, form string) *stop {
	return &stop{point: p, form: form, arrived: make(chan struct{}), let: make(chan struct{})}
}

func (s *stop) hook(_ context.Context, at *world.Passing) error {
	if at.Point == s.point && at.Command.Body == s.form {
		close(s.arrived)
		<-s.let
	}
	return nil
}

// send sends a request in the background.
func send(r *rig, req world.Request) chan error {
	done := make(chan error, 1)
	go func() {
		a, err := r.world.Do(context.Background(), req)
		if err == nil && a.Status != 200 {
			err = fmt.Errorf("%d %s", a.Status, a.Body)
		}
		done <- err
	}()
	return done
}

func TestResetEqualsAFreshWorld(t *testing.T) {
	r := newRig(t, "saas-billing-small", nil)
	fresh := r.end()
	script := func() string {
		r.ok("POST", "/v1/customers", "name=Ann", "k")
		r.ok("POST", "/v1/refunds", "charge="+charge(t, r), "k2")
		r.send(mark("m"))
		r.do("GET", "/v1/customers", "", "")
		return r.end()
	}
	want := script()
	for range 3 {
		r.reset()
		if got := r.end(); got != fresh {
			t.Fatalf("reset to %s, fresh %s", got, fresh)
		}
		if got := script(); got != want {
			t.Fatalf("after the reset the script ends in %s, before in %s", got, want)
		}
	}
	if v := r.view(); v.Inc != 4 {
		t.Errorf("incarnation %d after three resets", v.Inc)
	}
	r.restart()
	if got := r.end(); got != want {
		t.Errorf("after a restart %s, before %s", got, want)
	}
	r.replay()
}

// charge is a charge that was not refunded.
func charge(t *testing.T, r *rig) string {
	t.Helper()
	for row := range r.view().State.Newest("stripe.charge", 0) {
		if text := string(row.Body); strings.Contains(text, `"refunded":false`) && strings.Contains(text, `"paid":true`) {
			return row.ID
		}
	}
	t.Fatal("no charge")
	return ""
}

// A reset waits for the request in flight, which ends in the old life; what comes
// meanwhile runs in the new one.
func TestResetWaits(t *testing.T) {
	for _, point := range []world.Point{world.Produced, world.Decided, world.Committed} {
		t.Run(string(point), func(t *testing.T) {
			s := newStop(point, "name=held")
			r := newRig(t, "empty", func(r *rig) { r.hook = s.hook })
			held := send(r, request("POST", "/v1/customers", "name=held", ""))
			<-s.arrived
			reset := make(chan error, 1)
			go func() { reset <- r.world.Reset(context.Background(), world.Plainly(admin("reset", 1))) }()
			waitShut(t, r)
			later := send(r, request("POST", "/v1/customers", "name=later", ""))
			select {
			case err := <-reset:
				t.Fatalf("the reset did not wait: %v", err)
			case err := <-later:
				t.Fatalf("a request went past the reset: %v", err)
			case <-time.After(20 * time.Millisecond):
			}
			close(s.let)
			for name, done := range map[string]chan error{"held": held, "reset": reset, "later": later} {
				if err := <-done; err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			if got := r.names(); got != "later" {
				t.Errorf("the world has %q", got)
			}
			if v := r.view(); v.Seq != 1 || v.Inc != 2 {
				t.Errorf("the world stands at %d in life %d", v.Seq, v.Inc)
			}
			r.replay()
		})
	}
}

// waitShut returns once a reset has the gate.
func waitShut(t *testing.T, r *rig) {
	t.Helper()
	for range 1000 {
		if world.Shut(r.world) {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("the reset never began")
}

// A request that outlives the wait is refused: not executed, not journaled. So is
// one that waits for the lock when the reset has it.
func TestResetFencesWhatOutlivesIt(t *testing.T) {
	s := newStop(world.Produced, "name=held")
	r := newRig(t, "empty", func(r *rig) { r.hook = s.hook })
	world.SetWaits(r.host, 30*time.Millisecond, time.Hour)
	r.ok("POST", "/v1/customers", "name=old", "")
	held := send(r, request("POST", "/v1/customers", "name=held", "key"))
	<-s.arrived
	r.reset()
	if got := r.names(); got != "" {
		t.Errorf("the reset world has %q", got)
	}
	r.ok("POST", "/v1/customers", "name=new", "")
	end := r.end()
	close(s.let)
	if err := <-held; !errors.Is(err, world.ErrReset) {
		t.Errorf("the request that outlived the reset: %v", err)
	}
	if r.end() != end {
		t.Errorf("it left a trace: %s, before %s", r.end(), end)
	}
	r.replay()
}

// Many requests wait for the lock while resets time out: none may run in a life it
// was not admitted to. Every request of a life carries the life's number.
func TestNoRequestCrossesAReset(t *testing.T) {
	var slow atomic.Bool
	r := newRig(t, "empty", func(r *rig) {
		r.hook = func(_ context.Context, at *world.Passing) error {
			if at.Point == world.Decided && slow.Load() {
				time.Sleep(3 * time.Millisecond) // the lock is held longer than a reset waits
			}
			return nil
		}
	})
	world.SetWaits(r.host, time.Millisecond, time.Hour)
	slow.Store(true)
	for life := range 12 {
		name := fmt.Sprintf("life%d", life)
		var running sync.WaitGroup
		var refused, done atomic.Int64
		for range 8 {
			running.Go(func() {
				_, err := r.world.Do(context.Background(), request("POST", "/v1/customers", "name="+name, ""))
				switch {
				case err == nil:
					done.Add(1)
				case errors.Is(err, world.ErrReset):
					refused.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		time.Sleep(time.Duration(life) * time.Millisecond)
		r.reset()
		running.Wait()
		// Requests that came to the gate after the reset are in this life by right.
		if v := r.view(); int64(v.State.Len("stripe.customer")) > done.Load() || int64(v.Seq) > done.Load() {
			t.Errorf("%d done, %d refused, and %d customers", done.Load(), refused.Load(), v.State.Len("stripe.customer"))
		}
		r.replay()
		r.reset()
	}
}

func TestTwoResetsAtOnce(t *testing.T) {
	s := newStop(world.Produced, "name=held")
	r := newRig(t, "empty", func(r *rig) { r.hook = s.hook })
	held := send(r, request("POST", "/v1/customers", "name=held", ""))
	<-s.arrived
	results := make(chan error, 2)
	for range 2 {
		go func() { results <- r.world.Reset(context.Background(), world.Plainly(admin("reset", 1))) }()
	}
	if err := <-results; !errors.Is(err, world.ErrBusy) {
		t.Errorf("the second reset: %v", err)
	}
	close(s.let)
	if err := <-results; err != nil {
		t.Errorf("the first reset: %v", err)
	}
	if err := <-held; err != nil {
		t.Error(err)
	}
	if v := r.view(); v.Inc != 2 || v.Seq != 0 {
		t.Errorf("after two resets: %+v", v)
	}
}

// What a view of an ended life still asks of the journal is refused, not answered
// from another life.
func TestAViewOutlivesItsLife(t *testing.T) {
	r := newRig(t, "empty", nil)
	r.ok("POST", "/v1/customers", "name=a", "")
	r.ok("POST", "/v1/customers", "name=b", "")
	v := r.view()
	r.reset()
	r.ok("POST", "/v1/customers", "name=c", "")
	r.send(mark("m")) // at 2, which the old life has as well
	r.ok("POST", "/v1/customers", "name=d", "")
	if _, err := r.world.At(context.Background(), v, 1); !errors.Is(err, world.ErrReset) {
		t.Errorf("at 1: %v", err)
	}
	if _, err := r.world.At(context.Background(), world.View{State: v.State, Seq: 3, Inc: v.Inc}, 2); !errors.Is(err, world.ErrReset) {
		t.Errorf("at a mark of the new life: %v", err)
	}
	if err := r.world.EntriesOf(v, 1, 0, nil); !errors.Is(err, world.ErrReset) {
		t.Errorf("entries: %v", err)
	}
	if v.State.Len("stripe.customer") != 2 {
		t.Error("the view changed")
	}
}

func TestDeleteRefusesWhatWaits(t *testing.T) {
	s := newStop(world.Produced, "name=held")
	r := newRig(t, "empty", func(r *rig) { r.hook = s.hook })
	world.SetWaits(r.host, 10*time.Millisecond, time.Hour)
	held := send(r, request("POST", "/v1/customers", "name=held", ""))
	<-s.arrived
	if err := r.world.Delete(context.Background(), world.Plainly(admin("delete", 1))); err != nil {
		t.Fatal(err)
	}
	close(s.let)
	if err := <-held; !errors.Is(err, world.ErrGone) {
		t.Errorf("a request on a deleted world: %v", err)
	}
}

// Who gives up waiting is not executed.
func TestGivenUp(t *testing.T) {
	s := newStop(world.Decided, "name=held")
	r := newRig(t, "empty", func(r *rig) { r.hook = s.hook })
	held := send(r, request("POST", "/v1/customers", "name=held", ""))
	<-s.arrived // the lock is taken
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if _, err := r.world.Do(ctx, request("POST", "/v1/customers", "name=impatient", "")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a request that waited too long: %v", err)
	}
	if _, err := r.world.View(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a view that waited too long: %v", err)
	}
	close(s.let)
	if err := <-held; err != nil {
		t.Error(err)
	}
	if got := r.names(); got != "held" {
		t.Errorf("the world has %q", got)
	}
}
