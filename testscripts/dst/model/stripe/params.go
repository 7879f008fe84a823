package stripe

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// kind is the type of a parameter.
type kind int8

const (
	text kind = iota
	integer
	decimal
	boolean
	enum
	mapping // of strings: metadata
	object
	array
	address // of e-mail
	moment  // or the word now
	vague   // the product takes it, the model has no opinion
	rangeOf // of moments: a number, or gt, gte, lt, lte
)

// shape says what one parameter may be. In a route's table it is written
//
//	name:s        a text
//	name:i, :p    a whole number, a positive one
//	name:n        a whole number from 0 on
//	name:d        a decimal
//	name:b        true or false
//	name:(a|b|c)  one of these
//	name:m        a map of strings
//	name:e        an address of e-mail
//	name:r        a range of moments
//	name:w        a moment
//	name:t        a moment, or now
//	name:x        something that the model has no opinion of
//	name{...}     an object
//	name[...]     a list, of a type (:s) or of objects ({...})
//
// followed by <N if it is at most N, or has at most N characters, * if it must be
// there, ? if an empty text unsets it, ! if the product may not serve it.
type shape struct {
	kind     kind
	least    int64
	most     int64
	words    []string
	required bool
	unset    bool
	unserved bool
	names    []string
	fields   map[string]*shape
	element  *shape
}

// Limits of what names none.
const (
	noLeast    = -1 << 62
	mostNumber = 1<<53 - 1
	lastMoment = 7258118400 // the end of the year 2199
	mostText   = 5000
)

// readShape reads a route's table.
func readShape(table string) *shape {
	r := shapeReader{rest: table}
	s := &shape{kind: object}
	r.fields(s, 0)
	return s
}

type shapeReader struct{ rest string }

func (r *shapeReader) fields(s *shape, end byte) {
	s.fields = map[string]*shape{}
	for {
		r.rest = strings.TrimLeft(r.rest, " \n\t")
		if r.rest == "" || r.rest[0] == end {
			return
		}
		n := strings.IndexAny(r.rest, ":{[")
		name := r.rest[:n]
		r.rest = r.rest[n:]
		f := r.shape()
		s.names, s.fields[name] = append(s.names, name), f
	}
}

func (r *shapeReader) shape() *shape {
	s := &shape{least: noLeast}
	switch r.rest[0] {
	case '{':
		r.rest, s.kind = r.rest[1:], object
		r.fields(s, '}')
		r.rest = r.rest[1:]
	case '[':
		r.rest, s.kind = r.rest[1:], array
		s.element = r.shape()
		r.rest = r.rest[1:]
	case ':':
		r.word(s)
	}
	if rest, limited := strings.CutPrefix(r.rest, "<"); limited {
		digits := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
		s.most, _ = strconv.ParseInt(digits, 10, 64)
		r.rest = rest[len(digits):]
	}
	for r.rest != "" && strings.IndexByte("*?!", r.rest[0]) >= 0 {
		s.required = s.required || r.rest[0] == '*'
		s.unset = s.unset || r.rest[0] == '?'
		s.unserved = s.unserved || r.rest[0] == '!'
		r.rest = r.rest[1:]
	}
	return s
}

func (r *shapeReader) word(s *shape) {
	letter := r.rest[1]
	r.rest, s.most = r.rest[2:], mostNumber
	switch letter {
	case 's':
		s.kind, s.most = text, mostText
	case 'e':
		s.kind, s.most = address, mostText
	case 'i':
		s.kind = integer
	case 'n':
		s.kind, s.least = integer, 0
	case 'p':
		s.kind, s.least = integer, 1
	case 'd':
		s.kind = decimal
	case 'b':
		s.kind = boolean
	case 'm':
		s.kind = mapping
	case 'r':
		s.kind = rangeOf
	case 'w':
		s.kind, s.least, s.most = integer, 0, lastMoment
	case 't':
		s.kind, s.least, s.most = moment, 0, lastMoment
	case 'x':
		s.kind = vague
	case '(':
		words, rest, _ := strings.Cut(r.rest, ")")
		s.kind, s.words, r.rest = enum, strings.Split(words, "|"), rest
	default:
		panic("model: no type of parameter " + string(letter))
	}
}

// strangers are the parameters that a table does not have, by name as sent, and the
// first that it has but that is not served.
func (s *shape) strangers(n *node, prefix string) (unknown []string, unserved string) {
	for _, key := range n.order {
		name := key
		if prefix != "" {
			name = prefix + "[" + key + "]"
		}
		f := s.fields[key]
		switch s.kind {
		case mapping, vague:
			continue
		case rangeOf:
			if !slices.Contains([]string{"gt", "gte", "lt", "lte"}, key) {
				unknown = append(unknown, name)
			}
			continue
		case array:
			f = s.element
		}
		if f == nil {
			unknown = append(unknown, name)
			continue
		}
		if f.unserved && unserved == "" {
			unserved = name
			continue
		}
		u, not := f.strangers(n.parts[key], name)
		unknown = append(unknown, u...)
		if unserved == "" {
			unserved = not
		}
	}
	return unknown, unserved
}

