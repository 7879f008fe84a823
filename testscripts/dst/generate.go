package dst

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"worlds/journal/canon"
	"worlds/projection"
	"worlds/twin"
)

// generator makes operations for the spaces of a run. What it draws depends on the
// run's seed and on what the spaces hold.
type generator struct {
	rand *Rand
	luck swarm
	n    int // of the last operation
	used map[int][]Op
	keep bool   // to what the models know
	skip func() // hears of every request that was drawn and left out
	// plain leaves out what may fail: the first of the recipes, a sum that anything
	// costs, and only objects that suit.
	plain   bool
	courses map[int]*course // that the spaces are in
}

// The ways to break a request on purpose.
const (
	aimSound    = "sound"
	aimUnknown  = "unknown parameter"
	aimMistyped = "mistyped parameter"
	aimMissing  = "missing parameter"
	aimGone     = "no such object"
	aimNoRef    = "no such reference"
	aimExpand   = "not expandable"
	aimVersion  = "no such version"
	aimKey      = "no such key"
	aimReuse    = "key for other parameters"
	aimNoRoute  = "no such route"
	aimRepeat   = "repeat"
	aimEdge     = "value at an edge"
)

var brokenAims = []string{aimUnknown, aimMistyped, aimMissing, aimGone, aimGone, aimNoRef, aimExpand, aimVersion, aimKey, aimReuse, aimNoRoute, aimEdge, aimEdge, aimEdge}

// errand is one operation in the making.
type errand struct {
	g     *generator
	s     *space
	st    *projection.State
	op    Op
	route *twin.Route
	owner string          // id of the object that the path goes through first
	about *projection.Row // that the request is to be about, nil for any
}

// next makes the next operation on a space.
func (g *generator) next(s *space) Op {
	r := g.rand
	if op, ok := g.goOn(s); ok {
		return op
	}
	switch {
	case r.Of(g.luck.Clock):
		return g.clock(s)
	case r.Of(g.luck.Fault):
		return g.fault(s)
	case r.Of(g.luck.Key):
		return g.key(s)
	case r.Of(g.luck.Reset):
		return g.act(s, "POST", "/reset", "")
	case r.Of(g.luck.Admin):
		return g.operator(s)
	case r.Of(g.luck.Repeat) && len(g.used[s.index]) > 0:
		op := pick(r, g.used[s.index])
		op.N, op.Aim = g.number(), aimRepeat
		if !g.keep || !s.foreign(&op) {
			return op
		}
	}
	return g.request(s)
}

// drawMax is how often a request is drawn anew that no model would know.
const drawMax = 50

// request makes a request to a twin; in a run that is held against models, one that
// they know.
func (g *generator) request(s *space) Op {
	for range drawMax {
		if op := g.draw(s); !g.keep || !s.foreign(&op) {
			return op
		}
		g.skip()
	}
	return g.act(s, "GET", "/clock", "")
}

func (g *generator) number() int {
	g.n++
	return g.n
}

func (g *generator) draw(s *space) Op {
	r := g.rand
	api := apiStripe
	if r.Of(g.luck.Zendesk) {
		api = apiZendesk
	}
	aim := aimSound
	if r.Of(g.luck.Broken) {
		aim = pick(r, brokenAims)
	}
	if aim != aimGone && r.Of(g.luck.Object) {
		if op, ok := g.inState(s, api, aim); ok {
			return op
		}
	}
	routes := s.catalog(api).Routes()
	read, make := r.Of(g.luck.Read), usualMaker
	if s.view.State.Len("stripe.customer") < fewCustomers {
		read, make = false, 2*usualMaker
	}
	var route *twin.Route
	for {
		route = pick(r, routes)
		if r.Of(make) { // makers give the others something to work on
			route = pick(r, routes)
			if !maker(route) {
				continue
			}
		}
		if (route.Method == "GET") == read && skipped[route.Method+" "+route.Pattern] == "" {
			break
		}
	}
	return g.on(s, api, route, aim)
}

