package stripe_test

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"worlds/journal/canon"
	"worlds/seed"
	"worlds/testscripts/invariant"
	"worlds/twin"
	"worlds/twin/stripe"
)

// exported is a world as a seed, and what of it the seed does not say.
func exported(t testing.TB, m *twin.Machine) (*seed.Seed, map[string]int64) {
	t.Helper()
	s, lost, err := twin.ExportSeed(m.State, m.Spec, "fork", stripe.Catalog())
	if err != nil {
		t.Fatalf("the export is no seed: %v", err)
	}
	counts := map[string]int64{}
	for _, l := range lost {
		counts[l.What] = l.Count
	}
	return s, counts
}

func dataOf(t testing.TB, s *seed.Seed) string {
	t.Helper()
	data, ok := canon.Get(s.Canonical, "data")
	if !ok {
		t.Fatal("no data")
	}
	return string(data)
}

// A seed that was only loaded leaves as it came, and nothing is lost.
func TestLoadedSeedsLeaveAsTheyCame(t *testing.T) {
	for _, name := range seed.Names() {
		s, err := seed.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if testing.Short() && len(s.Document.Data.Customers) > 500 {
			continue
		}
		first, lost := exported(t, freshMachine(t, s))
		if len(lost) > 0 {
			t.Errorf("%s: lost %v", name, lost)
		}
		for what, pair := range map[string][2]int{
			"customers":     {len(s.Document.Data.Customers), len(first.Document.Data.Customers)},
			"prices":        {len(s.Document.Data.Prices), len(first.Document.Data.Prices)},
			"invoices":      {len(s.Document.Data.Invoices), len(first.Document.Data.Invoices)},
			"subscriptions": {len(s.Document.Data.Subscriptions), len(first.Document.Data.Subscriptions)},
			"disputes":      {len(s.Document.Data.Disputes), len(first.Document.Data.Disputes)},
		} {
			if pair[0] != pair[1] {
				t.Errorf("%s: %d %s became %d", name, pair[0], what, pair[1])
			}
		}
		if again, _ := exported(t, freshMachine(t, first)); dataOf(t, again) != dataOf(t, first) {
			t.Errorf("%s: the second export differs from the first", name)
		}
	}
}

// TestExportCountsWhatItDrops: each kind that a seed has no place for is counted.
func TestExportCountsWhatItDrops(t *testing.T) {
	r := newRig(t, billing(
		`{"id":"in_paid","customer":"cus_ada","status":"paid","created_offset":10,"lines":[{"description":"x","amount":9000,"quantity":1}],"charges":[{"id":"ch_paid","amount":9000}]}`))
	r.ok("POST /v1/refunds charge=ch_paid amount=1000")
	r.ok("POST /v1/payment_intents amount=500 currency=usd customer=cus_ada payment_method=pm_card_visa confirm=true automatic_payment_methods[enabled]=true automatic_payment_methods[allow_redirects]=never")
	sub := r.ok("POST /v1/subscriptions customer=cus_ada items[0][price]=price_m").get("id")
	r.ok("DELETE /v1/subscriptions/" + sub)
	r.ok("POST /v1/invoiceitems customer=cus_ada amount=300 currency=usd")
	gone := r.ok("POST /v1/customers name=Gone").get("id")
	r.ok("DELETE /v1/customers/" + gone)
	if a := r.operate("advance", twin.AdvanceBy(5)); a.Status != 200 {
		t.Fatal(string(a.Body))
	}
	s, lost := exported(t, r.machine)
	for what, want := range map[string]int64{"refund objects": 1, "pending invoice items": 1, "charges of no paid invoice": 1, "payment intents": 1,
		"canceled subscriptions": 1, "deleted customers": 1, "subscriptions behind invoices": 1} {
		if lost[what] != want {
			t.Errorf("%s: %d, want %d (all: %v)", what, lost[what], want, lost)
		}
	}
	if lost["events"] == 0 || s.Document.Epoch != 1767225605 {
		t.Errorf("events %d, epoch %d", lost["events"], s.Document.Epoch)
	}
	for _, in := range s.Document.Data.Invoices {
		if in.ID == "in_paid" && (in.CreatedOffset != 15 || in.Charges[0].AmountRefunded != 1000) {
			t.Errorf("%+v", in)
		}
	}
}

