package stripe

import (
	"fmt"

	"worlds/seed"
	"worlds/twin"
)

// newSubscriptionParams are what both routes that make a subscription take.
type newSubscriptionParams struct {
	collectionParams
	AddInvoiceItems      twin.Opt[[]addedItemParams]   `param:"add_invoice_items"`
	BackdateStartDate    twin.Opt[twin.Time]           `param:"backdate_start_date" rule:"min=0,max=7258118400"`
	BillingCycleAnchor   twin.Opt[twin.Time]           `param:"billing_cycle_anchor" rule:"min=0,max=7258118400"`
	CancelAt             twin.Opt[twin.Time]           `param:"cancel_at" rule:"min=0,max=7258118400"`
	CancelAtPeriodEnd    twin.Opt[bool]                `param:"cancel_at_period_end"`
	CollectionMethod     twin.Opt[string]              `param:"collection_method" rule:"enum=charge_automatically|send_invoice"`
	Currency             twin.Opt[string]              `param:"currency"`
	DaysUntilDue         twin.Opt[int64]               `param:"days_until_due" rule:"min=0,max=36500"`
	DefaultPaymentMethod twin.Opt[string]              `param:"default_payment_method"`
	Discounts            discountList                  `param:"discounts" rule:"empty"`
	Items                twin.Opt[[]newItemParams]     `param:"items" rule:"required"`
	Metadata             twin.Opt[twin.Metadata]       `param:"metadata"`
	PaymentBehavior      twin.Opt[string]              `param:"payment_behavior" rule:"enum=allow_incomplete|default_incomplete|error_if_incomplete|pending_if_incomplete"`
	ProrationBehavior    twin.Opt[string]              `param:"proration_behavior" rule:"enum=always_invoice|create_prorations|none"`
	TrialEnd             twin.Opt[string]              `param:"trial_end" rule:"now,min=0,max=7258118400"`
	TrialPeriodDays      twin.Opt[int64]               `param:"trial_period_days" rule:"min=1,max=730"`
	TrialSettings        twin.Opt[trialSettingsParams] `param:"trial_settings"`
}

type createSubscriptionParams struct {
	newSubscriptionParams
	AnchorConfig twin.Opt[anchorConfigParams] `param:"billing_cycle_anchor_config"`
	BillingMode  twin.Opt[billingModeParams]  `param:"billing_mode"`
	Customer     twin.Opt[string]             `param:"customer" rule:"required"`
	Description  twin.Opt[string]             `param:"description" rule:"len=500"`
}

type billingModeParams struct {
	Type twin.Opt[string] `param:"type" rule:"required,enum=classic|flexible"`
}

type newItemParams struct {
	Discounts discountList              `param:"discounts" rule:"empty"`
	Metadata  twin.Opt[twin.Metadata]   `param:"metadata"`
	Plan      twin.Opt[string]          `param:"plan"` // the older name of price
	Price     twin.Opt[string]          `param:"price"`
	PriceData twin.Opt[itemPriceParams] `param:"price_data"`
	Quantity  twin.Opt[int64]           `param:"quantity" rule:"min=0,max=1000000"`
	since     twin.Time                 `param:"-"` // from when on it is billed, 0 for now
}

// The payment behaviors of a new subscription.
const (
	allowIncomplete   = "allow_incomplete"
	defaultIncomplete = "default_incomplete"
	errorIfIncomplete = "error_if_incomplete"
)