// fewCustomers are so few that a world needs more before anything else.
const fewCustomers = 2

// maker reports whether a route makes objects from nothing.
func maker(r *twin.Route) bool { return r.Method == "POST" && !strings.Contains(r.Pattern, "{") }

// inState makes a request about an object in some state, so that states that are
// seldom are met as often as others; ok is false where no object has one.
func (g *generator) inState(s *space, api, aim string) (op Op, ok bool) {
	r := g.rand
	var routes []*twin.Route // those with many objects of many states have the most
	for _, route := range s.catalog(api).Routes() {
		table := tableOf(route.Pattern)
		if _, ok := states[table]; ok && s.view.State.Len(table) > 0 && skipped[route.Method+" "+route.Pattern] == "" {
			routes = append(routes, route)
		}
	}
	if len(routes) == 0 {
		return op, false
	}
	route := pick(r, routes)
	table := tableOf(route.Pattern)
	in, n := map[string][]*projection.Row{}, 0
	for row := range s.view.State.Newest(table, 0) {
		if n++; n > stateMax {
			break
		}
		in[stateOf(table, row)] = append(in[stateOf(table, row)], row)
	}
	return g.aimed(s, api, route, aim, pick(r, in[pick(r, sortedKeys(in))])), true
}

// stateMax is among how many objects of a table states are looked for.
const stateMax = 60

// on makes a request to a route.
func (g *generator) on(s *space, api string, route *twin.Route, aim string) Op {
	return g.aimed(s, api, route, aim, nil)
}

// aimed makes a request to a route, about an object if there is one.
func (g *generator) aimed(s *space, api string, route *twin.Route, aim string, about *projection.Row) Op {
	r := g.rand
	e := &errand{g: g, s: s, st: s.view.State, route: route, about: about}
	e.op = Op{N: g.number(), Space: s.index, API: api, Method: route.Method, Route: route.Method + " " + route.Pattern, Aim: aim}
	e.path(aim)
	if api == apiStripe || route.Method == "GET" || recipes[e.op.Route] != nil {
		e.form(aim)
	}
	if api == apiZendesk && route.Method != "GET" {
		e.json(aim)
	}
	e.breakIt(aim)
	if route.Method != "GET" && r.Of(g.luck.Idem) {
		e.op.Idem = "key-" + strconv.Itoa(r.N(40))
		if aim == aimSound {
			e.op.Idem += "-" + strconv.Itoa(e.op.N)
		}
		g.remember(s, e.op)
	}
	if api == apiStripe && aim == aimSound && r.Of(g.luck.Stale) {
		e.op.Version = pick(r, staleVersions)
	}
	if r.Of(250) {
		e.op.Key = keyLabels[1]
	}
	if r.Of(g.luck.Wire) && !g.plain {
		e.op.Wire = pick(r, []string{wirePieces, wirePieces, wireCut})
		e.op.Wire = e.framed(e.op.Wire)
	}
	if api == apiZendesk {
		e.op.Key = ""
	}
	return e.op
}

// framed is how the body comes, "" where there is none: GET and DELETE of one API take
// their parameters from the address.
func (e *errand) framed(wire string) string {
	write := e.op.Method != "GET" && (e.op.API == apiZendesk || e.op.Method != "DELETE")
	if full := e.op.Body != "" || e.op.API == apiStripe && len(e.op.Params) > 0; !write || !full {
		return ""
	}
	return wire
}

// staleVersions are API versions before the twin's own.
var staleVersions = []string{"2024-06-20", "2025-03-31.basil", "2022-11-15"}

// usedMax is how many requests with a key are kept to be repeated.
const usedMax = 8

func (g *generator) remember(s *space, op Op) {
	list := append(g.used[s.index], op)
	if len(list) > usedMax {
		list = list[1:]
	}
	g.used[s.index] = list
}

