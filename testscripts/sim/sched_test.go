package sim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"worlds/testscripts"
	"worlds/twin"
	"worlds/twin/world"
)

// kit is a scheduler whose items do nothing but pass points: no server, no world.
type kit struct {
	*play
	t       *testing.T
	mu      sync.Mutex // did is written by several once everything was let go
	did     []string
	running atomic.Int32
	most    int32
}

func newKit(t *testing.T, limits Limits) *kit {
	t.Helper()
	k := &kit{play: newPlay(&Scenario{ID: "kit"}, Options{Limits: limits}), t: t}
	t.Cleanup(func() {
		k.sched.release()
		if !k.sched.joined() {
			t.Error("items are left over")
		}
	})
	return k
}

// mark is an operation without meaning.
var mark = &twin.Command{API: "admin", Op: "mark"}

// item enqueues an item that passes points.
func (k *kit) item(writer string, points ...world.Passing) *item {
	return k.sched.enqueue(&item{writer: writer, title: "mark", agent: true, run: func(ctx context.Context) (testscripts.Answer, error) {
		for _, p := range points {
			k.most = max(k.most, k.running.Add(1))
			k.running.Add(-1)
			if err := seam(ctx, &p); err != nil && !errors.Is(err, world.ErrAgain) {
				k.note(writer + " " + err.Error())
				return testscripts.Answer{}, err
			}
			k.note(writer + " " + string(p.Point) + p.For)
		}
		return testscripts.Answer{}, nil
	}})
}

func (k *kit) note(what string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.did = append(k.did, what)
}

func at(points ...world.Point) []world.Passing {
	out := make([]world.Passing, len(points))
	for i, p := range points {
		out[i] = world.Passing{Point: p, Command: mark}
	}
	return out
}

// life is the points of an operation.
func life() []world.Passing {
	return at(world.Produced, world.Decided, world.Committed, world.Served)
}

func (k *kit) check(want ...string) {
	k.t.Helper()
	if !slices.Equal(k.did, want) {
		k.t.Errorf("it went %q,\nnot %q", k.did, want)
	}
	k.did = nil
}

func (k *kit) must(err error) {
	k.t.Helper()
	if err != nil {
		k.t.Fatal(err)
	}
}

func (k *kit) hold(words ...string) error {
	w, err := watchFor(words)
	if err != nil {
		return err
	}
	if err := k.arm(w); err != nil {
		return err
	}
	return k.await(w)
}

func TestNothingHappensOnItsOwn(t *testing.T) {
	k := newKit(t, Limits{})
	k.item("key:1", life()...)
	k.item("key:2", life()...)
	if got := k.sched.standings(); got[0].State != "queued" || got[1].State != "queued" {
		t.Errorf("%v", got)
	}
	k.check()
	k.must(k.sched.settle())
	if k.most != 1 {
		t.Errorf("%d items ran at once", k.most)
	}
}

func TestTheLeastDueAndEnqueuedGoesFirst(t *testing.T) {
	k := newKit(t, Limits{})
	late := k.item("key:1", at(world.Produced, world.Served)...)
	late.due = 10
	k.item("key:2", at(world.Produced, world.Served)...)
	k.item("key:3", at(world.Produced, world.Served)...)
	k.must(k.sched.settle())
	k.check("key:2 produced", "key:2 served", "key:3 produced", "key:3 served") // the clock stands at 0
	k.sched.place(nil).now = 10
	k.must(k.sched.settle())
	k.check("key:1 produced", "key:1 served")
}

func TestSelectGoesBeforeTheOrder(t *testing.T) {
	k := newKit(t, Limits{})
	k.item("key:1", at(world.Produced, world.Served)...)
	k.item("key:2", at(world.Produced, world.Served)...)
	k.sched.selects = []string{"key:9", "key:2"}
	k.must(k.sched.settle())
	k.check("key:2 produced", "key:2 served", "key:1 produced", "key:1 served")
	if got := k.trace[0].Text; got != "key:9 is not pending; falling back to the default order" {
		t.Errorf("the warning is %q", got)
	}
}

