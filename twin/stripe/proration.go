package stripe

import "worlds/twin"

// The proration behaviors of a change.
const (
	prorateAlways = "always_invoice"
	prorateLater  = "create_prorations"
	prorateNever  = "none"
)

// prorationParams are how a change of what is billed is settled.
type prorationParams struct {
	PaymentBehavior   twin.Opt[string]    `param:"payment_behavior" rule:"enum=allow_incomplete|default_incomplete|error_if_incomplete|pending_if_incomplete"`
	ProrationBehavior twin.Opt[string]    `param:"proration_behavior" rule:"enum=always_invoice|create_prorations|none"`
	ProrationDate     twin.Opt[twin.Time] `param:"proration_date" rule:"min=0,max=7258118400"`
}

// revision is a change of what a subscription bills.
type revision struct {
	prorationParams
	was   []SubscriptionItem // the items before the change
	reset bool               // a billing cycle begins now
	trial bool               // it is a trial
	extra []*InvoiceItem     // what is billed once beside it
	old   cycle              // what periods were counted from before the change
	// what was asked of the card came to nothing
	declined bool
}

// proration is the part of a period that a change leaves: from at to its end.
type proration struct {
	sub      *Subscription
	customer *Customer
	at       twin.Time
	cycle    cycle // that the period is counted from
}

// credit is what of an item's price is not used, to be given back.
func (p *proration) credit(tx *twin.Tx, it *SubscriptionItem) *InvoiceItem {
	made := p.item(tx, it, -1, "Unused")
	made.ProrationDetails.CreditedItems = creditedBy(tx, it)
	return made
}

// debit is what of an item's price is still to come.
func (p *proration) debit(tx *twin.Tx, it *SubscriptionItem) *InvoiceItem {
	return p.item(tx, it, 1, "Remaining")
}

// item is the invoice item that bills (sign 1) or credits (−1) an item's price for
// the rest of the period.
func (p *proration) item(tx *twin.Tx, it *SubscriptionItem, sign int64, what string) *InvoiceItem {
	made := newItem(tx, p.customer)
	made.Currency, made.Proration, made.Discountable = p.sub.Currency, true, false
	made.Amount = it.part(p.cycle, p.at, sign)
	made.NetAmount = made.Amount
	text := it.restText(tx, what, p.at)
	unit := it.Price.UnitAmountDecimal
	made.Description, made.Quantity, made.QuantityDecimal = &text, it.Quantity, decimal(it.Quantity)
	made.Period = Period{Start: p.at, End: it.CurrentPeriodEnd}
	made.Pricing = &Pricing{
		Type: "price_details", PriceDetails: PriceDetails{Price: it.Price.ID, Product: it.Price.Product}, UnitAmountDecimal: &unit,
	}
	made.Parent = &ItemParent{Type: "subscription_details",
		SubscriptionDetails: ItemSubscription{Subscription: p.sub.ID, SubscriptionItem: it.ID}}
	return made
}

// creditedBy names the newest line that billed an item for its present period, nil
// when none did: a seed's subscriptions were billed before the world began.
func creditedBy(tx *twin.Tx, it *SubscriptionItem) *ItemCreditedItems {
	for row := range tx.State().NewestWith(invoices.Table, "subscription="+it.Subscription, 0) {
		inv := invoices.Decode(row)
		all := allLines(tx, inv)
		for i := range all {
			l := &all[i]
			if l.Period.End == it.CurrentPeriodEnd && l.billed() == it.ID && l.Amount >= 0 {
				return &ItemCreditedItems{Type: "invoice_line_items", InvoiceLineItemDetails: CreditedItems{
					Invoice: inv.ID, InvoiceLineItems: []string{l.ID},
				}}
			}
		}
		if inv.Created < it.CurrentPeriodStart {
			return nil
		}
	}
	return nil
}

// billed is the subscription item that a line bills by itself, "" for none.
func (l *Line) billed() string {
	if l.Parent == nil || l.Parent.SubscriptionItemDetails == nil {
		return ""
	}
	return l.Parent.SubscriptionItemDetails.SubscriptionItem
}

// prorate lists what a revision credits and debits: each item that changed, whole
// as it was and whole as it is. When a cycle begins anew, everything is credited,
// and what is new is billed in full elsewhere.
func (r *revision) prorate(tx *twin.Tx, p *proration) (out []*InvoiceItem) {
	for i := range r.was {
		was := &r.was[i]
		now := p.sub.item(was.ID)
		if now >= 0 && !r.reset && same(was, &p.sub.Items.Data[now]) {
			continue
		}
		out = append(out, p.credit(tx, was))
		if now >= 0 && !r.reset {
			out = append(out, p.debit(tx, &p.sub.Items.Data[now]))
		}
	}
	for i := range p.sub.Items.Data {
		if it := &p.sub.Items.Data[i]; !r.reset && r.added(it.ID) {
			out = append(out, p.debit(tx, it))
		}
	}
	return out
}

// same reports whether an item is billed as it was.
func same(a, b *SubscriptionItem) bool { return a.Price.ID == b.Price.ID && a.Quantity == b.Quantity }

