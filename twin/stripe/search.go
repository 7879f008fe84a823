package stripe

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"worlds/journal/canon"
	"worlds/projection"
	"worlds/twin"
)

// searchable is a resource that can be searched, and by what.
type searchable struct {
	plural string
	table  string
	fields []searchField
}

// searchField is a member to search by: its name in a query, and where it is.
type searchField struct {
	name string
	path string // dotted; "" for the name itself
	kind fieldKind
}

// at is the value of the field in an object, nil where there is none. key is that
// of a metadata field.
func (f *searchField) at(body canon.Raw, key string) canon.Raw {
	path := f.path
	if path == "" {
		path = f.name
	}
	for _, seg := range strings.Split(path, ".") {
		if len(body) == 0 || body[0] != '{' {
			return nil
		}
		body, _ = canon.Get(body, seg)
	}
	if key == "" || len(body) == 0 || body[0] != '{' {
		return body
	}
	value, _ := canon.Get(body, key)
	return value
}

// searchables are the seven resources with a search, and the fields that Stripe
// names for each.
var searchables = [...]searchable{
	{"charges", charges.Table, []searchField{
		{name: "amount", kind: numbers}, {name: "billing_details.address.postal_code", kind: exacts}, {name: "created", kind: numbers},
		{name: "currency", kind: exacts}, {name: "customer", kind: exacts}, {name: "disputed", kind: exacts}, {name: "metadata"},
		{name: "payment_method_details.card.brand", kind: exacts}, {name: "payment_method_details.card.exp_month", kind: numbers},
		{name: "payment_method_details.card.exp_year", kind: numbers}, {name: "payment_method_details.card.fingerprint", kind: exacts},
		{name: "payment_method_details.card.last4", kind: exacts}, {name: "refunded", kind: exacts}, {name: "status", kind: exacts},
	}},
	{"customers", customers.Table, []searchField{
		{name: "created", kind: numbers}, {name: "email"}, {name: "metadata"}, {name: "name"}, {name: "phone"},
	}},
	{"invoices", invoices.Table, []searchField{
		{name: "created", kind: numbers}, {name: "currency", kind: exacts}, {name: "customer", kind: exacts},
		{name: "last_finalization_error_code", path: "last_finalization_error.code", kind: exacts},
		{name: "last_finalization_error_type", path: "last_finalization_error.type", kind: exacts}, {name: "metadata"},
		{name: "number"}, {name: "receipt_number"}, {name: "status"},
		{name: "subscription", path: "parent.subscription_details.subscription"}, {name: "total", kind: numbers},
	}},
	{"payment_intents", paymentIntents.Table, []searchField{
		{name: "amount", kind: numbers}, {name: "created", kind: numbers}, {name: "currency", kind: exacts},
		{name: "customer", kind: exacts}, {name: "metadata"}, {name: "status", kind: exacts},
	}},
	{"prices", prices.Table, []searchField{
		{name: "active", kind: exacts}, {name: "currency", kind: exacts}, {name: "lookup_key"}, {name: "metadata"},
		{name: "product"}, {name: "type", kind: exacts},
	}},
	{"products", products.Table, []searchField{
		{name: "active", kind: exacts}, {name: "description"}, {name: "metadata"}, {name: "name"},
		{name: "shippable", kind: exacts}, {name: "url"},
	}},
	{"subscriptions", subscriptions.Table, []searchField{
		{name: "canceled_at", kind: numbers}, {name: "created", kind: numbers}, {name: "metadata"}, {name: "status", kind: exacts},
	}},
}

func searchAPI() twin.API {
	var api twin.API
	for _, s := range searchables {
		api.Routes = append(api.Routes, twin.On("GET "+s.url(), s.search))
	}
	return api
}

func (s *searchable) url() string { return "/v1/" + s.plural + "/search" }

func (s *searchable) field(name string) *searchField {
	for i := range s.fields {
		if s.fields[i].name == name {
			return &s.fields[i]
		}
	}
	return nil
}

type searchParams struct {
	Limit twin.Opt[int64]  `param:"limit" rule:"min=1,max=100"`
	Page  twin.Opt[string] `param:"page"`
	Query twin.Opt[string] `param:"query" rule:"required"`
}

