package heap

import (
	"os"
	"runtime/debug"
	"sync"
)

// gcPercent is how much a heap may grow, in percent of what lives, before garbage is
// collected, unless GOGC says otherwise: most of the heap are worlds, which stay, and a
// long advance of a clock is a third faster for it.
const gcPercent = 400

var settled sync.Once

// Settle is called once, by a process that is about to hold worlds. It is meant for
// all of the process's life; calling it again changes nothing.
func Settle() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	settled.Do(keepHuge)
}
