package stripe_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"worlds/journal/canon"
	"worlds/seed"
	"worlds/twin"
	"worlds/twin/stripe"
)

var rounds = flag.Int("routes.rounds", 1, "how many rounds of random requests over the route table at least")

// The most rounds that TestEveryRoute goes, and the worlds and requests of one.
const (
	roundsMax   = 40
	roundWorlds = 3
	roundSteps  = 400
)

// machineSeed is a world with something of everything that seeds can hold.
const machineSeed = `{"name":"machine","version":1,"epoch":1767225600,"clock_mode":"manual","settings":{"test_clocks":true},"data":{
 "customers":[{"id":"cus_a","name":"Ada","email":"ada@example.com"},{"id":"cus_b","name":"Bo","email":"bo@example.com"}],
 "products":[{"id":"prod_a","name":"Pro"},{"id":"prod_b","name":"Plus"}],
 "prices":[{"id":"price_m","product":"prod_a","unit_amount":2000,"currency":"usd","recurring":{"interval":"month","interval_count":1}},
           {"id":"price_n","product":"prod_b","unit_amount":700,"currency":"usd","recurring":{"interval":"month","interval_count":1}},
           {"id":"price_once","product":"prod_b","unit_amount":900,"currency":"usd","recurring":null}],
 "invoices":[{"id":"in_a","customer":"cus_a","status":"paid","currency":"usd","created_offset":86400,"lines":[{"description":"Pro","amount":4000,"quantity":1}],"charges":[{"id":"ch_a","amount":4000}]},
  {"id":"in_b","customer":"cus_b","status":"open","currency":"usd","created_offset":7200,"lines":[{"description":"Setup","amount":1500,"quantity":1}]}],
 "subscriptions":[],"tickets":[]}}`

