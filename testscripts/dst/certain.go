package dst

import (
	"cmp"
	"strconv"
	"strings"
)

// things are requests that make something on any world, by the thing's name. $invoices
// is the last invoice that the same story made, and so are the braces of a path.
var things = map[string]string{
	"customer":     "stripe POST /v1/customers name={mark} payment_method=pm_card_visa invoice_settings[default_payment_method]=pm_card_visa",
	"product":      "stripe POST /v1/products name={mark}",
	"monthly":      "stripe POST /v1/prices product=$products unit_amount=2000 currency=usd recurring[interval]=month",
	"coupon":       "stripe POST /v1/coupons percent_off=25 duration=once",
	"method":       "stripe POST /v1/payment_methods type=card card[token]=tok_visa",
	"intent":       "stripe POST /v1/payment_intents amount=2000 currency=usd",
	"charge":       "stripe POST /v1/payment_intents amount=2000 currency=usd payment_method=pm_card_visa confirm=true",
	"refund":       "stripe POST /v1/refunds charge=$charges amount=100",
	"item":         "stripe POST /v1/invoiceitems customer=$customers amount=2000 currency=usd",
	"draft":        "stripe POST /v1/invoices customer=$customers pending_invoice_items_behavior=include",
	"open":         "stripe POST /v1/invoices/{invoice}/finalize auto_advance=false",
	"subscription": "stripe POST /v1/subscriptions customer=$customers items[0][price]=$prices",
	"organization": `zendesk POST /api/v2/organizations {"organization":{"name":"{mark} certain {n}"}}`,
	"user":         `zendesk POST /api/v2/users {"user":{"name":"{mark} certain"}}`,
	"ticket":       `zendesk POST /api/v2/tickets {"ticket":{"subject":"{mark}","comment":{"body":"{mark}"}}}`,
}

// certain are the things that a mandatory path needs, and behind the bar what it sends:
// by them it succeeds on every world.
var certain = map[string]string{
	"stripe POST /v1/products":                                  "|name={mark}",
	"stripe POST /v1/prices":                                    "product|product=$products unit_amount=2000 currency=usd",
	"stripe POST /v1/customers":                                 "|name={mark}",
	"stripe POST /v1/invoices":                                  "customer|customer=$customers",
	"stripe POST /v1/charges":                                   "|amount=2000 currency=usd source=tok_visa",
	"stripe POST /v1/subscriptions":                             "customer product monthly|customer=$customers items[0][price]=$prices",
	"stripe POST /v1/products/{id}":                             "product|description={mark}",
	"stripe POST /v1/prices/{price}":                            "product monthly|nickname={mark}",
	"stripe POST /v1/coupons":                                   "|percent_off=25 duration=once",
	"stripe POST /v1/coupons/{coupon}":                          "coupon|name={mark}",
	"stripe POST /v1/promotion_codes":                           "coupon|promotion[type]=coupon promotion[coupon]=$coupons",
	"stripe POST /v1/customers/{id}":                            "customer|name=certain",
	"stripe POST /v1/customers/{customer}/balance_transactions": "customer|currency=usd amount=-500",
	"stripe POST /v1/customers/{customer}/sources":              "customer|source=tok_visa",
	"stripe POST /v1/payment_methods":                           "|type=card card[token]=tok_visa",
	"stripe POST /v1/payment_methods/{payment_method}/attach":   "customer method|customer=$customers",
	"stripe POST /v1/tokens":                                    "|card[number]=4242424242424242 card[exp_month]=12 card[exp_year]=2040",
	"stripe POST /v1/setup_intents":                             "|",
	"stripe POST /v1/webhook_endpoints":                         "|url={hook} enabled_events[0]=*",
	"stripe POST /v1/charges/{charge}":                          "charge|description={mark}",
	"stripe POST /v1/refunds":                                   "charge|charge=$charges amount=100",
	"stripe POST /v1/refunds/{refund}":                          "charge refund|metadata[k]={mark}",
	"stripe POST /v1/payment_intents":                           "|amount=2000 currency=usd",
	"stripe POST /v1/payment_intents/{intent}":                  "intent|description={mark}",
	"stripe POST /v1/payment_intents/{intent}/cancel":           "intent|",
	"stripe POST /v1/invoiceitems":                              "customer|customer=$customers amount=2000 currency=usd",
	"stripe DELETE /v1/invoiceitems/{invoiceitem}":              "customer item|",
	"stripe POST /v1/invoices/{invoice}":                        "customer item draft|description={mark}",
	"stripe POST /v1/invoices/{invoice}/add_lines":              "customer item draft|lines[0][amount]=2000 lines[0][description]={mark}",
	"stripe POST /v1/invoices/{invoice}/finalize":               "customer item draft|auto_advance=false",
	"stripe POST /v1/credit_notes":                              "customer item draft open|invoice=$invoices amount=10",
	"stripe POST /v1/invoices/{invoice}/pay":                    "customer item draft open|",
	"stripe POST /v1/invoices/{invoice}/void":                   "customer item draft open|",
	"stripe POST /v1/subscriptions/{id}":                        "customer product monthly subscription|metadata[k]={mark}",
	"stripe POST /v1/subscription_items/{item}":                 "customer product monthly subscription|quantity=2",
	"stripe DELETE /v1/subscriptions/{id}":                      "customer product monthly subscription|",
	"stripe DELETE /v1/customers/{id}":                          "customer|",
	"zendesk POST /api/v2/users":                                `|{"user":{"name":"{mark} certain"}}`,
	"zendesk POST /api/v2/tickets":                              `|{"ticket":{"subject":"{mark}","comment":{"body":"{mark}"}}}`,
	"zendesk POST /api/v2/organizations":                        `|{"organization":{"name":"{mark} certain {n}"}}`,
	"zendesk PUT /api/v2/organizations/{id}":                    `organization|{"organization":{"notes":"{mark}"}}`,
	"zendesk POST /api/v2/groups":                               `|{"group":{"name":"{mark} certain"}}`,
	"zendesk PUT /api/v2/users/{id}":                            `user|{"user":{"name":"{mark} certain 2"}}`,
	"zendesk POST /api/v2/users/create_or_update":               `|{"user":{"name":"{mark} certain","external_id":"{mark} {n}"}}`,
	"zendesk PUT /api/v2/tickets/{id}":                          `ticket|{"ticket":{"comment":{"body":"{mark}"}}}`,
	"zendesk POST /api/v2/tickets/create_many":                  `|{"tickets":[{"subject":"{mark}","comment":{"body":"{mark}"}}]}`,
	"zendesk PUT /api/v2/tickets/update_many":                   `ticket|ids=$tickets {"ticket":{"priority":"high"}}`,
	"zendesk POST /api/v2/tickets/{id}/tags":                    `ticket|{"tags":["certain"]}`,
	"zendesk DELETE /api/v2/tickets/{id}":                       "ticket|",
}

