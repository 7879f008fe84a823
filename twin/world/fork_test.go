package world_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"worlds/journal"
	"worlds/journal/canon"
	"worlds/journal/store"
	"worlds/twin"
	"worlds/twin/world"
)

// begin makes a fork.
func (r *rig) begin(v world.View, at journal.Seq, id world.ID) (*world.World, error) {
	b, err := r.world.Branch(context.Background(), v, at)
	if err != nil {
		return nil, err
	}
	return b.Begin(id, admin("fork", id))
}

// fork branches the rig's world; the rig returned is of the branch.
func (r *rig) fork(at journal.Seq, id world.ID) *rig {
	r.t.Helper()
	f, err := r.begin(r.view(), at, id)
	if err != nil {
		r.t.Fatalf("fork at %d: %v", at, err)
	}
	return r.on(f)
}

// on is the rig with another world in hand.
func (r *rig) on(w *world.World) *rig {
	other := *r
	other.world = w
	return &other
}

// reattach finds a fork again after a restart.
func (r *rig) reattach(f *rig) *rig {
	return r.on(r.host.AttachFork(f.world.ID, r.seed.Hash.String(), twin.Rules, f.world.Base()))
}

// moved is the End of a life whose entries forks read.
func moved(command canon.Raw, to world.ID) world.End {
	return func(record func(canon.Raw, world.ID) error) error { return record(command, to) }
}

func (r *rig) hash() string { return world.DumpHash(r.view().State) }

// history is everything that makes the world, the joints among it.
func (r *rig) history() world.Entries {
	return func(yield func(*journal.Entry, error) bool) {
		enough := errors.New("enough")
		err := r.world.History(r.view(), func(e *journal.Entry) error {
			if !yield(e, nil) {
				return enough
			}
			return nil
		})
		if err != nil && !errors.Is(err, enough) {
			yield(nil, err)
		}
	}
}

// prove re-makes the world both ways and compares it with what it holds.
func (r *rig) prove(t fatal) {
	t.Helper()
	g, err := r.world.Genesis()
	if err != nil {
		t.Fatalf("%v", err)
	}
	for _, mode := range []world.Mode{world.Fold, world.Redecide} {
		report, _ := world.Replay(mode, g, r.history(), r.catalogs, nil)
		v := r.view()
		if !report.Valid || report.DumpHash != world.DumpHash(v.State) || report.Head != v.Hash.String() || report.Entries != int64(v.Seq) {
			t.Fatalf("%s: %+v; the world stands at %d %s %s", mode, report, v.Seq, v.Hash, world.DumpHash(v.State))
		}
	}
}

// fatal is what *testing.T and *rapid.T have in common.
type fatal interface {
	Helper()
	Fatalf(format string, args ...any)
}

// step draws one operation of a random history.
func step(t *rapid.T, n int) world.Request {
	key := rapid.SampledFrom([]string{"", "", "raw-1", "raw-2", "raw-3"}).Draw(t, "key")
	customer := fmt.Sprintf("cus_seed%04d", rapid.IntRange(1, 5).Draw(t, "customer"))
	switch rapid.IntRange(0, 7).Draw(t, "step") {
	case 0, 1:
		return request("POST", "/v1/customers", fmt.Sprintf("name=N%d", rapid.IntRange(0, 2).Draw(t, "name")), key)
	case 2:
		return request("POST", "/v1/customers/"+customer, fmt.Sprintf("description=%d", n), key)
	case 3:
		return request("DELETE", "/v1/customers/"+customer, "", key)
	case 4:
		return request("GET", "/v1/customers", "limit=2", "")
	case 5:
		return request("POST", "/v1/customers", "nme=refused", key)
	case 6:
		return mark(fmt.Sprintf("m%d", n))
	}
	seconds := rapid.SampledFrom([]int64{1, 3600, 9 * 24 * 3600}).Draw(t, "seconds")
	return advanceBy(seconds)
}

