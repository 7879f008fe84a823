package stripe

import (
	"slices"
	"strconv"

	"worlds/journal/canon"
	"worlds/journal/mutant"
	"worlds/projection"
	"worlds/twin"
)

// pageDefault is how many rows a page has when the request does not say.
const pageDefault = 10

// page is the paging every list route takes.
type page struct {
	EndingBefore  twin.Opt[string] `param:"ending_before"`
	Limit         twin.Opt[int64]  `param:"limit" rule:"min=1,max=100"`
	StartingAfter twin.Opt[string] `param:"starting_after"`
}

// listed is the term of the rows that a list shows of itself. Where it hides others it
// does not know them as cursors, either.
const listed = "live=true"

// filter is what rows of a list must satisfy: all terms, and keep if not nil. among,
// if not "", is a term that cursors have, too. show, if not nil, is how a row appears.
type filter struct {
	terms []string
	among string
	keep  func(*projection.Row) bool
	show  func(*projection.Row) canon.Raw
}

// with adds an index term when the parameter was given.
func (f *filter) with(field string, p twin.Opt[string]) {
	if p.Given() {
		f.terms = append(f.terms, field+"="+p.V)
	}
}

// withBool is with for a boolean.
func (f *filter) withBool(field string, p twin.Opt[bool]) {
	if p.Given() {
		f.terms = append(f.terms, field+"="+strconv.FormatBool(p.V))
	}
}

// within adds a range over an integer member.
func (f *filter) within(field string, p twin.Opt[twin.Range]) {
	if !p.Given() {
		return
	}
	next := f.keep
	f.keep = func(r *projection.Row) bool {
		raw, _ := canon.Get(r.Body, field)
		n, ok := canon.Int(raw)
		return ok && p.V.Has(n) && (next == nil || next(r))
	}
}

// has reports whether a row satisfies the filter. Rows of deleted objects carry
// no terms and are in no list.
func (f *filter) has(r *projection.Row) bool {
	for _, t := range f.terms {
		if !slices.Contains(r.Terms, t) {
			return false
		}
	}
	return f.keep == nil || f.keep(r)
}

// list answers one page of a table, newest first. noun is what the resource is
// called in a refusal of a cursor.
func list(tx *twin.Tx, kind twin.Kind, noun, url string, p page, f filter) (twin.Doc, *twin.Error) {
	st := tx.State()
	after, err := cursor(st, kind, noun, "starting_after", p.StartingAfter, f.among)
	if err != nil {
		return twin.Doc{}, err
	}
	before, err := cursor(st, kind, noun, "ending_before", p.EndingBefore, f.among)
	if err != nil {
		return twin.Doc{}, err
	}
	if after != 0 && before != 0 {
		return twin.Doc{}, errBothCursors()
	}
	if mutant.Is("page-repeats-last") && after != 0 {
		after++
	}
	limit := int(p.Limit.Or(pageDefault))
	rows := make([]canon.Raw, 0, limit+1)
	take := func(r *projection.Row) bool {
		switch {
		case !f.has(r):
		case f.show != nil:
			rows = append(rows, f.show(r))
		default:
			rows = append(rows, r.Body)
		}
		return len(rows) <= limit
	}
	switch {
	case before != 0 && len(f.terms) > 0:
		st.OldestWith(kind.Table, f.terms[0], before)(take)
	case before != 0:
		st.Oldest(kind.Table, before)(take)
	case len(f.terms) > 0:
		st.NewestWith(kind.Table, f.terms[0], after)(take)
	default:
		st.Newest(kind.Table, after)(take)
	}
	doc := pageDoc(rows, limit, before != 0, url)
	doc.Rows = kind.Object
	return doc, nil
}

// known refuses a filter that names an object there is none of; a deleted one
// still counts.
func known(tx *twin.Tx, kind twin.Kind, param string, id twin.Opt[string]) *twin.Error {
	if id.Given() && tx.State().Get(kind.Table, id.V) == nil {
		return errNoSuchRef(kind.Object, param, id.V)
	}
	return nil
}

// pageDoc makes a page of up to one row more than limit; backwards rows stand
// oldest first.
func pageDoc(rows []canon.Raw, limit int, backwards bool, url string) twin.Doc {
	more := len(rows) > limit
	if more {
		rows = rows[:limit]
	}
	if backwards {
		slices.Reverse(rows)
	}
	return listDoc(rows, more, url)
}

// cursor resolves a paging cursor to a creation order, 0 when it was not given. It has
// the term among, unless that is "".
func cursor(st *projection.State, kind twin.Kind, noun, param string, id twin.Opt[string], among string) (uint64, *twin.Error) {
	if !id.Given() {
		return 0, nil
	}
	row := st.Get(kind.Table, id.V)
	if row == nil || among != "" && !slices.Contains(row.Terms, among) {
		return 0, errNoSuchRef(noun, param, id.V)
	}
	return row.Ord, nil
}

// listDoc builds a list envelope around whole objects.
func listDoc(rows []canon.Raw, more bool, url string) twin.Doc {
	size := len(url) + 80
	for _, r := range rows {
		size += len(r) + 1
	}
	body := append(make([]byte, 0, size), `{"data":[`...)
	for i, r := range rows {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, r...)
	}
	body = append(body, `],"has_more":`...)
	if more {
		body = append(body, "true"...)
	} else {
		body = append(body, "false"...)
	}
	body = append(body, `,"object":"list","url":`...)
	body = append(canon.AppendString(body, url), '}')
	return twin.Doc{Body: body}
}
