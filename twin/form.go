package twin

import (
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"worlds/journal/canon"
)

// Node is one parameter, or one level of a nested one. Kids stand in the order
// of their first appearance; elements of a list by their number.
type Node struct {
	Name   string // the segment within the parent; "" for an appended element
	Value  string
	HasVal bool
	Kids   []*Node
	index  int       // number of a list element, -1 otherwise
	raw    canon.Raw // the value as JSON, nil for a form's
	// renamed says that an alias of an older shape put it.
	renamed bool
}

// Kid returns the child with the given name, nil if there is none.
func (n *Node) Kid(name string) *Node {
	for _, k := range n.Kids {
		if k.Name == name && k.index < 0 {
			return k
		}
	}
	return nil
}

// ParseForm decodes application/x-www-form-urlencoded texts (a query string, a
// body) into one tree. Keys nest with brackets: a[b][c], a[0], a[]; %5B and %5D
// count as brackets. The rules for doubtful input:
//   - '+' is a space; ';' is an ordinary character, never a separator;
//   - a bad escape, NUL, invalid UTF-8 or an unbalanced bracket is malformed;
//   - the last of several values of one scalar wins;
//   - a[] appends; a[n] goes to position n by number; the two may be mixed,
//     appended elements come after the numbered ones before them;
//   - a[][x]=1&a[][y]=2 is one element until a key repeats.
func ParseForm(texts ...string) (*Node, *Violation) {
	root := &Node{index: -1}
	count := 0
	for _, text := range texts {
		for text != "" {
			var pair string
			pair, text, _ = strings.Cut(text, "&")
			if pair == "" {
				continue
			}
			if count++; count > ParamsMax {
				return nil, &Violation{Kind: TooMany, Limit: ParamsMax}
			}
			if v := root.addPair(pair); v != nil {
				return nil, v
			}
		}
	}
	root.sortLists()
	return root, nil
}

func (n *Node) addPair(pair string) *Violation {
	rawKey, rawVal, hasVal := strings.Cut(pair, "=")
	key, ok := unescape(rawKey)
	if !ok {
		return &Violation{Kind: Malformed, Value: "a parameter name is not valid form encoding"}
	}
	val, ok := unescape(rawVal)
	if !ok {
		return &Violation{Kind: Malformed, Param: key, Value: "the value is not valid form encoding"}
	}
	path, ok := splitKey(key)
	if !ok || len(path) > ParamDepthMax || len(key) > ParamNameMax {
		return &Violation{Kind: Malformed, Param: key, Value: "the parameter name is not well formed"}
	}
	at := n
	for i, seg := range path {
		at = at.child(seg, path[i+1:])
	}
	at.Value, at.HasVal = val, hasVal || val == ""
	return nil
}

// child finds or makes the child for one key segment. rest are the segments
// below it, which decide whether an appended element is begun or continued.
func (n *Node) child(seg string, rest []string) *Node {
	if seg == "" {
		if len(n.Kids) > 0 && len(rest) > 0 {
			if last := n.Kids[len(n.Kids)-1]; last.Name == "" && !last.holds(rest) {
				return last
			}
		}
		k := &Node{index: n.nextIndex()}
		n.Kids = append(n.Kids, k)
		return k
	}
	num := elementNumber(seg)
	for _, k := range n.Kids {
		if num >= 0 && k.index == num || num < 0 && k.index < 0 && k.Name == seg {
			return k
		}
	}
	k := &Node{Name: seg, index: num}
	n.Kids = append(n.Kids, k)
	return k
}

// holds reports whether the scalar that rest leads to is already there.
func (n *Node) holds(rest []string) bool {
	at := n
	for _, seg := range rest {
		if seg == "" {
			return false
		}
		if at = at.Kid(seg); at == nil {
			return false
		}
	}
	return at.HasVal
}

func (n *Node) nextIndex() int {
	next := 0
	for _, k := range n.Kids {
		if k.index >= next {
			next = k.index + 1
		}
	}
	return next
}

func (n *Node) sortLists() {
	for _, k := range n.Kids {
		k.sortLists()
	}
	sort.SliceStable(n.Kids, func(i, j int) bool { return n.Kids[i].index < n.Kids[j].index })
}

// elementNumber reads a list index; -1 for any other segment.
func elementNumber(seg string) int {
	if len(seg) > 6 || len(seg) > 1 && seg[0] == '0' {
		return -1
	}
	for i := 0; i < len(seg); i++ {
		if seg[i] < '0' || seg[i] > '9' {
			return -1
		}
	}
	n, _ := strconv.Atoi(seg)
	return n
}

