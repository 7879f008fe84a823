package stripe_test

import (
	"fmt"
	"math/rand"
	"slices"
	"strconv"
	"strings"
	"testing"

	"worlds/journal/canon"
	"worlds/seed"
	"worlds/twin"
	"worlds/twin/stripe"
)

// rows lists every object of a table, oldest first.
func (r *rig) rows(table string) []answer {
	var out []answer
	for row := range r.machine.State.Oldest(table, 0) {
		out = append(out, answer{Body: row.Body})
	}
	return out
}

// int reads an integer at path; what is null or absent counts as 0.
func (a answer) int(path string) int64 {
	n, _ := strconv.ParseInt(a.get(path), 10, 64)
	return n
}

// money checks what must hold of invoices, their lines, payments and charges in
// any state.
func (r *rig) money() {
	r.t.Helper()
	numbers := map[string][]string{}
	for _, inv := range r.rows("stripe.invoice") {
		id, status := inv.get("id"), inv.get("status")
		fault := func(format string, args ...any) { r.t.Errorf("%s (%s): %s", id, status, fmt.Sprintf(format, args...)) }
		var sum int64
		data, _ := canon.Get(canon.Raw(inv.get("lines")), "data")
		lines := 0
		for l := range canon.Elements(data) {
			sum, lines = sum+answer{Body: l}.int("amount"), lines+1
		}
		for row := range r.machine.State.OldestWith("stripe.line", "invoice="+id, 0) {
			sum, lines = sum+answer{Body: row.Body}.int("amount"), lines+1
		}
		if sum != inv.int("subtotal") || int64(lines) != inv.int("lines.total_count") {
			fault("%d lines of %d in all, subtotal %d, total %d", lines, sum, inv.int("subtotal"), inv.int("total"))
		}
		if left := inv.int("amount_due") - inv.int("amount_paid"); left != inv.int("amount_remaining") || left < 0 {
			fault("due %d, paid %d, remaining %d", inv.int("amount_due"), inv.int("amount_paid"), inv.int("amount_remaining"))
		}
		if (status == "paid") != (inv.get("status_transitions.paid_at") != "null") {
			fault("paid at %s", inv.get("status_transitions.paid_at"))
		}
		if (status == "draft") != (inv.get("number") == "null") {
			fault("number %s", inv.get("number"))
		}
		if status != "draft" {
			prefix, n, _ := strings.Cut(inv.get("number"), "-")
			numbers[prefix] = append(numbers[prefix], n)
			due := inv.int("total") + inv.int("starting_balance") - inv.int("ending_balance") - inv.int("pre_payment_credit_notes_amount")
			if due != inv.int("amount_due") {
				fault("total %d with a balance from %d to %d is due as %d", inv.int("total"), inv.int("starting_balance"), inv.int("ending_balance"), inv.int("amount_due"))
			}
		}
	}
	for prefix, list := range numbers {
		slices.Sort(list)
		for i, n := range list {
			if want := fmt.Sprintf("%04d", i+1); n != want {
				r.t.Errorf("invoice numbers of %s: %s where %s is next", prefix, n, want)
			}
		}
	}
	r.payments()
}

// payments checks the links between invoices, intents and charges.
func (r *rig) payments() {
	r.t.Helper()
	defaults := map[string]int{}
	for _, link := range r.rows("stripe.invoice_payment") {
		if link.get("is_default") == "true" {
			defaults[link.get("invoice")]++
		}
		pi := answer{Body: r.machine.State.Get("stripe.payment_intent", link.get("payment.payment_intent")).Body}
		if (link.get("status") == "paid") != (pi.get("status") == "succeeded") || link.int("amount_paid") != pi.int("amount_received") {
			r.t.Errorf("%s is %s, its intent %s", link.get("id"), link.get("status"), pi.get("status"))
		}
	}
	for id, n := range defaults {
		if n != 1 {
			r.t.Errorf("%s has %d default payments", id, n)
		}
	}
	refunded := map[string]int64{}
	for _, re := range r.rows("stripe.refund") {
		refunded[re.get("charge")] += re.int("amount")
	}
	for _, ch := range r.rows("stripe.charge") {
		before := ch.int("amount_refunded") - refunded[ch.get("id")] // of before the epoch
		if before < 0 || ch.int("amount_refunded") > ch.int("amount") ||
			(ch.get("refunded") == "true") != (ch.int("amount_refunded") == ch.int("amount")) {
			r.t.Errorf("%s: refunded %s of %s, %s", ch.get("id"), ch.get("amount_refunded"), ch.get("amount"), ch.get("refunded"))
		}
	}
}

