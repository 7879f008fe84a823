package canon

import (
	"strconv"
	"unicode/utf8"
)

// MaxDepth is how many objects and arrays may stand inside each other.
const MaxDepth = 64

// MaxInt is the largest magnitude of an integer, 2^53-1: beyond it readers
// that keep numbers as IEEE doubles would see another number.
const MaxInt = 1<<53 - 1

// Error says why JSON was refused and where. Path is the place in the value,
// like $.data.customers[3].name; Offset is the place in the input, in bytes
// from its start.
type Error struct {
	Path   string
	Offset int64
	Msg    string

	slip bool // of one number, string or key: what is behind it can be read
}

// Error returns path, message and offset in one line.
func (e *Error) Error() string {
	return e.Path + ": " + e.Msg + " (at byte " + strconv.FormatInt(e.Offset, 10) + ")"
}

// fail makes an Error without a path; member and element put the path in
// front of it while the readers return, so that success costs nothing.
func fail(offset int, msg string) *Error {
	return &Error{Offset: int64(offset), Msg: msg}
}

// slipped is fail where reading could go on.
func slipped(offset int, msg string) *Error {
	return &Error{Offset: int64(offset), Msg: msg, slip: true}
}

func (e *Error) member(key []byte) *Error {
	if isWord(key) {
		e.Path = "." + string(key) + e.Path
	} else {
		e.Path = "[" + string(AppendString(nil, string(key))) + "]" + e.Path
	}
	return e
}

func (e *Error) element(i int) *Error {
	e.Path = "[" + strconv.Itoa(i) + "]" + e.Path
	return e
}

// rooted finishes an error: the path is complete. It turns a nil *Error into
// a nil error.
func (e *Error) rooted() error {
	if e == nil {
		return nil
	}
	e.Path = "$" + e.Path
	return e
}

func isWord(key []byte) bool {
	for i, c := range key {
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return len(key) > 0
}

// quoteLimit is how much of a refused token a message repeats, in bytes.
const quoteLimit = 32

func clip(token []byte) string {
	if len(token) <= quoteLimit {
		return string(token)
	}
	return string(token[:quoteLimit]) + "..."
}

// unexpected words the byte at data[pos], which no rule allows there.
func unexpected(data []byte, pos int, want string) *Error {
	if pos >= len(data) {
		return fail(pos, "the text ends where "+want+" should stand")
	}
	r, size := utf8.DecodeRune(data[pos:])
	if r == utf8.RuneError && size == 1 {
		return fail(pos, "invalid UTF-8 where "+want+" should stand")
	}
	found := strconv.QuoteRune(r)
	if r == '\ufeff' {
		found = "a byte-order mark"
	}
	return fail(pos, "found "+found+" where "+want+" should stand")
}

func tooDeep(pos int) *Error {
	return fail(pos, "nested deeper than "+strconv.Itoa(MaxDepth))
}

func duplicate(pos int, key []byte) *Error {
	return slipped(pos, "duplicate key").member(key)
}

// rawControl words the control character at data[pos], inside a string.
func rawControl(data []byte, pos int) *Error {
	return slipped(pos, "control character "+strconv.QuoteRune(rune(data[pos]))+" must be escaped")
}

// invalidUTF8 finds the first byte at or behind data[pos] that is not UTF-8.
func invalidUTF8(data []byte, pos int) *Error {
	for pos < len(data) {
		r, size := utf8.DecodeRune(data[pos:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		pos += size
	}
	return slipped(pos, "invalid UTF-8")
}
