package serve_test

import (
	"testing"

	"worlds/journal/store"
)

// budgets are what one request may allocate from socket to socket: the world's part,
// which has a budget of its own, net/http's and the router's, about 30, and the
// shell's. Who needs more says why here.
var budgets = []struct {
	name   string
	allocs float64
	line   string
	body   string
}{
	{"retrieve", 56, "GET /v1/customers/cus_seed0001", ""},
	{"list", 64, "GET /v1/customers?limit=10", ""},
	{"create", 107, "POST /v1/customers", "name=Ann&email=ann%40example.com&metadata[team]=a"},
}

// unjudged is a test whose answers no oracle looks at.
type unjudged struct{ testing.TB }

func TestAllocations(t *testing.T) {
	for _, row := range budgets {
		c := dial(t, newRigAt(unjudged{t}, store.Relaxed).addr)
		request := encoded(row.line, row.body)
		got := testing.AllocsPerRun(500, func() { c.call(request) })
		t.Logf("%s: %.0f of %.0f allocations", row.name, got, row.allocs)
		if got > row.allocs {
			t.Errorf("%s allocates %.0f times, its budget is %.0f", row.name, got, row.allocs)
		}
	}
}