// Refunding again is refused in the fork as in the world.
func TestForkRefusesTheSameRefund(t *testing.T) {
	r := newRig(t, qaBase)
	r.ok("POST /v1/refunds charge=ch_qa01")
	s, _ := exported(t, r.machine)
	fork := newRig(t, string(s.Canonical))
	if a := fork.do("POST /v1/refunds charge=ch_qa01"); a.Status != 400 || a.get("error.code") != "charge_already_refunded" {
		t.Errorf("%s", a.Body)
	}
}

// stranger is now and then, in place of line, a request that makes a world harder to
// export.
func (c chance) stranger(line string) string {
	switch c.Intn(20) {
	case 3:
		line = fmt.Sprintf("POST /v1/invoices/%s/pay %s", c.of("stripe.invoice"), c.one("paid_out_of_band=true", "payment_method=pm_card_createDispute", "payment_method=pm_card_createDisputeInquiry"))
	case 4:
		line = fmt.Sprintf("POST /v1/disputes/%s/close", c.of("stripe.dispute"))
	case 5:
		line = fmt.Sprintf("POST /v1/customers email=%s phone=12345678901234567890 name=x metadata[k]=v description=%s", c.one("a@b.example", "no-address", "x@"), strings.Repeat("d", 10+c.Intn(340)))
	case 6:
		line = fmt.Sprintf("POST /v1/products name=P id=%s", c.one("plain", "with-dash", "odd/id", "cus_liar", "prod_ok"+fmt.Sprint(c.Intn(99))))
	case 7:
		line = fmt.Sprintf("POST /v1/prices product=%s unit_amount=%d currency=%s", c.of("stripe.product"), c.Intn(2000), c.one("usd", "jpy"))
	case 8:
		line = fmt.Sprintf("POST /v1/refunds charge=%s", c.of("stripe.charge"))
	case 9:
		line = fmt.Sprintf("POST /v1/customers payment_method=%s", c.one("pm_card_amex", "pm_card_chargeCustomerFail", "pm_card_pendingRefund"))
	case 10:
		line = fmt.Sprintf("POST /v1/subscriptions/%s %s", c.of("stripe.subscription"), c.one("trial_end=now", "pause_collection[behavior]=void", "billing_cycle_anchor=now", "cancel_at_period_end=true"))
	case 0:
		line = fmt.Sprintf("POST /v1/subscriptions customer=%s items[0][price]=price_m trial_period_days=%d", c.of("stripe.customer"), 1+c.Intn(40))
	case 1:
		line = fmt.Sprintf("POST /v1/subscriptions customer=%s items[0][price]=price_m items[1][price]=price_free", c.of("stripe.customer"))
	case 2:
		line = "DELETE /v1/customers/" + c.of("stripe.customer")
	}
	return line
}