func TestOneWriterDoesOneThingAtATime(t *testing.T) {
	k := newKit(t, Limits{})
	k.item("key:1", at(world.Produced)...)
	k.item("key:1", at(world.Committed)...)
	k.item("key:1/b", at(world.Served)...)
	k.must(k.hold("key:1", "produced"))
	k.must(k.sched.settle())
	k.check("key:1/b served")
	k.must(k.let(k.heldBy("key:1")))
	k.must(k.sched.settle())
	k.check("key:1 produced", "key:1 committed")
}

func TestTwoHoldsAtOnce(t *testing.T) {
	k := newKit(t, Limits{})
	k.item("key:1", life()...)
	k.item("key:2", life()...)
	for _, w := range []string{"key:1", "key:2"} {
		one, err := watchFor([]string{w, "produced"})
		k.must(err)
		k.must(k.arm(one))
	}
	k.must(k.await(k.watchOf("key:1")))
	k.must(k.await(k.watchOf("key:2")))
	k.check()
	k.must(k.let(k.heldBy("key:2")))
	k.must(k.let(k.heldBy("key:1")))
	k.check("key:2 produced", "key:2 decided", "key:2 committed", "key:2 served", "key:1 produced", "key:1 decided", "key:1 committed", "key:1 served")
}

// A hold on a writer that is held arms the new watch and then lets the old one go;
// one that has gone by is an error; one that comes again is the next one.
func TestWhatHasGoneByIsAnError(t *testing.T) {
	k := newKit(t, Limits{})
	k.item("key:1", append(life(), life()...)...)
	k.must(k.hold("key:1", "committed"))
	k.must(k.hold("key:1", "committed"))
	k.check("key:1 produced", "key:1 decided", "key:1 committed", "key:1 served", "key:1 produced", "key:1 decided")
	k.must(k.let(k.heldBy("key:1")))
	var passed *AlreadyPassedError
	err := k.hold("key:1", "served")
	if !errors.As(err, &passed) || passed.Writer != "key:1" || passed.Ordinal != 8 || passed.Now != "done" || passed.Target != "served" {
		t.Errorf("%+v", err)
	}
}

func TestAWatchThatDoesNotComeTrueSaysWhereEverybodyIs(t *testing.T) {
	k := newKit(t, Limits{})
	k.item("key:1", life()...)
	k.item("key:2", life()...)
	k.must(k.hold("key:1", "committed"))
	err := k.hold("key:2", "recorded")
	want := "key:2 recorded was not reached: nobody can go on; key:1 held at committed mark; " +
		"last points: key:2 produced (mark), key:2 decided (mark), key:2 committed (mark), key:2 served (mark)"
	if err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
	err = k.hold("key:1", "served", "op=x", "timeout=1")
	if err == nil || !strings.Contains(err.Error(), `there is no field "op"`) {
		t.Errorf("%v", err)
	}
	k.item("key:3", life()...)
	if err = k.hold("key:3", "served", "timeout=1"); err == nil || !strings.Contains(err.Error(), "1 permits were given") {
		t.Errorf("%v", err)
	}
}

func TestWhoIsBlockedByAHeldWriterIsToldByWhom(t *testing.T) {
	k := newKit(t, Limits{})
	k.item("key:1", life()...)
	k.item("key:2", world.Passing{Point: world.Produced, Command: mark}, world.Passing{Point: world.Waiting, For: world.ForLock}, at(world.Committed)[0])
	k.must(k.hold("key:1", "decided"))
	var blocked *BlockedByLockError
	if err := k.hold("key:2", "committed"); !errors.As(err, &blocked) || blocked.Holder != "key:1" || blocked.At != world.Decided || blocked.For != world.ForLock {
		t.Errorf("%v", err)
	}
	k.must(k.let(k.heldBy("key:1")))
	k.must(k.sched.settle())
	k.check("key:1 produced", "key:2 produced", "key:1 decided", "key:1 committed", "key:1 served", "key:2 waitinglock", "key:2 committed")
}

