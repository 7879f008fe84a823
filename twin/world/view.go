package world

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"worlds/journal"
	"worlds/journal/store"
	"worlds/projection"
)

// View is one world at one position. The State is the caller's own.
type View struct {
	State *projection.State
	Seq   journal.Seq
	Hash  journal.Hash
	Inc   store.Incarnation
	id    ID // the number the life has in the journal
}

// View returns the world as it stands, once everything in it is durable.
func (w *World) View(ctx context.Context) (View, error) {
	v, err := w.durable(ctx)
	if err == nil && w.ahead(&v) {
		w.stale.Store(true)
		v, err = w.durable(ctx)
	}
	return v, err
}

func (w *World) durable(ctx context.Context) (View, error) {
	v, ticket, err := w.peek(ctx)
	if err != nil {
		return View{}, err
	}
	if err := ticket.Wait(); err != nil {
		w.stale.Store(true)
		return View{}, failed(err)
	}
	return v, nil
}

// ahead reports whether the view counts entries that the journal lost: those of
// reads, which nobody waits for, when a write failed.
func (w *World) ahead(v *View) bool {
	head, ok := w.host.store.Head(v.id)
	return ok && head.Inc == v.Inc && max(head.Seq, w.first()) < v.Seq
}

func (w *World) peek(ctx context.Context) (View, store.Ticket, error) {
	life, err := w.enter(ctx)
	if err != nil {
		return View{}, store.Ticket{}, err
	}
	defer w.gate.leave()
	if err := w.acquire(ctx, life); err != nil {
		return View{}, store.Ticket{}, err
	}
	defer w.release()
	return View{State: w.machine.State.Copy(), Seq: w.seq, Hash: w.hash, Inc: w.inc, id: w.ID}, w.change, nil
}

// ViewAt is the world as it stood after entry seq of the life a view is of.
func (w *World) ViewAt(ctx context.Context, v View, seq journal.Seq) (View, error) {
	if seq == v.Seq {
		return v, nil
	}
	st, err := w.At(ctx, v, seq)
	if err != nil {
		return View{}, err
	}
	past := View{State: st, Seq: seq, Inc: v.Inc, id: v.id}
	switch g, err := w.Genesis(); {
	case err != nil:
		return View{}, err
	case w.joint(seq) != nil:
		past.Hash = w.joint(seq).Hash
	case seq == 0:
		past.Hash = g.Entry.Hash
	default:
		err = w.EntriesOf(v, seq, seq, func(e *journal.Entry) error {
			past.Hash = e.Hash
			return nil
		})
		return past, err
	}
	return past, nil
}

// Errors about positions.
var (
	ErrNoSuchSeq  = errors.New("the world has no such entry")
	ErrNoSuchMark = errors.New("the world has no such mark")
)

// Position reads what names a position: a mark, or a number with or without "#".
// mark is "" for a number.
func (v *View) Position(text string) (seq journal.Seq, mark string, err error) {
	digits := strings.TrimPrefix(text, "#")
	if digits != "" && digits[0] >= '0' && digits[0] <= '9' {
		n, err := strconv.ParseUint(digits, 10, 53)
		if err != nil || journal.Seq(n) > v.Seq {
			return 0, "", fmt.Errorf("%w: %s, the last is %d", ErrNoSuchSeq, text, v.Seq)
		}
		return journal.Seq(n), "", nil
	}
	m := v.State.Mark(text)
	if m == nil {
		return 0, "", fmt.Errorf("%w: %q", ErrNoSuchMark, text)
	}
	return journal.Seq(m.Seq), text, nil
}

// At returns the state after entry seq in the life a view is of, from memory where
// a mark kept it, by replaying the prefix otherwise. It is ErrReset when that life
// has ended.
func (w *World) At(ctx context.Context, v View, seq journal.Seq) (*projection.State, error) {
	switch {
	case seq > v.Seq:
		return nil, fmt.Errorf("%w: %d, the last is %d", ErrNoSuchSeq, seq, v.Seq)
	case seq == v.Seq:
		return v.State.Copy(), nil
	}
	if st := w.marked(ctx, v.Inc, seq); st != nil {
		return st, nil
	}
	return w.Replayed(v, seq)
}

// Replayed returns the state after entry seq by folding the journal's prefix.
func (w *World) Replayed(v View, seq journal.Seq) (*projection.State, error) {
	g, err := w.host.Genesis(w.SeedHash, w.Rules)
	if err != nil {
		return nil, err
	}
	st := g.State()
	if seq == 0 {
		return st, nil
	}
	err = w.entriesOf(w.host.store.Walk, v, 1, seq, func(e *journal.Entry) error {
		frame, err := journal.ParseBody(e.Body)
		if err != nil {
			return err
		}
		return st.Fold(uint64(e.Seq), frame.Facts)
	})
	if err != nil {
		return nil, err
	}
	return st, nil
}

// Genesis returns where the world began.
func (w *World) Genesis() (*Genesis, error) { return w.host.Genesis(w.SeedHash, w.Rules) }

// Entries hands out the entries from..to of the world's present life (to 0: up to
// the head), all of them durable.
func (w *World) Entries(ctx context.Context, from, to journal.Seq, fn func(*journal.Entry) error) error {
	v, err := w.View(ctx)
	if err != nil {
		return err
	}
	return w.EntriesOf(v, from, to, fn)
}

// EntriesOf is Entries of the life and up to the position of a view. It is ErrReset
// when that life has ended, and what fn returns when that is an error.
func (w *World) EntriesOf(v View, from, to journal.Seq, fn func(*journal.Entry) error) error {
	return w.entriesOf(w.host.store.Scan, v, from, to, fn)
}

func (w *World) entriesOf(scan scanner, v View, from, to journal.Seq, fn func(*journal.Entry) error) error {
	if to == 0 || to > v.Seq {
		to = v.Seq
	}
	if from > to {
		return nil
	}
	if w.base != nil && from <= w.base.Seq {
		if err := w.host.past(w.base, scan, from, min(to, w.base.Seq), false, fn); err != nil {
			return lifeEnded(err)
		}
	}
	return w.ownEntries(v, scan, from, to, fn)
}

// marked returns a copy of the state kept at a mark of a life, nil if there is none.
func (w *World) marked(ctx context.Context, inc store.Incarnation, seq journal.Seq) *projection.State {
	life, err := w.enter(ctx)
	if err != nil {
		return nil
	}
	defer w.gate.leave()
	if w.acquire(ctx, life) != nil {
		return nil
	}
	defer w.release()
	for _, m := range w.marks {
		if m.seq == seq && w.inc == inc {
			return m.state.Copy()
		}
	}
	return nil
}
