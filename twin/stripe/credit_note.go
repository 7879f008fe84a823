package stripe

import (
	"fmt"
	"slices"

	"worlds/journal/canon"
	"worlds/twin"
)

// CreditNote takes back a part of a final invoice: of what is still owed, and of
// what was paid.
type CreditNote struct {
	Amount                     twin.Money         `json:"amount"`
	AmountShipping             twin.Money         `json:"amount_shipping"`
	Created                    twin.Time          `json:"created"`
	Currency                   string             `json:"currency"`
	Customer                   string             `json:"customer"`
	CustomerAccount            canon.Raw          `json:"customer_account"`
	CustomerBalanceTransaction *string            `json:"customer_balance_transaction"`
	DiscountAmount             twin.Money         `json:"discount_amount"`
	DiscountAmounts            []DiscountAmount   `json:"discount_amounts"`
	EffectiveAt                *twin.Time         `json:"effective_at"`
	ID                         string             `json:"id"`
	Invoice                    string             `json:"invoice"`
	Lines                      CreditNoteLines    `json:"lines"`
	Livemode                   bool               `json:"livemode"`
	Memo                       *string            `json:"memo"`
	Metadata                   map[string]string  `json:"metadata"`
	Number                     string             `json:"number"`
	Object                     string             `json:"object"`
	OutOfBandAmount            *twin.Money        `json:"out_of_band_amount"`
	PDF                        string             `json:"pdf"`
	PostPaymentAmount          twin.Money         `json:"post_payment_amount"` // of what was paid
	PrePaymentAmount           twin.Money         `json:"pre_payment_amount"`  // of what is owed
	PretaxCreditAmounts        []canon.Raw        `json:"pretax_credit_amounts"`
	Reason                     *string            `json:"reason"`
	Refunds                    []CreditNoteRefund `json:"refunds"`
	ShippingCost               canon.Raw          `json:"shipping_cost"`
	Status                     string             `json:"status"`
	Subtotal                   twin.Money         `json:"subtotal"`
	SubtotalExcludingTax       twin.Money         `json:"subtotal_excluding_tax"`
	Total                      twin.Money         `json:"total"`
	TotalExcludingTax          twin.Money         `json:"total_excluding_tax"`
	TotalTaxes                 []canon.Raw        `json:"total_taxes"`
	Type                       string             `json:"type"`
	VoidedAt                   *twin.Time         `json:"voided_at"`
}

// CreditNoteRefund is a refund that a credit note explains.
type CreditNoteRefund struct {
	AmountRefunded      twin.Money `json:"amount_refunded"`
	PaymentRecordRefund canon.Raw  `json:"payment_record_refund"`
	Refund              string     `json:"refund"`
	Type                string     `json:"type"`
}

// The statuses and types of a credit note.
const (
	noteIssued      = "issued"
	noteVoid        = "void"
	notePrePayment  = "pre_payment"
	notePostPayment = "post_payment"
	noteMixed       = "mixed"
)

var creditNotes = twin.Resource[CreditNote]{
	Kind:  twin.Kind{Table: "stripe.credit_note", Object: "credit_note", Prefix: "cn", Digits: 24},
	Key:   func(n *CreditNote) string { return n.ID },
	Terms: func(n *CreditNote) []string { return []string{"invoice=" + n.Invoice, "customer=" + n.Customer} },
}

func creditNoteAPI() twin.API {
	return twin.API{
		Kind: creditNotes.Kind,
		Routes: []twin.Route{
			twin.On("POST /v1/credit_notes", createCreditNote),
			twin.On("GET /v1/credit_notes", listCreditNotes),
			twin.On("GET /v1/credit_notes/preview", previewCreditNote),
			twin.On("GET /v1/credit_notes/preview/lines", previewCreditNoteLines),
			twin.On("GET /v1/credit_notes/{id}", retrieveCreditNote),
			twin.On("POST /v1/credit_notes/{id}", updateCreditNote),
			twin.On("POST /v1/credit_notes/{id}/void", voidCreditNote),
			twin.On("GET /v1/credit_notes/{credit_note}/lines", listCreditNoteLines),
		},
		Expand: map[string]string{
			"customer": customers.Object, "customer_balance_transaction": customerBalanceTransactions.Object,
			"discount_amounts.discount": discounts.Object, "invoice": invoices.Object, "lines": "", "refunds.refund": refunds.Object,
			// Never set here, and Stripe expands them.
			"pretax_credit_amounts.credit_balance_transaction": "credit_balance_transaction",
			"pretax_credit_amounts.discount":                   discounts.Object,
			"shipping_cost.shipping_rate":                      "shipping_rate",
			"total_taxes.tax_rate_details.tax_rate":            "tax_rate",
		},
	}
}