// Check refuses what only the update of a subscription takes, and what does not go
// together.
func (p *createSubscriptionParams) Check() *twin.Error {
	if err := checkAdded(p.AddInvoiceItems.V); err != nil {
		return err
	}
	for i := range p.Items.V {
		if err := p.Items.V[i].check(fmt.Sprintf("items[%d]", i)); err != nil {
			return err
		}
	}
	switch {
	case p.BillingCycleAnchor.Given() && p.AnchorConfig.Given():
		return errExclusive("billing_cycle_anchor", "billing_cycle_anchor_config")
	case p.CancelAt.Given() && p.CancelAtPeriodEnd.Or(false):
		return errExclusive("cancel_at", "cancel_at_period_end")
	}
	if err := checkDays(p.CollectionMethod.Or(chargeAutomatically), p.DaysUntilDue, false); err != nil {
		return err
	}
	switch {
	case p.PaymentBehavior.V == pendingIfIncomplete:
		return invalid("payment_behavior", "`payment_behavior` can only be set to `pending_if_incomplete` when updating a subscription.")
	case p.TrialEnd.Given() && p.TrialPeriodDays.Given():
		return errExclusive("trial_end", "trial_period_days")
	}
	return p.collectionParams.check()
}

// named looks up what a request for a new subscription names.
func (p *createSubscriptionParams) named(tx *twin.Tx) (c *Customer, currency string, err *twin.Error) {
	if p.Currency.Given() {
		if currency, err = knownCurrency(p.Currency.V, "currency"); err != nil {
			return nil, "", err
		}
	}
	if c, err = payer(tx, p.Customer.V, p.DefaultPaymentMethod); err != nil {
		return nil, "", err
	}
	if err = discountsExist(tx, p.Discounts, "discounts"); err != nil {
		return nil, "", err
	}
	return c, currency, itemsExist(tx, p.Items.V, func(it *newItemParams) *newItemParams { return it })
}

// createSubscription makes a subscription and its first invoice, which is due at
// once. One that is charged automatically becomes active when the charge
// succeeds; the request's payment_behavior says what becomes of it otherwise.
func createSubscription(tx *twin.Tx, p *createSubscriptionParams) (twin.Doc, *twin.Error) {
	c, currency, err := p.named(tx)
	if err != nil {
		return twin.Doc{}, err
	}
	for i := range p.Items.V {
		if err := p.Items.V[i].bring(tx, fmt.Sprintf("items[%d]", i)); err != nil {
			return twin.Doc{}, err
		}
	}
	first, err := sellable(tx, p.Items.V[0].Price.V, "items[0][price]", p.Items.V[0].PriceData.Given())
	if err != nil {
		return twin.Doc{}, err
	}
	if currency != "" && currency != first.Currency {
		return twin.Doc{}, errPriceCurrency("items[0][price]", currency)
	}
	s := newSubscription("", c, first.Currency, tx.Now())
	if err := p.apply(tx, s); err != nil {
		return twin.Doc{}, err
	}
	if err := p.anchor(tx, s, first); err != nil {
		return twin.Doc{}, err
	}
	if err := pinCurrency(tx, c, s.Currency); err != nil {
		return twin.Doc{}, err
	}
	b := beginning{sub: s, customer: c, items: p.Items.V, added: p.AddInvoiceItems.V, discounts: p.Discounts, status: subActive, pay: true,
		free: s.anchoredAhead(tx.Now()) && p.ProrationBehavior.V == prorateNever}
	if p.BackdateStartDate.Given() {
		if err := b.backdate(tx, p.BackdateStartDate.V, p.ProrationBehavior.V != prorateNever); err != nil {
			return twin.Doc{}, err
		}
	}
	if err := b.check(tx); err != nil {
		return twin.Doc{}, err
	}
	switch {
	case s.TrialEnd != nil:
		b.status, b.pay = subTrialing, (len(b.added) > 0 || b.since != 0) && s.CollectionMethod == chargeAutomatically
		if b.pay && p.PaymentBehavior.V == defaultIncomplete {
			b.pay = false
			return b.wait(tx)
		}
	case b.free, s.CollectionMethod == sendInvoice:
		b.pay = false
	case p.PaymentBehavior.V == defaultIncomplete:
		b.pay = false
		return b.wait(tx)
	}
	return b.attempt(tx, p.PaymentBehavior.Or(allowIncomplete))
}

