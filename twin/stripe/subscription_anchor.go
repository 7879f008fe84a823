package stripe

import (
	"fmt"
	"math/big"
	"time"

	"worlds/journal/mutant"
	"worlds/seed"
	"worlds/twin"
)

// A subscription whose anchor is yet to come begins with a part of a period, which
// ends there. Of its price it costs the part that it is of a whole period.

// AnchorConfig is how a subscription's anchor was found: the first moment that a
// calendar shows this. Its day stays the day of every period, where a month has it.
type AnchorConfig struct {
	DayOfMonth int64  `json:"day_of_month"`
	Hour       *int64 `json:"hour"` // nil, with minute and second: the hour of creation
	Minute     *int64 `json:"minute"`
	Month      *int64 `json:"month"` // nil: any
	Second     *int64 `json:"second"`
}

type anchorConfigParams struct {
	DayOfMonth twin.Opt[int64] `param:"day_of_month" rule:"required,min=1,max=31"`
	Hour       twin.Opt[int64] `param:"hour" rule:"min=0,max=23"`
	Minute     twin.Opt[int64] `param:"minute" rule:"min=0,max=59"`
	Month      twin.Opt[int64] `param:"month" rule:"min=1,max=12"`
	Second     twin.Opt[int64] `param:"second" rule:"min=0,max=59"`
}

// config is what a request says of an anchor's calendar.
func (p *anchorConfigParams) config() *AnchorConfig {
	c := AnchorConfig{DayOfMonth: p.DayOfMonth.V}
	p.Hour.Apply(&c.Hour)
	p.Minute.Apply(&c.Minute)
	p.Month.Apply(&c.Month)
	p.Second.Apply(&c.Second)
	return &c
}

// after is the first moment from a given one on that the calendar shows what is asked
// for. A month without the day has its last one instead.
func (c *AnchorConfig) after(from twin.Time) twin.Time {
	t := time.Unix(int64(from), 0).UTC()
	hour, minute, second := int64(t.Hour()), int64(t.Minute()), int64(t.Second())
	if c.Hour != nil {
		hour, minute, second = *c.Hour, 0, 0
	}
	if c.Minute != nil {
		minute, second = *c.Minute, 0
	}
	if c.Second != nil {
		second = *c.Second
	}
	for n := 0; ; n++ { // at most a year on
		month := time.Date(t.Year(), t.Month()+time.Month(n), 1, int(hour), int(minute), int(second), 0, time.UTC)
		if c.Month != nil && int64(month.Month()) != *c.Month {
			continue
		}
		day := min(int(c.DayOfMonth), month.AddDate(0, 1, -1).Day())
		if at := twin.Time(month.AddDate(0, 0, day-1).Unix()); at >= from {
			return at
		}
	}
}

// anchor decides from when on the periods of a new subscription are counted, if the
// request says: at most a period of its first price after it begins to be paid for.
func (p *createSubscriptionParams) anchor(tx *twin.Tx, s *Subscription, first *Price) *twin.Error {
	from, at, param := tx.Now(), p.BillingCycleAnchor.V, "billing_cycle_anchor"
	if s.TrialEnd != nil {
		from = *s.TrialEnd
	}
	switch every := rhythm(first); {
	case p.AnchorConfig.Given() && every.Interval != "month" && every.Interval != "year":
		return invalid("billing_cycle_anchor_config", "`billing_cycle_anchor_config` can only be used with prices that recur monthly or yearly.")
	case p.AnchorConfig.Given():
		param = "billing_cycle_anchor_config"
		s.BillingCycleAnchorConfig = p.AnchorConfig.V.config()
		at = s.BillingCycleAnchorConfig.after(from)
	case !p.BillingCycleAnchor.Given():
		return nil
	case at <= tx.Now():
		return errPast(param)
	case at < from:
		return errAnchorInTrial()
	}
	if last := rhythm(first).Boundary(int64(from), 1); int64(at) > last {
		return invalid(param, "billing_cycle_anchor cannot be later than next natural billing date (%d) for plan", last)
	}
	s.BillingCycleAnchor = at
	return nil
}

