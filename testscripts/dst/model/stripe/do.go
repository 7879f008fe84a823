package stripe

import (
	"slices"
	"strings"

	"worlds/testscripts/dst/model"
)

// call is one request as a decide function sees it.
type call struct {
	m      *Model
	method string
	target string   // the path, with symbols
	path   []string // what stands for the braces of the route
	form   *node
}

// decide works out the answer to a request, and changes the model.
type decide func(*call) model.Value

// route is one operation of the API.
type route struct {
	method string
	parts  []string
	params *shape
	decide decide
}

// on reads "POST /v1/charges/{charge}" and a route's parameters.
func on(operation, params string, d decide) route {
	method, path, _ := strings.Cut(operation, " ")
	return route{method, strings.Split(path, "/"), readShape(params + vaguely(operation) + " expand[:s]"), d}
}

// words stand where an id could, in the paths of other routes.
var words = []string{"search", "create_preview", "upcoming", "preview"}

// match takes a path apart.
func (r route) match(method string, parts []string) (args []string, ok bool) {
	if method != r.method || len(parts) != len(r.parts) {
		return nil, false
	}
	for i, p := range r.parts {
		if strings.HasPrefix(p, "{") && parts[i] != "" && !slices.Contains(words, parts[i]) {
			args = append(args, parts[i])
		} else if p != parts[i] {
			return nil, false
		}
	}
	return args, true
}

// Do predicts the answer to a request and changes the model accordingly.
func (m *Model) Do(op model.Op) model.Expect {
	want := m.do(op)
	if !want.Known && op.Idem != "" && op.Method == "POST" && m.keys[op.Idem] == nil {
		m.keys[op.Idem] = &answered{alias: m.aliasOf(op.Idem), unsure: true}
	}
	return want
}

func (m *Model) do(op model.Op) model.Expect {
	m.undo = nil
	switch {
	case m.lost != "":
		return model.Unknown("lost: " + m.lost)
	case op.API != "" && op.API != "stripe":
		return model.Unknown("another API")
	case op.Version != "" && op.Version != apiVersion:
		return model.Unknown("another version")
	}
	parts := strings.Split(op.Path, "/")
	for i := range parts {
		parts[i] = m.symbolOf(parts[i])
	}
	for _, r := range routes {
		if args, ok := r.match(op.Method, parts); ok {
			return m.take(r, op, &call{m: m, method: op.Method, target: strings.Join(parts, "/"), path: args})
		}
	}
	return model.Unknown("a route that is not modelled")
}

// Knows reports whether the model has an opinion of a request by what it says: its
// version, route and parameters. What the world holds can still leave it without one.
func (m *Model) Knows(op model.Op) bool {
	if m.lost != "" || op.Version != "" && op.Version != apiVersion {
		return false
	}
	parts := strings.Split(op.Path, "/")
	for _, r := range routes {
		if _, ok := r.match(op.Method, parts); !ok {
			continue
		}
		form, ok := readForm(op.Params, func(text string) string { return text })
		if !ok {
			return false
		}
		unknown, unserved := r.params.strangers(form, "")
		for _, bad := range []*refusal{r.params.check(form, ""), r.params.missing(form, "")} {
			if len(unknown) == 0 && bad != nil && bad.unknown != "" {
				return false
			}
		}
		return unserved == ""
	}
	return false
}

// take goes through what an operation goes through.
func (m *Model) take(r route, op model.Op, c *call) model.Expect {
	alias := ""
	if op.Idem != "" && op.Method != "GET" {
		alias = m.aliasOf(op.Idem)
	}
	if i := slices.IndexFunc(op.Params, func(p model.Pair) bool { return strings.Contains(p.Value, "\x00") }); i >= 0 {
		m.requests++
		return m.refused(invalid("", op.Params[i].Name)) // no form at all
	}
	form, ok := readForm(op.Params, m.symbolOf)
	if !ok {
		m.requests++
		return model.Unknown("a form of mixed shapes")
	}
	c.form = form
	unknown, unserved := r.params.strangers(form, "")
	switch {
	case unserved != "":
		return model.Unknown("a parameter that the product may not serve: " + unserved)
	case len(unknown) > 0:
		return m.refused(invalid("parameter_unknown", unknown[0]))
	}
	m.requests++
	m.request = requestInfo{id: model.Symbol("req", m.requests), key: alias}
	ticked := m.seed.ClockMode == "auto"
	if ticked {
		m.tick()
	}
	want := m.keyed(r, op, c)
	want.Ticked = ticked
	return want
}

