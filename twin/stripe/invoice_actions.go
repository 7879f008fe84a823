package stripe

import (
	"fmt"
	"worlds/journal/canon"
	"worlds/journal/mutant"
	"worlds/twin"
)

// The verbs of an invoice.
const (
	verbDelete        = "delete"
	verbFinalize      = "finalize"
	verbPay           = "pay"
	verbVoid          = "void"
	verbUncollectible = "mark_uncollectible"
)

// invoiceRefusals are the illegal moves of an invoice: each verb in each status
// that has no row here is legal.
var invoiceRefusals = [...]struct {
	verb, status string
	refuse       func() *twin.Error
}{
	{verbDelete, invOpen, errNotDraft},
	{verbDelete, invPaid, errNotDraft},
	{verbDelete, invUncollectible, errNotDraft},
	{verbDelete, invVoid, errNotDraft},
	{verbFinalize, invOpen, errFinalizedAlready},
	{verbFinalize, invPaid, errFinalizedAlready},
	{verbFinalize, invUncollectible, errFinalizedAlready},
	{verbFinalize, invVoid, errFinalizedAlready},
	{verbPay, invPaid, errPaidAlready},
	{verbPay, invVoid, errNotOpen},
	{verbVoid, invDraft, errNotOpen},
	{verbVoid, invPaid, errVoidPaid},
	{verbVoid, invVoid, errNotOpen},
	{verbUncollectible, invDraft, errNotOpen},
	{verbUncollectible, invPaid, errNotOpen},
	{verbUncollectible, invUncollectible, errUncollectibleAlready},
	{verbUncollectible, invVoid, errNotOpen},
}

// move finds an invoice, as a copy to change, for a verb and refuses an illegal
// move. param is what
// Stripe calls the path segment there.
func move(tx *twin.Tx, id, param, verb string) (*Invoice, *twin.Error) {
	old, ok := invoices.Get(tx, id)
	if !ok {
		return nil, errNoSuch(invoices.Object, param, id)
	}
	inv := *old
	for _, r := range invoiceRefusals {
		if r.verb == verb && r.status == inv.Status && (verb != verbVoid || !mutant.Is("paid-invoice-voided")) {
			return nil, r.refuse()
		}
	}
	return &inv, nil
}

// deleteInvoice removes a draft, and with it every trace.
func deleteInvoice(tx *twin.Tx, p *invoicePath) (twin.Doc, *twin.Error) {
	inv, err := move(tx, p.Invoice, "invoice", verbDelete)
	if err != nil {
		return twin.Doc{}, err
	}
	if inv.subscription() != "" {
		return twin.Doc{}, errNotDraft()
	}
	last, _ := invoices.Doc(tx, inv.ID)
	tx.Emit("invoice.deleted", last, nil)
	dropLines(tx, inv)
	invoices.Delete(tx, inv.ID)
	return twin.Doc{Body: deletedStub(inv.ID, invoices.Object)}, nil
}

type finalizeInvoiceParams struct {
	Invoice     string         `path:"invoice"`
	AutoAdvance twin.Opt[bool] `param:"auto_advance"`
}

func finalizeInvoice(tx *twin.Tx, p *finalizeInvoiceParams) (twin.Doc, *twin.Error) {
	inv, err := move(tx, p.Invoice, "id", verbFinalize)
	if err != nil {
		return twin.Doc{}, err
	}
	c, ok := liveCustomer(tx, inv.Customer)
	if !ok {
		return twin.Doc{}, errNoSuchRef(customers.Object, "customer", inv.Customer)
	}
	inv.AutoAdvance = p.AutoAdvance.Or(inv.AutoAdvance)
	return finalize(tx, inv, c), nil
}

// finalize makes a draft of c an invoice: it gets its number, its amounts are
// fixed, and what is due is asked for. With nothing due it is paid at once.
func finalize(tx *twin.Tx, inv *Invoice, c *Customer) twin.Doc {
	doc, _, _ := finalizeOpening(tx, inv, c)
	return doc
}