// recipes are what a sound request needs beyond its table: parameters of which one
// alternative is sent. {x} is the id of some object of the collection x, {now} and
// {later} are moments.
var recipes = map[string][]string{
	"POST /v1/charges":                                 {"source=tok_visa", "source=tok_createDispute", "source=tok_visa capture=false", "source=tok_chargeDeclined"},
	"POST /v1/coupons":                                 {"percent_off=12.5", "amount_off=100 currency=usd"},
	"POST /v1/credit_notes":                            {"invoice={invoices status=open} amount=10", "invoice={invoices status=paid} amount=10 refund_amount=10", "invoice={invoices status=paid} amount=10 credit_amount=10"},
	"GET /v1/credit_notes/preview":                     {"invoice={invoices status=open} amount=10"},
	"GET /v1/credit_notes/preview/lines":               {"invoice={invoices status=open} amount=10"},
	"POST /v1/customers":                               {"payment_method=pm_card_visa", "", "test_clock={test_clocks}"},
	"POST /v1/invoiceitems":                            {"customer={customers} amount=500 currency=usd", "customer={customers} pricing[price]=price_once"},
	"POST /v1/invoices":                                {"customer={customers}", "customer={customers} pending_invoice_items_behavior=include", "customer={customers} collection_method=send_invoice days_until_due=30"},
	"POST /v1/invoices/create_preview":                 {"customer={customers}", "subscription={subscriptions status=active}"},
	"POST /v1/invoices/{invoice}/add_lines":            {"lines[0][amount]=300 lines[0][description]=a"},
	"POST /v1/invoices/{invoice}/pay":                  {"payment_method=pm_card_visa", "", "paid_out_of_band=true"},
	"POST /v1/invoices/{invoice}/remove_lines":         {"lines[0][id]={lines} lines[0][behavior]=delete"},
	"POST /v1/invoices/{invoice}/update_lines":         {"lines[0][id]={lines} lines[0][amount]=250"},
	"POST /v1/payment_intents":                         {"", "payment_method=pm_card_visa confirm=true", "payment_method=pm_card_visa confirm=true capture_method=manual", "payment_method=pm_card_visa"},
	"POST /v1/payment_intents/{intent}/confirm":        {"payment_method=pm_card_visa"},
	"POST /v1/payment_methods":                         {"type=card card[token]=tok_visa"},
	"POST /v1/payment_methods/{payment_method}/attach": {"customer={customers}"},
	"POST /v1/prices":                                  {"product={products} unit_amount=1500", "product={products} unit_amount=1500 recurring[interval]=month"},
	"POST /v1/promotion_codes":                         {"promotion[type]=coupon promotion[coupon]={coupons}"},
	"POST /v1/refunds":                                 {"charge={charges status=succeeded} amount=7", "payment_intent={payment_intents status=succeeded} amount=7"},
	"POST /v1/setup_intents":                           {"", "payment_method=pm_card_visa confirm=true"},
	"POST /v1/setup_intents/{intent}/confirm":          {"payment_method=pm_card_visa"},
	"POST /v1/customers/{id}":                          {"", "source=tok_visa"},
	"POST /v1/subscription_items":                      {"subscription={subscriptions status=active} price=price_n", "subscription={subscriptions status=active} price=price_m"},
	"POST /v1/subscriptions": {
		"customer=cus_a items[0][price]=price_m", "customer=cus_b items[0][price]=price_m items[1][price]=price_n",
		"customer=cus_a items[0][price]=price_n discounts[0][coupon]={coupons}",
		"customer={customers invoice_settings.default_payment_method=null} items[0][price]=price_m trial_period_days=1 trial_settings[end_behavior][missing_payment_method]=pause"},
	"POST /v1/customers/{customer}/tax_ids":                  {"type=eu_vat value=000000000"},
	"POST /v1/payment_links":                                 {"line_items[0][price]=price_once line_items[0][quantity]=2", "line_items[0][price]=price_m line_items[0][quantity]=1"},
	"POST /v1/tax_ids":                                       {"type=us_ein value=12-3456789", "type=eu_vat value=DE123456789 owner[type]=customer owner[customer]=cus_b"},
	"POST /v1/customers/{customer}/subscriptions":            {"items[0][price]=price_m", "items[0][price]=price_m discounts[0][coupon]={coupons}"},
	"POST /v1/test_helpers/test_clocks":                      {"frozen_time={now}"},
	"POST /v1/test_helpers/test_clocks/{test_clock}/advance": {"frozen_time={later}"},
	"POST /v1/tokens":                                        {"card[number]=4242424242424242 card[exp_month]=12 card[exp_year]=2030"},
	"POST /v1/webhook_endpoints":                             {"url=https://example.com/a enabled_events[0]=*"},
	"GET /v1/payment_methods":                                {"customer={customers}", ""},
	"POST /v1/customers/{customer}/sources":                  {"source=tok_visa"},
	"POST /v1/customers/{customer}/balance_transactions":     {"currency=usd amount=5", "currency=usd amount=-5"},
}

