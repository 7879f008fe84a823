package world_test

import (
	"context"
	"testing"

	"worlds/journal/store"
	"worlds/twin/world"
)

// budgets are what one operation may allocate, without HTTP: the command's text,
// the decision, the entry and its batch. Who needs more says why here.
var budgets = []struct {
	name   string
	allocs float64
	turns  []world.Request // sent in turn
}{
	{"retrieve", 19, []world.Request{request("GET", "/v1/customers/cus_seed0001", "", "")}},
	{"list", 26, []world.Request{request("GET", "/v1/customers", "limit=10", "")}},
	{"create", 62, []world.Request{request("POST", "/v1/customers", "name=Ann&email=ann%40example.com&metadata[team]=a", "")}},
	{"update", 44, []world.Request{
		request("POST", "/v1/customers/cus_seed0001", "description=x", ""),
		request("POST", "/v1/customers/cus_seed0001", "description=y", ""),
	}},
	{"refuse", 35, []world.Request{request("POST", "/v1/customers", "nme=Ann", "")}},
}

func TestAllocations(t *testing.T) {
	r := newRig(t, "saas-billing-small", func(r *rig) { r.store.Durability = store.Relaxed })
	ctx := context.Background()
	for _, b := range budgets {
		turn := 0
		got := testing.AllocsPerRun(500, func() {
			turn++
			if a, err := r.world.Do(ctx, b.turns[turn%len(b.turns)]); err != nil || a.Changed != (len(b.turns) > 1 || b.name == "create") {
				t.Fatal(b.name, a, err)
			}
		})
		t.Logf("%s: %.0f of %.0f allocations", b.name, got, b.allocs)
		if got > b.allocs {
			t.Errorf("%s allocates %.0f times, its budget is %.0f", b.name, got, b.allocs)
		}
	}
}

func BenchmarkDo(b *testing.B) {
	for _, row := range budgets {
		b.Run(row.name, func(b *testing.B) {
			r := newRig(b, "saas-billing-small", func(r *rig) { r.store.Durability = store.Relaxed })
			b.ReportAllocs()
			for turn := 0; b.Loop(); turn++ {
				if _, err := r.world.Do(context.Background(), row.turns[turn%len(row.turns)]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
