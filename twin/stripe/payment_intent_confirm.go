package stripe

import (
	"worlds/journal/canon"
	"worlds/twin"
)

// confirmation is how an intent is confirmed.
type confirmation struct {
	offSession   bool   // the customer is not there to authenticate
	failOnAction bool   // rather fail than wait for the customer
	returnURL    string // where the customer comes back to, "" for nowhere
}

// confirmIntent charges a payment method, which must exist, for an intent. *pi
// becomes what was stored. There is no charge yet if the customer must first
// authenticate.
func confirmIntent(tx *twin.Tx, pi *PaymentIntent, method string, how confirmation) (*Charge, *twin.Error) {
	m, ok := paymentMethods.Get(tx, method)
	if !ok {
		return nil, errNoSuchRef(paymentMethodNoun, "payment_method", method)
	}
	in := instrumentBehind(&m.Card)
	if in.effect == authenticates && !how.offSession && !how.failOnAction {
		pi.await(tx, m, how.returnURL)
		return nil, nil
	}
	ch := newCharge(tx, charges.NewID(tx), pi, &m.Card)
	ch.PaymentMethod, ch.BillingDetails = &m.ID, m.BillingDetails
	if in.refuses() || in.effect == authenticates {
		return ch, declineIntent(tx, pi, ch, m, &in)
	}
	if pi.CaptureMethod == captureManual {
		until := tx.Now() + holdSeconds
		ch.approve(&until)
		tx.Emit("charge.succeeded", charges.Put(tx, ch), nil)
		pi.hold(ch)
		tx.Emit("payment_intent.amount_capturable_updated", paymentIntents.Put(tx, pi), nil)
		pi.keep(tx, m)
		return ch, nil
	}
	ch.approve(nil)
	ch.collect(tx, balanceTransactions.NewID(tx), ch.Amount, tx.Now())
	tx.Emit("charge.succeeded", charges.Put(tx, ch), nil)
	pi.settle(ch)
	tx.Emit("payment_intent.succeeded", paymentIntents.Put(tx, pi), nil)
	pi.keep(tx, m)
	contest(tx, ch)
	return ch, nil
}

// await makes the intent one that waits for its customer.
func (pi *PaymentIntent) await(tx *twin.Tx, m *PaymentMethod, returnURL string) {
	pi.Status, pi.PaymentMethod, pi.LastPaymentError = intentNeedsAction, &m.ID, nil
	pi.NextAction = authentication(pi.ID, returnURL)
	tx.Emit("payment_intent.requires_action", paymentIntents.Put(tx, pi), nil)
}

// authentication is what a customer is asked to do for an intent.
func authentication(intent, returnURL string) canon.Raw {
	page := "https://hooks.stripe.com/3d_secure_2/hosted?intent=" + intent
	if returnURL == "" {
		out := canon.AppendString([]byte(`{"type":"use_stripe_sdk","use_stripe_sdk":{"stripe_js":`), page)
		return append(out, `,"type":"three_d_secure_redirect"}}`...)
	}
	out := canon.AppendString([]byte(`{"redirect_to_url":{"return_url":`), returnURL)
	out = canon.AppendString(append(out, `,"url":`...), page)
	return append(out, `},"type":"redirect_to_url"}`...)
}

// take makes ch the latest charge of the intent.
func (pi *PaymentIntent) take(ch *Charge) {
	pi.LatestCharge, pi.PaymentMethod, pi.LastPaymentError, pi.NextAction = &ch.ID, ch.PaymentMethod, nil, nil
}

// settle makes the intent one that ch paid.
func (pi *PaymentIntent) settle(ch *Charge) {
	pi.take(ch)
	pi.Status, pi.AmountReceived, pi.AmountCapturable = intentSucceeded, ch.AmountCaptured, 0
}

// hold makes the intent one that ch could pay.
func (pi *PaymentIntent) hold(ch *Charge) {
	pi.take(ch)
	pi.Status, pi.AmountCapturable = intentNeedsCapture, ch.Amount
}

// keep attaches a payment method that paid, if the intent said so; one of no
// customer cannot be used again.
func (pi *PaymentIntent) keep(tx *twin.Tx, m *PaymentMethod) {
	if m.Customer != nil {
		return
	}
	if pi.SetupFutureUsage != nil && pi.Customer != nil {
		if c, ok := liveCustomer(tx, *pi.Customer); ok {
			own := *m
			attach(tx, &own, c)
			return
		}
	}
	spend(tx, m.ID)
}

// declineIntent stores a charge that the bank refused; the intent waits for
// another payment method.
func declineIntent(tx *twin.Tx, pi *PaymentIntent, ch *Charge, m *PaymentMethod, in *instrument) *twin.Error {
	ch.decline(in)
	tx.Emit("charge.failed", charges.Put(tx, ch), nil)
	method, _ := paymentMethods.Doc(tx, m.ID)
	told := wireError{Charge: ch.ID, PaymentMethod: method.Body}
	last := in.refusal.fill(told)
	pi.take(ch)
	pi.Status, pi.PaymentMethod, pi.LastPaymentError = intentNeedsMethod, nil, canon.Marshal(&last)
	doc := paymentIntents.Put(tx, pi)
	tx.Emit("payment_intent.payment_failed", doc, nil)
	told.PaymentIntent = doc.Body
	err := errDeclined(&in.refusal, told)
	err.Keep = true
	return err
}

// cancelIntent ends an intent that has not succeeded and lets go what it holds.
// *pi becomes what was stored.
func cancelIntent(tx *twin.Tx, pi *PaymentIntent, reason string) {
	if pi.Status == intentSucceeded || pi.Status == intentCanceled {
		return
	}
	if pi.Status == intentNeedsCapture {
		old, _ := charges.Get(tx, *pi.LatestCharge)
		ch := *old
		release(tx, &ch, ch.Amount, nil)
	}
	pi.end(tx, reason)
}

// end makes the intent a canceled one.
func (pi *PaymentIntent) end(tx *twin.Tx, reason string) twin.Doc {
	now := tx.Now()
	pi.Status, pi.CanceledAt, pi.CancellationReason = intentCanceled, &now, textOrNull(reason)
	pi.AmountCapturable, pi.NextAction = 0, nil
	doc := paymentIntents.Put(tx, pi)
	tx.Emit("payment_intent.canceled", doc, nil)
	return doc
}

// captureIntent collects amount of what an intent holds, and lets the rest go.
func captureIntent(tx *twin.Tx, pi *PaymentIntent, amount twin.Money) twin.Doc {
	old, _ := charges.Get(tx, *pi.LatestCharge)
	ch := *old
	captured(tx, &ch, amount)
	pi.settle(&ch)
	doc := paymentIntents.Put(tx, pi)
	tx.Emit("payment_intent.succeeded", doc, nil)
	contest(tx, &ch)
	return doc
}
