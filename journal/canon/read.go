package canon

import (
	"bytes"
	"encoding/binary"
	"iter"
	"math/bits"
)

// Get returns the value of the member key of the canonical object obj. The
// result aliases obj. It is false if obj is not an object or has no such key.
func Get(obj []byte, key string) (Raw, bool) {
	if len(obj) < 2 || obj[0] != '{' || obj[1] != '"' {
		return nil, false
	}
	if !plain(key) {
		return getEscaped(obj, key)
	}
	for i := 1; i < len(obj) && obj[i] == '"'; {
		rest := obj[i+1:]
		found := len(rest) > len(key) && rest[len(key)] == '"' && string(rest[:len(key)]) == key
		v := stringEnd(obj, i) + 1
		if v >= len(obj) {
			break
		}
		end := v + Skip(obj[v:])
		if found {
			return Raw(obj[v:end:end]), true
		}
		i = end + 1
	}
	return nil, false
}

// plain reports whether s stands for itself inside a canonical string.
func plain(s string) bool {
	for i := range len(s) {
		if c := classes[s[i]]; c != classPlain && c != classHigh {
			return false
		}
	}
	return true
}

func getEscaped(obj []byte, key string) (Raw, bool) {
	for k, v := range Members(obj) {
		if k == key {
			return v, true
		}
	}
	return nil, false
}

// Members yields the members of the canonical object obj in stored order: the
// unescaped key (a copy) and the value (which aliases obj). It yields nothing
// if obj is not an object.
func Members(obj []byte) iter.Seq2[string, Raw] {
	return func(yield func(string, Raw) bool) {
		if len(obj) < 2 || obj[0] != '{' {
			return
		}
		for i := 1; i < len(obj) && obj[i] == '"'; {
			v := stringEnd(obj, i) + 1
			if v >= len(obj) {
				return
			}
			key, _ := Unquote(obj[i : v-1])
			end := v + Skip(obj[v:])
			if !yield(key, Raw(obj[v:end:end])) {
				return
			}
			i = end + 1
		}
	}
}

// Elements yields the elements of the canonical array arr in order; they alias
// arr. It yields nothing if arr is not an array.
func Elements(arr []byte) iter.Seq[Raw] {
	return func(yield func(Raw) bool) {
		if len(arr) < 2 || arr[0] != '[' {
			return
		}
		for i := 1; i < len(arr) && arr[i] != ']'; {
			end := i + Skip(arr[i:])
			if !yield(Raw(arr[i:end:end])) {
				return
			}
			i = end + 1
		}
	}
}

// Skip returns the length in bytes of the first canonical value in data, 0 if
// data is empty.
func Skip(data []byte) int {
	if len(data) == 0 {
		return 0
	}
	switch data[0] {
	case '"':
		return stringEnd(data, 0)
	case '{', '[':
		return skipNested(data)
	}
	for i, c := range data {
		if c == ',' || c == '}' || c == ']' {
			return i
		}
	}
	return len(data)
}

func skipNested(data []byte) int {
	depth := 0
	for i := 0; i < len(data); {
		switch data[i] {
		case '"':
			i = stringEnd(data, i)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			if depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return len(data)
}

// stringEnd returns the index behind the string that starts at data[i].
func stringEnd(data []byte, i int) int {
	j := i + 1
	for len(data)-j >= 8 {
		found := closing(binary.LittleEndian.Uint64(data[j:]))
		if found == 0 {
			j += 8
			continue
		}
		j += bits.TrailingZeros64(found) >> 3
		if data[j] == '"' {
			return j + 1
		}
		j += 2 // a backslash and what it escapes
	}
	for ; j < len(data); j++ {
		switch data[j] {
		case '"':
			return j + 1
		case '\\':
			j++
		}
	}
	return len(data)
}

// closing is special for quotes and backslashes alone.
func closing(x uint64) uint64 {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	quote, escape := x^'"'*ones, x^'\\'*ones
	return ((quote-ones)&^quote | (escape-ones)&^escape) & tops
}

// Unquote returns the text of the canonical JSON string raw, as a copy. It is
// false if raw is not a string.
func Unquote(raw []byte) (string, bool) {
	n := len(raw)
	if n < 2 || raw[0] != '"' || raw[n-1] != '"' {
		return "", false
	}
	body := raw[1 : n-1]
	if bytes.IndexByte(body, '\\') < 0 {
		return string(body), true
	}
	return string(appendUnescaped(make([]byte, 0, len(body)), body)), true
}

// Int returns the value of the canonical JSON integer raw. It is false if raw
// is anything else.
func Int(raw []byte) (int64, bool) {
	value, n, err := integer(raw, 0)
	return value, err == nil && n == len(raw)
}
