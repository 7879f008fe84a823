package dst

import (
	"cmp"
	"strings"

	"worlds/testscripts/dst/model"
	"worlds/twin"
)

// skipped are the routes without a generator, with the reason.
var skipped = map[string]string{}

// skippedAdmin are the operator's routes that no operation of a history uses, with the
// reason.
var skippedAdmin = map[string]string{
	"GET /healthz":                                   "reads nothing of a world",
	"GET /readyz":                                    "reads nothing of a world",
	"GET /metrics":                                   "counts the whole server, so that it depends on the runs before",
	"GET /admin/openapi.json":                        "a constant",
	"GET /admin/fidelity":                            "a constant",
	"POST /admin/backup":                             "needs the root token; holds the worlds of all runs",
	"POST /admin/worlds":                             "every run begins with it, below HTTP",
	"GET /admin/worlds":                              "lists the worlds of all runs",
	"GET /admin/seeds":                               "lists the seeds of all runs",
	"POST /admin/seeds":                              "the end of a run publishes what it exported, below HTTP",
	"GET /admin/seeds/{hash}":                        "a seed never changes",
	"POST /admin/import":                             "makes a world of a journal whose replay the end of a run checks",
	"DELETE /admin/worlds/{world}":                   "ends a world; the laws at the end of a run delete those that they made",
	"DELETE /admin/worlds/{world}/webhooks/endpoint": "hands deliveries to the background, whose order no seed determines",
	"GET /admin/worlds/{world}/stream/journal":       "has the positions of the event stream, over entries that the fold checks",
	"GET /admin/worlds/{world}/stream/events":        "read by the acts of the harness: " + actDelta + ", " + actTwoSSE,
}

// unreachable says why what the sweep of TestCoverage never reached is not reached: by
// route, or by route and state.
var unreachable = map[string]string{
	"stripe GET /v1/customers/{customer}/discount":    "no parameter of this version gives a customer a discount",
	"stripe DELETE /v1/customers/{customer}/discount": "no parameter of this version gives a customer a discount",
	"stripe POST /v1/refunds/{refund}/cancel":         "refunds to cards wait for nobody, so that none can be canceled",
}

// unreachableStates says the same of states, for all routes.
var unreachableStates = map[string]string{
	"stripe.charge pending":                       "cards settle at once: no charge stays pending",
	"stripe.test_clock advancing":                 "an advance is over when it is answered",
	"stripe.refund pending":                       "few refunds wait, for a day, and each has five routes",
	"stripe.refund failed":                        "few refunds fail, and each has five routes",
	"stripe.credit_note void":                     "few credit notes are voided, and each has five routes",
	"stripe.invoice void":                         "few invoices are voided, and each has thirteen routes",
	"stripe.invoice uncollectible":                "few invoices are given up, and each has thirteen routes",
	"stripe.payment_intent requires_confirmation": "few intents have a payment method that nobody confirms, and each has seven routes",
	"stripe.payment_intent requires_capture":      "few intents wait for their capture, and each has seven routes",
	"zendesk.ticket solved":                       "solved tickets are closed by time, and each has twenty routes",
	"zendesk.ticket hold":                         "few tickets are on hold, and each has twenty routes",
	"stripe.dispute under_review":                 "few disputes are answered with evidence, and each is decided soon",
	"stripe.dispute won":                          "a few disputes are won, once time has gone by",
	tableSubscription + " incomplete":             "few subscriptions begin so, for a day, and each has ten routes",
	tableSubscription + " incomplete_expired":     "few subscriptions end so, and each has ten routes",
	tableSubscription + " unpaid":                 "few subscriptions come to it, after weeks, and each has ten routes",
	tableSubscription + " past_due":               "few subscriptions come to it, and each has ten routes",
	tableSubscription + " paused":                 "few subscriptions come to it, after a trial, and each has ten routes",
}

// why is the reason for which a route has no success, or is never asked in a state.
func why(route, state string) string {
	reason := unreachable[route]
	if state != "" {
		reason = cmp.Or(unreachable[route+" "+state], unreachableStates[tableOf(route)+" "+state])
	}
	if reason == "" {
		return ""
	}
	return " (" + reason + ")"
}

// ungenerated says what a route lacks for the generator to make sound requests to it,
// "" if nothing.
func ungenerated(c *twin.Catalog, r *twin.Route) string {
	name := r.Method + " " + r.Pattern
	segs := strings.Split(r.Pattern, "/")
	for i, seg := range segs {
		if strings.HasPrefix(seg, "{") && tables[segs[i-1]] == "" {
			return "no table for " + seg
		}
	}
	if c.JSON && r.Method != "GET" {
		if r.Method == "DELETE" || bodies[name] != nil || recipes[name] != nil || strings.HasSuffix(name, "/make_default") {
			return ""
		}
		return "no body"
	}
	for _, p := range r.Table() {
		if p.Required && recipes[name] == nil && references[p.Name] == "" && plainWords[p.Name] == nil && p.Enum == nil && p.Type == twin.TextParam {
			return "no value for " + p.Name
		}
	}
	return ""
}

// adminRoutes lists the operator's routes as the server documents them.
func adminRoutes(e *engine) ([]string, error) {
	answer := e.call(request{method: "GET", path: "/admin/openapi.json"})
	doc, err := model.Parse(answer.body)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, path := range doc.Get("paths").Members {
		for _, method := range path.Value.Members {
			out = append(out, strings.ToUpper(method.Name)+" "+path.Name)
		}
	}
	return out, nil
}

// generatedAdmin is the operator's routes that operations take, in the words of the
// server's document.
func generatedAdmin() map[string]bool {
	out := map[string]bool{}
	for _, name := range operatorRoutes {
		method, path, _ := strings.Cut(name, " ")
		out[method+" /admin/worlds/{world}"+path] = true
	}
	return out
}

// operatorRoutes are what operator.go makes, below a world; the test of the generator
// sees that it is true.
var operatorRoutes = []string{
	"GET ", "GET /clock", "GET /marks", "GET /scenarios", "GET /keys", "GET /webhooks/endpoint", "GET /webhooks/deliveries", "GET /journal/export",
	"GET /dump", "GET /dump/hash", "GET /diff", "GET /export-seed", "GET /events", "GET /requests", "GET /journal", "GET /journal/{seq}",
	"POST /reset", "POST /clock/advance", "POST /marks", "POST /scenarios", "DELETE /scenarios/{rule}", "POST /keys", "DELETE /keys/{label}",
	"POST /webhooks/flush", "POST /quiesce", "POST /verify", "POST /replay", "POST /fork", "POST /simulate", "PUT /webhooks/endpoint", "POST /webhooks/resend",
}
