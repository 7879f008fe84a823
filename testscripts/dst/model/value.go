package model

import (
	"slices"
	"strconv"
	"strings"
)

// Kind says what a Value is.
type Kind int8

// The kinds of JSON, and two that only predictions have.
const (
	Absent Kind = iota // no value: a member that must not be there
	Null
	True
	False
	Number // Text is its spelling
	String // Text is the decoded string
	Array
	Object
	anything  // there, whatever it is
	unchecked // there or not
)

// Value is one JSON value. Treat it as immutable.
type Value struct {
	Kind    Kind
	Text    string
	List    []Value
	Members []Member
}

// Member is one name and value of an object.
type Member struct {
	Name  string
	Value Value
}

// Any matches whatever is there, Free also nothing.
var (
	Any  = Value{Kind: anything}
	Free = Value{Kind: unchecked}
	Nil  = Value{Kind: Null}
)

// Bool is true or false.
func Bool(b bool) Value {
	if b {
		return Value{Kind: True}
	}
	return Value{Kind: False}
}

// Int is a whole number.
func Int(n int64) Value { return Value{Kind: Number, Text: strconv.FormatInt(n, 10)} }

// Decimal is a number by its spelling; it may be a symbol.
func Decimal(text string) Value { return Value{Kind: Number, Text: text} }

// Str is a string; it may hold symbols.
func Str(s string) Value { return Value{Kind: String, Text: s} }

// Opt is a string, or null for "".
func Opt(s string) Value {
	if s == "" {
		return Nil
	}
	return Str(s)
}

// When is a moment in Unix seconds, or null for 0.
func When(at int64) Value {
	if at == 0 {
		return Nil
	}
	return Int(at)
}

// Seq is an array.
func Seq(list ...Value) Value { return Value{Kind: Array, List: list} }

// Obj is an object, of names and values in turn. A value is a Value or what Of takes.
func Obj(pairs ...any) Value {
	v := Value{Kind: Object, Members: make([]Member, 0, len(pairs)/2)}
	for i := 0; i < len(pairs); i += 2 {
		v.Members = append(v.Members, Member{pairs[i].(string), Of(pairs[i+1])})
	}
	return v
}

// Of makes a Value of nil, a bool, an int, an int64, a string, a []Value, a map of
// strings or a Value.
func Of(x any) Value {
	switch x := x.(type) {
	case nil:
		return Nil
	case Value:
		return x
	case bool:
		return Bool(x)
	case int:
		return Int(int64(x))
	case int64:
		return Int(x)
	case string:
		return Str(x)
	case []Value:
		return Seq(x...)
	case map[string]string:
		v := Value{Kind: Object}
		for name, text := range x {
			v.Members = append(v.Members, Member{name, Str(text)})
		}
		slices.SortFunc(v.Members, func(a, b Member) int { return strings.Compare(a.Name, b.Name) })
		return v
	}
	panic("model: a Value cannot be made of this")
}

// Get is a member, or Absent.
func (v Value) Get(name string) Value {
	for _, m := range v.Members {
		if m.Name == name {
			return m.Value
		}
	}
	return Value{}
}

// With is the object with some members set: names and values in turn, as Obj takes.
func (v Value) With(pairs ...any) Value {
	v.Members = slices.Clone(v.Members)
	for i := 0; i < len(pairs); i += 2 {
		name, value := pairs[i].(string), Of(pairs[i+1])
		at := slices.IndexFunc(v.Members, func(m Member) bool { return m.Name == name })
		if at < 0 {
			v.Members = append(v.Members, Member{name, value})
		} else {
			v.Members[at].Value = value
		}
	}
	return v
}

// Without is the object without some members.
func (v Value) Without(names ...string) Value {
	v.Members = slices.DeleteFunc(slices.Clone(v.Members), func(m Member) bool { return slices.Contains(names, m.Name) })
	return v
}

// Number reads a whole number.
func (v Value) Number() (int64, bool) {
	n, err := strconv.ParseInt(v.Text, 10, 64)
	return n, v.Kind == Number && err == nil
}

// String is JSON for people, with symbols as they are.
func (v Value) String() string { return string(v.append(nil)) }

func (v Value) append(b []byte) []byte {
	switch v.Kind {
	case Absent:
		return append(b, "(absent)"...)
	case Null:
		return append(b, "null"...)
	case True:
		return append(b, "true"...)
	case False:
		return append(b, "false"...)
	case Number:
		return append(b, v.Text...)
	case String:
		return strconv.AppendQuote(b, v.Text)
	case Array:
		b = append(b, '[')
		for i, e := range v.List {
			if i > 0 {
				b = append(b, ',')
			}
			b = e.append(b)
		}
		return append(b, ']')
	case Object:
		b = append(b, '{')
		for i, m := range v.Members {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(strconv.AppendQuote(b, m.Name), ':')
			b = m.Value.append(b)
		}
		return append(b, '}')
	}
	return append(b, "(anything)"...)
}

// Equal reports whether two values are the same; the order of members does not count.
func (v Value) Equal(w Value) bool {
	if v.Kind != w.Kind || v.Text != w.Text || len(v.List) != len(w.List) || len(v.Members) != len(w.Members) {
		return false
	}
	for i := range v.List {
		if !v.List[i].Equal(w.List[i]) {
			return false
		}
	}
	for i, m := range v.Members {
		other := w.Members[i]
		if other.Name != m.Name {
			other.Value = w.Get(m.Name)
		}
		if !m.Value.Equal(other.Value) {
			return false
		}
	}
	return true
}