type creditNoteParams struct {
	Amount          twin.Opt[twin.Money]               `param:"amount" rule:"min=1,max=999999999999"`
	CreditAmount    twin.Opt[twin.Money]               `param:"credit_amount" rule:"min=0,max=999999999999"`
	Invoice         twin.Opt[string]                   `param:"invoice" rule:"required"`
	Lines           twin.Opt[[]creditNoteLineParams]   `param:"lines"`
	Memo            twin.Opt[string]                   `param:"memo"`
	Metadata        twin.Opt[twin.Metadata]            `param:"metadata"`
	OutOfBandAmount twin.Opt[twin.Money]               `param:"out_of_band_amount" rule:"min=0,max=999999999999"`
	Reason          twin.Opt[string]                   `param:"reason" rule:"enum=duplicate|fraudulent|order_change|product_unsatisfactory"`
	RefundAmount    twin.Opt[twin.Money]               `param:"refund_amount" rule:"min=0,max=999999999999"`
	Refunds         twin.Opt[[]creditNoteRefundParams] `param:"refunds"`
}

type creditNoteRefundParams struct {
	AmountRefunded twin.Opt[twin.Money] `param:"amount_refunded" rule:"min=1,max=999999999999"`
	Refund         twin.Opt[string]     `param:"refund"`
	Type           twin.Opt[string]     `param:"type" rule:"enum=payment_record_refund|refund"`
}

// Check wants to know how much is credited, in one way.
func (p *creditNoteParams) Check() *twin.Error {
	switch {
	case p.Amount.Given() && p.Lines.Given():
		return errExclusive("amount", "lines")
	case !p.Amount.Given() && !p.Lines.Given():
		return invalidCode("parameter_missing", "amount", "One of the following params should be provided for this request: amount, lines or shipping_cost.")
	}
	for i := range p.Refunds.V {
		at := fmt.Sprintf("refunds[%d]", i)
		switch {
		case p.Refunds.V[i].Type.V == "payment_record_refund":
			return errUnserved("refunds of payment records", join(at, "type"))
		case !p.Refunds.V[i].Refund.Given():
			return errMissing(join(at, "refund"))
		}
	}
	for i := range p.Lines.V {
		if err := p.Lines.V[i].check(fmt.Sprintf("lines[%d]", i)); err != nil {
			return err
		}
	}
	return nil
}

