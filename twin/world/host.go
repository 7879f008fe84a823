package world

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"worlds/journal"
	"worlds/journal/canon"
	"worlds/journal/store"
	"worlds/seed"
	"worlds/twin"
)

// Host is the worlds of one server over one journal.
type Host struct {
	store    Journal
	catalogs []*twin.Catalog
	log      *slog.Logger
	hook     Hook
	deliver  func(*World) // nil for none

	// server orders the entries of the server's own stream. Never held while
	// waiting for the disk.
	server sync.Mutex

	// mu guards the maps below, nothing else.
	mu      sync.Mutex
	worlds  map[ID]*World
	genesis map[string]*Genesis

	round atomic.Int64 // how often Unload was called
	turns turns        // of the long operations

	// open is held for reading while an entry that was decided on memory is
	// appended, for writing while the journal opens again and every world is
	// marked to load again: so nothing decided before the seal is appended after.
	open           sync.RWMutex
	opened         int        // how often it was opened again, guarded by open
	reopening      sync.Mutex // held by who tries to open the journal again
	tried          time.Time
	reopenInterval time.Duration
	resetWait      time.Duration
}

// Options are for NewHost.
type Options struct {
	Catalogs []*twin.Catalog
	Logger   *slog.Logger // nil discards
	Hook     Hook         // nil when serving
}

// NewHost returns a Host over an open store, which it does not close.
func NewHost(s Journal, opt Options) *Host {
	if opt.Logger == nil {
		opt.Logger = slog.New(slog.DiscardHandler)
	}
	return &Host{store: s, turns: newTurns(), catalogs: opt.Catalogs, log: opt.Logger, hook: opt.Hook,
		worlds: map[ID]*World{}, genesis: map[string]*Genesis{},
		reopenInterval: ReopenInterval, resetWait: ResetWait}
}

// Catalogs are the twins the Host serves.
func (h *Host) Catalogs() []*twin.Catalog { return h.catalogs }

// Record appends one entry to the server's own stream and waits until it is
// durable.
func (h *Host) Record(command canon.Raw) error { return h.record(command, nil) }

func (h *Host) record(command canon.Raw, c *store.Control) error {
	t, err := h.queue(command, c)
	if err == nil {
		err = t.Wait()
	}
	if err != nil {
		h.mend(err)
		return failed(err)
	}
	return nil
}

// queue appends one entry to the server's own stream. Its head is the store's: no
// copy in memory can part from it.
func (h *Host) queue(command canon.Raw, c *store.Control) (store.Ticket, error) {
	h.server.Lock()
	defer h.server.Unlock()
	head, _ := h.store.Head(0)
	frame := journal.Frame{Command: command, Reply: canon.Raw("null")}
	e := journal.Entry{Seq: head.Seq + 1, Prev: head.Hash, Body: frame.AppendBody(nil)}
	e.Hash = journal.Link(e.Prev, e.Seq, e.Body)
	return h.store.Append(store.Record{Entry: e, Control: c})
}

// ServerLog yields the commands of the server's own stream, oldest first, after
// proving their chain.
func (h *Host) ServerLog(fn func(journal.Seq, canon.Raw) error) error {
	v := journal.NewVerifier(journal.Hash{}, 1)
	return h.store.Scan(0, 0, 1, 0, func(e *journal.Entry) error {
		if err := v.Next(e); err != nil {
			return fmt.Errorf("the server's own stream: %w", err)
		}
		frame, err := journal.ParseBody(e.Body)
		if err != nil {
			return err
		}
		return fn(e.Seq, frame.Command)
	})
}

func genesisKey(hash string, rules int64) string { return fmt.Sprintf("genesis/%d/%s", rules, hash) }

func seedKey(hash string) string { return "seed/" + hash }

// Publish stores a seed and its genesis under their hashes, once; publishing the
// same bytes again changes nothing.
func (h *Host) Publish(s *seed.Seed) (*Genesis, error) {
	key := genesisKey(s.Hash.String(), twin.Rules)
	h.mu.Lock()
	g := h.genesis[key]
	h.mu.Unlock()
	if g != nil {
		return g, nil
	}
	g, err := NewGenesis(s, h.catalogs)
	if err != nil {
		return nil, err
	}
	if err := h.store.PutBlob(seedKey(s.Hash.String()), s.Canonical); err != nil {
		return nil, err
	}
	if err := h.store.PutBlob(key, g.Entry.Body); err != nil {
		return nil, err
	}
	return h.keepGenesis(key, g), nil
}