// cycle is what the boundaries of periods are counted from: the anchor, or a moment
// before it by some periods that has the day which the anchor's month lacks.
type cycle struct{ anchor, origin twin.Time }

// reachMax is how many months back such a moment is looked for: a leap day may be
// eight years away.
const reachMax = 8 * 12

// cycle is what the periods of s are counted from.
func (s *Subscription) cycle() cycle {
	c := cycle{s.BillingCycleAnchor, s.BillingCycleAnchor}
	if s.BillingCycleAnchorConfig == nil || len(s.Items.Data) == 0 {
		return c
	}
	every := rhythm(&s.Items.Data[0].Price)
	step := time.Month(every.IntervalCount)
	if every.Interval == "year" {
		step *= 12
	}
	t, want := time.Unix(int64(c.anchor), 0).UTC(), int(s.BillingCycleAnchorConfig.DayOfMonth)
	best := t.Day()
	for back := step; best < want && back <= reachMax; back += step {
		first := time.Date(t.Year(), t.Month()-back, 1, t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
		if day := min(want, first.AddDate(0, 1, -1).Day()); day > best {
			best, c.origin = day, twin.Time(first.AddDate(0, 0, day-1).Unix())
		}
	}
	return c
}

// before is the boundary before the anchor.
func (c cycle) before(every seed.Recurring) int64 {
	n := int64(0)
	for every.Boundary(int64(c.origin), n) < int64(c.anchor) {
		n++
	}
	return every.Boundary(int64(c.origin), n-1)
}

// whole is the length of the whole period that an item is in, in seconds.
func (it *SubscriptionItem) whole(c cycle) int64 {
	start, end := int64(it.CurrentPeriodStart), int64(it.CurrentPeriodEnd)
	every := rhythm(&it.Price)
	if it.CurrentPeriodEnd == c.anchor && every.Boundary(start, 1) != end {
		start = min(start, c.before(every))
	}
	return max(end-start, 1)
}

// partly reports whether an item of s is in a period that began late, and is no trial.
func (it *SubscriptionItem) partly(s *Subscription) bool {
	trial := s.TrialEnd != nil && *s.TrialEnd == it.CurrentPeriodEnd
	return !trial && it.whole(s.cycle()) > int64(it.CurrentPeriodEnd-it.CurrentPeriodStart)
}

// part is what an item costs (sign 1) or gives back (−1) from a moment to the end of
// its period: exactly the part that the seconds left are of all seconds, rounded
// toward −∞.
func (it *SubscriptionItem) part(c cycle, from twin.Time, sign int64) twin.Money {
	exact := costOf(it.Price.UnitAmountDecimal, it.Quantity)
	exact.Mul(exact, big.NewInt(sign*int64(it.CurrentPeriodEnd-from)))
	// Euclidean division rounds down when the divisor is positive.
	exact.Div(exact, new(big.Int).Mul(minorUnit(), big.NewInt(it.whole(c))))
	if mutant.Is("proration-rounds-up") {
		return twin.Money(exact.Int64()) + 1
	}
	return twin.Money(exact.Int64())
}

// restText describes the rest of an item's period, used or not.
func (it *SubscriptionItem) restText(tx *twin.Tx, what string, from twin.Time) string {
	return fmt.Sprintf("%s time on %s after %s", what, it.counted(tx), time.Unix(int64(from), 0).UTC().Format("02 Jan 2006"))
}

// counted is what the item sells, and how many if it is not one.
func (it *SubscriptionItem) counted(tx *twin.Tx) string {
	if it.Quantity == 1 {
		return it.name(tx)
	}
	return fmt.Sprintf("%d × %s", it.Quantity, it.name(tx))
}
