package stripe

import (
	"strconv"

	"worlds/seed"
	"worlds/twin"
)

// seedInvoices stores the invoices of the past, oldest first. A customer's
// currency is that of the first in file order; invoices that are not drafts are
// numbered by age.
func seedInvoices(tx *twin.Tx, doc *seed.Document) error {
	payers := map[string]*Customer{}
	for i := range doc.Data.Invoices {
		s := &doc.Data.Invoices[i]
		c := payers[s.Customer]
		if c == nil {
			c, _ = liveCustomer(tx, s.Customer)
			payers[s.Customer] = c
		}
		if c.Currency == nil {
			c.Currency = &s.Currency
		}
	}
	for _, s := range byAge(doc.Data.Invoices, func(s seed.Invoice) int64 { return s.CreatedOffset }) {
		seedInvoice(tx, payers[s.Customer], &s, twin.Time(doc.Epoch-s.CreatedOffset))
	}
	for i := range doc.Data.Customers {
		if c := payers[doc.Data.Customers[i].ID]; c != nil {
			customers.Put(tx, c)
		}
	}
	return nil
}

// seedInvoice stores one invoice, which came to its status when it was created.
// An open one asks for nothing until it is paid.
func seedInvoice(tx *twin.Tx, c *Customer, s *seed.Invoice, created twin.Time) {
	inv := newInvoice(tx, s.ID, c, s.Currency, created)
	all := seedLines(tx, inv, s.Lines)
	putLines(tx, inv, all)
	inv.sum(all)
	if s.Status != invDraft {
		inv.issue(invoiceNumber(c.InvoicePrefix, c.NextInvoiceSequence), created)
		c.NextInvoiceSequence++
		inv.Status, inv.EndingBalance = s.Status, new(twin.Money)
	}
	switch s.Status {
	case invPaid:
		seedPaid(tx, c, inv, s.Charges)
	case invVoid:
		inv.StatusTransitions.VoidedAt = &created
	case invUncollectible:
		inv.StatusTransitions.MarkedUncollectibleAt = &created
	}
	invoices.Put(tx, inv)
}

// seedPaid makes an invoice paid: by its charges, each a payment of its own, or
// without any out of band. Charging twice plants a fault; the invoice does not
// know that it was overpaid.
func seedPaid(tx *twin.Tx, c *Customer, inv *Invoice, charges []seed.Charge) {
	at := inv.Created
	inv.AmountPaid, inv.AmountRemaining, inv.StatusTransitions.PaidAt = inv.AmountDue, 0, &at
	inv.Attempted = len(charges) > 0 || inv.AmountDue == 0
	if len(charges) == 0 {
		inv.AmountPaidOffStripe = inv.AmountDue
		return
	}
	inv.AttemptCount = 1
	for i, s := range charges {
		pi, ch := seedPayment(tx, c, paymentText(inv), inv.Currency, inv.Created, s)
		invoicePayments.Put(tx, &InvoicePayment{
			ID: invoicePayments.Derive(tx, ch.ID, "invoice_payment"), Object: invoicePayments.Object, Created: inv.Created,
			AmountPaid: &ch.Amount, AmountRequested: ch.Amount, Currency: inv.Currency, Invoice: inv.ID, IsDefault: i == 0,
			Payment: AssociatedPayment{PaymentIntent: pi.ID, Type: payByIntent}, Status: linkPaid,
			StatusTransitions: InvoicePaymentInstants{PaidAt: &at},
		})
	}
}

// seedLines makes the lines of a seeded invoice. One at a recurring price bills
// the period that began when the invoice was created.
func seedLines(tx *twin.Tx, inv *Invoice, list []seed.Line) []Line {
	out := make([]Line, len(list))
	for i := range list {
		s := &list[i]
		var pr *Price
		if s.Price != "" {
			pr, _ = prices.Get(tx, s.Price)
		}
		id := lines.Derive(tx, inv.ID, "line:"+strconv.Itoa(i))
		out[i] = newLine(id, inv, s.Description, twin.Money(s.Amount), s.Quantity, pr)
		if pr != nil && pr.Recurring != nil {
			out[i].Period.End = twin.Time(rhythm(pr).Boundary(int64(inv.Created), 1))
		}
	}
	return out
}
