package world

import (
	"context"
	"runtime"
	"sync"
)

// A long operation is one that has made so much that it is worth another goroutine
// (see spool). It keeps a processor busy, and memory too, while others want to be
// answered at once. Hence there are only so many at a time, the process has a few
// more processors than the machine meanwhile, and the threads that they run on say
// to the system that they are in no hurry (see unhurried).

// longShare is how many processors there are for each long operation that is decided
// at a time: the others are for everybody else.
const longShare = 2

// turns is the room for the long operations of a Host that are decided at a time;
// further ones wait, in the order in which they came.
type turns chan struct{}

func newTurns() turns { return make(turns, max(1, runtime.GOMAXPROCS(0)/longShare)) }

// turn is that of one operation, until it has none.
type turn struct {
	of    turns
	ctx   context.Context
	late  <-chan struct{} // closed when the operation is to give up
	hurry func()          // once it has its turn
}

// take waits for the turn, unless the operation is given up before: then it returns
// false. The calling goroutine is the one that decides.
func (t *turn) take() bool {
	select {
	case t.of <- struct{}{}:
	case <-t.ctx.Done():
		return false
	case <-t.late:
		return false
	}
	processors.add(1)
	t.hurry = unhurried()
	return true
}

// end gives the turn back.
func (t *turn) end() {
	t.hurry()
	processors.add(-1)
	<-t.of
}

// On a small machine the scheduler keeps whoever has just become ready behind what
// holds a processor, for as long as that one is not done or the system has taken it
// off. While long operations run, the process has a few processors more than the
// machine: the system then divides the time, and it prefers who has had little.
const (
	lentProcessors = 2
	// lendBelow is the number of processors from which on nobody needs more.
	lendBelow = 8
)

// lender counts the long operations of the process.
type lender struct {
	mu    sync.Mutex
	long  int
	lends sync.Mutex // held by who changes the number of processors
	usual int        // processors, while more are lent; else 0
}

var processors lender

// add says that a long operation has begun (1) or ended (-1). It does not wait: the
// number of processors cannot change while garbage is collected.
func (l *lender) add(n int) {
	l.mu.Lock()
	l.long += n
	l.mu.Unlock()
	go l.adjust()
}

func (l *lender) adjust() {
	l.lends.Lock()
	defer l.lends.Unlock()
	l.mu.Lock()
	want := l.long > 0
	l.mu.Unlock()
	switch n := runtime.GOMAXPROCS(0); {
	case want == (l.usual > 0):
	case !want:
		runtime.GOMAXPROCS(l.usual)
		l.usual = 0
	case n < lendBelow:
		l.usual = n
		runtime.GOMAXPROCS(n + lentProcessors)
	}
}
