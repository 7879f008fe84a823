package stripe_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"worlds/journal/canon"
	"worlds/seed"
	"worlds/twin"
	"worlds/twin/stripe"
)

// split cuts a span into so many uneven steps, the same for the same source.
func split(src *rand.Rand, from, to int64, steps int) []int64 {
	at := make([]int64, 0, steps)
	for left := steps; left > 1; left-- {
		room := (to - from) / int64(left) * 2
		from += src.Int63n(max(room, 1))
		at = append(at, from)
	}
	return append(at, to)
}

// differAt shows two dumps around the first byte that differs.
func differAt(a, b string) string {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	from := max(i-200, 0)
	return fmt.Sprintf("at byte %d\n%s\n%s", i, a[from:min(i+100, len(a))], b[from:min(i+100, len(b))])
}

// evenly cuts a span into equal steps.
func evenly(from, to int64, steps int) []int64 {
	var at []int64
	for i := 1; i <= steps; i++ {
		at = append(at, from+(to-from)*int64(i)/int64(steps))
	}
	return at
}

// pass advances a machine through instants, going on until nothing pends.
func pass(t testing.TB, m *twin.Machine, seq *uint64, at []int64) {
	t.Helper()
	for _, to := range at {
		for {
			*seq++
			out := m.Execute(*seq, &twin.Command{Actor: "admin", API: "admin", Op: "advance", Args: twin.AdvanceTo(to)})
			a := answer{out.Status, out.Body}
			if a.Status != 200 {
				t.Fatalf("advance to %d → %d %s", to, a.Status, a.Body)
			}
			if a.get("renewals_pending") == "0" {
				break
			}
		}
	}
}

// TestYear: a year in one advance, in 365 and in 4,000 uneven ones ends in the
// same world.
func TestYear(t *testing.T) {
	s, err := seed.Lookup("saas-billing-small")
	if err != nil {
		t.Fatal(err)
	}
	from := s.Document.Epoch
	to := from + 365*86400
	var want string
	for i, at := range [][]int64{{to}, evenly(from, to, 365), split(rand.New(rand.NewSource(1)), from, to, 4000)} {
		m, seq := freshMachine(t, s), uint64(0)
		pass(t, m, &seq, at)
		got := dumpOf(t, m.State)
		if i == 0 {
			want = got
			t.Logf("%d events, %d ids, a dump of %d bytes in %d advances", m.State.Events(), m.State.Minted(), len(got), seq)
		}
		if got != want {
			t.Errorf("%d advances end elsewhere than one: %s", len(at), differAt(got, want))
		}
	}
}

// boundaryOf is an independent calendar: the moment n intervals after an anchor,
// by the time package.
func boundaryOf(anchor int64, interval string, count, n int) int64 {
	at := time.Unix(anchor, 0).UTC()
	switch n *= count; interval {
	case "day":
		return at.AddDate(0, 0, n).Unix()
	case "week":
		return at.AddDate(0, 0, 7*n).Unix()
	case "year":
		n *= 12
	}
	first := time.Date(at.Year(), at.Month()+time.Month(n), 1, at.Hour(), at.Minute(), at.Second(), 0, time.UTC)
	last := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(at.Day(), last)-1).Unix()
}

// plan is a random life of a world: subscriptions it begins with, and requests
// at moments.
type plan struct {
	seed     *seed.Seed
	subs     []planned
	requests []moment
	end      int64
}

type planned struct {
	interval        string
	count, quantity int
	amount          int64
	anchor          int64
}

type moment struct {
	at   int64
	line string
}

var waysToPay = []string{`"pm_card_visa"`, `"pm_card_visa"`, `"pm_card_chargeCustomerFail"`, `"pm_card_authenticationRequired"`, "null"}

