package twin

import (
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"
)

// Route is one endpoint: a pattern and the decide function that answers it.
type Route struct {
	Method  string
	Pattern string // "/v1/refunds/{id}"
	segs    []string
	plan    *plan
	decide  func(tx *Tx, m match, n *Node) (Doc, *Error)
}

// match is a route with the values of its path segments, in pattern order.
type match struct {
	route  *Route
	values []string
}

// PathOf is what a Command says of a path: the decoded one where that is text, the
// encoded one otherwise, and where a slash is part of a segment; escaped then says
// that each segment is to be decoded by itself.
func PathOf(decoded, encoded string) (path string, escaped bool) {
	if !utf8.ValidString(decoded) {
		return encoded, false
	}
	if strings.Contains(encoded, "%2F") || strings.Contains(encoded, "%2f") {
		return EscapeForm([]byte(encoded)), true
	}
	return decoded, false
}

// unescape decodes the values of a path that came percent-encoded.
func (m *match) unescape() {
	for i, v := range m.values {
		m.values[i] = unescapeSegment(v)
	}
}

// On declares an endpoint: pattern is "METHOD /path/{segment}", decide a pure
// function of the state and the parameters. P is a parameter struct (params.go).
// decide returns a *Error, never another error.
func On[P any](pattern string, decide func(*Tx, *P) (Doc, *Error)) Route {
	method, path, ok := strings.Cut(pattern, " ")
	if !ok || !strings.HasPrefix(path, "/") {
		panic("twin: bad route " + pattern)
	}
	p := compile(reflect.TypeFor[P]())
	r := Route{Method: method, Pattern: path, segs: strings.Split(path[1:], "/"), plan: p}
	r.checkPath()
	r.decide = func(tx *Tx, m match, n *Node) (Doc, *Error) {
		params := new(P)
		if err := m.route.bind(tx.catalog, params, m, n); err != nil {
			return Doc{}, err
		}
		return decide(tx, params)
	}
	return r
}

// checkPath panics when the pattern's segments and the struct's path tags
// disagree, which is our own mistake.
func (r *Route) checkPath() {
	names := map[string]bool{}
	for _, s := range r.segs {
		if strings.HasPrefix(s, "{") {
			names[strings.Trim(s, "{}")] = true
		}
	}
	for _, f := range r.plan.paths {
		if !names[f.name] {
			panic(fmt.Sprintf("twin: %s %s has no segment {%s}", r.Method, r.Pattern, f.name))
		}
		delete(names, f.name)
	}
	if len(names) > 0 {
		panic(fmt.Sprintf("twin: %s %s has a segment without a path field", r.Method, r.Pattern))
	}
}

// invalid marks an error found before the endpoint began: it is not stored under
// an idempotency key.
func invalid(e *Error) *Error {
	e.Unstored = true
	return e
}

func (r *Route) bind(c *Catalog, params any, m match, n *Node) *Error {
	v := reflect.ValueOf(params).Elem()
	k := 0
	for i, seg := range r.segs {
		if !strings.HasPrefix(seg, "{") {
			continue
		}
		name := strings.Trim(r.segs[i], "{}")
		for _, f := range r.plan.paths {
			if f.name == name {
				v.FieldByIndex(f.index).SetString(m.values[k])
			}
		}
		k++
	}
	if bad := r.plan.bind(v, n, ""); bad != nil {
		return invalid(c.Refuse(r, bad))
	}
	if ch, ok := params.(checker); ok {
		if err := ch.Check(); err != nil {
			return invalid(err)
		}
	}
	return nil
}

// Params lists the parameter names of the route, nested ones in brackets, lists
// as [].
func (r *Route) Params() []string { return r.plan.names("") }

func (p *plan) names(prefix string) []string {
	var out []string
	for i := range p.fields {
		f := &p.fields[i]
		if f.older {
			continue
		}
		name := join(prefix, f.name)
		if f.list {
			name += "[]"
		}
		if f.sub == nil || f.ranged {
			out = append(out, name)
			continue
		}
		out = append(out, f.sub.names(name)...)
	}
	return out
}

// router finds routes by their segments: literal segments win over named ones.
type router struct{ root step }

type step struct {
	literal map[string]*step
	named   *step
	routes  map[string]*Route // by method
}

func (t *router) add(r *Route) error {
	at := &t.root
	for _, seg := range r.segs {
		if strings.HasPrefix(seg, "{") {
			if at.named == nil {
				at.named = &step{}
			}
			at = at.named
			continue
		}
		if at.literal == nil {
			at.literal = map[string]*step{}
		}
		if at.literal[seg] == nil {
			at.literal[seg] = &step{}
		}
		at = at.literal[seg]
	}
	if at.routes[r.Method] != nil {
		return fmt.Errorf("two routes for %s %s", r.Method, r.Pattern)
	}
	if at.routes == nil {
		at.routes = map[string]*Route{}
	}
	at.routes[r.Method] = r
	return nil
}

// find returns the route for a method and path.
func (t *router) find(method, path string) (match, bool) {
	var values [4]string
	return t.root.find(method, strings.TrimPrefix(path, "/"), values[:0])
}

func (s *step) find(method, rest string, values []string) (match, bool) {
	if rest == "" {
		r := s.routes[method]
		return match{route: r, values: values}, r != nil
	}
	seg, below, more := strings.Cut(rest, "/")
	if more && below == "" { // a trailing slash is not the same path
		return match{}, false
	}
	if next := s.literal[seg]; next != nil {
		if m, ok := next.find(method, below, values); ok {
			return m, true
		}
	}
	if s.named == nil || seg == "" {
		return match{}, false
	}
	return s.named.find(method, below, append(values, seg))
}
