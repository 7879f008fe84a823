package stripe

import (
	"fmt"
	"strings"

	"worlds/journal/canon"
	"worlds/twin"
)

// A preview of an invoice is made as the invoice itself would be, and then
// everything that was stored for it is taken back.

type createPreviewParams struct {
	Currency            twin.Opt[string]                    `param:"currency"`
	Customer            twin.Opt[string]                    `param:"customer"`
	Discounts           discountList                        `param:"discounts" rule:"empty"`
	InvoiceItems        twin.Opt[[]previewItemParams]       `param:"invoice_items"`
	PreviewMode         twin.Opt[string]                    `param:"preview_mode" rule:"enum=next|recurring"`
	Subscription        twin.Opt[string]                    `param:"subscription"`
	SubscriptionDetails twin.Opt[previewSubscriptionParams] `param:"subscription_details"`
}

type previewSubscriptionParams struct {
	BillingCycleAnchor twin.Opt[string]              `param:"billing_cycle_anchor"`
	CancelAtPeriodEnd  twin.Opt[bool]                `param:"cancel_at_period_end"`
	CancelNow          twin.Opt[bool]                `param:"cancel_now"`
	Items              twin.Opt[[]changedItemParams] `param:"items"`
	ProrationBehavior  twin.Opt[string]              `param:"proration_behavior" rule:"enum=always_invoice|create_prorations|none"`
	ProrationDate      twin.Opt[twin.Time]           `param:"proration_date" rule:"min=0,max=7258118400"`
}

type previewItemParams struct {
	Currency twin.Opt[string] `param:"currency"`
	Price    twin.Opt[string] `param:"price"`

	Amount       twin.Opt[twin.Money]      `param:"amount" rule:"min=-999999999999,max=999999999999"`
	Description  twin.Opt[string]          `param:"description"`
	Discountable twin.Opt[bool]            `param:"discountable"`
	Metadata     twin.Opt[twin.Metadata]   `param:"metadata"`
	Period       twin.Opt[periodParams]    `param:"period"`
	PriceData    twin.Opt[priceDataParams] `param:"price_data"`
	Quantity     twin.Opt[int64]           `param:"quantity" rule:"min=0,max=1000000"`
}

// common is an item's parameters as an invoice item has them.
func (p *previewItemParams) common() *itemParams {
	q := &itemParams{
		Amount: p.Amount, Description: p.Description, Discountable: p.Discountable, Metadata: p.Metadata,
		Period: p.Period, PriceData: p.PriceData, Quantity: p.Quantity,
	}
	if p.Price.Given() {
		q.Pricing = twin.Set(pricingParams{Price: p.Price})
	}
	return q
}

// recurring reports whether the preview is of what comes back each period: without
// what is prorated or billed once.
func (p *createPreviewParams) recurring() bool { return p.PreviewMode.V == "recurring" }

func (p *createPreviewParams) Check() *twin.Error {
	d := &p.SubscriptionDetails.V
	switch anchor := d.BillingCycleAnchor.V; {
	case !p.Customer.Given() && !p.Subscription.Given():
		return errMissing("customer")
	case anchor != "" && anchor != "now" && anchor != "unchanged":
		return errUnserved("a billing_cycle_anchor at another time", "subscription_details[billing_cycle_anchor]")
	case d.CancelNow.V && d.CancelAtPeriodEnd.V:
		return errExclusive("subscription_details[cancel_at_period_end]", "subscription_details[cancel_now]")
	}
	for i := range d.Items.V {
		if err := d.Items.V[i].checkData(fmt.Sprintf("subscription_details[items][%d]", i)); err != nil {
			return err
		}
	}
	for i := range p.InvoiceItems.V {
		it, at := &p.InvoiceItems.V[i], fmt.Sprintf("invoice_items[%d]", i)
		if !it.Amount.Given() && !it.Price.Given() && !it.PriceData.Given() {
			return errMissing(join(at, "amount"))
		}
		if err := it.common().check(at); err != nil {
			return err
		}
	}
	return nil
}

// createPreview answers with the invoice that would come next, or with the one
// that a change would make at once.
func createPreview(tx *twin.Tx, p *createPreviewParams) (twin.Doc, *twin.Error) {
	before := tx.Savepoint()
	inv, all, err := p.make(tx)
	if err == nil && p.Discounts.Sent() {
		inv.Discounts, err = grant(tx, p.Discounts, Discount{Customer: &inv.Customer, Invoice: &inv.ID}, inv.Currency, inv.Discounts)
	}
	if err != nil {
		return twin.Doc{}, err
	}
	c, _ := liveCustomer(tx, inv.Customer)
	inv.reduce(tx, all)
	inv.sum(all)
	inv.StartingBalance = balanceIn(c, inv.Currency)
	due, end := max(inv.Total, 0), twin.Money(0)
	if pinnedTo(c, inv.Currency) {
		due, end = settleBalance(inv.Total, inv.StartingBalance)
	}
	inv.AmountDue, inv.AmountRemaining, inv.EndingBalance = due, due, &end
	tx.Rollback(before)
	return inv.previewed(all), nil
}

