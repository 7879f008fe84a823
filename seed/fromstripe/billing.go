package fromstripe

import (
	"fmt"

	"worlds/seed"
)

// matchCharges finds the charges of each invoice.
func (c *converter) matchCharges(a *account) {
	of := map[ref]string{} // payment intent or charge → invoice
	for _, in := range a.invoices {
		if in.Charge != "" {
			of[in.Charge] = in.ID
		}
		if in.Payments == nil {
			continue
		}
		for _, p := range in.Payments.Data {
			if p.Status == "paid" {
				of[p.Payment.PaymentIntent], of[p.Payment.Charge] = in.ID, in.ID
			}
		}
	}
	delete(of, "")
	seen := map[string]bool{}
	for _, ch := range byAge(a.charges, func(ch charge) (int64, string) { return ch.Created, ch.ID }) {
		if seen[ch.ID] {
			continue
		}
		seen[ch.ID] = true
		invoice := string(ch.Invoice)
		if invoice == "" {
			if invoice = of[ref(ch.ID)]; invoice == "" {
				invoice = of[ch.PaymentIntent]
			}
		}
		switch {
		case ch.Status != "succeeded" || !ch.Captured || ch.Amount <= 0:
			c.m.skip("charges", "ch_", ch.ID, "it took no money")
		case invoice == "":
			c.m.skip("charges", "ch_", ch.ID, "it pays no invoice")
		default:
			c.charges[invoice] = append(c.charges[invoice], ch)
		}
	}
}

func (c *converter) addInvoice(in *invoice) {
	why := c.unfit(in)
	paid := c.charges[in.ID]
	if why == "" && in.Status != seed.InvoicePaid && len(paid) > 0 {
		for _, ch := range paid {
			c.m.skip("charges", "ch_", ch.ID, "its invoice is not paid")
		}
		paid = nil
	}
	if why != "" {
		c.m.skip("invoices", "in_", in.ID, why)
		for _, ch := range paid {
			c.m.skip("charges", "ch_", ch.ID, "its invoice is not in the seed")
		}
		return
	}
	s := seed.Invoice{ID: c.m.id("in_", in.ID), Customer: c.m.id("cus_", string(in.Customer)), Status: in.Status, Currency: in.Currency}
	c.made(s.ID, in.Created)
	sum := int64(0)
	for i := range in.Lines.Data {
		l := &in.Lines.Data[i]
		sum += l.Amount
		s.Lines = append(s.Lines, c.line(i, l))
	}
	if sum != in.Total {
		c.m.Adjusted++
		s.Lines = append(s.Lines, seed.Line{Description: "Discount or tax", Amount: in.Total - sum, Quantity: 1})
	}
	for _, ch := range paid {
		id := c.m.id("ch_", ch.ID)
		s.Charges = append(s.Charges, seed.Charge{ID: id, Amount: ch.Amount, AmountRefunded: ch.AmountRefunded})
		if ch.AmountRefunded > 0 {
			c.m.RefundedCharges++
		}
		if ch.Disputed {
			c.m.DisputedCharges = append(c.m.DisputedCharges, id)
		}
	}
	c.doc.Data.Invoices = append(c.doc.Data.Invoices, s)
}

// unfit says why an invoice cannot be in the seed, "" if it can.
func (c *converter) unfit(in *invoice) string {
	switch {
	case !c.customers[string(in.Customer)]:
		return "its customer is not in the seed"
	case len(in.Lines.Data) == 0:
		return "it has no lines"
	case len(in.Lines.Data) >= seed.MaxInvoiceLines:
		return "it has too many lines"
	case in.Total < 0:
		return "its total is negative"
	}
	switch in.Status {
	case seed.InvoiceDraft, seed.InvoiceOpen, seed.InvoicePaid, seed.InvoiceVoid, seed.InvoiceUncollectible:
		return ""
	}
	return "its status is none that a seed has"
}

func (c *converter) line(i int, l *line) seed.Line {
	s := seed.Line{Amount: l.Amount, Quantity: 1}
	if l.Quantity != nil && *l.Quantity > 0 {
		s.Quantity = *l.Quantity
	}
	placeholder := fmt.Sprintf("Line item %d", i+1)
	if id := l.priceID(); id != "" {
		p, there := c.prices[id]
		placeholder = planName(id)
		switch {
		case there && p.Nickname != "" && c.KeepNames:
			placeholder = p.Nickname
			fallthrough
		case there:
			s.Price = id
		default:
			c.m.drop("invoices.lines.price", true)
		}
	}
	s.Description = c.free("invoices.lines.description", c.KeepDescriptions, l.Description, placeholder)
	return s
}

func (c *converter) addSubscription(sub *subscription) {
	why := ""
	switch sub.Status {
	case seed.SubscriptionActive, seed.SubscriptionTrialing, seed.SubscriptionPastDue, seed.SubscriptionUnpaid, seed.SubscriptionPaused:
	default:
		why = "its status is " + sub.Status
	}
	switch {
	case why != "":
	case !c.customers[string(sub.Customer)]:
		why = "its customer is not in the seed"
	case len(sub.Items.Data) != 1 || sub.Items.HasMore:
		why = "it has not exactly one price"
	case c.prices[sub.Items.Data[0].Price.ID].Recurring == nil:
		why = "its price is not in the seed"
	}
	if why != "" {
		c.m.skip("subscriptions", "sub_", sub.ID, why)
		return
	}
	it := &sub.Items.Data[0]
	s := seed.Subscription{ID: c.m.id("sub_", sub.ID), Customer: c.m.id("cus_", string(sub.Customer)), Price: it.Price.ID, Quantity: 1,
		CurrentPeriodStart: it.CurrentPeriodStart, CurrentPeriodEnd: it.CurrentPeriodEnd, CancelAtPeriodEnd: sub.CancelAtPeriodEnd,
		BillingCycleAnchor: sub.BillingCycleAnchor, TrialEnd: sub.TrialEnd, Status: sub.Status}
	if it.Quantity != nil && *it.Quantity > 0 {
		s.Quantity = *it.Quantity
	}
	if s.CurrentPeriodEnd == 0 {
		s.CurrentPeriodStart, s.CurrentPeriodEnd = sub.CurrentPeriodStart, sub.CurrentPeriodEnd
	}
	c.made(s.ID, sub.Created)
	c.newest = max(c.newest, s.CurrentPeriodStart)
	c.doc.Data.Subscriptions = append(c.doc.Data.Subscriptions, s)
}
