package zendesk

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"worlds/journal/canon"
	"worlds/projection"
	"worlds/twin"
)

// Limits of lists.
const (
	pageMax  = 100   // records of one page
	depthMax = 10000 // records that offset pagination reaches
)

// paging is what every list route takes. A page[size] asks for cursors, anything
// else for offsets.
type paging struct {
	Page      twin.Opt[pageParam] `param:"page"`
	PerPage   twin.Opt[int64]     `param:"per_page"`
	Sort      twin.Opt[string]    `param:"sort"`
	SortBy    twin.Opt[string]    `param:"sort_by"`
	SortOrder twin.Opt[string]    `param:"sort_order"`
}

// pageParam is the number of a page, or the size and the cursors of one.
type pageParam struct {
	Size   twin.Opt[int64]  `param:"size"`
	After  twin.Opt[string] `param:"after" rule:"empty"`
	Before twin.Opt[string] `param:"before" rule:"empty"`
	Eq     twin.Opt[int64]  `param:"-"`
}

func (p *paging) cursors() bool {
	v := p.Page.V
	return v.Size.Given() || v.After.Sent() || v.Before.Sent()
}

// offsetOnly refuses cursors where a list has none.
func (p *paging) offsetOnly() *twin.Error {
	if p.cursors() {
		return errAttribute("page", "must be an integer")
	}
	return nil
}

// item is one record of a listing.
type item struct {
	id   int64
	body canon.Raw
	sort string
}

// listing is what a list route pages through.
type listing struct {
	name  string // the member that holds the records
	items []item // by id
	// sorts are the members that cursors may sort by, beside id.
	sorts []string
	// most is how many records a page with cursors has at most, pageMax if it is 0.
	most int64
	// descending is the order when the request names none.
	descending bool
	// aside, if not nil, adds members made from the records shown.
	aside func(shown []canon.Raw) []part
	// dress, if not nil, is how a record is shown.
	dress func(canon.Raw) canon.Raw
}

// rowsWith gathers the records of a table that carry a term ("" for all) and that
// keep, if not nil, keeps.
func rowsWith(st *projection.State, table, term string, keep func(*projection.Row) bool) []item {
	rows := st.Oldest(table, 0)
	if term != "" {
		rows = st.OldestWith(table, term, 0)
	}
	var out []item
	for row := range rows {
		if keep == nil || keep(row) {
			id, _ := strconv.ParseInt(row.ID, 10, 64)
			out = append(out, item{id: id, body: row.Body})
		}
	}
	slices.SortFunc(out, func(a, b item) int { return cmp.Compare(a.id, b.id) })
	return out
}

// answer shows the page that the request asks for.
func (l *listing) answer(tx *twin.Tx, p *paging) (twin.Doc, *twin.Error) {
	if p.cursors() {
		return l.byCursor(tx, p)
	}
	return l.byOffset(tx, p)
}

// offset reads the number and the size of a page. What is out of bounds is not
// looked at, as in Zendesk, and the reply says so.
func (p *paging) offset(tx *twin.Tx) (page, size int64, err *twin.Error) {
	if page = p.Page.V.Eq.Or(1); page < 1 {
		tx.Ignore("page")
		page = 1
	}
	size = bounded(tx, "per_page", p.PerPage.Or(pageMax), pageMax)
	if page > depthMax/size {
		return 0, 0, errDepth()
	}
	return page, size, nil
}

// bounded is the size of a page; one out of bounds is the largest, and the reply
// says that it was not looked at.
func bounded(tx *twin.Tx, name string, size, most int64) int64 {
	if size >= 1 && size <= most {
		return size
	}
	tx.Ignore(name)
	return most
}

// sortWords are what offset pagination sorts by.
var sortWords = [...]string{"id", "created_at", "updated_at", "status", "priority", "subject", "ticket_type", "assignee",
	"group", "requester", "organization", "name", "email"}

