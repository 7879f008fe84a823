package sim_test

import (
	"context"
	"testing"

	"worlds/testscripts/sim"
)

// Three writers with three points each: every order is tried, each twice, and what
// the journals can be is the six orders of the commits.
func TestExploreThreeWriters(t *testing.T) {
	sc, err := sim.Load("book/three-agents.txtar")
	if err != nil {
		t.Fatal(err)
	}
	x, err := sim.Explore(context.Background(), sc, sim.ExploreOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if x.Schedules != 1680 || x.Orders != 6 || x.Strategy != sim.Exhaustive || !x.Passed() {
		t.Errorf("%+v\n%s", *x, sim.RenderExploration(x, "", false))
	}
}
