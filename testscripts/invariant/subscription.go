package invariant

import (
	"worlds/journal/canon"
)

// Limits of one advance.
const (
	firesPerObject = 1000
	firesInAll     = 2500
)

// span is the present period of a subscription: that of its first item.
func span(body canon.Raw) (start, end int64) {
	for item := range canon.Elements(member(body, "items", "data")) {
		return number(item, "current_period_start"), number(item, "current_period_end")
	}
	return 0, 0
}

// period checks that the periods of a subscription that time renews follow each
// other without a gap.
func (c *Checker) period(r *row) {
	if r.table != "stripe.subscription" {
		return
	}
	fromStart, fromEnd := span(r.was.body)
	start, end := span(r.body)
	renewed := start != fromStart && text(r.was.body, "status") != "trialing" && text(r.was.body, "status") != "paused" &&
		equal(member(r.was.body, "billing_cycle_anchor"), member(r.body, "billing_cycle_anchor"))
	switch {
	case start == 0 || fromStart == 0:
	case end < start:
		c.failRow("sub.periods-contiguous", r, "its period ends at %d before it starts at %d", end, start)
	case renewed && start != fromEnd:
		c.failRow("sub.periods-contiguous", r, "a period from %d follows one that ends at %d", start, fromEnd)
	case start == fromStart && end != fromEnd && text(r.was.body, "status") == "active" && text(r.body, "status") == "active" &&
		c.step.command.op == "advance":
		c.failRow("sub.periods-contiguous", r, "time moved the end of its period from %d to %d", fromEnd, end)
	}
}

// subscriptions checks the limits of an advance.
func (c *Checker) subscriptions() {
	renewals, all := map[string]int{}, 0
	for _, r := range c.step.changed {
		if r.table != "stripe.subscription" || !r.there() || !r.was.there() {
			continue
		}
		start, _ := span(r.body)
		if was, _ := span(r.was.body); start != was {
			all++
			if renewals[r.id]++; renewals[r.id] == firesPerObject+1 {
				c.failRow("sub.cap-1000", r, "one entry renews it more than %d times", firesPerObject)
			}
		}
	}
	if all > firesInAll {
		c.fail("sub.cap-1000", "", "one entry renews %d periods, more than %d", all, firesInAll)
	}
}
