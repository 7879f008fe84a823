package stripe

import (
	"fmt"

	"worlds/twin"
)

// changeSubscriptionParams are what both routes that change a subscription take.
type changeSubscriptionParams struct {
	collectionParams
	AddInvoiceItems      twin.Opt[[]addedItemParams]     `param:"add_invoice_items"`
	BillingCycleAnchor   twin.Opt[string]                `param:"billing_cycle_anchor" rule:"enum=now|unchanged"`
	CancelAt             twin.Opt[twin.Time]             `param:"cancel_at" rule:"empty,min=0,max=7258118400"`
	CancelAtPeriodEnd    twin.Opt[bool]                  `param:"cancel_at_period_end"`
	CancellationDetails  twin.Opt[cancellationParams]    `param:"cancellation_details"`
	CollectionMethod     twin.Opt[string]                `param:"collection_method" rule:"enum=charge_automatically|send_invoice"`
	DaysUntilDue         twin.Opt[int64]                 `param:"days_until_due" rule:"min=0,max=36500"`
	DefaultPaymentMethod twin.Opt[string]                `param:"default_payment_method"`
	Discounts            discountList                    `param:"discounts" rule:"empty"`
	Items                twin.Opt[[]changedItemParams]   `param:"items"`
	Metadata             twin.Opt[twin.Metadata]         `param:"metadata"`
	PauseCollection      twin.Opt[pauseCollectionParams] `param:"pause_collection" rule:"empty"`
	TrialEnd             twin.Opt[string]                `param:"trial_end" rule:"now,min=0,max=7258118400"`
	TrialSettings        twin.Opt[trialSettingsParams]   `param:"trial_settings"`
	prorationParams
}

type updateSubscriptionParams struct {
	ID string `path:"id"`
	changeSubscriptionParams
	Description twin.Opt[string] `param:"description" rule:"empty,len=500"`
}

type cancellationParams struct {
	Comment  twin.Opt[string] `param:"comment" rule:"empty"`
	Feedback twin.Opt[string] `param:"feedback" rule:"empty,enum=customer_service|low_quality|missing_features|other|switched_service|too_complex|too_expensive|unused"`
}

type changedItemParams struct {
	Deleted twin.Opt[bool]   `param:"deleted"`
	ID      twin.Opt[string] `param:"id"`
	newItemParams
}

// Check refuses two dates for one end, and what else does not go together.
func (p *updateSubscriptionParams) Check() *twin.Error {
	if err := checkAdded(p.AddInvoiceItems.V); err != nil {
		return err
	}
	if err := p.checkPending(); err != nil {
		return err
	}
	switch {
	case p.BillingCycleAnchor.V == "now" && p.TrialEnd.Given() && p.TrialEnd.V != trialNow:
		return errAnchorInTrial()
	case p.CancelAt.Given() && p.CancelAtPeriodEnd.Or(false):
		return errExclusive("cancel_at", "cancel_at_period_end")
	}
	for i := range p.Items.V {
		at := fmt.Sprintf("items[%d]", i)
		if err := p.Items.V[i].checkPending(p.PaymentBehavior, at); err != nil {
			return err
		}
		if err := p.Items.V[i].checkData(at); err != nil {
			return err
		}
	}
	return p.collectionParams.check()
}

// named looks up what an update names; customer has the subscription.
func (p *updateSubscriptionParams) named(tx *twin.Tx, customer string) *twin.Error {
	if pm := p.DefaultPaymentMethod; pm.Given() {
		if err := attachedTo(tx, pm.V, customer, "default_payment_method"); err != nil {
			return err
		}
	}
	if err := discountsExist(tx, p.Discounts, "discounts"); err != nil {
		return err
	}
	return itemsExist(tx, p.Items.V, func(it *changedItemParams) *newItemParams { return &it.newItemParams })
}