// TestLibraryServed: every seed of the library loads quietly, each of its objects
// is answered by its route in Stripe's shape, and the money laws hold.
func TestLibraryServed(t *testing.T) {
	for _, name := range seed.Names() {
		t.Run(name, func(t *testing.T) {
			s, err := seed.Lookup(name)
			if err != nil {
				t.Fatal(err)
			}
			if len(s.Unserved()) > 0 {
				t.Fatalf("the library has a seed that is not served: %s", s.Unserved())
			}
			r := newRig(t, string(s.Canonical))
			for _, kind := range stripe.Catalog().Kinds() {
				route := "/v1/" + kind.Object + "s"
				if kind.Table == "" || kind.Object == "line_item" {
					continue
				}
				for _, row := range some(r.rows(kind.Table)) {
					r.ok("GET " + route + "/" + row.get("id"))
				}
			}
			for _, inv := range some(r.rows("stripe.invoice")) {
				r.ok("GET /v1/invoices/" + inv.get("id") + "/lines")
				r.ok("GET /v1/invoices/" + inv.get("id") + "?expand[]=payments.data.payment.payment_intent")
			}
			for _, sub := range some(r.rows("stripe.subscription")) {
				r.ok("GET /v1/subscription_items/" + sub.get("items.data.0.id"))
			}
			if r.events() != "" {
				t.Errorf("loading emitted events")
			}
			r.money()
		})
	}
}

// some is all rows, or every so many of a large table.
func some(rows []answer) (out []answer) {
	step := len(rows)/100 + 1
	for i := 0; i < len(rows); i += step {
		out = append(out, rows[i])
	}
	return out
}

// TestDoubleCharge: the planted duplicate is two payments of one invoice, of which
// one can be refunded, once.
func TestDoubleCharge(t *testing.T) {
	s, err := seed.Lookup("saas-billing-small")
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, string(s.Canonical))
	dana := r.ok("GET /v1/customers?email=dana@doublepay.example").each("id")
	var twice answer
	for _, id := range strings.Fields(r.ok("GET /v1/invoices?customer=" + dana).each("id")) {
		links := r.ok("GET /v1/invoice_payments?invoice=" + id + "&expand[]=data.payment.payment_intent")
		if len(strings.Fields(links.each("id"))) == 2 {
			twice = links
		}
	}
	if twice.each("is_default") != "false true" || twice.each("amount_paid") != "4000 4000" || twice.each("status") != "paid paid" {
		t.Fatalf("the payments of the doubly paid invoice: %s", twice.Body)
	}
	charge := strings.Fields(twice.each("payment.payment_intent.latest_charge"))[0]
	r.ok("POST /v1/refunds charge=" + charge + " reason=duplicate")
	r.refused("POST /v1/refunds charge="+charge, "400 charge_already_refunded - Charge "+charge+" has already been refunded.")
	r.money()
}

