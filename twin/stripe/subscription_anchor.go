package stripe

import (
	"fmt"
	"math/big"
	"time"

	"worlds/journal/mutant"
	"worlds/twin"
)

// A subscription whose anchor is yet to come begins with a part of a period, which
// ends there. Of its price it costs the part that it is of a whole period.

// anchorAt lets the periods of a new subscription be counted from a moment to come,
// at most a period of its first price from now.
func (s *Subscription) anchorAt(now, anchor twin.Time, first *Price) *twin.Error {
	if anchor <= now {
		return errPast("billing_cycle_anchor")
	}
	if last := rhythm(first).Boundary(int64(now), 1); int64(anchor) > last {
		return invalid("billing_cycle_anchor", "billing_cycle_anchor cannot be later than next natural billing date (%d) for plan", last)
	}
	s.BillingCycleAnchor = anchor
	return nil
}

// whole is the length of the whole period that an item is in, in seconds.
func (it *SubscriptionItem) whole(anchor twin.Time) int64 {
	start, end := int64(it.CurrentPeriodStart), int64(it.CurrentPeriodEnd)
	every := rhythm(&it.Price)
	if it.CurrentPeriodEnd == anchor && every.Boundary(start, 1) != end {
		start = min(start, every.Boundary(end, -1))
	}
	return max(end-start, 1)
}

// partly reports whether an item of s is in a period that began late, and is no trial.
func (it *SubscriptionItem) partly(s *Subscription) bool {
	trial := s.TrialEnd != nil && *s.TrialEnd == it.CurrentPeriodEnd
	return !trial && it.whole(s.BillingCycleAnchor) > int64(it.CurrentPeriodEnd-it.CurrentPeriodStart)
}

// part is what an item costs (sign 1) or gives back (−1) from a moment to the end of
// its period: exactly the part that the seconds left are of all seconds, rounded
// toward −∞.
func (it *SubscriptionItem) part(anchor, from twin.Time, sign int64) twin.Money {
	exact := costOf(it.Price.UnitAmountDecimal, it.Quantity)
	exact.Mul(exact, big.NewInt(sign*int64(it.CurrentPeriodEnd-from)))
	// Euclidean division rounds down when the divisor is positive.
	exact.Div(exact, new(big.Int).Mul(minorUnit(), big.NewInt(it.whole(anchor))))
	if mutant.Is("proration-rounds-up") {
		return twin.Money(exact.Int64()) + 1
	}
	return twin.Money(exact.Int64())
}

// restText describes the rest of an item's period, used or not.
func (it *SubscriptionItem) restText(tx *twin.Tx, what string, from twin.Time) string {
	name := it.name(tx)
	if it.Quantity != 1 {
		name = fmt.Sprintf("%d × %s", it.Quantity, name)
	}
	return fmt.Sprintf("%s time on %s after %s", what, name, time.Unix(int64(from), 0).UTC().Format("02 Jan 2006"))
}