// alive reports whether the request changes what only a subscription that has
// not ended has.
func (p *updateSubscriptionParams) alive() bool {
	return p.CancelAt.Sent() || p.CancelAtPeriodEnd.Sent() || p.CollectionMethod.Sent() || p.DaysUntilDue.Sent() ||
		p.DefaultPaymentMethod.Sent() || p.Description.Sent() || p.Discounts.Sent() || p.Items.Sent() || p.ProrationBehavior.Sent() ||
		p.PauseCollection.Sent() || p.BillingCycleAnchor.Sent() || p.PaymentBehavior.Sent() || p.ProrationDate.Sent() || p.TrialEnd.Sent() ||
		p.TrialSettings.Sent() || p.AutomaticTax.Sent() || p.AddInvoiceItems.Sent() ||
		p.OffSession.Sent() || p.PaymentSettings.Sent() || p.TrialFromPlan.Sent()
}

func updateSubscription(tx *twin.Tx, p *updateSubscriptionParams) (twin.Doc, *twin.Error) {
	old, ok := subscriptions.Get(tx, p.ID)
	if !ok {
		return twin.Doc{}, errNoSuch(subscriptions.Object, "id", p.ID)
	}
	s := old.copy()
	if s.ended() && p.alive() {
		return twin.Doc{}, errCanceledFields()
	}
	if err := p.named(tx, s.Customer); err != nil {
		return twin.Doc{}, err
	}
	if err := p.apply(tx, s); err != nil {
		return twin.Doc{}, err
	}
	if s.ended() { // nothing is to be settled, and its customer may be gone
		return s.replace(tx)
	}
	added, err := enterAdded(tx, s, p.AddInvoiceItems.V)
	if err != nil {
		return twin.Doc{}, err
	}
	if p.TrialEnd.V == trialNow && s.Status == subTrialing {
		return cutTrial(tx, s)
	}
	r := revision{prorationParams: p.prorationParams, was: old.Items.Data, reset: p.BillingCycleAnchor.V == "now", extra: added, old: old.cycle()}
	if p.TrialEnd.Given() && p.TrialEnd.V != trialNow && s.Status != subTrialing {
		r.reset, r.trial = true, true
	}
	doc, err := r.settle(tx, s)
	if err == nil && p.TrialEnd.Given() && s.Status == subTrialing {
		warnOfTrialEnd(tx, s)
	}
	return doc, err
}

// replace stores a changed subscription and says what changed, if anything did.
func (s *Subscription) replace(tx *twin.Tx) (twin.Doc, *twin.Error) {
	s.mirror()
	doc, previous, changed := subscriptions.Replace(tx, s)
	if changed {
		tx.Emit("customer.subscription.updated", doc, previous)
	}
	return doc, nil
}

// apply changes the named fields, and only those.
func (p *updateSubscriptionParams) apply(tx *twin.Tx, s *Subscription) (err *twin.Error) {
	if p.CollectionMethod.Given() || p.DaysUntilDue.Given() {
		if err := s.collectBy(p.CollectionMethod, p.DaysUntilDue); err != nil {
			return err
		}
	}
	p.DefaultPaymentMethod.Apply(&s.DefaultPaymentMethod)
	p.Description.Apply(&s.Description)
	p.collectionParams.apply(s)
	if err := s.rearrange(tx, p.Items.V); err != nil {
		return err
	}
	if err := p.applyTrial(tx, s); err != nil {
		return err
	}
	if err := p.applyCancel(tx, s); err != nil {
		return err
	}
	if err := applyPause(tx, s, p.PauseCollection); err != nil {
		return err
	}
	if err := s.applyDiscounts(tx, p.Discounts, 0); err != nil {
		return err
	}
	p.CancellationDetails.V.apply(s)
	s.Metadata, err = applyMetadata(s.Metadata, p.Metadata)
	return err
}

