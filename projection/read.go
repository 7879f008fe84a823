package projection

import (
	"fmt"
	"unsafe"

	"worlds/journal/canon"
)

// reader walks the elements of one encoded fact. The first fault sticks; later
// calls return zero values.
type reader struct {
	data  []byte
	pos   int
	done  bool // the closing bracket was consumed by rest or ref
	prior []Fact
	err   error
}

func (r *reader) fail(what string) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s at byte %d", ErrFact, what, r.pos)
	}
	r.pos = len(r.data)
}

func (r *reader) open() {
	if len(r.data) < 2 || r.data[0] != '[' || r.data[len(r.data)-1] != ']' {
		r.fail("not an array")
		return
	}
	r.pos = 1
}

// value returns the next element, verbatim.
func (r *reader) value() canon.Raw {
	if r.err != nil {
		return nil
	}
	if r.pos > 1 {
		if r.pos >= len(r.data) || r.data[r.pos] != ',' {
			r.fail("too few elements")
			return nil
		}
		r.pos++
	}
	n := 0
	if r.pos < len(r.data)-1 {
		n = canon.Skip(r.data[r.pos : len(r.data)-1])
	}
	if n <= 0 {
		r.fail("too few elements")
		return nil
	}
	v := r.data[r.pos : r.pos+n : r.pos+n]
	r.pos += n
	return v
}

// text returns the next element as a string, sharing the fact's bytes when it
// has no escapes (facts are immutable).
func (r *reader) text() string {
	v := r.value()
	if r.err != nil {
		return ""
	}
	if len(v) < 2 || v[0] != '"' || v[len(v)-1] != '"' {
		r.fail("not a string")
		return ""
	}
	inner := v[1 : len(v)-1]
	for _, c := range inner {
		if c == '\\' {
			s, ok := canon.Unquote(v)
			if !ok {
				r.fail("not a string")
			}
			return s
		}
	}
	return unsafe.String(unsafe.SliceData(inner), len(inner))
}

func (r *reader) number() int64 {
	v := r.value()
	if r.err != nil {
		return 0
	}
	n, ok := canon.Int(v)
	if !ok {
		r.fail("not an integer")
	}
	return n
}

func (r *reader) texts() []string {
	v := r.value()
	if r.err != nil {
		return nil
	}
	if len(v) < 2 || v[0] != '[' {
		r.fail("not an array")
		return nil
	}
	if len(v) == 2 {
		return nil
	}
	inner := reader{data: v, pos: 1}
	out := make([]string, 0, 8)
	for inner.err == nil && inner.pos < len(v)-1 {
		out = append(out, inner.text())
	}
	if inner.err != nil {
		r.fail("not an array of strings")
	}
	return out
}

// rest returns everything up to the closing bracket: the last element of a fact
// is not scanned, which is what makes folding cheap.
func (r *reader) rest() canon.Raw {
	if r.err != nil {
		return nil
	}
	end := len(r.data) - 1
	if r.pos >= end || r.data[r.pos] != ',' || r.pos+1 >= end {
		r.fail("too few elements")
		return nil
	}
	v := r.data[r.pos+1 : end : end]
	r.pos, r.done = len(r.data), true
	return v
}

// ref returns the last element: a number is a reference to an earlier fact's
// body, anything else is the body.
func (r *reader) ref() (int, canon.Raw) {
	v := r.rest()
	if r.err != nil {
		return NoRef, nil
	}
	n, ok := canon.Int(v)
	if !ok {
		return NoRef, v
	}
	if n < 0 || n >= int64(len(r.prior)) || r.prior[n].body() == nil {
		r.fail("a reference to no body")
		return NoRef, nil
	}
	return int(n), r.prior[n].body()
}

func (r *reader) close(kind string) error {
	if r.err == nil && !r.done && r.pos != len(r.data)-1 {
		r.fail("too many elements")
	}
	if r.err != nil {
		return fmt.Errorf("%s: %w", kind, r.err)
	}
	return nil
}
