package stripe

import "worlds/twin"

type resumeSubscriptionParams struct {
	Subscription       string              `path:"subscription"`
	BillingCycleAnchor twin.Opt[string]    `param:"billing_cycle_anchor" rule:"enum=now|unchanged"`
	ProrationBehavior  twin.Opt[string]    `param:"proration_behavior" rule:"enum=always_invoice|create_prorations|none"`
	ProrationDate      twin.Opt[twin.Time] `param:"proration_date" rule:"min=0,max=7258118400"`
}

// resumeSubscription takes a paused subscription up again. A period begins now and
// is paid; or the old rhythm goes on, and of its present period the rest is billed.
// When what is billed at once cannot be paid, the subscription stays as it is.
func resumeSubscription(tx *twin.Tx, p *resumeSubscriptionParams) (twin.Doc, *twin.Error) {
	old, ok := subscriptions.Get(tx, p.Subscription)
	if !ok {
		return twin.Doc{}, errNoSuch(subscriptions.Object, "id", p.Subscription)
	}
	if old.Status != subPaused {
		return twin.Doc{}, errNotPaused(old.Status)
	}
	s, unchanged := old.copy(), p.BillingCycleAnchor.V == "unchanged"
	c, _ := liveCustomer(tx, s.Customer)
	at := !unchanged || p.ProrationBehavior.V == prorateAlways
	if at && s.CollectionMethod == chargeAutomatically && s.DefaultPaymentMethod == nil && methodFor(c) == "" {
		return twin.Doc{}, errNoSource()
	}
	s.Status = subActive
	var rest []*InvoiceItem
	if unchanged {
		var err *twin.Error
		if rest, err = p.goOn(tx, s, c); err != nil {
			return twin.Doc{}, err
		}
	} else {
		s.restart(tx.Now())
	}
	var inv *Invoice
	if at {
		inv = cycleInvoice(tx, s, c, Period{Start: tx.Now(), End: tx.Now()})
		inv.BillingReason, s.LatestInvoice = reasonUpdate, &inv.ID
	}
	s.mirror()
	doc, previous, _ := subscriptions.Replace(tx, s)
	if at {
		r := revision{reset: !unchanged}
		draft(tx, inv, r.lines(tx, s, inv, rest))
		if err := payOrStay(tx, inv, c); err != nil {
			return twin.Doc{}, err
		}
	}
	tx.Emit("customer.subscription.resumed", doc, nil)
	tx.Emit("customer.subscription.updated", doc, previous)
	return doc, nil
}

// goOn puts s into the period that its anchor says it is in, and enters what the rest
// of that costs.
func (p *resumeSubscriptionParams) goOn(tx *twin.Tx, s *Subscription, c *Customer) (out []*InvoiceItem, err *twin.Error) {
	s.rollInto(tx.Now())
	s.endWithPeriod()
	at, period := p.ProrationDate.Or(tx.Now()), s.period()
	switch {
	case at < period.Start || at > period.End:
		return nil, errProrationDate(period)
	case p.ProrationBehavior.V == prorateNever:
		return nil, nil
	case waiting(tx, c.ID)+len(s.Items.Data) > pendingItemsMax:
		return nil, invalid("", "A customer can have at most %d pending invoice items.", pendingItemsMax)
	}
	rest := proration{sub: s, customer: c, at: at, cycle: s.cycle()}
	for i := range s.Items.Data {
		it := rest.debit(tx, &s.Items.Data[i])
		it.enter(tx, nil)
		out = append(out, it)
	}
	return out, nil
}

// rollInto puts the items into the period of the anchor that a moment is in.
func (s *Subscription) rollInto(now twin.Time) {
	s.roll(now)
	for i := range s.Items.Data {
		it := &s.Items.Data[i]
		every, anchor, n := rhythm(&it.Price), int64(s.cycle().origin), int64(0)
		for every.Boundary(anchor, n+1) <= int64(now) {
			n++
		}
		it.CurrentPeriodStart = twin.Time(every.Boundary(anchor, n))
	}
}

// payOrStay finalizes a drafted invoice and charges it, or refuses.
func payOrStay(tx *twin.Tx, inv *Invoice, c *Customer) *twin.Error {
	finalize(tx, inv, c)
	if inv.Status != invOpen || inv.CollectionMethod != chargeAutomatically {
		return nil
	}
	method, err := methodOf(tx, inv, c, twin.Opt[string]{})
	if err == nil {
		_, err = chargeInvoice(tx, inv, c, method)
	}
	if err != nil {
		refused := *err
		refused.Keep = false
		return &refused
	}
	return nil
}
