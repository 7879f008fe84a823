package stripe

import (
	"strconv"
	"strings"

	"worlds/journal/canon"
)

// A search query is clauses, all joined by AND (which may be left out) or all by
// OR: [-]field operator value. A field is a name, or metadata['key']; an operator
// is : (equal), ~ (contains), or one of > < >= <=; a value is quoted, or a number,
// or null.

// queryClausesMax is how many clauses a query may have.
const queryClausesMax = 10

// containsMin is the fewest characters that ~ looks for.
const containsMin = 3

// query is a parsed search query.
type query struct {
	clauses []clause
	any     bool // one clause is enough
}

// clause is one condition.
type clause struct {
	field  string
	key    string // of metadata
	op     string
	value  string
	null   bool // the value is null
	quoted bool
	negate bool
}

// parser reads a query from the left.
type parser struct{ rest string }

// parseQuery reads a query; ok is false for what is none.
func parseQuery(text string) (q query, ok bool) {
	p := parser{strings.TrimSpace(text)}
	joined := ""
	for {
		c, ok := p.clause()
		if !ok {
			return q, false
		}
		q.clauses = append(q.clauses, c)
		p.space()
		if p.rest == "" {
			return q, true
		}
		word := p.conjunction()
		if joined != "" && word != joined {
			return q, false
		}
		joined, q.any = word, word == "OR"
	}
}

// conjunction reads AND or OR; none is AND.
func (p *parser) conjunction() string {
	word, rest, _ := strings.Cut(p.rest, " ")
	if upper := strings.ToUpper(word); upper == "AND" || upper == "OR" {
		p.rest = strings.TrimLeft(rest, " ")
		return upper
	}
	return "AND"
}

func (p *parser) space() { p.rest = strings.TrimLeft(p.rest, " ") }

func (p *parser) take(prefix string) bool {
	rest, ok := strings.CutPrefix(p.rest, prefix)
	if ok {
		p.rest = rest
	}
	return ok
}

func (p *parser) clause() (c clause, ok bool) {
	c.negate = p.take("-")
	end := strings.IndexFunc(p.rest, func(r rune) bool {
		return r != '_' && r != '.' && (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	if end <= 0 {
		return c, false
	}
	c.field, p.rest = p.rest[:end], p.rest[end:]
	if p.take("[") {
		if c.key, ok = p.quoted(); !ok || !p.take("]") {
			return c, false
		}
	}
	if (c.field == "metadata") != (c.key != "") {
		return c, false
	}
	p.space()
	for _, op := range [...]string{">=", "<=", ":", "~", ">", "<"} {
		if p.take(op) {
			c.op = op
			break
		}
	}
	p.space()
	if c.op == "" || p.rest == "" {
		return c, false
	}
	if p.rest[0] == '\'' || p.rest[0] == '"' {
		c.value, ok = p.quoted()
		c.quoted = true
		return c, ok
	}
	c.value, p.rest, _ = strings.Cut(p.rest, " ")
	c.null = c.value == "null"
	return c, !strings.ContainsAny(c.value, `'"()[]`)
}

// quoted reads a text in either kind of quotes; a backslash takes the meaning from
// the character behind it.
func (p *parser) quoted() (string, bool) {
	if p.rest == "" || p.rest[0] != '\'' && p.rest[0] != '"' {
		return "", false
	}
	quote := p.rest[0]
	var out []byte
	for i := 1; i < len(p.rest); i++ {
		switch c := p.rest[i]; {
		case c == quote:
			p.rest = p.rest[i+1:]
			return string(out), true
		case c == '\\' && i+1 < len(p.rest):
			i++
			out = append(out, p.rest[i])
		default:
			out = append(out, c)
		}
	}
	return "", false
}

// fieldKind is how a field can be searched by.
type fieldKind uint8

const (
	texts   fieldKind = iota // equal without regard to case, or contained
	exacts                   // equal only
	numbers                  // compared
)

// matches reports whether an object satisfies the query. find gives the place of
// a field.
func (q *query) matches(body canon.Raw, find func(name string) *searchField) bool {
	for i := range q.clauses {
		c := &q.clauses[i]
		ok := c.holds(body, find(c.field)) != c.negate
		if ok == q.any {
			return ok
		}
	}
	return !q.any
}

// holds reports whether the value at the clause's field is as it says.
func (c *clause) holds(body canon.Raw, f *searchField) bool {
	at := f.at(body, c.key)
	absent := at == nil || string(at) == "null"
	if c.null || absent {
		return c.null && absent
	}
	if f.kind == numbers {
		have, _ := canon.Int(at)
		want, _ := strconv.ParseInt(c.value, 10, 64)
		return compares(c.op, have, want)
	}
	have, isText := canon.Unquote(at)
	if !isText {
		have = string(at) // true, false
	}
	if c.op == "~" {
		return strings.Contains(strings.ToLower(have), strings.ToLower(c.value))
	}
	return strings.EqualFold(have, c.value)
}

func compares(op string, have, want int64) bool {
	switch op {
	case ">":
		return have > want
	case "<":
		return have < want
	case ">=":
		return have >= want
	case "<=":
		return have <= want
	}
	return have == want
}
