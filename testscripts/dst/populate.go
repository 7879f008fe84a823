package dst

import (
	"slices"
	"strings"

	"worlds/seed"
	"worlds/twin"
)

// deskJSON is a help desk for populated worlds.
const deskJSON = `{"name":"desk","version":1,"epoch":1767225600,"zendesk":{"version":1,"principal_id":1,
 "users":[
  {"id":1,"name":"Ana Admin","email":"ana@desk.example","role":"admin","default_group_id":11},
  {"id":2,"name":"Gus Agent","email":"gus@desk.example","role":"agent","default_group_id":11},
  {"id":3,"name":"Ivy Agent","email":"ivy@desk.example","role":"agent","default_group_id":12},
  {"id":4,"name":"Ada User","email":"ada@acme.example","organization_id":21},
  {"id":5,"name":"Bo User","email":"bo@acme.example","organization_id":21}],
 "groups":[{"id":11,"name":"Support","default":true},{"id":12,"name":"Billing"}],
 "organizations":[{"id":21,"name":"Acme"},{"id":22,"name":"Else"}],
 "group_memberships":[{"id":31,"user_id":1,"group_id":11,"default":true},{"id":32,"user_id":2,"group_id":11,"default":true},{"id":33,"user_id":3,"group_id":12,"default":true},{"id":34,"user_id":3,"group_id":11}],
 "organization_memberships":[{"id":41,"user_id":4,"organization_id":21,"default":true},{"id":42,"user_id":5,"organization_id":21,"default":true}],
 "tickets":[],"comments":[],"audits":[],
 "lifecycle":{"closure":{"after_hours":24,"sweep_phase_seconds":900,"author_id":1}}}}`

// The seeds of the library that populated worlds begin with: mostly the one that has
// every edge and is small.
const (
	edgesSeed = "billing-edges"
	saasSeed  = "saas-billing-small"
	saasEvery = 8 // seeds of runs
)

// clocksJSON is an empty world whose agents may move clocks of their own, and
// clocksEvery which of the sparse worlds begin with it.
const (
	clocksJSON  = `{"name":"clocks","version":1,"epoch":1767225600,"settings":{"test_clocks":true},"data":{"customers":[],"products":[],"prices":[],"invoices":[],"subscriptions":[]}}`
	clocksEvery = 4
)

// seedOf is the seed of one world of a run.
func seedOf(profile string, number uint64, index int) (*seed.Seed, error) {
	switch {
	case profile == Sparse && (number+uint64(index))%clocksEvery == 0:
		return seed.Parse([]byte(clocksJSON))
	case profile == Sparse:
		return seed.Lookup("empty")
	}
	name := edgesSeed
	if number%saasEvery == 0 && index == 0 {
		name = saasSeed
	}
	billing, err := seed.Lookup(name)
	if err != nil {
		return nil, err
	}
	desk, err := seed.Parse([]byte(deskJSON))
	if err != nil {
		return nil, err
	}
	return seed.Compose(billing, desk, "populated")
}

// populateTries is how often a mandatory path is tried with what is there, before it is
// taken in the way that is certain.
const populateTries = 8

// populate takes the paths that every populated run must have been on, through the
// same API as everything else. The worlds of a run share them out.
func (r *run) populate(s *space) *Failure {
	groups := [][]string{makers}
	for i, group := range mandatoryPaths {
		if i%len(r.spaces) == s.index {
			groups = append(groups, group)
		}
	}
	for _, group := range groups {
		for _, path := range group {
			if f := r.takePath(s, path); f != nil {
				return f
			}
		}
	}
	return r.plot(s)
}

// takePath sends sound requests to a route until one succeeds, at last one that does so
// on every world.
func (r *run) takePath(s *space, path string) *Failure {
	defer func() { r.gen.plain = false }()
	for try := range populateTries {
		r.gen.plain = try > 0 // the first try may be of any kind
		if ok, f := r.tryPath(s, path); ok || f != nil {
			return f
		}
	}
	return r.certainly(s, path)
}

// tryPath sends one sound request to a route, and says whether it succeeded.
func (r *run) tryPath(s *space, path string) (bool, *Failure) {
	api, pattern, _ := strings.Cut(path, " ")
	route := routeOf(s.catalog(api), pattern)
	if route == nil {
		return false, failed("harness.path", "there is no route %s", path)
	}
	op := r.gen.on(s, api, route, aimSound)
	op.Version, op.Key, op.Idem = "", "", ""
	for range drawMax {
		if !r.gen.keep || !s.foreign(&op) {
			break
		}
		op = r.gen.on(s, api, route, aimSound)
		op.Version, op.Key, op.Idem = "", "", ""
	}
	if r.gen.keep && s.foreign(&op) { // another run takes this path: no model knows it
		r.done[path] = true
		r.gen.skip()
		return true, nil
	}
	committed := r.metrics.counted(r.phase, countCommitted)
	f := r.chain(s, &op)
	return r.metrics.counted(r.phase, countCommitted) > committed, f
}

func routeOf(c *twin.Catalog, pattern string) *twin.Route {
	for _, route := range c.Routes() {
		if route.Method+" "+route.Pattern == pattern {
			return route
		}
	}
	return nil
}