// sortBy is the member to sort by, and whether the order is turned round. Words it
// does not know are not looked at, and the reply says so.
func (p *paging) sortBy(tx *twin.Tx, usual bool) (by string, down bool) {
	if by = p.SortBy.Or("id"); !slices.Contains(sortWords[:], by) {
		tx.Ignore("sort_by")
		by = "id"
	}
	if o := p.SortOrder; o.Given() && o.V != "asc" && o.V != "desc" {
		tx.Ignore("sort_order")
	}
	return by, p.SortOrder.V == "desc" || !p.SortBy.Given() && !p.SortOrder.Given() && usual
}

func (l *listing) byOffset(tx *twin.Tx, p *paging) (twin.Doc, *twin.Error) {
	page, size, err := p.offset(tx)
	if err != nil {
		return twin.Doc{}, err
	}
	by, down := p.sortBy(tx, l.descending)
	l.order(by, down)
	count := int64(len(l.items))
	from, to := min((page-1)*size, count), min(page*size, count)
	parts := []part{{"count", number(count)}, {"next_page", nil}, {"previous_page", nil}}
	if to < count {
		parts[1].value = text(pageLink(tx, []string{"page"}, "page="+strconv.FormatInt(page+1, 10)))
	}
	if page > 1 {
		parts[2].value = text(pageLink(tx, []string{"page"}, "page="+strconv.FormatInt(page-1, 10)))
	}
	return l.doc(l.items[from:to], parts), nil
}

func (l *listing) byCursor(tx *twin.Tx, p *paging) (twin.Doc, *twin.Error) {
	by, down := p.Sort.Or("id"), l.descending && !p.Sort.Given()
	if rest, ok := strings.CutPrefix(by, "-"); ok {
		by, down = rest, true
	}
	if by != "id" && !slices.Contains(l.sorts, by) {
		return twin.Doc{}, errPage(fmt.Sprintf("sort is not valid: %s", by))
	}
	if p.SortBy.Given() || p.SortOrder.Given() { // offset's words, which cursors do not know
		tx.Ignore("sort_by", "sort_order")
	}
	size := bounded(tx, "page[size]", p.Page.V.Size.Or(pageMax), max(l.most, pageMax))
	l.order(by, down)
	from, to := 0, len(l.items)
	if c := p.Page.V.After; c.Given() {
		at, err := l.find(c.V, by, down)
		if err != nil {
			return twin.Doc{}, err
		}
		if from = at; from < to && l.token(from, by) == c.V {
			from++
		}
	}
	backward := p.Page.V.Before.Given()
	if backward {
		at, err := l.find(p.Page.V.Before.V, by, down)
		if err != nil {
			return twin.Doc{}, err
		}
		to = at
		from = max(from, to-int(size))
	}
	to = min(to, from+int(size))
	return l.doc(l.items[from:to], l.cursorParts(tx, from, to, by, backward)), nil
}

// cursorParts are the links and cursors around a page.
func (l *listing) cursorParts(tx *twin.Tx, from, to int, by string, backward bool) []part {
	more, before := to < len(l.items), from > 0
	after, first := canon.Raw(nil), canon.Raw(nil)
	var next, prev canon.Raw
	if from < to {
		after, first = text(l.token(to-1, by)), text(l.token(from, by))
		if more {
			next = text(pageLink(tx, pageParams, "page%5Bafter%5D="+l.token(to-1, by), sizeOf(tx)))
		}
		if before {
			prev = text(pageLink(tx, pageParams, "page%5Bbefore%5D="+l.token(from, by), sizeOf(tx)))
		}
	}
	if backward {
		more = before
	}
	return []part{
		{"links", object(part{"next", next}, part{"prev", prev})},
		{"meta", object(part{"after_cursor", after}, part{"before_cursor", first}, part{"has_more", canon.Raw(strconv.FormatBool(more))})},
	}
}

