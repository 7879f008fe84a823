package dst

import (
	"strconv"
	"strings"

	"worlds/journal/canon"
	"worlds/twin"
)

// Small alphabets, so that values collide.
var (
	moneys = []string{"1", "49", "50", "100", "999", "1000", "2000", "99999999"}
	words  = []string{"one", "two", "Zoë Müller", "山田 花子", "a\"b\\c", "<b>&amp;", "👩‍🚀", "blank  inside"}
	edges  = map[twin.ParamType][]string{
		twin.TextParam:    {"", " ", "0", "null", strings.Repeat("x", 5000), strings.Repeat("é", 2501), "a\x00b", "\u202eabc", "-1", "9007199254740993"},
		twin.IntegerParam: {"0", "-1", "9007199254740991", "9007199254740992", "99999999999999999999", "1.0", "1e3", "0x10", " 1", ""},
		twin.BooleanParam: {"TRUE", "1", "yes", "", "null"},
		twin.DecimalParam: {"0", "-0", "100.0001", ".5", "1e2", "", "99999999999999999999.9"},
	}
)

// text is some text with the space's mark in it.
func (e *errand) text() string { return pick(e.g.rand, words[:]) + " " + e.s.mark }

func (e *errand) email() string {
	return pick(e.g.rand, []string{"ada", "bo", "cy"}) + "." + e.s.mark + "@desk.example"
}

// param is a sound value for a parameter of a table, as form pairs.
func (e *errand) param(p twin.Param, path string) []pair {
	one := func(v string) []pair { return []pair{{Name: path, Value: v}} }
	switch p.Type {
	case twin.ObjectParam:
		return e.fields(p.Fields, path)
	case twin.ListParam:
		if p.Elem == twin.ObjectParam {
			return e.fields(p.Fields, path+"[0]")
		}
		return []pair{{Name: path + "[0]", Value: e.scalar(p.Name, p.Elem, p)}}
	case twin.MapParam:
		return []pair{{Name: path + "[k]", Value: e.text()}}
	case twin.RangeParam:
		return []pair{{Name: path + "[" + pick(e.g.rand, []string{"gt", "gte", "lt", "lte"}) + "]", Value: strconv.FormatInt(e.st.Now()-1000, 10)}}
	case twin.AnyParam:
		return one("1")
	}
	if p.Unset && e.g.rand.Of(100) {
		return one("")
	}
	return one(e.scalar(p.Name, p.Type, p))
}

func (e *errand) fields(list []twin.Param, path string) []pair {
	var out []pair
	for _, f := range list {
		if f.Required || e.g.rand.Of(300) {
			out = append(out, e.param(f, path+"["+f.Name+"]")...)
		}
	}
	return out
}

// scalar is a sound value by the name and the type of a parameter.
func (e *errand) scalar(name string, typ twin.ParamType, p twin.Param) string {
	if p.Enum != nil {
		return pick(e.g.rand, p.Enum)
	}
	if name == "url" && strings.Contains(e.op.Route, "webhook_endpoints") {
		return e.word("hook") // what goes elsewhere, nobody here could tell of
	}
	if known := plainWords[name]; known != nil {
		return pick(e.g.rand, known)
	}
	switch typ {
	case twin.IntegerParam:
		return e.integer(name, p)
	case twin.BooleanParam:
		return pick(e.g.rand, []string{"true", "false"})
	case twin.DecimalParam:
		return pick(e.g.rand, []string{"0", "12.5", "1000"})
	}
	if table := references[name]; table != "" {
		if id := e.some(table, ""); id != "" {
			return id
		}
		return gone
	}
	switch name {
	case "starting_after", "ending_before":
		segs := strings.Split(e.op.Path, "/")
		if id := e.some(segs[len(segs)-1], ""); id != "" {
			return id
		}
		return gone
	case "email", "receipt_email":
		return e.email()
	case "id", "code", "lookup_key":
		return "own" + strconv.Itoa(e.g.rand.N(6))
	}
	return e.text()
}

func (e *errand) integer(name string, p twin.Param) string {
	switch {
	case references[name] != "":
		if id := e.some(references[name], ""); id != "" {
			return id
		}
		return gone
	case strings.HasSuffix(name, "_at"), strings.HasSuffix(name, "_end"), strings.HasSuffix(name, "_date"), strings.HasSuffix(name, "_by"), name == "billing_cycle_anchor":
		return strconv.FormatInt(e.st.Now()+int64(e.g.rand.N(50))*86400, 10)
	}
	n := int64(1 + e.g.rand.N(100))
	if p.HasMin {
		n = max(n, p.Min)
	}
	if p.HasMax {
		n = min(n, p.Max)
	}
	return strconv.FormatInt(n, 10)
}