// previewed is an invoice that does not exist, with all its lines: its ids are like
// no others.
func (inv *Invoice) previewed(all []Line) twin.Doc {
	inv.ID = "upcoming_" + inv.ID
	for i := range all {
		l := &all[i]
		l.ID, l.Invoice = "il_tmp_"+strings.TrimPrefix(l.ID, "il_"), inv.ID
	}
	inv.Lines = InvoiceLines{Object: "list", Data: all, TotalCount: int64(len(all)), URL: "/v1/invoices/" + inv.ID + "/lines"}
	return twin.Doc{Body: canon.Marshal(inv)}
}

// make is the invoice to preview, with its lines, before discounts and totals.
func (p *createPreviewParams) make(tx *twin.Tx) (*Invoice, []Line, *twin.Error) {
	s, c, err := p.subject(tx)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case s == nil && p.recurring():
		return nil, nil, errNoUpcoming(c.ID)
	case s == nil:
		return p.manual(tx, c)
	}
	if s.ended() {
		return nil, nil, errNoUpcoming(c.ID)
	}
	d := &p.SubscriptionDetails.V
	r := revision{was: s.Items.Data, reset: d.BillingCycleAnchor.V == "now"}
	r.ProrationBehavior, r.ProrationDate = d.ProrationBehavior, d.ProrationDate
	if p.recurring() {
		r.ProrationBehavior = twin.Set(prorateNever)
	}
	changed := s.copy()
	if s.ID != "" {
		if err := changed.rearrange(tx, d.Items.V); err != nil {
			return nil, nil, nestedIn(err, "items", "subscription_details[items]")
		}
	}
	if d.CancelNow.V {
		return p.final(tx, changed, c)
	}
	made, now, err := r.prepare(tx, changed, c)
	if err != nil {
		return nil, nil, err
	}
	extra, err := p.items(tx, c, changed.Currency)
	if err != nil {
		return nil, nil, err
	}
	if now {
		inv := firstInvoice(tx, changed, c)
		inv.BillingReason = reasonUpdate
		return inv, r.lines(tx, changed, inv, append(made, extra...)), nil
	}
	return p.next(tx, changed, c)
}

// blamePrice names a price as parameters do that have it at their top.
func blamePrice(e *twin.Error) *twin.Error {
	refused := *e
	refused.Body = []byte(strings.Replace(string(e.Body), `[pricing][price]"`, `[price]"`, 1))
	return &refused
}

// nestedIn says where a parameter of a refusal is nested.
func nestedIn(e *twin.Error, name, in string) *twin.Error {
	refused := *e
	refused.Body = []byte(strings.Replace(string(e.Body), `"param":"`+name, `"param":"`+in, 1))
	return &refused
}

// subject is the subscription to preview, as a copy, and who pays: the one named,
// a new one of the items given, or the customer's next to renew; nil for none.
func (p *createPreviewParams) subject(tx *twin.Tx) (*Subscription, *Customer, *twin.Error) {
	customer := p.Customer.V
	if p.Subscription.Given() {
		s, ok := subscriptions.Get(tx, p.Subscription.V)
		if !ok || customer != "" && s.Customer != customer {
			return nil, nil, errNoSuchRef(subscriptions.Object, "subscription", p.Subscription.V)
		}
		c, ok := liveCustomer(tx, s.Customer)
		if !ok {
			return nil, nil, errNoUpcoming(s.Customer)
		}
		return s.copy(), c, nil
	}
	c, ok := liveCustomer(tx, customer)
	if !ok {
		return nil, nil, errNoSuchRef(customers.Object, "customer", customer)
	}
	if p.SubscriptionDetails.V.Items.Given() {
		s, err := p.fresh(tx, c)
		return s, c, err
	}
	var next *Subscription
	for s := range subscriptions.With(tx, "customer="+c.ID) {
		if (s.renews() || s.Status == subTrialing) && (next == nil || s.period().End < next.period().End) {
			next = s.copy()
		}
	}
	return next, c, nil
}

