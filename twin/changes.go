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
	var wereAt, areAt [membersUsual]member
	old, now := members(wereAt[:0], before), members(areAt[:0], after)
	i, j, n := 0, 0, 0
	for i < len(old) || j < len(now) {
		var key string
		var was, is canon.Raw
		switch c := compareAt(old, i, now, j); {
		case c < 0:
			key, was = old[i].key, old[i].value
			i++
		case c > 0:
			key, is = now[j].key, now[j].value
			j++
		default:
			key, was, is = old[i].key, old[i].value, now[j].value
			i, j = i+1, j+1
		}
		if bytes.Equal(was, is) {
			continue
		}
		if n++; n > 1 {
			out = append(out, ',')
		}
		out = canon.AppendString(out, key)
		out = append(append(out, ':'), shown(was, is)...)
	}
	return append(out, '}'), true
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

func compareAt(a []member, i int, b []member, j int) int {
	switch {
	case i >= len(a):
		return 1
	case j >= len(b):
		return -1
	}
	return canon.CompareKeys(a[i].key, b[j].key)
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
