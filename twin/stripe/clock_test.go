package stripe_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"worlds/twin"
	"worlds/twin/stripe"
)

// operate executes an admin operation.
func (r *rig) operate(op string, args []byte) answer {
	r.t.Helper()
	cmd := twin.Command{Actor: "admin", API: "admin", Op: op, Args: args}
	out := r.machine.Execute(uint64(len(r.ran))+1, &cmd)
	r.ran = append(r.ran, ran{cmd, out})
	return answer{out.Status, out.Body}
}

// until advances the clock to an instant, again and again until nothing pends.
func (r *rig) until(to int64) answer {
	r.t.Helper()
	for {
		a := r.operate("advance", twin.AdvanceTo(to))
		if a.Status != 200 {
			r.t.Fatalf("advance to %d → %d %s", to, a.Status, a.Body)
		}
		if a.get("renewals_pending") == "0" {
			return a
		}
	}
}

// by advances the clock by a number of days.
func (r *rig) by(days float64) answer {
	r.t.Helper()
	return r.until(r.machine.State.Now() + int64(days*86400))
}

// date is a UTC date, 2006-01-02 or 2006-01-02T15:04, in unix seconds.
func date(s string) int64 {
	layout := "2006-01-02T15:04"
	t, err := time.Parse(layout[:len(s)], s)
	if err != nil {
		panic(err)
	}
	return t.Unix()
}

func day(unix int64) string { return time.Unix(unix, 0).UTC().Format("2006-01-02 15:04:05") }

// story adds to the transcript what has happened since it was last told: when,
// what, to which object in which state, and what was different before.
func (r *rig) story(title string) {
	r.t.Helper()
	fmt.Fprintf(&r.text, "# %s\n", title)
	for e := range r.machine.State.OldestEvents(r.seen) {
		r.seen = e.Number
		event := answer{Body: stripe.RenderEvent(e)}
		fmt.Fprintf(&r.text, "%s %s", day(e.Created), e.Type)
		for _, field := range []string{"status", "billing_reason", "number", "amount_due", "attempt_count", "amount", "delinquent"} {
			if v := event.get("data.object." + field); v != "" && v != "null" {
				fmt.Fprintf(&r.text, " %s=%s", field, v)
			}
		}
		if next := event.get("data.object.next_payment_attempt"); next != "" && next != "null" {
			fmt.Fprintf(&r.text, " next=%s", day(event.int("data.object.next_payment_attempt")))
		}
		if previous := event.get("data.previous_attributes"); previous != "" {
			fmt.Fprintf(&r.text, " was %s", membersOf(previous))
		}
		r.text.WriteByte('\n')
	}
	r.text.WriteByte('\n')
}

// membersOf shows previous attributes, of lists only that they changed.
func membersOf(previous string) string {
	for _, long := range [...]string{`"items":`, `"pending_update":`} {
		i := strings.Index(previous, long+"{")
		if i < 0 {
			continue
		}
		depth, end := 0, i+len(long)
		for ; end < len(previous); end++ {
			switch previous[end] {
			case '{':
				depth++
			case '}':
				depth--
			}
			if depth == 0 {
				break
			}
		}
		previous = previous[:i] + long + "…" + previous[end+1:]
	}
	return previous
}

// periods lists the line periods of the invoices of a subscription, oldest first.
func (r *rig) periods(sub string) string {
	var out []string
	for _, inv := range r.rows("stripe.invoice") {
		if inv.get("parent.subscription_details.subscription") == sub {
			out = append(out, day(inv.int("lines.data.0.period.start"))+" – "+day(inv.int("lines.data.0.period.end")))
			if made := inv.int("created"); made != inv.int("lines.data.0.period.start") {
				r.t.Errorf("%s is of %s, its period begins %s", inv.get("id"), day(made), day(inv.int("lines.data.0.period.start")))
			}
		}
	}
	return strings.Join(out, "\n")
}

// clockSeed is a world of customers, one for each way of paying.
const clockSeed = `{"name":"clock","version":1,"epoch":1769853600,"clock_mode":"manual","settings":{"test_clocks":true},"data":{
 "customers":[{"id":"cus_ada"},{"id":"cus_poor","payment_method":null},
  {"id":"cus_late","payment_method":"pm_card_chargeCustomerFail"},
  {"id":"cus_auth","payment_method":"pm_card_authenticationRequired"}],
 "products":[{"id":"prod_pro","name":"Pro"}],
 "prices":[
  {"id":"price_m","product":"prod_pro","unit_amount":2000,"recurring":{"interval":"month"}},
  {"id":"price_2w","product":"prod_pro","unit_amount":700,"recurring":{"interval":"week","interval_count":2}},
  {"id":"price_d","product":"prod_pro","unit_amount":100,"recurring":{"interval":"day"}},
  {"id":"price_y","product":"prod_pro","unit_amount":20000,"recurring":{"interval":"year"}}],
 "subscriptions":[%s]}}`

func clockRig(t testing.TB, subscriptions string) *rig {
	t.Helper()
	r := newRig(t, fmt.Sprintf(clockSeed, subscriptions))
	t.Cleanup(r.money)
	return r
}

