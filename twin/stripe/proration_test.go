package stripe_test

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// prorations lists the amounts of the proration items of a customer, oldest first.
func (r *rig) prorations(customer string) string {
	var out []string
	for _, it := range r.rows("stripe.invoice_item") {
		if it.get("customer") == customer && it.get("proration") == "true" {
			out = append(out, it.get("amount"))
		}
	}
	return strings.Join(out, " ")
}

// TestProration: each way to settle a change, as a story.
func TestProration(t *testing.T) {
	for _, story := range [...]struct {
		name  string
		lines []string
	}{
		{"later", []string{"POST /v1/subscriptions/SUB items[0][id]=ITEM items[0][price]=price_m2"}},
		{"at_once", []string{"POST /v1/subscriptions/SUB items[0][id]=ITEM items[0][quantity]=3 proration_behavior=always_invoice"}},
		{"downgrade_at_once", []string{"POST /v1/subscriptions/SUB items[0][id]=ITEM items[0][price]=price_free proration_behavior=always_invoice"}},
		{"never", []string{"POST /v1/subscriptions/SUB items[0][id]=ITEM items[0][price]=price_m2 proration_behavior=none"}},
		{"interval", []string{"POST /v1/subscriptions/SUB items[0][id]=ITEM items[0][price]=price_2w"}},
		{"anchor_now", []string{"POST /v1/subscriptions/SUB billing_cycle_anchor=now proration_behavior=none"}},
		{"items", []string{
			"POST /v1/subscription_items subscription=SUB price=price_m2 quantity=2",
			"DELETE /v1/subscription_items/ITEM"}},
		{"cancel_prorated", []string{"DELETE /v1/subscriptions/SUB prorate=true"}},
		{"cancel_invoiced", []string{"DELETE /v1/subscriptions/SUB prorate=true invoice_now=true"}},
		{"cancel_at_end", []string{
			"POST /v1/subscriptions/SUB items[0][id]=ITEM items[0][quantity]=2",
			"POST /v1/subscriptions/SUB cancel_at_period_end=true"}},
		{"cancel_drops", []string{
			"POST /v1/subscriptions/SUB items[0][id]=ITEM items[0][quantity]=2",
			"DELETE /v1/subscriptions/SUB"}},
	} {
		t.Run(story.name, func(t *testing.T) {
			r := newRig(t, billing())
			r.ok("DELETE /v1/subscriptions/sub_ada")
			sub := r.ok("POST /v1/subscriptions customer=cus_ada items[0][price]=price_m")
			names := strings.NewReplacer("SUB", sub.get("id"), "ITEM", sub.get("items.data.0.id"))
			r.by(10)
			r.story("ten days on")
			for _, line := range story.lines {
				line = names.Replace(line)
				if a := r.do(line); a.Status != 200 {
					t.Fatalf("%s → %d %s", line, a.Status, a.Body)
				}
				r.story(line)
			}
			r.by(40)
			r.story("forty days later")
			for _, inv := range r.rows("stripe.invoice") {
				if inv.get("subscription") != "" || inv.get("parent.subscription_details.subscription") != sub.get("id") {
					continue
				}
				fmt.Fprintf(&r.text, "%s %s total %s due %s balance %s→%s\n", inv.get("number"), inv.get("billing_reason"),
					inv.get("total"), inv.get("amount_due"), inv.get("starting_balance"), inv.get("ending_balance"))
				for i := 0; inv.get(fmt.Sprintf("lines.data.%d.id", i)) != ""; i++ {
					at := fmt.Sprintf("lines.data.%d.", i)
					fmt.Fprintf(&r.text, "  %s: %s [%s, %s)\n", inv.get(at+"description"), inv.get(at+"amount"),
						day(inv.int(at+"period.start")), day(inv.int(at+"period.end")))
				}
			}
			r.golden("proration_" + story.name)
		})
	}
}

