package testscripts

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"worlds/journal"
	"worlds/journal/canon"
	"worlds/projection"
	"worlds/testscripts/invariant"
	"worlds/twin"
	"worlds/twin/world"
)

// law holds every world of the scenario to what must be true of any run.
func (r *Rig) law() error {
	if r.server == nil {
		return nil
	}
	for _, s := range r.order {
		w, err := r.live(s)
		if err != nil {
			continue // deleted by the scenario
		}
		view, err := w.View(context.Background())
		if err != nil {
			return fmt.Errorf("world %s: %w", s.name, err)
		}
		if r.opt.Keep != nil {
			if err := r.kept(s, w, view); err != nil {
				return err
			}
		}
		idle, err := r.idle(s, view.State)
		if err != nil {
			return err
		}
		if len(idle) > 0 {
			return fmt.Errorf("world %s: fault rules that never acted: %v", s.name, idle)
		}
		reset := func(ctx context.Context) error {
			if err := r.unloaded(w, view); err != nil {
				return err
			}
			return r.server.Admin.Reset(ctx, s.info.ID)
		}
		if err := Law(w, r.server.Host.Catalogs(), reset); err != nil {
			return fmt.Errorf("world %s: %w", s.name, err)
		}
	}
	return nil
}

// idle are the rules of a world that never acted. One that a fork has of its parent
// may have acted there.
func (r *Rig) idle(s *scene, st *projection.State) ([]string, error) {
	idle := idleRules(st)
	if len(idle) == 0 || s.info.Fork == nil {
		return idle, nil
	}
	i := slices.IndexFunc(r.order, func(o *scene) bool { return o.info.ID == s.info.Fork.Parent })
	if i < 0 {
		return idle, nil
	}
	w, err := r.live(r.order[i])
	if err != nil {
		return nil, nil // deleted by the scenario, and its counts with it
	}
	v, err := w.View(context.Background())
	if err != nil {
		return nil, err
	}
	above, err := r.idle(r.order[i], v.State)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(idle, func(id string) bool {
		mine, its := st.Rule(id), v.State.Rule(id)
		return its != nil && bytes.Equal(mine.Spec, its.Spec) && !slices.Contains(above, id)
	}), nil
}

// unloaded takes the world out of memory and sees that it comes back the same.
func (r *Rig) unloaded(w *world.World, v world.View) error {
	r.server.Host.Unload() // finds it in use
	r.server.Host.Unload()
	again, err := w.View(context.Background())
	switch {
	case err != nil:
		return fmt.Errorf("loading it again: %w", err)
	case again.Seq != v.Seq || again.Hash != v.Hash || world.DumpHash(again.State) != world.DumpHash(v.State):
		return fmt.Errorf("unloaded at #%d and loaded again, it stands at #%d, or its dump is another", v.Seq, again.Seq)
	}
	return nil
}

// kept hands the journal of a world to whoever keeps it.
func (r *Rig) kept(s *scene, w *world.World, v world.View) error {
	g, err := w.Genesis()
	if err != nil {
		return err
	}
	entries, err := history(w, v)
	if err == nil {
		r.opt.Keep(filepath.Base(r.work)+"."+s.name, g, entries)
	}
	return err
}

// Law checks a world at rest: every invariant holds; its chain verifies; a fold and
// a re-decision of its journal end in its state; and after a reset it is as a fresh
// one, and the same requests in the same order end in the same dump and the same head
// hash. The world is reset by it, with reset.
func Law(w *world.World, catalogs []*twin.Catalog, reset func(context.Context) error) error {
	ctx := context.Background()
	view, err := w.View(ctx)
	if err != nil {
		return err
	}
	entries, err := history(w, view)
	if err != nil {
		return err
	}
	g, err := w.Genesis()
	if err != nil {
		return err
	}
	found, err := Invariants(ctx, w, g, view, entries)
	if err != nil {
		return err
	}
	if err := violated(found); err != nil {
		return err
	}
	dump := world.DumpHash(view.State)
	for _, mode := range []world.Mode{world.Fold, world.Redecide} {
		report, _ := world.Replay(mode, g, sliceEntries(entries), catalogs, nil)
		switch {
		case !report.Valid:
			return fmt.Errorf("%s: %s at #%d: %s %v", mode, report.Failure, report.Seq, report.Detail, report.Changes)
		case report.DumpHash != dump:
			return fmt.Errorf("%s: the dump differs from the live one", mode)
		case report.Head != view.Hash.String():
			return fmt.Errorf("%s: the head differs from the live one", mode)
		}
	}
	if err := reset(ctx); err != nil {
		return fmt.Errorf("reset: %w", err)
	}
	if err := fresh(ctx, w, g, entries); err != nil {
		return err
	}
	return rerun(ctx, w, entries, dump, view.Hash)
}