// Time passes only when nobody can go on: the sleep that ends first goes first, then
// who waits with a bound is told that it has passed.
func TestTimePassesWhenNobodyCanGoOn(t *testing.T) {
	k := newKit(t, Limits{})
	k.item("admin", world.Passing{Point: world.Waiting, For: world.ForFlight, Command: mark})
	k.item("key:1", world.Passing{Point: world.Waiting, For: world.ForLatency, Millis: 900})
	k.item("key:2", world.Passing{Point: world.Waiting, For: world.ForLatency, Millis: 300})
	k.item("key:3", at(world.Produced)...)
	k.must(k.sched.settle())
	k.check("key:3 produced", "admin waitingflight", "key:2 waitinglatency", "key:1 waitinglatency")
	if k.sched.millis != 900 {
		t.Errorf("%d ms have passed", k.sched.millis)
	}
	k.item("key:1", at(world.Produced)...)
	k.must(k.hold("key:1", "produced"))
	k.item("admin", world.Passing{Point: world.Waiting, For: world.ForFlight, Command: mark}, world.Passing{Point: world.Waiting, For: world.ForFlight, Command: mark})
	k.must(k.sched.settle())
	k.check("admin " + errBound.Error())
}

// Whatever the scheduler says of who can go on is true: when it says that nobody can,
// every goroutine is blocked for good.
func TestQuiescenceIsNotGuessed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKit(t, Limits{Wall: 2 * time.Hour})
		k.item("key:1", life()...)
		k.item("key:2", life()...)
		k.must(k.hold("key:1", "committed"))
		synctest.Wait()
		before := slices.Clone(k.did)
		time.Sleep(time.Hour) // of the bubble
		synctest.Wait()
		if !slices.Equal(before, k.did) {
			t.Errorf("somebody went on by himself: %q", k.did[len(before):])
		}
		k.must(k.sched.settle())
		k.must(k.let(k.heldBy("key:1")))
	})
}

func TestTheBudgetsEndWhatDoesNotEnd(t *testing.T) {
	t.Run("max-hold", func(t *testing.T) {
		k := newKit(t, Limits{Hold: time.Millisecond})
		stuck := make(chan struct{})
		defer close(stuck)
		k.sched.enqueue(&item{writer: "key:1", title: "stuck", run: func(context.Context) (testscripts.Answer, error) {
			<-stuck
			return testscripts.Answer{}, nil
		}})
		if err := k.sched.settle(); err == nil || err.Error() != "max-hold: key:1 took more than 1ms to come to a point" {
			t.Errorf("%v", err)
		}
		if err := k.sched.settle(); !isBudget(err) {
			t.Errorf("behind its budget it goes on: %v", err)
		}
	})
	t.Run("max-deliveries", func(t *testing.T) {
		k := newKit(t, Limits{Deliveries: 1})
		k.sched.attempts = 2
		k.item("key:1", life()...)
		if err := k.sched.settle(); err == nil || err.Error() != "max-deliveries: more than 1 attempts were made" {
			t.Errorf("%v", err)
		}
	})
	t.Run("max-logical", func(t *testing.T) {
		k := newKit(t, Limits{Logical: time.Hour})
		k.item("key:1", life()...)
		k.sched.place(nil).now = 3601
		if err := k.sched.settle(); err == nil || err.Error() != "max-logical: the clock would be more than 1h0m0s from the beginning" {
			t.Errorf("%v", err)
		}
	})
	t.Run("max-wall", func(t *testing.T) {
		k := newKit(t, Limits{Wall: time.Nanosecond})
		k.item("key:1", life()...)
		if err := k.sched.settle(); err == nil || err.Error() != "max-wall: the scenario took more than 1ns; key:1 queued mark" {
			t.Errorf("%v", err)
		}
	})
}

