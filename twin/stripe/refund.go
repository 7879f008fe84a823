package stripe

import (
	"worlds/journal/canon"
	"worlds/journal/mutant"
	"worlds/twin"
)

// Refund is money given back on a charge.
type Refund struct {
	Amount                    twin.Money         `json:"amount"`
	BalanceTransaction        *string            `json:"balance_transaction"`
	Charge                    *string            `json:"charge"`
	Created                   twin.Time          `json:"created"`
	Currency                  string             `json:"currency"`
	Customer                  *string            `json:"customer"`
	CustomerAccount           canon.Raw          `json:"customer_account"`
	DestinationDetails        DestinationDetails `json:"destination_details"`
	FailureBalanceTransaction string             `json:"failure_balance_transaction,omitempty"`
	FailureReason             string             `json:"failure_reason,omitempty"`
	ID                        string             `json:"id"`
	Metadata                  map[string]string  `json:"metadata"`
	Object                    string             `json:"object"`
	PaymentIntent             *string            `json:"payment_intent"`
	PaymentMethod             *string            `json:"payment_method"`
	Reason                    *string            `json:"reason"`
	ReceiptNumber             *string            `json:"receipt_number"`
	SourceTransferReversal    canon.Raw          `json:"source_transfer_reversal"`
	Status                    string             `json:"status"`
	TransferReversal          canon.Raw          `json:"transfer_reversal"`
}

// DestinationDetails are where a refund goes.
type DestinationDetails struct {
	Card CardDestination `json:"card"`
	Type string          `json:"type"`
}

// CardDestination is the card a refund goes to.
type CardDestination struct {
	ReferenceStatus string `json:"reference_status,omitempty"`
	ReferenceType   string `json:"reference_type,omitempty"`
	Type            string `json:"type"`
}

// The statuses of a refund.
const (
	refundPending   = "pending"
	refundSucceeded = "succeeded"
	refundFailed    = "failed"
)

var refunds = twin.Resource[Refund]{
	Kind: twin.Kind{Table: "stripe.refund", Object: "refund", Prefix: "re", Digits: 24},
	Key:  func(r *Refund) string { return r.ID },
	Terms: func(r *Refund) []string {
		terms := []string{"charge=" + *r.Charge}
		if r.PaymentIntent != nil {
			terms = append(terms, "payment_intent="+*r.PaymentIntent)
		}
		return terms
	},
}

func refundAPI() twin.API {
	return twin.API{
		Kind: refunds.Kind,
		Routes: []twin.Route{
			twin.On("POST /v1/refunds", createRefund),
			twin.On("GET /v1/refunds", listRefunds),
			twin.On("GET /v1/refunds/{refund}", retrieveRefund),
			twin.On("POST /v1/refunds/{refund}", updateRefund),
			twin.On("POST /v1/refunds/{refund}/cancel", cancelRefund),
		},
		Expand: map[string]string{
			"charge":                   charges.Object,
			"customer":                 customers.Object,
			"payment_intent":           paymentIntents.Object,
			"payment_method":           paymentMethods.Object,
			"source_transfer_reversal": "transfer_reversal",
			"transfer_reversal":        "transfer_reversal",
		},
		Include: map[string]twin.Include{
			"balance_transaction":         showBalanceTransaction,
			"failure_balance_transaction": showFailureTransaction,
		},
	}
}

type createRefundParams struct {
	Amount        twin.Opt[twin.Money]    `param:"amount" rule:"min=1"`
	Charge        twin.Opt[string]        `param:"charge"`
	Metadata      twin.Opt[twin.Metadata] `param:"metadata"`
	PaymentIntent twin.Opt[string]        `param:"payment_intent"`
	Reason        twin.Opt[string]        `param:"reason" rule:"enum=duplicate|fraudulent|requested_by_customer"`
}

// Check wants one thing to refund.
func (p *createRefundParams) Check() *twin.Error {
	switch {
	case !p.Charge.Given() && !p.PaymentIntent.Given():
		return errRefundOfNothing()
	case p.Charge.Given() && p.PaymentIntent.Given():
		return errExclusive("charge", "payment_intent")
	}
	return nil
}