// Invariants holds a world to the invariants: its history, its rows, the states kept
// at its marks and what has changed since each of them.
func Invariants(ctx context.Context, w *world.World, g *world.Genesis, v world.View, entries []*journal.Entry) ([]invariant.Violation, error) {
	c := invariant.New(&g.Entry)
	for _, e := range entries {
		c.Next(e)
	}
	c.Rows(v.State)
	c.Objects()
	c.Diff(0, uint64(v.Seq), projection.Compare(g.State(), v.State))
	for _, m := range v.State.Marks() {
		st, err := w.At(ctx, v, journal.Seq(m.Seq))
		if err != nil {
			return nil, err
		}
		c.Past(m.Seq, st)
		c.Diff(m.Seq, uint64(v.Seq), projection.Compare(st, v.State))
	}
	return c.Found(), nil
}

// fresh holds a world that was just reset to its beginning.
func fresh(ctx context.Context, w *world.World, g *world.Genesis, entries []*journal.Entry) error {
	c := invariant.New(&g.Entry)
	for _, e := range entries {
		if b := w.Base(); b == nil || e.Seq > b.Seq {
			break
		}
		c.Next(e)
	}
	v, err := w.View(ctx)
	if err != nil {
		return err
	}
	return violated(c.Reset(invariant.Life{Seq: v.Seq, Hash: v.Hash, State: v.State, InFlight: w.InFlight()}))
}

// violatedMax is how many violations an error names.
const violatedMax = 10

// violated is an error that names violations, nil if there are none.
func violated(found []invariant.Violation) error {
	if len(found) == 0 {
		return nil
	}
	lines := make([]string, 0, violatedMax)
	for _, v := range found[:min(len(found), violatedMax)] {
		lines = append(lines, v.String())
	}
	return fmt.Errorf("%d violations:\n%s", len(found), strings.Join(lines, "\n"))
}

// rerun sends the same requests to the reset world again and compares.
func rerun(ctx context.Context, w *world.World, entries []*journal.Entry, dump string, head journal.Hash) error {
	for _, e := range entries {
		if b := w.Base(); b != nil && e.Seq <= b.Seq {
			continue // a fork's past is there after a reset
		}
		frame, err := journal.ParseBody(e.Body)
		if err != nil {
			return err
		}
		var cmd twin.Command
		if err := canon.Unmarshal(frame.Command, &cmd); err != nil {
			return err
		}
		raw := string(e.Side)
		if raw != "" {
			cmd.Idem = ""
		}
		if _, err := w.Do(ctx, world.Request{Command: cmd, IdemKey: raw, Recorded: true}); err != nil {
			return fmt.Errorf("running entry %d again: %w", e.Seq, err)
		}
	}
	again, err := w.View(ctx)
	if err != nil {
		return err
	}
	if world.DumpHash(again.State) != dump {
		return fmt.Errorf("after a reset the same requests end in another dump")
	}
	if again.Hash != head {
		return fmt.Errorf("after a reset the same requests end in another head hash")
	}
	return nil
}

// history is everything that makes a world, the joints of forks among it.
func history(w *world.World, v world.View) ([]*journal.Entry, error) {
	var out []*journal.Entry
	err := w.History(v, func(e *journal.Entry) error {
		kept := *e
		out = append(out, &kept)
		return nil
	})
	return out, err
}

func sliceEntries(list []*journal.Entry) world.Entries {
	return func(yield func(*journal.Entry, error) bool) {
		for _, e := range list {
			if !yield(e, nil) {
				return
			}
		}
	}
}