// apply sets the named fields of a new subscription.
func (p *createSubscriptionParams) apply(tx *twin.Tx, s *Subscription) (err *twin.Error) {
	if err := s.collectBy(p.CollectionMethod, p.DaysUntilDue); err != nil {
		return err
	}
	p.DefaultPaymentMethod.Apply(&s.DefaultPaymentMethod)
	p.Description.Apply(&s.Description)
	p.collectionParams.apply(s)
	if p.BillingMode.Given() {
		s.BillingMode.Type = p.BillingMode.V.Type.V
	}
	s.CancelAtPeriodEnd = p.CancelAtPeriodEnd.Or(false)
	if p.CancelAt.Given() {
		if p.CancelAt.V <= tx.Now() {
			return errPast("cancel_at")
		}
		s.cancelOn(p.CancelAt.V, tx.Now())
	}
	if err := p.applyTrial(tx.Now(), s); err != nil {
		return err
	}
	s.Metadata, err = applyMetadata(s.Metadata, p.Metadata)
	return err
}

// checkDays refuses days until what is charged automatically is due, and to send
// what has none. had says that there were days before.
func checkDays(method string, days twin.Opt[int64], had bool) *twin.Error {
	switch {
	case method == chargeAutomatically && days.Given():
		return errDueWithoutSending("days_until_due")
	case method == sendInvoice && !days.Given() && !had:
		return errSendingWithoutDue()
	}
	return nil
}

// collectBy sets how a subscription's invoices are collected.
func (s *Subscription) collectBy(method twin.Opt[string], days twin.Opt[int64]) *twin.Error {
	s.CollectionMethod = method.Or(s.CollectionMethod)
	if err := checkDays(s.CollectionMethod, days, s.DaysUntilDue != nil); err != nil {
		return err
	}
	if s.CollectionMethod == chargeAutomatically {
		s.DaysUntilDue = nil
	}
	days.Apply(&s.DaysUntilDue)
	return nil
}

// beginning is a subscription about to be made.
type beginning struct {
	sub       *Subscription
	customer  *Customer
	items     []newItemParams
	added     []addedItemParams
	discounts discountList
	status    string    // what it is made as
	pay       bool      // whether its first invoice is charged at once
	free      bool      // nothing is billed before its anchor but what a trial before it brings
	since     twin.Time // from when on the time that has passed is billed, 0 for not at all
}

// check refuses items that cannot be had or do not go together.
func (b *beginning) check(tx *twin.Tx) *twin.Error {
	trial := *b.sub
	for i := range b.items {
		at := fmt.Sprintf("items[%d]", i)
		item := b.items[i]
		item.Discounts = discountList{} // they are made with the item that stays
		item.since = b.since
		it, err := trial.add(tx, &item, at, "")
		if err != nil {
			return err
		}
		if rhythm(&it.Price) != rhythm(&trial.Items.Data[0].Price) {
			return errRhythm(join(at, "price"))
		}
	}
	return b.checkElapsed(&trial, tx.Now())
}

// attempt makes the subscription as if its payment will succeed, since the event
// that announces it comes first and shows the outcome. When the payment then
// fails, all is taken back and made again as incomplete, or not at all.
func (b *beginning) attempt(tx *twin.Tx, behavior string) (twin.Doc, *twin.Error) {
	before, blank, payer := tx.Savepoint(), *b.sub, *b.customer
	doc, err := b.make(tx)
	if err == nil {
		return doc, nil
	}
	if behavior == errorIfIncomplete || !err.Keep {
		refused := *err
		refused.Keep = false
		return twin.Doc{}, &refused
	}
	tx.Rollback(before)
	b.sub, b.customer, b.status = &blank, &payer, subIncomplete
	doc, _ = b.make(tx)
	return doc, nil
}

// wait makes the subscription without a payment: active, unless its first invoice
// turns out to need one.
func (b *beginning) wait(tx *twin.Tx) (twin.Doc, *twin.Error) {
	before, blank, payer := tx.Savepoint(), *b.sub, *b.customer
	doc, err := b.make(tx)
	if err != nil {
		return twin.Doc{}, err
	}
	if inv, _ := invoices.Get(tx, *b.sub.LatestInvoice); inv.Status != invOpen {
		return doc, nil
	}
	tx.Rollback(before)
	b.sub, b.customer, b.status = &blank, &payer, subIncomplete
	return b.make(tx)
}