// splitKey splits a[b][][0] into a, b, "", 0.
func splitKey(key string) ([]string, bool) {
	open := strings.IndexByte(key, '[')
	if open < 0 {
		return []string{key}, key != "" && !strings.Contains(key, "]")
	}
	path := []string{key[:open]}
	rest := key[open:]
	for rest != "" {
		end := strings.IndexByte(rest, ']')
		if rest[0] != '[' || end < 0 || strings.IndexByte(rest[1:end], '[') >= 0 {
			return nil, false
		}
		path = append(path, rest[1:end])
		rest = rest[end+1:]
	}
	return path, open > 0 && !strings.Contains(path[0], "]")
}

// unescape decodes one form-encoded text strictly.
func unescape(s string) (string, bool) {
	plain := true
	for i := 0; i < len(s); i++ {
		if c := s[i]; c == '%' || c == '+' || c >= utf8.RuneSelf || c == 0 {
			plain = false
			break
		}
	}
	if plain {
		return s, true
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '+':
			out = append(out, ' ')
		case '%':
			if i+2 >= len(s) || hexDigit(s[i+1]) < 0 || hexDigit(s[i+2]) < 0 {
				return "", false
			}
			out = append(out, byte(hexDigit(s[i+1])<<4|hexDigit(s[i+2])))
			i += 2
		default:
			out = append(out, c)
		}
	}
	for _, c := range out {
		if c == 0 {
			return "", false
		}
	}
	return string(out), utf8.Valid(out)
}

// unescapeSegment decodes a percent-encoded path segment; what is no escape stays.
func unescapeSegment(s string) string {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) && hexDigit(s[i+1]) >= 0 && hexDigit(s[i+2]) >= 0 {
			out = append(out, byte(hexDigit(s[i+1])<<4|hexDigit(s[i+2])))
			i += 2
			continue
		}
		out = append(out, s[i])
	}
	return string(out)
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// appendCanonical appends the tree as canonical JSON, whatever order its
// parameters came in: what an idempotency fingerprint is made of. Lists are
// written as objects by element number.
func (n *Node) appendCanonical(dst []byte) []byte {
	if n.raw != nil {
		return append(dst, n.raw...)
	}
	if len(n.Kids) == 0 {
		return canon.AppendString(dst, n.Value)
	}
	kids := append([]*Node(nil), n.Kids...)
	sort.SliceStable(kids, func(i, j int) bool { return kids[i].label() < kids[j].label() })
	dst = append(dst, '{')
	for i, k := range kids {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = canon.AppendString(dst, k.label())
		dst = append(dst, ':')
		dst = k.appendCanonical(dst)
	}
	return append(dst, '}')
}

// shown is what stands where a scalar is wanted, as a refusal shows it: JSON, in the
// order sent, with the elements of a numbered list by their number. "" for a body's.
func (n *Node) shown() string {
	if n.raw != nil {
		return ""
	}
	return string(n.appendShown(nil))
}

func (n *Node) appendShown(dst []byte) []byte {
	if len(n.Kids) == 0 {
		return canon.AppendString(dst, n.Value)
	}
	list := n.Kids[0].Name == "" && n.Kids[0].index >= 0
	open, end := byte('{'), byte('}')
	if list {
		open, end = '[', ']'
	}
	dst = append(dst, open)
	for i, k := range n.Kids {
		if i > 0 {
			dst = append(dst, ',')
		}
		if !list {
			dst = append(canon.AppendString(dst, k.label()), ':')
		}
		dst = k.appendShown(dst)
	}
	return append(dst, end)
}

// label is the segment a path shows for the node.
func (n *Node) label() string {
	if n.Name == "" && n.index >= 0 {
		return strconv.Itoa(n.index)
	}
	return n.Name
}

// EscapeForm makes a raw form text safe to store as text: bytes above 0x7f and
// control characters become percent escapes, which decode to the same bytes.
func EscapeForm(raw []byte) string {
	const digits = "0123456789ABCDEF"
	clean := true
	for _, c := range raw {
		if c >= utf8.RuneSelf || c < ' ' {
			clean = false
			break
		}
	}
	if clean {
		return string(raw)
	}
	out := make([]byte, 0, len(raw)+16)
	for _, c := range raw {
		if c >= utf8.RuneSelf || c < ' ' {
			out = append(out, '%', digits[c>>4], digits[c&15])
		} else {
			out = append(out, c)
		}
	}
	return string(out)
}