// compose works out a credit note that the request describes, not yet stored, and
// refuses one that takes back more than there is.
func (p *creditNoteParams) compose(tx *twin.Tx, id string) (*CreditNote, *Invoice, []CreditNoteLine, *twin.Error) {
	old, ok := invoices.Get(tx, p.Invoice.V)
	switch {
	case !ok:
		return nil, nil, nil, errNoSuchRef(invoices.Object, "invoice", p.Invoice.V)
	case old.Status == invDraft || old.Status == invVoid:
		return nil, nil, nil, errNoteStatus(old.Status)
	}
	inv, now, earlier := *old, tx.Now(), notesOf(tx, old.ID)
	n := &CreditNote{
		ID: id, Object: creditNotes.Object, Created: now, EffectiveAt: &now, Currency: inv.Currency, Customer: inv.Customer, Invoice: inv.ID,
		Number: fmt.Sprintf("%s-CN-%02d", *inv.Number, len(earlier)+1), PDF: "https://pay.stripe.com/credit_notes/acct_worlds/" + id + "/pdf",
		Status: noteIssued, Metadata: map[string]string{},
		Lines: CreditNoteLines{Object: "list", URL: "/v1/credit_notes/" + id + "/lines"},
	}
	p.Memo.Apply(&n.Memo)
	p.Reason.Apply(&n.Reason)
	p.OutOfBandAmount.Apply(&n.OutOfBandAmount)
	all, err := p.lines(tx, n, &inv, earlier)
	if err != nil {
		return nil, nil, nil, err
	}
	n.sum(all)
	if n.Metadata, err = applyMetadata(n.Metadata, p.Metadata); err != nil {
		return nil, nil, nil, err
	}
	linked, err := p.link(tx, n, earlier)
	if err != nil {
		return nil, nil, nil, err
	}
	if left := creditable(tx, &inv, earlier) + linked; n.Total > left {
		return nil, nil, nil, errNoteLarge(n.Total, max(left, 0), n.Currency)
	}
	n.PrePaymentAmount = min(n.Total, inv.AmountRemaining)
	n.PostPaymentAmount = n.Total - n.PrePaymentAmount
	switch {
	case n.PostPaymentAmount == 0:
		n.Type = notePrePayment
	case n.PrePaymentAmount == 0:
		n.Type = notePostPayment
	default:
		n.Type = noteMixed
	}
	if given := p.CreditAmount.V + p.RefundAmount.V + p.OutOfBandAmount.V + linked; given != n.PostPaymentAmount {
		return nil, nil, nil, errNoteSum(given, n.PostPaymentAmount, n.Currency)
	}
	return n, &inv, all, nil
}

// notesOf are the credit notes of an invoice, oldest first.
func notesOf(tx *twin.Tx, invoice string) (out []*CreditNote) {
	for n := range creditNotes.With(tx, "invoice="+invoice) {
		out = append(out, n)
	}
	return out
}

// creditable is how much of an invoice can still be credited: what neither a
// credit note nor a refund by itself has taken back.
func creditable(tx *twin.Tx, inv *Invoice, earlier []*CreditNote) twin.Money {
	left := inv.Total
	for _, n := range earlier {
		if n.Status != noteVoid {
			left -= n.Total
			for _, r := range n.Refunds {
				left += r.AmountRefunded
			}
		}
	}
	for _, ch := range chargesOf(tx, inv.ID) {
		left -= ch.AmountRefunded
	}
	return left
}

// chargesOf are the charges that paid an invoice, oldest first.
func chargesOf(tx *twin.Tx, invoice string) (out []*Charge) {
	for link := range invoicePayments.With(tx, "invoice="+invoice) {
		if link.Status != linkPaid {
			continue
		}
		if pi, ok := paymentIntents.Get(tx, link.Payment.PaymentIntent); ok && pi.LatestCharge != nil {
			if ch, ok := charges.Get(tx, *pi.LatestCharge); ok {
				out = append(out, ch)
			}
		}
	}
	return out
}

// link explains refunds that were made by themselves; it returns their sum.
func (p *creditNoteParams) link(tx *twin.Tx, n *CreditNote, earlier []*CreditNote) (linked twin.Money, err *twin.Error) {
	paid := chargesOf(tx, n.Invoice)
	for i := range p.Refunds.V {
		q, at := &p.Refunds.V[i], fmt.Sprintf("refunds[%d]", i)
		r, ok := refunds.Get(tx, q.Refund.V)
		if !ok || !slices.ContainsFunc(paid, func(ch *Charge) bool { return ch.ID == *r.Charge }) {
			return 0, errNoSuchRef(refunds.Object, join(at, "refund"), q.Refund.V)
		}
		left := r.Amount
		for _, other := range append(earlier[:len(earlier):len(earlier)], n) {
			for _, have := range other.Refunds {
				if have.Refund == r.ID && other.Status != noteVoid {
					left -= have.AmountRefunded
				}
			}
		}
		amount := q.AmountRefunded.Or(left)
		if amount > left || amount <= 0 {
			return 0, invalid(join(at, "amount_refunded"), "The refund %s has only %s left that no credit note explains.", r.ID, sum(left, n.Currency))
		}
		n.Refunds = append(n.Refunds, CreditNoteRefund{AmountRefunded: amount, Refund: r.ID, Type: refunds.Object})
		linked += amount
	}
	return linked, nil
}

