package stripe_test

import (
	"fmt"
	"math/rand"
	"os"
	"strings"
	"testing"

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
// same world. WORLDS_LONG runs it whole; the usual run takes fewer steps.
func TestYear(t *testing.T) {
	s, err := seed.Lookup("saas-billing-small")
	if err != nil {
		t.Fatal(err)
	}
	days, uneven := 73, 200
	if os.Getenv("WORLDS_LONG") != "" {
		days, uneven = 365, 4000
	}
	from := s.Document.Epoch
	to := from + 365*86400
	var want string
	for i, at := range [][]int64{{to}, evenly(from, to, days), split(rand.New(rand.NewSource(1)), from, to, uneven)} {
		m, seq := freshMachine(t, s), uint64(0)
		pass(t, m, &seq, at)
		got := dumpOf(t, m.State)
		if i == 0 {
			want = got
			t.Logf("%d events, %d ids, a dump of %d bytes in %d advances", m.State.Events(), m.State.Minted(), len(got), seq)
		}
		if got != want {
			t.Errorf("%d advances end elsewhere than one: %s", len(at), firstDifference(got, want))
		}
	}
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
