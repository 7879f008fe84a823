package stripe

import (
	"worlds/journal/mutant"
	"worlds/twin"
)

// chargeMaximum is the greatest sum that a card is charged for.
const chargeMaximum twin.Money = 99_999_999

// amountMax is the greatest amount of a line or an invoice: sums of lines stay
// within 53 bits.
const amountMax twin.Money = 999_999_999_999

// sum computes a draft's totals from all its lines.
func (inv *Invoice) sum(all []Line) {
	var subtotal, total twin.Money
	for i := range all {
		subtotal += all[i].Amount // the line's own discounts are off already
		total += all[i].Subtotal
	}
	for _, a := range inv.TotalDiscountAmounts {
		if !mutant.Is("total-ignores-discount") {
			total -= a.Amount
		}
	}
	inv.Subtotal, inv.SubtotalExcludingTax = subtotal, subtotal
	inv.Total, inv.TotalExcludingTax = total, total
	inv.AmountDue = max(total, 0)
	inv.AmountRemaining = inv.AmountDue
}

// settleBalance splits a total between what is due now and the customer's
// balance, which is negative when it is credit: credit is used up first, what was
// owed is added, and a negative total becomes credit.
func settleBalance(total, start twin.Money) (due, end twin.Money) {
	switch {
	case total < 0:
		return 0, start + total
	case start >= 0:
		due = total + start
	default:
		used := min(total, -start)
		due, end = total-used, start+used
	}
	return due, end
}

// pinnedTo reports whether a currency is the customer's, and so the balance's.
// Only a seed has invoices in another.
func pinnedTo(c *Customer, currency string) bool { return c.Currency != nil && *c.Currency == currency }

// balanceIn is the customer's balance as far as it counts in a currency.
func balanceIn(c *Customer, currency string) twin.Money {
	if !pinnedTo(c, currency) {
		return 0
	}
	return c.Balance
}
