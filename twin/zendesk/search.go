package zendesk

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"worlds/journal/canon"
	"worlds/journal/mutant"
	"worlds/projection"
	"worlds/twin"
)

// searchMax is how many results offset pagination of a search reaches.
const searchMax = 1000

func searchAPI() twin.API {
	return twin.API{
		Routes: []twin.Route{
			twin.On("GET /api/v2/search", searchAll),
			twin.On("GET /api/v2/search/count", searchCount),
			twin.On("GET /api/v2/search/export", searchExport),
		},
	}
}

// search finds records in a state.
type search struct {
	tx *twin.Tx
	me *User
}

func newSearch(tx *twin.Tx) *search { return &search{tx: tx, me: caller(tx)} }

// results gathers what a query finds, each record with its result_type.
func (s *search) results(q *query) []item {
	var out []item
	add := func(kind, table string, found func(*projection.Row) bool) {
		if len(q.types) > 0 && !slices.Contains(q.types, kind) {
			return
		}
		for _, it := range rowsWith(s.tx.State(), table, "live=true", found) {
			it.body = withType(it.body, kind)
			out = append(out, it)
		}
	}
	add("ticket", tickets.Table, func(row *projection.Row) bool { return s.ticket(q, tickets.Decode(row)) })
	add("user", users.Table, func(row *projection.Row) bool { return s.user(q, users.Decode(row)) })
	add("organization", organizations.Table, func(row *projection.Row) bool { return s.organization(q, organizations.Decode(row)) })
	add("group", groups.Table, func(row *projection.Row) bool { return s.group(q, groups.Decode(row)) })
	return out
}

func withType(body canon.Raw, kind string) canon.Raw {
	parts := []part{{"result_type", text(kind)}}
	for name, value := range canon.Members(body) {
		parts = append(parts, part{name, value})
	}
	return object(parts...)
}

type searchParams struct {
	paging
	Query twin.Opt[string] `param:"query" rule:"required"`
}

func searchAll(tx *twin.Tx, p *searchParams) (twin.Doc, *twin.Error) {
	if err := p.offsetOnly(); err != nil {
		return twin.Doc{}, err
	}
	q, err := parseQuery(p.Query.V)
	if err != nil {
		return twin.Doc{}, err
	}
	page, size, err := p.offset(tx)
	if err != nil {
		return twin.Doc{}, err
	}
	if (page-1)*size >= searchMax {
		return twin.Doc{}, fail(422, plainError{Error: "invalid", Description: "Invalid search: Requested response size was greater than Search Response Limits"})
	}
	l := &listing{name: "results", items: newSearch(tx).results(q), descending: true}
	l.aside = func([]canon.Raw) []part { return []part{{"facets", nil}} }
	by, down := p.SortBy.Or(q.sortBy), !strings.EqualFold(p.SortOrder.Or(q.sortOrder), "asc")
	if mutant.Is("search-turned-round") {
		down = !down
	}
	if !slices.Contains([]string{"created_at", "updated_at", "priority", "status", "ticket_type"}, by) {
		if p.SortBy.Given() && by != "relevance" {
			tx.Ignore("sort_by")
		}
		by = "updated_at" // what relevance comes to in an index of equals
	}
	l.order(by, down)
	p.SortBy, p.SortOrder = twin.Opt[string]{}, twin.Set("asc") // it is in order
	return l.answer(tx, &p.paging)
}

func searchCount(tx *twin.Tx, p *searchParams) (twin.Doc, *twin.Error) {
	q, err := parseQuery(p.Query.V)
	if err != nil {
		return twin.Doc{}, err
	}
	return twin.Doc{Body: object(part{"count", number(int64(len(newSearch(tx).results(q))))})}, nil
}

type searchExportParams struct {
	paging
	Filter twin.Opt[filterParams] `param:"filter"`
	Query  twin.Opt[string]       `param:"query" rule:"required"`
}