// story is a sequence of requests of which each may name what those before it made.
type story struct {
	g    *generator
	s    *space
	last map[string]string // symbols, by table
}

// certainly takes a mandatory path in the way that succeeds on every world: first it
// makes what the path needs.
func (r *run) certainly(s *space, path string) *Failure {
	t := &story{g: r.gen, s: s, last: map[string]string{}}
	needs, sent, _ := strings.Cut(certain[path], "|")
	for _, need := range strings.Fields(needs) {
		words := strings.SplitN(things[need], " ", 4)
		if _, f := r.send(t, words[0]+" "+words[1]+" "+words[2], words[3]); f != nil {
			return f
		}
	}
	ok, f := r.send(t, path, sent)
	if f == nil && !ok {
		return failed("harness.path", "%s did not succeed, though all that it needs was made", path)
	}
	return f
}

// send sends the next request of a story, and says whether it succeeded.
func (r *run) send(t *story, path, sent string) (bool, *Failure) {
	op := t.op(path, sent)
	if r.gen.keep && t.s.foreign(&op) { // another run takes this path: no model knows it
		r.done[path] = true
		r.gen.skip()
		return true, nil
	}
	committed := r.metrics.counted(r.phase, countCommitted)
	f := r.chain(t.s, &op)
	t.learn(op.N)
	return r.metrics.counted(r.phase, countCommitted) > committed, f
}

// op makes a request of what a line says.
func (t *story) op(path, sent string) Op {
	api, pattern, _ := strings.Cut(path, " ")
	method, route, _ := strings.Cut(pattern, " ")
	op := Op{N: t.g.number(), Space: t.s.index, API: api, Method: method, Route: pattern, Aim: aimSound}
	segs := strings.Split(route, "/")
	for i := range segs {
		if strings.HasPrefix(segs[i], "{") {
			segs[i] = t.made(segs[i-1])
		}
	}
	op.Path = strings.Join(segs, "/")
	e := &errand{g: t.g, s: t.s, st: t.s.view.State}
	form, body, isJSON := strings.Cut(sent, "{\"")
	if isJSON {
		op.Body = e.fillJSON(t.named(strings.ReplaceAll("{\""+body, "{n}", strconv.Itoa(op.N))))
	}
	for _, word := range strings.Split(e.fill(t.named(strings.TrimSpace(form))), "\x1f") {
		if name, value, ok := strings.Cut(word, "="); ok {
			op.Params = append(op.Params, pair{Name: name, Value: value})
		}
	}
	return op
}

// learn takes note of what an operation made.
func (t *story) learn(n int) {
	for k, m := range t.s.made[n] {
		t.last[m.table] = symbol(n, k)
	}
}

// made is what the story made last of a collection.
func (t *story) made(collection string) string { return cmp.Or(t.last[tables[collection]], gone) }

// named replaces $invoices and the like.
func (t *story) named(text string) string {
	before, rest, ok := strings.Cut(text, "$")
	if !ok {
		return text
	}
	end := strings.IndexFunc(rest, func(c rune) bool { return (c < 'a' || c > 'z') && c != '_' })
	if end < 0 {
		end = len(rest)
	}
	return before + t.made(rest[:end]) + t.named(rest[end:])
}