func drawPlan(t *rapid.T) plan {
	const epoch = 1769853600
	var p plan
	var customers, prices, subs []string
	n := rapid.IntRange(1, 5).Draw(t, "subscriptions")
	for i := range n {
		s := planned{
			interval: rapid.SampledFrom([]string{"day", "week", "month", "month", "year"}).Draw(t, "interval"),
			quantity: rapid.IntRange(1, 3).Draw(t, "quantity"),
			amount:   rapid.SampledFrom([]int64{0, 10, 100, 1999}).Draw(t, "amount"),
		}
		s.count = rapid.IntRange(map[string]int{"day": 5, "week": 2, "month": 1, "year": 1}[s.interval], 6).Draw(t, "count")
		if s.interval == "year" {
			s.count = 1
		}
		s.anchor = epoch - rapid.Int64Range(0, 400*86400).Draw(t, "age")
		k := 0
		for boundaryOf(s.anchor, s.interval, s.count, k+1) <= epoch {
			k++
		}
		customers = append(customers, fmt.Sprintf(`{"id":"cus_%d","payment_method":%s}`, i, rapid.SampledFrom(waysToPay).Draw(t, "pays with")))
		prices = append(prices, fmt.Sprintf(`{"id":"price_%d","product":"prod_a","unit_amount":%d,"recurring":{"interval":"%s","interval_count":%d}}`, i, s.amount, s.interval, s.count))
		subs = append(subs, fmt.Sprintf(`{"id":"sub_%d","customer":"cus_%d","price":"price_%d","quantity":%d,"created_offset":%d,"current_period_start":%d,"current_period_end":%d}`,
			i, i, i, s.quantity, epoch-s.anchor, boundaryOf(s.anchor, s.interval, s.count, k), boundaryOf(s.anchor, s.interval, s.count, k+1)))
		p.subs = append(p.subs, s)
	}
	var err error
	p.seed, err = seed.Parse([]byte(`{"name":"drawn","version":1,"epoch":1769853600,"settings":{"dunning":{"exhausted":"` +
		rapid.SampledFrom([]string{"cancel", "unpaid", "past_due"}).Draw(t, "exhausted") + `"}},"data":{"customers":[` + strings.Join(customers, ",") +
		`],"products":[{"id":"prod_a","name":"A"}],"prices":[` + strings.Join(prices, ",") + `],"subscriptions":[` + strings.Join(subs, ",") + `]}}`))
	if err != nil {
		t.Fatal(err)
	}
	at := int64(epoch)
	for range rapid.IntRange(0, 6).Draw(t, "requests") {
		at += rapid.Int64Range(0, 60*86400).Draw(t, "after")
		who := rapid.IntRange(0, n-1).Draw(t, "who")
		line := rapid.SampledFrom([]string{
			"POST /v1/subscriptions/sub_%d cancel_at_period_end=true", "POST /v1/subscriptions/sub_%d cancel_at_period_end=false",
			"POST /v1/subscriptions/sub_%d pause_collection[behavior]=void", "POST /v1/subscriptions/sub_%d pause_collection=",
			"POST /v1/subscriptions customer=cus_%[1]d items[0][price]=price_%[1]d trial_period_days=5",
			"POST /v1/subscriptions customer=cus_%[1]d items[0][price]=price_%[1]d collection_method=send_invoice days_until_due=3",
			"POST /v1/invoices customer=cus_%d auto_advance=true", "DELETE /v1/customers/cus_%d",
			"POST /v1/invoiceitems customer=cus_%d amount=700 currency=usd", "POST /v1/invoiceitems customer=cus_%d amount=-2500 currency=usd",
			"POST /v1/subscriptions/sub_%d discounts[0][coupon]=HALF",
			"POST /v1/invoices customer=cus_%d auto_advance=true pending_invoice_items_behavior=include",
		}).Draw(t, "request")
		p.requests = append(p.requests, moment{at, fmt.Sprintf(line, who)})
	}
	p.end = at + rapid.Int64Range(0, 400*86400).Draw(t, "until")
	return p
}

// live runs a plan: to each of its moments in so many uneven steps.
func (p *plan) live(t testing.TB, src *rand.Rand, steps int) *twin.Machine {
	m, seq := freshMachine(t, p.seed), uint64(0)
	request(m, "POST /v1/coupons id=HALF percent_off=50 duration=repeating duration_in_months=2")
	for _, r := range append(p.requests, moment{at: p.end}) {
		pass(t, m, &seq, split(src, m.State.Now(), r.at, 1+src.Intn(steps)))
		if r.line != "" {
			request(m, r.line)
		}
	}
	return m
}

// TestSplitsAgree: however a span is split, and whatever is asked in between, the
// same world comes of it; and it is what the calendar says.
func TestSplitsAgree(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := drawPlan(rt)
		whole := p.live(t, rand.New(rand.NewSource(0)), 1)
		parts := p.live(t, rand.New(rand.NewSource(rapid.Int64().Draw(rt, "split"))), 40)
		if a, b := dumpOf(t, whole.State), dumpOf(t, parts.State); a != b {
			rt.Fatalf("two splits differ: %s", differAt(a, b))
		}
		r := &rig{t: t, machine: whole}
		r.money()
		for i := range p.subs {
			p.billed(rt, whole, i)
		}
	})
}