// The state at any entry is the fold of the prefix, the prefix decided again, and
// what a fork there begins with, whether memory has it or it loads from disk; a
// fork goes on as its parent would have; and forks of forks are forks.
func TestAnyEntry(t *testing.T) {
	outer := t
	rapid.Check(t, func(t *rapid.T) {
		r := newRig(outer, "saas-billing-small", func(r *rig) {
			r.store = store.Options{Durability: store.Relaxed, SegmentBytes: 64 << 10}
		})
		defer r.journal.Close()
		ctx := context.Background()
		worlds, next := []*rig{r}, world.ID(2)
		hashes := map[world.ID][]string{1: {r.hash()}} // of the dump after each entry
		for n := range rapid.IntRange(4, 12).Draw(t, "operations") {
			at := rapid.IntRange(0, len(worlds)-1).Draw(t, "world")
			w := worlds[at]
			list := hashes[w.world.ID]
			if n > 2 && rapid.IntRange(0, 5).Draw(t, "fork") == 0 {
				seq := rapid.IntRange(0, len(list)-1).Draw(t, "at")
				f := w.fork(journal.Seq(seq), next)
				if got := f.hash(); got != list[seq] {
					t.Fatalf("a fork at %d begins with %s, its parent had %s", seq, got, list[seq])
				}
				worlds, next = append(worlds, f), next+1
				hashes[f.world.ID] = append([]string(nil), list[:seq+1]...)
				continue
			}
			w.send(step(t, n))
			hashes[w.world.ID] = append(list, w.hash())
		}
		check := func() {
			for _, w := range worlds {
				w.prove(t)
				v := w.view()
				if int(v.Seq) != len(hashes[w.world.ID])-1 {
					t.Fatalf("world %d ends at %d, want %d", w.world.ID, v.Seq, len(hashes[w.world.ID])-1)
				}
				for seq, want := range hashes[w.world.ID] {
					st, err := w.world.At(ctx, v, journal.Seq(seq))
					if err != nil {
						t.Fatalf("%v", err)
					}
					folded, err := w.world.Replayed(v, journal.Seq(seq))
					if err != nil {
						t.Fatalf("%v", err)
					}
					if a, b := world.DumpHash(st), world.DumpHash(folded); a != want || b != want {
						t.Fatalf("world %d at %d: %s, folded %s, was %s", w.world.ID, seq, a, b, want)
					}
				}
			}
		}
		check()
		r.restart()
		for i, w := range worlds {
			if i == 0 {
				worlds[0] = r.on(r.world)
			} else {
				worlds[i] = r.reattach(w)
			}
		}
		check()
	})
}

// Equal forks of equal worlds have equal chains: nothing in them names a world.
func TestForksOfEqualWorldsAreEqual(t *testing.T) {
	var ends []string
	for range 2 {
		r := newRig(t, "saas-billing-small", nil)
		r.ok("POST", "/v1/customers", "name=Ann", "a")
		f := r.fork(1, world.ID(2+len(ends)))
		f.ok("POST", "/v1/customers", "name=Bob", "b")
		ends = append(ends, f.end())
	}
	if ends[0] != ends[1] {
		t.Errorf("two equal forks end in %q", ends)
	}
}

// A fork's keys are its own from the fork on: what the parent was sent afterwards
// under a key, the fork has not seen, and the other way round.
func TestKeysPartAtTheFork(t *testing.T) {
	r := newRig(t, "saas-billing-small", nil)
	first := r.ok("POST", "/v1/customers", "name=Ann", "a")
	f := r.fork(1, 2)
	second := r.ok("POST", "/v1/customers", "name=Bob", "b")
	if again := f.ok("POST", "/v1/customers", "name=Ann", "a"); again != first {
		t.Errorf("the key of the shared past made %s, not %s again", again, first)
	}
	other := f.do("POST", "/v1/customers", "name=Bob", "b")
	if other.Replayed != "" || idOf(other) != second {
		t.Errorf("the fork's first use of b: replayed %q, %s; want %s anew", other.Replayed, idOf(other), second)
	}
	if a := f.do("POST", "/v1/customers", "name=Cid", "c"); a.Replayed != "" || a.Status != 200 {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	if a := r.do("POST", "/v1/customers", "name=Dan", "c"); a.Replayed != "" || a.Status != 200 {
		t.Errorf("the parent knows a key of its fork: %d %s", a.Status, a.Body)
	}
	r.prove(t)
	f.prove(t)
}

// A fork outlives its parent's resets and its parent; its own reset takes it back
// to where it was made.
func TestForksOutliveTheirParents(t *testing.T) {
	r := newRig(t, "saas-billing-small", nil)
	r.ok("POST", "/v1/customers", "name=Ann", "")
	f := r.fork(1, 2)
	f.ok("POST", "/v1/customers", "name=Bob", "")
	g := f.fork(2, 3)
	names := g.names()
	ctx := context.Background()
	if err := r.world.Reset(ctx, moved(admin("reset", 1), 4)); err != nil {
		t.Fatal(err)
	}
	if err := f.world.Delete(ctx, moved(admin("delete", 2), 1)); err != nil {
		t.Fatal(err)
	}
	if err := r.world.Delete(ctx, world.Plainly(admin("delete", 4))); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if g.names() != names {
			t.Errorf("the fork of the fork holds %s, was %s", g.names(), names)
		}
		g.prove(t)
		r.restart()
		g = r.reattach(g)
	}
	g.ok("POST", "/v1/customers", "name=Cid", "")
	if err := g.world.Reset(ctx, world.Plainly(admin("reset", 3))); err != nil {
		t.Fatal(err)
	}
	if g.names() != names {
		t.Errorf("after its reset it holds %s, was %s", g.names(), names)
	}
	if v := g.view(); v.Seq != 2 || v.Inc != 2 {
		t.Errorf("after its reset it stands at %d of life %d", v.Seq, v.Inc)
	}
	g.ok("POST", "/v1/customers", "name=Dan", "")
	g.prove(t)
	if a, err := f.world.Do(ctx, request("GET", "/v1/customers", "", "")); !errors.Is(err, world.ErrGone) {
		t.Errorf("the deleted fork answers %v %v", a, err)
	}
}