// path fills the segments of the pattern.
func (e *errand) path(aim string) {
	segs := strings.Split(e.route.Pattern, "/")
	for i := range segs {
		if !strings.HasPrefix(segs[i], "{") {
			continue
		}
		id := e.known(segs, i)
		if id == "" && (aim != aimGone || i < len(segs)-1 && e.g.rand.Of(300)) {
			id = e.some(collectionOf(segs, i), suited[e.op.Route])
		}
		if id == "" {
			id = gone
		}
		if e.owner == "" {
			e.owner = e.s.resolve(id)
		}
		segs[i] = id
	}
	e.op.Path = strings.Join(segs, "/")
	if e.op.API == apiZendesk && e.g.rand.Of(300) {
		e.op.Path += ".json"
	}
}

// collectionOf is the collection that segment i of a pattern names an object of.
func collectionOf(segs []string, i int) string {
	if segs[i-1] == "balance_transactions" && segs[max(0, i-3)] == "customers" { // not those of the account
		return "customer_" + segs[i-1]
	}
	return segs[i-1]
}

// known is a segment of a request about some object: that object, where the route's
// last braces are, or its owner before them; "" if that is not known.
func (e *errand) known(segs []string, i int) string {
	if e.about == nil {
		return ""
	}
	for _, later := range segs[i+1:] {
		if strings.HasPrefix(later, "{") {
			single := strings.TrimSuffix(segs[i-1], "s")
			return cmp.Or(textOf(e.about.Body, single), textOf(e.about.Body, single+"_id"))
		}
	}
	return e.s.name(tableOf(e.route.Pattern), e.about.ID)
}

// form writes sound parameters: those of a recipe, if there is one, and some more.
func (e *errand) form(aim string) {
	taken := map[string]bool{}
	if list := recipes[e.op.Route]; list != nil && aim != aimMissing {
		for _, word := range strings.Split(e.fill(e.g.recipe(list)), "\x1f") {
			if name, value, ok := strings.Cut(word, "="); ok {
				e.op.Params = append(e.op.Params, pair{Name: name, Value: value})
				taken[outermost(name)] = true
			}
		}
	}
	for _, p := range e.route.Table() {
		if e.op.API == apiZendesk && e.route.Method != "GET" || taken[p.Name] {
			continue
		}
		if p.Required && aim != aimMissing || !e.g.plain && e.g.rand.Of(extraParam) {
			e.op.Params = append(e.op.Params, e.param(p, p.Name)...)
		}
	}
}

// recipe is one of several.
func (g *generator) recipe(list []string) string {
	if g.plain {
		return list[0]
	}
	return pick(g.rand, list)
}

// extraParam is how often a parameter that nothing asks for is sent, in thousandths.
const extraParam = 35

func outermost(name string) string {
	name, _, _ = strings.Cut(name, "[")
	return name
}

// fill replaces the words in braces of a recipe. The blanks between the parameters
// become \x1f, so that values can hold blanks.
func (e *errand) fill(recipe string) string {
	out := ""
	for {
		before, rest, ok := strings.Cut(recipe, "{")
		out += strings.ReplaceAll(before, " ", "\x1f")
		if !ok {
			return out
		}
		word, after, _ := strings.Cut(rest, "}")
		out += e.word(word)
		recipe = after
	}
}

// fillJSON replaces the words in braces of a body: those that a brace and a letter
// begin.
func (e *errand) fillJSON(body string) string {
	var out strings.Builder
	for i := 0; i < len(body); i++ {
		if body[i] != '{' || i+1 == len(body) || body[i+1] < 'a' || body[i+1] > 'z' {
			out.WriteByte(body[i])
			continue
		}
		end := strings.IndexByte(body[i:], '}') + i
		out.WriteString(jsonText(e.word(body[i+1 : end])))
		i = end
	}
	return out.String()
}

