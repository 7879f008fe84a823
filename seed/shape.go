package seed

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"worlds/journal/canon"
)

// place is where a value stands in the document. It is a chain so that a path is
// only written out for a value that has a problem. Nil is the root.
type place struct {
	up    *place
	name  string
	index int // in an array, else isKey
}

const isKey = -1

func (p *place) key(key string) *place    { return &place{up: p, name: key, index: isKey} }
func (p *place) item(index int) *place    { return &place{up: p, index: index} }
func (p *place) path() string             { return string(p.append(nil)) }
func within(section string, i int) *place { return (*place)(nil).key("data").key(section).item(i) }

func (p *place) append(path []byte) []byte {
	if p == nil {
		return append(path, rootPath...)
	}
	path = p.up.append(path)
	switch {
	case p.index != isKey:
		path = append(path, '[')
		path = strconv.AppendInt(path, int64(p.index), 10)
		return append(path, ']')
	case isPlainKey(p.name):
		return append(append(path, '.'), p.name...)
	default:
		path = canon.AppendString(append(path, '['), p.name)
		return append(path, ']')
	}
}

// decoder collects what is wrong with one document.
type decoder struct {
	problems []Problem
	more     int
}

func (d *decoder) report(at *place, format string, args ...any) {
	if len(d.problems) >= MaxProblems {
		d.more++
		return
	}
	d.problems = append(d.problems, Problem{Path: at.path(), Offset: NoOffset, Msg: fmt.Sprintf(format, args...)})
}

// shape is one kind of value: how it is read and how the JSON Schema says it.
// read reports what is wrong and then returns the zero value; an id or a
// reference comes back as written, so that one bad id is one problem.
type shape[V any] struct {
	read   func(d *decoder, at *place, raw canon.Raw) V
	schema *schemaNode
}

// text is a string of min to max characters.
func text(min, max int) shape[string] {
	return shape[string]{
		schema: &schemaNode{Type: "string", MinLength: min, MaxLength: max},
		read: func(d *decoder, at *place, raw canon.Raw) string {
			s, ok := readString(d, at, raw)
			if !ok {
				return ""
			}
			if n := utf8.RuneCountInString(s); n < min {
				d.report(at, "is empty; leave the key out instead")
			} else if n > max {
				d.report(at, "has %d characters; the limit is %d", n, max)
			}
			return s
		},
	}
}

// matching is a text that must also satisfy ok; want completes "must be …".
func matching(max int, pattern, want string, ok func(string) bool) shape[string] {
	return shape[string]{
		schema: &schemaNode{Type: "string", MaxLength: max, Pattern: pattern},
		read: func(d *decoder, at *place, raw canon.Raw) string {
			s, isString := readString(d, at, raw)
			if !isString {
				return ""
			}
			if n := utf8.RuneCountInString(s); n > max {
				d.report(at, "has %d characters; the limit is %d", n, max)
			} else if !ok(s) {
				d.report(at, "is %s; must be %s", show(s), want)
			}
			return s
		},
	}
}

// oneOf is a string out of a closed list.
func oneOf(words ...string) shape[string] {
	return shape[string]{
		schema: &schemaNode{Enum: words},
		read: func(d *decoder, at *place, raw canon.Raw) string {
			s, ok := readString(d, at, raw)
			if !ok {
				return ""
			}
			for _, word := range words {
				if s == word {
					return s
				}
			}
			d.report(at, "is %s; must be one of %s%s", show(s), strings.Join(words, ", "), DidYouMean(s, words))
			return ""
		},
	}
}

// integer is a whole number from min to max.
func integer(min, max int64) shape[int64] {
	return shape[int64]{
		schema: &schemaNode{Type: "integer", Minimum: &min, Maximum: &max},
		read: func(d *decoder, at *place, raw canon.Raw) int64 {
			if kind := kindOf(raw); kind != "a number" {
				d.report(at, "is %s; must be an integer", kind)
				return 0
			}
			n, ok := canon.Int(raw)
			switch {
			case !ok:
				d.report(at, "is %s; must be an integer from %d to %d", raw, min, max)
			case n < min:
				d.report(at, "is %d; must be at least %d", n, min)
			case n > max:
				d.report(at, "is %d; must be at most %d", n, max)
			default:
				return n
			}
			return 0
		},
	}
}

// boolean is true or false.
func boolean() shape[bool] {
	return shape[bool]{
		schema: &schemaNode{Type: "boolean"},
		read: func(d *decoder, at *place, raw canon.Raw) bool {
			switch string(raw) {
			case "true":
				return true
			case "false":
				return false
			}
			d.report(at, "is %s; must be true or false", kindOf(raw))
			return false
		},
	}
}