// check refuses what is of the wrong type, the first that was sent. All types are
// looked at before what must be there.
func (s *shape) check(n *node, name string) *refusal {
	if s.kind == vague {
		return noOpinion("the parameter " + name)
	}
	if n.leaf {
		return s.checkText(n.text, name)
	}
	switch s.kind {
	case object:
		for _, key := range n.order {
			if s.fields[key] == nil {
				continue
			}
			if r := s.fields[key].check(n.parts[key], join(name, key)); r != nil {
				return r
			}
		}
	case array:
		list, ok := n.elements()
		if !ok {
			return noOpinion("a list whose elements are not numbered")
		}
		for i, part := range list {
			if r := s.element.check(part, join(name, strconv.Itoa(i))); r != nil {
				return r
			}
		}
	case mapping, rangeOf:
		return s.checkMap(n, name)
	default:
		return wrongType(name)
	}
	return nil
}

func (s *shape) checkMap(n *node, name string) *refusal {
	for _, key := range n.order {
		part := n.parts[key]
		if !part.leaf {
			return wrongType(join(name, key))
		}
		switch {
		case s.kind == rangeOf:
			if r := s.checkText(part.text, join(name, key)); r != nil {
				return r
			}
		case utf8.RuneCountInString(key) > 40, utf8.RuneCountInString(part.text) > 500:
			return wrongType(join(name, key))
		case len(n.order) > 50, strings.ContainsAny(key, "[]"):
			return noOpinion("metadata beyond its limits")
		}
	}
	return nil
}

func join(name, key string) string {
	if name == "" {
		return key
	}
	return name + "[" + key + "]"
}

func (s *shape) checkText(t, name string) *refusal {
	if t == "" {
		if s.unset || s.kind == mapping {
			return nil
		}
		return refuse(400, "invalid_request_error", "parameter_invalid_empty", name)
	}
	switch s.kind {
	case text, address:
		if int64(utf8.RuneCountInString(t)) > s.most {
			return wrongType(name)
		}
		if s.kind == address && !emailForm(t) {
			return invalid("email_invalid", name)
		}
	case integer, rangeOf:
		return s.checkNumber(t, name)
	case moment:
		if t != "now" {
			return s.checkNumber(t, name)
		}
	case boolean:
		if t != "true" && t != "false" {
			return wrongType(name)
		}
	case enum:
		if !slices.Contains(s.words, t) {
			return wrongType(name)
		}
	case decimal:
		if !decimalForm.MatchString(t) {
			return wrongType(name)
		}
	case mapping, object, array:
		return wrongType(name)
	}
	return nil
}

var decimalForm = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)

func (s *shape) checkNumber(t, name string) *refusal {
	n, err := strconv.ParseInt(t, 10, 64)
	if err != nil || strings.HasPrefix(t, "+") || n < s.least || n > s.most || n < -mostNumber {
		return badInteger(name)
	}
	return nil
}

// emailForm reports whether a text is local@domain, in the plain forms that there are.
func emailForm(t string) bool {
	local, domain, ok := strings.Cut(t, "@")
	if !ok || local == "" || strings.Trim(local, ".") != local || strings.ContainsAny(t, " \t\r\n<>()[],;:\\\"") {
		return false
	}
	for _, label := range strings.Split(domain, ".") {
		if label == "" || strings.Trim(label, "-") != label || strings.ContainsAny(label, "@_!#$%&'*+/=?^`{|}~") {
			return false
		}
	}
	return true
}

// missing is the first parameter that must be there and is not: those of an object by
// name, then those within them.
func (s *shape) missing(n *node, name string) *refusal {
	if n.leaf {
		return nil
	}
	switch s.kind {
	case object:
		for _, key := range slices.Sorted(slices.Values(s.names)) {
			if s.fields[key].required && n.parts[key] == nil {
				return refuse(400, "invalid_request_error", "parameter_missing", join(name, key))
			}
		}
		for _, key := range n.order {
			if s.fields[key] == nil {
				continue
			}
			if r := s.fields[key].missing(n.parts[key], join(name, key)); r != nil {
				return r
			}
		}
	case array:
		list, _ := n.elements()
		for i, part := range list {
			if r := s.element.missing(part, join(name, strconv.Itoa(i))); r != nil {
				return r
			}
		}
	}
	return nil
}
