package spec

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
)

//go:embed table.txt
var tableText string

// Operation is a method and path template of the Stripe API, as "POST" and
// "/v1/refunds/{refund}/cancel". It is immutable.
type Operation struct {
	Method string
	Path   string
	shape  int
}

// Param is one parameter: at the top of an operation, or a field, element or
// value within one.
type Param struct {
	Name     string // "" for the element of a list
	Required bool   // within what holds it
	Unset    bool   // an empty string unsets it
	Forms    []Form // at least one, in the document's order
}

// Form is one way in which a parameter's value can be written.
type Form struct {
	Kind   Kind
	Values []string // of an Enum, in the document's order
	Elem   *Param   // of a List or a Map
	shape  int      // of an Object
}

// Kind is the kind of a Form.
type Kind uint8

// The kinds.
const (
	String Kind = iota
	Integer
	Boolean
	Number
	Enum
	List
	Map
	Object
)

// String returns the kind's name as it is said in messages.
func (k Kind) String() string {
	return [...]string{"string", "integer", "boolean", "number", "enum", "array", "map", "object"}[k]
}

// Lookup finds the operation that METHOD path calls, and what its path's
// variables are by their name in the template. A literal segment of a template
// wins over a variable one. A query must have been cut off.
func Lookup(method, path string) (op *Operation, variables map[string]string, ok bool) {
	root := loaded().methods[method]
	if root == nil || !strings.HasPrefix(path, "/") {
		return nil, nil, false
	}
	segments := strings.Split(path[1:], "/")
	op = root.find(segments)
	if op == nil {
		return nil, nil, false
	}
	variables = map[string]string{}
	for i, s := range strings.Split(op.Path[1:], "/") {
		if name, isVariable := variable(s); isVariable {
			variables[name] = segments[i]
		}
	}
	return op, variables, true
}

// Operations lists every operation, sorted by path and then by method.
func Operations() []*Operation { return loaded().operations }

// Params lists the operation's top-level parameters, sorted by name.
func (o *Operation) Params() []Param { return fields(o.shape) }

// Param finds a parameter by the segments of its bracket path: of
// items[0][price] they are "items", "0", "price". The index into a list may be
// a number, empty as in expand[], or left out.
func (o *Operation) Param(path []string) (Param, bool) {
	p := Param{Forms: []Form{{Kind: Object, shape: o.shape}}}
	for _, segment := range path {
		var ok bool
		if p, ok = p.step(segment); !ok {
			return Param{}, false
		}
	}
	return p, len(path) > 0
}

// Fields lists the fields of an Object form, sorted by name; of another form
// there are none.
func (f Form) Fields() []Param {
	if f.Kind != Object {
		return nil
	}
	return fields(f.shape)
}

// step goes one segment down. Of two objects that both have the field the
// first counts, but it is required only where both require it.
func (p Param) step(segment string) (Param, bool) {
	var found Param
	ok := false
	for _, f := range p.Forms {
		switch f.Kind {
		case Object:
			inner, has := field(f.shape, segment)
			switch {
			case has && !ok:
				found, ok = inner, true
			case has:
				found.Required = found.Required && inner.Required
			}
		case Map:
			inner := *f.Elem
			inner.Name = segment
			return inner, true
		case List:
			if isIndex(segment) {
				return *f.Elem, true
			}
			if inner, has := f.Elem.step(segment); has {
				return inner, true
			}
		}
	}
	return found, ok
}

func isIndex(segment string) bool {
	return strings.Trim(segment, "0123456789") == ""
}

// table is table.txt cut into lines; a shape is read when it is asked for.
type table struct {
	operations []*Operation
	methods    map[string]*node
	shapes     []string // the fields, by shape number
}

// node is a segment of the path templates of one method.
type node struct {
	literal  map[string]*node
	variable *node
	op       *Operation
}

var loaded = sync.OnceValue(load)

func load() *table {
	t := &table{methods: map[string]*node{}}
	for line := range strings.Lines(tableText) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "@") {
			_, fields, _ := strings.Cut(line, " ")
			t.shapes = append(t.shapes, fields)
			continue
		}
		method, rest, _ := strings.Cut(line, " ")
		path, shape, _ := strings.Cut(rest, " @")
		op := &Operation{Method: method, Path: path, shape: number(shape)}
		t.operations = append(t.operations, op)
		if t.methods[method] == nil {
			t.methods[method] = &node{}
		}
		t.methods[method].add(op)
	}
	return t
}

func (n *node) add(op *Operation) {
	for _, s := range strings.Split(op.Path[1:], "/") {
		next := &n.variable
		if _, isVariable := variable(s); !isVariable {
			if n.literal == nil {
				n.literal = map[string]*node{}
			}
			inner := n.literal[s]
			next = &inner
			if inner == nil {
				inner = &node{}
				n.literal[s] = inner
			}
		}
		if *next == nil {
			*next = &node{}
		}
		n = *next
	}
	n.op = op
}

func (n *node) find(segments []string) *Operation {
	if n == nil {
		return nil
	}
	if len(segments) == 0 {
		return n.op
	}
	if op := n.literal[segments[0]].find(segments[1:]); op != nil {
		return op
	}
	if segments[0] == "" {
		return nil
	}
	return n.variable.find(segments[1:])
}

func variable(segment string) (name string, ok bool) {
	if strings.HasPrefix(segment, "{") {
		return strings.Trim(segment, "{}"), true
	}
	return "", false
}

// number reads a number of the generated table, which a test has read whole.
func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic("spec: table.txt: " + err.Error())
	}
	return n
}
