package world

import (
	"context"
	"errors"
	"fmt"

	"worlds/journal"
	"worlds/journal/canon"
	"worlds/journal/mutant"
	"worlds/journal/store"
	"worlds/projection"
	"worlds/twin"
)

// Base is where a fork left its parent: a position in one life of a world, whose
// entries up to there are the fork's own past. Of is where that world itself was
// forked from, nil if it was not.
type Base struct {
	ID   ID
	Inc  Incarnation
	Seq  journal.Seq
	Hash journal.Hash // of the parent's entry Seq
	Of   *Base
}

// forkOp is the operation of the entry that joins a fork to its parent's past.
const forkOp = "fork"

// forkCommand is the command of that entry. It names the parent by its hash, never
// by an id, so that equal forks of equal worlds have equal chains.
type forkCommand struct {
	Op     string `json:"op"`
	Parent string `json:"parent_head"`
	Seq    int64  `json:"parent_seq"`
}

// entry is the fork's genesis: it stands at the parent's number and follows the
// parent's entry.
func (b *Base) entry() journal.Entry {
	frame := journal.Frame{
		Command: canon.Marshal(&forkCommand{Op: forkOp, Parent: b.Hash.String(), Seq: int64(b.Seq)}),
		Reply:   canon.Raw("null"),
	}
	e := journal.Entry{Seq: b.Seq, Prev: b.Hash, Body: frame.AppendBody(nil)}
	e.Hash = journal.Link(e.Prev, e.Seq, e.Body)
	return e
}

// isFork reports whether an entry joins a fork to the past before it.
func isFork(frame *journal.Frame) bool {
	raw, _ := canon.Get(frame.Command, "op")
	op, _ := canon.Unquote(raw)
	_, parent := canon.Get(frame.Command, "parent_head")
	return op == forkOp && parent
}

// origin is where the world's own entries follow: its genesis or its fork entry.
func (w *World) origin(g *Genesis) (journal.Seq, journal.Hash) {
	if w.base == nil {
		return 0, g.Entry.Hash
	}
	return w.base.Seq, w.base.entry().Hash
}

// joint is the entry at which the world, or one it comes from, was forked after
// entry seq; nil if none was.
func (w *World) joint(seq journal.Seq) *journal.Entry {
	for b := w.base; b != nil; b = b.Of {
		if b.Seq == seq {
			e := b.entry()
			return &e
		}
	}
	return nil
}

// first is the number before the world's own first entry.
func (w *World) first() journal.Seq {
	if w.base == nil {
		return 0
	}
	return w.base.Seq
}

// Base is where the world was forked from, nil if it was not. It is read-only.
func (w *World) Base() *Base { return w.base }

// past hands out the entries from..to of what lies before a fork, oldest first.
// With joints, the entries that join forks to their past are among them, but not
// the one of b itself.
func (h *Host) past(b *Base, scan scanner, from, to journal.Seq, joints bool, fn func(*journal.Entry) error) error {
	first := journal.Seq(1)
	if b.Of != nil {
		if err := h.past(b.Of, scan, from, min(to, b.Of.Seq), joints, fn); err != nil {
			return err
		}
		if joints {
			e := b.Of.entry()
			if err := fn(&e); err != nil {
				return err
			}
		}
		first = b.Of.Seq + 1
	}
	from, to = max(from, first), min(to, b.Seq)
	if from > to {
		return nil
	}
	return scan(b.ID, b.Inc, from, to, fn)
}

// Branch is a position that a fork can begin at, and what memory has of it.
type Branch struct {
	Base   *Base
	Clock  int64 // of the world at the position
	world  *World
	start  *start // nil if memory has no state of it: the fork loads when it is used
	opened int    // Host.opened when it was found
}

// start is what a fork has in memory from its first moment.
type start struct {
	genesis *Genesis
	state   *projection.State
	keys    *keyring
}

// Branch finds the position after entry at in the life a view is of. It changes
// nothing and costs the same whatever the history.
func (w *World) Branch(ctx context.Context, v View, at journal.Seq) (*Branch, error) {
	if at > v.Seq {
		return nil, fmt.Errorf("%w: %d, the last is %d", ErrNoSuchSeq, at, v.Seq)
	}
	life, err := w.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer w.gate.leave()
	w.host.open.RLock()
	b := &Branch{world: w, opened: w.host.opened}
	w.host.open.RUnlock()
	if err := w.acquire(ctx, life); err != nil {
		return nil, err
	}
	defer w.release()
	if w.inc != v.Inc {
		return nil, ErrReset
	}
	b.Base = &Base{ID: w.ID, Inc: w.inc, Seq: at, Of: w.base}
	for b.Base.Of != nil && at <= b.Base.Of.Seq { // a position before the fork is the parent's
		b.Base = &Base{ID: b.Base.Of.ID, Inc: b.Base.Of.Inc, Seq: at, Of: b.Base.Of.Of}
	}
	return b, b.find()
}

// find fills in what is at the position. The caller holds the world's lock.
func (b *Branch) find() error {
	w, at := b.world, b.Base.Seq
	switch {
	case at == 0:
		b.Base.Hash = w.genesis.Entry.Hash
		b.start = &start{w.genesis, w.genesis.State(), newKeyring()}
	case at == w.seq && w.seq > w.first():
		b.Base.Hash = w.hash
		b.start = &start{w.genesis, w.machine.State.Copy(), w.keys.fork(w.keys.count)}
		if mutant.Is("fork-sees-later") {
			b.start.state = w.machine.State
		}
	default:
		for _, m := range w.marks {
			if m.seq == at {
				b.start = &start{w.genesis, m.state.Copy(), w.keys.fork(m.keys)}
			}
		}
		return b.read()
	}
	b.Clock = b.start.state.Now()
	return nil
}

