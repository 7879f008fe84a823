package world

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"worlds/journal"
	"worlds/journal/canon"
	"worlds/journal/mutant"
	"worlds/journal/store"
	"worlds/projection"
	"worlds/twin"
)

// World is one append-only journal with one writer.
type World struct {
	ID       ID
	SeedHash string
	Rules    int64
	host     *Host
	base     *Base // where the world was forked from, nil if it was not
	gate     gate
	pulse    pulse
	stale    atomic.Bool // memory may be ahead of the journal: load again
	due      atomic.Bool // there may be something to deliver
	endpoint atomic.Pointer[Endpoint]

	// lock is held by whoever is inside; capacity one.
	lock chan struct{}
	// The rest is owned by the holder of lock.
	used    int64 // the Host's round when it was last used
	genesis *Genesis
	machine *twin.Machine // nil until loaded, and again when unloaded
	inc     store.Incarnation
	seq     journal.Seq
	hash    journal.Hash
	keys    *keyring
	marks   []markState
	change  store.Ticket // of the last entry that changed something
	gone    bool
}

// markState is the state at a mark, kept so that a diff need not replay.
type markState struct {
	seq   journal.Seq
	state *projection.State
	keys  int // idempotency keys used so far
}

// Errors of a World's operations.
var (
	ErrReset   = errors.New("the world was reset while the request was waiting")
	ErrGone    = errors.New("the world was deleted")
	ErrBusy    = errors.New("another reset of the world is under way")
	ErrJournal = errors.New("the journal could not be written")
	ErrDamaged = errors.New("its journal is damaged")
)

// Request is a command with what must not be in it: the raw idempotency key.
type Request struct {
	Command twin.Command
	IdemKey string
	// Progress, if not nil, is told how far an advance has come.
	Progress func(fired, at int64)
	// Recorded says that the command comes from a journal: what it observed from
	// outside stands, and it does not wait.
	Recorded bool
	// Inc is the life of the world that the operation belongs to, 0 for whichever is.
	Inc Incarnation
}

// Answer is an Outcome with its place in the journal. Seq is 0 when the journal is
// sealed and a read was answered without an entry.
type Answer struct {
	twin.Outcome
	Seq journal.Seq
}

// Do executes one operation and returns once it may be seen: a change when its
// entry is durable, a read when every change it can have seen is. The error is
// one of ours or ctx's; what the twin refuses is an Answer.
func (w *World) Do(ctx context.Context, r Request) (*Answer, error) {
	if mutant.Is("lost-update") {
		return w.doOnOldState(ctx, r)
	}
	cmd := r.Command
	life, err := w.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer w.gate.leave()
	if err := w.pass(ctx, Produced, &cmd, nil); err != nil {
		return nil, err
	}
	answer, ticket, err := w.inside(ctx, life, &cmd, &r)
	if err != nil {
		w.host.mend(err)
		return nil, err
	}
	if err := w.settle(ticket); err != nil {
		return nil, err
	}
	w.pulse.beat()
	_ = w.pass(ctx, Committed, &cmd, answer)
	return answer, nil
}

// inside is the part of an operation that holds the lock; a panic does not keep it.
func (w *World) inside(ctx context.Context, life uint64, cmd *twin.Command, r *Request) (*Answer, store.Ticket, error) {
	if err := w.acquire(ctx, life); err != nil {
		return nil, store.Ticket{}, err
	}
	held := true
	defer func() {
		if held {
			w.release()
		}
	}()
	if r.Inc != 0 && r.Inc != w.inc && !mutant.Is("late-outcome") {
		return nil, store.Ticket{}, ErrReset
	}
	if !r.Recorded {
		w.observe(cmd)
		if err := w.hold(ctx, life, cmd); err != nil {
			held = false
			return nil, store.Ticket{}, err
		}
	}
	w.machine.Progress = r.Progress
	w.machine.Interrupt = func() error {
		if w.gate.overdue() {
			return ErrReset
		}
		return ctx.Err()
	}
	return w.execute(ctx, cmd, r.IdemKey)
}