func createCreditNote(tx *twin.Tx, p *creditNoteParams) (twin.Doc, *twin.Error) {
	n, inv, all, err := p.compose(tx, creditNotes.NewID(tx))
	if err != nil {
		return twin.Doc{}, err
	}
	if amount := p.RefundAmount.V; amount > 0 {
		ch, err := refundable(tx, inv, amount)
		if err != nil {
			return twin.Doc{}, err
		}
		doc := refundCharge(tx, ch, amount, nil, map[string]string{})
		n.Refunds = append(n.Refunds, CreditNoteRefund{AmountRefunded: amount, Refund: idOf(doc), Type: refunds.Object})
	}
	c, ok := liveCustomer(tx, inv.Customer)
	if amount := p.CreditAmount.V; amount > 0 {
		switch {
		case !ok:
			return twin.Doc{}, errNoSuchRef(customers.Object, "customer", inv.Customer)
		case !pinnedTo(c, inv.Currency):
			return twin.Doc{}, errCurrencies(*c.Currency)
		case -c.Balance+amount > amountMax:
			return twin.Doc{}, errAmountLarge("credit_amount", amountMax, inv.Currency)
		}
		row := idOf(moveBalance(tx, c, -amount, movement{typ: moveCreditNote, invoice: inv.ID, creditNote: n.ID}))
		n.CustomerBalanceTransaction = &row
	}
	n.store(tx, all)
	n.lower(tx, inv, c, ok)
	doc, _ := creditNotes.Doc(tx, n.ID)
	tx.Emit("credit_note.created", doc, nil)
	return doc, nil
}

// idOf is the id of an object.
func idOf(doc twin.Doc) string {
	raw, _ := canon.Get(doc.Body, "id")
	id, _ := canon.Unquote(raw)
	return id
}

// refundable is the first charge of an invoice that an amount can be given back of.
func refundable(tx *twin.Tx, inv *Invoice, amount twin.Money) (*Charge, *twin.Error) {
	var most twin.Money
	for _, ch := range chargesOf(tx, inv.ID) {
		left := ch.Amount - ch.AmountRefunded
		switch {
		case ch.Disputed:
			return nil, errChargedBack(ch.ID)
		case left >= amount:
			return ch, nil
		}
		most = max(most, left)
	}
	return nil, invalid("refund_amount", "Refund amount (%s) is greater than the unrefunded amount of any charge of the invoice (%s)",
		sum(amount, inv.Currency), sum(most, inv.Currency))
}

// lower takes a credit note off its invoice: what is owed of it becomes less, and
// when nothing is left the invoice is paid.
func (n *CreditNote) lower(tx *twin.Tx, inv *Invoice, c *Customer, live bool) {
	owed := inv.AmountRemaining
	inv.PrePaymentCreditNotesAmount += n.PrePaymentAmount
	inv.PostPaymentCreditNotesAmount += n.PostPaymentAmount
	inv.AmountDue -= n.PrePaymentAmount
	inv.AmountRemaining -= n.PrePaymentAmount
	inv.replace(tx)
	switch {
	case n.PrePaymentAmount == 0:
	case owed > n.PrePaymentAmount:
		inv.askFor(tx)
	default:
		if !live {
			c = &Customer{}
		}
		settle(tx, inv, c)
		cancelPayment(tx, inv.ID, "automatic")
	}
}

// askFor makes the payment that an open invoice waits for one of what remains.
func (inv *Invoice) askFor(tx *twin.Tx) {
	if link, pi := pendingPayment(tx, inv.ID); link != nil {
		link.AmountRequested, pi.Amount = inv.AmountRemaining, inv.AmountRemaining
		invoicePayments.Put(tx, link)
		paymentIntents.Put(tx, pi)
	}
}

type listCreditNotesParams struct {
	page
	Created  twin.Opt[twin.Range] `param:"created"`
	Customer twin.Opt[string]     `param:"customer"`
	Invoice  twin.Opt[string]     `param:"invoice"`
}