type filterParams struct {
	Type twin.Opt[string] `param:"type" rule:"enum=ticket|user|organization|group"`
}

// searchExport pages with cursors, through one kind of records, oldest first.
func searchExport(tx *twin.Tx, p *searchExportParams) (twin.Doc, *twin.Error) {
	if !p.Filter.V.Type.Given() {
		return twin.Doc{}, errAttribute("filter[type]", "is missing")
	}
	q, err := parseQuery(p.Query.V)
	if err != nil {
		return twin.Doc{}, err
	}
	q.types = []string{p.Filter.V.Type.V}
	l := &listing{name: "results", items: newSearch(tx).results(q), most: exportMax}
	l.aside = func([]canon.Raw) []part { return []part{{"facets", nil}} }
	return l.byCursor(tx, &p.paging)
}

func (s *search) ticket(q *query, t *Ticket) bool {
	return q.holds(func(f *clause) bool {
		switch f.key {
		case "":
			return s.ticketSays(t, f)
		case "status":
			return f.rank(t.Status, "new", "open", "pending", "hold", "solved", "closed")
		case "priority":
			return f.rank(orZero(t.Priority), "low", "normal", "high", "urgent")
		case "ticket_type":
			return f.is(orZero(t.Type))
		case "subject":
			return f.within(t.Subject)
		case "description":
			return f.within(t.Description)
		case "tags":
			return f.oneOf(t.Tags)
		case "external_id":
			return f.is(orZero(t.ExternalID))
		case "via":
			return f.is(t.Via.Channel)
		case "requester":
			return s.person(f, t.RequesterID)
		case "submitter":
			return s.person(f, t.SubmitterID)
		case "assignee":
			return s.person(f, orZero(t.AssigneeID))
		case "cc":
			return slices.ContainsFunc(t.copied(), func(id int64) bool { return s.person(f, id) })
		case "commenter":
			return slices.ContainsFunc(commentsOf(s.tx, t.ID), func(it item) bool { return s.person(f, authorOf(it)) })
		case "organization":
			return s.named(f, orZero(t.OrganizationID), s.organizationName(orZero(t.OrganizationID)))
		case "group":
			return s.named(f, orZero(t.GroupID), s.groupName(orZero(t.GroupID)))
		case "created":
			return f.day(t.CreatedAt)
		case "updated":
			return f.day(t.UpdatedAt)
		case "solved":
			at := lifeOf(s.tx, t.ID).SolvedAt
			return at != nil && f.day(*at)
		case "due_date":
			return t.DueAt != nil && f.day(*t.DueAt)
		}
		if id, ok := strings.CutPrefix(f.key, "custom_field_"); ok {
			return f.custom(t, id)
		}
		return false
	})
}

func authorOf(it item) int64 {
	raw, _ := canon.Get(it.body, "author_id")
	id, _ := canon.Int(raw)
	return id
}

// ticketSays looks for words in what a ticket says, comments and tags included.
func (s *search) ticketSays(t *Ticket, f *clause) bool {
	if f.within(t.Subject) || f.within(t.Description) || f.is(key(t.ID)) || f.oneOf(t.Tags) {
		return true
	}
	return slices.ContainsFunc(commentsOf(s.tx, t.ID), func(it item) bool {
		raw, _ := canon.Get(it.body, "body")
		body, _ := canon.Unquote(raw)
		return f.within(body)
	})
}

func (f *clause) custom(t *Ticket, id string) bool {
	i := slices.IndexFunc(t.CustomFields, func(v fieldValue) bool { return key(v.ID) == id })
	if i < 0 || isNothing(fieldText(t.CustomFields[i].Value)) {
		return f.value == "none"
	}
	v := fieldText(t.CustomFields[i].Value)
	if s, ok := canon.Unquote(v); ok {
		return f.value == "*" || f.is(s)
	}
	for e := range canon.Elements(v) {
		if s, _ := canon.Unquote(e); f.is(s) {
			return true
		}
	}
	return false
}