func createRefund(tx *twin.Tx, p *createRefundParams) (twin.Doc, *twin.Error) {
	ch, err := p.target(tx)
	if err != nil {
		return twin.Doc{}, err
	}
	left := ch.Amount - ch.AmountRefunded
	amount := p.Amount.Or(left)
	switch {
	case ch.Status != chargeSucceeded:
		return twin.Doc{}, errRefundOfFailed(ch.ID)
	case ch.Refunded:
		return twin.Doc{}, errAlreadyRefunded(ch.ID)
	case heldBack(tx, ch):
		return twin.Doc{}, errChargedBack(ch.ID)
	case amount > left:
		return twin.Doc{}, errOverRefund(amount, left, ch.Currency)
	case !ch.Captured && amount < left:
		return twin.Doc{}, errPartOfUncaptured(ch.ID)
	}
	metadata, err := applyMetadata(map[string]string{}, p.Metadata)
	if err != nil {
		return twin.Doc{}, err
	}
	var reason *string
	p.Reason.Apply(&reason)
	if ch.Captured {
		return refundCharge(tx, ch, amount, reason, metadata), nil
	}
	held := *ch
	doc := release(tx, &held, amount, &Refund{Reason: reason, Metadata: metadata})
	if ch.PaymentIntent != nil {
		old, _ := paymentIntents.Get(tx, *ch.PaymentIntent)
		pi := *old
		pi.end(tx, "")
	}
	return doc, nil
}

// target finds the charge to refund, by its id or as the one that paid an intent.
func (p *createRefundParams) target(tx *twin.Tx) (*Charge, *twin.Error) {
	if p.Charge.Given() {
		ch, ok := charges.Get(tx, p.Charge.V)
		if !ok {
			return nil, errNoSuchRef(charges.Object, "charge", p.Charge.V)
		}
		return ch, nil
	}
	pi, ok := paymentIntents.Get(tx, p.PaymentIntent.V)
	switch {
	case !ok:
		return nil, errNoSuchRef(paymentIntents.Object, "payment_intent", p.PaymentIntent.V)
	case pi.Status != intentSucceeded:
		return nil, errIntentUnpaid(pi.ID)
	}
	ch, _ := charges.Get(tx, *pi.LatestCharge)
	return ch, nil
}

// newRefund makes a refund of a charge, not yet stored.
func newRefund(tx *twin.Tx, ch *Charge, amount twin.Money) *Refund {
	return &Refund{
		ID: refunds.NewID(tx), Object: refunds.Object, Created: tx.Now(), Amount: amount, Currency: ch.Currency,
		Charge: &ch.ID, Customer: ch.Customer, PaymentIntent: ch.PaymentIntent, PaymentMethod: ch.PaymentMethod,
		Metadata: map[string]string{}, Status: refundSucceeded,
		DestinationDetails: DestinationDetails{Type: cardType, Card: CardDestination{
			ReferenceStatus: "pending", ReferenceType: "acquirer_reference_number", Type: "refund"}},
	}
}

// refundCharge gives amount of a charge back; the caller has checked that it can
// be. The charge keeps its status, and the invoice it paid stays paid. Some cards
// take their time, or turn out not to take the money.
func refundCharge(tx *twin.Tx, ch *Charge, amount twin.Money, reason *string, metadata map[string]string) twin.Doc {
	r := newRefund(tx, ch, amount)
	r.Reason, r.Metadata = reason, metadata
	if mutant.Is("refund-in-dollars") {
		r.Currency = accountCurrency
	}
	in := ch.instrument()
	if in.effect == refundsLate {
		r.Status = refundPending
	}
	entry := balanceTransactions.NewID(tx)
	recordRefund(tx, entry, r, ch)
	r.BalanceTransaction = &entry
	doc := refunds.Put(tx, r)
	tx.Emit("refund.created", doc, nil)
	after := *ch
	after.giveBack(tx, amount)
	appease(tx, &after)
	if in.effect == refundsLate || in.effect == refundsFail {
		remember(tx, refundOutcome, r.ID, tx.Now()+refundSeconds)
	}
	return doc
}

// refundSeconds is how long a bank takes to say what became of a refund that does
// not succeed at once.
const refundSeconds = 24 * 60 * 60

// concludeRefund lets the bank say what became of a refund.
func concludeRefund(tx *twin.Tx, id string) {
	old, _ := refunds.Get(tx, id)
	r := *old
	was, _ := charges.Get(tx, *r.Charge)
	ch := *was
	if r.Status == refundPending {
		r.Status = refundSucceeded
		doc, previous, _ := refunds.Replace(tx, &r)
		tx.Emit("refund.updated", doc, previous)
		return
	}
	entry := balanceTransactions.NewID(tx)
	recordReturn(tx, entry, &r)
	r.Status, r.FailureReason, r.FailureBalanceTransaction = refundFailed, "unknown", entry
	doc, previous, _ := refunds.Replace(tx, &r)
	tx.Emit("refund.updated", doc, previous)
	tx.Emit("refund.failed", doc, nil)
	ch.AmountRefunded -= r.Amount
	ch.Refunded = false
	charge, before, _ := charges.Replace(tx, &ch)
	tx.Emit("charge.updated", charge, before)
}

