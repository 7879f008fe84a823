package stripe_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"worlds/twin"
)

// twoCurrencies is billing's world with a customer whose subscription and draft are
// in another currency than the balance: only a seed can make one.
func twoCurrencies() string {
	return strings.NewReplacer(
		`{"id":"cus_bo","payment_method":null}`, `{"id":"cus_bo","payment_method":null},{"id":"cus_two"}`,
		`"subscriptions":[`, `"subscriptions":[{"id":"sub_two","customer":"cus_two","price":"price_eur","current_period_start":1767225600,"current_period_end":1769904000,"billing_cycle_anchor":1767225600},`,
	).Replace(billing(
		`{"id":"in_two","customer":"cus_two","status":"paid","currency":"usd","created_offset":10,"lines":[{"description":"x","amount":900,"quantity":1}],"charges":[{"id":"ch_two","amount":900}]}`,
		`{"id":"in_two_eur","customer":"cus_two","status":"draft","currency":"eur","created_offset":5,"lines":[{"description":"y","amount":70,"quantity":1}]}`))
}

// chance draws requests of every kind that moves money, about objects there are.
type chance struct {
	*rand.Rand
	r *rig
}

func (c chance) of(table string) string {
	rows := c.r.rows(table)
	if len(rows) == 0 {
		return "none"
	}
	return rows[c.Intn(len(rows))].get("id")
}

func (c chance) one(words ...string) string { return words[c.Intn(len(words))] }

func (c chance) amount() int {
	return []int{-9000, -700, -40, -1, 0, 1, 30, 49, 50, 999, 2500, 40000}[c.Intn(12)]
}

func (c chance) maybe(words string) string {
	if c.Intn(3) > 0 {
		return ""
	}
	return " " + words
}

// line is a line that some draft has, and the draft.
func (c chance) line() (draft, line string) {
	inv := c.r.rows("stripe.invoice")
	for range 5 {
		a := inv[c.Intn(len(inv))]
		if lines := c.r.lines(a); len(lines) > 0 {
			return a.get("id"), lines[c.Intn(len(lines))].get("id")
		}
	}
	return "none", "none"
}

func (c chance) request() string {
	cus, inv, sub := c.of("stripe.customer"), c.of("stripe.invoice"), c.of("stripe.subscription")
	currency := c.one("usd", "usd", "usd", "eur")
	price := c.one("price_m", "price_m2", "price_2w", "price_free", "price_eur")
	behavior := c.one("create_prorations", "always_invoice", "none")
	draft, line := c.line()
	item := "none"
	if row := c.r.machine.State.Get("stripe.subscription", sub); row != nil {
		item = answer{Body: row.Body}.get("items.data.0.id")
		price = c.one(price, answer{Body: row.Body}.get("items.data.0.price.id"))
	}
	switch c.Intn(29) {
	case 0, 1:
		return fmt.Sprintf("POST /v1/invoiceitems customer=%s amount=%d currency=%s%s%s%s", cus, c.amount(), currency,
			c.maybe("subscription="+sub), c.maybe("invoice="+inv), c.maybe("discounts[0][coupon]=OFF"))
	case 2:
		return fmt.Sprintf("POST /v1/invoiceitems/%s amount=%d%s", c.of("stripe.invoice_item"), c.amount(), c.maybe("discountable=true"))
	case 3:
		return "DELETE /v1/invoiceitems/" + c.of("stripe.invoice_item")
	case 4, 5:
		return fmt.Sprintf("POST /v1/invoices customer=%s auto_advance=%s%s%s%s", cus, c.one("true", "false"),
			c.maybe("pending_invoice_items_behavior=include"), c.maybe("currency="+currency), c.maybe("discounts[0][coupon]="+c.one("OFF", "HALF")))
	case 6, 7:
		return fmt.Sprintf("POST /v1/invoices/%s/add_lines lines[0][amount]=%d lines[1][amount]=%d", inv, c.amount(), c.amount())
	case 8:
		return fmt.Sprintf("POST /v1/invoices/%s/lines/%s amount=%d", draft, line, c.amount())
	case 9:
		return fmt.Sprintf("POST /v1/invoices/%s/remove_lines lines[0][id]=%s lines[0][behavior]=%s", draft, line, c.one("delete", "unassign"))
	case 10:
		return fmt.Sprintf("POST /v1/invoices/%s auto_advance=true%s", inv, c.maybe("discounts[0][coupon]=HALF"))
	case 11, 12:
		return fmt.Sprintf("POST /v1/invoices/%s/%s", inv, c.one("finalize", "pay", "pay", "void", "mark_uncollectible"))
	case 13, 14:
		return fmt.Sprintf("POST /v1/subscriptions/%s items[0][id]=%s items[0][price]=%s items[0][quantity]=%d proration_behavior=%s", sub, item, price, c.Intn(4), behavior)
	case 15:
		return fmt.Sprintf("POST /v1/subscriptions/%s items[0][price]=%s proration_behavior=%s%s", sub, price, behavior, c.maybe("discounts[0][coupon]=HALF"))
	case 16:
		return fmt.Sprintf("POST /v1/subscriptions/%s %s proration_behavior=%s", sub, c.one("billing_cycle_anchor=now", "cancel_at_period_end=true", "cancel_at_period_end=false"), behavior)
	case 17:
		return fmt.Sprintf("DELETE /v1/subscriptions/%s prorate=%s invoice_now=%s", sub, c.one("true", "false"), c.one("true", "false"))
	case 18:
		return fmt.Sprintf("POST /v1/subscriptions customer=%s items[0][price]=%s%s", cus, price, c.maybe("discounts[0][coupon]="+c.one("OFF", "HALF")))
	case 19:
		given := []string{"", "", ""}
		amount := 1 + c.Intn(1500)
		given[c.Intn(3)] = fmt.Sprint(amount)
		return strings.NewReplacer("A=", "refund_amount="+given[0], "B=", "credit_amount="+given[1], "C=", "out_of_band_amount="+given[2]).Replace(
			fmt.Sprintf("POST /v1/credit_notes invoice=%s amount=%d ", inv, amount) + []string{"A=", "B=", "C=", ""}[c.Intn(4)])
	case 20:
		return fmt.Sprintf("POST /v1/credit_notes/%s/void", c.of("stripe.credit_note"))
	case 21:
		return fmt.Sprintf("POST /v1/customers/%s/balance_transactions amount=%d currency=%s", cus, c.amount(), currency)
	case 22:
		return fmt.Sprintf("POST /v1/refunds charge=%s amount=%d", c.of("stripe.charge"), 1+c.Intn(900))
	}
	if line := c.change(cus, sub, item, price, behavior); line != "" {
		return line
	}
	return fmt.Sprintf("POST /v1/invoices/create_preview customer=%s%s", cus, c.maybe("subscription="+sub))
}

