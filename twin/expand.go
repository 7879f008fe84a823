package twin

import (
	"slices"
	"strings"

	"worlds/journal/canon"
)

// expansion is what to expand below one point: the children by name, in the
// order they were asked for.
type expansion struct {
	name string
	kids []*expansion
}

// parseExpand takes the expansion paths out of the parameter tree.
func parseExpand(c *Catalog, r *Route, root *Node) (*expansion, *Error) {
	i := slices.IndexFunc(root.Kids, func(k *Node) bool { return k.Name == c.ExpandParam && k.index < 0 })
	if c.ExpandParam == "" || i < 0 {
		return nil, nil
	}
	node := root.Kids[i]
	root.Kids = slices.Delete(root.Kids, i, i+1)
	if len(node.Kids) == 0 || node.Kids[0].index < 0 {
		return nil, c.Refuse(r, &Violation{Kind: BadType, Param: node.Name, Value: node.Value, Want: "array"})
	}
	if len(node.Kids) > ExpandMax {
		return nil, c.Refuse(r, &Violation{Kind: AboveMax, Param: node.Name, Want: "array", Limit: ExpandMax})
	}
	top := &expansion{}
	for _, k := range node.Kids {
		if len(k.Kids) > 0 || k.Value == "" {
			return nil, c.Refuse(r, &Violation{Kind: BadType, Param: join(node.Name, k.label()), Value: k.Value, Want: "string"})
		}
		path := strings.Split(k.Value, ".")
		if slices.Contains(path, "") {
			return nil, c.NotExpandable(k.Value, false)
		}
		if len(path) > ExpandDepthMax {
			return nil, c.TooDeep(k.Value)
		}
		at := top
		for _, seg := range path {
			at = at.kid(seg)
		}
	}
	return top, nil
}

func (e *expansion) kid(name string) *expansion {
	for _, k := range e.kids {
		if k.name == name {
			return k
		}
	}
	k := &expansion{name: name}
	e.kids = append(e.kids, k)
	return k
}

// first is the first full path below e, for naming it in a refusal.
func (e *expansion) first(prefix string) string {
	path := strings.TrimPrefix(prefix+"."+e.name, ".")
	if len(e.kids) == 0 {
		return path
	}
	return e.kids[0].first(path)
}

// expander splices objects into an answer.
type expander struct {
	tx    *Tx
	c     *Catalog
	shape *Shape // nil: the stored one
	rows  string // the kind of the rows of the list to expand, "" if not known
}

// object expands body, which has an "object" member, below the paths of want.
// trail is the path that led here.
func (x *expander) object(body canon.Raw, want *expansion, trail string) (canon.Raw, *Error) {
	kind, _ := canon.Get(body, "object")
	name, _ := canon.Unquote(kind)
	if name == "list" || name == "search_result" {
		return x.list(body, want, trail)
	}
	api := x.c.kinds[name]
	if api == nil {
		return nil, x.c.NotExpandable(want.kids[0].first(trail), false)
	}
	return x.hash(api, body, want, "", trail)
}

func (x *expander) list(body canon.Raw, want *expansion, trail string) (canon.Raw, *Error) {
	list := members(make([]member, 0, membersUsual), body)
	for _, w := range want.kids {
		whole := len(w.kids) == 0 // its rows are shown as they are
		if w.name != "data" || whole && trail == "" {
			return nil, x.c.NotExpandable(w.first(trail), true)
		}
		if whole {
			continue
		}
		if trail == "" && x.rows != "" {
			if err := x.check(x.rows, w, w.name); err != nil {
				return nil, err
			}
		}
		for i := range list {
			if list[i].key != "data" {
				continue
			}
			data, err := each(list[i].value, func(e canon.Raw) (canon.Raw, *Error) { return x.object(e, w, dotted(trail, "data")) })
			if err != nil {
				return nil, err
			}
			list[i].value = data
		}
	}
	return appendObject(nil, list), nil
}

// hash expands below a (possibly nested) object of api; prefix is the dotted
// path from the object that owns the declarations.
func (x *expander) hash(api *API, body canon.Raw, want *expansion, prefix, trail string) (canon.Raw, *Error) {
	list := members(make([]member, 0, membersUsual), body)
	for _, w := range want.kids {
		path, here := dotted(prefix, w.name), dotted(trail, w.name)
		i, found := slices.BinarySearchFunc(list, w.name, func(m member, k string) int { return canon.CompareKeys(m.key, k) })
		var old canon.Raw
		if found {
			old = list[i].value
		}
		value, err := x.member(api, body, old, w, path, here)
		if err != nil {
			return nil, err
		}
		if !found && value != nil {
			list = slices.Insert(list, i, member{w.name, value})
		} else if found {
			list[i].value = value
		}
	}
	return appendObject(nil, list), nil
}

// member returns the expanded value of one member.
func (x *expander) member(api *API, body, old canon.Raw, w *expansion, path, here string) (canon.Raw, *Error) {
	target, include := x.rule(api, path)
	if include != nil {
		return x.below(x.shape.show(x.tx.st, include(x.tx, x.stored(api, body))), w, here)
	}
	if target != "" {
		if err := x.check(target, w, here); err != nil {
			return nil, err
		}
		return x.target(target, old, w, here)
	}
	if len(w.kids) == 0 {
		if x.leads(api, path) { // it is shown whole, asked for or not
			return old, nil
		}
		return nil, x.c.NotExpandable(here, false)
	}
	switch {
	case len(old) > 0 && old[0] == '{':
		return x.nested(api, old, w, path, here)
	case len(old) > 0 && old[0] == '[' && string(old) != "[]" && x.leads(api, path):
		return each(old, func(e canon.Raw) (canon.Raw, *Error) { return x.nested(api, e, w, path, here) })
	case x.leads(api, path): // null, empty or absent: nothing to expand
		return old, x.checkBelow(api, w, path, here)
	}
	return nil, x.c.NotExpandable(w.first(strings.TrimSuffix(strings.TrimSuffix(here, w.name), ".")), false)
}