type listRefundsParams struct {
	page
	Charge        twin.Opt[string]     `param:"charge"`
	Created       twin.Opt[twin.Range] `param:"created"`
	PaymentIntent twin.Opt[string]     `param:"payment_intent"`
}

func listRefunds(tx *twin.Tx, p *listRefundsParams) (twin.Doc, *twin.Error) {
	if err := known(tx, charges.Kind, "charge", p.Charge); err != nil {
		return twin.Doc{}, err
	}
	if err := known(tx, paymentIntents.Kind, "payment_intent", p.PaymentIntent); err != nil {
		return twin.Doc{}, err
	}
	var f filter
	f.with("charge", p.Charge)
	f.with("payment_intent", p.PaymentIntent)
	f.within("created", p.Created)
	return list(tx, refunds.Kind, refunds.Object, "/v1/refunds", p.page, f)
}

type listChargeRefundsParams struct {
	Charge string `path:"charge"`
	page
}

func listChargeRefunds(tx *twin.Tx, p *listChargeRefundsParams) (twin.Doc, *twin.Error) {
	if _, ok := charges.Doc(tx, p.Charge); !ok {
		return twin.Doc{}, errNoSuch(charges.Object, "id", p.Charge)
	}
	return list(tx, refunds.Kind, refunds.Object, refundsURL(p.Charge), p.page, filter{terms: []string{"charge=" + p.Charge}})
}

// refundsInline is how many refunds an expanded charge shows.
const refundsInline = 10

// refundsOfCharge is the list of a charge's refunds that only an expansion shows.
func refundsOfCharge(tx *twin.Tx, charge canon.Raw) canon.Raw {
	raw, _ := canon.Get(charge, "id")
	id, _ := canon.Unquote(raw)
	var rows []canon.Raw
	for row := range tx.State().NewestWith(refunds.Table, "charge="+id, 0) {
		if rows = append(rows, row.Body); len(rows) > refundsInline {
			break
		}
	}
	return pageDoc(rows, refundsInline, false, refundsURL(id)).Body
}

func refundsURL(charge string) string { return "/v1/charges/" + charge + "/refunds" }

type retrieveRefundParams struct {
	Refund string `path:"refund"`
}

func retrieveRefund(tx *twin.Tx, p *retrieveRefundParams) (twin.Doc, *twin.Error) {
	doc, ok := refunds.Doc(tx, p.Refund)
	if !ok {
		return twin.Doc{}, errNoSuch(refunds.Object, "id", p.Refund)
	}
	return doc, nil
}

type retrieveChargeRefundParams struct {
	Charge string `path:"charge"`
	Refund string `path:"refund"`
}

func retrieveChargeRefund(tx *twin.Tx, p *retrieveChargeRefundParams) (twin.Doc, *twin.Error) {
	if _, ok := charges.Doc(tx, p.Charge); !ok {
		return twin.Doc{}, errNoSuch(charges.Object, "id", p.Charge)
	}
	r, ok := refunds.Get(tx, p.Refund)
	if !ok || *r.Charge != p.Charge {
		return twin.Doc{}, errNoSuch(refunds.Object, "id", p.Refund)
	}
	doc, _ := refunds.Doc(tx, r.ID)
	return doc, nil
}

type updateRefundParams struct {
	Refund   string                  `path:"refund"`
	Metadata twin.Opt[twin.Metadata] `param:"metadata"`
}

func updateRefund(tx *twin.Tx, p *updateRefundParams) (twin.Doc, *twin.Error) {
	old, ok := refunds.Get(tx, p.Refund)
	if !ok {
		return twin.Doc{}, errNoSuch(refunds.Object, "id", p.Refund)
	}
	r := *old
	var err *twin.Error
	if r.Metadata, err = applyMetadata(r.Metadata, p.Metadata); err != nil {
		return twin.Doc{}, err
	}
	doc, previous, changed := refunds.Replace(tx, &r)
	if changed {
		tx.Emit("refund.updated", doc, previous)
	}
	return doc, nil
}

// cancelRefund refuses: only a refund that waits for its customer can be canceled, and
// refunds to cards never do.
func cancelRefund(tx *twin.Tx, p *retrieveRefundParams) (twin.Doc, *twin.Error) {
	r, ok := refunds.Get(tx, p.Refund)
	if !ok {
		return twin.Doc{}, errNoSuch(refunds.Object, "id", p.Refund)
	}
	return twin.Doc{}, errRefundStays(r)
}