// suited are the objects that an action wants, by what is in them.
var suited = map[string]string{
	"POST /v1/customers/{id}":                                     "default_source=null",
	"POST /v1/customers/{customer}/sources":                       owesCard,
	"DELETE /v1/customers/{customer}/discount":                    "discount!=null",
	"GET /v1/customers/{customer}/discount":                       "discount!=null",
	"DELETE /v1/invoices/{invoice}":                               "status=draft",
	"DELETE /v1/invoiceitems/{invoiceitem}":                       "invoice=null",
	"DELETE /v1/subscriptions/{subscription_exposed_id}/discount": "discounts!=[]",
	"DELETE /v1/subscriptions/{id}":                               "status=active",
	"POST " + oneOfCustomer:                                       "status=active",
	"DELETE " + oneOfCustomer:                                     "status=active",
	"GET " + oneOfCustomer + "/discount":                          "discounts!=[]",
	"DELETE " + oneOfCustomer + "/discount":                       "discounts!=[]",
	"POST /v1/charges/{charge}/capture":                           "captured=false",
	"POST /v1/credit_notes/{id}/void":                             "type=pre_payment&status=issued",
	"POST /v1/disputes/{dispute}":                                 "status=needs_response",
	"POST /v1/disputes/{dispute}/close":                           "status=needs_response",
	"POST /v1/invoices/{invoice}/add_lines":                       "status=draft",
	"POST /v1/invoices/{invoice}/finalize":                        "status=draft",
	"POST /v1/invoices/{invoice}/lines/{line_item_id}":            "status=draft&lines.total_count!=0",
	"POST /v1/invoices/{invoice}/mark_uncollectible":              "status=open",
	"POST /v1/invoices/{invoice}/pay":                             "status=open",
	"POST /v1/invoices/{invoice}/remove_lines":                    "status=draft&lines.total_count!=0",
	"POST /v1/invoices/{invoice}/send":                            "collection_method=send_invoice",
	"POST /v1/invoices/{invoice}/update_lines":                    "status=draft&lines.total_count!=0",
	"POST /v1/invoices/{invoice}/void":                            "status=open",
	"POST /v1/payment_intents/{intent}/cancel":                    "status=requires_payment_method",
	"POST /v1/payment_intents/{intent}/capture":                   "status=requires_capture",
	"POST /v1/payment_intents/{intent}/confirm":                   "status=requires_payment_method",
	"POST /v1/payment_methods/{payment_method}/attach":            "customer=null",
	"POST /v1/setup_intents/{intent}/confirm":                     "status=requires_payment_method",
	"POST /v1/setup_intents/{intent}/cancel":                      "status=requires_payment_method",
	"POST /v1/subscriptions/{id}":                                 "status=active",
	"POST /v1/subscriptions/{subscription}/resume":                "status=paused",
}

// oneOfCustomer is the path of a customer's subscription.
const oneOfCustomer = "/v1/customers/{customer}/subscriptions/{subscription_exposed_id}"

// owesCard is the filter for customers whose subscription waits for a card.
const owesCard = "owes a card"

// tables is where the objects of a collection are, by the segment that names it.
var tables = map[string]string{
	"balance_transactions": "stripe.balance_transaction", "charges": "stripe.charge", "coupons": "stripe.coupon",
	"credit_notes": "stripe.credit_note", "customers": "stripe.customer", "disputes": "stripe.dispute",
	"history": "stripe.balance_transaction", "invoice_payments": "stripe.invoice_payment", "invoiceitems": "stripe.invoice_item",
	"invoices": "stripe.invoice", "payment_intents": "stripe.payment_intent", "payment_methods": "stripe.payment_method",
	"prices": "stripe.price", "products": "stripe.product", "promotion_codes": "stripe.promotion_code", "tax_ids": "stripe.tax_id", "payment_links": "stripe.payment_link", "refunds": "stripe.refund",
	"setup_intents": "stripe.setup_intent", "subscriptions": "stripe.subscription", "test_clocks": "stripe.test_clock",
	"tokens": "stripe.token", "webhook_endpoints": "stripe.webhook_endpoint",
}

// errand is one random request on its way.
type errand struct {
	r     *rig
	g     *generator
	route *twin.Route
	path  string
	owner string // the object that the path goes through first
}

// TestEveryRoute sends random requests over the route table to random worlds until
// every route has had a success and each kind of refusal that it can have. At the
// end of each world the law and the books must hold.
func TestEveryRoute(t *testing.T) {
	s, err := seed.Parse([]byte(machineSeed))
	if err != nil {
		t.Fatal(err)
	}
	set(t, "rapid.nofailfile", "true") // a round has a seed, which is as good
	routes := stripe.Catalog().Routes()
	had := map[string]bool{}
	for round := 1; round <= roundsMax && (round <= *rounds || len(missing(routes, had)) > 0); round++ {
		m := newMachine(routes, had)
		set(t, "rapid.seed", strconv.Itoa(round))
		set(t, "rapid.checks", strconv.Itoa(roundWorlds))
		rapid.Check(t, func(rt *rapid.T) {
			notes := &recorder{TB: t}
			r := &rig{t: notes, seed: s, machine: freshMachine(notes, s)}
			for range roundSteps {
				step := rapid.Uint64().Draw(rt, "step")
				if step == 0 { // what a step shrinks to: nothing
					continue
				}
				g := &generator{pick: rand.New(rand.NewPCG(step, 0)).IntN, seldom: 8, knows: true}
				m.step(r, g)
				if notes.text != "" {
					rt.Fatal(notes.text)
				}
			}
			if r.law(); notes.text != "" {
				rt.Fatal(notes.text)
			}
		})
		maps.Copy(had, m.had)
	}
	for _, m := range missing(routes, had) {
		t.Error("never had: ", m)
	}
}

