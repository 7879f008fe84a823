package stripe

import (
	"fmt"
	"math/big"
	"time"

	"worlds/twin"
)

// A backdated subscription began before it was made. The time that has passed is
// billed with its first invoice, unless nothing is prorated: a line for each period
// that would have been, or one for all of it where the billing mode is classic.

// backdatedLinesMax is how many lines the time that has passed may have.
const backdatedLinesMax = 250

const billingClassic = "classic"

// backdate lets a new subscription begin in the past.
func (b *beginning) backdate(tx *twin.Tx, start twin.Time, billed bool) *twin.Error {
	if start >= tx.Now() {
		return invalid("backdate_start_date", "Invalid timestamp: must be an integer Unix timestamp in the past.")
	}
	if b.sub.StartDate = start; !billed {
		return nil
	}
	b.since = start
	return nil
}

// checkElapsed refuses more time than one invoice can bill; trial has the items.
func (b *beginning) checkElapsed(trial *Subscription, now twin.Time) *twin.Error {
	if b.since == 0 {
		return nil
	}
	n := 0
	for i := range trial.Items.Data {
		it := &trial.Items.Data[i]
		if trial.BillingMode.Type == billingClassic {
			if it.since(b.since, max(it.CurrentPeriodEnd, now)) > amountMax {
				return errAmountLarge("backdate_start_date", amountMax, trial.Currency)
			}
			continue
		}
		n += len(trial.spans(it, b.since))
	}
	if n > backdatedLinesMax {
		return invalid("backdate_start_date", "A subscription cannot be backdated so far that its first invoice has more than %d lines.", backdatedLinesMax)
	}
	return nil
}

// anchoredAhead reports whether the periods of s are counted from a moment to come, and
// not because a trial ends then.
func (s *Subscription) anchoredAhead(now twin.Time) bool {
	return s.BillingCycleAnchor > now && (s.TrialEnd == nil || *s.TrialEnd < s.BillingCycleAnchor)
}

// whole reports whether one line bills the time that has passed together with what is
// left until the anchor.
func (b *beginning) whole(now twin.Time) bool {
	return b.since != 0 && b.sub.BillingMode.Type == billingClassic && b.sub.TrialEnd == nil && b.sub.BillingCycleAnchor > now
}

// elapsed are the lines that bill the time that has passed.
func (b *beginning) elapsed(tx *twin.Tx, inv *Invoice) (out []Line) {
	if b.since == 0 {
		return nil
	}
	s := b.sub
	for i := range s.Items.Data {
		it := &s.Items.Data[i]
		if s.BillingMode.Type == billingClassic {
			until := it.CurrentPeriodStart
			if b.whole(tx.Now()) {
				until = it.CurrentPeriodEnd
			}
			out = append(out, s.line(tx, inv, it, it.spanText(tx, b.since, until), it.since(b.since, until), Period{Start: b.since, End: until}, true))
			continue
		}
		for _, span := range s.spans(it, b.since) {
			text, amount, partly := it.text(tx), it.amount(), span.End-span.Start < span.whole
			if partly {
				text, amount = it.spanText(tx, span.Start, span.End), it.share(span.End-span.Start, span.whole)
			}
			out = append(out, s.line(tx, inv, it, text, amount, span.Period, partly))
		}
	}
	return out
}

// span is a part of the time that has passed, and how long the period is that it is in.
type span struct {
	Period
	whole twin.Time
}

// spans cuts the time from since to the present period of an item at the boundaries of
// periods; one more than there may be, at most.
func (s *Subscription) spans(it *SubscriptionItem, since twin.Time) (out []span) {
	every, origin := rhythm(&it.Price), int64(s.cycle().origin)
	n := int64(0)
	for every.Boundary(origin, n) > int64(since) && -n <= backdatedLinesMax {
		n--
	}
	for at := since; at < it.CurrentPeriodStart && len(out) <= backdatedLinesMax; n++ {
		begin, end := twin.Time(every.Boundary(origin, n)), twin.Time(every.Boundary(origin, n+1))
		next := min(end, it.CurrentPeriodStart)
		out = append(out, span{Period{Start: at, End: next}, end - begin})
		at = next
	}
	return out
}

// since is what an item costs from one moment to another: whole periods counted from
// the first, and the part of the last.
func (it *SubscriptionItem) since(from, until twin.Time) twin.Money {
	every, n := rhythm(&it.Price), int64(0)
	for every.Boundary(int64(from), n+1) <= int64(until) {
		n++
	}
	begin, end := twin.Time(every.Boundary(int64(from), n)), twin.Time(every.Boundary(int64(from), n+1))
	return it.amount()*twin.Money(n) + it.share(until-begin, end-begin)
}

// share is what an item costs for a part of a period, rounded toward −∞.
func (it *SubscriptionItem) share(part, whole twin.Time) twin.Money {
	exact := costOf(it.Price.UnitAmountDecimal, it.Quantity)
	exact.Mul(exact, big.NewInt(int64(part)))
	return twin.Money(exact.Div(exact, new(big.Int).Mul(minorUnit(), big.NewInt(int64(whole)))).Int64())
}

// spanText describes an item between two moments.
func (it *SubscriptionItem) spanText(tx *twin.Tx, from, until twin.Time) string {
	day := func(at twin.Time) string { return time.Unix(int64(at), 0).UTC().Format("02 Jan 2006") }
	return fmt.Sprintf("Time on %s from %s until %s", it.counted(tx), day(from), day(until))
}
