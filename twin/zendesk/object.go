package zendesk

import (
	"slices"
	"strconv"
	"strings"

	"worlds/journal/canon"
	"worlds/twin"
)

// part is one member of an answer.
type part struct {
	name  string
	value canon.Raw
}

// object makes one canonical object of parts in any order.
func object(parts ...part) canon.Raw {
	slices.SortStableFunc(parts, func(a, b part) int { return canon.CompareKeys(a.name, b.name) })
	parts = slices.CompactFunc(parts, func(a, b part) bool { return a.name == b.name })
	out := []byte{'{'}
	for i, p := range parts {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(canon.AppendString(out, p.name), ':')
		if p.value == nil {
			out = append(out, "null"...)
			continue
		}
		out = append(out, p.value...)
	}
	return append(out, '}')
}

// array makes one canonical array of values.
func array(values []canon.Raw) canon.Raw {
	out := []byte{'['}
	for i, v := range values {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, v...)
	}
	return append(out, ']')
}

// wrapped is the answer that shows one record under its name.
func wrapped(name string, doc twin.Doc) twin.Doc {
	return twin.Doc{Body: object(part{name, doc.Body})}
}

// made is wrapped for a record that was just created.
func made(name string, doc twin.Doc) twin.Doc {
	return twin.Doc{Body: object(part{name, doc.Body}), Status: 201}
}

// noContent is the answer to a deletion.
func noContent() twin.Doc { return twin.Doc{Status: 204} }

func text(s string) canon.Raw  { return canon.AppendString(nil, s) }
func number(n int64) canon.Raw { return canon.AppendInt(nil, n) }

// link is where a record is shown; only rendering knows the address.
func link(path string) string { return twin.Origin + prefix + path + ".json" }

func linkTo(area string, id int64) string { return link("/" + area + "/" + key(id)) }

// key is how rows name a record.
func key(id int64) string { return strconv.FormatInt(id, 10) }

// pathID reads an id out of a path; ok is false for what is no id.
func pathID(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && n > 0 && strconv.FormatInt(n, 10) == s
}

// recordPath names a record, by a number.
type recordPath struct {
	ID string `path:"id"`
}

// Check refuses words, as of a client that has no id, before they are looked for.
func (p *recordPath) Check() *twin.Error {
	if digits := strings.TrimPrefix(p.ID, "-"); digits == "" || strings.Trim(digits, "0123456789") != "" {
		return errAttribute("id", "must be an integer")
	}
	return nil
}

func idOrNull(id int64) *int64 {
	if id == 0 {
		return nil
	}
	return &id
}

func textOrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// orZero is the value a pointer leads to.
func orZero[T any](p *T) T {
	var none T
	if p == nil {
		return none
	}
	return *p
}