// TestExportOfLoadIsIdempotent: whatever was asked of a world, its export is a
// seed, exporting what was loaded from that gives the same data, and the books of
// the loaded world are right.
func TestExportOfLoadIsIdempotent(t *testing.T) {
	seen := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		r := &rig{t: t, seed: nil}
		s, err := seed.Parse([]byte(twoCurrencies()))
		if err != nil {
			t.Fatal(err)
		}
		r.seed, r.machine = s, freshMachine(t, s)
		r.do("POST /v1/coupons id=OFF amount_off=400 currency=usd duration=once")
		r.do("POST /v1/coupons id=HALF percent_off=50 duration=repeating duration_in_months=2")
		c := chance{rand.New(rand.NewSource(rapid.Int64().Draw(rt, "world"))), r}
		var script []string
		for range rapid.IntRange(5, 60).Draw(rt, "requests") {
			line := c.stranger(c.request())
			script = append(script, line)
			r.do(line)
			if c.Intn(6) == 0 {
				r.operate("advance", twin.AdvanceBy(int64(c.Intn(20*86400))))
			}
		}
		first, lost := exported(t, r.machine)
		for what := range lost {
			seen[what]++
		}
		seen["disputes"] += len(first.Document.Data.Disputes)
		for _, sub := range first.Document.Data.Subscriptions {
			seen["subscription "+sub.Status]++
		}
		for _, in := range first.Document.Data.Invoices {
			seen["invoice "+in.Status]++
		}
		loaded := freshMachine(t, first)
		second, _ := exported(t, loaded)
		if a, b := dataOf(t, first), dataOf(t, second); a != b {
			rt.Fatalf("the second export differs\n%s\n%s\n%s\nlost %v", a, b, strings.Join(script, "\n"), lost)
		}
		if faults := invariant.Objects(loaded.State); len(faults) > 0 {
			rt.Fatalf("%v\n%s", faults, dataOf(t, first))
		}
	})
	for _, what := range []string{"subscription trialing", "subscription active", "invoice open", "invoice paid", "invoice draft", "invoice void",
		"canceled subscriptions", "subscriptions of several prices", "deleted customers", "refund objects"} {
		if seen[what] == 0 {
			t.Errorf("no world had %s: the requests prove nothing (%v)", what, seen)
		}
	}
}

// A fork has the future of its world: the same renewals at the same moments, for
// anchors, trials and cancellations go along. Payments that were being tried again do
// not, so the seed has none.
func TestForksHaveTheSameFuture(t *testing.T) {
	s, err := seed.Lookup("saas-billing-small")
	if err != nil {
		t.Fatal(err)
	}
	m := freshMachine(t, s)
	advance := func(m *twin.Machine, seq uint64, days int64) {
		if out := m.Execute(seq, &twin.Command{Actor: "admin", Op: "advance", Args: twin.AdvanceBy(days * 86400)}); out.Status != 200 {
			t.Fatalf("%s", out.Body)
		}
	}
	advance(m, 1, 17)
	forked, _ := exported(t, m)
	fork := freshMachine(t, forked)
	advance(m, 2, 120)
	advance(fork, 1, 120)
	one, _ := exported(t, m)
	two, _ := exported(t, fork)
	future := func(s *seed.Seed) (rows []string) {
		for _, in := range s.Document.Data.Invoices {
			if at := s.Document.Epoch - in.CreatedOffset; at > forked.Document.Epoch {
				rows = append(rows, fmt.Sprintf("%s %s %d %s %d", in.Customer, in.Status, at, in.Currency, in.Total()))
			}
		}
		for _, sub := range s.Document.Data.Subscriptions {
			rows = append(rows, fmt.Sprintf("%s %s %d..%d %d", sub.ID, sub.Status, sub.CurrentPeriodStart, sub.CurrentPeriodEnd, sub.BillingCycleAnchor))
		}
		slices.Sort(rows)
		return rows
	}
	if a, b := strings.Join(future(one), "\n"), strings.Join(future(two), "\n"); a != b || len(future(one)) < 100 {
		t.Errorf("the world\n%s\nthe fork\n%s", a, b)
	}
}

// Sums of a million and more keep their digits in a seed that is made of a world, and
// in the world that is made of that.
func TestLargeAmountsInAnExport(t *testing.T) {
	s, err := seed.Parse([]byte(strings.NewReplacer(`"unit_amount":2000`, `"unit_amount":1003800`, `"amount":4000`, `"amount":99999999`).Replace(qaBase)))
	if err != nil {
		t.Fatal(err)
	}
	first, _ := exported(t, freshMachine(t, s))
	again, _ := exported(t, freshMachine(t, first))
	for i, text := range []string{dataOf(t, first), dataOf(t, again)} {
		if strings.Contains(text, "e+") || !strings.Contains(text, `"unit_amount":1003800`) || !strings.Contains(text, "99999999") {
			t.Errorf("export %d: %s", i, text)
		}
	}
}