// search answers one page of what satisfies a query, newest first. What was just
// written is found at once.
func (s *searchable) search(tx *twin.Tx, p *searchParams) (twin.Doc, *twin.Error) {
	q, err := s.parse(p.Query.V)
	if err != nil {
		return twin.Doc{}, unstored(err)
	}
	after, ok := s.position(p.Query.V, p.Page)
	if !ok {
		return twin.Doc{}, errSearchPage(p.Page.V)
	}
	found := func(row *projection.Row) bool {
		if !q.matches(row.Body, s.field) {
			return false
		}
		_, deleted := canon.Get(row.Body, "deleted")
		return !deleted
	}
	limit := int(p.Limit.Or(pageDefault))
	var rows []canon.Raw
	var last uint64
	more := false
	for row := range tx.State().Newest(s.table, after) {
		if !found(row) {
			continue
		}
		if more = len(rows) == limit; more {
			break
		}
		rows, last = append(rows, row.Body), row.Ord
	}
	next := canon.Raw("null")
	if more {
		next = canon.AppendString(nil, s.token(p.Query.V, last))
	}
	total := int64(-1)
	if tx.Include("total_count") {
		total = 0
		for row := range tx.State().Oldest(s.table, 0) {
			if found(row) {
				total++
			}
		}
	}
	return twin.Doc{Body: s.result(rows, more, next, total)}, nil
}

// result builds the envelope; a total below 0 is not shown.
func (s *searchable) result(rows []canon.Raw, more bool, next canon.Raw, total int64) canon.Raw {
	out := []byte(`{"data":[`)
	for i, row := range rows {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, row...)
	}
	out = strconv.AppendBool(append(out, `],"has_more":`...), more)
	out = append(append(out, `,"next_page":`...), next...)
	out = append(out, `,"object":"search_result"`...)
	if total >= 0 {
		out = canon.AppendInt(append(out, `,"total_count":`...), total)
	}
	out = canon.AppendString(append(out, `,"url":`...), s.url())
	return append(out, '}')
}

// parse reads a query and refuses what this resource cannot be searched by.
func (s *searchable) parse(text string) (query, *twin.Error) {
	q, ok := parseQuery(text)
	if !ok {
		return q, errQuery()
	}
	if len(q.clauses) > queryClausesMax {
		return q, errQueryLong(queryClausesMax)
	}
	for i := range q.clauses {
		c := &q.clauses[i]
		f := s.field(c.field)
		if f == nil {
			return q, errQueryField(c.field, s.plural)
		}
		if err := c.fits(f); err != nil {
			return q, err
		}
	}
	return q, nil
}

// fits refuses an operator or a value that is not for the field.
func (c *clause) fits(f *searchField) *twin.Error {
	_, err := strconv.ParseInt(c.value, 10, 64)
	switch {
	case c.null && c.op != ":":
		return errQueryOperator(c.op, c.field)
	case c.null:
		return nil
	case f.kind == numbers && c.op == "~", f.kind != numbers && c.op != ":" && c.op != "~", f.kind == exacts && c.op == "~":
		return errQueryOperator(c.op, c.field)
	case f.kind == numbers && err != nil:
		return errQueryNumber(c.value, c.field)
	case f.kind != numbers && !c.quoted && (f.kind != exacts || err != nil): // the digits of a card may stand bare
		return errQuery()
	case c.op == "~" && len([]rune(c.value)) < containsMin:
		return errQueryShort(containsMin)
	}
	return nil
}

// tokenCheck is how many hexadecimal digits of a page token tie it to its query.
const tokenCheck = 12

// token names the page behind the row with creation order ord.
func (s *searchable) token(query string, ord uint64) string {
	sum := sha256.Sum256([]byte(s.plural + " " + query))
	return hex.EncodeToString(sum[:tokenCheck/2]) + fmt.Sprintf("%x", ord)
}

// position is where a page begins, 0 for the first; ok is false for a token that
// is not of this query.
func (s *searchable) position(query string, page twin.Opt[string]) (after uint64, ok bool) {
	if !page.Given() {
		return 0, true
	}
	if len(page.V) <= tokenCheck {
		return 0, false
	}
	after, err := strconv.ParseUint(page.V[tokenCheck:], 16, 64)
	return after, err == nil && after > 0 && s.token(query, after) == page.V
}