// make stores the subscription with its first invoice and, when it is to be
// charged, charges it. The error is that of the charge.
func (b *beginning) make(tx *twin.Tx) (twin.Doc, *twin.Error) {
	s, c := b.sub, b.customer
	s.ID = subscriptions.NewID(tx)
	s.Items.URL += s.ID
	s.Status = b.status
	for i := range b.items {
		b.items[i].since = b.since
		if _, err := s.add(tx, &b.items[i], fmt.Sprintf("items[%d]", i), newItemID(tx)); err != nil {
			return twin.Doc{}, err
		}
	}
	if s.CancelAtPeriodEnd {
		s.scheduleCancel(tx.Now(), tx.Now())
	}
	s.mirror()
	if err := s.applyDiscounts(tx, b.discounts, b.since); err != nil {
		return twin.Doc{}, err
	}
	for i := range b.added {
		if _, err := b.added[i].enter(tx, s, c, fmt.Sprintf("add_invoice_items[%d]", i)); err != nil {
			return twin.Doc{}, err
		}
	}
	switch {
	case b.free && s.TrialEnd != nil:
		remember(tx, freeRest, s.ID, s.BillingCycleAnchor)
	case b.free:
		doc := subscriptions.Put(tx, s)
		tx.Emit("customer.subscription.created", doc, nil)
		return doc, nil
	}
	inv := firstInvoice(tx, s, c)
	s.LatestInvoice = &inv.ID
	doc := subscriptions.Put(tx, s)
	tx.Emit("customer.subscription.created", doc, nil)
	draft(tx, inv, b.lines(tx, inv))
	finalize(tx, inv, c)
	if s.Status == subTrialing {
		warnOfTrialEnd(tx, s)
	}
	if !b.pay || inv.Status != invOpen {
		return doc, nil
	}
	method, err := methodOf(tx, inv, c, twin.Opt[string]{})
	if err != nil {
		return twin.Doc{}, errNoSource()
	}
	// Only one that waits for a payment can wait for its customer.
	_, err = chargeInvoiceAs(tx, inv, c, method, confirmation{offSession: s.Status != subIncomplete})
	if s.PaymentSettings.SaveDefault == saveOnSubscription {
		doc, _ = subscriptions.Doc(tx, s.ID)
	}
	return doc, err
}

// lines are those of the first invoice. A trial lets wait what waits already, and
// bills only what comes with the subscription.
func (b *beginning) lines(tx *twin.Tx, inv *Invoice) []Line {
	s := b.sub
	all := append(sweep(tx, inv, s.ID, s.TrialEnd == nil), b.elapsed(tx, inv)...)
	switch {
	case s.TrialEnd != nil:
		return append(all, trialLines(tx, s, inv)...)
	case b.whole(tx.Now()):
		return all
	}
	return append(all, subscriptionLines(tx, s, inv)...)
}

// firstInvoice is the draft of a new subscription's first invoice.
func firstInvoice(tx *twin.Tx, s *Subscription, c *Customer) *Invoice {
	inv := newInvoice(tx, invoices.NewID(tx), c, s.Currency, tx.Now())
	inv.BillingReason, inv.CollectionMethod, inv.AutoAdvance = reasonCreate, s.CollectionMethod, true
	inv.bills(s)
	if inv.Discounts = s.Discounts; len(inv.Discounts) == 0 {
		inv.Discounts = c.inherit(tx, s.Currency)
	}
	if s.DaysUntilDue != nil {
		due := inv.Created + twin.Time(*s.DaysUntilDue*daySeconds)
		inv.DueDate = &due
	}
	return inv
}