// billed checks the invoices of a seeded subscription: without a gap from the
// period it began with, at the calendar's boundaries, for what its price says.
func (p *plan) billed(t *rapid.T, m *twin.Machine, i int) {
	s := p.subs[i]
	sub := fmt.Sprintf("sub_%d", i)
	k := 0
	for boundaryOf(s.anchor, s.interval, s.count, k) <= p.seed.Document.Epoch {
		k++
	}
	for row := range m.State.OldestWith("stripe.invoice", "subscription="+sub, 0) {
		inv := answer{Body: row.Body}
		line := inv.subscriptionLine()
		from, to := boundaryOf(s.anchor, s.interval, s.count, k), boundaryOf(s.anchor, s.interval, s.count, k+1)
		k++
		if inv.int("created") != from || line.int("period.start") != from || line.int("period.end") != to {
			t.Fatalf("%s of %s, %d %s from %s: made %s for %s – %s, want %s – %s", inv.get("id"), sub, s.count, s.interval, day(s.anchor), day(inv.int("created")),
				day(line.int("period.start")), day(line.int("period.end")), day(from), day(to))
		}
		if line.int("amount") != s.amount*int64(s.quantity) {
			t.Fatalf("%s of %s bills %d", inv.get("id"), sub, line.int("amount"))
		}
	}
	body := m.State.Get("stripe.subscription", sub).Body
	if a := (answer{Body: body}); a.get("status") == "active" && boundaryOf(s.anchor, s.interval, s.count, k) <= p.end {
		t.Fatalf("%s was not billed at %s", sub, day(boundaryOf(s.anchor, s.interval, s.count, k)))
	}
}

// subscriptionLine is the line of an invoice that bills its subscription; the
// others are items that rode along.
func (a answer) subscriptionLine() answer {
	lines, _ := canon.Get(a.Body, "lines")
	data, _ := canon.Get(lines, "data")
	for e := range canon.Elements(data) {
		if l := (answer{Body: e}); l.get("parent.type") == "subscription_item_details" {
			return l
		}
	}
	return answer{}
}

// manySubscriptions is a seed of n monthly subscriptions, each of its own
// customer, renewing at different seconds of one day.
func manySubscriptions(t testing.TB, n int) *seed.Seed {
	t.Helper()
	var customers, subscriptions strings.Builder
	for i := range n {
		if i > 0 {
			customers.WriteByte(',')
			subscriptions.WriteByte(',')
		}
		fmt.Fprintf(&customers, `{"id":"cus_%06d"}`, i)
		fmt.Fprintf(&subscriptions, `{"id":"sub_%06d","customer":"cus_%06d","price":"price_m","created_offset":%d}`, i, i, i%86400)
	}
	s, err := seed.Parse([]byte(`{"name":"many","version":1,"epoch":1767225600,"data":{"customers":[` + customers.String() + `],
		"products":[{"id":"prod_a","name":"A"}],"prices":[{"id":"price_m","product":"prod_a","unit_amount":2000,"recurring":{"interval":"month"}}],
		"subscriptions":[` + subscriptions.String() + `]}}`))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// BenchmarkAdvance renews so many subscriptions for so many months, without a
// journal: ns/renewal must not grow with either.
func BenchmarkAdvance(b *testing.B) {
	for _, c := range []struct{ subs, months int }{{10, 12}, {10, 120}, {1000, 1}, {1000, 12}, {10000, 1}} {
		b.Run(fmt.Sprintf("subs=%d/months=%d", c.subs, c.months), func(b *testing.B) {
			s := manySubscriptions(b, c.subs)
			base := freshMachine(b, s)
			var at []int64
			for i := 1; i <= c.months; i++ {
				at = append(at, s.Document.Epoch+int64(i)*31*86400)
			}
			b.ReportAllocs()
			for b.Loop() {
				m := twin.NewMachine(base.State.Copy(), base.Spec, stripe.Catalog())
				seq := uint64(0)
				pass(b, m, &seq, at)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*c.subs*c.months), "ns/renewal")
		})
	}
}
