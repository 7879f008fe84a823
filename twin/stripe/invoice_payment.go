package stripe

import (
	"worlds/journal/canon"
	"worlds/twin"
)

// InvoicePayment links an invoice to the payment intent that pays it, or tries to.
type InvoicePayment struct {
	AmountPaid        *twin.Money            `json:"amount_paid"` // null until paid
	AmountRequested   twin.Money             `json:"amount_requested"`
	Created           twin.Time              `json:"created"`
	Currency          string                 `json:"currency"`
	ID                string                 `json:"id"`
	Invoice           string                 `json:"invoice"`
	IsDefault         bool                   `json:"is_default"`
	Livemode          bool                   `json:"livemode"`
	Object            string                 `json:"object"`
	Payment           AssociatedPayment      `json:"payment"`
	Status            string                 `json:"status"`
	StatusTransitions InvoicePaymentInstants `json:"status_transitions"`
}

// AssociatedPayment is what an invoice payment is made with.
type AssociatedPayment struct {
	PaymentIntent string `json:"payment_intent"`
	Type          string `json:"type"`
}

// InvoicePaymentInstants are when an invoice payment ended.
type InvoicePaymentInstants struct {
	CanceledAt *twin.Time `json:"canceled_at"`
	PaidAt     *twin.Time `json:"paid_at"`
}

// The statuses of an invoice payment.
const (
	linkOpen     = "open"
	linkPaid     = "paid"
	linkCanceled = "canceled"
)

// payByIntent is the one type of payment there is here.
const payByIntent = "payment_intent"

var invoicePayments = twin.Resource[InvoicePayment]{
	Kind: twin.Kind{Table: "stripe.invoice_payment", Object: "invoice_payment", Prefix: "inpay", Digits: 24},
	Key:  func(l *InvoicePayment) string { return l.ID },
	Terms: func(l *InvoicePayment) []string {
		return []string{
			"invoice=" + l.Invoice, "payment_intent=" + l.Payment.PaymentIntent,
			"status=" + l.Status, "type=" + l.Payment.Type,
		}
	},
}

func invoicePaymentAPI() twin.API {
	return twin.API{
		Kind: invoicePayments.Kind,
		Routes: []twin.Route{
			twin.On("GET /v1/invoice_payments", listInvoicePayments),
			twin.On("GET /v1/invoice_payments/{invoice_payment}", retrieveInvoicePayment),
		},
		Expand: map[string]string{
			"invoice":                invoices.Object,
			"payment.payment_intent": paymentIntents.Object,
			// Never set here, and Stripe expands them.
			"payment.charge":         charges.Object,
			"payment.payment_record": "payment_record",
		},
	}
}

type listInvoicePaymentsParams struct {
	page
	Created twin.Opt[twin.Range]    `param:"created"`
	Invoice twin.Opt[string]        `param:"invoice"`
	Payment twin.Opt[paymentFilter] `param:"payment"`
	Status  twin.Opt[string]        `param:"status" rule:"enum=canceled|open|paid"`
}

type paymentFilter struct {
	PaymentIntent twin.Opt[string] `param:"payment_intent"`
	Type          twin.Opt[string] `param:"type" rule:"required,enum=payment_intent|payment_record"`
}

func listInvoicePayments(tx *twin.Tx, p *listInvoicePaymentsParams) (twin.Doc, *twin.Error) {
	if err := known(tx, invoices.Kind, "invoice", p.Invoice); err != nil {
		return twin.Doc{}, err
	}
	if err := known(tx, paymentIntents.Kind, "payment[payment_intent]", p.Payment.V.PaymentIntent); err != nil {
		return twin.Doc{}, err
	}
	var f filter
	f.with("payment_intent", p.Payment.V.PaymentIntent)
	f.with("invoice", p.Invoice)
	f.with("status", p.Status)
	f.with("type", p.Payment.V.Type)
	f.within("created", p.Created)
	return list(tx, invoicePayments.Kind, invoicePayments.Object, "/v1/invoice_payments", p.page, f)
}

type retrieveInvoicePaymentParams struct {
	InvoicePayment string `path:"invoice_payment"`
}