// fresh is a new subscription of the items given. Its period begins now.
func (p *createPreviewParams) fresh(tx *twin.Tx, c *Customer) (*Subscription, *twin.Error) {
	list := p.SubscriptionDetails.V.Items.V
	const at = "subscription_details[items][0]"
	if err := list[0].bring(tx, at); err != nil {
		return nil, err
	}
	if !list[0].Price.Given() {
		return nil, errMissing(join(at, "price"))
	}
	first, err := sellable(tx, list[0].Price.V, join(at, "price"), list[0].PriceData.Given())
	if err != nil {
		return nil, err
	}
	if err := pinCurrency(tx, c, first.Currency); err != nil {
		return nil, err
	}
	s := newSubscription("", c, first.Currency, tx.Now())
	if err := s.rearrange(tx, list); err != nil {
		return nil, nestedIn(err, "items", "subscription_details[items]")
	}
	return s, nil
}

// items are the items that only the preview bills, pending.
func (p *createPreviewParams) items(tx *twin.Tx, c *Customer, currency string) (out []*InvoiceItem, err *twin.Error) {
	for i := range p.InvoiceItems.V {
		q, at := &p.InvoiceItems.V[i], fmt.Sprintf("invoice_items[%d]", i)
		it := newItem(tx, c)
		it.Currency = strings.ToLower(q.Currency.Or(currency))
		if err := q.common().apply(tx, it, at); err != nil {
			return nil, blamePrice(err)
		}
		if it.Currency != currency {
			return nil, errPriceCurrency(at, currency)
		}
		if err := it.admit(tx, c, nil); err != nil {
			return nil, err
		}
		it.NetAmount = it.Amount
		it.enter(tx, nil)
		out = append(out, it)
	}
	return out, nil
}

// manual is the invoice of what waits for a customer without a subscription.
func (p *createPreviewParams) manual(tx *twin.Tx, c *Customer) (*Invoice, []Line, *twin.Error) {
	currency := accountCurrency
	if c.Currency != nil {
		currency = *c.Currency
	}
	currency = strings.ToLower(p.Currency.Or(currency))
	if _, err := p.items(tx, c, currency); err != nil {
		return nil, nil, err
	}
	inv := newInvoice(tx, invoices.NewID(tx), c, currency, tx.Now())
	inv.BillingReason, inv.Discounts = reasonUpcoming, c.inherit(tx, currency)
	all := sweep(tx, inv, "", true)
	if len(all) == 0 {
		return nil, nil, errNoUpcoming(c.ID)
	}
	return inv, all, nil
}

// final is the invoice of a subscription that is canceled now: what waits, and the
// rest of the period given back.
func (p *createPreviewParams) final(tx *twin.Tx, s *Subscription, c *Customer) (*Invoice, []Line, *twin.Error) {
	if p.SubscriptionDetails.V.ProrationBehavior.V != prorateNever {
		if err := s.creditRest(tx); err != nil {
			return nil, nil, err
		}
	}
	inv := firstInvoice(tx, s, c)
	inv.BillingReason = reasonUpdate
	all := sweep(tx, inv, s.ID, false)
	if len(all) == 0 {
		return nil, nil, errNoUpcoming(c.ID)
	}
	return inv, all, nil
}

// next is the invoice at the end of the present period, or at once for a
// subscription that does not exist yet.
func (p *createPreviewParams) next(tx *twin.Tx, s *Subscription, c *Customer) (*Invoice, []Line, *twin.Error) {
	was, at := s.period(), s.period().End
	ends := p.SubscriptionDetails.V.CancelAtPeriodEnd.Or(s.CancelAtPeriodEnd) || s.CancelAt != nil && *s.CancelAt <= at && !s.CancelAtPeriodEnd
	if s.ID == "" {
		at, was = tx.Now(), Period{Start: tx.Now(), End: tx.Now()}
	} else {
		s.dropDiscounts(tx, at)
		s.roll(at)
	}
	inv := cycleInvoice(tx, s, c, was)
	inv.BillingReason, inv.Created = reasonUpcoming, at
	if inv.CollectionMethod == chargeAutomatically {
		attempt := at + attemptSeconds
		inv.NextPaymentAttempt = &attempt
	}
	var all []Line
	if !p.recurring() {
		all = sweep(tx, inv, s.ID, true)
	}
	if !ends {
		all = append(all, subscriptionLines(tx, s, inv)...)
	}
	if len(all) == 0 {
		return nil, nil, errNoUpcoming(c.ID)
	}
	if s.ID == "" { // there is no subscription to name
		inv.Parent = nil
		for i := range all {
			if all[i].item() == "" {
				all[i].Parent, all[i].Subscription = nil, nil
			}
		}
	}
	return inv, all, nil
}