// change begins or changes a subscription in the less usual ways, "" for none.
func (c chance) change(cus, sub, item, price, behavior string) string {
	now := c.r.machine.State.Now()
	switch c.Intn(6) {
	case 0:
		return fmt.Sprintf("POST /v1/subscriptions customer=%s items[0][price]=%s billing_cycle_anchor=%d proration_behavior=%s", cus, price, now+int64(1+c.Intn(20*86400)), behavior)
	case 1:
		return fmt.Sprintf("POST /v1/subscriptions/%s trial_end=%d proration_behavior=%s", sub, now+int64(1+c.Intn(20*86400)), behavior)
	case 2:
		return fmt.Sprintf("POST /v1/subscriptions/%s add_invoice_items[0][price_data][currency]=%s add_invoice_items[0][price_data][product]=prod_pro add_invoice_items[0][price_data][unit_amount]=%d%s%s",
			sub, c.one("usd", "eur"), c.Intn(900), c.maybe("trial_end=now"), c.maybe("billing_cycle_anchor=now"))
	case 3, 4:
		if c.Intn(2) == 0 {
			return fmt.Sprintf("POST /v1/customers/%s invoice_settings[default_payment_method]=%s", cus, c.of("stripe.payment_method"))
		}
		return fmt.Sprintf("POST /v1/subscriptions/%s items[0][id]=%s items[0][quantity]=%d proration_behavior=always_invoice payment_behavior=pending_if_incomplete%s%s", sub, item, c.Intn(4),
			c.maybe("billing_cycle_anchor=now"), c.maybe(fmt.Sprintf("trial_end=%d", now+int64(1+c.Intn(9*86400)))))
	}
	return ""
}