func set(t *testing.T, name, value string) {
	t.Helper()
	old := flag.Lookup(name).Value.String()
	if err := flag.Set(name, value); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = flag.Set(name, old) })
}

// recorder keeps what a rig complains of, so that rapid can shrink what led there.
type recorder struct {
	testing.TB
	text string
}

func (r *recorder) Errorf(format string, args ...any) { r.text += fmt.Sprintf(format, args...) + "\n" }
func (r *recorder) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// The kinds of outcome that a route has.
const (
	kindSuccess  = "success"
	kindUnknown  = "unknown parameter"
	kindMistyped = "mistyped parameter"
	kindMissing  = "missing parameter"
	kindNoObject = "no such object"
	kindNoRef    = "no such reference"
	kindExpand   = "not expandable"
)

// kinds lists the outcomes that a route can have.
func kinds(r *twin.Route) []string {
	out := []string{kindSuccess, kindUnknown}
	if strings.Contains(r.Pattern, "{") {
		out = append(out, kindNoObject)
	}
	for _, p := range r.Table() {
		if p.Type != twin.TextParam || p.Enum != nil {
			out = append(out, kindMistyped)
		}
		if p.Required {
			out = append(out, kindMissing)
		}
		if tables[p.Name+"s"] != "" && p.Type == twin.TextParam {
			out = append(out, kindNoRef)
		}
	}
	if r.Method != "DELETE" {
		out = append(out, kindExpand)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// target is an outcome of a route.
type target struct {
	route *twin.Route
	kind  string
}

func (o target) String() string { return o.route.Method + " " + o.route.Pattern + ": " + o.kind }

// missing lists the outcomes that no route has had yet.
func missing(routes []*twin.Route, had map[string]bool) []target {
	var out []target
	for _, r := range routes {
		for _, k := range kinds(r) {
			if o := (target{r, k}); !had[o.String()] && !slices.Contains(neverHad[:], o.String()) {
				out = append(out, o)
			}
		}
	}
	return out
}

// neverHad are outcomes that a table suggests and its route cannot have.
var neverHad = [...]string{
	"POST /v1/refunds/{refund}/cancel: success", // no refund waits for its customer
	"POST /v1/refunds/{refund}/cancel: not expandable",
}

// machine sends requests for one round, half of them where something is still to be
// had.
type machine struct {
	routes []*twin.Route
	makers []*twin.Route // those that give the others something to work on
	todo   []target
	had    map[string]bool
}

func newMachine(routes []*twin.Route, had map[string]bool) *machine {
	m := &machine{routes: routes, todo: missing(routes, had), had: map[string]bool{}}
	for _, r := range routes {
		if r.Method == "POST" && recipes["POST "+r.Pattern] != nil && (!strings.Contains(r.Pattern, "{") || strings.HasSuffix(r.Pattern, "/add_lines") || strings.HasSuffix(r.Pattern, "/sources") || r.Pattern == "/v1/customers/{id}") {
			m.makers = append(m.makers, r)
		}
	}
	return m
}

// step sends one request, sound or broken on purpose, or lets time pass.
func (m *machine) step(r *rig, g *generator) {
	if g.pick(25) == 0 {
		r.by(float64(1 + g.pick(20)))
		return
	}
	aim := target{m.routes[g.pick(len(m.routes))], kindSuccess}
	if g.pick(4) == 0 {
		all := kinds(aim.route)
		aim.kind = all[g.pick(len(all))]
	}
	switch {
	case len(m.todo) > 0 && g.pick(2) == 0:
		aim = m.todo[g.pick(len(m.todo))]
	case g.pick(2) == 0:
		aim = target{m.makers[g.pick(len(m.makers))], kindSuccess}
	}
	if strings.HasSuffix(aim.route.Pattern, "/customers/{customer}/discount") {
		giveDiscount(r)
	}
	if strings.HasSuffix(aim.route.Pattern, "/resume") {
		pauseSubscription(r)
	}
	e := &errand{r: r, g: g, route: aim.route}
	g.words = e.words
	line := e.line(aim.kind)
	if line == "" {
		return
	}
	a := r.do(line)
	switch {
	case aim.kind != kindSuccess && a.Status == 200 || a.Status >= 500 && a.Status != 501:
		r.t.Errorf("%s (%s) → %d %s", line, aim.kind, a.Status, a.Body)
	case aim.had(a):
		m.had[aim.String()] = true
	}
	if facts := r.ran[len(r.ran)-1].out.Facts; a.Status >= 400 && a.Status != 402 && len(facts) != 1 {
		r.t.Errorf("%s → %d %s changed the world: %s", line, a.Status, a.Body, facts)
	}
}

// giveDiscount gives a customer a discount, which only an old version can.
func giveDiscount(r *rig) {
	for row := range r.machine.State.Oldest("stripe.coupon", 0) {
		r.in("2024-06-20", "POST /v1/customers/cus_a coupon="+row.ID)
		return
	}
}

// pauseSubscription makes a subscription whose trial has ended without anything to
// pay with.
func pauseSubscription(r *rig) {
	if c := r.do("POST /v1/customers"); c.Status == 200 {
		r.do("POST /v1/subscriptions customer=" + c.get("id") + " items[0][price]=price_m trial_period_days=1 trial_settings[end_behavior][missing_payment_method]=pause")
		r.by(2)
	}
}

// had reports whether an answer is the outcome that was wanted.
func (o target) had(a answer) bool {
	message, code := a.get("error.message"), a.get("error.code")
	switch o.kind {
	case kindSuccess:
		return a.Status == 200
	case kindUnknown:
		return code == "parameter_unknown"
	case kindMistyped:
		return strings.HasPrefix(message, "Invalid ")
	case kindMissing:
		return code == "parameter_missing"
	case kindNoObject:
		return a.Status == 404
	case kindNoRef:
		return a.Status == 400 && code == "resource_missing"
	}
	return strings.Contains(message, "cannot be expanded")
}

// line writes a request that ought to end in an outcome of a kind; "" when the world
// has nothing to send it to.
func (e *errand) line(kind string) string {
	e.path = e.route.Pattern
	for segs, i := strings.Split(e.route.Pattern, "/"), 0; i < len(segs); i++ {
		if !strings.HasPrefix(segs[i], "{") {
			continue
		}
		id := e.some(segs[i-1], suited[e.route.Method+" "+e.route.Pattern])
		if kind == kindNoObject {
			id = "none_1"
		}
		if id == "" || e.route.Method != "GET" && i == len(segs)-1 && slices.Contains(kept[:], id) {
			return ""
		}
		if e.owner == "" {
			e.owner = id
		}
		e.path = strings.Replace(e.path, segs[i], id, 1)
	}
	form := e.form()
	switch kind {
	case kindUnknown:
		form = append(form, "nonsense=1")
	case kindExpand:
		form = append(form, "expand[]=nonsense")
	case kindMistyped, kindMissing, kindNoRef:
		form = e.broken(kind, form)
	}
	return e.route.Method + " " + e.path + " " + strings.Join(form, " ")
}

// form are sound parameters: those of a recipe, if there is one, and some others.
func (e *errand) form() []string {
	var out []string
	taken := map[string]bool{}
	if r := recipes[e.route.Method+" "+e.route.Pattern]; r != nil {
		for _, pair := range strings.Split(e.fill(r[e.g.pick(len(r))]), " ") {
			if pair != "" {
				out = append(out, pair)
				taken[outermost(pair)] = true
			}
		}
	}
	for _, p := range e.g.fields(e.route.Table(), "") {
		if !taken[outermost(p.path)] {
			for _, pair := range p.form {
				out = append(out, strings.ReplaceAll(strings.ReplaceAll(pair, "%5B", "["), "%5D", "]"))
			}
		}
	}
	return out
}

func outermost(path string) string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '[' || r == '=' })[0]
}

