package dst

import "strings"

// courses are what happens when several things come together: requests that each name
// what those before them made, with room for chance. A step is a name of things or a
// request like theirs, or several of which one is drawn; behind a question mark it is
// left out half of the time. Between two steps other operations happen.
var courses = [][]string{
	// a subscription goes through periods, from the end of a month or not
	{"?" + toMonthEnd, "customer", "product", "price", "subscription or trial", later, later, "?" + later},
	// its months have no day like its first
	{toMonthEnd, "customer", "product", "monthly", "subscription", overMonths, "?" + soon, overMonths},
	// nobody pays, and it is tried again
	{"bad customer", "product", "monthly", "trial or subscription", soon, soon, soon, "?" + later},
	// a share of an odd sum is taken off
	{"odd coupon", "customer", "product", "price", "discounted", "?" + later},
	// something changes in the middle of a period
	{"customer", "product", "price", "subscription", soon, "more", "?" + soon, "?more", "?" + later},
	// who leaves owes something, and may pay it still
	{"customer", "product", "price", "on account", "?open", "leave", "?open", "close", "?close"},
	// an invoice comes to an end, and is to have another
	{"customer", "item", "?item", "draft", "open", "close", "?close", "?" + soon},
	// a card goes that others name
	{"customer", "?product", "?item", "detach", "?draft", "?charge", "?open"},
	// an endpoint hears of something, or does not
	{"endpoint", "?customer", "listen", "product or customer", "?listen", "customer or product", "flush"},
	// a ticket goes to and fro between who has it and who works on it
	{"user", "asked", "word", "?work", "?word", "?" + soon, "?work"},
	// a ticket that nobody has
	{"ticket", "?" + soon, "work", "?ticket", "?work", "?word"},
}

// The ways of the clock in a course: to the last day of a month, on by days, and over
// months.
const (
	toMonthEnd = `admin POST /clock/advance {"to":{monthend}}`
	soon       = `admin POST /clock/advance {"days":{n 1|2|3|5|7|12}}`
	overMonths = `admin POST /clock/advance {"days":{n 31|59|65|92}}`
	later      = `admin POST /clock/advance {"days":{n 3|31|33|65}}`
)

// courseThings are the steps of courses that things has no name for.
var courseThings = map[string]string{
	"bad customer": "stripe POST /v1/customers name={mark} payment_method=pm_card_chargeCustomerFail invoice_settings[default_payment_method]=pm_card_chargeCustomerFail",
	"price":        "stripe POST /v1/prices product=$products unit_amount={money} currency=usd recurring[interval]={n day|week|month|month|month}",
	"odd coupon":   "stripe POST /v1/coupons percent_off={n 12.5|33.3|0.5|50} duration={n once|forever}",
	"trial":        "stripe POST /v1/subscriptions customer=$customers items[0][price]=$prices trial_period_days={n 1|3}",
	"discounted":   "stripe POST /v1/subscriptions customer=$customers items[0][price]=$prices discounts[0][coupon]=$coupons",
	"on account":   "stripe POST /v1/subscriptions customer=$customers items[0][price]=$prices collection_method=send_invoice days_until_due={n 1|30}",
	"more":         "stripe POST /v1/subscriptions/{id} items[0][id]=$subscription_items items[0][quantity]={n 1|2|3} or stripe POST /v1/subscriptions/{id} items[0][id]=$subscription_items items[0][quantity]={n 2|4} proration_behavior=always_invoice",
	"leave":        "stripe DELETE /v1/subscriptions/{id}  or stripe POST /v1/subscriptions/{id} cancel_at_period_end=true or stripe DELETE /v1/customers/{id} ",
	"item":         "stripe POST /v1/invoiceitems customer=$customers amount={n 49|50|2000|-1} currency=usd",
	"close": "stripe POST /v1/invoices/{invoice}/pay  or stripe POST /v1/invoices/{invoice}/pay paid_out_of_band=true or stripe POST /v1/invoices/{invoice}/void  or " +
		"stripe POST /v1/invoices/{invoice}/mark_uncollectible  or stripe POST /v1/credit_notes invoice=$invoices amount={n 1|10}",
	"detach":   "stripe POST /v1/payment_methods/{payment_method}/detach ",
	"endpoint": "stripe POST /v1/webhook_endpoints url={hook} enabled_events[0]=*",
	"listen":   "stripe POST /v1/webhook_endpoints/{id} disabled={n true|true|false} or stripe POST /v1/webhook_endpoints/{id} enabled_events[0]={n *|invoice.paid} or stripe DELETE /v1/webhook_endpoints/{id} ",
	"flush":    "admin POST /webhooks/flush ",
	"asked":    `zendesk POST /api/v2/tickets {"ticket":{"comment":{"body":"{mark}"},"requester_id":$users,"assignee_id":{user role=admin},"status":"{n open|pending|hold|solved|solved}"}}`,
	"word":     `zendesk PUT /api/v2/tickets/{id} {"ticket":{"comment":{"body":"{text}","author_id":$users}}} or zendesk PUT /api/v2/tickets/{id} {"ticket":{"comment":{"body":"{text}","public":{n true|false}}}}`,
	"work":     `zendesk PUT /api/v2/tickets/{id} {"ticket":{"status":"{n open|pending|hold|solved|solved|closed}"}} or zendesk PUT /api/v2/tickets/{id} {"ticket":{"assignee_id":{user role=admin}}} or zendesk PUT /api/v2/tickets/{id} {"ticket":{"assignee_id":null}}`,
}

// course is one of these that a space is in the middle of.
type course struct {
	story
	inc   uint64 // the life in which it began
	steps []string
	n     int // of its last operation
}

// goOn makes the next operation of the course that a space is in, or of a new one; ok
// is false if it is not time for it.
func (g *generator) goOn(s *space) (op Op, ok bool) {
	c := g.courses[s.index]
	if c == nil || c.inc != uint64(s.view.Inc) {
		if !g.rand.Of(g.luck.Course) {
			return op, false
		}
		c = &course{story: story{g: g, s: s, last: map[string]string{}}, inc: uint64(s.view.Inc), steps: pick(g.rand, courses)}
		g.courses[s.index] = c
	} else if !g.rand.Of(usualGoesOn) {
		return op, false
	}
	c.learn(c.n)
	for len(c.steps) > 0 {
		step, perhaps := strings.CutPrefix(c.steps[0], "?")
		c.steps = c.steps[1:]
		if perhaps && g.rand.Of(500) {
			continue
		}
		op = c.step(step)
		if c.n = op.N; !g.keep || !s.foreign(&op) {
			return op, true
		}
		g.skip()
	}
	delete(g.courses, s.index)
	return op, false
}

// usualGoesOn is how often a course that has begun goes on.
const usualGoesOn = 500

// step draws what a step says.
func (c *course) step(text string) Op {
	one := pick(c.g.rand, strings.Split(text, " or "))
	for {
		said := courseThings[one]
		if said == "" {
			said = things[one]
		}
		if said == "" {
			break
		}
		one = pick(c.g.rand, strings.Split(said, " or "))
	}
	words := append(strings.SplitN(one, " ", 4), "")
	return c.op(strings.Join(words[:3], " "), words[3])
}
