package invariant

import (
	"fmt"

	"worlds/journal/canon"
)

// shapes are the kinds of facts and the types of their elements after the kind:
// s a string, n an integer, t an array of strings, v any value, o an object or
// null, r an object, null or a reference.
var shapes = map[string]string{
	"put": "sstno", "delete": "ss", "event": "sssnvr", "idem": "ssssssnr", "clock": "n", "minted": "n",
	"counter": "sn", "mark": "s", "log": "n", "delivery": "nssssnnns", "rule": "snno",
}

// fact is one change, read.
type fact struct {
	kind string
	part []canon.Raw // the elements after the kind
}

func (f *fact) text(i int) string {
	s, _ := canon.Unquote(f.part[i])
	return s
}

func (f *fact) number(i int) int64 {
	n, _ := canon.Int(f.part[i])
	return n
}

func (f *fact) texts(i int) []string {
	var out []string
	for e := range canon.Elements(f.part[i]) {
		s, _ := canon.Unquote(e)
		out = append(out, s)
	}
	return out
}

// readFact reads a fact into the parts given; the error says what is wrong with it.
func readFact(raw canon.Raw, parts []canon.Raw) (fact, error) {
	var f fact
	f.part = parts[:0]
	first := true
	for e := range canon.Elements(raw) {
		if first {
			f.kind, _ = canon.Unquote(e)
			first = false
			continue
		}
		f.part = append(f.part, e)
	}
	shape, ok := shapes[f.kind]
	if !ok {
		return f, fmt.Errorf("there is no fact %q", f.kind)
	}
	if len(shape) != len(f.part) {
		return f, fmt.Errorf("a fact %q has %d elements, not %d", f.kind, len(shape), len(f.part))
	}
	for i, e := range f.part {
		if !fits(shape[i], e) {
			return f, fmt.Errorf("element %d of a fact %q is %.40s", i+1, f.kind, e)
		}
	}
	return f, nil
}

func fits(want byte, e canon.Raw) bool {
	if len(e) == 0 {
		return false
	}
	_, integer := canon.Int(e)
	switch want {
	case 's':
		return e[0] == '"'
	case 'n':
		return integer
	case 't':
		return e[0] == '['
	case 'o':
		return e[0] == '{' || string(e) == "null"
	case 'r':
		return e[0] == '{' || string(e) == "null" || integer
	}
	return true
}