// list is an array of min to max values of one shape.
func list[V any](of shape[V], min, max int) shape[[]V] {
	return shape[[]V]{
		schema: &schemaNode{Type: "array", Items: of.schema, MinItems: min, MaxItems: max},
		read: func(d *decoder, at *place, raw canon.Raw) []V {
			elements, ok := elementsOf(raw)
			if !ok {
				d.report(at, "is %s; must be an array", kindOf(raw))
				return nil
			}
			if len(elements) < min {
				d.report(at, "is empty; must hold at least %d", min)
			}
			if len(elements) > max {
				d.report(at, "holds %d; the limit is %d", len(elements), max)
				elements = elements[:max]
			}
			values := make([]V, 0, len(elements))
			for i, element := range elements {
				values = append(values, of.read(d, at.item(i), element))
			}
			return values
		},
	}
}

// field is one key of an object that is read into a T.
type field[T any] struct {
	name   string
	doc    string // a sentence for the JSON Schema
	needed bool
	null   bool // null is allowed and leaves V's zero value
	read   func(d *decoder, at *place, raw canon.Raw, into *T)
	absent func(into *T)
	schema *schemaNode
	usual  any // the default, for the JSON Schema; nil if there is none to write
}

// needed is a key that must be there.
func needed[T, V any](name, doc string, of shape[V], to func(*T) *V) field[T] {
	f := optional(name, doc, of, to, *new(V))
	f.needed, f.usual = true, nil
	return f
}

// optional is a key that may be left out; the value is then absent.
func optional[T, V any](name, doc string, of shape[V], to func(*T) *V, absent V) field[T] {
	return field[T]{
		name: name, doc: doc, schema: of.schema, usual: usualOf(absent, of.schema),
		read:   func(d *decoder, at *place, raw canon.Raw, into *T) { *to(into) = of.read(d, at, raw) },
		absent: func(into *T) { *to(into) = absent },
	}
}

// nullable is an optional key where null says that there is none.
func nullable[T, V any](name, doc string, of shape[V], to func(*T) *V, absent V) field[T] {
	f := optional(name, doc, of, to, absent)
	f.null = true
	return f
}

// table is the list of an object's keys. No other key is accepted.
type table[T any] struct {
	fields []field[T]
}

// shape returns the table as the shape of one object.
func (t table[T]) shape() shape[T] {
	return shape[T]{read: t.read, schema: t.schema()}
}

func (t table[T]) read(d *decoder, at *place, raw canon.Raw) T {
	var value T
	members, ok := membersOf(raw)
	if !ok {
		d.report(at, "is %s; must be an object", kindOf(raw))
		return value
	}
	given := make([]bool, len(t.fields))
	for _, m := range members {
		i := t.find(m.name)
		if i < 0 {
			d.report(at.key(m.name), "unknown key%s", DidYouMean(m.name, t.names()))
			continue
		}
		given[i] = true
		f := &t.fields[i]
		if f.null && string(m.value) == "null" {
			continue
		}
		f.read(d, at.key(m.name), m.value, &value)
	}
	for i := range t.fields {
		f := &t.fields[i]
		switch {
		case given[i]:
		case f.needed:
			d.report(at.key(f.name), "is missing")
		default:
			f.absent(&value)
		}
	}
	return value
}

func (t table[T]) find(name string) int {
	for i := range t.fields {
		if t.fields[i].name == name {
			return i
		}
	}
	return -1
}

func (t table[T]) names() []string {
	names := make([]string, 0, len(t.fields))
	for _, f := range t.fields {
		names = append(names, f.name)
	}
	return names
}

// readString returns the string that raw holds, or reports that it is none.
func readString(d *decoder, at *place, raw canon.Raw) (string, bool) {
	if kind := kindOf(raw); kind != "a string" {
		d.report(at, "is %s; must be a string", kind)
		return "", false
	}
	return canon.Unquote(raw)
}

// member is one key of a canonical object with its value.
type member struct {
	name  string
	value canon.Raw
}

// membersOf returns the members of an object in canonical order, or false.
func membersOf(raw canon.Raw) ([]member, bool) {
	if kindOf(raw) != "an object" {
		return nil, false
	}
	var members []member
	for name, value := range canon.Members(raw) {
		members = append(members, member{name, value})
	}
	return members, true
}

// elementsOf returns the elements of an array, or false.
func elementsOf(raw canon.Raw) ([]canon.Raw, bool) {
	if kindOf(raw) != "an array" {
		return nil, false
	}
	var elements []canon.Raw
	for element := range canon.Elements(raw) {
		elements = append(elements, element)
	}
	return elements, true
}

// kindOf names the JSON kind of a canonical value with its article.
func kindOf(raw canon.Raw) string {
	if len(raw) == 0 {
		return "nothing"
	}
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

// show quotes a value for a message, cut to a readable length.
func show(s string) string {
	const limit = 40
	if runes := []rune(s); len(runes) > limit {
		return strconv.Quote(string(runes[:limit])) + "…"
	}
	return strconv.Quote(s)
}