// plot is the stories that no single route tells: a charge refunded twice over, a key
// that expires, a storm of refusals, a renewal, a sweep that closes tickets, a delete
// that is refused.
func (r *run) plot(s *space) *Failure {
	g := r.gen
	admin := func(method, path, body string) Op { return g.act(s, method, path, body) }
	request := func(method, route, path string, params ...pair) Op {
		return Op{N: g.number(), Space: s.index, API: apiStripe, Method: method, Route: method + " " + route, Path: path, Params: params, Aim: aimSound}
	}
	charge := request("POST", "/v1/charges", "/v1/charges", pair{Name: "amount", Value: "500"}, pair{Name: "currency", Value: "usd"}, pair{Name: "source", Value: "tok_visa"})
	if r.gen.keep && s.foreign(&charge) {
		charge = request("POST", "/v1/payment_intents", "/v1/payment_intents", pair{Name: "amount", Value: "500"}, pair{Name: "currency", Value: "usd"},
			pair{Name: "payment_method", Value: "pm_card_visa"}, pair{Name: "confirm", Value: "true"})
	}
	story := []Op{charge}
	for range 2 {
		story = append(story, request("POST", "/v1/refunds", "/v1/refunds", pair{Name: "charge", Value: r.firstOf(charge.N, "stripe.charge")}))
	}
	short := admin("POST", "/keys", `{"label":"short","expires_after":1}`)
	late := request("GET", "/v1/customers", "/v1/customers")
	late.Key = "short"
	again := late
	again.N = g.number()
	story = append(story, short, late, again, admin("DELETE", "/keys/short", ""),
		admin("POST", "/scenarios", `{"match":{"api":"stripe","method":"GET","path":"/v1/customers"},"count":2,"effect":{"answer":{"status":429}}}`))
	for range 3 {
		story = append(story, request("GET", "/v1/customers", "/v1/customers"))
	}
	story = append(story, admin("DELETE", "/scenarios/rule:1", ""), admin("POST", "/clock/advance", r.far(s)), admin("POST", "/clock/advance", `{"days":3}`),
		request("DELETE", "/v1/products/{id}", "/v1/products/"+gone))
	for i := range story {
		if story[i].Path == "/scenarios/rule:1" {
			story[i].Route = "DELETE /scenarios/{rule}"
		}
		if f := r.apply(&story[i]); f != nil {
			return f
		}
	}
	return nil
}

// far is how far the plot moves a clock: over all renewals in one world of the run,
// over a closing and the first dunning in the others. Much happens in a month.
func (r *run) far(s *space) string {
	if uint64(s.index) == r.seed%uint64(len(r.spaces)) {
		return `{"days":32}`
	}
	return `{"days":1}`
}

// firstOf is the symbol of the first row of a table that operation n will have made.
// Rows are noted table by table: balance transactions come before charges.
func (r *run) firstOf(n int, table string) string {
	if table == "stripe.charge" {
		return symbol(n, 1)
	}
	return symbol(n, 0)
}

// makers give the other paths something to work on; every world takes them.
var makers = []string{
	"stripe POST /v1/products", "stripe POST /v1/prices", "stripe POST /v1/customers", "stripe POST /v1/invoices", "stripe POST /v1/charges",
	"stripe POST /v1/subscriptions", "zendesk POST /api/v2/users", "zendesk POST /api/v2/tickets",
}

// mandatoryPaths are the routes that the setup of a populated run has a success of, in
// groups that one world takes, each in an order in which it finds what it needs.
var mandatoryPaths = [][]string{
	{"stripe POST /v1/products/{id}", "stripe POST /v1/prices/{price}", "stripe POST /v1/coupons", "stripe POST /v1/coupons/{coupon}", "stripe POST /v1/promotion_codes"},
	{"stripe POST /v1/customers/{id}", "stripe POST /v1/customers/{customer}/balance_transactions", "stripe POST /v1/customers/{customer}/sources"},
	{"stripe POST /v1/payment_methods", "stripe POST /v1/payment_methods/{payment_method}/attach", "stripe POST /v1/tokens", "stripe POST /v1/setup_intents"},
	{"stripe POST /v1/webhook_endpoints", "stripe POST /v1/charges/{charge}", "stripe POST /v1/refunds", "stripe POST /v1/refunds/{refund}"},
	{"stripe POST /v1/payment_intents", "stripe POST /v1/payment_intents/{intent}", "stripe POST /v1/payment_intents/{intent}/cancel"},
	{"stripe POST /v1/invoiceitems", "stripe POST /v1/invoices/{invoice}", "stripe POST /v1/invoices/{invoice}/add_lines",
		"stripe POST /v1/invoices/{invoice}/finalize", "stripe POST /v1/credit_notes", "stripe POST /v1/invoices/{invoice}/pay"},
	{"stripe POST /v1/invoiceitems", "stripe DELETE /v1/invoiceitems/{invoiceitem}", "stripe POST /v1/invoices/{invoice}/finalize", "stripe POST /v1/invoices/{invoice}/void"},
	{"stripe POST /v1/subscriptions/{id}", "stripe POST /v1/subscription_items/{item}", "stripe DELETE /v1/subscriptions/{id}", "stripe DELETE /v1/customers/{id}"},
	{"zendesk POST /api/v2/organizations", "zendesk PUT /api/v2/organizations/{id}", "zendesk POST /api/v2/groups", "zendesk PUT /api/v2/users/{id}", "zendesk POST /api/v2/users/create_or_update"},
	{"zendesk PUT /api/v2/tickets/{id}", "zendesk POST /api/v2/tickets/create_many", "zendesk PUT /api/v2/tickets/update_many", "zendesk POST /api/v2/tickets/{id}/tags", "zendesk DELETE /api/v2/tickets/{id}"},
}

// mandatory lists the mandatory routes.
func mandatory() []string { return append(slices.Concat(mandatoryPaths...), makers...) }
