package sim

import (
	"context"

	"worlds/testscripts"
	"worlds/twin/world"
)

type state int

const (
	queued state = iota
	running
	parked  // at a point
	waiting // for another, or for time
	done
)

// item is one operation or attempt of a writer. Only the script's goroutine and the
// item's own touch it, never both at once: the channels of the scheduler order them.
type item struct {
	sched  *sched
	id     int // in the order of enqueueing
	writer string
	title  string // "POST /v1/refunds"
	world  *world.World
	due    int64  // logical time from which it may run
	agent  bool   // a request of an agent
	row    int64  // of an attempt: its row in the ledger
	way    string // of an attempt: its endpoint
	lost   bool   // an attempt that has lost its claim
	fork   string // what the scenario calls the world that it makes
	life   int    // of its world, in which it began
	run    func(context.Context) (testscripts.Answer, error)

	state  state
	at     world.Passing // where it is or was last
	hold   *watch        // by which it is held
	since  int           // the permit after which it waits
	wake   int64         // when a sleep ends, in milliseconds of the scheduler
	permit chan error

	answer  testscripts.Answer
	err     error
	refused error // by a fence
	seq     int64 // of its last entry
	synced  int64 // what the journal had synced when it was decided
	stale   int64 // a read served from this position, 0 for the present
}

type itemKey struct{}

func itemOf(ctx context.Context) *item {
	it, _ := ctx.Value(itemKey{}).(*item)
	return it
}

func (it *item) context() context.Context {
	return context.WithValue(context.Background(), itemKey{}, it)
}

// standing says where the item is.
func (it *item) standing() Standing {
	s := Standing{Writer: it.writer, What: it.title}
	switch it.state {
	case queued:
		s.State = "queued"
	case running:
		s.State = "running"
	case parked:
		s.State = "at " + string(it.at.Point)
		if it.hold != nil {
			s.State = "held at " + string(it.at.Point)
		}
	case waiting:
		s.State = "waiting for " + it.at.For
	case done:
		s.State = "done"
	}
	return s
}
