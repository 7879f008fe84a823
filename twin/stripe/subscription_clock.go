package stripe

import "worlds/twin"

// What time does to a subscription: it expires when its first invoice stays
// unpaid, its trial ends, it renews at each boundary of its anchor, it ends when
// it was told to, and the collection of its invoices resumes.

// incompleteSeconds is how long the first invoice of a subscription can be paid.
const incompleteSeconds = 23 * 3600

// subscriptionDue is when time next acts on a subscription, 0 for never.
func subscriptionDue(s *Subscription) int64 {
	var at twin.Time
	switch s.Status {
	case subIncomplete:
		at = s.Created + incompleteSeconds
	case subTrialing:
		at = *s.TrialEnd
	case subActive, subPastDue, subUnpaid:
		at = s.period().End
	}
	if s.ended() {
		return 0
	}
	at = earlier(at, s.CancelAt)
	if s.PauseCollection != nil {
		at = earlier(at, s.PauseCollection.ResumesAt)
	}
	if s.PendingUpdate != nil {
		at = earlier(at, &s.PendingUpdate.ExpiresAt)
	}
	return int64(at)
}

// earlier is the earlier of two moments, of which the first may be none (0) and
// the second nil.
func earlier(at twin.Time, other *twin.Time) twin.Time {
	if other != nil && (at == 0 || *other < at) {
		return *other
	}
	return at
}

// period is the billing period that ends first; all items have the same one.
func (s *Subscription) period() Period {
	p := Period{Start: s.Items.Data[0].CurrentPeriodStart, End: s.Items.Data[0].CurrentPeriodEnd}
	for i := range s.Items.Data {
		p.End = min(p.End, s.Items.Data[i].CurrentPeriodEnd)
	}
	return p
}

// fireSubscription does what is due now, all of it: first what decides how the
// rest is done.
func fireSubscription(tx *twin.Tx, id string) error {
	s, now := subscriptions.Decode(tx.State().Get(subscriptions.Table, id)), tx.Now()
	if p := s.PauseCollection; p != nil && p.ResumesAt != nil && *p.ResumesAt <= now {
		s.PauseCollection = nil
		_, _ = s.replace(tx)
	}
	if s.PendingUpdate != nil && s.PendingUpdate.ExpiresAt <= now {
		s.expirePending(tx)
	}
	switch {
	case s.CancelAt != nil && *s.CancelAt <= now:
		if s.pends(tx) {
			if err := s.billPending(tx); err != nil {
				return err
			}
		}
		s.end(tx)
	case s.Status == subIncomplete && s.Created+incompleteSeconds <= now:
		expire(tx, s)
	case s.Status == subTrialing && *s.TrialEnd <= now:
		return endTrial(tx, s)
	case s.renews() && s.period().End <= now:
		return renew(tx, s)
	}
	return nil
}

// renews reports whether the subscription goes on from period to period.
func (s *Subscription) renews() bool {
	return s.Status == subActive || s.Status == subPastDue || s.Status == subUnpaid
}

// end lets a subscription end when it was told to: no invoice for what would
// come next, and what is owed is not collected by itself any more.
func (s *Subscription) end(tx *twin.Tx) twin.Doc {
	s.discard(tx)
	stopCollecting(tx, s.ID)
	now := tx.Now()
	s.Status, s.EndedAt = subCanceled, &now
	if s.CanceledAt == nil {
		s.CanceledAt = &now
	}
	doc := subscriptions.Put(tx, s)
	tx.Emit("customer.subscription.deleted", doc, nil)
	return doc
}

// endFor is end for a reason of ours, "" for none that has a name; no end that was
// planned counts any more.
func (s *Subscription) endFor(tx *twin.Tx, reason string) twin.Doc {
	s.CancelAt, s.CancelAtPeriodEnd, s.CanceledAt, s.CancellationDetails.Reason = nil, false, nil, textOrNull(reason)
	return s.end(tx)
}

// expire ends a subscription whose first invoice was not paid in time.
func expire(tx *twin.Tx, s *Subscription) {
	if s.LatestInvoice != nil {
		if inv, ok := invoices.Get(tx, *s.LatestInvoice); ok && inv.Status == invOpen {
			unpaid := *inv
			void(tx, &unpaid) // which ends the subscription that waits for it
			return
		}
	}
	s.become(tx, subIncompleteExpired)
}
