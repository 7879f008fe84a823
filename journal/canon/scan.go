package canon

import (
	"bytes"
	"unicode/utf8"
)

// Valid returns nil if data is exactly one value in canonical form, else an
// *Error. It does not allocate for valid data whose keys have no escapes.
func Valid(data []byte) error {
	s := scanner{data: data}
	err := s.value()
	if err == nil {
		err = s.end()
	}
	return err.rooted()
}

// scanner checks canonical bytes that are not trusted.
type scanner struct {
	data  []byte
	pos   int
	depth int
}

// peek returns the next byte, 0 at the end.
func (s *scanner) peek() byte {
	if s.pos < len(s.data) {
		return s.data[s.pos]
	}
	return 0
}

func (s *scanner) end() *Error {
	if s.pos < len(s.data) {
		return fail(s.pos, "text after the value")
	}
	return nil
}

func (s *scanner) enter() *Error {
	if s.depth == MaxDepth {
		return tooDeep(s.pos)
	}
	s.depth++
	s.pos++
	return nil
}

func (s *scanner) leave() {
	s.depth--
	s.pos++
}

func (s *scanner) value() *Error {
	switch c := s.peek(); c {
	case '"':
		_, _, err := s.str()
		return err
	case '{':
		return s.object()
	case '[':
		return s.array()
	case 't':
		return s.literal("true")
	case 'f':
		return s.literal("false")
	case 'n':
		return s.literal("null")
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		_, n, err := integer(s.data, s.pos)
		s.pos += n
		return err
	}
	return unexpected(s.data, s.pos, "a canonical value")
}

func (s *scanner) literal(word string) *Error {
	if !s.take(word) {
		return unexpected(s.data, s.pos, "a canonical value")
	}
	return nil
}

// take reads word if it comes next.
func (s *scanner) take(word string) bool {
	if len(s.data)-s.pos < len(word) || string(s.data[s.pos:s.pos+len(word)]) != word {
		return false
	}
	s.pos += len(word)
	return true
}

func (s *scanner) array() *Error {
	if err := s.enter(); err != nil {
		return err
	}
	if s.peek() == ']' {
		s.leave()
		return nil
	}
	for i := 0; ; i++ {
		if err := s.value(); err != nil {
			return err.element(i)
		}
		last, err := s.more(']', "',' or ']'")
		if err != nil || last {
			return err
		}
	}
}

// more reads what follows a member or element: a comma, or the closing byte.
func (s *scanner) more(closing byte, want string) (last bool, err *Error) {
	switch s.peek() {
	case ',':
		s.pos++
		return false, nil
	case closing:
		s.leave()
		return true, nil
	}
	return false, unexpected(s.data, s.pos, want)
}

func (s *scanner) object() *Error {
	if err := s.enter(); err != nil {
		return err
	}
	if s.peek() == '}' {
		s.leave()
		return nil
	}
	var previous []byte
	for first := true; ; first = false {
		at := s.pos
		key, err := s.key()
		if err != nil {
			return err
		}
		if !first {
			if err := inOrder(previous, key, at); err != nil {
				return err
			}
		}
		previous = key
		if err := s.value(); err != nil {
			return err.member(key)
		}
		last, err := s.more('}', "',' or '}'")
		if err != nil || last {
			return err
		}
	}
}

// key reads a key and the colon after it, and returns the key unescaped.
func (s *scanner) key() ([]byte, *Error) {
	if s.peek() != '"' {
		return nil, unexpected(s.data, s.pos, "a key")
	}
	key, escaped, err := s.str()
	if err != nil {
		return nil, err
	}
	if escaped {
		key = appendUnescaped(nil, key)
	}
	if s.peek() != ':' {
		return nil, unexpected(s.data, s.pos, "':'")
	}
	s.pos++
	return key, nil
}

func inOrder(previous, key []byte, at int) *Error {
	switch order := compareKeys(previous, key); {
	case order == 0:
		return duplicate(at, key)
	case order > 0:
		return fail(at, "key out of order").member(key)
	}
	return nil
}

// str reads the string at pos. body is what stands between the quotes, still
// escaped if escaped is true.
func (s *scanner) str() (body []byte, escaped bool, err *Error) {
	start := s.pos + 1
	i := start
	for {
		i += plainRun(s.data[i:])
		if i == len(s.data) {
			return nil, escaped, fail(i, "the text ends inside a string")
		}
		switch classes[s.data[i]] {
		case classQuote:
			s.pos = i + 1
			return s.data[start:i], escaped, nil
		case classEscape:
			n := canonicalEscape(s.data[i:])
			if n == 0 {
				return nil, true, fail(i, "escape is not canonical")
			}
			escaped = true
			i += n
		case classControl:
			return nil, escaped, rawControl(s.data, i)
		case classHigh:
			n := highRun(s.data[i:])
			if !utf8.Valid(s.data[i : i+n]) {
				return nil, escaped, invalidUTF8(s.data, i)
			}
			i += n
		}
	}
}

// canonicalEscape returns the length of the escape at the start of b, 0 if it
// is not the canonical spelling of its character.
func canonicalEscape(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		r, ok := hex4(b[2:])
		if !ok || r >= 0x20 {
			return 0
		}
		var own [6]byte
		if bytes.Equal(appendEscaped(own[:0], byte(r)), b[:6]) {
			return 6
		}
	}
	return 0
}

// appendUnescaped appends the text of a canonical string's body.
func appendUnescaped(dst, body []byte) []byte {
	for i := 0; i < len(body); i++ {
		c := body[i]
		if c == '\\' && i+1 < len(body) {
			i++
			switch c = body[i]; c {
			case 'b':
				c = '\b'
			case 'f':
				c = '\f'
			case 'n':
				c = '\n'
			case 'r':
				c = '\r'
			case 't':
				c = '\t'
			case 'u':
				r, _ := hex4(body[i+1:])
				c = byte(r)
				i += 4
			}
		}
		dst = append(dst, c)
	}
	return dst
}