// finalizeOpening is finalize that says which payment it opened, nil for none.
func finalizeOpening(tx *twin.Tx, inv *Invoice, c *Customer) (doc twin.Doc, link *InvoicePayment, pi *PaymentIntent) {
	now, number := tx.Now(), invoiceNumber(c.InvoicePrefix, c.NextInvoiceSequence)
	if !mutant.Is("invoice-number-repeats") {
		c.NextInvoiceSequence++
	}
	customers.Put(tx, c)
	inv.address(tx, c)
	inv.issue(number, now)
	inv.StartingBalance = balanceIn(c, inv.Currency)
	due, end := max(inv.Total, 0), twin.Money(0)
	if pinnedTo(c, inv.Currency) {
		due, end = settleBalance(inv.Total, inv.StartingBalance)
		moveForInvoice(tx, c, end-inv.StartingBalance, moveApplied, inv)
		if due < chargeMinimum(inv.Currency) && !mutant.Is("small-sum-charged") {
			moveForInvoice(tx, c, due, moveTooSmall, inv)
			due, end = 0, end+due
		}
	}
	inv.EndingBalance, inv.AmountDue, inv.AmountRemaining = &end, due, due
	doc = invoices.Put(tx, inv)
	tx.Emit("invoice.finalized", doc, nil)
	switch {
	case due == 0:
		inv.Attempted = true
		doc = settle(tx, inv, c)
	case inv.CollectionMethod == chargeAutomatically:
		link, pi = requestPayment(tx, inv, c)
	default:
		tx.Emit("invoice.sent", doc, nil)
		awaitDue(tx, inv)
	}
	return doc, link, pi
}

// invoiceNumber is the number of the sequence-th invoice of a customer.
func invoiceNumber(prefix string, sequence int64) string {
	return fmt.Sprintf("%s-%04d", prefix, sequence)
}

// issue makes a draft an open invoice.
func (inv *Invoice) issue(number string, at twin.Time) {
	page, pdf := "https://invoice.stripe.com/i/acct_worlds/"+inv.ID, "https://pay.stripe.com/invoice/acct_worlds/"+inv.ID+"/pdf"
	inv.Status, inv.Number, inv.EffectiveAt, inv.StatusTransitions.FinalizedAt = invOpen, &number, &at, &at
	inv.HostedInvoiceURL, inv.InvoicePDF = &page, &pdf
	inv.AutomaticallyFinalizesAt, inv.NextPaymentAttempt = nil, nil
}

type payInvoiceParams struct {
	Invoice       string           `path:"invoice"`
	OutOfBand     twin.Opt[bool]   `param:"paid_out_of_band"`
	PaymentMethod twin.Opt[string] `param:"payment_method"`
}

// payInvoice collects what remains, from the payment method given or the first
// default there is. A draft is finalized first. A decline leaves its traces.
func payInvoice(tx *twin.Tx, p *payInvoiceParams) (twin.Doc, *twin.Error) {
	inv, err := move(tx, p.Invoice, "id", verbPay)
	if err != nil {
		return twin.Doc{}, err
	}
	c, ok := liveCustomer(tx, inv.Customer)
	if !ok {
		return twin.Doc{}, errNoSuchRef(customers.Object, "customer", inv.Customer)
	}
	if given := p.PaymentMethod; given.Given() {
		if _, named := instrumentNamed(given.V); !named && tx.State().Get(paymentMethods.Table, given.V) == nil {
			return twin.Doc{}, errNoSuchRef(paymentMethodNoun, "payment_method", given.V)
		}
	}
	if inv.Status == invDraft {
		if doc := finalize(tx, inv, c); inv.Status == invPaid {
			return doc, nil
		}
	}
	if p.OutOfBand.Or(false) {
		return payOutOfBand(tx, inv, c), nil
	}
	if inv.AmountRemaining < chargeMinimum(inv.Currency) && pinnedTo(c, inv.Currency) {
		return carryOver(tx, inv, c), nil
	}
	method, err := methodOf(tx, inv, c, p.PaymentMethod)
	if err != nil {
		return twin.Doc{}, err
	}
	if inv.AutoAdvance && inv.CollectionMethod == chargeAutomatically && inv.AttemptCount == 0 && inv.BillingReason != reasonCreate {
		inv.NextPaymentAttempt = retryAt(tx, 1) // in case it fails
	}
	return chargeInvoice(tx, inv, c, method)
}