// word is the value of a word of a recipe.
func (e *errand) word(word string) string {
	kind, filter, _ := strings.Cut(word, " ")
	switch {
	case kind == "n":
		return pick(e.g.rand, strings.Split(filter, "|"))
	case kind == "money" && e.g.plain:
		return "2000"
	case kind == "money":
		return pick(e.g.rand, moneys)
	case kind == "text":
		return e.text()
	case kind == "email":
		return e.email()
	case kind == "mark":
		return e.s.mark
	case kind == "monthend":
		return strconv.FormatInt(monthEnd(e.st.Now()), 10)
	case kind == "hook":
		return e.s.post.url(e.s.mark, agentBox)
	case strings.HasPrefix(kind, "now"):
		days, _ := strconv.ParseInt(kind[len("now"):], 10, 64)
		return strconv.FormatInt(max(e.st.Now()+days*86400, 0), 10)
	}
	if id := e.some(kind+"s", filter); id != "" {
		return id
	}
	return gone
}

// some is the symbol of some object of a collection, mostly one that fits the filter;
// "" when there is none.
func (e *errand) some(collection, filter string) string {
	table := tables[collection]
	var all, fit []string
	add := func(id string, body canon.Raw) {
		name := e.s.name(table, id)
		all = append(all, name)
		if fits(body, filter) {
			fit = append(fit, name)
		}
	}
	e.objects(collection, table, add)
	if len(fit) > 0 && (!e.g.rand.Of(120) || e.g.plain) {
		all = fit
	}
	if len(all) == 0 {
		return ""
	}
	return all[e.g.rand.N(len(all))]
}

// objectsMax is among how many objects of a collection one is chosen.
const objectsMax = 16

// objects yields the newest objects of a collection.
func (e *errand) objects(collection, table string, add func(id string, body canon.Raw)) {
	n := 0
	switch {
	case table == tableEvent:
		for ev := range e.st.NewestEvents(0) {
			if n++; n > objectsMax {
				return
			}
			add(ev.ID, nil)
		}
	case table == tableItem:
		for row := range e.st.Newest(tableSubscription, 0) {
			if n++; n > objectsMax {
				return
			}
			if e.owner != "" && e.owner != row.ID && e.st.Get(tableSubscription, e.owner) != nil {
				continue
			}
			for _, id := range itemsOf(row.Body) {
				add(id, nil)
			}
		}
	case table == "stripe.line":
		if row := e.st.Get("stripe.invoice", e.owner); row != nil {
			lines, _ := canon.Get(row.Body, "lines")
			data, _ := canon.Get(lines, "data")
			for l := range canon.Elements(data) {
				add(textOf(l, "id"), nil)
			}
		}
	default:
		own := ownedBy[collection]
		for row := range e.st.Newest(table, 0) {
			if n++; n > objectsMax {
				return
			}
			if own == "" || e.owner == "" || textOf(row.Body, own) == e.owner || e.g.rand.Of(50) {
				add(row.ID, row.Body)
			}
		}
	}
}

// ownedBy is the member that names the owner, of collections below an object.
var ownedBy = map[string]string{"sources": "customer", "payment_methods": "customer", "customer_balance_transactions": "customer", "subscriptions": "customer", "tax_ids": "customer", "comments": "ticket_id", "audits": "ticket_id"}

// fits reports whether an object is as a filter says: member=value.
func fits(body canon.Raw, filter string) bool {
	if deleted := textOf(body, "deleted"); deleted == "true" {
		return false
	}
	if filter == "" {
		return true
	}
	name, want, _ := strings.Cut(filter, "=")
	return textOf(body, name) == want
}

// monthEnd is the same time of day on the last day of a month.
func monthEnd(now int64) int64 {
	at := time.Unix(now, 0).UTC()
	return time.Date(at.Year(), at.Month()+1, 0, at.Hour(), at.Minute(), at.Second(), 0, time.UTC).Unix()
}
