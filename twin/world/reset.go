package world

import (
	"context"

	"worlds/journal/canon"
	"worlds/journal/store"
)

// Reset takes the world back to its genesis (a fork to its fork point), as one
// entry of the server's own stream: command. It waits up to ResetWait for the
// requests in flight and lets new ones in only afterwards, into the reset world; a
// request that outlives the wait gets ErrReset and is not executed. A new
// incarnation fences what was under way. It costs the same whatever the history.
//
// When forks read the entries of the world's present life, moved is the number
// under which it goes on, so that they keep them; 0 when there are none.
func (w *World) Reset(ctx context.Context, command canon.Raw, moved ID) error {
	return w.replaceLife(ctx, command, func() *store.Control {
		if moved != 0 {
			return &store.Control{Op: store.Create, World: moved, Inc: w.inc + 1}
		}
		return &store.Control{Op: store.Reset, World: w.ID, Inc: w.inc + 1}
	}, func() {
		w.restart()
		if moved != 0 {
			w.host.mu.Lock()
			delete(w.host.worlds, w.ID)
			w.ID = moved
			w.host.worlds[moved] = w
			w.host.mu.Unlock()
		}
	})
}

// Delete ends the world, as one entry of the server's own stream. With keep, its
// entries stay for the forks that read them, until Drop.
func (w *World) Delete(ctx context.Context, command canon.Raw, keep bool) error {
	return w.replaceLife(ctx, command, func() *store.Control {
		if keep {
			return nil
		}
		return &store.Control{Op: store.Drop, World: w.ID}
	}, func() {
		w.gone, w.machine, w.marks, w.keys = true, nil, nil, nil
		w.host.mu.Lock()
		delete(w.host.worlds, w.ID)
		w.host.mu.Unlock()
	})
}

// replaceLife ends the present life of the world by one entry of the server's own
// stream and begins what after says.
func (w *World) replaceLife(ctx context.Context, command canon.Raw, control func() *store.Control, after func()) error {
	if !w.gate.close(w.host.resetWait) {
		return ErrBusy
	}
	defer w.gate.reopen()
	select {
	case w.lock <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer w.release()
	if w.gone {
		return ErrGone
	}
	if head, ok := w.host.store.Head(w.ID); ok {
		w.inc = head.Inc
	}
	// The gate is shut, so this wait for the disk under the lock holds up only
	// those that the reset is about to refuse.
	if err := w.host.record(command, control()); err != nil {
		w.stale.Store(true)
		return err
	}
	// Still under the lock, so that who waits for it finds another life.
	w.gate.turn()
	after()
	w.pulse.beat()
	return nil
}

// restart puts the world at its genesis. The caller holds the lock.
func (w *World) restart() {
	w.machine, w.marks, w.keys = nil, nil, nil
	w.change = store.Ticket{}
}