// person matches who somebody is: me, none, an id, an address or a name.
func (s *search) person(f *clause, id int64) bool {
	switch f.value {
	case "none":
		return id == 0
	case "me":
		return id == s.me.ID
	}
	u, ok := users.Get(s.tx, key(id))
	return ok && (f.is(key(id)) || f.is(lower(orZero(u.Email))) || f.within(u.Name))
}

// named matches a record by id or name.
func (s *search) named(f *clause, id int64, name string) bool {
	if f.value == "none" {
		return id == 0
	}
	return id != 0 && (f.is(key(id)) || f.within(name))
}

func (s *search) organizationName(id int64) string {
	if o, ok := organizations.Get(s.tx, key(id)); ok {
		return o.Name
	}
	return ""
}

func (s *search) groupName(id int64) string {
	if g, ok := groups.Get(s.tx, key(id)); ok {
		return g.Name
	}
	return ""
}

func (s *search) user(q *query, u *User) bool {
	return q.holds(func(f *clause) bool {
		switch f.key {
		case "":
			return f.within(u.Name) || f.within(orZero(u.Email)) || f.within(orZero(u.Notes)) || f.is(key(u.ID)) || f.is(orZero(u.Phone)) || f.oneOf(u.Tags)
		case "name":
			return f.within(u.Name)
		case "email":
			return f.is(lower(orZero(u.Email)))
		case "role":
			return f.is(u.Role)
		case "is_suspended":
			return f.value == strconv.FormatBool(u.Suspended)
		case "is_verified":
			return f.value == strconv.FormatBool(u.Verified)
		case "phone":
			return f.is(orZero(u.Phone))
		case "external_id":
			return f.is(orZero(u.ExternalID))
		case "tags":
			return f.oneOf(u.Tags)
		case "notes":
			return f.within(orZero(u.Notes))
		case "details":
			return f.within(orZero(u.Details))
		case "organization":
			return s.named(f, orZero(u.OrganizationID), s.organizationName(orZero(u.OrganizationID)))
		case "group":
			return slices.ContainsFunc(collect(groupMemberships.With(s.tx, "user="+key(u.ID))), func(m *GroupMembership) bool {
				return s.named(f, m.GroupID, s.groupName(m.GroupID))
			})
		case "created":
			return f.day(u.CreatedAt)
		case "updated":
			return f.day(u.UpdatedAt)
		}
		return false
	})
}

func (s *search) organization(q *query, o *Organization) bool {
	return q.holds(func(f *clause) bool {
		switch f.key {
		case "":
			return f.within(o.Name) || f.within(orZero(o.Notes)) || f.within(orZero(o.Details)) || f.is(key(o.ID)) || f.oneOf(o.Tags)
		case "name":
			return f.within(o.Name)
		case "external_id":
			return f.is(orZero(o.ExternalID))
		case "tags":
			return f.oneOf(o.Tags)
		case "notes":
			return f.within(orZero(o.Notes))
		case "details":
			return f.within(orZero(o.Details))
		case "created":
			return f.day(o.CreatedAt)
		case "updated":
			return f.day(o.UpdatedAt)
		}
		return false
	})
}

func (s *search) group(q *query, g *Group) bool {
	return q.holds(func(f *clause) bool {
		switch f.key {
		case "", "name":
			return f.within(g.Name)
		case "created":
			return f.day(g.CreatedAt)
		case "updated":
			return f.day(g.UpdatedAt)
		}
		return false
	})
}

// rank compares words that have an order.
func (f *clause) rank(value string, words ...string) bool {
	if f.op == ":" {
		return f.is(value) || f.value == "none" && value == ""
	}
	have, want := slices.Index(words, value), slices.Index(words, f.value)
	return have >= 0 && want >= 0 && f.compare(cmp.Compare(have, want))
}
