package twin

import (
	"bytes"

	"worlds/journal/canon"
)

// Changes compares two canonical objects and returns, in the shape of an event's
// previous_attributes, the members of before that differ in after: a nested
// object shows only its changed members (one that was added shows as null), a
// list or array shows whole.
func Changes(before, after canon.Raw) (previous canon.Raw, changed bool) {
	if bytes.Equal(before, after) {
		return nil, false
	}
	out := append(make([]byte, 0, 128), '{')
	old, now := openObject(before), openObject(after)
	for n := 0; old.key != nil || now.key != nil; {
		key := old.key
		var was, is canon.Raw
		switch c := old.compare(&now); {
		case c == 0 && old.same(&now):
			continue
		case c == 0:
			was, is = old.take(), now.take()
		case c < 0:
			was = old.take()
		default:
			key = now.key
			is = now.take()
		}
		if n++; n > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, key...), ':'), shown(was, is)...)
	}
	return append(out, '}'), true
}

// walk goes through the members of an object, one behind the other.
type walk struct {
	rest canon.Raw // from the value of the present member on
	key  canon.Raw // of the present member, as it is spelled; nil behind the last
}

func openObject(obj canon.Raw) walk {
	var w walk
	if len(obj) > 0 && obj[0] == '{' {
		w.enter(obj[1:])
	}
	return w
}

// enter makes the member that begins rest the present one.
func (w *walk) enter(rest canon.Raw) {
	w.key, w.rest = nil, nil
	if len(rest) > 0 && rest[0] == '"' {
		n := canon.Skip(rest)
		w.key, w.rest = rest[:n], rest[min(n+1, len(rest)):]
	}
}

// take returns the value of the present member and goes on to the next.
func (w *walk) take() canon.Raw {
	n := canon.Skip(w.rest)
	value := w.rest[:n:n]
	w.enter(w.rest[min(n+1, len(w.rest)):])
	return value
}

// same goes on in both to the next member if the present ones have the same value.
func (w *walk) same(other *walk) bool {
	n := canon.Skip(w.rest)
	if n >= len(w.rest) || n >= len(other.rest) || !bytes.Equal(w.rest[:n], other.rest[:n]) ||
		other.rest[n] != ',' && other.rest[n] != '}' {
		return false
	}
	w.enter(w.rest[n+1:])
	other.enter(other.rest[n+1:])
	return true
}

// compare orders the present members by their keys; what has none left comes last.
func (w *walk) compare(other *walk) int {
	switch {
	case w.key == nil:
		return 1
	case other.key == nil:
		return -1
	case bytes.Equal(w.key, other.key):
		return 0
	}
	a, _ := canon.Unquote(w.key)
	b, _ := canon.Unquote(other.key)
	return canon.CompareKeys(a, b)
}

// shown is the previous value of one changed member.
func shown(was, is canon.Raw) canon.Raw {
	if was == nil {
		return canon.Raw("null")
	}
	if isHash(was) && isHash(is) {
		nested, _ := Changes(was, is)
		return nested
	}
	return was
}

// isHash tells a plain object from a list envelope.
func isHash(v canon.Raw) bool {
	if len(v) == 0 || v[0] != '{' {
		return false
	}
	object, ok := canon.Get(v, "object")
	return !ok || string(object) != `"list"`
}

type member struct {
	key   string
	value canon.Raw
}

// membersUsual is how many members an object has at most, as a rule; more cost an
// allocation.
const membersUsual = 88

func members(out []member, obj canon.Raw) []member {
	for k, v := range canon.Members(obj) {
		out = append(out, member{k, v})
	}
	return out
}

// appendObject appends members, which must be in key order, as one object.
func appendObject(dst []byte, list []member) []byte {
	dst = append(dst, '{')
	for i, m := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = canon.AppendString(dst, m.key)
		dst = append(append(dst, ':'), m.value...)
	}
	return append(dst, '}')
}