// added reports whether an item was not there before.
func (r *revision) added(id string) bool {
	for i := range r.was {
		if r.was[i].ID == id {
			return false
		}
	}
	return true
}

// changes reports whether a revision changes what s bills.
func (r *revision) changes(s *Subscription) bool {
	if len(r.was) != len(s.Items.Data) {
		return true
	}
	for i := range r.was {
		if now := s.item(r.was[i].ID); now < 0 || !same(&r.was[i], &s.Items.Data[now]) {
			return true
		}
	}
	return false
}

// settle stores a revised subscription, which says how it changed after all else:
// what the change costs waits for the next invoice, or is billed at once.
func (r *revision) settle(tx *twin.Tx, s *Subscription) (twin.Doc, *twin.Error) {
	if s.PendingUpdate != nil && (r.reset || r.changes(s)) {
		s.discard(tx)
	}
	if r.PaymentBehavior.V == pendingIfIncomplete {
		return r.settleOrWait(tx, s)
	}
	c, ok := liveCustomer(tx, s.Customer)
	if !ok {
		return twin.Doc{}, errNoSuchRef(customers.Object, "customer", s.Customer)
	}
	before, _ := subscriptions.Doc(tx, s.ID)
	made, now, err := r.prepare(tx, s, c)
	if err != nil {
		return twin.Doc{}, err
	}
	if now {
		if err := r.invoice(tx, s, c, made); err != nil {
			return twin.Doc{}, err
		}
		return s.conclude(tx, before)
	}
	return s.replace(tx)
}

// prepare makes the prorations of a revision, pending, and begins the new cycle if
// there is one; now says that an invoice is made at once.
func (r *revision) prepare(tx *twin.Tx, s *Subscription, c *Customer) (made []*InvoiceItem, now bool, err *twin.Error) {
	if err := r.begin(s); err != nil {
		return nil, false, err
	}
	behavior := r.ProrationBehavior.Or(prorateLater)
	switch changes := r.changes(s); {
	case s.Status == subIncomplete && (changes && behavior != prorateNever || len(r.extra) > 0):
		return nil, false, errIncomplete()
	case !s.renews(), !changes && !r.reset:
		return nil, false, nil
	}
	p := proration{sub: s, customer: c, at: r.ProrationDate.Or(tx.Now()), cycle: s.cycle()}
	if r.trial {
		p.cycle = r.old
	}
	period := Period{Start: r.was[0].CurrentPeriodStart, End: r.was[0].CurrentPeriodEnd}
	switch {
	case r.ProrationDate.Given() && (p.at < period.Start || p.at > period.End):
		return nil, false, errProrationDate(period)
	case behavior == prorateNever:
	case !pinnedTo(c, s.Currency):
		return nil, false, errCurrencies(*c.Currency)
	case c.Balance < -amountMax:
		return nil, false, errAmountLarge("", amountMax, s.Currency)
	}
	if behavior != prorateNever {
		if made = r.prorate(tx, &p); waiting(tx, c.ID)+len(made) > pendingItemsMax {
			return nil, false, invalid("", "A customer can have at most %d pending invoice items.", pendingItemsMax)
		}
	}
	for _, it := range made {
		it.enter(tx, nil)
	}
	switch {
	case r.trial:
		s.Status = subTrialing
	case r.reset:
		s.restart(tx.Now())
	}
	return made, r.reset || behavior == prorateAlways && len(made) > 0, nil
}

// begin sees whether the change begins a billing cycle anew.
func (r *revision) begin(s *Subscription) *twin.Error {
	if rhythm(&s.Items.Data[0].Price) != rhythm(&r.was[0].Price) && s.Status != subTrialing {
		r.reset = true
	}
	switch {
	case !r.reset || s.renews():
		return nil
	case s.Status == subIncomplete:
		return errIncomplete()
	case r.trial:
		return errUnserved("a trial for a subscription that is "+s.Status, "trial_end")
	case s.Status == subTrialing:
		return errAnchorInTrial()
	}
	return errUnserved("a new billing cycle for a subscription that is "+s.Status, "items")
}

// restart begins a billing cycle now.
func (s *Subscription) restart(now twin.Time) {
	s.BillingCycleAnchor, s.BillingCycleAnchorConfig = now, nil
	s.roll(now)
	s.endWithPeriod()
}

// endWithPeriod lets a subscription that ends with its period end with its present one.
func (s *Subscription) endWithPeriod() {
	if s.CancelAtPeriodEnd {
		end := s.period().End
		s.CancelAt = &end
	}
}

// lines are those of the invoice that bills a revision at once: what it made, or
// with a new cycle all that waits and the new period.
func (r *revision) lines(tx *twin.Tx, s *Subscription, inv *Invoice, made []*InvoiceItem) (all []Line) {
	switch {
	case r.trial:
		return append(sweep(tx, inv, s.ID, true), trialLines(tx, s, inv)...)
	case r.reset:
		return append(sweep(tx, inv, s.ID, true), subscriptionLines(tx, s, inv)...)
	}
	for _, it := range append(made, r.extra...) {
		it.Invoice = &inv.ID
		invoiceItems.Put(tx, it)
		all = append(all, it.line(tx, inv))
	}
	return all
}

