package world

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// A goroutine that is unhurried has a thread of its own, which says so to the system
// and takes it back; the share of the time that it is due is the same.
func TestUnhurried(t *testing.T) {
	runtime.LockOSThread() // this one's, throughout
	defer runtime.UnlockOSThread()
	attr := func() unix.SchedAttr {
		t.Helper()
		a, err := unix.SchedGetAttr(0, 0)
		if err != nil {
			t.Skip(err)
		}
		return *a
	}
	usual := attr()
	if usual.Policy != unix.SCHED_NORMAL {
		t.Skipf("policy %d", usual.Policy)
	}
	hurry := unhurried()
	if got := attr(); got.Policy != unix.SCHED_BATCH || got.Nice != usual.Nice {
		t.Errorf("unhurried: %+v, usual %+v", got, usual)
	} else if usual.Runtime != 0 && got.Runtime != unhurriedSlice { // else the system knows no slices
		t.Errorf("unhurried for %d ns at a stretch", got.Runtime)
	}
	hurry()
	if got := attr(); got != usual {
		t.Errorf("afterwards %+v, usual %+v", got, usual)
	}
}

// Where another policy was chosen than the usual one, it stays.
func TestUnhurriedLeavesPolicies(t *testing.T) {
	done := make(chan [2]unix.SchedAttr) // closed where the system refuses
	go func() {                          // its thread ends with it
		runtime.LockOSThread()
		if unix.SchedSetAttr(0, &unix.SchedAttr{Policy: unix.SCHED_BATCH, Nice: 1}, 0) != nil {
			close(done)
			return
		}
		hurry := unhurried()
		a, _ := unix.SchedGetAttr(0, 0)
		hurry()
		b, _ := unix.SchedGetAttr(0, 0)
		done <- [2]unix.SchedAttr{*a, *b}
	}()
	s, ok := <-done
	if !ok {
		t.Skip("no other policy can be chosen here")
	}
	if s[0] != s[1] || s[0].Runtime == unhurriedSlice {
		t.Errorf("%+v, then %+v", s[0], s[1])
	}
}
