package world_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"worlds/twin/world"
)

// unload takes every world out of memory that can be.
func (r *rig) unload(want int) {
	r.t.Helper()
	r.host.Unload()
	if got := r.host.Unload(); got != want {
		r.t.Fatalf("%d worlds were unloaded, not %d", got, want)
	}
}

// A world that was unloaded goes on as if it had not been: ids, idempotency keys,
// marks, forks and the chain.
func TestUnload(t *testing.T) {
	run := func(pause func(*rig)) (string, *rig) {
		r := newRig(t, "saas-billing-small", nil)
		r.ok("POST", "/v1/customers", "name=Ann", "k1")
		pause(r)
		r.send(mark("here"))
		pause(r)
		r.ok("POST", "/v1/customers", "name=Bob", "k2")
		r.do("GET", "/v1/customers", "limit=3", "")
		pause(r)
		first, again := r.do("POST", "/v1/customers", "name=Bob", "k2"), r.do("POST", "/v1/customers", "name=Ann", "k1")
		pause(r)
		v := r.view()
		at, _, err := v.Position("here")
		if err != nil {
			t.Fatal(err)
		}
		past, err := r.world.At(context.Background(), v, at)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintln(r.end(), string(first.Body), string(again.Body), world.DumpHash(past)), r
	}
	want, _ := run(func(*rig) {})
	got, r := run(func(r *rig) { r.unload(1) })
	if got != want {
		t.Errorf("unloaded now and then:\n%snot:\n%s", got, want)
	}
	r.replay()
}

// Only what nobody has used since the call before is unloaded.
func TestUnloadIdle(t *testing.T) {
	r := newRig(t, "saas-billing-small", nil)
	for range 3 {
		r.do("GET", "/v1/customers", "", "")
		if n := r.host.Unload(); n != 0 {
			t.Fatalf("%d worlds in use were unloaded", n)
		}
	}
	if n := r.host.Unload(); n != 1 {
		t.Fatalf("%d idle worlds were unloaded", n)
	}
	if n := r.host.Unload(); n != 0 {
		t.Fatalf("%d worlds were unloaded again", n)
	}
}

// An unloaded fork and its unloaded parent load each from its own entries.
func TestUnloadFork(t *testing.T) {
	r := newRig(t, "saas-billing-small", nil)
	r.ok("POST", "/v1/customers", "name=Ann", "k1")
	f := r.fork(r.view().Seq, 2)
	f.ok("POST", "/v1/customers", "name=Bob", "k2")
	r.ok("POST", "/v1/customers", "name=Cid", "k2")
	parent, child := r.end(), f.end()
	r.unload(2)
	if got := f.end(); got != child {
		t.Errorf("the fork stands at %s, not %s", got, child)
	}
	if got := r.end(); got != parent {
		t.Errorf("the parent stands at %s, not %s", got, parent)
	}
}

// Unloading at any moment, beside requests, resets and views, loses nothing and
// shows nobody a state of the past.
func TestUnloadUnderWork(t *testing.T) {
	const clients, each = 4, 40
	r := newRig(t, "saas-billing-small", nil)
	ended := make(chan struct{})
	var unloader, workers sync.WaitGroup
	unloader.Go(func() {
		for {
			select {
			case <-ended:
				return
			default:
				r.host.Unload()
			}
		}
	})
	for c := range clients {
		workers.Go(func() {
			last := r.view().Seq
			for n := range each {
				a, err := r.world.Do(context.Background(), request("POST", "/v1/customers", fmt.Sprintf("name=c%dn%d", c, n), fmt.Sprint("k", c, "-", n)))
				if err != nil || a.Status != 200 {
					t.Errorf("client %d, request %d: %v %v", c, n, a, err)
					return
				}
				v, err := r.world.View(context.Background())
				if err != nil || v.Seq < a.Seq || a.Seq <= last {
					t.Errorf("client %d, request %d: the entry is %d, the view stands at %d: %v", c, n, a.Seq, v.Seq, err)
					return
				}
				last = a.Seq
				if v.State.Get("stripe.customer", idOf(a)) == nil {
					t.Errorf("client %d, request %d: the customer is not there", c, n)
				}
			}
		})
	}
	workers.Wait()
	close(ended)
	unloader.Wait()
	if v := r.view(); v.Seq != clients*each {
		t.Errorf("%d entries, not %d", v.Seq, clients*each)
	}
	r.replay()
}
