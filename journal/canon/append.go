package canon

import (
	"encoding/binary"
	"math/bits"
	"strconv"
	"unicode/utf8"
	"unsafe"
)

// Raw is one canonical JSON value, embedded verbatim; nil (and empty) encodes
// as null, and null decodes as nil.
type Raw []byte

const lowerHex = "0123456789abcdef"

// Classes of bytes inside a JSON string.
const (
	classPlain   = iota // stands for itself
	classQuote          // ends the string
	classEscape         // starts an escape
	classControl        // must be escaped
	classHigh           // part of a UTF-8 sequence
)

var classes = classTable()

func classTable() (t [256]uint8) {
	for c := range t {
		switch {
		case c < 0x20:
			t[c] = classControl
		case c == '"':
			t[c] = classQuote
		case c == '\\':
			t[c] = classEscape
		case c >= utf8.RuneSelf:
			t[c] = classHigh
		}
	}
	return t
}

// plainRun returns how many bytes at the start of b are of classPlain.
func plainRun(b []byte) int {
	n := 0
	for ; len(b)-n >= 8; n += 8 {
		if found := special(binary.LittleEndian.Uint64(b[n:])); found != 0 {
			return n + bits.TrailingZeros64(found)>>3
		}
	}
	switch {
	case n == len(b):
		return n
	case len(b) >= 8:
		// The last eight bytes again: those before n are known to be plain.
		last := len(b) - 8
		if found := special(binary.LittleEndian.Uint64(b[last:])); found != 0 {
			return last + bits.TrailingZeros64(found)>>3
		}
		return len(b)
	}
	for n < len(b) && classes[b[n]] == classPlain {
		n++
	}
	return n
}

// special marks the top bit of the first byte of x, counted from the lowest,
// that is not of classPlain, and returns 0 if all are. For a byte below 0x80,
// subtracting k sets its top bit if it is below k; the borrow can spoil only
// the bytes above it.
func special(x uint64) uint64 {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	quote, escape := x^'"'*ones, x^'\\'*ones
	return (x | (x-0x20*ones)&^x | (quote-ones)&^quote | (escape-ones)&^escape) & tops
}

// highRun returns how many bytes at the start of b are of classHigh.
func highRun(b []byte) int {
	n := 0
	for n < len(b) && b[n] >= utf8.RuneSelf {
		n++
	}
	return n
}

// AppendString appends s as a canonical JSON string. It panics if s is not
// valid UTF-8: such text is refused where it enters, so here it is our bug.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	b := unsafe.Slice(unsafe.StringData(s), len(s))
	if n := plainRun(b); n < len(b) {
		dst = appendSpecial(dst, b, n)
	} else {
		dst = append(dst, b...)
	}
	return append(dst, '"')
}

// appendSpecial appends b, whose first byte that is not plain is b[i].
func appendSpecial(dst, b []byte, i int) []byte {
	done := 0
	for i < len(b) {
		if b[i] >= utf8.RuneSelf {
			n := highRun(b[i:])
			if !utf8.Valid(b[i : i+n]) {
				panic("canon: string is not valid UTF-8: " + strconv.Quote(string(b)))
			}
			i += n
		} else {
			dst = append(dst, b[done:i]...)
			dst = appendEscaped(dst, b[i])
			i++
			done = i
		}
		i += plainRun(b[i:])
	}
	return append(dst, b[done:]...)
}

// appendEscaped appends the escape of c, which is a control, '"' or '\\'.
func appendEscaped(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, '\\', 'b')
	case '\t':
		return append(dst, '\\', 't')
	case '\n':
		return append(dst, '\\', 'n')
	case '\f':
		return append(dst, '\\', 'f')
	case '\r':
		return append(dst, '\\', 'r')
	}
	return append(dst, '\\', 'u', '0', '0', lowerHex[c>>4], lowerHex[c&15])
}

// AppendInt appends n in decimal. It panics if n lies outside
// [-MaxInt, MaxInt]: such a number has no canonical form, so it is our bug.
func AppendInt(dst []byte, n int64) []byte {
	if n > MaxInt || n < -MaxInt {
		panic("canon: integer beyond 2^53-1: " + strconv.FormatInt(n, 10))
	}
	return strconv.AppendInt(dst, n, 10)
}

// CompareKeys orders object keys by their UTF-16 code units, as RFC 8785 asks:
// negative if a comes before b, 0 if they are equal, positive if after.
func CompareKeys(a, b string) int { return compareKeys(a, b) }

// compareKeys works on the UTF-8 bytes. Their order is that of the code
// points, which differs from UTF-16 order in one way only: code points from
// U+10000 (first byte F0 to F4) are surrogate pairs D800 to DFFF there, and
// come before U+E000 to U+FFFF (first byte EE or EF).
func compareKeys[A, B ~string | ~[]byte](a A, b B) int {
	n := min(len(a), len(b))
	for i := range n {
		x, y := a[i], b[i]
		if x == y {
			continue
		}
		if x >= 0xEE && y >= 0xEE && (x >= 0xF0) != (y >= 0xF0) {
			x, y = y, x
		}
		if x < y {
			return -1
		}
		return 1
	}
	return len(a) - len(b)
}