func TestNoForkBeyondTheHead(t *testing.T) {
	r := newRig(t, "empty", nil)
	_, err := r.begin(r.view(), 1, 2)
	if !errors.Is(err, world.ErrNoSuchSeq) {
		t.Errorf("a fork at an entry to come: %v", err)
	}
	old := r.view()
	r.reset()
	if _, err = r.begin(old, 0, 2); !errors.Is(err, world.ErrReset) {
		t.Errorf("a fork of a life that ended: %v", err)
	}
	b, err := r.world.Branch(context.Background(), r.view(), 0)
	if err != nil {
		t.Fatal(err)
	}
	r.reset()
	if _, err = b.Begin(2, admin("fork", 2)); !errors.Is(err, world.ErrReset) {
		t.Errorf("a fork whose parent was reset just now: %v", err)
	}
}

// Whatever is cut out of a history, joints too, a replay says so.
func TestReplayMissesNothingOfAFork(t *testing.T) {
	r := newRig(t, "saas-billing-small", nil)
	r.ok("POST", "/v1/customers", "name=Ann", "")
	f := r.fork(1, 2)
	f.ok("POST", "/v1/customers", "name=Bob", "")
	g := f.fork(2, 3)
	g.ok("POST", "/v1/customers", "name=Cid", "")
	var list []*journal.Entry
	for e, err := range g.history() {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	genesis, _ := g.world.Genesis()
	for cut := range len(list) - 1 {
		report, _ := world.Replay(world.Fold, genesis, func(yield func(*journal.Entry, error) bool) {
			for i, e := range list {
				if i != cut && !yield(e, nil) {
					return
				}
			}
		}, r.catalogs, nil)
		if report.Failure != world.FailChain {
			t.Errorf("without line %d: %+v", cut+1, report)
		}
	}
}

// long is how many entries the world of the cost tests has.
const long = 10_000

// lengthen makes entries of a world.
func (r *rig) lengthen(n int) {
	r.t.Helper()
	for i := range n {
		r.ok("POST", "/v1/customers", fmt.Sprintf("name=N%d", i), fmt.Sprintf("key-%d", i))
	}
}

// A fork costs the same whatever the history, its first answer included: measured
// in allocations and bytes, at the end of a long world and of one without history.
func TestForkCostIsConstant(t *testing.T) {
	relaxed := func(r *rig) { r.store.Durability = store.Relaxed }
	fresh := newRig(t, "saas-billing-small", relaxed)
	fresh.lengthen(1)
	old := newRig(t, "saas-billing-small", relaxed)
	old.lengthen(long)
	cost := func(r *rig) (allocs, bytes float64) {
		next, at := world.ID(2), r.view().Seq
		result := testing.Benchmark(func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				next++
				r.fork(at, next).do("GET", "/v1/customers/cus_seed0001", "", "")
			}
		})
		t.Logf("%d entries: %s %s", at, result, result.MemString())
		return float64(result.AllocsPerOp()), float64(result.AllocedBytesPerOp())
	}
	a, b := cost(fresh)
	c, d := cost(old)
	if c > 1.5*a || d > 1.5*b {
		t.Errorf("after %d entries a fork and its first answer take %.0f allocations of %.0f bytes, after one %.0f of %.0f", long, c, d, a, b)
	}
}

// Forks lie idle at next to no cost, and then each goes its own way.
func TestHundredForks(t *testing.T) {
	r := newRig(t, "saas-billing-small", func(r *rig) { r.store.Durability = store.Relaxed })
	r.lengthen(200)
	if err := r.journal.Shelve(); err != nil {
		t.Fatal(err)
	}
	size := func() int64 { s := r.journal.Stats(); return s.ShelfBytes + s.TailBytes }
	before := size()
	var forks []*rig
	for i := range 100 {
		forks = append(forks, r.fork(journal.Seq(2*i+1), world.ID(2+i)))
	}
	if err := r.journal.Shelve(); err != nil {
		t.Fatal(err)
	}
	if grown := size() - before; grown > 1<<20 {
		t.Errorf("100 idle forks take %d bytes", grown)
	}
	r.restart()
	for i, f := range forks {
		f = r.reattach(f)
		f.ok("POST", "/v1/customers", fmt.Sprintf("name=Own%d", i), "")
		if names := strings.Fields(f.names()); names[len(names)-1] != fmt.Sprintf("Own%d", i) || names[len(names)-2] != fmt.Sprintf("N%d", 2*i) {
			t.Errorf("fork %d ends in %v", i, names[len(names)-2:])
		}
	}
	if strings.Contains(r.names(), "Own") {
		t.Error("a fork wrote into its parent")
	}
}

func BenchmarkFork(b *testing.B) {
	for _, n := range []int{1, long} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := newRig(b, "saas-billing-small", func(r *rig) { r.store.Durability = store.Relaxed })
			r.lengthen(n)
			at, next := r.view().Seq, world.ID(2)
			b.ReportAllocs()
			for b.Loop() {
				next++
				r.fork(at, next).do("GET", "/v1/customers/cus_seed0001", "", "")
			}
		})
	}
}
