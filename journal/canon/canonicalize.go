package canon

import (
	"bytes"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// Canonicalize returns the canonical bytes of the JSON text src, or an *Error
// that says where and why src is refused. Nothing is repaired: a repeated key,
// text after the value, invalid UTF-8, a lone surrogate, a raw control
// character, a number that is not a plain integer within MaxInt, nesting
// beyond MaxDepth, a byte-order mark and empty input are all refused. The
// result does not alias src.
func Canonicalize(src []byte) ([]byte, error) {
	// No construct is longer in canonical form than in any other spelling.
	p := parser{
		src:     src,
		out:     make([]byte, 0, len(src)),
		members: make([]member, 0, memberRoom),
	}
	if err := p.document(); err != nil {
		return nil, err.rooted()
	}
	return p.out, nil
}

// parser reads src once and writes each value to out as it is read. An object
// whose members arrive out of order is put in order when it ends.
type parser struct {
	src, out []byte
	pos      int
	depth    int
	members  []member // of all objects that are open, innermost last
	scratch  []byte   // one object's members while they are put in order
}

// member is one member of an open object: its unescaped key, the key's place
// in src, and the range in out that holds key and value.
type member struct {
	key        []byte
	at         int
	start, end int
}

// memberRoom is how many members of open objects there is room for at first.
const memberRoom = 32

func (p *parser) document() *Error {
	if bytes.HasPrefix(p.src, []byte("\xef\xbb\xbf")) {
		return fail(0, "the text starts with a byte-order mark")
	}
	p.space()
	if p.pos == len(p.src) {
		return fail(p.pos, "empty input")
	}
	if err := p.value(); err != nil {
		return err
	}
	p.space()
	if p.pos < len(p.src) {
		return fail(p.pos, "text after the value")
	}
	return nil
}

func (p *parser) space() {
	for p.pos < len(p.src) {
		switch p.src[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return
		}
	}
}

// peek returns the next byte, 0 at the end; 0 is never valid JSON.
func (p *parser) peek() byte {
	if p.pos < len(p.src) {
		return p.src[p.pos]
	}
	return 0
}

func (p *parser) value() *Error {
	switch c := p.peek(); {
	case c == '"':
		_, err := p.str()
		return err
	case c == '{':
		return p.object()
	case c == '[':
		return p.array()
	case c == '-' || '0' <= c && c <= '9':
		return p.number()
	case c == 't':
		return p.literal("true")
	case c == 'f':
		return p.literal("false")
	case c == 'n':
		return p.literal("null")
	}
	if c := p.peek(); c == '+' || c == '.' {
		return p.number()
	}
	return unexpected(p.src, p.pos, "a value")
}

// open reads the byte c that opens an object or array.
func (p *parser) open(c byte) *Error {
	if p.depth == MaxDepth {
		return tooDeep(p.pos)
	}
	p.depth++
	p.pos++
	p.out = append(p.out, c)
	p.space()
	return nil
}

// close reads the byte c if it comes next and closes an object or array.
func (p *parser) close(c byte) bool {
	if p.peek() != c {
		return false
	}
	p.depth--
	p.pos++
	p.out = append(p.out, c)
	return true
}

func (p *parser) literal(word string) *Error {
	if !bytes.HasPrefix(p.src[p.pos:], []byte(word)) {
		return unexpected(p.src, p.pos, "a value")
	}
	p.pos += len(word)
	p.out = append(p.out, word...)
	return nil
}

func (p *parser) array() *Error {
	if err := p.open('['); err != nil {
		return err
	}
	if p.close(']') {
		return nil
	}
	for i := 0; ; i++ {
		p.space()
		if err := p.value(); err != nil {
			return err.element(i)
		}
		p.space()
		if p.close(']') {
			return nil
		}
		if err := p.comma("',' or ']'"); err != nil {
			return err
		}
	}
}

func (p *parser) comma(want string) *Error {
	if p.peek() != ',' {
		return unexpected(p.src, p.pos, want)
	}
	p.pos++
	p.out = append(p.out, ',')
	return nil
}

func (p *parser) object() *Error {
	if err := p.open('{'); err != nil {
		return err
	}
	if p.close('}') {
		return nil
	}
	base, sorted := len(p.members), true
	for {
		m, err := p.member()
		if err != nil {
			return err
		}
		if n := len(p.members); n > base && sorted {
			order := compareKeys(p.members[n-1].key, m.key)
			if order == 0 {
				return duplicate(m.at, m.key)
			}
			sorted = order < 0
		}
		p.members = append(p.members, m)
		p.space()
		if p.peek() == '}' {
			break
		}
		if err := p.comma("',' or '}'"); err != nil {
			return err
		}
	}
	if !sorted {
		if err := p.sort(p.members[base:]); err != nil {
			return err
		}
	}
	p.members = p.members[:base]
	p.close('}')
	return nil
}

func (p *parser) member() (member, *Error) {
	p.space()
	if p.peek() != '"' {
		return member{}, unexpected(p.src, p.pos, "a key")
	}
	m := member{at: p.pos, start: len(p.out)}
	escaped, err := p.str()
	if err != nil {
		return m, err
	}
	m.key = p.src[m.at+1 : p.pos-1]
	if escaped {
		m.key = appendUnescaped(nil, p.out[m.start+1:len(p.out)-1])
	}
	p.space()
	if p.peek() != ':' {
		return m, unexpected(p.src, p.pos, "':'")
	}
	p.pos++
	p.out = append(p.out, ':')
	p.space()
	if err := p.value(); err != nil {
		return m, err.member(m.key)
	}
	m.end = len(p.out)
	return m, nil
}

// sort puts the members at the end of out in key order.
func (p *parser) sort(members []member) *Error {
	first := members[0].start
	slices.SortFunc(members, func(a, b member) int {
		if order := compareKeys(a.key, b.key); order != 0 {
			return order
		}
		return a.at - b.at
	})
	var twice *member
	for i := 1; i < len(members); i++ {
		m := &members[i]
		if bytes.Equal(members[i-1].key, m.key) && (twice == nil || m.at < twice.at) {
			twice = m
		}
	}
	if twice != nil {
		return duplicate(twice.at, twice.key)
	}
	p.scratch = append(p.scratch[:0], p.out[first:]...)
	p.out = p.out[:first]
	for i, m := range members {
		if i > 0 {
			p.out = append(p.out, ',')
		}
		p.out = append(p.out, p.scratch[m.start-first:m.end-first]...)
	}
	return nil
}

// str reads the string that starts at pos and says whether it held escapes.
func (p *parser) str() (escaped bool, err *Error) {
	done := p.pos // everything before it is in out
	i := p.pos + 1
	for {
		i += plainRun(p.src[i:])
		if i == len(p.src) {
			return escaped, fail(i, "the text ends inside a string")
		}
		switch classes[p.src[i]] {
		case classQuote:
			p.out = append(p.out, p.src[done:i+1]...)
			p.pos = i + 1
			return escaped, nil
		case classEscape:
			p.out = append(p.out, p.src[done:i]...)
			n, err := p.escape(i)
			if err != nil {
				return true, err
			}
			escaped = true
			i += n
			done = i
		case classControl:
			return escaped, rawControl(p.src, i)
		case classHigh:
			n := highRun(p.src[i:])
			if !utf8.Valid(p.src[i : i+n]) {
				return escaped, invalidUTF8(p.src, i)
			}
			i += n
		}
	}
}

// escape reads the escape at src[i], appends its canonical form to out and
// returns its length.
func (p *parser) escape(i int) (int, *Error) {
	if i+1 == len(p.src) {
		return 0, fail(i+1, "the text ends inside a string")
	}
	switch c := p.src[i+1]; c {
	case '"', '\\', 'b', 'f', 'n', 'r', 't':
		p.out = append(p.out, '\\', c)
		return 2, nil
	case '/':
		p.out = append(p.out, '/')
		return 2, nil
	case 'u':
	default:
		return 0, slipped(i, "invalid escape in a string")
	}
	r, ok := hex4(p.src[i+2:])
	if !ok {
		return 0, slipped(i, "\\u must be followed by four hexadecimal digits")
	}
	n := 6
	if utf16.IsSurrogate(r) {
		second, ok := rune(0), false
		if next := p.src[i+6:]; len(next) > 1 && next[0] == '\\' && next[1] == 'u' {
			second, ok = hex4(next[2:])
		}
		pair := utf16.DecodeRune(r, second)
		if !ok || pair == utf8.RuneError {
			return 0, slipped(i, "lone surrogate "+string(p.src[i:i+6]))
		}
		r, n = pair, 12
	}
	switch {
	case r < utf8.RuneSelf && classes[r] != classPlain:
		p.out = appendEscaped(p.out, byte(r))
	default:
		p.out = utf8.AppendRune(p.out, r)
	}
	return n, nil
}

func hex4(b []byte) (rune, bool) {
	if len(b) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range b[:4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

func (p *parser) number() *Error {
	_, n, err := integer(p.src, p.pos)
	if err != nil {
		return err
	}
	p.out = append(p.out, p.src[p.pos:p.pos+n]...)
	p.pos += n
	return nil
}

// integer reads the number at data[pos] and returns its value and length. The
// one accepted spelling of an integer is also its canonical one.
func integer(data []byte, pos int) (value int64, length int, err *Error) {
	i := pos
	negative := i < len(data) && data[i] == '-'
	if negative {
		i++
	}
	digits := i
	for ; i < len(data) && '0' <= data[i] && data[i] <= '9'; i++ {
		// 18 digits fit in an int64 and exceed MaxInt; more change nothing.
		if i-digits < 18 {
			value = value*10 + int64(data[i]-'0')
		}
	}
	count := i - digits
	if i < len(data) && isNumberByte(data[i]) || count == 0 ||
		data[digits] == '0' && (count > 1 || negative) {
		for i < len(data) && isNumberByte(data[i]) {
			i++
		}
		return 0, 0, slipped(pos, "number "+clip(data[pos:i])+" is not an integer in plain decimal")
	}
	if value > MaxInt {
		return 0, 0, slipped(pos, "number "+clip(data[pos:i])+" exceeds 2^53-1 in magnitude")
	}
	if negative {
		value = -value
	}
	return value, i - pos, nil
}

func isNumberByte(c byte) bool {
	return '0' <= c && c <= '9' || c == '.' || c == '+' || c == '-' || c == 'e' || c == 'E'
}