// doc shows some records with what else the answer holds.
func (l *listing) doc(items []item, parts []part) twin.Doc {
	shown := make([]canon.Raw, len(items))
	for i, it := range items {
		shown[i] = it.body
		if l.dress != nil {
			shown[i] = l.dress(it.body)
		}
	}
	parts = append(parts, part{l.name, array(shown)})
	if l.aside != nil {
		parts = append(parts, l.aside(shown)...)
	}
	return twin.Doc{Body: object(parts...)}
}

// order sorts the records by a member, then by id.
func (l *listing) order(by string, down bool) {
	if by == "id" && !down {
		return
	}
	for i := range l.items {
		l.items[i].sort = sortKey(l.items[i].body, by)
	}
	slices.SortStableFunc(l.items, func(a, b item) int { return compare(a, b, down) })
}

func compare(a, b item, down bool) int {
	c := cmp.Or(cmp.Compare(a.sort, b.sort), cmp.Compare(a.id, b.id))
	if down {
		return -c
	}
	return c
}

// ranks order the words that have an order of their own, lowest first.
var ranks = [...]string{"low", "normal", "high", "urgent", "new", "open", "pending", "hold", "solved", "closed"}

// sortKey is a member as a text that sorts as the member does.
func sortKey(body canon.Raw, by string) string {
	switch by {
	case "id":
		return ""
	case "assignee", "group", "requester", "organization":
		by += "_id"
	case "ticket_type":
		by = "type"
	}
	raw, _ := canon.Get(body, by)
	if n, ok := canon.Int(raw); ok {
		return fmt.Sprintf("%020d", n)
	}
	s, _ := canon.Unquote(raw)
	if by == "status" || by == "priority" {
		return fmt.Sprintf("%02d", slices.Index(ranks[:], s)+1)
	}
	return strings.ToLower(s)
}

// token is the cursor of the record at i.
func (l *listing) token(i int, by string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(by + "\n" + l.items[i].sort + "\n" + key(l.items[i].id)))
}

// find is where the record of a cursor stands, or stood.
func (l *listing) find(token, by string, down bool) (int, *twin.Error) {
	plain, err := base64.RawURLEncoding.DecodeString(token)
	fields := strings.Split(string(plain), "\n")
	if err != nil || len(fields) != 3 || fields[0] != by {
		return 0, errPage("page[after] or page[before] is no cursor of this list")
	}
	id, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil {
		return 0, errPage("page[after] or page[before] is no cursor of this list")
	}
	want := item{id: id, sort: fields[1]}
	at, _ := slices.BinarySearchFunc(l.items, want, func(a, b item) int { return compare(a, b, down) })
	return at, nil
}

// pageParams are the parameters that a link to another page replaces.
var pageParams = []string{"page[after]", "page[before]", "page[size]"}

// sizeOf repeats the size of the page as it was asked for.
func sizeOf(tx *twin.Tx) string {
	_, query := tx.Target()
	for pair := range strings.SplitSeq(query, "&") {
		if name, value, _ := strings.Cut(pair, "="); plainName(name) == "page[size]" {
			return "page%5Bsize%5D=" + value
		}
	}
	return ""
}

// plainName takes the escapes of brackets out of a parameter's name.
func plainName(name string) string {
	return strings.NewReplacer("%5B", "[", "%5b", "[", "%5D", "]", "%5d", "]").Replace(name)
}

// pageLink is the address of the request with some parameters replaced.
func pageLink(tx *twin.Tx, drop []string, add ...string) string {
	path, query := tx.Target()
	pairs := make([]string, 0, 4)
	for pair := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(pair, "=")
		if pair != "" && !slices.Contains(drop, plainName(name)) {
			pairs = append(pairs, pair)
		}
	}
	for _, pair := range add {
		if pair != "" {
			pairs = append(pairs, pair)
		}
	}
	return twin.Origin + path + "?" + strings.Join(pairs, "&")
}