func listCreditNotes(tx *twin.Tx, p *listCreditNotesParams) (twin.Doc, *twin.Error) {
	if err := known(tx, customers.Kind, "customer", p.Customer); err != nil {
		return twin.Doc{}, err
	}
	if err := known(tx, invoices.Kind, "invoice", p.Invoice); err != nil {
		return twin.Doc{}, err
	}
	var f filter
	f.with("invoice", p.Invoice)
	f.with("customer", p.Customer)
	f.within("created", p.Created)
	return list(tx, creditNotes.Kind, "credit note", "/v1/credit_notes", p.page, f)
}

// previewCreditNote is what a credit note would be: nothing is stored.
func previewCreditNote(tx *twin.Tx, p *creditNoteParams) (twin.Doc, *twin.Error) {
	n, all, err := p.preview(tx)
	if err != nil {
		return twin.Doc{}, err
	}
	n.show(all)
	return twin.Doc{Body: canon.Marshal(n)}, nil
}

func (p *creditNoteParams) preview(tx *twin.Tx) (*CreditNote, []CreditNoteLine, *twin.Error) {
	before := tx.Savepoint()
	n, _, all, err := p.compose(tx, creditNotes.Derive(tx, p.Invoice.V, "preview"))
	tx.Rollback(before)
	return n, all, err
}

type previewCreditNoteLinesParams struct {
	creditNoteParams
	page
}

func previewCreditNoteLines(tx *twin.Tx, p *previewCreditNoteLinesParams) (twin.Doc, *twin.Error) {
	_, all, err := p.preview(tx)
	if err != nil {
		return twin.Doc{}, err
	}
	rows := make([]canon.Raw, len(all))
	for i := range all {
		rows[i] = canon.Marshal(&all[i])
	}
	return within(rows, "credit note line item", "/v1/credit_notes/preview/lines", p.page)
}

type creditNotePath struct {
	ID string `path:"id"`
}

func retrieveCreditNote(tx *twin.Tx, p *creditNotePath) (twin.Doc, *twin.Error) {
	doc, ok := creditNotes.Doc(tx, p.ID)
	if !ok {
		return twin.Doc{}, errNoSuch("credit note", "id", p.ID)
	}
	return doc, nil
}

type updateCreditNoteParams struct {
	creditNotePath
	Memo     twin.Opt[string]        `param:"memo"`
	Metadata twin.Opt[twin.Metadata] `param:"metadata"`
}

func updateCreditNote(tx *twin.Tx, p *updateCreditNoteParams) (twin.Doc, *twin.Error) {
	old, ok := creditNotes.Get(tx, p.ID)
	if !ok {
		return twin.Doc{}, errNoSuch("credit note", "id", p.ID)
	}
	n := *old
	p.Memo.Apply(&n.Memo)
	var err *twin.Error
	if n.Metadata, err = applyMetadata(n.Metadata, p.Metadata); err != nil {
		return twin.Doc{}, err
	}
	doc, previous, changed := creditNotes.Replace(tx, &n)
	if changed {
		tx.Emit("credit_note.updated", doc, previous)
	}
	return doc, nil
}

// voidCreditNote takes back a credit note of what is still owed.
func voidCreditNote(tx *twin.Tx, p *creditNotePath) (twin.Doc, *twin.Error) {
	old, ok := creditNotes.Get(tx, p.ID)
	if !ok {
		return twin.Doc{}, errNoSuch("credit note", "id", p.ID)
	}
	held, ok := invoices.Get(tx, old.Invoice)
	if !ok || old.Status == noteVoid || old.Type != notePrePayment || held.Status != invOpen {
		return twin.Doc{}, errNoteVoid()
	}
	n, inv, now := *old, *held, tx.Now()
	inv.PrePaymentCreditNotesAmount -= n.PrePaymentAmount
	inv.AmountDue += n.PrePaymentAmount
	inv.AmountRemaining += n.PrePaymentAmount
	inv.replace(tx)
	inv.askFor(tx)
	n.Status, n.VoidedAt = noteVoid, &now
	doc := creditNotes.Put(tx, &n)
	tx.Emit("credit_note.voided", doc, nil)
	return doc, nil
}
