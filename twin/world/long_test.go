package world

import (
	"context"
	"runtime"
	"testing"

	"worlds/journal/canon"
	"worlds/twin"
)

// A long operation has processors lent, several at once no more than one, and the
// last one gives them back.
func TestProcessorsAreLent(t *testing.T) {
	if runtime.GOMAXPROCS(0) >= lendBelow {
		t.Skipf("%d processors: nothing to lend", runtime.GOMAXPROCS(0))
	}
	usual := runtime.GOMAXPROCS(0)
	var l lender
	for _, step := range []struct{ add, want int }{
		{1, usual + lentProcessors}, {1, usual + lentProcessors}, {-1, usual + lentProcessors}, {-1, usual},
	} {
		l.mu.Lock()
		l.long += step.add
		l.mu.Unlock()
		l.adjust()
		if got := runtime.GOMAXPROCS(0); got != step.want {
			t.Errorf("%d long ones: %d processors, want %d", l.long, got, step.want)
		}
	}
}

// A Host of any machine lets one long operation be decided, and leaves as much to
// everybody else.
func TestTurnsLeaveProcessors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for processors, want := range map[int]int{1: 1, 2: 1, 3: 1, 4: 2, 16: 8} {
		runtime.GOMAXPROCS(processors)
		if got := cap(newTurns()); got != want {
			t.Errorf("%d processors: %d at a time, want %d", processors, got, want)
		}
	}
}

// A turn ends for the next one; who gives up while waiting has none.
func TestTurns(t *testing.T) {
	of := make(turns, 1)
	first := turn{of: of, ctx: context.Background()}
	if !first.take() {
		t.Fatal("there is room for one")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	late := make(chan struct{})
	close(late)
	for name, second := range map[string]turn{"cancelled": {of: of, ctx: ctx}, "late": {of: of, ctx: context.Background(), late: late}} {
		if second.take() {
			t.Errorf("%s: it has the turn of another", name)
		}
	}
	first.end()
	third := turn{of: of, ctx: context.Background()}
	if !third.take() {
		t.Error("the turn was not given back")
	}
	third.end()
}

// An operation that fails while it makes a piece ends all the same, and gives its turn
// back: who decides then wants to stop.
func TestAFailedPieceHoldsUpNobody(t *testing.T) {
	of := make(turns, 1)
	s := &spool{cmd: &twin.Command{}, long: turn{of: of, ctx: context.Background()}}
	for range spoolAlone + spoolRoom {
		s.take([]canon.Raw{canon.Raw(`["x"]`)})
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("it did not fail")
			}
		}()
		s.add(func([]byte) []byte { panic("no piece") })
	}()
	s.stop()
	if len(of) != 0 {
		t.Error("the turn is kept")
	}
}