// keyed looks at the idempotency key, and keeps the answer under it.
func (m *Model) keyed(r route, op model.Op, c *call) model.Expect {
	alias := m.request.key
	if alias == "" || op.Method != "POST" { // a delete tells of its key, and no more
		want, _ := m.execute(r, c)
		return want
	}
	print := fingerprint(c)
	if old := m.keys[op.Idem]; old != nil {
		if old.unsure {
			return model.Unknown("an idempotency key that may have been kept")
		}
		if old.print != print {
			return m.refused(refuse(400, "idempotency_error", "", ""))
		}
		want := old.want
		want.Replayed = true
		return want
	}
	want, executed := m.execute(r, c)
	if executed && want.Known {
		m.keys[op.Idem] = &answered{alias: alias, print: print, want: want, request: m.request.id, target: c.method + " " + c.target}
	}
	return want
}

// execute checks the parameters and decides. executed is false for a refusal that
// came before the endpoint began.
func (m *Model) execute(r route, c *call) (want model.Expect, executed bool) {
	m.undo = nil
	if bad := r.params.check(c.form, ""); bad != nil {
		return m.refused(bad), false
	}
	if bad := r.params.missing(c.form, ""); bad != nil {
		return m.refused(bad), false
	}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *refusal:
			if !r.keep {
				m.rollback()
			}
			want, executed = m.refused(r), true
			want.Ghost = !r.keep
		case earlyRefusal:
			m.rollback()
			want, executed = m.refused(r.refusal), false
		default:
			panic(r)
		}
	}()
	body := c.expanded(r.decide(c))
	return model.Expect{Known: true, Status: 200, Body: body}, true
}

// earlyRefusal is one that a decide function makes of the parameters alone: it is
// not kept under an idempotency key.
type earlyRefusal struct{ *refusal }

func (m *Model) refused(r *refusal) model.Expect {
	if r.unknown != "" {
		return model.Unknown(r.unknown)
	}
	want := model.Expect{Known: true, Status: r.status, Type: r.kind, Code: r.code, Param: r.param, Body: model.Free}
	if r.body.Kind == model.Object {
		want.Body = r.body
	}
	return want
}

// unless ends the decision with a refusal if something does not hold.
func (c *call) unless(holds bool, r *refusal) {
	if !holds {
		panic(r)
	}
}

// unlessEarly is unless, for what the parameters alone decide.
func (c *call) unlessEarly(holds bool, r *refusal) {
	if !holds {
		panic(earlyRefusal{r})
	}
}

// at is the parameter at a path of names, or nil.
func (c *call) at(path ...string) *node { return c.form.at(path...) }

func (n *node) at(path ...string) *node {
	for _, key := range path {
		if n == nil {
			return nil
		}
		n = n.parts[key]
	}
	return n
}

// has reports whether a parameter was sent, even empty.
func (c *call) has(path ...string) bool { return c.at(path...) != nil }

// str is a text, "" if it was not sent.
func (c *call) str(path ...string) string { return c.form.str(path...) }

func (n *node) str(path ...string) string {
	if n = n.at(path...); n == nil {
		return ""
	}
	return n.text
}

// num is a whole number, or otherwise if it was not sent.
func (c *call) num(otherwise int64, path ...string) int64 { return c.form.num(otherwise, path...) }

func (n *node) num(otherwise int64, path ...string) int64 {
	if n = n.at(path...); n == nil || n.text == "" {
		return otherwise
	}
	v, _ := model.Decimal(n.text).Number()
	return v
}

// yes is a boolean, false if it was not sent.
func (c *call) yes(path ...string) bool { return c.str(path...) == "true" }

// metadata merges what was sent into old, without changing it.
func (c *call) metadata(old map[string]string) map[string]string { return merge(old, c.at("metadata")) }

func merge(old map[string]string, n *node) map[string]string {
	if n == nil {
		return old
	}
	merged := map[string]string{}
	if n.leaf { // metadata=
		return merged
	}
	for k, v := range old {
		merged[k] = v
	}
	for k, part := range n.parts {
		if part.text == "" {
			delete(merged, k)
		} else {
			merged[k] = part.text
		}
	}
	return merged
}
