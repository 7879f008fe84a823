package projection_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"worlds/journal/canon"
	"worlds/projection"
)

// TestStateIsItsModel drives a State and a model with the same random facts,
// savepoints, rollbacks and copies. After each step everything that can be read
// is the same, and so it still is in every copy at the end.
func TestStateIsItsModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &pair{s: projection.New(), m: newModel()}
		t.Repeat(map[string]func(*rapid.T){
			"apply":             p.apply,
			"fold":              p.fold,
			"savepoint":         p.savepoint,
			"rollback":          p.rollback,
			"commit":            p.commit,
			"copy":              func(*rapid.T) { p.copies = append(p.copies, copied{p.s.Copy(), p.m.view()}) },
			"go on with a copy": p.swap,
			"": func(t *rapid.T) {
				if diff := cmp.Diff(p.m.view(), viewOf(p.s)); diff != "" {
					t.Fatalf("model and state differ:\n%s", diff)
				}
			},
		})
		for i, c := range p.copies {
			if diff := cmp.Diff(c.want, viewOf(c.s)); diff != "" {
				t.Fatalf("copy %d changed:\n%s", i, diff)
			}
		}
	})
}

// pair is a State and its model.
type pair struct {
	s      *projection.State
	m      *model
	seq    uint64
	points []point // of the open transaction; none: no transaction
	copies []copied
}

// point is a savepoint.
type point struct {
	at int
	m  *model
}

// copied is a copy, and what it must always show.
type copied struct {
	s    *projection.State
	want string
}

func (p *pair) apply(t *rapid.T) {
	for range rapid.IntRange(1, 4).Draw(t, "facts") {
		f := drawFact(t, nil)
		p.s.Apply(f, p.seq)
		p.m.apply(f, p.seq)
	}
}

func (p *pair) fold(t *rapid.T) {
	if len(p.points) > 0 {
		t.Skip()
	}
	p.seq++
	facts := drawEntry(t)
	if err := p.s.Fold(p.seq, encoded(facts)); err != nil {
		t.Fatal(err)
	}
	for _, f := range facts {
		p.m.apply(f, p.seq)
	}
}

func (p *pair) savepoint(*rapid.T) {
	if len(p.points) == 0 {
		p.seq++
		p.s.Begin()
	}
	p.points = append(p.points, point{p.s.Savepoint(), p.m.clone()})
}

func (p *pair) rollback(t *rapid.T) {
	if len(p.points) == 0 {
		t.Skip()
	}
	i := rapid.IntRange(0, len(p.points)-1).Draw(t, "to")
	p.s.Rollback(p.points[i].at)
	p.m = p.points[i].m.clone()
	p.points = p.points[:i+1]
}

func (p *pair) commit(*rapid.T) {
	p.s.Commit()
	p.points = nil
}

func (p *pair) swap(t *rapid.T) {
	if len(p.points) > 0 {
		t.Skip()
	}
	p.copies = append(p.copies, copied{p.s, p.m.view()})
	p.s = p.s.Copy()
}

// history is random entries, the State after each and what it showed then.
type history struct {
	entries [][]canon.Raw
	states  []*projection.State // states[i]: after i entries
	views   []string
}

func drawHistory(t *rapid.T) *history {
	s := projection.New()
	h := &history{states: []*projection.State{s.Copy()}, views: []string{viewOf(s)}}
	for range rapid.IntRange(1, 12).Draw(t, "entries") {
		facts := encoded(drawEntry(t))
		h.entries = append(h.entries, facts)
		if err := s.Fold(uint64(len(h.entries)), facts); err != nil {
			t.Fatal(err)
		}
		h.states = append(h.states, s.Copy())
		h.views = append(h.views, viewOf(s))
	}
	return h
}

// replay folds the first n entries anew.
func (h *history) replay(t *rapid.T, n int) *projection.State {
	s := projection.New()
	for i, facts := range h.entries[:n] {
		if err := s.Fold(uint64(i)+1, facts); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestFoldOfAPrefixIsTheStateThen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t)
		if err := canon.Valid([]byte(dumpOf(h.states[len(h.entries)]))); err != nil {
			t.Fatal(err)
		}
		for n := range h.states {
			if diff := cmp.Diff(h.views[n], viewOf(h.replay(t, n))); diff != "" {
				t.Fatalf("folding %d of %d entries anew:\n%s", n, len(h.entries), diff)
			}
			if diff := cmp.Diff(h.views[n], viewOf(h.states[n])); diff != "" {
				t.Fatalf("the copy made after %d of %d entries has changed:\n%s", n, len(h.entries), diff)
			}
		}
	})
}

// TestDecidingIsFolding: a transaction and the fold of what it recorded are one.
func TestDecidingIsFolding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		live, folded := projection.New(), projection.New()
		for seq := range uint64(5) {
			facts := drawEntry(t)
			live.Begin()
			for _, f := range facts {
				live.Apply(f, seq)
			}
			for range rapid.IntRange(0, 3).Draw(t, "in vain") {
				at := live.Savepoint()
				live.Apply(drawFact(t, facts), seq)
				live.Rollback(at)
			}
			live.Commit()
			if err := folded.Fold(seq, encoded(facts)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(viewOf(live), viewOf(folded)); diff != "" {
				t.Fatalf("entry %d:\n%s", seq, diff)
			}
		}
	})
}