// settle waits until an entry is durable.
func (w *World) settle(ticket store.Ticket) error {
	if mutant.Is("early-publish") {
		return nil
	}
	if err := ticket.Wait(); err != nil {
		w.stale.Store(true)
		w.host.mend(err)
		return failed(err)
	}
	return nil
}

// acquire takes the lock for an operation of one life and loads the world.
func (w *World) acquire(ctx context.Context, life uint64) error {
	if err := w.Take(ctx, ForLock, w.lock); err != nil {
		return err
	}
	w.used = w.host.round.Load()
	err := w.ready(life)
	if err != nil {
		w.release()
	}
	return err
}

func (w *World) release() { <-w.lock }

// ready loads the world if it must be, for an operation of one life. The caller
// holds the lock.
func (w *World) ready(life uint64) error {
	switch {
	case w.gone:
		return ErrGone
	case !w.gate.current(life):
		return ErrReset
	case w.machine != nil && !w.stale.Load():
		return nil
	case w.Rules != twin.Rules:
		return fmt.Errorf("%w: the world has rules %d, this engine %d", ErrRules, w.Rules, twin.Rules)
	}
	w.stale.Store(false)
	if err := w.load(); err != nil {
		w.stale.Store(true)
		return err
	}
	return nil
}

// execute decides and appends one command. The caller holds the lock. A panic
// outside the decide functions is our fault: the world loads again.
func (w *World) execute(ctx context.Context, cmd *twin.Command, rawKey string) (answer *Answer, ticket store.Ticket, err error) {
	defer func() {
		if p := recover(); p != nil {
			w.stale.Store(true)
			w.host.log.Error("operation panicked", "world", w.ID, "path", cmd.Path, "panic", p)
			err = fmt.Errorf("internal fault: %v", p)
		}
	}()
	side, fresh := w.alias(cmd, rawKey)
	var long *spool
	if w.machine.Spill = nil; cmd.Op != "" && w.host.hook == nil { // what an operator asks for may take long; a hook sees all facts
		long = &spool{prev: w.hash, seq: w.seq + 1, cmd: cmd, long: turn{of: w.host.turns, ctx: ctx, late: w.gate.lateness()}}
		defer long.stop()
		w.machine.Spill = long.take
	}
	out := w.machine.Execute(uint64(w.seq+1), cmd)
	if out.Aborted != nil {
		if fresh {
			w.keys.forget(rawKey) // no entry says that this key was used
		}
		return nil, store.Ticket{}, out.Aborted
	}
	if err := w.pass(ctx, Decided, cmd, &Answer{Outcome: out}); err != nil {
		w.stale.Store(true)
		return nil, store.Ticket{}, err
	}
	if cmd.API == "admin" && out.Status >= 400 && !out.Changed {
		return &Answer{Outcome: out}, w.change, nil // an operator's refusal is no part of the world
	}
	r := store.Record{World: w.ID, Inc: w.inc, Entry: journal.Entry{Seq: w.seq + 1, Prev: w.hash, Side: side}, Lazy: !out.Changed}
	e := &r.Entry
	if out.Spilled > 0 {
		e.Hash, r.Packed = long.finish(&out, w.machine.State.Now())
	} else {
		frame := journal.Frame{At: w.machine.State.Now(), Command: canon.Marshal(cmd), Facts: out.Facts, Reply: out.Reply}
		room := bodies.Get().(*[]byte)
		defer bodies.Put(room) // the journal has it by then
		e.Body = frame.AppendBody((*room)[:0])
		if len(e.Body) <= bodyKeptMax {
			*room = e.Body
		}
		e.Hash = journal.Link(e.Prev, e.Seq, e.Body)
	}
	t, err := w.host.append(w, r)
	switch {
	case err == nil:
	case !out.Changed && errors.Is(err, store.ErrSealed):
		// Memory is right as far as the last change is: its ticket tells.
		return &Answer{Outcome: out}, w.change, nil
	default:
		w.stale.Store(true)
		return nil, t, failed(err)
	}
	w.seq, w.hash = e.Seq, e.Hash
	if out.Changed {
		w.change = t
		w.keepMark(out.Facts)
		if w.machine.State.HasPending() {
			w.due.Store(true)
		}
	}
	return &Answer{Outcome: out, Seq: e.Seq}, w.change, nil
}

