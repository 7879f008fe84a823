package stripe

import (
	"math/big"
	"testing"
	"time"
)

// unix is a moment in UTC.
func unix(t *testing.T, text string) int64 {
	t.Helper()
	at, err := time.Parse(time.DateTime, text)
	if err != nil {
		t.Fatal(err)
	}
	return at.Unix()
}

// A monthly anchor on the 31st falls on the last day of shorter months and comes
// back; no boundary is counted from the one before.
func TestBoundariesAreCountedFromTheAnchor(t *testing.T) {
	for _, c := range []struct {
		every  rhythm
		anchor string
		want   []string
	}{
		{rhythm{"month", 1}, "2026-01-31 10:00:00", []string{"2026-02-28 10:00:00", "2026-03-31 10:00:00", "2026-04-30 10:00:00", "2026-05-31 10:00:00"}},
		{rhythm{"month", 3}, "2025-11-30 07:30:00", []string{"2026-02-28 07:30:00", "2026-05-30 07:30:00"}},
		{rhythm{"year", 1}, "2024-02-29 00:00:00", []string{"2025-02-28 00:00:00", "2026-02-28 00:00:00", "2027-02-28 00:00:00", "2028-02-29 00:00:00"}},
		{rhythm{"week", 2}, "2026-03-06 07:30:00", []string{"2026-03-20 07:30:00", "2026-04-03 07:30:00"}}, // clocks change on the 8th
		{rhythm{"day", 1}, "2026-02-28 23:59:59", []string{"2026-03-01 23:59:59"}},
	} {
		at := unix(t, c.anchor)
		for _, want := range c.want {
			at = c.every.next(unix(t, c.anchor), at)
			if at != unix(t, want) {
				t.Errorf("every %d %s from %s: %s, want %s", c.every.count, c.every.interval, c.anchor, time.Unix(at, 0).UTC(), want)
			}
		}
	}
	month := rhythm{"month", 1}
	if jan := unix(t, "2026-01-31 10:00:00"); !month.isBoundary(jan, unix(t, "2026-02-28 10:00:00")) || month.isBoundary(jan, unix(t, "2026-03-28 10:00:00")) {
		t.Error("28 February is a boundary of 31 January, 28 March is not")
	}
}

// Each line of a proration is rounded towards minus infinity by itself.
func TestProrationsRoundDown(t *testing.T) {
	for _, c := range []struct{ amount, at, start, end, want int64 }{
		{-5, 1, 0, 2, -3}, // −2.5
		{9, 1, 0, 2, 4},   // 4.5
		{-1000, 1, 0, 3, -667},
		{500, 1, 0, 3, 333}, // 333.33
		{-4000, unix(t, "2026-01-11 00:00:00"), unix(t, "2026-01-01 00:00:00"), unix(t, "2026-02-01 00:00:00"), -2710},
		{6000, unix(t, "2026-01-11 00:00:00"), unix(t, "2026-01-01 00:00:00"), unix(t, "2026-02-01 00:00:00"), 4064},
		{2000, 0, 0, 7, 2000},
		{2000, 7, 0, 7, 0},
		{999_999_999_999, 1, 0, 31_536_000, 999_999_968_289},
	} {
		if got := share(c.amount, c.at, c.start, c.end); got != c.want {
			t.Errorf("share of %d at %d of [%d, %d): %d, want %d", c.amount, c.at, c.start, c.end, got, c.want)
		}
	}
}

// A percentage is rounded half up; what an invoice's coupon takes off is shared by
// floors, and the last line that can be discounted takes the rest.
func TestDiscountsAreShared(t *testing.T) {
	k := &coupon{percent: big.NewRat(125, 10)}
	for amount, want := range map[int64]int64{700: 88, 4: 1, 3: 0, 1000: 125} { // 87.5, 0.5, 0.375
		if got := k.of(amount); got != want {
			t.Errorf("12.5 %% of %d: %d, want %d", amount, got, want)
		}
	}
	m, err := New([]byte(`{"epoch":1767225600}`))
	if err != nil {
		t.Fatal(err)
	}
	m.coupons.add("third", &coupon{id: "third", off: 100, currency: "usd"})
	m.discounts.add("di_1", &discount{id: "di_1", coupon: "third"})
	lines := []line{{amount: 333, discountable: true}, {amount: -50}, {amount: 667, discountable: true}}
	m.takeOff(lines, []string{"di_1"}, func(*line) bool { return true })
	for i, want := range []int64{33, 0, 67} {
		if got := lines[i].discountAmounts[0].amount; got != want {
			t.Errorf("line %d: %d is taken off, want %d", i, got, want)
		}
	}
}

func TestFeesAndDays(t *testing.T) {
	for amount, fee := range map[int64]int64{4000: 146, 50: 31, 1000: 59, 700: 50, 99999999: 2900030} {
		if got := cardFee(amount); got != fee {
			t.Errorf("the fee of %d is %d, want %d", amount, got, fee)
		}
	}
	for from, to := range map[string]string{
		"2026-01-01 15:00:00": "2026-01-05 00:00:00", // Thursday to Monday
		"2026-01-02 00:00:00": "2026-01-06 00:00:00",
		"2026-01-03 00:00:00": "2026-01-06 00:00:00", // Saturday
		"2026-01-05 00:00:01": "2026-01-07 00:00:00",
	} {
		if got := businessDays(unix(t, from), 2); got != unix(t, to) {
			t.Errorf("two business days after %s: %s, want %s", from, time.Unix(got, 0).UTC(), to)
		}
	}
}

func TestMoneyForPeople(t *testing.T) {
	for _, c := range []struct {
		amount   int64
		currency string
		want     string
	}{{2000, "usd", "$20.00"}, {5, "usd", "$0.05"}, {684000, "eur", "€6,840.00"}, {9899, "jpy", "¥9,899"}} {
		if got := money(c.amount, c.currency); got != c.want {
			t.Errorf("%d %s is written %s, want %s", c.amount, c.currency, got, c.want)
		}
	}
}
