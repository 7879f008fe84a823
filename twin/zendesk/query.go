package zendesk

import (
	"slices"
	"strings"
	"unicode"

	"worlds/twin"
)

// query is a search text read: what of each key must hold. Clauses of one key are
// alternatives, those of different keys must all hold.
type query struct {
	types     []string // result types asked for
	clauses   []clause
	sortBy    string
	sortOrder string
}

// clause is one condition; without a key it is a word or phrase.
type clause struct {
	key     string
	op      string // ":", "<", ">", "<=", ">="
	value   string // lower case
	phrase  bool
	negated bool
}

// keys are the names that conditions have, with the name that is looked for.
var queryKeys = [...][2]string{
	{"assignee", "assignee"}, {"cc", "cc"}, {"commenter", "commenter"}, {"created", "created"}, {"created_at", "created"}, {"description", "description"},
	{"details", "details"}, {"due_date", "due_date"}, {"email", "email"}, {"external_id", "external_id"}, {"group", "group"},
	{"is_suspended", "is_suspended"}, {"is_verified", "is_verified"}, {"name", "name"}, {"notes", "notes"}, {"order_by", "order_by"}, {"organization", "organization"}, {"phone", "phone"}, {"priority", "priority"},
	{"requester", "requester"}, {"role", "role"}, {"solved", "solved"}, {"sort", "sort"}, {"status", "status"}, {"subject", "subject"},
	{"submitter", "submitter"}, {"tags", "tags"}, {"ticket_type", "ticket_type"}, {"type", "type"}, {"updated", "updated"},
	{"updated_at", "updated"}, {"user", "requester"}, {"via", "via"},
}

// queryUnserved are names that conditions have in Zendesk and that name nothing here.
var queryUnserved = [...]string{"brand", "custom_status_id", "fieldvalue", "form", "has_attachment", "recipient", "satisfaction"}

// queryMoments are the conditions on a day, or a moment.
var queryMoments = [...]string{"created", "updated", "solved", "due_date"}

func knownKey(name string) (string, bool) {
	for _, k := range queryKeys {
		if k[0] == name {
			return k[1], true
		}
	}
	return name, strings.HasPrefix(name, "custom_field_")
}

// queryWordsMax bounds the conditions of one query.
const queryWordsMax = 100

// parseQuery reads a search text.
func parseQuery(s string) (*query, *twin.Error) {
	q := &query{}
	words := splitQuery(s)
	if len(words) > queryWordsMax {
		return nil, fail(422, plainError{Error: "invalid", Description: "Invalid search: the query is too long"})
	}
	for _, w := range words {
		c := clause{value: lower(w), op: ":"}
		if rest, ok := strings.CutPrefix(c.value, "-"); ok && rest != "" {
			c.value, c.negated = rest, true
		}
		if i := strings.IndexAny(c.value, ":<>"); i > 0 && c.value[0] != '"' {
			if slices.Contains(queryUnserved[:], c.value[:i]) {
				return nil, errUnserved("the search keyword " + c.value[:i])
			}
			if name, ok := knownKey(c.value[:i]); ok {
				c.key, c.op, c.value = name, c.value[i:i+1], c.value[i+1:]
				if strings.HasPrefix(c.value, "=") && c.op != ":" {
					c.op, c.value = c.op+"=", c.value[1:]
				}
			}
		}
		c.phrase = strings.HasPrefix(c.value, `"`)
		if c.value = strings.Trim(c.value, `"`); c.value == "" {
			continue
		}
		if c.phrase {
			c.value = strings.Join(strings.Fields(c.value), " ")
		}
		if _, ok := parseMoment(strings.ToUpper(c.value)); !ok && slices.Contains(queryMoments[:], c.key) {
			return nil, errUnserved("the moment " + c.value + " in a search")
		}
		q.take(c)
	}
	return q, nil
}