// invoice bills a revision at once.
func (r *revision) invoice(tx *twin.Tx, s *Subscription, c *Customer, made []*InvoiceItem) *twin.Error {
	inv := firstInvoice(tx, s, c)
	inv.BillingReason = reasonUpdate
	inv.AutoAdvance = r.PaymentBehavior.V != defaultIncomplete
	s.LatestInvoice = &inv.ID
	s.mirror()
	subscriptions.Put(tx, s)
	behavior := s.collects()
	if behavior == keepAsDraft {
		inv.AutoAdvance = false
	}
	draft(tx, inv, r.lines(tx, s, inv, made))
	if behavior == keepAsDraft {
		return nil
	}
	finalize(tx, inv, c)
	if inv.Status != invOpen || forgo(tx, inv, behavior) || inv.CollectionMethod != chargeAutomatically {
		return nil
	}
	return r.pay(tx, s, c, inv)
}

// pay charges the invoice of a revision. When that fails the subscription is past
// due, or the revision is refused.
func (r *revision) pay(tx *twin.Tx, s *Subscription, c *Customer, inv *Invoice) *twin.Error {
	if r.PaymentBehavior.V == defaultIncomplete && !r.trial {
		s.Status = subPastDue
		subscriptions.Put(tx, s)
		return nil
	}
	method, err := methodOf(tx, inv, c, twin.Opt[string]{})
	if err != nil {
		err = errNoSource()
	} else {
		inv.NextPaymentAttempt = retryAt(tx, 1) // in case it fails
		_, err = chargeInvoice(tx, inv, c, method)
	}
	if err == nil {
		return nil
	}
	if r.PaymentBehavior.V == errorIfIncomplete || !err.Keep && method != "" {
		r.declined = err.Keep
		refused := *err
		refused.Keep = false
		return &refused
	}
	if !r.trial { // which goes on, whatever was owed from before
		s.Status = subPastDue
	}
	subscriptions.Put(tx, s)
	return nil
}

// conclude stores a subscription that was stored on the way and says how it differs
// from what it was before. Its status is what payments have made it.
func (s *Subscription) conclude(tx *twin.Tx, before twin.Doc) (twin.Doc, *twin.Error) {
	if stored, _ := subscriptions.Get(tx, s.ID); stored.LatestInvoice != nil && s.LatestInvoice != nil && *stored.LatestInvoice == *s.LatestInvoice {
		s.Status = stored.Status
	}
	s.mirror()
	doc := subscriptions.Put(tx, s)
	if previous, changed := twin.Changes(before.Body, doc.Body); changed {
		tx.Emit("customer.subscription.updated", doc, previous)
	}
	return doc, nil
}

// billPending bills at once what waits for a subscription that ends, if anything
// does.
func (s *Subscription) billPending(tx *twin.Tx) error {
	c, ok := liveCustomer(tx, s.Customer)
	if !ok {
		return nil
	}
	before := tx.Savepoint()
	inv := firstInvoice(tx, s, c)
	all := sweep(tx, inv, s.ID, false)
	if len(all) == 0 {
		tx.Rollback(before) // the id of an invoice that is not made is not used up
		return nil
	}
	inv.BillingReason = reasonUpdate
	draft(tx, inv, all)
	if err := unbillable(inv, c); err != nil {
		return err
	}
	s.LatestInvoice = &inv.ID
	if finalize(tx, inv, c); inv.Status == invOpen && inv.CollectionMethod == chargeAutomatically {
		if method, err := methodOf(tx, inv, c, twin.Opt[string]{}); err == nil {
			_, _ = chargeInvoice(tx, inv, c, method) // what fails stays open
		}
	}
	return nil
}

// pends reports whether something waits to be billed for the subscription.
func (s *Subscription) pends(tx *twin.Tx) bool {
	for it := range invoiceItems.With(tx, "waiting="+s.Customer) {
		if it.subscription() == s.ID && it.Currency == s.Currency {
			return true
		}
	}
	return false
}

// dropProrations forgets what earlier changes of a subscription would have cost.
func (s *Subscription) dropProrations(tx *twin.Tx) {
	var ids []string
	for it := range invoiceItems.With(tx, "waiting="+s.Customer) {
		if it.Proration && it.subscription() == s.ID {
			ids = append(ids, it.ID)
		}
	}
	for _, id := range ids {
		dropItem(tx, id)
	}
}

// creditRest gives back what is not used of a subscription that ends now.
func (s *Subscription) creditRest(tx *twin.Tx) *twin.Error {
	c, ok := liveCustomer(tx, s.Customer)
	if !ok || !s.renews() {
		return nil
	}
	switch {
	case !pinnedTo(c, s.Currency):
		return errCurrencies(*c.Currency)
	case c.Balance < -amountMax:
		return errAmountLarge("", amountMax, s.Currency)
	}
	p := proration{sub: s, customer: c, at: tx.Now(), cycle: s.cycle()}
	for i := range s.Items.Data {
		p.credit(tx, &s.Items.Data[i]).enter(tx, nil)
	}
	return nil
}