func retrieveInvoicePayment(tx *twin.Tx, p *retrieveInvoicePaymentParams) (twin.Doc, *twin.Error) {
	doc, ok := invoicePayments.Doc(tx, p.InvoicePayment)
	if !ok {
		return twin.Doc{}, errNoSuch(invoicePayments.Object, "invoice_payment", p.InvoicePayment)
	}
	return doc, nil
}

// includePayments lists the payments of an invoice, newest first.
func includePayments(tx *twin.Tx, invoice canon.Raw) canon.Raw {
	raw, _ := canon.Get(invoice, "id")
	id, _ := canon.Unquote(raw)
	var rows []canon.Raw
	for row := range tx.State().NewestWith(invoicePayments.Table, "invoice="+id, 0) {
		rows = append(rows, row.Body)
	}
	more := len(rows) > linesEmbedded
	if more {
		rows = rows[:linesEmbedded]
	}
	return listDoc(rows, more, "/v1/invoice_payments?invoice="+id).Body
}

// includeConfirmationSecret is what a client needs to confirm the payment of an
// open invoice, null when there is nothing to confirm.
func includeConfirmationSecret(tx *twin.Tx, invoice canon.Raw) canon.Raw {
	raw, _ := canon.Get(invoice, "id")
	id, _ := canon.Unquote(raw)
	_, pi := pendingPayment(tx, id)
	if pi == nil {
		return canon.Raw("null")
	}
	return append(canon.AppendString([]byte(`{"client_secret":`), pi.ClientSecret), `,"type":"payment_intent"}`...)
}

// pendingPayment is the payment of an invoice that waits to be made and its
// intent, as copies to change; nils when there is none.
func pendingPayment(tx *twin.Tx, invoice string) (*InvoicePayment, *PaymentIntent) {
	for link := range invoicePayments.With(tx, "invoice="+invoice) {
		if link.Status != linkOpen {
			continue
		}
		if pi, ok := paymentIntents.Get(tx, link.Payment.PaymentIntent); ok && pi.Status != intentCanceled {
			open, intent := *link, *pi
			return &open, &intent
		}
	}
	return nil, nil
}

// requestPayment opens a payment of what remains of an invoice.
func requestPayment(tx *twin.Tx, inv *Invoice, c *Customer) (*InvoicePayment, *PaymentIntent) {
	pi := openIntent(tx, payment{
		customer: c, amount: inv.AmountRemaining, currency: inv.Currency,
		description: paymentText(inv), metadata: map[string]string{},
	})
	first := true
	for range invoicePayments.With(tx, "invoice="+inv.ID) {
		first = false
	}
	link := &InvoicePayment{
		ID: invoicePayments.NewID(tx), Object: invoicePayments.Object, Created: tx.Now(), Invoice: inv.ID,
		AmountRequested: inv.AmountRemaining, Currency: inv.Currency, IsDefault: first, Status: linkOpen,
		Payment: AssociatedPayment{PaymentIntent: pi.ID, Type: payByIntent},
	}
	invoicePayments.Put(tx, link)
	return link, pi
}

// paymentText is the description of the charge that pays an invoice.
func paymentText(inv *Invoice) string {
	switch inv.BillingReason {
	case reasonCreate:
		return "Subscription creation"
	case reasonCycle, reasonUpdate:
		return "Subscription update"
	}
	return "Payment for Invoice"
}

// paid marks the payment as made.
func (link *InvoicePayment) paid(tx *twin.Tx) {
	now, amount := tx.Now(), link.AmountRequested
	link.Status, link.AmountPaid, link.StatusTransitions.PaidAt = linkPaid, &amount, &now
	tx.Emit("invoice_payment.paid", invoicePayments.Put(tx, link), nil)
}

// cancelPayment withdraws what an invoice's payment waits for, if it does.
func cancelPayment(tx *twin.Tx, invoice, reason string) {
	link, pi := pendingPayment(tx, invoice)
	if link == nil {
		return
	}
	now := tx.Now()
	link.Status, link.StatusTransitions.CanceledAt = linkCanceled, &now
	invoicePayments.Put(tx, link)
	cancelIntent(tx, pi, reason)
}
