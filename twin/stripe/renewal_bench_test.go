package stripe_test

import (
	"fmt"
	"strings"
	"testing"

	"worlds/journal/canon"
	"worlds/seed"
	"worlds/twin"
)

// monthlySubscriptions is a machine with n subscriptions that renew in one month.
func monthlySubscriptions(tb testing.TB, n int) *twin.Machine {
	tb.Helper()
	var customers, subscriptions strings.Builder
	comma := ""
	for i := range n {
		fmt.Fprintf(&customers, `%s{"id":"cus_%06d"}`, comma, i)
		fmt.Fprintf(&subscriptions, `%s{"id":"sub_%06d","customer":"cus_%06d","price":"price_m","created_offset":%d}`, comma, i, i, i)
		comma = ","
	}
	s, err := seed.Parse([]byte(`{"name":"many","version":1,"epoch":1767225600,"data":{"customers":[` + customers.String() + `],
		"products":[{"id":"prod_a","name":"A"}],"prices":[{"id":"price_m","product":"prod_a","unit_amount":2000,"recurring":{"interval":"month"}}],
		"subscriptions":[` + subscriptions.String() + `]}}`))
	if err != nil {
		tb.Fatal(err)
	}
	m := freshMachine(tb, s)
	m.Spill = func([]canon.Raw) {} // as a server's worlds do
	return m
}

// renewAll advances by a month and returns how many renewals that was.
func renewAll(tb testing.TB, m *twin.Machine, seq uint64) int64 {
	tb.Helper()
	cmd := twin.Command{Actor: "admin", API: "admin", Op: "advance", Args: twin.AdvanceBy(31 * 86400)}
	out := m.Execute(seq, &cmd)
	var done twin.Advanced
	if err := canon.Unmarshal(out.Body, &done); err != nil || out.Status != 200 {
		tb.Fatalf("%v %s", err, out.Body)
	}
	return done.Renewed
}

// renewalAllocations is how many allocations one renewal may take to decide: 19
// facts, of which ten put an object and nine are events.
const renewalAllocations = 285

func TestRenewalAllocations(t *testing.T) {
	const subscriptions = 50
	m, seq := monthlySubscriptions(t, subscriptions), uint64(0)
	got := testing.AllocsPerRun(10, func() {
		seq++
		renewAll(t, m, seq)
	}) / subscriptions
	if got > renewalAllocations {
		t.Errorf("a renewal takes %.0f allocations, its budget is %d", got, renewalAllocations)
	}
}

// BenchmarkRenewal decides renewals, a thousand in one advance.
func BenchmarkRenewal(b *testing.B) {
	m, seq := monthlySubscriptions(b, 1000), uint64(0)
	b.ReportAllocs()
	for n := b.N; n > 0; {
		if seq++; seq%20 == 0 {
			b.StopTimer()
			m = monthlySubscriptions(b, 1000)
			b.StartTimer()
		}
		n -= int(renewAll(b, m, seq))
	}
}
