package zendesk

import (
	"slices"
	"strconv"
	"strings"

	"worlds/testscripts/dst/model"
)

// call is one request on its way.
type call struct {
	*Model
	op     model.Op
	args   []string // the words of the path that stand for a placeholder
	body   model.Value
	caller *record
}

// handler answers one route.
type handler func(*call) (int, model.Value, *refusal)

// route is one operation that the model knows.
type route struct {
	pattern string // METHOD /path below /api/v2; * is a placeholder
	do      handler
}

// routes in order: words before placeholders.
var routes = slices.Concat(ticketRoutes, peopleRoutes, []route{
	{"GET /job_statuses", (*call).listJobs},
	{"GET /job_statuses/*", (*call).showJob},
	{"GET /search", (*call).search},
	{"GET /search/count", (*call).searchCount},
	{"GET /tags", (*call).listTags},
	{"GET /tags/count", (*call).countTags},
})

// Knows reports whether the model has an opinion of a request by its route and body.
func (m *Model) Knows(op model.Op) bool {
	path := strings.TrimSuffix(strings.TrimPrefix(op.Path, "/api/v2"), ".json")
	r, _ := match(strings.Replace(op.Method, "PATCH", "PUT", 1), path)
	if r == nil || len(op.Body) == 0 {
		return r != nil
	}
	body, err := model.Parse(op.Body)
	return err == nil && body.Kind == model.Object
}

// longestQuery is up to where a parameter of an address is an ordinary one, in bytes.
const longestQuery = 1000

// Do predicts the answer to a request and follows what it changes.
func (m *Model) Do(op model.Op) model.Expect {
	m.page, m.unsure, m.loose = nil, false, false
	path := strings.TrimSuffix(strings.TrimPrefix(op.Path, "/api/v2"), ".json")
	method := op.Method
	if method == "PATCH" {
		method = "PUT"
	}
	r, args := match(method, path)
	if slices.ContainsFunc(op.Params, func(p model.Pair) bool { return strings.Contains(p.Value, "\x00") || len(p.Value) > longestQuery }) {
		return model.Unknown("a parameter that is hardly a text")
	}
	if r == nil {
		return model.Unknown("the model knows no " + method + " " + path)
	}
	c := &call{Model: m, op: op, args: args, caller: m.activeUser(m.principal)}
	if op.As != "" {
		c.caller = m.byEmail(op.As)
	}
	if c.caller == nil || c.caller.is("suspended") {
		return (&refusal{status: 401, name: "Couldn't authenticate you"}).expect()
	}
	if method == "GET" && slices.ContainsFunc(op.Params, func(p model.Pair) bool { return p.Value == "" }) {
		return model.Unknown("a query that is sent empty")
	}
	if method == "GET" && c.param("include") != "" {
		return model.Unknown("what is shown beside a list")
	}
	if !staff(c.caller) && r.pattern != "GET /users/me" {
		return forbidden.expect()
	}
	request := method + " " + path + " " + string(op.Body)
	if op.Idem != "" && r.pattern == "POST /tickets" { // no other honours keys
		if old, ok := m.idem[op.Idem]; ok {
			if old.request != request {
				return (&refusal{status: 400, name: "IdempotentRequestError"}).expect()
			}
			old.want.Replayed = true
			return old.want
		}
	}
	if len(op.Body) > 0 {
		var err error
		if c.body, err = model.Parse(op.Body); err != nil || c.body.Kind != model.Object {
			return model.Unknown("a body that is no object")
		}
		if fraction(c.body) {
			return (&refusal{status: 422, name: "Unprocessable Entity"}).expect()
		}
	}
	if refused := c.early(r); refused != nil {
		return refused.expect() // a request that cannot be read leaves no key
	}
	want := c.run(r)
	if m.unsure && want.Status >= 400 {
		return model.Unknown("an id that no answer has shown")
	}
	if op.Idem != "" && r.pattern == "POST /tickets" { // no other honours keys
		m.idem[op.Idem] = answered{request, want}
	}
	return want
}

var forbidden = &refusal{status: 403, name: "Forbidden"}

func (c *call) run(r *route) model.Expect {
	status, body, refused := r.do(c)
	if refused != nil {
		return refused.expect()
	}
	return model.Expect{Known: true, Status: status, Body: body}
}

// fraction reports whether there is a number that is not whole in a body.
func fraction(v model.Value) bool {
	return v.Kind == model.Number && strings.ContainsAny(v.Text, ".eE") || slices.ContainsFunc(v.List, fraction) ||
		slices.ContainsFunc(v.Members, func(m model.Member) bool { return fraction(m.Value) })
}

