//go:build mutant

package sim_test

import (
	"context"
	"slices"
	"testing"

	"worlds/journal/mutant"
	"worlds/journal/store"
	"worlds/testscripts/sim"
)

// searched are planted bugs, each with a scenario of the book that leaves the order
// open, and the violation that names it.
var searched = []struct {
	mutant, scenario, id string
	always               bool // it is no race: it shows in every order
}{
	{mutant: "lost-update", scenario: "read-against-delivery", id: "delivery.terminal-once"},
	{mutant: "early-publish", scenario: "disk-fails", id: sim.LogAcknowledged},
	{mutant: "double-outcome", scenario: "claim-lost", id: "delivery.terminal-once"},
	{mutant: "stale-idempotency", scenario: "one-key-two-agents", id: "idem.one-record-per-key"},
	{mutant: "reset-unfenced", scenario: "reset-against-request", id: sim.LifeBegun},
	{mutant: "late-outcome", scenario: "reset-against-delivery", id: sim.LifeBegun},
	{mutant: "tick-outside-transaction", scenario: "ticks-of-two", id: "clock.only-advance-or-tick", always: true},
	{mutant: "mark-moves-on", scenario: "mark-against-request", id: "image.range-contiguous"},
	{mutant: "fork-sees-later", scenario: "fork-against-request", id: "rows.equal-fold"},
}

// TestMutants searches the orders of a scenario: without the bug none fails; with it
// some do, and the schedule of each of these shows the same failure again.
func TestMutants(t *testing.T) {
	defer mutant.Set("")
	for _, row := range searched {
		t.Run(row.mutant, func(t *testing.T) {
			sc, err := sim.Load("book/" + row.scenario + ".txtar")
			if err != nil {
				t.Fatal(err)
			}
			mutant.Set("")
			if x := explored(t, sc); !x.Passed() {
				t.Fatalf("without it:\n%s", sim.RenderExploration(x, "", false))
			}
			mutant.Set(row.mutant)
			x := explored(t, sc)
			t.Logf("%d of %d orders show it", x.Failed, x.Schedules)
			if x.Failed == 0 || (x.Failed == x.Schedules) != row.always || len(x.Unequal) > 0 {
				t.Fatalf("its site was passed %d times\n%s", mutant.Reached(), sim.RenderExploration(x, "", false))
			}
			found := x.Failures[0]
			if !slices.ContainsFunc(found.Violations, func(v sim.Violation) bool { return v.ID == row.id }) {
				t.Errorf("another law saw it: %q %v", found.Problems, found.Violations)
			}
			for range 2 {
				again := sim.Play(context.Background(), sc, sim.Options{Schedule: found.Schedule, Durability: store.Relaxed})
				if again.Schedule != found.Schedule || sim.RenderFaults(again, false) != sim.RenderFaults(found, false) {
					t.Errorf("the schedule %s shows\n%sand then\n%s", found.Schedule, sim.RenderFaults(found, false), sim.RenderFaults(again, false))
				}
			}
		})
	}
}

func explored(t *testing.T, sc *sim.Scenario) *sim.Exploration {
	t.Helper()
	x, err := sim.Explore(context.Background(), sc, sim.ExploreOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return x
}