// broken breaks one parameter that can be broken so.
func (e *errand) broken(kind string, form []string) []string {
	var can []twin.Param
	for _, p := range e.route.Table() {
		if kind == kindMissing && p.Required || kind == kindMistyped && (p.Type != twin.TextParam || p.Enum != nil) ||
			kind == kindNoRef && tables[p.Name+"s"] != "" && p.Type == twin.TextParam {
			can = append(can, p)
		}
	}
	p := can[e.g.pick(len(can))]
	form = slices.DeleteFunc(form, func(pair string) bool { return outermost(pair) == p.Name })
	switch kind {
	case kindMistyped:
		return append(form, mistyped(given{path: p.Name, param: p}))
	case kindNoRef:
		return append(form, p.Name+"=none_1")
	}
	return form
}

// fill replaces {collection}, {now} and {later} in a recipe.
func (e *errand) fill(text string) string {
	for {
		before, rest, ok := strings.Cut(text, "{")
		if !ok {
			return text
		}
		word, after, _ := strings.Cut(rest, "}")
		value := ""
		switch collection, filter, _ := strings.Cut(word, " "); collection {
		case "now":
			value = fmt.Sprint(e.r.machine.State.Now())
		case "later":
			value = fmt.Sprint(e.r.machine.State.Now() + 86400)
		default:
			if value = e.some(collection, filter); value == "" {
				value = "none_1"
			}
		}
		text = before + value + after
	}
}