// references is where the object of a parameter is, by the parameter's name.
var references = map[string]string{
	"coupon": "coupons", "customer": "customers", "invoice": "invoices", "price": "prices", "default_price": "prices",
	"product": "products", "subscription": "subscriptions", "charge": "charges", "payment_intent": "payment_intents",
	"promotion_code": "promotion_codes", "test_clock": "test_clocks", "subscription_item": "subscription_items",
	"group_id": "groups", "organization_id": "organizations", "user_id": "users", "requester_id": "users",
	"assignee_id": "users", "author_id": "users", "submitter_id": "users", "default_group_id": "groups", "problem_id": "tickets",
}

// plainWords are values for parameters that need no world.
var plainWords = map[string][]string{
	"currency": {"usd", "usd", "usd", "eur", "jpy"}, "payment_method": {"pm_card_visa", "pm_card_mastercard", "pm_card_chargeDeclined"},
	"default_payment_method": {"pm_card_visa"}, "source": {"tok_visa", "tok_mastercard"}, "token": {"tok_visa"},
	"enabled_events": {"*", "invoice.paid"}, "type": {"card"}, "number": {"4242424242424242", "4000000000000002"}, "exp_month": {"12"},
	"exp_year": {"2040"}, "cvc": {"123"}, "country": {"US", "DE"}, "api_version": {"2026-08-26.dahlia", "2024-06-20"},
	"page": {"1", "2"}, "per_page": {"1", "2", "100"}, "types": {"invoice.paid"}, "return_url": {"https://example.com/back"},
	"images": {"https://example.com/a.png"}, "limit": {"1", "2", "10", "100"}, "include": {"users", "groups", "organizations"},
	"sort_by": {"created_at", "updated_at", "id"}, "sort_order": {"asc", "desc"}, "query": {"created>0"}, "url": {"https://example.com/a"},
}

// json writes the body of a sound request to the help desk.
func (e *errand) json(aim string) {
	list := bodies[e.op.Route]
	if list == nil || aim == aimMissing {
		if list != nil {
			e.op.Body = "{}"
		}
		return
	}
	e.op.Body = e.fillJSON(e.g.recipe(list))
}

// breakIt breaks a sound request as it was aimed.
func (e *errand) breakIt(aim string) {
	add := func(name, value string) { e.op.Params = append(e.op.Params, pair{Name: name, Value: value}) }
	switch aim {
	case aimUnknown:
		add("nonsense", "1")
	case aimExpand:
		add("expand[]", pick(e.g.rand, []string{"nonsense", "customer.customer", "data.customer", "id"}))
	case aimVersion:
		e.op.Version = pick(e.g.rand, []string{"2031-01-01", "x", "2011-01-01"})
	case aimKey:
		e.op.Key = "revoked"
	case aimReuse:
		e.op.Idem = "key-shared-" + strconv.Itoa(e.g.rand.N(2))
	case aimNoRoute:
		e.op.Path += "/nonsense"
		e.op.Route = e.op.Method + " (none)"
	case aimMistyped, aimNoRef, aimEdge:
		e.spoil(aim)
	}
}

// spoil gives one parameter of the table a value that it cannot have.
func (e *errand) spoil(aim string) {
	var can []twin.Param
	for _, p := range e.route.Table() {
		switch {
		case aim == aimNoRef && references[p.Name] == "", aim == aimMistyped && p.Type == twin.TextParam && p.Enum == nil:
		case p.Type == twin.AnyParam:
		default:
			can = append(can, p)
		}
	}
	if len(can) == 0 || e.op.API == apiZendesk && e.op.Method != "GET" {
		if aim == aimMistyped {
			e.op.Body = pick(e.g.rand, []string{"[", `{"ticket":1}`, `[]`, `{"ticket":{"comment":7}}`, "\x01", `{"a":1.5}`, `{"a":1,"a":2}`})
		}
		return
	}
	p := pick(e.g.rand, can)
	kept := e.op.Params[:0]
	for _, q := range e.op.Params {
		if outermost(q.Name) != p.Name {
			kept = append(kept, q)
		}
	}
	value := "nonsense"
	switch {
	case aim == aimNoRef:
		value = gone
	case aim == aimEdge && edges[p.Type] != nil:
		value = pick(e.g.rand, edges[p.Type])
	}
	e.op.Params = append(kept, pair{Name: p.Name, Value: value})
}

// jsonText is a text as JSON writes it, without the quotes.
func jsonText(s string) string {
	quoted := canon.AppendString(nil, s)
	return string(quoted[1 : len(quoted)-1])
}