// nested expands below a member that holds an object, or one element of such.
func (x *expander) nested(api *API, old canon.Raw, w *expansion, path, here string) (canon.Raw, *Error) {
	if _, typed := canon.Get(old, "object"); typed {
		return x.object(old, w, here)
	}
	return x.hash(api, old, w, path, here)
}

// each applies expand to every element of an array.
func each(array canon.Raw, expand func(canon.Raw) (canon.Raw, *Error)) (canon.Raw, *Error) {
	out := append(make([]byte, 0, len(array)*2), '[')
	for e := range canon.Elements(array) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		v, err := expand(e)
		if err != nil {
			return nil, err
		}
		out = append(out, v...)
	}
	return append(out, ']'), nil
}

// stored is the object that body shows, as it is stored.
func (x *expander) stored(api *API, body canon.Raw) canon.Raw {
	if x.shape == nil {
		return body
	}
	raw, _ := canon.Get(body, "id")
	id, _ := canon.Unquote(raw)
	if row := x.tx.st.Get(api.Kind.Table, id); row != nil {
		return row.Body
	}
	return body
}

// rule is what expands at a path: an id into an object of a kind, or a member that
// is absent otherwise; "" and nil for neither.
func (x *expander) rule(api *API, path string) (target string, include Include) {
	if target, other := x.shape.expands(api, path); other {
		return target, nil
	}
	return api.Expand[path], api.Include[path]
}

// leads reports whether a declared path ends at or passes through path.
func (x *expander) leads(a *API, path string) bool {
	for _, k := range x.expandPaths(a) {
		if k == path || strings.HasPrefix(k, path+".") {
			return true
		}
	}
	return false
}

// target replaces an id (or an array of ids) by the object it names.
func (x *expander) target(object string, old canon.Raw, w *expansion, here string) (canon.Raw, *Error) {
	if len(old) == 0 {
		return old, nil
	}
	switch old[0] {
	case '[':
		return each(old, func(e canon.Raw) (canon.Raw, *Error) { return x.target(object, e, w, here) })
	case '{':
		return x.below(old, w, here)
	case '"':
		id, _ := canon.Unquote(old)
		if api := x.c.kinds[object]; api == nil {
			return old, nil
		} else if row := x.tx.st.Get(api.Kind.Table, id); row != nil {
			return x.below(x.shape.show(x.tx.st, row.Body), w, here)
		} else if api.Find != nil {
			if body := api.Find(x.tx, id); body != nil {
				return x.below(x.shape.show(x.tx.st, body), w, here)
			}
		}
	}
	return old, nil
}

func (x *expander) below(body canon.Raw, w *expansion, here string) (canon.Raw, *Error) {
	if len(w.kids) == 0 || body == nil || string(body) == "null" {
		return body, nil
	}
	if deleted, ok := canon.Get(body, "deleted"); ok && string(deleted) == "true" {
		return body, nil
	}
	return x.object(body, w, here)
}

// check refuses, before any value is looked at, a path below target that its
// kind could never follow: the answer must not depend on what happens to be null.
func (x *expander) check(target string, w *expansion, here string) *Error {
	api := x.c.kinds[target]
	if api == nil { // a kind that is not served: the member is always null
		return nil
	}
	for _, k := range w.kids {
		if !x.leadsTo(api, k.name) {
			return x.c.NotExpandable(k.first(here), false)
		}
	}
	return nil
}

// checkBelow refuses what could never be expanded below a member that is not there.
func (x *expander) checkBelow(api *API, w *expansion, path, here string) *Error {
	if x.holds(api, path) {
		return nil // whole objects, of a kind that they say themselves
	}
	for _, k := range w.kids {
		p, at := dotted(path, k.name), dotted(here, k.name)
		target, include := x.rule(api, p)
		var err *Error
		switch {
		case target != "":
			err = x.check(target, k, at)
		case include != nil:
		case !x.leads(api, p):
			err = x.c.NotExpandable(k.first(here), false)
		default:
			err = x.checkBelow(api, k, p, at)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// holds reports whether a path is declared as one that holds whole objects.
func (x *expander) holds(api *API, path string) bool {
	target, _ := x.rule(api, path)
	if target != "" {
		return false
	}
	for _, k := range x.expandPaths(api) {
		if k == path {
			return true
		}
	}
	return false
}

// leadsTo reports whether some declared path begins with the segment name.
func (x *expander) leadsTo(a *API, name string) bool {
	for _, k := range x.expandPaths(a) {
		if k == name || strings.HasPrefix(k, name+".") {
			return true
		}
	}
	return false
}

// expandPaths lists the declared paths of an API in order.
func (x *expander) expandPaths(a *API) []string {
	paths := make([]string, 0, len(a.Expand)+len(a.Include))
	for k := range a.Expand { //worlds:sorted below
		paths = append(paths, k)
	}
	for k := range a.Include { //worlds:sorted below
		paths = append(paths, k)
	}
	paths = x.shape.paths(a, paths)
	slices.Sort(paths)
	return paths
}

func dotted(prefix, name string) string {
	if prefix == "" {
		return name
	}
	return prefix + "." + name
}
