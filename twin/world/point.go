package world

import (
	"context"
	"errors"

	"worlds/projection"
	"worlds/twin"
)

// Point is a place every operation and every attempt to deliver passes on its way.
type Point string

// The points of an operation's life, in order.
const (
	Produced  Point = "produced"  // decoded and attributed; no lock taken, no sequence
	Decided   Point = "decided"   // inside the lock, facts computed, nothing appended
	Committed Point = "committed" // durable and the lock released; nobody has the answer
	Served    Point = "served"    // the answer is about to be written
)

// The points of an attempt to deliver, in order. Taking down its outcome is an
// operation, which passes its own points between Answered and Recorded.
const (
	Claimed  Point = "claimed"  // the way to the endpoint is taken, nothing is sent
	Sent     Point = "sent"     // signed, about to be posted; an attempt that a rule drops does not pass it
	Answered Point = "answered" // the listener has answered, or never will; nothing is taken down
	Recorded Point = "recorded" // the outcome is durable
)

// Waiting is passed by whoever would have to wait for another, or for time to
// pass, with what for in Passing.For.
const Waiting Point = "waiting"

// What is waited for.
const (
	ForLock    = "lock"    // the world's lock
	ForReset   = "reset"   // a reset under way
	ForFlight  = "flight"  // the requests in flight; it has a bound
	ForLatency = "latency" // a latency rule
	ForLane    = "lane"    // the way to an endpoint
	ForFlush   = "flush"   // another flush
)

// Passing is somebody at a point.
type Passing struct {
	World   *World
	Point   Point
	Command *twin.Command        // of an operation
	Answer  *Answer              // of an operation, from Decided on; Seq from Committed on
	Row     *projection.Delivery // of an attempt, as it stood before
	Type    string               // of an attempt: its event's type
	Outcome string               // of an attempt, from Answered on
	For     string               // at Waiting
	Millis  int64                // at Waiting for a latency rule: how long it is
}

// Hook is the one seam that every operation on a world, every attempt to deliver
// and everything that waits passes. It is nil when serving; a scenario scheduler
// stands there. It may block its caller, and must not call the World from within
// Decided. ctx is the operation's.
//
// An error at Produced refuses the operation, which leaves no trace. One at Decided
// keeps it from being appended, as a failed write would. At Waiting, nil means to
// wait as if there were no Hook, ErrAgain that it is worth to look again, and any
// other error that the wait is over: with that error, or, where it has a bound, as
// if the bound had passed. Elsewhere it is ignored.
type Hook func(ctx context.Context, at *Passing) error

// ErrAgain says at Waiting that it is worth to look again.
var ErrAgain = errors.New("look again")

// Hooked reports whether somebody stands at the seam.
func (h *Host) Hooked() bool { return h.hook != nil }

// Pass takes the world past a point. It is for those above the World that have
// points of their own.
func (w *World) Pass(ctx context.Context, at Passing) error {
	h := w.host.hook
	if h == nil {
		return nil
	}
	at.World = w
	return h(ctx, &at)
}

func (w *World) pass(ctx context.Context, p Point, cmd *twin.Command, a *Answer) error {
	if w.host.hook == nil {
		return nil
	}
	return w.Pass(ctx, Passing{Point: p, Command: cmd, Answer: a})
}

// Take takes the one place in ch on behalf of an operation.
func (w *World) Take(ctx context.Context, what string, ch chan struct{}) error {
	for w.host.hook != nil {
		select {
		case ch <- struct{}{}:
			return nil
		default:
		}
		err := w.Pass(ctx, Passing{Point: Waiting, For: what})
		if err == nil {
			break
		}
		if !errors.Is(err, ErrAgain) {
			return err
		}
	}
	select {
	case ch <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