// take files one condition.
func (q *query) take(c clause) {
	switch c.key {
	case "type":
		switch c.value {
		case "ticket", "user", "organization", "group":
			q.types = append(q.types, c.value)
		case "problem", "incident", "question", "task": // kinds of tickets
			q.types = append(q.types, "ticket")
			c.key = "ticket_type"
			q.clauses = append(q.clauses, c)
		default:
			q.types = append(q.types, c.value)
		}
	case "order_by":
		if q.sortBy = c.value; !strings.Contains(c.value, "_") {
			q.sortBy += "_at"
		}
	case "sort":
		q.sortOrder = c.value
	default:
		q.clauses = append(q.clauses, c)
	}
}

// splitQuery cuts a text at spaces that stand in no quotes.
func splitQuery(s string) []string {
	var out []string
	var word strings.Builder
	quoted := false
	for _, c := range s {
		if c == '"' {
			quoted = !quoted
		}
		if unicode.IsSpace(c) && !quoted {
			if word.Len() > 0 {
				out = append(out, word.String())
				word.Reset()
			}
			continue
		}
		word.WriteRune(c)
	}
	if word.Len() > 0 {
		out = append(out, word.String())
	}
	return out
}

// holds reports whether the conditions hold: words all of them, a key by one of
// its values, what is negated by none.
func (q *query) holds(matches func(*clause) bool) bool {
	for i := range q.clauses {
		c := &q.clauses[i]
		switch {
		case c.negated:
			if matches(c) {
				return false
			}
		case c.key == "" || c.op != ":":
			if !matches(c) {
				return false
			}
		case !q.oneHolds(c.key, matches):
			return false
		}
	}
	return true
}

func (q *query) oneHolds(name string, matches func(*clause) bool) bool {
	for i := range q.clauses {
		if c := &q.clauses[i]; c.key == name && !c.negated && c.op == ":" && matches(c) {
			return true
		}
	}
	return false
}

// is compares a whole value, without case; a * at the end stands for anything.
func (f *clause) is(s string) bool {
	if begin, ok := strings.CutSuffix(f.value, "*"); ok {
		return strings.HasPrefix(lower(s), begin) && s != ""
	}
	return lower(s) == f.value
}

// within looks for the words of the condition, or the phrase, in a text.
func (f *clause) within(s string) bool {
	s = lower(s)
	if f.phrase { // however its words are set apart
		s = strings.Join(strings.Fields(s), " ")
	}
	if begin, ok := strings.CutSuffix(f.value, "*"); ok && !f.phrase {
		return strings.HasPrefix(s, begin) || containsWord(s, begin, false)
	}
	return containsWord(s, f.value, true)
}

// containsWord looks for a word, or words in a row, that begin where a word
// begins and, if whole, end where one ends.
func containsWord(s, word string, whole bool) bool {
	for at := 0; word != ""; {
		i := strings.Index(s[at:], word)
		if i < 0 {
			return false
		}
		start, end := at+i, at+i+len(word)
		if edge(s[:start], true) && (!whole || edge(s[end:], false)) {
			return true
		}
		at = start + 1
	}
	return false
}

// edge reports whether no word goes on at the end (or the beginning) of s.
func edge(s string, atEnd bool) bool {
	last := rune(-1)
	for _, c := range s {
		last = c
		if !atEnd {
			break
		}
	}
	return last < 0 || !unicode.IsLetter(last) && !unicode.IsDigit(last)
}

func (f *clause) oneOf(list []string) bool {
	for _, s := range list {
		if f.is(s) {
			return true
		}
	}
	return f.value == "none" && f.key != "" && len(list) == 0
}

// compare turns the order of a value and what is asked for into an answer.
func (f *clause) compare(order int) bool {
	switch f.op {
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	case ">=":
		return order >= 0
	}
	return order == 0
}

// day compares a moment with a day or a moment; a day is all of it.
func (f *clause) day(at Stamp) bool {
	begin, ok := parseMoment(strings.ToUpper(f.value))
	if !ok {
		return false
	}
	end, now := begin, at.unix()
	if len(f.value) == len("2006-01-02") {
		end = begin + 86399
	}
	switch {
	case now < begin:
		return f.compare(-1)
	case now > end:
		return f.compare(1)
	}
	return f.compare(0)
}