// Seed returns a published seed by its hash ("sha256:…"). It is read-only.
func (h *Host) Seed(hash string) (*seed.Seed, error) {
	h.mu.Lock()
	g := h.genesis[genesisKey(hash, twin.Rules)]
	h.mu.Unlock()
	if g != nil {
		return g.Seed, nil
	}
	src, err := h.store.Blob(seedKey(hash))
	if err != nil {
		return nil, err
	}
	return seed.Parse(src)
}

// Genesis returns a published genesis by the hash of its seed and its rules.
func (h *Host) Genesis(hash string, rules int64) (*Genesis, error) {
	key := genesisKey(hash, rules)
	h.mu.Lock()
	g := h.genesis[key]
	h.mu.Unlock()
	if g != nil {
		return g, nil
	}
	body, err := h.store.Blob(key)
	if err != nil {
		return nil, err
	}
	if g, err = ParseGenesis(body); err != nil {
		return nil, err
	}
	return h.keepGenesis(key, g), nil
}

func (h *Host) keepGenesis(key string, g *Genesis) *Genesis {
	h.mu.Lock()
	defer h.mu.Unlock()
	if old := h.genesis[key]; old != nil {
		return old
	}
	h.genesis[key] = g
	return g
}

// ID is the number of a world in the journal; 0 is the server's own stream.
type ID = store.World

// Stats are figures of the journal.
type Stats = store.Stats

// ErrNoSuchSeed says that no seed of that hash was published.
var ErrNoSuchSeed = store.ErrBlob

// Create begins the world id: command is what the server's own stream records of
// it. It is durable on return. Attach makes the world known.
func (h *Host) Create(id ID, command canon.Raw) error {
	return h.record(command, &store.Control{Op: store.Create, World: id, Inc: 1})
}

// Origin is where a twin's request comes from: a world, and the label of its key.
type Origin struct {
	World *World
	Actor string // "key:1"
	// Expires is how many requests the key lasts for in one life of the world, 0 for
	// ever.
	Expires int64
}

// Attach makes a world of the journal known to the Host. It reads nothing: a
// world loads when it is first used.
func (h *Host) Attach(id ID, seedHash string, rules int64) *World {
	return h.attach(h.newWorld(id, seedHash, rules))
}

func (h *Host) newWorld(id ID, seedHash string, rules int64) *World {
	return &World{ID: id, SeedHash: seedHash, Rules: rules, host: h, lock: make(chan struct{}, 1)}
}

// attach makes a world known, unless it is already.
func (h *Host) attach(w *World) *World {
	h.mu.Lock()
	defer h.mu.Unlock()
	if old := h.worlds[w.ID]; old != nil {
		return old
	}
	h.worlds[w.ID] = w
	return w
}

// Moved says that w goes on under another number, as its reset said. The caller
// holds the world's lock, or is alone; where the reset has moved it, it does nothing.
func (h *Host) Moved(w *World, id ID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.worlds[id] == w {
		return
	}
	delete(h.worlds, w.ID)
	w.ID = id
	h.worlds[id] = w
}

// Forget makes a world unknown to the Host, as its deletion said.
func (h *Host) Forget(w *World) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.worlds[w.ID] == w {
		delete(h.worlds, w.ID)
	}
}

// Worlds is the number of worlds the Host knows.
func (h *Host) Worlds() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.worlds)
}

// Ready reports whether the journal takes entries.
func (h *Host) Ready() error { return h.store.Sync() }

// Stats are the store's figures.
func (h *Host) Stats() Stats { return h.store.Stats() }

// append appends an entry that was decided on a world's memory.
func (h *Host) append(w *World, r store.Record) (store.Ticket, error) {
	h.open.RLock()
	defer h.open.RUnlock()
	if w.stale.Load() {
		return store.Ticket{}, errStale
	}
	return h.store.Append(r)
}

// errStale says that the journal was opened again while an operation was decided.
var errStale = errors.New("the journal was opened again meanwhile")

// mend tries to open a sealed journal again, at most once a ReopenInterval, so
// that a disk that was full serves again once it has room. The operation that met
// the seal is refused all the same. The caller holds no lock.
func (h *Host) mend(err error) {
	if !errors.Is(err, store.ErrSealed) || !h.reopening.TryLock() {
		return
	}
	defer h.reopening.Unlock()
	//worlds:boundary how often a failing disk is tried; nothing of a world depends on it
	if time.Since(h.tried) < h.reopenInterval {
		return
	}
	h.tried = time.Now() //worlds:boundary as above
	h.open.Lock()
	defer h.open.Unlock()
	if again := h.store.Reopen(); again != nil {
		h.log.Warn("the journal stays sealed", "cause", again)
		return
	}
	h.opened++
	h.log.Info("the journal is open again")
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, w := range h.worlds {
		w.stale.Store(true) // what its memory holds may be ahead of the disk
	}
}