// subscriptionLines are the lines that bill the items of a subscription for
// their present periods.
func subscriptionLines(tx *twin.Tx, s *Subscription, inv *Invoice) []Line {
	out := make([]Line, 0, len(s.Items.Data))
	for i := range s.Items.Data {
		it := &s.Items.Data[i]
		text, amount, partly := it.text(tx), it.amount(), it.partly(s)
		if partly {
			text, amount = it.restText(tx, "Remaining", it.CurrentPeriodStart), it.part(s.cycle(), it.CurrentPeriodStart, 1)
		}
		out = append(out, s.line(tx, inv, it, text, amount, Period{Start: it.CurrentPeriodStart, End: it.CurrentPeriodEnd}, partly))
	}
	return out
}

// line bills an item for some time; partly says that it is less than a period.
func (s *Subscription) line(tx *twin.Tx, inv *Invoice, it *SubscriptionItem, text string, amount twin.Money, p Period, partly bool) Line {
	l := newLine(lines.NewID(tx), inv, text, amount, it.Quantity, &it.Price)
	l.Metadata, l.Subscription, l.Discounts, l.Period = s.Metadata, &s.ID, it.Discounts, p
	l.Parent = &LineParent{Type: "subscription_item_details", SubscriptionItemDetails: &LineItemDetails{
		Proration: partly, Subscription: s.ID, SubscriptionItem: it.ID,
	}}
	return l
}

// seedSubscriptions stores the subscriptions of the past, oldest first. None has
// an invoice: seeded invoices do not say what made them.
func seedSubscriptions(tx *twin.Tx, doc *seed.Document) error {
	for _, s := range byAge(doc.Data.Subscriptions, func(s seed.Subscription) int64 { return s.CreatedOffset }) {
		c, _ := liveCustomer(tx, s.Customer)
		pr, _ := prices.Get(tx, s.Price)
		if c.Currency == nil {
			c.Currency = &pr.Currency
			customers.Put(tx, c)
		}
		subscriptions.Put(tx, seedSubscription(tx, &s, c, pr, doc.Epoch))
	}
	return nil
}

func seedSubscription(tx *twin.Tx, s *seed.Subscription, c *Customer, pr *Price, epoch int64) *Subscription {
	created := twin.Time(epoch - s.CreatedOffset)
	sub := newSubscription(s.ID, c, pr.Currency, created)
	sub.BillingCycleAnchor, sub.Status = twin.Time(s.BillingCycleAnchor), s.Status
	sub.Items.Data = []SubscriptionItem{{
		ID: tx.DerivedID(itemPrefix, itemDigits, s.ID, "item"), Object: itemObject, Created: created, Subscription: s.ID,
		CurrentPeriodStart: twin.Time(s.CurrentPeriodStart), CurrentPeriodEnd: twin.Time(s.CurrentPeriodEnd),
		Metadata: map[string]string{}, Price: *pr, Plan: planOf(pr), Quantity: s.Quantity,
	}}
	if sub.Status == subTrialing { // a trial is the first period, and the others are counted from its end
		sub.BillingCycleAnchor = twin.Time(s.TrialEnd)
		sub.Items.Data[0].CurrentPeriodStart = min(twin.Time(s.CurrentPeriodStart), twin.Time(epoch))
		sub.Items.Data[0].CurrentPeriodEnd = twin.Time(s.TrialEnd)
		if at := twin.Time(s.TrialEnd) - trialWarningSeconds; at > twin.Time(epoch) {
			remember(tx, warning, s.ID, at)
		}
	}
	sub.mirror()
	asked := min(max(created, twin.Time(s.CurrentPeriodStart)), twin.Time(epoch))
	switch {
	case sub.ended():
		sub.CanceledAt, sub.EndedAt = &asked, &asked
	case s.CancelAtPeriodEnd:
		sub.scheduleCancel(asked, twin.Time(epoch))
	}
	if s.TrialEnd != 0 {
		end := twin.Time(s.TrialEnd)
		sub.TrialStart, sub.TrialEnd = &created, &end
	}
	return sub
}
