package stripe

import (
	"slices"

	"worlds/journal/canon"
	"worlds/projection"
	"worlds/seed"
	"worlds/twin"
)

// exportSeed writes what a seed can hold of a state as its data section, and counts
// the rest. Loading the section and exporting again gives the same one.
func exportSeed(st *projection.State) ([]twin.SeedMember, []twin.Lost) {
	x := &exporter{st: st, now: st.Now(), customers: map[string]*Customer{}, charges: map[string]bool{}, behind: map[string]bool{}}
	x.exportCustomers()
	x.exportCatalog()
	x.exportInvoices()
	x.exportCharges()
	x.exportSubscriptions()
	x.exportDisputes()
	x.countRest()
	d := seed.Document{Name: "export", Version: 1, Epoch: x.now, Data: x.data}
	if _, err := d.Mended(func(what string) { x.lose(what + " beyond the format") }); err == nil {
		x.data = d.Data
	}
	return []twin.SeedMember{{Name: "data", Value: x.data.JSON()}}, x.lost
}

// exporter gathers one data section.
type exporter struct {
	st        *projection.State
	now       int64
	data      seed.Data
	lost      []twin.Lost
	customers map[string]*Customer // that the section holds
	charges   map[string]bool      // that the section holds
	behind    map[string]bool      // payment intents behind those
}

func (x *exporter) lose(what string) {
	for i := range x.lost {
		if x.lost[i].What == what {
			x.lost[i].Count++
			return
		}
	}
	x.lost = append(x.lost, twin.Lost{What: what, Count: 1})
}

func (x *exporter) loseIf(is bool, what string) {
	if is {
		x.lose(what)
	}
}

// offset is the created_offset of what was made at a moment.
func (x *exporter) offset(created twin.Time) int64 { return max(x.now-int64(created), 0) }

