package stripe

import (
	"fmt"

	"worlds/journal/mutant"
	"worlds/twin"
)

// renew begins the next period of a subscription and bills it, at the boundary.
func renew(tx *twin.Tx, s *Subscription) error {
	c, ok := liveCustomer(tx, s.Customer)
	if !ok {
		s.end(tx) // a customer takes the subscriptions along; a fact planted from outside may not
		return nil
	}
	was := s.period()
	s.roll(tx.Now())
	s.dropDiscounts(tx, tx.Now())
	inv := cycleInvoice(tx, s, c, was)
	s.LatestInvoice = &inv.ID
	_, _ = s.replace(tx)
	tx.Renewed()
	return s.bill(tx, inv, c)
}

// roll begins the period that starts now. Its end is counted from the anchor.
func (s *Subscription) roll(now twin.Time) {
	for i := range s.Items.Data {
		it := &s.Items.Data[i]
		if it.CurrentPeriodStart = now; mutant.Is("period-gap") {
			it.CurrentPeriodStart++
		}
		anchor := s.cycle().origin
		if mutant.Is("renewal-from-last-period") {
			anchor = now
		}
		it.CurrentPeriodEnd = twin.Time(rhythm(&it.Price).Next(int64(anchor), int64(now)))
	}
}

// cycleInvoice is the draft of the invoice that follows a period.
func cycleInvoice(tx *twin.Tx, s *Subscription, c *Customer, was Period) *Invoice {
	inv := firstInvoice(tx, s, c)
	inv.BillingReason, inv.PeriodStart, inv.PeriodEnd = reasonCycle, was.Start, was.End
	return inv
}

// bill makes the invoice of a new period and collects it, as far as the
// subscription lets collect.
func (s *Subscription) bill(tx *twin.Tx, inv *Invoice, c *Customer) error {
	all := append(sweep(tx, inv, s.ID, true), subscriptionLines(tx, s, inv)...)
	behavior := s.collects()
	if behavior == keepAsDraft {
		inv.AutoAdvance = false
		draft(tx, inv, all)
		return nil
	}
	draft(tx, inv, all)
	if err := unbillable(inv, c); err != nil {
		return err
	}
	_, link, pi := finalizeOpening(tx, inv, c)
	if inv.Status == invOpen && !forgo(tx, inv, behavior) && inv.CollectionMethod == chargeAutomatically {
		collect(tx, inv, c, link, pi)
	}
	return nil
}

// unbillable is why an invoice cannot be finalized: it would give credit in a
// currency that the customer's balance is not kept in. No request builds one.
func unbillable(inv *Invoice, c *Customer) error {
	if inv.Total >= 0 || pinnedTo(c, inv.Currency) {
		return nil
	}
	kept := "no currency"
	if c.Currency != nil {
		kept = *c.Currency
	}
	return fmt.Errorf("an invoice of %s comes to %d %s, and the balance of %s is kept in %s",
		inv.subscription(), inv.Total, inv.Currency, c.ID, kept)
}
