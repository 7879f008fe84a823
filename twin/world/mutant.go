package world

import "context"

// doOnOldState is Do as the mutant lost-update has it: the operation decides on the
// state as it is now, and what others do before it gets the lock is lost.
func (w *World) doOnOldState(ctx context.Context, r Request) (*Answer, error) {
	cmd := r.Command
	life, err := w.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer w.gate.leave()
	if err := w.acquire(ctx, life); err != nil {
		return nil, err
	}
	old, seq := w.machine.State.Copy(), w.seq
	w.release()
	if err := w.pass(ctx, Produced, &cmd, nil); err != nil {
		return nil, err
	}
	if err := w.acquire(ctx, life); err != nil {
		return nil, err
	}
	if w.seq != seq {
		w.machine.State = old
	}
	w.release()
	answer, ticket, err := w.inside(ctx, life, &cmd, &r)
	if err == nil {
		err = w.settle(ticket)
	}
	if err != nil {
		w.host.mend(err)
		return nil, err
	}
	w.pulse.beat()
	_ = w.pass(ctx, Committed, &cmd, answer)
	return answer, nil
}
