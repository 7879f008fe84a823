package seed

// The rules that look at more than one value. They run over the whole document
// even when some of it could not be read, and leave alone what the tables have
// already reported, which is zero.

// register holds where each id of one kind stands.
type register map[string]*place

func (r register) add(d *decoder, at *place, id string) {
	if id == "" {
		return
	}
	if first, ok := r[id]; ok {
		d.report(at.key("id"), "%s is already the id of %s", show(id), first.path())
		return
	}
	r[id] = at
}

func (r register) require(d *decoder, at *place, kind, id string) {
	if _, ok := r[id]; !ok && id != "" {
		d.report(at, "no %s has the id %s", kind, show(id))
	}
}

// checker holds what the rules of the later sections need of the earlier ones.
type checker struct {
	*decoder
	epoch     int64
	customers register
	products  register
	prices    map[string]Recurring
	charges   map[string]int64 // amounts
}

func checkDocument(d *decoder, doc *Document) {
	c := &checker{decoder: d, epoch: doc.Epoch, customers: register{}, products: register{},
		prices: map[string]Recurring{}, charges: map[string]int64{}}
	for i := range doc.Data.Customers {
		c.customers.add(d, within("customers", i), doc.Data.Customers[i].ID)
		c.offset(within("customers", i), doc.Data.Customers[i].CreatedOffset)
	}
	for i := range doc.Data.Products {
		c.products.add(d, within("products", i), doc.Data.Products[i].ID)
		c.offset(within("products", i), doc.Data.Products[i].CreatedOffset)
	}
	c.checkPrices(doc.Data.Prices)
	c.checkInvoices(doc.Data.Invoices)
	c.checkSubscriptions(doc.Data.Subscriptions)
	c.checkDisputes(doc.Data.Disputes)
	for i := range doc.Data.Tickets {
		c.offset(within("tickets", i), doc.Data.Tickets[i].CreatedOffset)
	}
	if len(doc.Data.Tickets) > 0 && doc.Zendesk != nil {
		d.report((*place)(nil).key("data").key("tickets"), "cannot stand beside a zendesk block; write the tickets there")
	}
	c.checkDunning(doc.Settings.Dunning)
	if doc.Zendesk != nil {
		checkZendesk(d, doc.Epoch, doc.Zendesk)
	}
}

// offset checks that an object was not created before 1970.
func (c *checker) offset(at *place, offset int64) {
	if c.epoch > 0 && offset > c.epoch {
		c.report(at.key("created_offset"), "is %d; reaches back beyond 1970 from the epoch %d", offset, c.epoch)
	}
}

func (c *checker) checkPrices(prices []Price) {
	seen := register{}
	for i := range prices {
		p, at := &prices[i], within("prices", i)
		seen.add(c.decoder, at, p.ID)
		if _, again := c.prices[p.ID]; !again {
			c.prices[p.ID] = p.Recurring
		}
		c.products.require(c.decoder, at.key("product"), "product", p.Product)
		c.offset(at, p.CreatedOffset)
		if limit := maxIntervalCount(p.Recurring.Interval); !p.Recurring.IsZero() && p.Recurring.IntervalCount > limit {
			c.report(at.key("recurring").key("interval_count"), "is %d; must be at most %d with interval %s",
				p.Recurring.IntervalCount, limit, p.Recurring.Interval)
		}
	}
}

func (c *checker) checkInvoices(invoices []Invoice) {
	seen, charges := register{}, register{}
	for i := range invoices {
		in, at := &invoices[i], within("invoices", i)
		seen.add(c.decoder, at, in.ID)
		c.customers.require(c.decoder, at.key("customer"), "customer", in.Customer)
		c.offset(at, in.CreatedOffset)
		for j := range in.Lines {
			if price := in.Lines[j].Price; price != "" {
				if _, ok := c.prices[price]; !ok {
					c.report(at.key("lines").item(j).key("price"), "no price has the id %s", show(price))
				}
			}
		}
		total := in.Total()
		if total < 0 {
			c.report(at.key("lines"), "add up to %d; an invoice's total may not be negative", total)
		} else if total > MaxAmount {
			c.report(at.key("lines"), "add up to %d; the limit is %d", total, int64(MaxAmount))
		}
		if len(in.Charges) > 0 && in.Status != InvoicePaid && in.Status != "" {
			c.report(at.key("charges"), "only a paid invoice has charges; this one's status is %s", in.Status)
		}
		for j := range in.Charges {
			c.checkCharge(at.key("charges").item(j), &in.Charges[j], total, charges)
		}
	}
}

func (c *checker) checkCharge(at *place, charge *Charge, total int64, seen register) {
	seen.add(c.decoder, at, charge.ID)
	if charge.Amount == 0 {
		charge.Amount = total
	}
	if charge.Amount <= 0 {
		c.report(at.key("amount"), "is missing, and the invoice's total of %d cannot be charged", total)
	} else if charge.AmountRefunded > charge.Amount {
		c.report(at.key("amount_refunded"), "is %d; must be at most the charge's amount, %d", charge.AmountRefunded, charge.Amount)
	}
	c.charges[charge.ID] = charge.Amount
}