// applyCancel schedules or calls off the end. What is asked for again changes
// nothing.
func (p *updateSubscriptionParams) applyCancel(tx *twin.Tx, s *Subscription) *twin.Error {
	atEnd := p.CancelAtPeriodEnd
	switch {
	case p.CancelAt.Given():
		if p.CancelAt.V <= tx.Now() {
			return errPast("cancel_at")
		}
		s.cancelOn(p.CancelAt.V, tx.Now())
	case atEnd.Or(false):
		if !s.CancelAtPeriodEnd {
			s.scheduleCancel(tx.Now(), tx.Now())
		}
	case p.CancelAt.Cleared(), atEnd.Given():
		s.CancelAt, s.CancelAtPeriodEnd, s.CanceledAt, s.CancellationDetails.Reason = nil, false, nil, nil
	}
	return nil
}

// scheduleCancel lets the subscription end with its period; asked for then. A paused
// one is in none any more: nothing is in the way of its end.
func (s *Subscription) scheduleCancel(asked, now twin.Time) {
	end, reason := s.Items.Data[0].CurrentPeriodEnd, reasonRequested
	for i := range s.Items.Data {
		end = max(end, s.Items.Data[i].CurrentPeriodEnd)
	}
	if s.Status == subPaused {
		end = max(end, now)
	}
	s.CancelAtPeriodEnd, s.CancelAt, s.CanceledAt, s.CancellationDetails.Reason = true, &end, &asked, &reason
}

func (p *cancellationParams) apply(s *Subscription) {
	p.Comment.Apply(&s.CancellationDetails.Comment)
	p.Feedback.Apply(&s.CancellationDetails.Feedback)
}

// reasonRequested is the reason of a cancellation that somebody asked for.
const reasonRequested = "cancellation_requested"

type cancelSubscriptionParams struct {
	ID                  string                       `path:"id"`
	CancellationDetails twin.Opt[cancellationParams] `param:"cancellation_details"`
	InvoiceNow          twin.Opt[bool]               `param:"invoice_now"`
	Prorate             twin.Opt[bool]               `param:"prorate"`
}

func cancelSubscription(tx *twin.Tx, p *cancelSubscriptionParams) (twin.Doc, *twin.Error) {
	old, ok := subscriptions.Get(tx, p.ID)
	if !ok || old.ended() {
		return twin.Doc{}, errNoSuch(subscriptions.Object, "id", p.ID)
	}
	s := old.copy()
	p.CancellationDetails.V.apply(s)
	if p.Prorate.Or(false) {
		if err := s.creditRest(tx); err != nil {
			return twin.Doc{}, err
		}
	}
	switch {
	case p.InvoiceNow.Or(false):
		if err := s.billPending(tx); err != nil {
			return twin.Doc{}, invalid("invoice_now", "The final invoice cannot be made: %v.", err)
		}
	case !p.Prorate.Or(false):
		s.dropProrations(tx)
	}
	return cancelNow(tx, s), nil
}

// cancelAllOf cancels every subscription of a customer that has not ended, now.
func cancelAllOf(tx *twin.Tx, customer string) {
	var live []*Subscription
	for s := range subscriptions.With(tx, "customer="+customer) {
		if !s.ended() {
			live = append(live, s.copy())
		}
	}
	for _, s := range live {
		s.dropProrations(tx)
		cancelNow(tx, s)
	}
}

// cancelNow ends a subscription at once: nothing is billed for it any more, and
// what was billed is not collected by itself.
func cancelNow(tx *twin.Tx, s *Subscription) twin.Doc { return s.endFor(tx, reasonRequested) }

// stopCollecting leaves the open invoices of a subscription to whoever pays them.
func stopCollecting(tx *twin.Tx, subscription string) {
	var open []Invoice
	for inv := range invoices.With(tx, "subscription="+subscription) {
		if inv.Status == invOpen && inv.AutoAdvance {
			open = append(open, *inv)
		}
	}
	for _, inv := range open {
		inv.AutoAdvance, inv.NextPaymentAttempt = false, nil
		inv.replace(tx)
	}
}

// become changes the status and says so.
func (s *Subscription) become(tx *twin.Tx, status string) {
	s.Status = status
	if status == subIncompleteExpired {
		now := tx.Now()
		s.EndedAt = &now
	}
	doc, previous, _ := subscriptions.Replace(tx, s)
	tx.Emit("customer.subscription.updated", doc, previous)
}
