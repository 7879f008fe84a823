package projection_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"worlds/journal/canon"
	"worlds/projection"
)

// big is a model of one table: what stands under each id.
type big map[string]projection.Row

// TestManyRows drives one table to the sizes at which its trees have several
// levels, down again and up, and compares it, and copies made on the way, with
// a map.
func TestManyRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	s, m := projection.New(), big{}
	type kept struct {
		s *projection.State
		m big
	}
	var copies []kept
	ord := uint64(0)
	for phase, size := range []int{70, 5_000, 300, 0, 4_200} {
		for step := 0; len(m) != size; step++ {
			id := fmt.Sprint("id", rng.IntN(6_000))
			if old, ok := m[id]; ok && len(m) > size {
				s.Apply(&projection.Delete{Table: "t", ID: old.ID}, 0)
				delete(m, id)
				continue
			}
			row := projection.Row{ID: id, Due: rng.Int64N(3), Terms: []string{"all", "id=" + id, fmt.Sprint("third=", rng.IntN(3))}}
			if old, ok := m[id]; ok {
				row.Ord = old.Ord
			} else if len(m) < size {
				ord++
				row.Ord = ord
			} else {
				continue
			}
			// Rows of another table make holes in the creation order.
			if rng.IntN(50) == 0 {
				s.Apply(&projection.Put{Table: "other", ID: fmt.Sprint(ord)}, 0)
				if row.Ord == ord {
					row.Ord++
				}
				ord++
			}
			row.Body = fmt.Appendf(nil, "%d", row.Ord)
			s.Apply(&projection.Put{Table: "t", ID: id, Due: row.Due, Terms: row.Terms, Body: row.Body}, 0)
			m[id] = row
			if step%1000 == 999 {
				copies = append(copies, kept{s.Copy(), maps.Clone(m)})
			}
		}
		check(t, fmt.Sprint("phase ", phase), s, m)
	}
	for i, c := range copies {
		check(t, fmt.Sprint("copy ", i), c.s, c.m)
		checkDiff(t, c.s, s, c.m, m)
		checkDiff(t, s, c.s, m, c.m)
	}
	if len(copies) < 10 {
		t.Errorf("%d copies", len(copies))
	}
}

func check(t *testing.T, when string, s *projection.State, m big) {
	t.Helper()
	rows := slices.SortedFunc(maps.Values(m), func(a, b projection.Row) int { return cmp.Compare(a.Ord, b.Ord) })
	if s.Len("t") != len(rows) {
		t.Fatalf("%s: %d rows, want %d", when, s.Len("t"), len(rows))
	}
	for n := range 6_000 {
		id := fmt.Sprint("id", n)
		row, ok := m[id]
		if got := s.Get("t", id); (got != nil) != ok || ok && (got.Ord != row.Ord || string(got.Body) != string(row.Body)) {
			t.Fatalf("%s: Get(%s) = %+v, want %+v", when, id, got, row)
		}
	}
	for _, term := range []string{"", "all", "third=0", "third=2", "id=id7"} {
		with := rows
		if term != "" {
			with = slices.DeleteFunc(slices.Clone(rows), func(r projection.Row) bool { return !slices.Contains(r.Terms, term) })
		}
		for _, at := range []uint64{0, 1, 63, 64, 65, 4095, 4096, 5000, 1 << 40} {
			up, down := s.OldestWith("t", term, at), s.NewestWith("t", term, at)
			if term == "" {
				up, down = s.Oldest("t", at), s.Newest("t", at)
			}
			var got, want []uint64
			for r := range up {
				got = append(got, r.Ord)
			}
			for r := range down {
				got = append(got, r.Ord)
			}
			for _, r := range with {
				if r.Ord > at {
					want = append(want, r.Ord)
				}
			}
			for _, r := range slices.Backward(with) {
				if at == 0 || r.Ord < at {
					want = append(want, r.Ord)
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%s: rows with %q around %d:\n got %d\nwant %d", when, term, at, got, want)
			}
		}
	}
}

func checkDiff(t *testing.T, a, b *projection.State, ma, mb big) {
	t.Helper()
	d := projection.Compare(a, b)
	created, updated, deleted := 0, 0, 0
	for id, row := range mb {
		if old, ok := ma[id]; !ok {
			created++
		} else if string(old.Body) != string(row.Body) {
			updated++
		}
	}
	for id := range ma {
		if _, ok := mb[id]; !ok {
			deleted++
		}
	}
	in := func(list []projection.Change) (n int) {
		for _, c := range list {
			if c.Table == "t" {
				n++
			}
		}
		return n
	}
	if in(d.Created) != created || in(d.Updated) != updated || in(d.Deleted) != deleted {
		t.Fatalf("diff: %d %d %d, want %d %d %d", in(d.Created), in(d.Updated), in(d.Deleted), created, updated, deleted)
	}
}

// TestNamesThatHashAlike: names that one hash stands for live and die apart.
func TestNamesThatHashAlike(t *testing.T) {
	const a = "cus_000000000001"
	b := projection.Collide(a)
	if a == b || projection.Hash(a) != projection.Hash(b) {
		t.Fatalf("%q and %q do not collide", a, b)
	}
	put := func(s *projection.State, id string) {
		s.Apply(&projection.Put{Table: "t", ID: id, Terms: []string{id}, Body: canon.AppendString(nil, id)}, 0)
	}
	for _, order := range [][]string{{a, b}, {b, a}} {
		s := projection.New()
		put(s, order[0])
		put(s, order[1])
		both := s.Copy()
		s.Apply(&projection.Delete{Table: "t", ID: order[0]}, 0)
		if s.Get("t", order[0]) != nil || s.Get("t", order[1]) == nil {
			t.Errorf("%q: deleting the first", order)
		}
		put(s, order[1])
		if s.Len("t") != 1 || s.Get("t", order[1]).Ord != 2 {
			t.Errorf("%q: replacing the second", order)
		}
		put(s, order[0])
		s.Apply(&projection.Delete{Table: "t", ID: order[1]}, 0)
		if s.Get("t", order[1]) != nil || s.Get("t", order[0]).Ord != 3 {
			t.Errorf("%q: deleting the second", order)
		}
		for _, id := range order {
			for r := range both.NewestWith("t", id, 0) {
				if r.ID != id || both.Get("t", id) != r {
					t.Errorf("%q: with term %q stands %q", order, id, r.ID)
				}
			}
		}
		if both.Len("t") != 2 {
			t.Errorf("%q: the copy has %d rows", order, both.Len("t"))
		}
	}
}
