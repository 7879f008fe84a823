package world

import (
	"context"

	"worlds/journal/canon"
	"worlds/journal/mutant"
	"worlds/journal/store"
	"worlds/twin"
)

// End is how the caller has the end of a life recorded. It is called once nobody is
// inside the world any more, and calls record at most once, with what the server's
// own stream records of it; it may hold a lock of its own around the call. moved is
// 0 unless forks read the entries of that life. See Reset and Delete.
type End func(record func(command canon.Raw, moved ID) error) error

// Plainly is the End of a world that no fork reads from.
func Plainly(command canon.Raw) End {
	return func(record func(canon.Raw, ID) error) error { return record(command, 0) }
}

// Reset takes the world back to its genesis (a fork to its fork point), as one
// entry of the server's own stream. It waits up to ResetWait for the requests in
// flight and lets new ones in only afterwards, into the reset world; a request that
// outlives the wait gets ErrReset and is not executed. A new incarnation fences
// what was under way. It costs the same whatever the history.
//
// When forks read the entries of the world's present life, moved is the number
// under which it goes on, so that they keep them.
func (w *World) Reset(ctx context.Context, end End) error {
	return w.replaceLife(ctx, "reset", end, func(moved ID) *store.Control {
		if moved != 0 {
			return &store.Control{Op: store.Create, World: moved, Inc: w.inc + 1}
		}
		return &store.Control{Op: store.Reset, World: w.ID, Inc: w.inc + 1}
	}, func(moved ID) {
		w.restart()
		if moved != 0 {
			w.host.Moved(w, moved)
		}
	})
}

// Delete ends the world, as one entry of the server's own stream. When moved is not
// 0, its entries stay for the forks that read them, until Drop.
func (w *World) Delete(ctx context.Context, end End) error {
	return w.replaceLife(ctx, "delete", end, func(moved ID) *store.Control {
		if moved != 0 {
			return nil
		}
		return &store.Control{Op: store.Drop, World: w.ID}
	}, func(ID) {
		w.gone, w.machine, w.marks, w.keys = true, nil, nil, nil
		w.host.mu.Lock()
		delete(w.host.worlds, w.ID)
		w.host.mu.Unlock()
	})
}

// replaceLife ends the present life of the world by one entry of the server's own
// stream and begins what after says.
func (w *World) replaceLife(ctx context.Context, op string, end End, control func(ID) *store.Control, after func(ID)) error {
	cmd := &twin.Command{Actor: "admin", API: "admin", Op: op}
	if err := w.pass(ctx, Produced, cmd, nil); err != nil {
		return err
	}
	if err := w.endLife(ctx, cmd, end, control, after); err != nil {
		return err
	}
	_ = w.pass(ctx, Committed, cmd, nil)
	return nil
}

func (w *World) endLife(ctx context.Context, cmd *twin.Command, end End, control func(ID) *store.Control, after func(ID)) error {
	if !w.gate.close() {
		return ErrBusy
	}
	defer w.gate.reopen()
	w.clear(ctx)
	if err := w.Take(ctx, ForLock, w.lock); err != nil {
		return err
	}
	defer w.release()
	if w.gone {
		return ErrGone
	}
	if err := w.pass(ctx, Decided, cmd, nil); err != nil {
		return err
	}
	if head, ok := w.host.store.Head(w.ID); ok {
		w.inc = head.Inc
	}
	// The gate is shut, so this wait for the disk under the lock holds up only
	// those that the reset is about to refuse.
	return end(func(command canon.Raw, moved ID) error {
		if err := w.host.record(command, control(moved)); err != nil {
			w.stale.Store(true)
			return err
		}
		// Still under the lock, so that who waits for it finds another life.
		if !mutant.Is("reset-unfenced") {
			w.gate.turn()
		}
		after(moved)
		w.pulse.beat()
		return nil
	})
}

// restart puts the world at its genesis. The caller holds the lock.
func (w *World) restart() {
	if w.change = (store.Ticket{}); mutant.Is("reset-keeps-state") {
		w.seq, w.hash = w.origin(w.genesis)
		w.inc++
		return
	}
	w.machine, w.marks, w.keys = nil, nil, nil
}