// required is the member that the body of a write must have.
var required = map[string]string{
	"POST /tickets": "ticket", "PUT /tickets/*": "ticket", "POST /tickets/create_many": "tickets", "POST /users": "user", "PUT /users/*": "user",
	"POST /users/create_or_update": "user", "POST /groups": "group", "PUT /groups/*": "group", "POST /organizations": "organization",
	"PUT /organizations/*": "organization", "POST /group_memberships": "group_membership", "POST /tickets/*/merge": "ids",
	"POST /organization_memberships": "organization_membership", "PUT /tickets/*/tags": "tags", "POST /tickets/*/tags": "tags",
	"DELETE /tickets/*/tags": "tags", "PUT /tickets/*/comments/*/redact": "text",
}

// wrappers are those of required that hold an object.
var wrappers = map[string]bool{"ticket": true, "user": true, "group": true, "organization": true, "group_membership": true, "organization_membership": true}

// early is what is wrong with a request whatever the world holds: that is said
// first, and leaves no idempotency key.
func (c *call) early(r *route) *refusal {
	invalid := &refusal{status: 400, name: "Invalid attribute"}
	if name := required[r.pattern]; name != "" && (!has(c.body, name) || wrappers[name] && c.body.Get(name).Kind != model.Object) {
		return invalid
	}
	if r.pattern == "GET /tickets/show_many" && c.param("ids") == "" && c.param("external_ids") == "" {
		return invalid
	}
	if r.pattern == "GET /search" || r.pattern == "GET /search/count" {
		if c.param("query") == "" || c.param("page[size]") != "" {
			return invalid
		}
	}
	if c.blank("sort") || !c.countable("per_page") || c.param("page[size]") == "" && !c.countable("page") {
		return &refusal{status: 400, name: "Invalid attribute"}
	}
	var f faults
	switch r.pattern {
	case "POST /tickets", "PUT /tickets/*", "POST /tickets/create_many", "PUT /tickets/update_many":
		checkTicketWords(c.body.Get("ticket"), &f)
		for _, p := range c.body.Get("tickets").List {
			checkTicketWords(p, &f)
		}
	case "POST /users", "PUT /users/*", "POST /users/create_or_update":
		checkUserWords(c.body.Get("user"), &f)
	}
	return f.refusal()
}

// blank reports whether a query parameter of a list was sent and says nothing.
func (c *call) blank(name string) bool {
	return c.op.Method == "GET" && slices.ContainsFunc(c.op.Params, func(p model.Pair) bool { return p.Name == name && p.Value == "" })
}

// countable reports whether a query parameter of a list is a number, or not sent.
func (c *call) countable(name string) bool {
	text := c.param(name)
	n, err := strconv.ParseInt(text, 10, 64)
	return text == "" || c.op.Method != "GET" || err == nil && max(n, -n) < 1<<53
}

// match finds the route of a path.
func match(method, path string) (*route, []string) {
	parts := strings.Split(path, "/")
	for i := range routes {
		verb, pattern, _ := strings.Cut(routes[i].pattern, " ")
		want := strings.Split(pattern, "/")
		if verb != method || len(want) != len(parts) {
			continue
		}
		args, ok := []string{}, true
		for j := range want {
			if want[j] == "*" && isID(parts[j]) {
				args = append(args, parts[j])
			} else if want[j] != parts[j] {
				ok = false
				break
			}
		}
		if ok {
			return &routes[i], args
		}
	}
	return nil, nil
}

// isID reports whether a word of a path is an id, and not the name of another route.
func isID(word string) bool {
	return strings.Trim(word, "0123456789") == "" || strings.HasPrefix(word, "V3-")
}

// param is a query parameter, "" if there is none.
func (c *call) param(name string) string {
	for _, p := range c.op.Params {
		if p.Name == name {
			return p.Value
		}
	}
	return ""
}

// arg is the id in the path, as the model calls it.
func (c *call) arg(i int, kind string) string { return c.symbol(kind, c.args[i]) }

// wrapped is the object below the name that a body must have.
func (c *call) wrapped(name string) (model.Value, *refusal) {
	v := c.body.Get(name)
	if v.Kind != model.Object {
		return v, &refusal{status: 400, name: "Invalid attribute"}
	}
	return v, nil
}

func shown(name string, r *record) model.Value { return model.Obj(name, r.v) }

// admin refuses what only an admin may do.
func (c *call) admin() *refusal {
	if c.caller.text("role") != "admin" {
		return forbidden
	}
	return nil
}
