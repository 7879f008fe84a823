package heap

import (
	"os"
	"runtime/debug"
)

// GCPercent is how much a heap may grow, in percent of what lives, before garbage is
// collected, unless GOGC says otherwise: most of the heap are worlds, which stay, and a
// long advance of a clock is a third faster for it.
const GCPercent = 400

// Settle is called once, by a process that is about to hold worlds. It is meant for
// all of the process's life; calling it again changes nothing.
func Settle() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(GCPercent)
	}
	hugeOnce.Do(keepHuge)
}
