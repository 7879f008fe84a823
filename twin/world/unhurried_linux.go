package world

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// unhurriedSlice is the longest time at a stretch that a thread may ask for. Who asks
// for a long one is taken off as soon as somebody wants to run who asked for less,
// instead of at the next tick of the system's clock, which is four milliseconds off;
// its share of the time stays what it was. Systems before Linux 6.12 do not ask.
const unhurriedSlice = 100_000_000 // nanoseconds

// unhurried makes the calling goroutine one that holds up nobody, until hurry is
// called by it: it has a thread to itself, which waits for the others to stop by
// themselves when it is woken, and which they need not wait for.
func unhurried() (hurry func()) {
	runtime.LockOSThread()
	usual, err := unix.SchedGetAttr(0, 0)
	if err != nil || usual.Policy != unix.SCHED_NORMAL {
		runtime.UnlockOSThread()
		return func() {} // whoever chose another policy knows why
	}
	long := *usual
	long.Policy, long.Runtime = unix.SCHED_BATCH, unhurriedSlice
	if err := unix.SchedSetAttr(0, &long, 0); err != nil {
		runtime.UnlockOSThread()
		return func() {}
	}
	return func() {
		if unix.SchedSetAttr(0, usual, 0) == nil { // else the thread ends with its goroutine
			runtime.UnlockOSThread()
		}
	}
}
