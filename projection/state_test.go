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
		type point struct {
			at int
			m  *model
		}
		type copied struct {
			s    *projection.State
			want string
		}
		var points []point // of the open transaction; none: no transaction
		var copies []copied
		s, m, seq := projection.New(), newModel(), uint64(0)
		t.Repeat(map[string]func(*rapid.T){
			"apply": func(t *rapid.T) {
				for range rapid.IntRange(1, 4).Draw(t, "facts") {
					f := drawFact(t, nil)
					s.Apply(f, seq)
					m.apply(f, seq)
				}
			},
			"fold": func(t *rapid.T) {
				if len(points) > 0 {
					t.Skip()
				}
				seq++
				facts := drawEntry(t)
				if err := s.Fold(seq, encoded(facts)); err != nil {
					t.Fatal(err)
				}
				for _, f := range facts {
					m.apply(f, seq)
				}
			},
			"savepoint": func(*rapid.T) {
				if len(points) == 0 {
					seq++
					s.Begin()
				}
				points = append(points, point{s.Savepoint(), m.clone()})
			},
			"rollback": func(t *rapid.T) {
				if len(points) == 0 {
					t.Skip()
				}
				i := rapid.IntRange(0, len(points)-1).Draw(t, "to")
				s.Rollback(points[i].at)
				m = points[i].m.clone()
				points = points[:i+1]
			},
			"commit": func(*rapid.T) {
				s.Commit()
				points = nil
			},
			"copy": func(*rapid.T) { copies = append(copies, copied{s.Copy(), m.view()}) },
			"go on with a copy": func(t *rapid.T) {
				if len(points) > 0 {
					t.Skip()
				}
				copies = append(copies, copied{s, m.view()})
				s = s.Copy()
			},
			"": func(t *rapid.T) {
				if diff := cmp.Diff(m.view(), viewOf(s)); diff != "" {
					t.Fatalf("model and state differ:\n%s", diff)
				}
			},
		})
		for i, c := range copies {
			if diff := cmp.Diff(c.want, viewOf(c.s)); diff != "" {
				t.Fatalf("copy %d changed:\n%s", i, diff)
			}
		}
	})
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
