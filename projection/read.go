package projection

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"unicode/utf8"
	"unsafe"

	"worlds/journal/canon"
)

// reader walks the elements of one encoded fact. The first fault sticks; later
// calls return zero values.
type reader struct {
	data   []byte // up to the closing bracket
	pos    int    // behind the last element
	strict bool   // whether the last element is scanned
	err    error
	bodies []canon.Raw // of the facts before, nil where there is none
	words  []string    // room for texts
}

func (r *reader) fail(what string) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s at byte %d", ErrFact, what, r.pos)
	}
	r.pos = len(r.data)
}

// open starts on a fact and returns the number of its kind.
func (r *reader) open(data []byte) (kind int, ok bool) {
	r.data, r.pos, r.err = nil, 0, nil
	end := len(data) - 1
	if end < 1 || data[0] != '[' || data[end] != ']' {
		r.fail("not an array")
		return 0, false
	}
	r.data = data[:end:end]
	name := r.text()
	for i := range kinds {
		if kinds[i].name == name {
			return i, true
		}
	}
	r.fail(fmt.Sprintf("unknown kind %q", name))
	return 0, false
}

// next steps over the bracket or comma before an element.
func (r *reader) next() bool {
	if r.err != nil {
		return false
	}
	if r.pos > 0 && (r.pos >= len(r.data) || r.data[r.pos] != ',') || r.pos+1 >= len(r.data) {
		r.fail("too few elements")
		return false
	}
	r.pos++
	return true
}

// value returns the next element, verbatim.
func (r *reader) value() canon.Raw {
	if !r.next() {
		return nil
	}
	n := canon.Skip(r.data[r.pos:])
	if n == 0 {
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
	if !r.next() {
		return ""
	}
	return r.str()
}

// str reads the string that begins at pos.
func (r *reader) str() string {
	if r.pos >= len(r.data) || r.data[r.pos] != '"' {
		r.fail("not a string")
		return ""
	}
	inner := r.data[r.pos+1:]
	n := plainRun(inner)
	if n == len(inner) || inner[n] != '"' {
		return r.special()
	}
	r.pos += n + len(`""`)
	return unsafe.String(unsafe.SliceData(inner), n)
}

// special is str for a string that is not plain.
func (r *reader) special() string {
	v := r.data[r.pos:]
	v = v[:canon.Skip(v)]
	if canon.Valid(v) != nil {
		r.fail("not a string")
		return ""
	}
	r.pos += len(v)
	text, _ := canon.Unquote(v)
	return text
}

// plainRun returns how many bytes at the start of b are ASCII that a string
// holds as it is. It looks at eight at a time: subtracting k from each byte
// borrows into its top bit if the byte is below k, so the lowest top bit in the
// result marks the first byte that is not plain.
func plainRun(b []byte) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	n := 0
	for ; len(b)-n >= 8; n += 8 {
		x := binary.LittleEndian.Uint64(b[n:])
		quote, escape := x^'"'*ones, x^'\\'*ones
		low := (x-' '*ones)&^x | (quote-ones)&^quote | (escape-ones)&^escape
		if found := (x | low) & tops; found != 0 {
			return n + bits.TrailingZeros64(found)/8
		}
	}
	for n < len(b) && b[n] >= ' ' && b[n] < utf8.RuneSelf && b[n] != '"' && b[n] != '\\' {
		n++
	}
	return n
}

// number returns the next element as an integer.
func (r *reader) number() int64 {
	if !r.next() {
		return 0
	}
	end := r.pos
	for end < len(r.data) && r.data[end] != ',' {
		end++
	}
	n, ok := canon.Int(r.data[r.pos:end])
	if !ok {
		r.fail("not an integer")
	}
	r.pos = end
	return n
}

// texts returns the next element as a list of strings, nil if it is empty.
func (r *reader) texts() []string {
	if !r.next() {
		return nil
	}
	if r.data[r.pos] != '[' {
		r.fail("not an array")
		return nil
	}
	r.pos++
	if r.pos < len(r.data) && r.data[r.pos] == ']' {
		r.pos++
		return nil
	}
	for r.words = r.words[:0]; ; r.pos++ {
		r.words = append(r.words, r.str())
		if r.err != nil || r.pos >= len(r.data) || r.data[r.pos] != ',' {
			break
		}
	}
	if r.pos >= len(r.data) || r.data[r.pos] != ']' {
		r.fail("not an array of strings")
		return nil
	}
	r.pos++
	return slices.Clone(r.words)
}

// last returns everything up to the closing bracket. Not to scan the last
// element, which is the longest, is half of what makes folding cheap.
func (r *reader) last() canon.Raw {
	if !r.next() {
		return nil
	}
	v := r.data[r.pos:]
	if r.strict {
		v = v[:canon.Skip(v)]
	}
	r.pos += len(v)
	return v
}

// body returns the last element, an object or null.
func (r *reader) body() canon.Raw {
	v := r.last()
	if r.strict && r.err == nil && v[0] != '{' && string(v) != "null" {
		r.fail("neither an object nor null")
	}
	return v
}

// ref returns the last element: a number is a reference to an earlier fact's
// body, anything else is the body.
func (r *reader) ref() (int, canon.Raw) {
	at := r.pos + 1
	if at >= len(r.data) || r.data[at] != '-' && (r.data[at] < '0' || r.data[at] > '9') {
		return NoRef, r.body()
	}
	n, ok := canon.Int(r.last())
	if !ok || n < 0 || n >= int64(len(r.bodies)) || r.bodies[n] == nil {
		r.fail("a reference to no body")
		return NoRef, nil
	}
	return int(n), r.bodies[n]
}

func (r *reader) close() error {
	if r.err == nil && r.pos != len(r.data) {
		r.fail("too many elements")
	}
	return r.err
}
