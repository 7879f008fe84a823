package projection_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"worlds/journal/canon"
	"worlds/projection"
)

// TestCopiesAreReadWhileTheWorldGoesOn: with the race detector, a reader that
// ranges over copies on other goroutines and a writer never meet, and what a
// reader sees is what stood there when its copy was made.
func TestCopiesAreReadWhileTheWorldGoesOn(t *testing.T) {
	const rows, rounds, readers = 300, 20, 3
	s := projection.New()
	put := func(i, round int) {
		s.Apply(&projection.Put{
			Table: fmt.Sprintf("t%d", i%3), ID: fmt.Sprint("id", i), Due: int64(i%7) * int64(round%2),
			Terms: []string{"all", fmt.Sprint("round=", round), fmt.Sprint("id=", i)},
			Body:  fmt.Appendf(nil, `{"round":%d}`, round),
		}, uint64(round))
	}
	for i := range rows {
		put(i, 0)
	}
	var wait sync.WaitGroup
	for round := 1; round <= rounds; round++ {
		for i := round % 3; i < rows; i += 3 {
			put(i, round)
		}
		s.Apply(&projection.Delete{Table: "t0", ID: fmt.Sprint("id", round*3)}, uint64(round))
		s.Apply(&projection.Event{ID: fmt.Sprint("e", round)}, uint64(round))
		idem := &projection.Idem{Key: fmt.Sprint("k", round), Ref: projection.NoRef}
		if err := s.Fold(uint64(round), encoded([]projection.Fact{idem})); err != nil {
			t.Fatal(err)
		}
		s.Apply(&projection.Mark{Name: fmt.Sprint("m", round)}, uint64(round))
		s.Apply(&projection.Counter{Name: "n", Value: int64(round)}, uint64(round))
		s.Begin()
		c := s.Copy()
		want, held := dumpOf(c), c.Len("t0")+c.Len("t1")+c.Len("t2")
		put(rows, round)
		s.Rollback(0)
		s.Commit()
		for range readers {
			wait.Go(func() {
				if got := dumpOf(c); got != want {
					t.Errorf("round %d: the dump of the copy has changed", round)
				}
				seen := 0
				for _, table := range c.Tables() {
					for r := range c.NewestWith(table, "all", 0) {
						if c.Get(table, r.ID) != r {
							t.Errorf("round %d: %s %s is torn", round, table, r.ID)
						}
						seen++
					}
				}
				if seen != held {
					t.Errorf("round %d: %d rows, want %d", round, seen, held)
				}
				if c.EventByID(fmt.Sprint("e", round)) == nil || c.Idem("", fmt.Sprint("k", round)) == nil || c.Counter("n") != int64(round) {
					t.Errorf("round %d: not there", round)
				}
				// A copy of the copy is its reader's own.
				mine := c.Copy()
				mine.Apply(&projection.Put{Table: "t1", ID: "mine", Terms: []string{"all"}, Due: 1, Body: canon.Raw(`{}`)}, 0)
				if err := mine.Fold(0, []canon.Raw{canon.Raw(`["idem","k","","","","","",0,{}]`)}); err != nil {
					t.Error(err)
				}
				if d := projection.Compare(c, mine); len(d.Created) != 1 || len(d.Updated)+len(d.Deleted) != 0 {
					t.Errorf("round %d: %s", round, d.Append(nil))
				}
			})
		}
	}
	wait.Wait()
}

// TestCopyInsideATransaction: the copy has the changes, and no part in what
// becomes of the transaction.
func TestCopyInsideATransaction(t *testing.T) {
	put := func(s *projection.State, id string) {
		s.Apply(&projection.Put{Table: "t", ID: id, Terms: []string{"x"}, Due: 1, Body: canon.Raw(`{}`)}, 1)
	}
	s := projection.New()
	put(s, "before")
	before := viewOf(s)
	s.Begin()
	put(s, "a")
	put(s, "before")
	c := s.Copy()
	copied := viewOf(c)
	other := s.Copy()
	put(other, "z")
	if at := other.Savepoint(); at != 0 {
		t.Errorf("a copy outside a transaction has %d changes to take back", at)
	}
	c.Begin()
	put(c, "b")
	s.Rollback(0)
	if diff := cmp.Diff(before, viewOf(s)); diff != "" {
		t.Errorf("the original after rollback:\n%s", diff)
	}
	s.Commit()
	put(s, "c")
	c.Rollback(0)
	if diff := cmp.Diff(copied, viewOf(c)); diff != "" {
		t.Errorf("the copy after rollback:\n%s", diff)
	}
}