// payOutOfBand believes that the money came by another way; what was asked for
// is withdrawn, so that it cannot come twice.
func payOutOfBand(tx *twin.Tx, inv *Invoice, c *Customer) twin.Doc {
	inv.AmountPaidOffStripe = inv.AmountDue
	doc := settle(tx, inv, c)
	cancelPayment(tx, inv.ID, "automatic")
	return doc
}

// carryOver settles an open invoice whose sum is too small to be charged.
func carryOver(tx *twin.Tx, inv *Invoice, c *Customer) twin.Doc {
	moveForInvoice(tx, c, inv.AmountRemaining, moveTooSmall, inv)
	end := *inv.EndingBalance + inv.AmountRemaining
	inv.EndingBalance, inv.AmountDue, inv.Attempted = &end, inv.AmountDue-inv.AmountRemaining, true
	return settle(tx, inv, c)
}

// methodOf is the id of the payment method that pays an invoice: the one given,
// or else the default of the invoice, its subscription, its customer.
func methodOf(tx *twin.Tx, inv *Invoice, c *Customer, given twin.Opt[string]) (string, *twin.Error) {
	if given.Given() {
		m, err := resolveMethod(tx, c, given.V, "payment_method")
		if err != nil {
			return "", err
		}
		return m.ID, nil
	}
	if id := inv.DefaultPaymentMethod; id != nil && !spent(tx, *id) {
		return *id, nil
	}
	if id := peek(tx, subscriptions.Table, inv.subscription(), "default_payment_method"); id != "" {
		return id, nil
	}
	if id := methodFor(c); id != "" {
		return id, nil
	}
	return "", errNoMethod()
}

// chargeInvoice pays what remains of an open invoice with a payment method, while
// the customer is away.
func chargeInvoice(tx *twin.Tx, inv *Invoice, c *Customer, method string) (twin.Doc, *twin.Error) {
	return chargeInvoiceAs(tx, inv, c, method, confirmation{offSession: true})
}

// chargeInvoiceAs is chargeInvoice for any way to confirm its payment. The invoice
// stays open while its customer must act.
func chargeInvoiceAs(tx *twin.Tx, inv *Invoice, c *Customer, method string, how confirmation) (twin.Doc, *twin.Error) {
	link, pi := pendingPayment(tx, inv.ID)
	return chargeBy(tx, inv, c, link, pi, method, how)
}

// chargeBy is chargeInvoiceAs with the payment that waits to be made, nil for none.
func chargeBy(tx *twin.Tx, inv *Invoice, c *Customer, link *InvoicePayment, pi *PaymentIntent, method string, how confirmation) (twin.Doc, *twin.Error) {
	if inv.AmountRemaining > chargeMaximum {
		return twin.Doc{}, errAmountLarge("", chargeMaximum, inv.Currency)
	}
	if link == nil {
		link, pi = requestPayment(tx, inv, c)
	}
	inv.Attempted, inv.AttemptCount = true, max(inv.AttemptCount, 1)
	ch, err := confirmIntent(tx, pi, method, how)
	switch {
	case err != nil && err.Keep:
		tx.Emit("invoice.payment_failed", invoices.Put(tx, inv), nil)
		return twin.Doc{}, err
	case err != nil:
		return twin.Doc{}, err
	case ch == nil:
		doc := invoices.Put(tx, inv)
		tx.Emit("invoice.payment_action_required", doc, nil)
		return doc, nil
	}
	link.paid(tx)
	return settle(tx, inv, c), nil
}

// settle makes an invoice of c paid in full, and brings the subscription that
// waited for it to life.
func settle(tx *twin.Tx, inv *Invoice, c *Customer) twin.Doc {
	now := tx.Now()
	inv.Status, inv.StatusTransitions.PaidAt = invPaid, &now
	inv.AmountPaid, inv.AmountRemaining = inv.AmountDue, 0
	inv.AutoAdvance, inv.NextPaymentAttempt = false, nil
	doc := invoices.Put(tx, inv)
	tx.Emit("invoice.paid", doc, nil)
	tx.Emit("invoice.payment_succeeded", doc, nil)
	clearDelinquent(tx, c)
	saveMethod(tx, inv)
	revive(tx, inv)
	return doc
}

// clearDelinquent takes back that a customer is behind with a payment.
func clearDelinquent(tx *twin.Tx, c *Customer) {
	if !c.Delinquent {
		return
	}
	c.Delinquent = false
	doc, previous, _ := customers.Replace(tx, c)
	tx.Emit("customer.updated", doc, previous)
}

