package projection_test

import (
	"testing"

	"worlds/projection"
)

// TestAllocationBudgets holds what folding and reading cost in allocations,
// which unlike time is the same on every machine.
func TestAllocationBudgets(t *testing.T) {
	const n = 5_000
	entries := customerEntries(n)
	s := projection.New()
	seq := 0
	// A row, its terms, an event, an idempotency record, a posting; the rest
	// is the growth of the tries.
	within(t, "folding a customer's creation", 8, testing.AllocsPerRun(n-1, func() {
		if err := s.Fold(uint64(seq)+1, entries[seq]); err != nil {
			t.Fatal(err)
		}
		seq++
	}))
	id := customerID(n / 2)
	within(t, "Get", 0, testing.AllocsPerRun(100, func() {
		if s.Get("stripe.customer", id) == nil {
			t.Fatal("lost")
		}
	}))
	within(t, "a page of ten", 0, testing.AllocsPerRun(100, func() {
		left := 10
		for range s.NewestWith("stripe.customer", "live=true", n/2) {
			if left--; left == 0 {
				break
			}
		}
	}))
	var c *projection.State
	within(t, "Copy", 1, testing.AllocsPerRun(100, func() { c = s.Copy() }))
	if c.Len("stripe.customer") != n {
		t.Fatalf("%d rows", c.Len("stripe.customer"))
	}
	facts := []projection.Fact{&projection.Clock{Now: 5}, &projection.Log{Count: 5}}
	// Undo keeps its room from transaction to transaction.
	within(t, "a transaction that sets numbers", 0, testing.AllocsPerRun(100, func() {
		s.Begin()
		for _, f := range facts {
			s.Apply(f, 1)
		}
		s.Rollback(1)
		s.Commit()
	}))
}

func within(t *testing.T, what string, budget, got float64) {
	t.Helper()
	if got > budget {
		t.Errorf("%s: %.2f allocations, the budget is %.2f", what, got, budget)
	}
}