func (c *checker) checkSubscriptions(subscriptions []Subscription) {
	seen := register{}
	for i := range subscriptions {
		s, at := &subscriptions[i], within("subscriptions", i)
		seen.add(c.decoder, at, s.ID)
		c.customers.require(c.decoder, at.key("customer"), "customer", s.Customer)
		c.offset(at, s.CreatedOffset)
		recurring, known := c.prices[s.Price]
		if !known && s.Price != "" {
			c.report(at.key("price"), "no price has the id %s", show(s.Price))
		} else if known && recurring == (Recurring{}) {
			c.report(at.key("price"), "%s is a one-time price; a subscription needs a recurring one", show(s.Price))
		}
		c.checkPeriod(at, s, recurring)
		c.checkTrial(at, s)
	}
}

// checkPeriod fills in the period and the anchor and refuses a period that is not one.
func (c *checker) checkPeriod(at *place, s *Subscription, recurring Recurring) {
	if s.CurrentPeriodStart == 0 {
		s.CurrentPeriodStart = c.epoch - s.CreatedOffset
	}
	if s.BillingCycleAnchor == 0 {
		s.BillingCycleAnchor = c.anchor(s, recurring)
	}
	if s.CurrentPeriodEnd == 0 {
		if !recurring.IsZero() && recurring.IntervalCount > 0 {
			s.CurrentPeriodEnd = recurring.Next(s.BillingCycleAnchor, s.CurrentPeriodStart)
		}
		return
	}
	if s.CurrentPeriodEnd <= s.CurrentPeriodStart {
		c.report(at.key("current_period_end"), "is %d; must be later than current_period_start, %d",
			s.CurrentPeriodEnd, s.CurrentPeriodStart)
	}
}

// anchor infers from what boundaries a period is counted that the seed only
// shows: from the creation where its rhythm has the period (it alone knows the
// 31st of a period from 28 to 30), else from the start, else from the end, which
// knows the 31st of a period that begins in a short month.
func (c *checker) anchor(s *Subscription, recurring Recurring) int64 {
	if recurring.IsZero() || recurring.IntervalCount <= 0 {
		return s.CurrentPeriodStart
	}
	created := c.epoch - s.CreatedOffset
	for _, anchor := range []int64{created, s.CurrentPeriodStart} {
		if recurring.Next(anchor, s.CurrentPeriodStart-1) != s.CurrentPeriodStart {
			continue
		}
		if s.CurrentPeriodEnd == 0 || recurring.Next(anchor, s.CurrentPeriodStart) == s.CurrentPeriodEnd {
			return anchor
		}
	}
	return s.CurrentPeriodEnd
}

// checkTrial fills in the status and holds it against the trial.
func (c *checker) checkTrial(at *place, s *Subscription) {
	lasts := s.TrialEnd > c.epoch
	switch s.Status {
	case "":
		s.Status = SubscriptionActive
		if lasts {
			s.Status = SubscriptionTrialing
		}
	case SubscriptionTrialing:
		if !lasts {
			c.report(at.key("status"), "is trialing, but trial_end is not later than the epoch")
		}
	case SubscriptionActive, SubscriptionPastDue, SubscriptionUnpaid:
		if lasts {
			c.report(at.key("status"), "is %s, but trial_end is later than the epoch", s.Status)
		}
	}
}

func (c *checker) checkDisputes(disputes []Dispute) {
	seen, disputed := register{}, register{}
	for i := range disputes {
		p, at := &disputes[i], within("disputes", i)
		seen.add(c.decoder, at, p.ID)
		c.offset(at, p.CreatedOffset)
		amount, known := c.charges[p.Charge]
		if !known && p.Charge != "" {
			c.report(at.key("charge"), "no charge has the id %s", show(p.Charge))
		}
		if first, ok := disputed[p.Charge]; ok && known {
			c.report(at.key("charge"), "%s is already disputed by %s", show(p.Charge), first.path())
		}
		disputed[p.Charge] = at
		if p.Amount == 0 {
			p.Amount = amount
		} else if known && p.Amount > amount {
			c.report(at.key("amount"), "is %d; must be at most the charge's amount, %d", p.Amount, amount)
		}
	}
}

func (c *checker) checkDunning(dunning Dunning) {
	at := (*place)(nil).key("settings").key("dunning").key("retry_days")
	for i := 1; i < len(dunning.RetryDays); i++ {
		if day := dunning.RetryDays[i]; day != 0 && day <= dunning.RetryDays[i-1] {
			c.report(at.item(i), "is %d; must be later than the day before it, %d", day, dunning.RetryDays[i-1])
		}
	}
}