// TestSeededHistory: how seeded invoices stand.
func TestSeededHistory(t *testing.T) {
	r := newRig(t, billing(
		`{"id":"in_new","customer":"cus_ada","status":"open","lines":[{"description":"B","amount":100}]}`,
		`{"id":"in_draft","customer":"cus_ada","status":"draft","created_offset":500,"lines":[{"description":"D","amount":100}]}`,
		`{"id":"in_old","customer":"cus_ada","status":"paid","created_offset":900,"lines":[{"description":"A","amount":6000,"quantity":3,"price":"price_m"}],"charges":[{"id":"ch_1","amount":6000,"amount_refunded":6000},{"id":"ch_2","amount":4000}]}`,
		`{"id":"in_oob","customer":"cus_bo","status":"paid","created_offset":400,"lines":[{"description":"C","amount":100}]}`,
		`{"id":"in_eur","customer":"cus_cy","status":"void","currency":"eur","lines":[{"description":"E","amount":100}]}`,
		`{"id":"in_usd","customer":"cus_cy","status":"uncollectible","created_offset":9,"lines":[{"description":"E","amount":100}]}`,
	))
	for _, row := range [][3]string{
		{"/v1/customers/cus_ada", "next_invoice_sequence", "3"},
		{"/v1/customers/cus_ada", "currency", "usd"},
		{"/v1/customers/cus_cy", "currency", "eur"},
		{"/v1/invoices/in_draft", "number", "null"},
		{"/v1/invoices/in_old", "amount_paid", "6000"},
		{"/v1/invoices/in_old", "amount_overpaid", "0"},
		{"/v1/invoices/in_old", "amount_paid_off_stripe", "0"},
		{"/v1/invoices/in_old", "attempt_count", "1"},
		{"/v1/invoices/in_old", "status_transitions.paid_at", "1767224700"},
		{"/v1/invoices/in_old", "lines.data.0.pricing.unit_amount_decimal", "2000"},
		{"/v1/invoices/in_old", "lines.data.0.period.end", "1769903100"},
		{"/v1/invoices/in_oob", "amount_paid_off_stripe", "100"},
		{"/v1/invoices/in_oob", "attempted", "false"},
		{"/v1/invoices/in_eur", "status_transitions.voided_at", "1767225600"},
		{"/v1/invoices/in_usd", "status_transitions.marked_uncollectible_at", "1767225591"},
		{"/v1/charges/ch_1", "refunded", "true"},
		{"/v1/subscriptions/sub_ada", "latest_invoice", "null"},
		{"/v1/subscriptions/sub_ada", "plan.id", "price_m"},
	} {
		if got := r.ok("GET " + row[0]).get(row[1]); got != row[2] {
			t.Errorf("%s of %s is %s, want %s", row[1], row[0], got, row[2])
		}
	}
	prefix := r.ok("GET /v1/customers/cus_ada").get("invoice_prefix")
	for id, n := range map[string]string{"in_old": "0001", "in_new": "0002"} {
		if got := r.ok("GET /v1/invoices/" + id).get("number"); got != prefix+"-"+n {
			t.Errorf("%s has the number %s, want %s-%s", id, got, prefix, n)
		}
	}
	r.money()
}

// TestRandomBilling throws random requests at a world: what is refused changes
// nothing (but for a decline, which leaves its traces), and the money laws always
// hold.
func TestRandomBilling(t *testing.T) {
	verbs := []string{
		"POST /v1/invoices/%s/finalize", "POST /v1/invoices/%s/pay", "POST /v1/invoices/%s/pay paid_out_of_band=true",
		"POST /v1/invoices/%s/pay payment_method=pm_card_visa", "POST /v1/invoices/%s/pay payment_method=pm_card_chargeCustomerFail",
		"POST /v1/invoices/%s/void", "POST /v1/invoices/%s/mark_uncollectible", "POST /v1/invoices/%s description=x", "DELETE /v1/invoices/%s",
	}
	other := []string{
		"POST /v1/invoices customer=cus_ada", "POST /v1/subscriptions customer=cus_ada items[0][price]=price_m2",
		"POST /v1/subscriptions customer=cus_cy items[0][price]=price_m", "DELETE /v1/subscriptions/sub_ada",
		"POST /v1/subscriptions customer=cus_bo items[0][price]=price_2w collection_method=send_invoice days_until_due=2",
		"POST /v1/customers/cus_bo name=B",
	}
	for seed := range int64(20) {
		random := rand.New(rand.NewSource(seed))
		r := newRig(t, strings.Replace(inEveryStatus(), `"amount":1500`, `"amount":30`, 2))
		for range 40 {
			line := other[random.Intn(len(other))]
			if random.Intn(4) > 0 {
				rows := r.rows("stripe.invoice")
				line = fmt.Sprintf(verbs[random.Intn(len(verbs))], rows[random.Intn(len(rows))].get("id"))
			}
			before := r.dump()
			a := r.do(line)
			if a.Status != 200 && a.Status != 402 && r.dump() != before {
				t.Errorf("seed %d: %s is refused with %d and changed the world", seed, line, a.Status)
			}
			if a.Status >= 500 {
				t.Errorf("seed %d: %s → %s", seed, line, a.Body)
			}
			r.money()
			if t.Failed() {
				t.Fatalf("seed %d, after %s", seed, line)
			}
		}
	}
}

// BenchmarkGenesis loads the library's small seed.
func BenchmarkGenesis(b *testing.B) {
	s, err := seed.Lookup("saas-billing-small")
	if err != nil {
		b.Fatal(err)
	}
	catalog := stripe.Catalog()
	for b.Loop() {
		if _, err := twin.Genesis(s, catalog); err != nil {
			b.Fatal(err)
		}
	}
}