// TestNoRequestBuildsUnbillable: whatever is asked for, the clock can always go on,
// nothing fails, and the books balance.
func TestNoRequestBuildsUnbillable(t *testing.T) {
	worlds := 24
	if testing.Short() {
		worlds = 4
	}
	accepted := map[string]int{}
	for seed := range worlds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := newRig(t, twoCurrencies())
			r.ok("POST /v1/coupons id=OFF amount_off=400 currency=usd duration=once")
			r.ok("POST /v1/coupons id=HALF percent_off=50 duration=repeating duration_in_months=2")
			r.ok("POST /v1/payment_methods/pm_card_chargeCustomerFail/attach customer=cus_two")
			c := chance{rand.New(rand.NewSource(int64(seed))), r}
			var script []string
			for range 150 {
				line := c.request()
				a := r.do(line)
				if a.Status == 200 {
					words := strings.Fields(line)
					accepted[words[0]+" "+kindOf(words[1])]++
				}
				script = append(script, fmt.Sprintf("%d %s", a.Status, line))
				if a.Status >= 500 && a.Status != 501 {
					t.Fatalf("%s\n%s", strings.Join(script, "\n"), a.Body)
				}
				if c.Intn(8) == 0 {
					if a := r.operate("advance", twin.AdvanceBy(int64(c.Intn(12)*86400+c.Intn(5000)))); a.Status != 200 {
						t.Fatalf("%s\n%s", strings.Join(script, "\n"), a.Body)
					}
				}
			}
			if a := r.operate("advance", twin.AdvanceBy(70*86400)); a.Status != 200 {
				t.Fatalf("%s\n%s", strings.Join(script, "\n"), a.Body)
			}
			r.money()
			if t.Failed() {
				t.Logf("%s", strings.Join(script, "\n"))
			}
		})
	}
	if len(accepted) < 20 && !testing.Short() {
		t.Errorf("only %d kinds of request were ever accepted: %v", len(accepted), accepted)
	}
}

// kindOf is a path with its ids left out.
func kindOf(path string) string {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		if i > 2 && (strings.Contains(s, "_") && !strings.HasSuffix(s, "s") && s != "create_preview" && s != "mark_uncollectible") {
			segments[i] = "*"
		}
	}
	return strings.Join(segments, "/")
}

// TestDoors: what would build an unbillable renewal is refused at each door; what
// helps against one is let in.
func TestDoors(t *testing.T) {
	r := newRig(t, twoCurrencies())
	item := r.ok("GET /v1/subscriptions/sub_two").get("items.data.0.id")
	own := r.ok("POST /v1/invoices/in_two_eur/add_lines lines[0][amount]=30").get("lines.data.1.id")
	const pinned = "400 - - You cannot combine currencies on a single customer. This customer has had a subscription, coupon, or invoice item with currency usd"
	for _, row := range [][2]string{
		{"POST /v1/prices product=prod_pro currency=usd unit_amount=-1", "400 parameter_invalid_integer unit_amount This value must be greater than or equal to 0."},
		{"POST /v1/subscription_items/" + item + " quantity=0", pinned},
		{"POST /v1/subscription_items/" + item + " quantity=0 proration_behavior=always_invoice", pinned},
		{"POST /v1/subscriptions/sub_two items[0][id]=" + item + " items[0][quantity]=0", pinned},
		{"POST /v1/subscriptions/sub_two billing_cycle_anchor=now", pinned},
		{"DELETE /v1/subscriptions/sub_two prorate=true", pinned},
		{"POST /v1/invoiceitems customer=cus_two amount=-1 currency=eur", pinned},
		{"POST /v1/invoiceitems customer=cus_two amount=-1 currency=eur subscription=sub_two", pinned},
		{"POST /v1/invoiceitems customer=cus_two amount=-1 currency=eur invoice=in_two_eur", pinned},
		{"POST /v1/invoices/in_two_eur/add_lines lines[0][amount]=-1", pinned},
		{"POST /v1/invoices/in_two_eur/update_lines lines[0][id]=" + own + " lines[0][amount]=-1", pinned},
		{"POST /v1/invoices/in_two_eur/lines/" + own + " amount=-1", pinned},
		{"POST /v1/invoices customer=cus_two currency=eur", pinned},
		{"POST /v1/subscriptions customer=cus_two items[0][price]=price_eur", pinned},
		{"POST /v1/customers/cus_two/balance_transactions amount=-1 currency=eur", pinned},
	} {
		r.refused(row[0], row[1])
	}
	r.ok("POST /v1/subscription_items/" + item + " quantity=0 proration_behavior=none")
	r.ok("POST /v1/invoiceitems customer=cus_two amount=500 currency=eur")
	if got := r.ok("GET /v1/customers/cus_two").get("currency"); got != "usd" {
		t.Errorf("the currency is %s", got)
	}
	r.by(40)
	latest := r.ok("GET /v1/subscriptions/sub_two").get("latest_invoice")
	if got := r.ok("GET /v1/invoices/" + latest); got.get("total")+got.get("currency")+got.get("status") != "500eurpaid" {
		t.Errorf("billed %s %s, %s", got.get("total"), got.get("currency"), got.get("status"))
	}
}