// bodies are the rooms in which the bodies of entries are made, up to a size.
var bodies = sync.Pool{New: func() any { return new([]byte) }}

const bodyKeptMax = 64 << 10

func failed(err error) error { return fmt.Errorf("%w: %w", ErrJournal, err) }

// alias replaces a raw idempotency key by its alias, which is its place in the
// order of first use, and returns the entry's sidecar.
func (w *World) alias(cmd *twin.Command, raw string) (side []byte, fresh bool) {
	switch {
	case raw == "" || cmd.Method == "GET":
		return nil, false
	case len(raw) > twin.IdemKeyMax:
		cmd.Idem = twin.IdemTooLong
		return nil, false
	case w.machine.Spec.RawKeys:
		cmd.Idem = raw
		return nil, false
	}
	cmd.Idem, fresh = w.keys.alias(raw)
	return []byte(raw), fresh
}

// load folds the world from its journal. The caller holds the lock.
func (w *World) load() error {
	g, err := w.host.Genesis(w.SeedHash, w.Rules)
	if err != nil {
		return fmt.Errorf("world %d: %w: its genesis: %w", w.ID, ErrDamaged, err)
	}
	head, ok := w.host.store.Head(w.ID)
	if !ok {
		return fmt.Errorf("world %d: %w", w.ID, store.ErrWorld)
	}
	w.genesis, w.machine = g, g.Machine(w.host.catalogs)
	w.machine.Fault = w.fault
	w.inc, w.seq, w.hash = head.Inc, 0, g.Entry.Hash
	w.keys, w.marks, w.change = newKeyring(), nil, store.Ticket{}
	if mutant.Is("keys-outlive-reset") {
		w.keys.count = int(head.Inc) - 1
	}
	links := NewLinks(g.Entry.Hash)
	for e, failed := range ahead(w.entries(View{Inc: head.Inc, Seq: max(head.Seq, w.first()), id: w.ID}), new(projection.Keeper)) {
		if err = failed; err != nil {
			break
		}
		joint, bad := links.next(e)
		if bad == nil {
			w.seq, w.hash = e.Seq, e.Hash
			if !joint {
				bad = w.take(e)
			}
		}
		if bad != nil {
			err = fmt.Errorf("%w: %w", ErrDamaged, bad)
			break
		}
	}
	if err == nil {
		if w.machine.State.HasDeliveries() { // who delivers asks for events
			w.machine.State.IndexEvents()
		}
		w.due.Store(w.machine.State.HasPending())
		return nil
	}
	w.machine = nil
	var damage *store.DamageError
	switch {
	case errors.Is(err, ErrDamaged):
		return fmt.Errorf("world %d: %w", w.ID, err)
	case errors.As(err, &damage):
		return fmt.Errorf("world %d: %w: %w", w.ID, ErrDamaged, err)
	}
	return fmt.Errorf("world %d: %w", w.ID, failed(err))
}

// take folds one entry of the journal.
func (w *World) take(e *journal.Checked) error {
	frame := &e.Frame
	if err := w.machine.State.FoldKept(uint64(e.Seq), frame.Facts); err != nil {
		return err
	}
	if len(e.Side) > 0 {
		raw, _ := canon.Get(frame.Command, "idem")
		if alias, ok := canon.Unquote(raw); ok {
			w.keys.learn(string(e.Side), alias)
		}
	}
	w.keepMark(frame.Facts)
	return nil
}

// keepMark keeps the state when the facts hold a mark.
func (w *World) keepMark(facts []canon.Raw) {
	for _, f := range facts {
		if bytes.HasPrefix(f, []byte(`["mark"`)) {
			if len(w.marks) == MarkStatesMax {
				w.marks = w.marks[1:]
			}
			st := w.machine.State.Copy()
			if mutant.Is("mark-moves-on") {
				st = w.machine.State
			}
			w.marks = append(w.marks, markState{seq: w.seq, state: st, keys: w.keys.count})
		}
	}
}

func (w *World) fault(cmd *twin.Command, panicked any) {
	w.host.log.Error("request failed", "world", w.ID, "method", cmd.Method, "path", cmd.Path, "panic", panicked)
}
