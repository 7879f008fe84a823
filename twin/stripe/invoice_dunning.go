package stripe

import (
	"slices"

	"worlds/journal/mutant"
	"worlds/twin"
)

// What time does to an invoice: a draft that advances by itself is finalized,
// what is charged automatically is tried, and tried again after a failure, and
// one that was sent becomes overdue.

// hardDeclines are the refusals after which trying the same card again is
// pointless: the tries go on being counted, but nothing is charged until there
// is another payment method.
var hardDeclines = [...]string{
	"authentication_required", "highest_risk_level", "incorrect_number", "lost_card", "pickup_card",
	"revocation_of_all_authorizations", "revocation_of_authorization", "stolen_card", "transaction_not_allowed",
}

// invoiceDue is when time next acts on an invoice, 0 for never.
func invoiceDue(inv *Invoice) int64 {
	switch {
	case !inv.AutoAdvance:
	case inv.Status == invDraft && inv.AutomaticallyFinalizesAt != nil:
		return int64(*inv.AutomaticallyFinalizesAt)
	case inv.Status != invOpen || inv.CollectionMethod != chargeAutomatically || inv.BillingReason == reasonCreate:
	case inv.NextPaymentAttempt != nil:
		return int64(*inv.NextPaymentAttempt)
	case !inv.Attempted:
		return int64(*inv.StatusTransitions.FinalizedAt + attemptSeconds)
	}
	return 0
}

func fireInvoice(tx *twin.Tx, id string) error {
	old, _ := invoices.Get(tx, id)
	inv := *old
	c, ok := liveCustomer(tx, inv.Customer)
	if !ok {
		inv.AutoAdvance, inv.AutomaticallyFinalizesAt, inv.NextPaymentAttempt = false, nil, nil
		inv.replace(tx)
		return nil
	}
	if inv.Status == invDraft {
		if err := unbillable(&inv, c); err != nil {
			return err
		}
		_, link, pi := finalizeOpening(tx, &inv, c)
		if inv.Status != invOpen || inv.CollectionMethod != chargeAutomatically {
			return nil
		}
		collect(tx, &inv, c, link, pi)
		return nil
	}
	link, pi := pendingPayment(tx, inv.ID)
	collect(tx, &inv, c, link, pi)
	return nil
}

// replace stores a changed invoice and says what changed, if anything did.
func (inv *Invoice) replace(tx *twin.Tx) twin.Doc {
	doc, previous, changed := invoices.Replace(tx, inv)
	if changed {
		tx.Emit("invoice.updated", doc, previous)
	}
	return doc
}

// collect tries once to charge what remains of an open invoice, by itself, with the
// payment that waits to be made, nil for none. A failure sets the next try, as the
// world's dunning settings say; after the last one they say what becomes of the
// subscription.
func collect(tx *twin.Tx, inv *Invoice, c *Customer, link *InvoicePayment, pi *PaymentIntent) {
	inv.AttemptCount++
	next := retryAt(tx, inv.AttemptCount)
	inv.NextPaymentAttempt = next
	method, err := methodOf(tx, inv, c, twin.Opt[string]{})
	switch {
	case err == nil && hopeless(tx, pi, method):
		inv.replace(tx)
	case err == nil:
		if _, err = chargeBy(tx, inv, c, link, pi, method, confirmation{offSession: true}); err == nil {
			return
		}
		if err.Keep {
			break // it has said so itself
		}
		fallthrough
	default:
		inv.Attempted = true
		tx.Emit("invoice.payment_failed", invoices.Put(tx, inv), nil)
	}
	fallBehind(tx, inv, c)
	if next == nil {
		exhausted(tx, inv)
	}
}

// retryAt is when a payment that failed for the count-th time is tried again, nil
// for never.
func retryAt(tx *twin.Tx, count int64) *twin.Time {
	days := tx.Spec().Dunning.RetryDays
	if count > int64(len(days)) {
		return nil
	}
	wait := days[count-1]
	if count > 1 && !mutant.Is("dunning-from-last") {
		wait -= days[count-2]
	}
	at := tx.Now() + twin.Time(wait*daySeconds)
	return &at
}

// hopeless reports whether a payment method has refused a payment, nil for none,
// for good; what others did since does not matter.
func hopeless(tx *twin.Tx, pi *PaymentIntent, method string) bool {
	if pi == nil {
		return false
	}
	for ch := range charges.With(tx, "payment_intent="+pi.ID) {
		if ch.Outcome.Reason != nil && ch.PaymentMethod != nil && *ch.PaymentMethod == method && slices.Contains(hardDeclines[:], *ch.Outcome.Reason) {
			return true
		}
	}
	return false
}

// fallBehind marks a customer as one who did not pay, and the subscription that
// waited for it as past due.
func fallBehind(tx *twin.Tx, inv *Invoice, c *Customer) {
	if !c.Delinquent {
		c.Delinquent = true
		doc, previous, _ := customers.Replace(tx, c)
		tx.Emit("customer.updated", doc, previous)
	}
	if s := waitingFor(tx, inv); s != nil && s.Status == subActive {
		s.become(tx, subPastDue)
	}
}

// What becomes of a subscription whose invoice no try has paid.
const (
	exhaustedCancel = "cancel"
	exhaustedUnpaid = "unpaid"
)

// reasonPaymentFailed is the reason of a cancellation after the last failure.
const reasonPaymentFailed = "payment_failed"

// exhausted does to the subscription of an invoice what the world's settings say
// of one that no try has paid.
func exhausted(tx *twin.Tx, inv *Invoice) {
	old, ok := subscriptions.Get(tx, inv.subscription())
	if !ok || old.Status != subPastDue {
		return
	}
	s := old.copy()
	switch tx.Spec().Dunning.Exhausted {
	case exhaustedCancel:
		s.dropProrations(tx)
		s.endFor(tx, reasonPaymentFailed)
	case exhaustedUnpaid:
		s.become(tx, subUnpaid)
	}
}

// awaitDue sets the time at which a sent invoice becomes overdue.
func awaitDue(tx *twin.Tx, inv *Invoice) {
	if inv.DueDate != nil {
		remember(tx, overdue, inv.ID, max(*inv.DueDate, tx.Now()))
	}
}

// miss makes a sent invoice overdue, if it is still open.
func miss(tx *twin.Tx, id string) {
	inv, ok := invoices.Get(tx, id)
	if !ok || inv.Status != invOpen {
		return
	}
	doc, _ := invoices.Doc(tx, id)
	tx.Emit("invoice.overdue", doc, nil)
	if c, ok := liveCustomer(tx, inv.Customer); ok {
		fallBehind(tx, inv, c)
	}
}
