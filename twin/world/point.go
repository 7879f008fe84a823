package world

import "worlds/twin"

// Point is a place every operation passes on its way.
type Point string

// The points of an operation's life, in order.
const (
	Produced  Point = "produced"  // decoded and attributed; no lock taken, no sequence
	Decided   Point = "decided"   // inside the lock, facts computed, nothing appended
	Committed Point = "committed" // durable and the lock released; nobody has the answer
	Served    Point = "served"    // the answer is about to be written
)

// Hook is the one seam every operation passes. It is nil when serving; a scenario
// scheduler stands there. It may block its caller, and must not call the World
// from within Decided.
type Hook func(w *World, p Point, cmd *twin.Command)

func (w *World) pass(p Point, cmd *twin.Command) {
	if h := w.host.hook; h != nil {
		h(w, p, cmd)
	}
}
