package world

import (
	"runtime"
	"sync"
	"time"
)

// A long operation has a processor to itself until it lets go of it. To say that
// another goroutine may run is not enough: as long as there is this one to go on
// with, nobody looks whether a request has come in over the network. A pause is.
const (
	// yieldPause is how long a long operation stands aside, at each of its questions
	// whether to go on, while others have something to ask.
	yieldPause = 50 * time.Microsecond
	// yieldMemory is how many questions after the last request of others it goes on
	// doing so.
	yieldMemory = 32
)

// yielder lets the other worlds have their turn during a long operation.
type yielder struct {
	host  *Host
	seen  int64 // of Host.entered
	quiet int   // questions since others last came
}

// yield lets others go first.
func (y *yielder) yield() {
	entered := y.host.entered.Load()
	if y.quiet++; entered != y.seen {
		y.seen, y.quiet = entered, 0
	}
	if y.quiet >= yieldMemory || y.host.hook != nil { // a hook gives the turns itself
		runtime.Gosched()
		return
	}
	time.Sleep(yieldPause)
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
