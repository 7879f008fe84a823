package stripe

import (
	"fmt"
	"strconv"

	"worlds/twin"
)

// trialWarningSeconds is how long before its end a trial's warning comes.
const trialWarningSeconds = 3 * daySeconds

// trialDaysMax is the longest trial, in days.
const trialDaysMax = 730

// The things that can happen when a trial ends without a payment method.
const (
	trialEndCancel  = "cancel"
	trialEndInvoice = "create_invoice"
	trialEndPause   = "pause"
)

// trialNow is the trial_end that ends a trial at once.
const trialNow = "now"

type trialSettingsParams struct {
	EndBehavior twin.Opt[trialEndParams] `param:"end_behavior" rule:"required"`
}

type trialEndParams struct {
	MissingPaymentMethod twin.Opt[string] `param:"missing_payment_method" rule:"required,enum=cancel|create_invoice|pause"`
}

// trialEnd is the end that a request asks for, 0 for none or now. It has been
// checked.
func trialEnd(p twin.Opt[string]) twin.Time {
	n, _ := strconv.ParseInt(p.V, 10, 64)
	return twin.Time(n)
}

// startTrial lets a subscription begin with a trial until end; the periods are
// counted from there.
func (s *Subscription) startTrial(now, end twin.Time) *twin.Error {
	if end <= now {
		return errPast("trial_end")
	}
	if end > now+outlook {
		return errFar("trial_end")
	}
	if end > now+trialDaysMax*daySeconds {
		return invalid("trial_end", "The maximum number of trial period days is %d (2 years).", trialDaysMax)
	}
	begins := s.Status != subTrialing
	if begins {
		s.TrialStart = &now
	}
	s.TrialEnd, s.BillingCycleAnchor, s.BillingCycleAnchorConfig = &end, end, nil
	for i := range s.Items.Data {
		s.Items.Data[i].CurrentPeriodEnd = end
		if begins {
			s.Items.Data[i].CurrentPeriodStart = now
		}
	}
	if s.CancelAtPeriodEnd {
		s.CancelAt = &end
	}
	return nil
}

// trialLines are the lines of the invoice that opens a trial: nothing for each
// item.
func trialLines(tx *twin.Tx, s *Subscription, inv *Invoice) []Line {
	all := subscriptionLines(tx, s, inv)
	zero := "0"
	for i := range all {
		text := fmt.Sprintf("Free trial for %d × %s", s.Items.Data[i].Quantity, s.Items.Data[i].name(tx))
		all[i].Amount, all[i].Subtotal, all[i].Description = 0, 0, &text
		all[i].Pricing.UnitAmountDecimal = &zero
	}
	return all
}

// warnOfTrialEnd sets the time of a trial's warning, or gives it at once when
// that time has gone by.
func warnOfTrialEnd(tx *twin.Tx, s *Subscription) {
	at := *s.TrialEnd - trialWarningSeconds
	if at <= tx.Now() {
		doc, _ := subscriptions.Doc(tx, s.ID)
		tx.Emit("customer.subscription.trial_will_end", doc, nil)
		forget(tx, warning, s.ID)
		return
	}
	remember(tx, warning, s.ID, at)
}

// warn tells that a trial ends soon, if it still does.
func warn(tx *twin.Tx, id string) {
	s, ok := subscriptions.Get(tx, id)
	if !ok || s.Status != subTrialing || *s.TrialEnd != tx.Now()+trialWarningSeconds {
		return
	}
	doc, _ := subscriptions.Doc(tx, id)
	tx.Emit("customer.subscription.trial_will_end", doc, nil)
}

// endTrial begins the first period that is paid for. Without anything to pay it
// with, the subscription says what happens.
func endTrial(tx *twin.Tx, s *Subscription) error {
	forget(tx, warning, s.ID)
	c, ok := liveCustomer(tx, s.Customer)
	if ok && s.CollectionMethod == chargeAutomatically && s.DefaultPaymentMethod == nil && methodFor(c) == "" {
		switch s.TrialSettings.EndBehavior.MissingPaymentMethod {
		case trialEndCancel:
			s.dropProrations(tx)
			s.endFor(tx, "")
			return nil
		case trialEndPause:
			s.pause(tx)
			return nil
		}
	}
	s.Status = subActive
	if _, free := deadlines.Doc(tx, freeRest+":"+s.ID); free {
		s.roll(tx.Now())
		_, _ = s.replace(tx)
		return nil
	}
	return renew(tx, s)
}

// pause stops a subscription until it is resumed: nothing is billed meanwhile.
func (s *Subscription) pause(tx *twin.Tx) {
	s.Status = subPaused
	s.mirror()
	doc, previous, _ := subscriptions.Replace(tx, s)
	tx.Emit("customer.subscription.paused", doc, nil)
	tx.Emit("customer.subscription.updated", doc, previous)
}

// cancelOn lets the subscription end at a moment; asked for then.
func (s *Subscription) cancelOn(at, asked twin.Time) {
	reason := reasonRequested
	s.CancelAt, s.CancelAtPeriodEnd, s.CanceledAt, s.CancellationDetails.Reason = &at, false, &asked, &reason
}

// applyTrial lets a new subscription begin with a trial, if the request asks for
// one.
func (p *createSubscriptionParams) applyTrial(now twin.Time, s *Subscription) *twin.Error {
	if p.TrialSettings.Given() {
		s.TrialSettings.EndBehavior.MissingPaymentMethod = p.TrialSettings.V.EndBehavior.V.MissingPaymentMethod.V
	}
	switch {
	case p.TrialPeriodDays.Given():
		return s.startTrial(now, now+twin.Time(p.TrialPeriodDays.V*daySeconds))
	case p.TrialEnd.Given() && p.TrialEnd.V != trialNow:
		return s.startTrial(now, trialEnd(p.TrialEnd))
	}
	return nil
}

// applyTrial moves the end of a trial that lasts, or begins one.
func (p *updateSubscriptionParams) applyTrial(tx *twin.Tx, s *Subscription) *twin.Error {
	if p.TrialSettings.Given() {
		s.TrialSettings.EndBehavior.MissingPaymentMethod = p.TrialSettings.V.EndBehavior.V.MissingPaymentMethod.V
	}
	if !p.TrialEnd.Given() || p.TrialEnd.V == trialNow {
		return nil
	}
	forget(tx, freeRest, s.ID)
	return s.startTrial(tx.Now(), trialEnd(p.TrialEnd))
}

// cutTrial stores a changed subscription and ends its trial.
func cutTrial(tx *twin.Tx, s *Subscription) (twin.Doc, *twin.Error) {
	now := tx.Now()
	s.TrialEnd, s.BillingCycleAnchor, s.BillingCycleAnchorConfig = &now, now, nil
	forget(tx, freeRest, s.ID)
	for i := range s.Items.Data {
		s.Items.Data[i].CurrentPeriodEnd = now
	}
	if err := endTrial(tx, s); err != nil {
		return twin.Doc{}, invalid("trial_end", "The trial cannot end: %v.", err)
	}
	doc, _ := subscriptions.Doc(tx, s.ID)
	return doc, nil
}