// TestAnchorOf31: a subscription begun on 31 January is billed on the last day
// of shorter months and comes back to the 31st, in one advance as in five
// (O-S01).
func TestAnchorOf31(t *testing.T) {
	whole, parts := clockRig(t, ""), clockRig(t, "")
	for _, r := range []*rig{whole, parts} {
		r.ok("POST /v1/subscriptions customer=cus_ada items[0][price]=price_m")
	}
	ends := []int64{1772272800, 1774951200, 1777543200, 1780221600}
	whole.until(ends[3] + 1)
	for _, end := range ends {
		parts.until(end + 1)
	}
	if whole.dump() != parts.dump() {
		t.Errorf("one advance and four end differently")
	}
	sub := whole.rows("stripe.subscription")[0].get("id")
	want := `2026-01-31 10:00:00 – 2026-02-28 10:00:00
2026-02-28 10:00:00 – 2026-03-31 10:00:00
2026-03-31 10:00:00 – 2026-04-30 10:00:00
2026-04-30 10:00:00 – 2026-05-31 10:00:00
2026-05-31 10:00:00 – 2026-06-30 10:00:00`
	if got := whole.periods(sub); got != want {
		t.Errorf("periods\n%s", got)
	}
}

// TestAnchorInferred: a seed that does not name the anchor is billed on the day
// that its period shows.
func TestAnchorInferred(t *testing.T) {
	for _, row := range []struct{ name, price, created, start, end, want string }{
		{"end knows the 31st", "price_m", "2025-02-28T10:00", "2025-02-28T10:00", "2025-03-31T10:00", "2025-03-31 2025-04-30 2025-05-31"},
		{"created knows the 31st", "price_m", "2024-10-31T10:00", "2025-02-28T10:00", "2025-03-31T10:00", "2025-03-31 2025-04-30 2025-05-31"},
		{"created knows the 30th", "price_m", "2024-11-30T10:00", "2025-01-30T10:00", "2025-02-28T10:00", "2025-02-28 2025-03-30 2025-04-30"},
		{"start", "price_m", "2024-11-02T08:00", "2025-01-28T10:00", "2025-02-28T10:00", "2025-02-28 2025-03-28 2025-04-28"},
		{"leap day", "price_y", "2024-02-29T10:00", "2026-02-28T10:00", "2027-02-28T10:00", "2027-02-28 2028-02-29 2029-02-28"},
		{"no rhythm has it", "price_m", "2025-01-02T10:00", "2025-01-05T10:00", "2025-01-17T11:00", "2025-01-17 2025-02-17 2025-03-17"},
	} {
		t.Run(row.name, func(t *testing.T) {
			const epoch = 1769853600
			r := clockRig(t, fmt.Sprintf(
				`{"id":"sub_a","customer":"cus_ada","price":"%s","created_offset":%d,"current_period_start":%d,"current_period_end":%d}`,
				row.price, epoch-date(row.created), date(row.start), date(row.end)))
			r.until(max(date(row.end)+3*366*86400, epoch))
			var got []string
			for _, inv := range r.rows("stripe.invoice") {
				got = append(got, day(inv.int("created"))[:len("2006-01-02")])
			}
			if s := strings.Join(got, " "); !strings.HasPrefix(s, row.want) {
				t.Errorf("billed on %s", s)
			}
		})
	}
}

// TestUndoCancel: calling a cancellation off leaves item, period, anchor and
// creation alone, and one renewal comes at the old boundary (O-S03).
func TestUndoCancel(t *testing.T) {
	r := clockRig(t, "")
	made := r.ok("POST /v1/subscriptions customer=cus_ada items[0][price]=price_m")
	same := func(a answer) {
		t.Helper()
		for _, f := range []string{"items.data.0.id", "items.data.0.current_period_start", "items.data.0.current_period_end", "billing_cycle_anchor", "created"} {
			if a.get(f) != made.get(f) {
				t.Errorf("%s is %s, was %s", f, a.get(f), made.get(f))
			}
		}
	}
	path := "POST /v1/subscriptions/" + made.get("id")
	r.by(10)
	same(r.ok(path + " cancel_at_period_end=true"))
	r.by(1)
	for range 2 {
		undone := r.ok(path + " cancel_at_period_end=false")
		same(undone)
		if undone.get("status") != "active" || undone.get("cancel_at_period_end") != "false" || undone.get("canceled_at") != "null" || undone.get("cancel_at") != "null" {
			t.Errorf("undone: %s", undone.Body)
		}
	}
	r.until(made.int("items.data.0.current_period_end"))
	if n := len(r.rows("stripe.invoice")); n != 2 {
		t.Errorf("%d invoices", n)
	}
}

// TestRenewals tells what a boundary makes happen, and when.
func TestRenewals(t *testing.T) {
	for _, row := range []struct{ name, subscriptions, before string }{
		{"paid", "", "POST /v1/subscriptions customer=cus_ada items[0][price]=price_m"},
		{"sent", "", "POST /v1/subscriptions customer=cus_ada items[0][price]=price_m collection_method=send_invoice days_until_due=7"},
		{"declined", `{"id":"sub_late","customer":"cus_late","price":"price_m"}`, ""},
		{"hard_decline", `{"id":"sub_auth","customer":"cus_auth","price":"price_m"}`, ""},
		{"cancel_at_period_end", `{"id":"sub_a","customer":"cus_ada","price":"price_m","cancel_at_period_end":true}`, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := clockRig(t, row.subscriptions)
			if row.before != "" {
				r.ok(row.before)
			}
			r.story("before")
			r.until(date("2026-02-28T10:00"))
			r.story("the boundary")
			r.by(27)
			r.story("27 days later")
			r.golden("renewal_" + row.name)
		})
	}
}