// oldest decodes the rows of a table that were not deleted, by age; those of one
// age in the order in which they were made, which is that of the next load.
func oldest[T any](st *projection.State, r twin.Resource[T], created func(*T) twin.Time) []*T {
	var all []*T
	for row := range st.Oldest(r.Table, 0) {
		if r.Terms == nil || row.Terms != nil {
			all = append(all, r.Decode(row))
		}
	}
	slices.SortStableFunc(all, func(a, b *T) int { return int(created(a) - created(b)) })
	return all
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func (x *exporter) exportCustomers() {
	for _, c := range oldest(x.st, customers, func(c *Customer) twin.Time { return c.Created }) {
		if c.TestClock != nil {
			x.lose("customers of test clocks")
			continue
		}
		x.customers[c.ID] = c
		x.loseIf(c.Balance != 0, "customer balances")
		x.loseIf(c.Address != nil || c.Shipping != nil, "addresses")
		x.data.Customers = append(x.data.Customers, seed.Customer{ID: c.ID, Name: orEmpty(c.Name), Email: orEmpty(c.Email),
			Description: orEmpty(c.Description), Phone: orEmpty(c.Phone), Metadata: canon.Marshal(&c.Metadata),
			CreatedOffset: x.offset(c.Created), PaymentMethod: x.instrument(c)})
	}
	for row := range x.st.Oldest(customers.Table, 0) {
		x.loseIf(row.Terms == nil, "deleted customers")
	}
}

// instrument names the test card that a customer pays with, "" for none, and
// counts the other ones.
func (x *exporter) instrument(c *Customer) (name string) {
	for row := range x.st.OldestWith(paymentMethods.Table, "customer="+c.ID, 0) {
		if row.ID != methodFor(c) {
			x.lose("payment methods that are not the default")
			continue
		}
		if in := instrumentBehind(&paymentMethods.Decode(row).Card); in.name != "" {
			name = instrumentPrefix + in.name
		}
	}
	return name
}

func (x *exporter) exportCatalog() {
	for _, p := range oldest(x.st, products, func(p *Product) twin.Time { return p.Created }) {
		x.data.Products = append(x.data.Products, seed.Product{ID: p.ID, Name: p.Name, Description: orEmpty(p.Description), Active: p.Active,
			Metadata: canon.Marshal(&p.Metadata), CreatedOffset: x.offset(p.Created)})
	}
	for _, p := range oldest(x.st, prices, func(p *Price) twin.Time { return p.Created }) {
		x.loseIf(p.LookupKey != nil, "lookup keys")
		x.loseIf(p.UnitAmount == nil, "fractions of unit amounts")
		unit, _ := lineCost(p.UnitAmountDecimal, 1)
		s := seed.Price{ID: p.ID, Product: p.Product, UnitAmount: int64(unit), Currency: p.Currency, Nickname: orEmpty(p.Nickname),
			Active: p.Active, Metadata: canon.Marshal(&p.Metadata), CreatedOffset: x.offset(p.Created)}
		if p.Recurring != nil {
			s.Recurring = rhythm(p)
		}
		x.data.Prices = append(x.data.Prices, s)
	}
}

// exportInvoices writes the invoices by age. The first of a customer is in its
// currency if any is, since that fixes the currency again.
func (x *exporter) exportInvoices() {
	all := oldest(x.st, invoices, func(inv *Invoice) twin.Time { return inv.Created })
	pinned := x.pins(all)
	for _, own := range []bool{true, false} {
		for _, inv := range all {
			switch {
			case x.customers[inv.Customer] == nil:
				x.loseIf(own, "invoices of customers that are lost")
			case (pinned[inv.Customer] == inv.Currency) == own:
				x.exportInvoice(inv)
			}
		}
	}
}

// pins tells by customer the currency that its invoices fix.
func (x *exporter) pins(all []*Invoice) map[string]string {
	pinned := map[string]string{}
	for _, inv := range all {
		c := x.customers[inv.Customer]
		if c == nil {
			continue
		}
		if first := pinned[inv.Customer]; first == "" || first != orEmpty(c.Currency) && inv.Currency == orEmpty(c.Currency) {
			pinned[inv.Customer] = inv.Currency
		}
	}
	return pinned
}

func (x *exporter) exportInvoice(inv *Invoice) {
	all := inv.Lines.Data
	if inv.Lines.HasMore {
		for row := range x.st.OldestWith(lines.Table, "invoice="+inv.ID, 0) {
			all = append(all, *lines.Decode(row))
		}
	}
	s := seed.Invoice{ID: inv.ID, Customer: inv.Customer, Status: inv.Status, Currency: inv.Currency, CreatedOffset: x.offset(inv.Created)}
	sum := twin.Money(0)
	for i := range all {
		sum += all[i].Amount
		s.Lines = append(s.Lines, x.exportLine(&all[i]))
	}
	switch {
	case len(s.Lines) == 0:
		x.lose("invoices without lines")
		return
	case inv.Total < 0:
		x.lose("invoices below zero")
		return
	case sum != inv.Total: // what discounts took off
		x.lose("discounts of invoices, now lines")
		s.Lines = append(s.Lines, seed.Line{Description: "Discount", Amount: int64(inv.Total - sum), Quantity: 1})
	}
	x.loseIf(len(inv.Metadata) > 0, "metadata of invoices")
	x.loseIf(inv.subscription() != "", "subscriptions behind invoices")
	x.loseIf(inv.Status == invDraft && inv.AutoAdvance, "drafts that would finalize by themselves")
	x.loseIf(inv.Status == invOpen && inv.NextPaymentAttempt != nil, "payments that would be tried again")
	x.loseIf(inv.StartingBalance != 0, "balances applied to invoices")
	x.data.Invoices = append(x.data.Invoices, s)
}

func (x *exporter) exportLine(l *Line) seed.Line {
	s := seed.Line{Description: orEmpty(l.Description), Amount: int64(l.Amount), Quantity: l.Quantity}
	if l.Pricing != nil && x.st.Get(prices.Table, l.Pricing.PriceDetails.Price) != nil {
		s.Price = l.Pricing.PriceDetails.Price
	}
	if s.Description == "" {
		s.Description = "Line item"
	}
	if s.Quantity < 1 {
		x.lose("quantities of lines")
		s.Quantity = 1
	}
	return s
}

// exportCharges adds to the paid invoices the charges that paid them.
func (x *exporter) exportCharges() {
	for i := range x.data.Invoices {
		s := &x.data.Invoices[i]
		if s.Status != invPaid {
			continue
		}
		for link := range x.st.OldestWith(invoicePayments.Table, "invoice="+s.ID, 0) {
			pi := invoicePayments.Decode(link).Payment.PaymentIntent
			for row := range x.st.OldestWith(charges.Table, "payment_intent="+pi, 0) {
				ch := charges.Decode(row)
				if ch.Status != chargeSucceeded || !ch.Captured || ch.Amount == 0 {
					continue
				}
				x.charges[ch.ID], x.behind[pi] = true, true
				s.Charges = append(s.Charges, seed.Charge{ID: ch.ID, Amount: int64(ch.Amount), AmountRefunded: int64(ch.AmountRefunded)})
			}
		}
	}
	for row := range x.st.Oldest(charges.Table, 0) {
		switch ch := charges.Decode(row); {
		case x.charges[ch.ID]:
		case ch.Status == chargeFailed:
			x.lose("failed charges")
		default:
			x.lose("charges of no paid invoice")
		}
	}
	for row := range x.st.Oldest(paymentIntents.Table, 0) {
		x.loseIf(!x.behind[row.ID], "payment intents")
	}
}

func (x *exporter) exportSubscriptions() {
	for _, sub := range oldest(x.st, subscriptions, func(s *Subscription) twin.Time { return s.Created }) {
		switch {
		case sub.ended():
			x.lose("canceled subscriptions")
			continue
		case x.customers[sub.Customer] == nil:
			x.lose("subscriptions of customers that are lost")
			continue
		case len(sub.Items.Data) != 1:
			x.lose("subscriptions of several prices")
			continue
		}
		x.loseIf(sub.BillingCycleAnchorConfig != nil, "calendars of billing cycle anchors")
		x.loseIf(sub.Status == subTrialing && sub.BillingCycleAnchor != *sub.TrialEnd, "billing cycle anchors after a trial")
		x.loseIf(sub.StartDate != sub.Created, "start dates in the past")
		x.loseIf(sub.PauseCollection != nil, "pauses of collection")
		x.loseIf(sub.CancelAt != nil && !sub.CancelAtPeriodEnd, "cancellations at a moment of their own")
		x.loseIf(sub.CollectionMethod != chargeAutomatically, "subscriptions that send invoices, now charged")
		x.loseIf(sub.DefaultPaymentMethod != nil, "payment methods of subscriptions")
		x.loseIf(len(sub.Metadata) > 0, "metadata of subscriptions")
		x.data.Subscriptions = append(x.data.Subscriptions, x.subscription(sub))
	}
}

func (x *exporter) subscription(sub *Subscription) seed.Subscription {
	item := &sub.Items.Data[0]
	s := seed.Subscription{ID: sub.ID, Customer: sub.Customer, Price: item.Price.ID, Quantity: item.Quantity,
		CurrentPeriodStart: int64(item.CurrentPeriodStart), CurrentPeriodEnd: int64(item.CurrentPeriodEnd),
		CancelAtPeriodEnd: sub.CancelAtPeriodEnd, CreatedOffset: x.offset(sub.Created),
		BillingCycleAnchor: int64(sub.cycle().origin), Status: sub.Status}
	if sub.TrialEnd != nil && (sub.Status == subTrialing || int64(*sub.TrialEnd) <= x.now) {
		s.TrialEnd = int64(*sub.TrialEnd)
	}
	if sub.Status == subTrialing { // which is the first period
		s.CurrentPeriodStart = min(s.CurrentPeriodStart, x.now)
		s.CurrentPeriodEnd, s.BillingCycleAnchor = s.TrialEnd, s.TrialEnd
	}
	return s
}

func (x *exporter) exportDisputes() {
	for _, d := range oldest(x.st, disputeRows, func(d *Dispute) twin.Time { return d.Created }) {
		if !x.charges[d.Charge] {
			x.lose("disputes of charges that are lost")
			continue
		}
		x.data.Disputes = append(x.data.Disputes, seed.Dispute{ID: d.ID, Charge: d.Charge, Amount: int64(d.Amount), Reason: d.Reason,
			Status: d.Status, CreatedOffset: x.offset(d.Created)})
	}
}

// countRest counts the objects of kinds that a seed has no section for.
func (x *exporter) countRest() {
	for row := range x.st.Oldest(invoiceItems.Table, 0) {
		x.loseIf(invoiceItems.Decode(row).Invoice == nil, "pending invoice items")
	}
	for _, kind := range []struct{ table, what string }{
		{refunds.Table, "refund objects"}, {coupons.Table, "coupons"}, {promotionCodes.Table, "promotion codes"},
		{discounts.Table, "discounts"}, {creditNotes.Table, "credit notes"}, {customerBalanceTransactions.Table, "balance entries of customers"},
		{setupIntents.Table, "setup intents"}, {tokens.Table, "tokens"}, {webhookEndpoints.Table, "webhook endpoints"}, {testClocks.Table, "test clocks"},
	} {
		for range x.st.Oldest(kind.table, 0) {
			x.lose(kind.what)
		}
	}
}
