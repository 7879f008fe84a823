package canon

import (
	"bytes"
	"encoding/json"
	"errors"
)

// faultBytesMax bounds the work of Faults on long texts.
const faultBytesMax = 256 << 20

// Faults are what Canonicalize has against src, most of them at most, in order: behind
// a number, a string or a repeated key that is refused it reads on. mended is the
// canonical form of src with a 0, a ? or nothing in their places; nil if what is behind
// the last fault cannot be read.
func Faults(src []byte, most int) (mended []byte, faults []*Error) {
	src = bytes.Clone(src)
	for read := 0; len(faults) < most && read <= faultBytesMax; read += len(src) {
		out, err := Canonicalize(src)
		var fault *Error
		if !errors.As(err, &fault) {
			return out, faults
		}
		faults = append(faults, fault)
		if !fault.slip || !mend(src, int(fault.Offset)) {
			return nil, faults
		}
	}
	return nil, faults
}

// mend makes what is refused at src[at] something that is not, as long as it was; false
// if that would be a guess.
func mend(src []byte, at int) bool {
	switch c := src[at]; {
	case c == '"':
		return blankMember(src, at)
	case c == '-' || '0' <= c && c <= '9':
		return blankNumber(src, at)
	case c == '\\':
		src[at+1] = '?'
	}
	src[at] = '?'
	return true
}

// blankNumber puts a 0 in the place of a number that is JSON's.
func blankNumber(src []byte, at int) bool {
	end := at
	for end < len(src) && isNumberByte(src[end]) {
		end++
	}
	if !json.Valid(src[at:end]) {
		return false
	}
	blank(src[at:end])
	src[at] = '0'
	return true
}

// blankMember takes the member away whose key is at src[at], and the comma before it.
func blankMember(src []byte, at int) bool {
	before := len(bytes.TrimRight(src[:at], " \t\r\n")) - 1
	if before < 0 || src[before] != ',' {
		return false
	}
	d := json.NewDecoder(bytes.NewReader(src[at:]))
	if _, err := d.Token(); err != nil {
		return false
	}
	value := at + int(d.InputOffset())
	value += bytes.IndexByte(src[value:], ':') + 1
	d = json.NewDecoder(bytes.NewReader(src[value:]))
	var raw json.RawMessage
	if err := d.Decode(&raw); err != nil {
		return false
	}
	blank(src[before : value+int(d.InputOffset())])
	return true
}

func blank(b []byte) {
	for i := range b {
		b[i] = ' '
	}
}
