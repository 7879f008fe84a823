package world

import (
	"runtime"
	"testing"
)

// A long operation has processors lent, several at once no more than one, and the
// last one gives them back.
func TestProcessorsAreLent(t *testing.T) {
	if runtime.GOMAXPROCS(0) >= lendBelow {
		t.Logf("%d processors: nothing to lend", runtime.GOMAXPROCS(0))
		return
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

// While others ask, a long operation stands aside; when they have been quiet for a
// while it only lets others run.
func TestYielderRemembersOthers(t *testing.T) {
	h := &Host{}
	y := yielder{host: h, quiet: yieldMemory}
	if y.yield(); y.quiet < yieldMemory {
		t.Error("it stood aside for nobody")
	}
	h.entered.Add(1)
	for i := range yieldMemory {
		if y.yield(); y.quiet != i {
			t.Errorf("question %d: %d since others came", i, y.quiet)
		}
	}
	if y.yield(); y.quiet < yieldMemory {
		t.Error("it never forgets")
	}
}