// The watchdog lets go what is held, so that a scenario always ends.
func TestTheWatchdogLetsGo(t *testing.T) {
	k := newKit(t, Limits{})
	k.item("key:1", life()...)
	k.must(k.hold("key:1", "committed"))
	ctx, cancel := context.WithCancel(context.Background())
	end := k.watchdog(ctx)
	defer end()
	cancel()
	if !k.sched.joined() {
		t.Error("it is still held")
	}
	if err := k.sched.step(k.sched.items[0], nil); err == nil {
		t.Error("the scheduler goes on")
	}
}

func TestAPanicIsTheItemsOwn(t *testing.T) {
	k := newKit(t, Limits{})
	it := k.sched.enqueue(&item{writer: "key:1", title: "panics", run: func(context.Context) (testscripts.Answer, error) { panic("planted") }})
	k.item("key:2", at(world.Produced)...)
	k.must(k.sched.settle())
	if it.err == nil || it.err.Error() != "panic: planted" {
		t.Errorf("%v", it.err)
	}
	k.check("key:2 produced")
}

func TestTheHistoryIsBounded(t *testing.T) {
	k := newKit(t, Limits{})
	k.item("key:1", slices.Repeat(at(world.Served), historyMax+1)...)
	k.must(k.sched.settle())
	if len(k.history) != historyMax || k.history[0].ordinal != 2 {
		t.Errorf("%d points are kept, from %d on", len(k.history), k.history[0].ordinal)
	}
	if got := k.trace[0].Text; got != fmt.Sprintf("the history is full: only its last %d points are kept", historyMax) {
		t.Errorf("the warning is %q", got)
	}
}

// A where that cannot be looked up is a problem of the scenario, and no match.
func TestAWhereThatFailsIsAProblem(t *testing.T) {
	k := newKit(t, Limits{})
	k.item("key:1", life()...)
	k.must(k.arm(&watch{handle: "key:1", holds: true, point: world.Produced, where: ".id=x"}))
	k.must(k.sched.settle())
	if len(k.result.Problems) != 1 || k.result.Problems[0] != "where=.id=x: there is no answer at produced" {
		t.Errorf("%q", k.result.Problems)
	}
	k.check("key:1 produced", "key:1 decided", "key:1 committed", "key:1 served")
}

func TestHandles(t *testing.T) {
	for _, row := range []struct {
		writer, handle string
		want           bool
	}{
		{"key:1", "key:1", true}, {"key:1/b", "key:1", true}, {"key:1", "key:1/b", false}, {"key:12", "key:1", false},
		{"key:1", "any-agent", true}, {"admin", "any-agent", false}, {"admin", "any", true}, {"script", "any", false},
		{"deliverer/we@3", "deliverer", true}, {"clock", "clock", true},
	} {
		if got := answersTo(row.writer, row.handle); got != row.want {
			t.Errorf("%s answers to %s: %v", row.writer, row.handle, got)
		}
	}
}

func TestUnknownNamesListWhatThereIs(t *testing.T) {
	for words, want := range map[string]string{
		"POST /v1/refund":     "POST /v1/refunds",
		"customer.sneezed":    "there is no type of event",
		"sneeze":              "advance, deliver",
		"nowhere=1":           "point, writer, route",
		"status=x":            "invalid syntax",
		"failed=maybe":        "true or false",
		"where=id":            ".PATH=VALUE",
		"writer=somebody":     "no writer",
		"POST /v1/refunds x":  "POST /v1/refunds",
		"/v1/refunds/re_1/no": "/v1/refunds",
	} {
		w := &watch{handle: "key:1", point: world.Committed}
		if err := w.parse([]string{words}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", words, err)
		}
	}
	for _, words := range []string{"POST /v1/refunds", "/v1/refunds/*", "GET /v1/charges/ch_1", "invoice.*", "advance", "/api/v2/tickets*"} {
		if err := (&watch{}).parse([]string{words}); err != nil {
			t.Errorf("%s: %v", words, err)
		}
	}
	if _, err := watchFor([]string{"nobody", "committed"}); err == nil {
		t.Error("a writer nobody is taken")
	}
	if err := (&watch{point: "asleep"}).parse(nil); err == nil || !strings.Contains(err.Error(), "produced") {
		t.Errorf("%v", err)
	}
}
