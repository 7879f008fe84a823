package stripe

import (
	"worlds/journal/canon"
	"worlds/twin"
)

// PendingUpdate is an update of a subscription that waits for the payment of the
// invoice it made. Until then the subscription goes on as it was.
type PendingUpdate struct {
	BillingCycleAnchor *twin.Time         `json:"billing_cycle_anchor"` // nil: as it is
	Discount           canon.Raw          `json:"discount"`
	Discounts          canon.Raw          `json:"discounts"`
	ExpiresAt          twin.Time          `json:"expires_at"`
	Metadata           canon.Raw          `json:"metadata"`
	SubscriptionItems  []SubscriptionItem `json:"subscription_items"` // all of them, as they will be
	TrialEnd           *twin.Time         `json:"trial_end"`          // nil: as it is
	TrialFromPlan      canon.Raw          `json:"trial_from_plan"`
}

// pendingIfIncomplete is the payment behavior of an update that waits.
const pendingIfIncomplete = "pending_if_incomplete"

// pendingSeconds is how long an update waits at most.
const pendingSeconds = 23 * 3600

// checkPending refuses to let wait what neither prorates nor bills.
func (p *updateSubscriptionParams) checkPending() *twin.Error {
	if p.PaymentBehavior.V != pendingIfIncomplete {
		return nil
	}
	for _, other := range [...]struct {
		name string
		sent bool
	}{
		{"automatic_tax", p.AutomaticTax.Sent()}, {"cancel_at", p.CancelAt.Sent()}, {"cancel_at_period_end", p.CancelAtPeriodEnd.Sent()},
		{"cancellation_details", p.CancellationDetails.Sent()}, {"collection_method", p.CollectionMethod.Sent()},
		{"days_until_due", p.DaysUntilDue.Sent()}, {"default_payment_method", p.DefaultPaymentMethod.Sent()},
		{"description", p.Description.Sent()}, {"discounts", p.Discounts.Sent()}, {"metadata", p.Metadata.Sent()},
		{"pause_collection", p.PauseCollection.Sent()}, {"payment_settings", p.PaymentSettings.Sent()},
		{"trial_settings", p.TrialSettings.Sent()},
	} {
		if other.sent {
			return errNotPending(other.name)
		}
	}
	return nil
}

// checkPending refuses to let wait what of an item neither prorates nor bills.
func (p *newItemParams) checkPending(behavior twin.Opt[string], at string) *twin.Error {
	switch {
	case behavior.V != pendingIfIncomplete:
	case p.Discounts.Sent():
		return errNotPending(join(at, "discounts"))
	case p.Metadata.Sent():
		return errNotPending(join(at, "metadata"))
	}
	return nil
}

// settleOrWait stores a revised subscription if what it costs at once can be paid,
// and lets the revision wait otherwise.
func (r *revision) settleOrWait(tx *twin.Tx, s *Subscription) (twin.Doc, *twin.Error) {
	if s.CollectionMethod != chargeAutomatically {
		return twin.Doc{}, invalid("payment_behavior", "`pending_if_incomplete` needs a subscription that is charged automatically.")
	}
	before, attempt := tx.Savepoint(), *r
	attempt.PaymentBehavior = twin.Set(errorIfIncomplete)
	doc, err := attempt.settle(tx, s.copy())
	if err == nil || !attempt.declined {
		return doc, err
	}
	tx.Rollback(before)
	return r.wait(tx, s)
}

// wait makes the invoice of a revision, whose payment fails, and lets the revision
// wait for it. Its prorations are those of the revision.
func (r *revision) wait(tx *twin.Tx, revised *Subscription) (twin.Doc, *twin.Error) {
	c, _ := liveCustomer(tx, revised.Customer)
	old, _ := subscriptions.Get(tx, revised.ID)
	s := old.copy()
	made, _, err := r.prepare(tx, revised, c)
	if err != nil {
		return twin.Doc{}, err
	}
	update := PendingUpdate{ExpiresAt: min(tx.Now()+pendingSeconds, s.period().End), SubscriptionItems: revised.Items.Data}
	if r.reset {
		update.BillingCycleAnchor = &revised.BillingCycleAnchor
	}
	if r.trial {
		update.TrialEnd = revised.TrialEnd
	}
	inv := firstInvoice(tx, revised, c)
	inv.BillingReason, inv.AutoAdvance = reasonUpdate, false
	s.LatestInvoice, s.PendingUpdate = &inv.ID, &update
	doc, previous, _ := subscriptions.Replace(tx, s)
	draft(tx, inv, r.lines(tx, revised, inv, made))
	finalize(tx, inv, c)
	method, err := methodOf(tx, inv, c, twin.Opt[string]{})
	if err != nil {
		return twin.Doc{}, errNoSource()
	}
	_, _ = chargeInvoice(tx, inv, c, method) // it has failed before, and leaves its traces now
	tx.Emit("customer.subscription.updated", doc, previous)
	return doc, nil
}

// take applies what waited for a payment that has come.
func (s *Subscription) take(tx *twin.Tx) {
	update := s.PendingUpdate
	s.PendingUpdate, s.Items.Data = nil, update.SubscriptionItems
	for i := range s.Items.Data {
		if pr, ok := prices.Get(tx, s.Items.Data[i].Price.ID); ok {
			s.Items.Data[i].Price, s.Items.Data[i].Plan = *pr, planOf(pr)
		}
	}
	if update.BillingCycleAnchor != nil {
		s.BillingCycleAnchor, s.BillingCycleAnchorConfig = *update.BillingCycleAnchor, nil
	}
	s.endWithPeriod()
	if update.TrialEnd != nil {
		begin := s.period().Start
		s.Status, s.TrialStart, s.TrialEnd = subTrialing, &begin, update.TrialEnd
	}
	s.mirror()
	doc, previous, _ := subscriptions.Replace(tx, s)
	tx.Emit("customer.subscription.pending_update_applied", doc, nil)
	tx.Emit("customer.subscription.updated", doc, previous)
	if update.TrialEnd != nil {
		warnOfTrialEnd(tx, s)
	}
}

// discard gives up an update that waits, and takes back the invoice that it waits
// for.
func (s *Subscription) discard(tx *twin.Tx) {
	if s.PendingUpdate == nil {
		return
	}
	if inv, ok := invoices.Get(tx, *s.LatestInvoice); ok && inv.Status == invOpen {
		unpaid := *inv
		void(tx, &unpaid) // which says that nothing is pending any more
	}
	s.PendingUpdate = nil
}

// expirePending gives up an update whose payment has not come in time.
func (s *Subscription) expirePending(tx *twin.Tx) {
	s.discard(tx)
	_, _ = s.replace(tx)
	doc, _ := subscriptions.Doc(tx, s.ID)
	tx.Emit("customer.subscription.pending_update_expired", doc, nil)
}
