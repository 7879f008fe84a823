package twin

import (
	"strings"

	"worlds/journal/canon"
)

// ParseJSON decodes a JSON body into a tree like ParseForm's: members are named
// kids, elements numbered ones. Each node keeps its canonical bytes, which say
// what kind of value it is. The body must be an object; "" is one without
// members.
func ParseJSON(body string) (*Node, *Violation) {
	root := &Node{index: -1}
	if strings.TrimLeft(body, " \t\r\n") == "" {
		return root, nil
	}
	text, err := canon.Canonicalize([]byte(body))
	if err != nil {
		return nil, &Violation{Kind: Malformed, Value: err.Error()}
	}
	if text[0] != '{' {
		return nil, &Violation{Kind: Malformed, Value: "the body is not a JSON object"}
	}
	root.json(text)
	return root, nil
}

// json makes n the tree of a canonical value.
func (n *Node) json(value canon.Raw) {
	n.raw, n.HasVal = value, true
	switch value[0] {
	case '{':
		for name, v := range canon.Members(value) {
			k := &Node{Name: name, index: -1}
			k.json(v)
			n.Kids = append(n.Kids, k)
		}
	case '[':
		for v := range canon.Elements(value) {
			k := &Node{index: len(n.Kids)}
			k.json(v)
			n.Kids = append(n.Kids, k)
		}
	case '"':
		n.Value, _ = canon.Unquote(value)
	default:
		n.Value = string(value)
	}
}

// is reports whether the node is a JSON value whose text begins with one of the
// bytes in starts: '"' for a string, 't' and 'f' for a boolean, 'n' for null.
func (n *Node) is(starts string) bool {
	return len(n.raw) > 0 && strings.IndexByte(starts, n.raw[0]) >= 0
}

// digits are the bytes a JSON number begins with.
const digits = "-0123456789"

// blank reports whether the node clears its parameter: a form value that is
// empty, a JSON value that is null.
func (n *Node) blank() bool {
	if n.raw != nil {
		return n.raw[0] == 'n'
	}
	return len(n.Kids) == 0 && n.Value == ""
}

// object reports whether the node may stand where an object is wanted.
func (n *Node) object() bool {
	if n.raw != nil {
		return n.raw[0] == '{'
	}
	return len(n.Kids) > 0
}

// array reports whether the node may stand where an array is wanted.
func (n *Node) array() bool {
	if n.raw != nil {
		return n.raw[0] == '['
	}
	return len(n.Kids) > 0 && n.Kids[0].index >= 0
}

// mistyped is the violation of a JSON value that is not what the scalar field
// wants, nil when it is or when the node is no JSON.
func (n *Node) mistyped(want, path string) *Violation {
	starts := digits
	switch want {
	case "string":
		starts = `"`
	case "boolean":
		starts = "tf"
	}
	if n.raw == nil || n.is(starts) || want == "integer" && n.is(`"`) && n.Value != "" && strings.Trim(n.Value, digits) == "" {
		return nil
	}
	return &Violation{Kind: BadType, Param: path, Value: string(n.raw), Want: want}
}

// prune removes the parameters of n that the plan has no field for, at any
// depth, and appends their names.
func (p *plan) prune(n *Node, prefix string, names []string) []string {
	kept := n.Kids[:0]
	for _, k := range n.Kids {
		path := join(prefix, k.label())
		i, ok := p.byName[k.Name]
		if !ok || k.index >= 0 {
			names = append(names, path)
			continue
		}
		kept = append(kept, k)
		f := &p.fields[i]
		switch {
		case f.list && f.sub != nil:
			for _, e := range k.Kids {
				if e.index >= 0 || f.sub.key != nil {
					names = f.sub.prune(e, join(path, e.label()), names)
				}
			}
		case f.sub != nil && (k.raw == nil || k.is("{")):
			names = f.sub.prune(k, path, names)
		}
	}
	n.Kids = kept
	return names
}
