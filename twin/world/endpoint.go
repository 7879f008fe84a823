package world

import (
	"context"
	"errors"
	"time"

	"worlds/journal/canon"
	"worlds/journal/store"
	"worlds/twin"
)

// Endpoint is where the operator has a world's events sent, and how. It is no part
// of the world: a reset leaves it, and of it only what an event's ledger row
// depends on stands in the journal, with each command. It is immutable.
type Endpoint struct {
	URL     string // "": no endpoint of the operator's; the rest holds for the others
	Secret  string
	Events  []string // types, invoice.* or *
	Version string   // API version events are rendered in, "" for the API's own
	Auto    bool     // deliver after each answer, not only when told to
	Logical bool     // sign with the world's clock instead of the wall's
}

// SetEndpoint makes e the operator's endpoint, nil for none.
func (w *World) SetEndpoint(e *Endpoint) { w.endpoint.Store(e) }

// Endpoint is the operator's endpoint, nil if there is none.
func (w *World) Endpoint() *Endpoint { return w.endpoint.Load() }

// observe puts into a command what it must know of the endpoint. The caller holds
// the lock.
func (w *World) observe(cmd *twin.Command) {
	e := w.endpoint.Load()
	if e == nil || e.URL == "" || !w.machine.Emits(cmd) {
		return
	}
	cmd.Hooks = twin.HookText(e.Version, e.Events)
}

// hold lets a request wait as a latency rule has it: an entry of its own, then the
// wait without the lock. It is called with the lock and returns with it, unless it
// returns an error.
func (w *World) hold(ctx context.Context, life uint64, cmd *twin.Command) error {
	ms := w.machine.LatencyOf(cmd)
	if ms == 0 {
		return nil
	}
	d := twin.Command{Actor: cmd.Actor, API: cmd.API, Method: cmd.Method, Path: cmd.Path, Op: twin.DelayOp}
	answer, ticket, err := w.execute(ctx, &d, "")
	w.release()
	if err == nil {
		err = w.settle(ticket)
	}
	if err != nil {
		return err
	}
	_ = w.pass(ctx, Committed, &d, answer)
	cmd.After = int64(answer.Seq)
	if err := w.sleep(ctx, cmd, ms); err != nil {
		return err
	}
	return w.acquire(ctx, life)
}

// sleep lets a request wait.
func (w *World) sleep(ctx context.Context, cmd *twin.Command, ms int64) error {
	if err := w.Pass(ctx, Passing{Point: Waiting, For: ForLatency, Command: cmd, Millis: ms}); err != nil {
		if errors.Is(err, ErrAgain) {
			return nil
		}
		return err
	}
	timer := time.NewTimer(time.Duration(ms) * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// InFlight is the number of operations that have begun and not ended.
func (w *World) InFlight() int {
	w.gate.mu.Lock()
	defer w.gate.mu.Unlock()
	return w.gate.inside
}

// Answered says that an answer of the world is on its way to whoever asked: if
// there may be something to deliver, the Host's Deliver is called, which must not
// block.
func (w *World) Answered() {
	if w.due.CompareAndSwap(true, false) && w.host.deliver != nil {
		w.host.deliver(w)
	}
}

// SetDeliver says what Answered calls. It must be called before the Host serves.
func (h *Host) SetDeliver(fn func(*World)) { h.deliver = fn }

// Incarnation is one life of a world, from its creation or a reset on.
type Incarnation = store.Incarnation

// Deliver takes down the outcome of an attempt to deliver, in the life it was made
// in: it is ErrReset when that has ended.
func (w *World) Deliver(ctx context.Context, inc Incarnation, args canon.Raw) (*Answer, error) {
	cmd := twin.Command{Actor: "deliverer", API: "admin", Op: "deliver", Args: args}
	return w.Do(ctx, Request{Command: cmd, Inc: inc})
}
