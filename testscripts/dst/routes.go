package dst

import (
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

// unreachable says why what coverage never reached cannot be: by route, or by route
// and state.
var unreachable = map[string]string{
	"stripe POST /v1/refunds/{refund}/cancel":         "refunds to cards wait for nobody, so that none can be canceled",
	"stripe DELETE /v1/customers/{customer}/discount": "no parameter of this version gives a customer a discount",
}

// unreachableStates says the same of states that no request leads to, by their end.
var unreachableStates = map[string]string{
	" pending": "cards settle at once: nothing here stays pending",
}

func reason(name string) string {
	if why := unreachable[name]; why != "" {
		return " (" + why + ")"
	}
	for end, why := range unreachableStates {
		if strings.HasPrefix(name, "stripe ") && strings.HasSuffix(name, end) {
			return " (" + why + ")"
		}
	}
	return ""
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