// some is the id of some object of a collection, one that fits the filter if any
// does; "" when there is none.
func (e *errand) some(collection, filter string) string {
	var all, fit []string
	for _, o := range e.objects(collection) {
		if o.get("deleted") != "" {
			continue
		}
		all = append(all, o.get("id"))
		if filter == owesCard && e.owesCard(o.get("id")) || filter != owesCard && o.fits(filter) {
			fit = append(fit, o.get("id"))
		}
	}
	if len(fit) > 0 && e.g.pick(8) != 0 {
		all = fit
	}
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1-e.g.pick(min(len(all), 12))]
}

func (e *errand) owesCard(customer string) bool {
	for row := range e.r.machine.State.NewestWith("stripe.subscription", "customer="+customer, 0) {
		if (answer{Body: row.Body}).get("status") == "paused" {
			return true
		}
	}
	return false
}

// fits reports whether an object is as a filter says: path=value and path!=value,
// joined by &.
func (a answer) fits(filter string) bool {
	for _, one := range strings.Split(filter, "&") {
		path, want, _ := strings.Cut(one, "=")
		path, not := strings.CutSuffix(path, "!")
		if one != "" && (a.get(path) == want) == not {
			return false
		}
	}
	return true
}

// kept are what everything else needs: it is neither deleted nor changed.
var kept = [...]string{"cus_a", "cus_b", "price_m", "price_n", "price_once", "prod_a", "prod_b"}