// TestProrationRounding: each line is rounded toward minus infinity by itself.
func TestProrationRounding(t *testing.T) {
	for _, row := range []struct {
		price, quantity int64
		after           float64 // days into a period of 31
		want            string
	}{
		{5, 1, 15.5, "-3 5"}, // −2.5 → −3, and twice that exactly: 5
		{9, 1, 15.5, "-5 9"}, // −4.5 → −5
		{2000, 1, 10.333334, "-1334 2666"},
		{2000, 1, 0, "-2000 4000"},
		{2000, 1, 31, ""},
		{0, 1, 3, "0 0"},
		{999, 3, 20, "-1064 2126"},
	} {
		r := newRig(t, billing())
		price := r.ok(fmt.Sprintf("POST /v1/prices product=prod_pro currency=usd recurring[interval]=month unit_amount=%d", row.price)).get("id")
		sub := r.ok(fmt.Sprintf("POST /v1/subscriptions customer=cus_ada items[0][price]=%s items[0][quantity]=%d", price, row.quantity))
		if row.after == 31 {
			r.by(30.999)
			at := sub.get("items.data.0.current_period_end")
			r.ok(fmt.Sprintf("POST /v1/subscription_items/%s quantity=%d proration_date=%s", sub.get("items.data.0.id"), 2*row.quantity, at))
			row.want = "0 0"
		} else {
			r.by(row.after)
			r.ok(fmt.Sprintf("POST /v1/subscription_items/%s quantity=%d", sub.get("items.data.0.id"), 2*row.quantity))
		}
		if got := r.prorations("cus_ada"); got != row.want {
			t.Errorf("%d × %d after %v days: %s, want %s", row.quantity, row.price, row.after, got, row.want)
		}
	}
}

// TestProrationPayment: what becomes of a change that cannot be paid.
func TestProrationPayment(t *testing.T) {
	start := func() (*rig, string) {
		r := newRig(t, billing())
		sub := r.ok("POST /v1/subscriptions customer=cus_cy items[0][price]=price_free")
		r.by(3)
		r.events()
		return r, "POST /v1/subscriptions/" + sub.get("id") + " items[0][id]=" + sub.get("items.data.0.id") + " items[0][price]=price_m proration_behavior=always_invoice"
	}
	r, change := start()
	if a := r.ok(change + " expand[]=latest_invoice"); a.get("status") != "past_due" || a.get("latest_invoice.status") != "open" {
		t.Errorf("allowed: %s, its invoice %s", a.get("status"), a.get("latest_invoice.status"))
	}
	r, change = start()
	r.refused(change+" payment_behavior=error_if_incomplete", "402 card_declined - Your card was declined.")
	if a := r.ok(change + " payment_behavior=default_incomplete expand[]=latest_invoice.payments"); a.get("status") != "past_due" || a.get("latest_invoice.attempted") != "false" {
		t.Errorf("default: %s, its invoice attempted %s", a.get("status"), a.get("latest_invoice.attempted"))
	} else if b := r.ok("POST /v1/invoices/" + a.get("latest_invoice.id") + "/pay payment_method=pm_card_visa"); b.get("status") != "paid" {
		t.Errorf("paid: %s", b.get("status"))
	} else if got := r.ok("GET /v1/subscriptions/" + a.get("id")).get("status"); got != "active" {
		t.Errorf("after the payment: %s", got)
	}
}

// modelItem is an item as the model of TestProrationModel sees it.
type modelItem struct{ unit, quantity int64 }

// share is amount·left/whole, rounded down, by rationals.
func share(amount, left, whole int64) int64 {
	q := new(big.Rat).Mul(big.NewRat(amount, 1), big.NewRat(left, whole))
	floor := new(big.Int)
	m := new(big.Int)
	floor.DivMod(q.Num(), q.Denom(), m)
	return floor.Int64()
}

