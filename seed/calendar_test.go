package seed_test

import (
	"testing"
	"time"

	"worlds/seed"
)

func TestBoundaries(t *testing.T) {
	for _, row := range []struct {
		interval         string
		count            int64
		anchor           string
		first, then, far string // boundaries 1, 2 and 13
	}{
		{"month", 1, "2026-01-31T10:00:00Z", "2026-02-28T10:00:00Z", "2026-03-31T10:00:00Z", "2027-02-28T10:00:00Z"},
		{"month", 1, "2027-11-30T23:59:59Z", "2027-12-30T23:59:59Z", "2028-01-30T23:59:59Z", "2028-12-30T23:59:59Z"},
		{"month", 3, "2026-08-31T00:00:00Z", "2026-11-30T00:00:00Z", "2027-02-28T00:00:00Z", "2029-11-30T00:00:00Z"},
		{"year", 1, "2024-02-29T12:00:00Z", "2025-02-28T12:00:00Z", "2026-02-28T12:00:00Z", "2037-02-28T12:00:00Z"},
		{"year", 2, "2024-02-29T12:00:00Z", "2026-02-28T12:00:00Z", "2028-02-29T12:00:00Z", "2050-02-28T12:00:00Z"},
		{"week", 2, "2026-03-06T07:30:00Z", "2026-03-20T07:30:00Z", "2026-04-03T07:30:00Z", "2026-09-04T07:30:00Z"},
		{"day", 10, "2096-02-25T07:30:00Z", "2096-03-06T07:30:00Z", "2096-03-16T07:30:00Z", "2096-07-04T07:30:00Z"},
		{"month", 1, "1969-12-31T00:00:01Z", "1970-01-31T00:00:01Z", "1970-02-28T00:00:01Z", "1971-01-31T00:00:01Z"},
	} {
		r := seed.Recurring{Interval: row.interval, IntervalCount: row.count}
		at, err := time.Parse(time.RFC3339, row.anchor)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []struct {
			n    int64
			text string
		}{{0, row.anchor}, {1, row.first}, {2, row.then}, {13, row.far}} {
			got := time.Unix(r.Boundary(at.Unix(), want.n), 0).UTC().Format(time.RFC3339)
			if got != want.text {
				t.Errorf("%d %s from %s: boundary %d is %s, want %s", row.count, row.interval, row.anchor, want.n, got, want.text)
			}
		}
	}
}

// Boundaries agree with the standard library's calendar, rise, and Next finds
// the first one behind any moment, before and after the anchor.
func TestBoundariesAgainstTheStandardCalendar(t *testing.T) {
	for day := int64(0); day < 40*366; day += 7 {
		anchor := int64(946684800) + day*86400 + day*37%86400
		month := seed.Recurring{Interval: "month", IntervalCount: 1 + day%5}
		for n := int64(-3); n <= 30; n++ {
			got, start := month.Boundary(anchor, n), time.Unix(anchor, 0).UTC()
			first := time.Date(start.Year(), start.Month()+time.Month(n*month.IntervalCount), 1, 0, 0, 0, 0, time.UTC)
			last := first.AddDate(0, 1, -1).Day()
			want := first.AddDate(0, 0, min(start.Day(), last)-1).Unix() + (anchor - anchor/86400*86400)
			if got != want {
				t.Fatalf("anchor %d, boundary %d × %d: %d, want %d", anchor, n, month.IntervalCount, got, want)
			}
			if next := month.Next(anchor, got); next != month.Boundary(anchor, n+1) {
				t.Fatalf("anchor %d: Next at boundary %d is %d", anchor, n, next)
			}
			if next := month.Next(anchor, got-1); next != got {
				t.Fatalf("anchor %d: Next a second before boundary %d is %d", anchor, n, next)
			}
		}
	}
}
