package dst

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"worlds/projection"
	"worlds/testscripts"
)

// Coverage counts what a sweep reached: triples of a route, an outcome and the state
// in which the object was that the request was about.
type Coverage struct{ Triples map[Triple]int }

// Triple is one thing that can be reached.
type Triple struct {
	Route   string // stripe POST /v1/refunds
	Outcome string // 200, 400 parameter_missing
	Prior   string // open, deleted, absent; "-" where the request is about no object
}

// NewCoverage returns an empty one.
func NewCoverage() *Coverage { return &Coverage{Triples: map[Triple]int{}} }

// Add adds another's counts.
func (c *Coverage) Add(o *Coverage) {
	for t, n := range o.Triples {
		c.Triples[t] += n
	}
}

// states is what an object can be in, by table: the member, and its values.
var states = map[string]struct {
	member string
	values []string
}{
	"stripe.charge":         {"status", []string{"succeeded", "failed", "pending"}},
	"stripe.invoice":        {"status", []string{"draft", "open", "paid", "uncollectible", "void"}},
	"stripe.payment_intent": {"status", []string{"requires_payment_method", "requires_confirmation", "requires_action", "requires_capture", "succeeded", "canceled"}},
	"stripe.setup_intent":   {"status", []string{"requires_payment_method", "requires_confirmation", "requires_action", "succeeded", "canceled"}},
	tableSubscription:       {"status", []string{"incomplete", "incomplete_expired", "trialing", "active", "past_due", "unpaid", "paused", "canceled"}},
	"stripe.refund":         {"status", []string{"succeeded", "pending", "failed"}},
	"stripe.dispute":        {"status", []string{"needs_response", "under_review", "won", "lost", "warning_needs_response"}},
	"stripe.credit_note":    {"status", []string{"issued", "void"}},
	"stripe.test_clock":     {"status", []string{"ready", "advancing"}},
	"zendesk.ticket":        {"status", []string{"new", "open", "pending", "hold", "solved", "closed", "deleted"}},
}

// The states of objects that have none of their own.
const (
	stateLive    = "live"
	stateDeleted = "deleted"
	stateAbsent  = "absent"
	stateNone    = "-"
)

// tableOf is the table of the object that a route's last named segment is about.
func tableOf(route string) string {
	segs := strings.Split(route, "/")
	for i := len(segs) - 1; i > 0; i-- {
		if strings.HasPrefix(segs[i], "{") {
			return tables[collectionOf(segs, i)]
		}
	}
	return ""
}

// prior is the state of the object that an operation is about.
func prior(st *projection.State, op *Op) string {
	if op.API == apiAdmin {
		return stateNone
	}
	table := tableOf(op.Route)
	if table == "" {
		return stateNone
	}
	segs, pattern := strings.Split(op.Path, "/"), strings.Split(op.Route, "/")
	id := ""
	for i := range pattern {
		if strings.HasPrefix(pattern[i], "{") && i < len(segs) {
			id = strings.TrimSuffix(segs[i], ".json")
		}
	}
	switch table {
	case tableEvent:
		if st.EventByID(id) == nil {
			return stateAbsent
		}
		return stateLive
	case tableItem:
		for row := range st.Newest(tableSubscription, 0) {
			if slices.Contains(itemsOf(row.Body), id) {
				return stateLive
			}
		}
		return stateAbsent
	}
	if row := st.Get(table, id); row != nil {
		return stateOf(table, row)
	}
	return stateAbsent
}

// stateOf is the state of a row.
func stateOf(table string, row *projection.Row) string {
	switch known := states[table]; {
	case textOf(row.Body, "deleted") == "true":
		return stateDeleted
	case known.member != "":
		return textOf(row.Body, known.member)
	}
	return stateLive
}

// cover counts a step.
func (r *run) cover(s *space, t *step) {
	r.coverage.Triples[Triple{t.op.API + " " + t.op.Route, statusOf(&t.answer), prior(t.before.State, &t.op)}]++
}

// Report writes what was reached, and what never was.
func (c *Coverage) Report(w io.Writer) {
	fmt.Fprintf(w, "%d triples of route, outcome and prior state\n%s", len(c.Triples), c.list())
}

// neverHead stands before what was never reached.
const neverHead = "\nnever reached:\n"

// list is the triples by route and state, then what no run reached.
func (c *Coverage) list() string {
	routes := map[string]map[string][]string{} // outcomes by route and state
	for t := range c.Triples {
		if routes[t.Route] == nil {
			routes[t.Route] = map[string][]string{}
		}
		routes[t.Route][t.Prior] = append(routes[t.Route][t.Prior], t.Outcome)
	}
	var b strings.Builder
	for _, route := range sortedKeys(routes) {
		b.WriteString(route + "\n")
		for _, state := range sortedKeys(routes[route]) {
			outcomes := routes[route][state]
			slices.Sort(outcomes)
			b.WriteString("  " + state + ": " + strings.Join(outcomes, ", ") + "\n")
		}
	}
	return b.String() + neverHead + strings.Join(c.Never(), "\n") + "\n"
}

// Never lists what no run reached: routes without a success, and states of objects in
// which a route was never asked. A route that was asked in a state and always refused
// there has been reached: the refusal is what it has for that state.
func (c *Coverage) Never() []string {
	done, asked := map[string]bool{}, map[string]bool{}
	for t := range c.Triples {
		if t.Outcome[0] == '2' {
			done[t.Route] = true
		}
		asked[t.Route+" "+t.Prior] = true
	}
	var out []string
	for _, cat := range testscripts.Catalogs() {
		for _, route := range cat.Routes() {
			name := cat.Name + " " + route.Method + " " + route.Pattern
			if why := skipped[route.Method+" "+route.Pattern]; why != "" {
				out = append(out, name+": no generator: "+why)
				continue
			}
			if !done[name] {
				out = append(out, name+": no success"+why(name, ""))
			}
			for _, state := range states[tableOf(route.Pattern)].values {
				if !asked[name+" "+state] {
					out = append(out, name+": never in state "+state+why(name, state))
				}
			}
		}
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
