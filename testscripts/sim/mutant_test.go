//go:build mutant

package sim

import (
	"context"
	"testing"
	"time"

	"worlds/journal/mutant"
)

// races are scenarios that leave the order open, each for a bug that only some orders,
// or only what is judged at their end, show.
var races = map[string]string{
	"lost-update": `
world new empty
key:1 stripe POST /v1/customers name=a
key:2 stripe POST /v1/customers name=b
settle
`,
	"stale-idempotency": `
world new empty
key:1 stripe -idem k POST /v1/customers name=a
key:2 stripe -idem k POST /v1/customers name=a
key:3 stripe GET /v1/customers
settle
stripe GET /v1/customers
check 'one customer' json .data.length 1
`,
	"reset-unfenced": `
world new empty
key:1 stripe POST /v1/customers name=a
admin reset
settle
stripe GET /v1/customers
check 'nothing crosses the reset' json .data.length 0
`,
	"tick-outside-transaction": `
world new seed.json
key:1 stripe POST /v1/customers name=a
key:2 stripe POST /v1/customers nme=b
settle
-- seed.json --
{"version":1,"name":"ticking","epoch":1767225600,"clock_mode":"auto"}
`,
	"mark-moves-on": `
world new empty
key:1 stripe POST /v1/customers name=a
key:2 stripe POST /v1/customers name=b
admin mark m
settle
`,
	"fork-sees-later": `
world new empty one
stripe POST /v1/customers name=base
fork two
world use one
key:1 stripe POST /v1/customers name=a
world use two
key:2 stripe POST /v1/customers name=b
settle
`,
	"double-outcome": `
world new saas-billing-small
hook start
expire-drain always
key:1 stripe POST /v1/customers name=a
settle
`,
	"early-publish": `
world new empty
key:1 stripe POST /v1/customers name=a
key:2 stripe POST /v1/customers name=b
settle
`,
}

// Planted races are found, and the schedule that is reported plays each of them
// again; without them every order is well.
func TestExploreFindsPlantedRaces(t *testing.T) {
	for name, script := range races {
		t.Run(name, func(t *testing.T) {
			sc, err := Parse(name, []byte(script))
			if err != nil {
				t.Fatal(err)
			}
			explore := func(on string) *Exploration {
				mutant.Set(on)
				defer mutant.Set("")
				x, err := Explore(context.Background(), sc, ExploreOptions{Max: 100, Options: Options{slow: 2 * time.Millisecond}})
				if err != nil {
					t.Fatal(err)
				}
				return x
			}
			if x := explore(""); !x.Passed() {
				t.Fatalf("without the bug:\n%s", RenderExploration(x, false))
			}
			x := explore(name)
			if x.Failed == 0 {
				t.Fatalf("it is not found: %+v", *x)
			}
			t.Logf("%d of %d schedules show it", x.Failed, x.Schedules)
			mutant.Set(name)
			defer mutant.Set("")
			st := &stage{slow: 2 * time.Millisecond}
			defer func() { _ = st.stop() }()
			if again := Play(context.Background(), sc, Options{Schedule: x.Failures[0].Schedule, light: true, stage: st}); again.Passed {
				t.Errorf("the schedule %s does not play it again", x.Failures[0].Schedule)
			}
		})
	}
}
