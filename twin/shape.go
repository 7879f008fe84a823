package twin

import (
	"slices"
	"strings"

	"worlds/journal/canon"
	"worlds/projection"
)

// Shape is an older form of an API: how its versions ask, and how they show what
// is stored in the newest form. All of it is pure. The methods of a nil Shape, the
// stored form, change nothing.
//
// What an entry refers to stays in the stored form, whatever version asked; what
// it holds itself (an expanded answer, a refusal, the record of an idempotency
// key) is as it was answered, so that a repeat is byte for byte the first answer.
type Shape struct {
	// Show turns an answer (an object, a page, a refusal) from the stored form into
	// this one. The state tells what the answer refers to.
	Show func(st *projection.State, body canon.Raw) canon.Raw
	// Routes are operations that this form has under another name, "METHOD /path"
	// as asked ({name} is any segment) and as the catalog has it, "" for one that it
	// does not serve.
	Routes [][2]string
	// Aliases are parameters that this form has under another name.
	Aliases []Alias
	// Blame puts the name of a parameter in the place of another in a refusal.
	Blame func(refusal canon.Raw, name, asked string) canon.Raw
	// Expand is what expands otherwise in this form: by object, by dotted path, the
	// object of the id there, or NotExpanded.
	Expand map[string]map[string]string
}

// NotExpanded stands in Shape.Expand for what an older form does not have.
const NotExpanded = "-"

// Alias is a parameter of an older form. Name and With are bracket paths of the
// route's own table. An alias that is sent empty clears the outermost of Name.
type Alias struct {
	Route string // "POST /v1/customers", as the catalog has it
	Asked string // at the top of the request
	Name  string
	With  string // a further parameter that goes with it, as "name=value"; or ""
}

func (s *Shape) show(st *projection.State, body canon.Raw) canon.Raw {
	if s == nil || body == nil {
		return body
	}
	return s.Show(st, body)
}

func (s *Shape) route(method, path string) (string, string) {
	if s == nil {
		return method, path
	}
	for _, r := range s.Routes {
		if m, p, _ := strings.Cut(r[0], " "); m == method && matchPath(p, path) {
			method, path, _ = strings.Cut(r[1], " ")
			break
		}
	}
	return method, path
}

// rename gives the aliases in root their names and returns those that it found.
func (s *Shape) rename(r *Route, root *Node) []Alias {
	if s == nil {
		return nil
	}
	var found []Alias
	for _, a := range s.Aliases {
		if a.Route != r.Method+" "+r.Pattern {
			continue
		}
		i := slices.IndexFunc(root.Kids, func(k *Node) bool { return k.Name == a.Asked && k.index < 0 })
		if i < 0 {
			continue
		}
		sent := root.Kids[i]
		root.Kids = slices.Delete(root.Kids, i, i+1)
		path, _ := splitKey(a.Name)
		if sent.blank() {
			path = path[:1]
		}
		root.put(path, sent)
		if name, value, ok := strings.Cut(a.With, "="); ok && !sent.blank() {
			path, _ := splitKey(name)
			root.put(path, &Node{Value: value, HasVal: true})
		}
		found = append(found, a)
	}
	return found
}

// put makes v what stands at a path, unless something does.
func (n *Node) put(path []string, v *Node) {
	at := n
	for i, seg := range path {
		at = at.child(seg, path[i+1:])
	}
	if !at.HasVal && len(at.Kids) == 0 {
		at.Value, at.HasVal, at.Kids = v.Value, v.HasVal, v.Kids
		at.renamed = true
	}
}

// blame names parameters in a refusal as the request did.
func (s *Shape) blame(refusal canon.Raw, renamed []Alias) canon.Raw {
	for _, a := range renamed {
		refusal = s.Blame(refusal, a.Name, a.Asked)
	}
	return refusal
}

// expands is the shape's own rule for a path, if it has one.
func (s *Shape) expands(api *API, path string) (target string, other bool) {
	if s == nil {
		return "", false
	}
	target, other = s.Expand[api.Kind.Object][path]
	if target == NotExpanded {
		target = ""
	}
	return target, other
}

// paths corrects a list of paths that expand.
func (s *Shape) paths(api *API, paths []string) []string {
	if s == nil {
		return paths
	}
	for path, target := range s.Expand[api.Kind.Object] { //worlds:sorted by the caller
		i := slices.Index(paths, path)
		switch {
		case target == NotExpanded && i >= 0:
			paths = slices.Delete(paths, i, i+1)
		case target != NotExpanded && i < 0:
			paths = append(paths, path)
		}
	}
	return paths
}