// TestProrationModel changes a subscription at random and compares what it is
// billed, and the customer's balance, with a model of a few lines.
func TestProrationModel(t *testing.T) {
	units := map[string]int64{"price_m": 2000, "price_m2": 3000, "price_free": 0}
	names := []string{"price_m", "price_m2", "price_free"}
	rapid.Check(t, func(rt *rapid.T) {
		r := newRig(t, billing())
		r.ok("DELETE /v1/subscriptions/sub_ada")
		r.ok("POST /v1/customers/cus_ada/balance_transactions currency=usd amount=" + fmt.Sprint(rapid.Int64Range(-5000, 5000).Draw(rt, "balance")))
		sub := r.ok("POST /v1/subscriptions customer=cus_ada items[0][price]=price_m")
		item, was := sub.get("items.data.0.id"), modelItem{2000, 1}
		start, end := sub.int("items.data.0.current_period_start"), sub.int("items.data.0.current_period_end")
		balance := r.ok("GET /v1/customers/cus_ada").int("balance")
		paid := r.charged()
		var pending int64
		for range rapid.IntRange(1, 6).Draw(rt, "changes") {
			left := end - r.machine.State.Now()
			step := rapid.Int64Range(0, left/2).Draw(rt, "seconds")
			r.until(r.machine.State.Now() + step)
			price := rapid.SampledFrom(names).Draw(rt, "price")
			now := modelItem{units[price], rapid.Int64Range(0, 4).Draw(rt, "quantity")}
			behavior := rapid.SampledFrom([]string{"create_prorations", "always_invoice", "none"}).Draw(rt, "behavior")
			same := r.ok("GET /v1/subscription_items/"+item).get("price.id") == price && now.quantity == was.quantity
			r.ok(fmt.Sprintf("POST /v1/subscription_items/%s price=%s quantity=%d proration_behavior=%s", item, price, now.quantity, behavior))
			left = end - r.machine.State.Now()
			change := share(-was.unit*was.quantity, left, end-start) + share(now.unit*now.quantity, left, end-start)
			switch {
			case same || behavior == "none":
			case behavior == "create_prorations":
				pending += change
			default:
				due := owed(change, &balance)
				paid += due
			}
			was = now
		}
		r.until(end)
		paid += owed(pending+was.unit*was.quantity, &balance)
		if got := r.ok("GET /v1/customers/cus_ada").int("balance"); got != balance {
			rt.Errorf("a balance of %d, the model says %d", got, balance)
		}
		if got := r.charged(); got != paid {
			rt.Errorf("charged %d, the model says %d", got, paid)
		}
		r.money()
	})
}

// owed is what an invoice of a total asks for, after the balance: the model's view.
func owed(total int64, balance *int64) int64 {
	*balance += total
	if *balance < 50 {
		return 0
	}
	due := *balance
	*balance = 0
	return due
}

// charged is all that charges have brought in.
func (r *rig) charged() (sum int64) {
	for _, ch := range r.rows("stripe.charge") {
		if ch.get("status") == "succeeded" {
			sum += ch.int("amount")
		}
	}
	return sum
}

// TestDecimalAmounts: a unit can cost a fraction of the smallest sum; what is billed
// is rounded half up, and prorations are exact until they are rounded down.
func TestDecimalAmounts(t *testing.T) {
	r := newRig(t, billing())
	r.ok("DELETE /v1/subscriptions/sub_ada")
	made := r.ok("POST /v1/prices product=prod_pro currency=usd recurring[interval]=month unit_amount_decimal=0015.250")
	if got := made.get("unit_amount") + " " + made.get("unit_amount_decimal"); got != "null 15.25" {
		t.Errorf("a unit costs %s", got)
	}
	if got := r.ok("POST /v1/prices product=prod_pro currency=usd unit_amount_decimal=7.00"); got.get("unit_amount") != "7" || got.get("unit_amount_decimal") != "7" {
		t.Errorf("a whole unit costs %s, %s", got.get("unit_amount"), got.get("unit_amount_decimal"))
	}
	sub := r.ok("POST /v1/subscriptions customer=cus_ada items[0][price]=" + made.get("id") + " items[0][quantity]=10 expand[]=latest_invoice")
	line := "latest_invoice.lines.data.0."
	if got := sub.get(line+"amount") + " " + sub.get(line+"description") + " " + sub.get(line+"pricing.unit_amount_decimal"); got != "153 10 × Pro (at $0.1525 / month) 15.25" {
		t.Errorf("billed %s", got)
	}
	r.by(15.5) // half of January
	r.ok("POST /v1/subscription_items/" + sub.get("items.data.0.id") + " quantity=11")
	if got := r.prorations("cus_ada"); got != "-77 83" { // −76.25 and 83.875
		t.Errorf("prorated %s", got)
	}
	item := r.ok("POST /v1/invoiceitems customer=cus_ada quantity=3 price_data[currency]=usd price_data[product]=prod_pro price_data[unit_amount_decimal]=0.5")
	if got := item.get("amount"); got != "2" { // 1.5
		t.Errorf("three halves are %s", got)
	}
	if got := r.ok("POST /v1/invoiceitems/" + item.get("id") + " quantity=1000000").get("amount"); got != "500000" {
		t.Errorf("a million halves are %s", got)
	}
	r.by(31)
}