func (e *errand) objects(collection string) []answer {
	var out []answer
	switch {
	case collection == "subscription_items":
		for _, s := range e.r.rows("stripe.subscription") {
			for item := range canon.Elements(canon.Raw(s.get("items.data"))) {
				out = append(out, answer{Body: item})
			}
		}
	case collection == "lines":
		if row := e.r.machine.State.Get("stripe.invoice", e.owner); row != nil {
			for l := range canon.Elements(canon.Raw(answer{Body: row.Body}.get("lines.data"))) {
				out = append(out, answer{Body: l})
			}
		}
	case collection == "sources":
		for _, m := range e.r.rows("stripe.payment_method") {
			if m.get("customer") == e.owner && strings.HasPrefix(m.get("id"), "card_") {
				out = append(out, m)
			}
		}
	case collection == "events":
		for ev := range e.r.machine.State.OldestEvents(0) {
			out = append(out, answer{Body: canon.Raw(`{"id":"` + ev.ID + `"}`)})
		}
	case collection == "balance_transactions" && e.owner != "":
		for _, b := range e.r.rows("stripe.customer_balance_transaction") {
			if b.get("customer") == e.owner {
				out = append(out, b)
			}
		}
	case collection == "refunds" && e.owner != "":
		for _, b := range e.r.rows("stripe.refund") {
			if b.get("charge") == e.owner {
				out = append(out, b)
			}
		}
	case collection == "tax_ids" && strings.HasPrefix(e.owner, "cus_"):
		for _, b := range e.r.rows("stripe.tax_id") {
			if b.get("customer") == e.owner {
				out = append(out, b)
			}
		}
	case collection == "subscriptions" && strings.HasPrefix(e.owner, "cus_"):
		for _, b := range e.r.rows("stripe.subscription") {
			if b.get("customer") == e.owner {
				out = append(out, b)
			}
		}
	case collection == "payment_methods" && e.owner != "":
		for _, b := range e.r.rows("stripe.payment_method") {
			if b.get("customer") == e.owner {
				out = append(out, b)
			}
		}
	default:
		out = e.r.rows(tables[collection])
	}
	return out
}

// words are values for a parameter that an endpoint would take, by its name.
func (e *errand) words(path string) []string {
	name := path
	if i := strings.LastIndexByte(path, '['); i >= 0 {
		name = strings.Trim(path[i:], "[]0123456789")
		if name == "" {
			name = outermost(path)
		}
	}
	if words := plainWords[name]; words != nil {
		return words
	}
	if path == "automatic_tax[enabled]" {
		return []string{"false"}
	}
	now := e.r.machine.State.Now()
	switch name {
	case "id", "code", "lookup_key":
		return []string{fmt.Sprintf("own%d", len(e.r.ran))}
	case "query":
		if strings.HasPrefix(e.path, "/v1/prices") || strings.HasPrefix(e.path, "/v1/products") {
			return []string{"active:'true'"}
		}
		return []string{"created>0"}
	case "starting_after", "ending_before":
		segs := strings.Split(e.path, "/")
		if id := e.some(segs[len(segs)-1], ""); id != "" {
			return []string{id}
		}
	case "cancel_at", "due_date", "trial_end", "expires_at", "redeem_by", "resumes_at":
		return []string{fmt.Sprint(now + 40*86400)}
	case "coupon", "customer", "invoice", "price", "product", "subscription", "charge", "payment_intent", "promotion_code", "test_clock":
		if id := e.some(name+"s", ""); id != "" {
			return []string{id}
		}
	case "default_price":
		if id := e.some("prices", ""); id != "" {
			return []string{id}
		}
	}
	return nil
}

// plainWords are values for parameters that need no world.
var plainWords = map[string][]string{
	"currency": {"usd"}, "payment_method": {"pm_card_visa", "pm_card_mastercard"}, "default_payment_method": {"pm_card_visa"},
	"source": {"tok_visa"}, "token": {"tok_visa"}, "email": {"a@example.com"}, "receipt_email": {"a@example.com"},
	"url": {"https://example.com/a"}, "enabled_events": {"*", "invoice.paid"}, "type": {"card"},
	"number": {"4242424242424242"}, "exp_month": {"12"}, "exp_year": {"2030"}, "cvc": {"123"}, "country": {"US"},
	"api_version": {"2026-08-26.dahlia", "2024-06-20"}, "amount": {"60", "75"}, "amount_to_capture": {"50"}, "unit_amount": {"1200"},
	"percent_off": {"12.5"}, "quantity": {"2"}, "page": {"1"}, "types": {"invoice.paid"}, "frozen_time": {"1767225600"},
	"payment_method_types": {"card"}, "payment_settings": {"card"}, "allowed_payment_method_types": {"card"}, "return_url": {"https://example.com/back"},
	"invoice_prefix": {"PREFIX"}, "billing_cycle_anchor": {"now"}, "images": {"https://example.com/a.png"},
}