// revive makes a subscription active whose latest invoice was paid.
func revive(tx *twin.Tx, inv *Invoice) {
	if mutant.Is("canceled-revives") && peek(tx, subscriptions.Table, inv.subscription(), "status") == subCanceled {
		waitingFor(tx, inv).become(tx, subActive)
	}
	if pending := stored(tx, subscriptions.Table, inv.subscription(), "pending_update"); pending != nil && string(pending) != "null" {
		if s := waitingFor(tx, inv); s != nil {
			s.take(tx)
			return
		}
	}
	switch peek(tx, subscriptions.Table, inv.subscription(), "status") {
	case subIncomplete, subPastDue, subUnpaid:
		if s := waitingFor(tx, inv); s != nil && s.TrialEnd != nil && *s.TrialEnd > tx.Now() {
			s.become(tx, subTrialing)
			warnOfTrialEnd(tx, s)
		} else if s != nil {
			s.become(tx, subActive)
		}
	}
}

// peek reads one text of a stored object without decoding the others; "" for
// what is null or not there.
func peek(tx *twin.Tx, table, id, field string) string {
	text, _ := canon.Unquote(stored(tx, table, id, field))
	return text
}

// stored is one member of a stored object as it is stored, nil for what is not
// there.
func stored(tx *twin.Tx, table, id, field string) canon.Raw {
	row := tx.State().Get(table, id)
	if row == nil {
		return nil
	}
	raw, _ := canon.Get(row.Body, field)
	return raw
}

// waitingFor is a copy of the subscription whose latest invoice this is, nil for
// none.
func waitingFor(tx *twin.Tx, inv *Invoice) *Subscription {
	s, ok := subscriptions.Get(tx, inv.subscription())
	if !ok || s.LatestInvoice == nil || *s.LatestInvoice != inv.ID {
		return nil
	}
	return s.copy()
}

// voidInvoice takes an invoice back: nothing is owed, and the balance that it
// used or made is as it was before.
func voidInvoice(tx *twin.Tx, p *invoicePath) (twin.Doc, *twin.Error) {
	inv, err := move(tx, p.Invoice, "id", verbVoid)
	if err != nil {
		return twin.Doc{}, err
	}
	return void(tx, inv), nil
}

// void is voidInvoice of an invoice that can be.
func void(tx *twin.Tx, inv *Invoice) twin.Doc {
	if c, ok := liveCustomer(tx, inv.Customer); ok && inv.EndingBalance != nil {
		moveForInvoice(tx, c, inv.StartingBalance-*inv.EndingBalance, moveUnapplied, inv)
	}
	now := tx.Now()
	inv.Status, inv.StatusTransitions.VoidedAt, inv.AutoAdvance, inv.NextPaymentAttempt = invVoid, &now, false, nil
	doc := invoices.Put(tx, inv)
	tx.Emit("invoice.voided", doc, nil)
	cancelPayment(tx, inv.ID, "void_invoice")
	switch s := waitingFor(tx, inv); {
	case s == nil:
	case s.Status == subIncomplete:
		s.become(tx, subIncompleteExpired)
	case s.PendingUpdate != nil:
		s.PendingUpdate = nil
		_, _ = s.replace(tx)
	}
	return doc
}

// markInvoiceUncollectible gives an open invoice up; it can still be paid.
func markInvoiceUncollectible(tx *twin.Tx, p *invoicePath) (twin.Doc, *twin.Error) {
	inv, err := move(tx, p.Invoice, "id", verbUncollectible)
	if err != nil {
		return twin.Doc{}, err
	}
	doc := giveUp(tx, inv)
	if c, ok := liveCustomer(tx, inv.Customer); ok {
		clearDelinquent(tx, c)
	}
	return doc, nil
}

// giveUp makes an open invoice uncollectible.
func giveUp(tx *twin.Tx, inv *Invoice) twin.Doc {
	now := tx.Now()
	inv.Status, inv.StatusTransitions.MarkedUncollectibleAt = invUncollectible, &now
	inv.AutoAdvance, inv.NextPaymentAttempt = false, nil
	doc := invoices.Put(tx, inv)
	tx.Emit("invoice.marked_uncollectible", doc, nil)
	return doc
}