// read reads the entry at the position: its hash, and the clock after it.
func (b *Branch) read() error {
	err := error(ErrNoSuchSeq)
	scanned := b.world.host.store.Scan(b.Base.ID, b.Base.Inc, b.Base.Seq, b.Base.Seq, func(e *journal.Entry) error {
		var frame journal.Frame
		frame, err = journal.ParseBody(e.Body)
		b.Base.Hash, b.Clock = e.Hash, frame.At
		return nil
	})
	if scanned != nil {
		return lifeEnded(scanned)
	}
	return err
}

// Begin begins the world id at the branch, as one entry of the server's own stream:
// command. The fork shares the past and the state. It is durable on return. It is
// ErrReset when the life that the branch is of has ended, which the caller must
// keep from happening meanwhile: see End.
func (b *Branch) Begin(id ID, command canon.Raw) (*World, error) {
	w := b.world
	if head, ok := w.host.store.Head(b.Base.ID); !ok || head.Inc != b.Base.Inc {
		return nil, ErrReset
	}
	if err := b.record(command, &store.Control{Op: store.Create, World: id, Inc: 1}); err != nil {
		return nil, err
	}
	f := w.host.AttachFork(id, w.SeedHash, w.Rules, b.Base)
	if b.start != nil {
		f.lock <- struct{}{}
		f.begin(b.start)
		f.release()
	}
	return f, nil
}

// record records the fork: not when the journal was opened again meanwhile, which
// may have cost entries of reads that the fork would build on. What is queued
// before the record is durable with it.
func (b *Branch) record(command canon.Raw, c *store.Control) error {
	h := b.world.host
	h.open.RLock()
	t, err := store.Ticket{}, errStale
	if h.opened == b.opened {
		t, err = h.queue(command, c)
	}
	h.open.RUnlock()
	if err == nil {
		err = t.Wait()
	}
	if err != nil {
		h.mend(err)
		return failed(err)
	}
	return nil
}

// begin puts a fork at its fork point. The caller holds the lock.
func (w *World) begin(s *start) {
	w.genesis, w.keys = s.genesis, s.keys
	w.machine = twin.NewMachine(s.state, twin.SpecOf(s.genesis.Seed), w.host.catalogs...)
	w.machine.Fault = w.fault
	w.inc, w.marks, w.change, w.used = 1, nil, store.Ticket{}, w.host.round.Load()
	w.seq, w.hash = w.origin(s.genesis)
	w.due.Store(w.machine.State.HasPending())
}

// AttachFork is Attach for a fork.
func (h *Host) AttachFork(id ID, seedHash string, rules int64, base *Base) *World {
	w := h.newWorld(id, seedHash, rules)
	w.base = base
	return h.attach(w)
}

// History hands out everything that makes the world up to a view: the entries
// from the first, across the forks it comes from, and the entries that join
// them. The genesis is not among them.
func (w *World) History(v View, fn func(*journal.Entry) error) error {
	return w.history(w.host.store.Scan, v, fn)
}

// Walk is History for an fn that keeps nothing: an entry is good until fn returns.
func (w *World) Walk(v View, fn func(*journal.Entry) error) error {
	return w.history(w.host.store.Walk, v, fn)
}

// scanner is the Scan or the Walk of a Journal.
type scanner func(w store.World, inc store.Incarnation, from, to journal.Seq, fn func(*journal.Entry) error) error

func (w *World) history(scan scanner, v View, fn func(*journal.Entry) error) error {
	if w.base != nil {
		if err := w.host.past(w.base, scan, 1, w.base.Seq, true, fn); err != nil {
			return lifeEnded(err)
		}
		e := w.base.entry()
		if err := fn(&e); err != nil {
			return err
		}
	}
	return w.ownEntries(v, scan, 1, v.Seq, fn)
}

// errEnough ends the walk of who has seen enough.
var errEnough = errors.New("enough")

// entries is Walk to range over.
func (w *World) entries(v View) Entries {
	return func(yield func(*journal.Entry, error) bool) {
		err := w.Walk(v, func(e *journal.Entry) error {
			if !yield(e, nil) {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield(nil, err)
		}
	}
}

// Recorded is Walk of the world as the journal has it, without loading it: what
// is damaged, or of other rules, can still be read as far as it goes.
func (w *World) Recorded(fn func(*journal.Entry) error) error {
	head, ok := w.host.store.Head(w.ID)
	if !ok {
		return fmt.Errorf("world %d: %w", w.ID, ErrGone)
	}
	return w.Walk(View{Inc: head.Inc, Seq: max(head.Seq, w.first()), id: w.ID}, fn)
}

// ownEntries hands out entries that the world has itself.
func (w *World) ownEntries(v View, scan scanner, from, to journal.Seq, fn func(*journal.Entry) error) error {
	if w.base != nil {
		from = max(from, w.base.Seq+1)
	}
	if from > to {
		return nil
	}
	return lifeEnded(scan(v.id, v.Inc, from, to, fn))
}

// lifeEnded words a scan that came too late.
func lifeEnded(err error) error {
	switch {
	case errors.Is(err, store.ErrIncarnation):
		return fmt.Errorf("%w: %w", ErrReset, err)
	case errors.Is(err, store.ErrWorld):
		return fmt.Errorf("%w: %w", ErrGone, err)
	}
	return err
}

// Drop gives up the entries of a world that no longer has a name: what forks that
// are gone now were the last to read. command is what the server's own stream
// records of it.
func (h *Host) Drop(id ID, command canon.Raw) error {
	return h.record(command, &store.Control{Op: store.Drop, World: id})
}
