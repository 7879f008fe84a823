package serve

import (
	"bytes"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"
)

// plain reads the heads of plain requests: what every client of a twin sends, and a
// strict part of what net/http takes, so that of each of them both read the same.
// What it read last it keeps: a client repeats most of it in every request.
type plain struct {
	prefixes []string // of the paths that are read here

	method string
	target string
	url    url.URL
	host   string
	length int // of the body
	header http.Header
	lines  []headerLine
}

// headerLine is one line of the header, as header has it too.
type headerLine struct {
	text, name string
	values     []string
}

// parse reads a head, without the empty line that ends it. It returns false if that
// is not plain; nothing can be read after that.
func (p *plain) parse(head []byte) bool {
	line, rest, ok := cutLine(head)
	return ok && p.parseLine(line) && p.parseHeader(rest)
}

// cutLine cuts the first line off.
func cutLine(b []byte) (line, rest []byte, ok bool) {
	i := bytes.IndexByte(b, '\r')
	if i < 0 {
		return b, nil, true
	}
	return b[:i], b[min(i+2, len(b)):], i+1 < len(b) && b[i+1] == '\n'
}

// parseLine reads the request line.
func (p *plain) parseLine(line []byte) bool {
	method, rest, ok := bytes.Cut(line, []byte(" "))
	target, version, more := bytes.Cut(rest, []byte(" "))
	if !ok || !more || string(version) != "HTTP/1.1" {
		return false
	}
	switch string(method) {
	case "GET":
		p.method = http.MethodGet
	case "POST":
		p.method = http.MethodPost
	case "PUT":
		p.method = http.MethodPut
	case "DELETE":
		p.method = http.MethodDelete
	default:
		return false
	}
	if len(target) > 0 && string(target) == p.target {
		p.url = url.URL{Path: p.url.Path, RawQuery: p.url.RawQuery}
		return true
	}
	path, query, asks := bytes.Cut(target, []byte("?"))
	if asks && len(query) == 0 || !all(path, inPath) || !all(query, inQuery) {
		return false
	}
	p.target = string(target)
	p.url = url.URL{Path: p.target[:len(path)], RawQuery: p.target[len(target)-len(query):]}
	for _, prefix := range p.prefixes {
		if strings.HasPrefix(p.target, prefix) {
			return true
		}
	}
	return false
}

// parseHeader reads the header, of which it keeps the lines that are as they were.
func (p *plain) parseHeader(rest []byte) bool {
	n, same, shape := 0, true, true // nothing has changed; no name has
	for ; len(rest) > 0; n++ {
		var line []byte
		var ok bool
		if line, rest, ok = cutLine(rest); !ok {
			return false
		}
		if n == len(p.lines) {
			p.lines = append(p.lines, headerLine{})
		}
		h := &p.lines[n]
		if string(line) == h.text {
			continue
		}
		same = false
		name := h.name
		if !h.parse(line) {
			return false
		}
		if shape = shape && name == h.name; shape && name != "Host" {
			p.header[name] = h.values
		}
	}
	if n < len(p.lines) {
		p.lines, same, shape = p.lines[:n], false, false
	}
	if same && n > 0 {
		return true
	}
	if !shape {
		clear(p.header)
		for i := range p.lines {
			p.header[p.lines[i].name] = p.lines[i].values
		}
		if len(p.header) != n {
			return false // a name comes twice
		}
	}
	return p.understand()
}

// parse reads one line.
func (h *headerLine) parse(line []byte) bool {
	name, value, ok := bytes.Cut(line, []byte(":"))
	if value = bytes.Trim(value, " \t"); !ok || len(name) == 0 || !all(name, inName) || !all(value, inValue) {
		return false
	}
	h.text = string(line)
	if string(name) != h.name {
		h.name = textproto.CanonicalMIMEHeaderKey(h.text[:len(name)])
	}
	at := len(name) + 1 + bytes.Index(line[len(name)+1:], value)
	h.values = []string{h.text[at : at+len(value)]} // of its own: nobody is to see the last one change
	return true
}

// understand acts on the lines that say how a request is to be read.
func (p *plain) understand() bool {
	host := ""
	p.length = 0
	for i := range p.lines {
		h := &p.lines[i]
		value := h.values[0]
		switch h.name {
		case "Host":
			host = value
		case "Content-Length":
			if len(value) == 0 || len(value) > lengthDigitsMax {
				return false
			}
			for _, c := range []byte(value) {
				if c < '0' || c > '9' {
					return false
				}
				p.length = 10*p.length + int(c-'0')
			}
		case "Connection":
			if !strings.EqualFold(value, "keep-alive") {
				return false
			}
		case "Expect", "Pragma", "Te", "Trailer", "Transfer-Encoding", "Upgrade":
			return false
		}
	}
	delete(p.header, "Host")
	p.host = host
	return host != "" && all([]byte(host), inHost)
}

// lengthDigitsMax is enough for every length that a lane takes.
const lengthDigitsMax = 6

// Classes of bytes.
const (
	inName = 1 << iota
	inValue
	inPath
	inQuery
	inHost
)

// classes says which classes a byte belongs to. They are narrower than they might be.
var classes = func() (t [256]uint8) {
	for c := byte(' '); c < 0x7f; c++ {
		t[c] |= inValue
		if c != ' ' && c != '#' {
			t[c] |= inQuery
		}
		switch {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '-':
			t[c] |= inName | inPath | inHost
		case c == '.':
			t[c] |= inPath | inHost
		case c == '_', c == '~', c == '/':
			t[c] |= inPath
		case c == ':', c == '[', c == ']':
			t[c] |= inHost
		}
	}
	t['\t'] |= inValue
	return t
}()

// all reports whether every byte belongs to a class.
func all(b []byte, class uint8) bool {
	for _, c := range b {
		if classes[c]&class == 0 {
			return false
		}
	}
	return true
}
