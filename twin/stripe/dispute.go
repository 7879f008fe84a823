package stripe

import (
	"fmt"

	"worlds/seed"
	"worlds/twin"
)

// Dispute is a customer's bank taking a payment back, or asking about it first.
type Dispute struct {
	Amount                   twin.Money           `json:"amount"`
	BalanceTransactions      []BalanceTransaction `json:"balance_transactions"`
	Charge                   string               `json:"charge"`
	Created                  twin.Time            `json:"created"`
	Currency                 string               `json:"currency"`
	EnhancedEligibilityTypes []string             `json:"enhanced_eligibility_types"`
	Evidence                 Evidence             `json:"evidence"`
	EvidenceDetails          EvidenceDetails      `json:"evidence_details"`
	ID                       string               `json:"id"`
	IsChargeRefundable       bool                 `json:"is_charge_refundable"`
	Livemode                 bool                 `json:"livemode"`
	Metadata                 map[string]string    `json:"metadata"`
	Object                   string               `json:"object"`
	PaymentIntent            *string              `json:"payment_intent"`
	PaymentMethodDetails     DisputedMethod       `json:"payment_method_details"`
	Reason                   string               `json:"reason"`
	Status                   string               `json:"status"`
}

// EvidenceDetails are how far the answer to a dispute has come.
type EvidenceDetails struct {
	DueBy               *twin.Time `json:"due_by"`
	EnhancedEligibility struct{}   `json:"enhanced_eligibility"`
	HasEvidence         bool       `json:"has_evidence"`
	PastDue             bool       `json:"past_due"`
	SubmissionCount     int64      `json:"submission_count"`
}

// DisputedMethod is how a disputed payment was made.
type DisputedMethod struct {
	Card DisputedCard `json:"card"`
	Type string       `json:"type"`
}

// DisputedCard is the card of a disputed payment.
type DisputedCard struct {
	Brand             string  `json:"brand"`
	CaseType          string  `json:"case_type"`
	Network           string  `json:"network"`
	NetworkReasonCode *string `json:"network_reason_code"`
}

// The statuses of a dispute; a warning is an inquiry, which takes no money.
const (
	warningNeedsResponse = "warning_needs_response"
	warningUnderReview   = "warning_under_review"
	warningClosed        = "warning_closed"
	disputeNeedsResponse = "needs_response"
	disputeUnderReview   = "under_review"
	disputeWon           = "won"
	disputeLost          = "lost"
)

// What a bank calls the two.
const (
	caseInquiry    = "inquiry"
	caseChargeback = "chargeback"
)

// disputeFee is what a chargeback costs, won or lost.
const disputeFee twin.Money = 1500

// answerDays is how many days a dispute can be answered, until the end of the last.
const answerDays = 9

var disputeRows = twin.Resource[Dispute]{
	Kind: twin.Kind{Table: "stripe.dispute", Object: "dispute", Prefix: "dp", Digits: 24},
	Key:  func(d *Dispute) string { return d.ID },
	Terms: func(d *Dispute) []string {
		terms := []string{"charge=" + d.Charge}
		if d.PaymentIntent != nil {
			terms = append(terms, "payment_intent="+*d.PaymentIntent)
		}
		return terms
	},
	Due: func(d *Dispute) int64 {
		if d.Status == disputeNeedsResponse || d.Status == warningNeedsResponse {
			return int64(*d.EvidenceDetails.DueBy)
		}
		return 0
	},
}

func disputeAPI() twin.API {
	return twin.API{
		Kind: disputeRows.Kind,
		Routes: []twin.Route{
			twin.On("GET /v1/disputes", listDisputes),
			twin.On("GET /v1/disputes/{dispute}", retrieveDispute),
			twin.On("POST /v1/disputes/{dispute}", updateDispute),
			twin.On("POST /v1/disputes/{dispute}/close", closeDispute),
		},
		Expand: map[string]string{
			"charge":         charges.Object,
			"payment_intent": paymentIntents.Object,
			// Never set here, and Stripe expands them.
			"balance_transactions":                    "",
			"evidence.cancellation_policy":            "file",
			"evidence.customer_communication":         "file",
			"evidence.customer_signature":             "file",
			"evidence.duplicate_charge_documentation": "file",
			"evidence.receipt":                        "file",
			"evidence.refund_policy":                  "file",
			"evidence.service_documentation":          "file",
			"evidence.shipping_documentation":         "file",
			"evidence.uncategorized_file":             "file",
		},
		Fire: missAnswer,
		Seed: seedDisputes,
	}
}

type listDisputesParams struct {
	page
	Charge        twin.Opt[string]     `param:"charge"`
	Created       twin.Opt[twin.Range] `param:"created"`
	PaymentIntent twin.Opt[string]     `param:"payment_intent"`
}

func listDisputes(tx *twin.Tx, p *listDisputesParams) (twin.Doc, *twin.Error) {
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
	return list(tx, disputeRows.Kind, disputeRows.Object, "/v1/disputes", p.page, f)
}

type disputePath struct {
	Dispute string `path:"dispute"`
}

func retrieveDispute(tx *twin.Tx, p *disputePath) (twin.Doc, *twin.Error) {
	doc, ok := disputeRows.Doc(tx, p.Dispute)
	if !ok {
		return twin.Doc{}, errNoSuch(disputeRows.Object, "dispute", p.Dispute)
	}
	return doc, nil
}

// closed reports whether the bank has decided, or dropped the matter.
func (d *Dispute) closed() bool {
	return d.Status == disputeWon || d.Status == disputeLost || d.Status == warningClosed
}

// inquiry reports whether the bank only asks.
func (d *Dispute) inquiry() bool { return d.PaymentMethodDetails.Card.CaseType == caseInquiry }

// contest opens the dispute that a charge with a test card brings about, if it is
// one that does.
func contest(tx *twin.Tx, ch *Charge) {
	in := ch.instrument()
	if in.effect != disputes && in.effect != inquires {
		return
	}
	d := newDispute(tx, disputeRows.NewID(tx), ch, ch.AmountCaptured, in.reason, tx.Now())
	d.Status = disputeNeedsResponse
	if in.effect == inquires {
		d.ask()
	} else {
		d.withdraw(tx, balanceTransactions.NewID(tx), tx.Now())
	}
	after := *ch
	after.Disputed = true
	charges.Put(tx, &after)
	doc := disputeRows.Put(tx, d)
	tx.Emit("charge.dispute.created", doc, nil)
	if !d.inquiry() {
		tx.Emit("charge.dispute.funds_withdrawn", doc, nil)
	}
}

// newDispute is a chargeback of a charge, not yet stored.
func newDispute(tx *twin.Tx, id string, ch *Charge, amount twin.Money, reason string, created twin.Time) *Dispute {
	card := &ch.PaymentMethodDetails.Card
	code := "13.1" // what a network calls a complaint
	if reason == "fraudulent" {
		code = "10.4"
	}
	due := endOfDay(max(created, tx.Now()) + answerDays*daySeconds)
	if first := endOfDay(created + answerDays*daySeconds); first > tx.Now() {
		due = first
	}
	d := &Dispute{
		ID: id, Object: disputeRows.Object, Created: created, Amount: amount, Currency: ch.Currency, Charge: ch.ID,
		PaymentIntent: ch.PaymentIntent, Reason: reason, Metadata: map[string]string{},
		BalanceTransactions: []BalanceTransaction{}, EnhancedEligibilityTypes: []string{},
		PaymentMethodDetails: DisputedMethod{Type: cardType,
			Card: DisputedCard{Brand: card.Brand, CaseType: caseChargeback, Network: card.Brand, NetworkReasonCode: &code}},
	}
	d.EvidenceDetails.DueBy = &due
	return d
}

// ask makes a new dispute an inquiry.
func (d *Dispute) ask() {
	d.Status, d.IsChargeRefundable, d.PaymentMethodDetails.Card.CaseType = warningNeedsResponse, true, caseInquiry
}

func endOfDay(t twin.Time) twin.Time { return t - t%daySeconds + daySeconds - 1 }

// withdraw takes the disputed sum and the bank's fee from the account.
func (d *Dispute) withdraw(tx *twin.Tx, entry string, at twin.Time) {
	d.book(tx, entry, at, -d.Amount, disputeFee, "Chargeback withdrawal for "+d.Charge, "dispute")
}

// reinstate puts the disputed sum back; the fee is lost.
func (d *Dispute) reinstate(tx *twin.Tx, entry string, at twin.Time) {
	d.book(tx, entry, at, d.Amount, 0, "Chargeback reversal for "+d.Charge, "dispute_reversal")
}

// book stores a movement of the balance that the dispute causes, and shows it.
func (d *Dispute) book(tx *twin.Tx, id string, at twin.Time, amount, fee twin.Money, text, category string) {
	entry := BalanceTransaction{
		ID: id, Object: balanceTransactions.Object, Created: at, AvailableOn: at, Amount: amount, Fee: fee, Net: amount - fee,
		Currency: d.Currency, Description: &text, BalanceType: "payments", ReportingCategory: category, Source: &d.ID,
		Status: entryAvailable, Type: "adjustment",
	}
	if fee != 0 {
		entry.FeeDetails = []FeeDetail{{Amount: fee, Currency: d.Currency, Description: "Dispute fee", Type: "stripe_fee"}}
	}
	balanceTransactions.Put(tx, &entry)
	d.BalanceTransactions = append(d.BalanceTransactions[:len(d.BalanceTransactions):len(d.BalanceTransactions)], entry)
}

// decide ends a dispute. *d becomes what was stored.
func (d *Dispute) decide(tx *twin.Tx, won bool) twin.Doc {
	switch {
	case d.inquiry():
		d.Status = warningClosed
	case won:
		d.Status = disputeWon
		d.reinstate(tx, balanceTransactions.NewID(tx), tx.Now())
	default:
		d.Status = disputeLost
	}
	doc := disputeRows.Put(tx, d)
	tx.Emit("charge.dispute.closed", doc, nil)
	if d.Status == disputeWon {
		tx.Emit("charge.dispute.funds_reinstated", doc, nil)
	}
	return doc
}

// closeDispute gives a dispute up.
func closeDispute(tx *twin.Tx, p *disputePath) (twin.Doc, *twin.Error) {
	old, ok := disputeRows.Get(tx, p.Dispute)
	switch {
	case !ok:
		return twin.Doc{}, errNoSuch(disputeRows.Object, "dispute", p.Dispute)
	case old.closed():
		return twin.Doc{}, errDisputeClosed()
	}
	d := *old
	return d.decide(tx, false), nil
}

// missAnswer decides a dispute that was not answered in time.
func missAnswer(tx *twin.Tx, id string) error {
	old, _ := disputeRows.Get(tx, id)
	d := *old
	d.EvidenceDetails.PastDue = true
	d.decide(tx, false)
	return nil
}

// disputeOf finds the dispute of a charge, nil for none.
func disputeOf(tx *twin.Tx, charge string) *Dispute {
	for d := range disputeRows.With(tx, "charge="+charge) {
		return d
	}
	return nil
}

// heldBack reports whether a dispute keeps a charge from being refunded.
func heldBack(tx *twin.Tx, ch *Charge) bool {
	if !ch.Disputed {
		return false
	}
	d := disputeOf(tx, ch.ID)
	return d == nil || !d.IsChargeRefundable
}

// appease closes the inquiry about a charge that was refunded in full.
func appease(tx *twin.Tx, ch *Charge) {
	if !ch.Disputed || !ch.Refunded {
		return
	}
	if old := disputeOf(tx, ch.ID); old != nil && old.inquiry() && !old.closed() {
		d := *old
		d.decide(tx, false)
	}
}

func seedDisputes(tx *twin.Tx, doc *seed.Document) error {
	for _, s := range byAge(doc.Data.Disputes, func(s seed.Dispute) int64 { return s.CreatedOffset }) {
		old, ok := charges.Get(tx, s.Charge)
		if !ok {
			return fmt.Errorf("dispute %s: there is no charge %s", s.ID, s.Charge)
		}
		ch, amount, created := *old, twin.Money(s.Amount), twin.Time(doc.Epoch-s.CreatedOffset)
		if amount == 0 {
			amount = ch.Amount
		}
		d := newDispute(tx, s.ID, &ch, amount, s.Reason, created)
		switch s.Status {
		case warningNeedsResponse, warningUnderReview, warningClosed:
			d.ask()
		default:
			d.withdraw(tx, balanceTransactions.Derive(tx, s.ID, "withdrawal"), created)
		}
		if d.Status = s.Status; d.Status == disputeWon {
			d.reinstate(tx, balanceTransactions.Derive(tx, s.ID, "reversal"), created)
		}
		switch d.Status {
		case disputeUnderReview, warningUnderReview, disputeWon:
			d.EvidenceDetails.HasEvidence, d.EvidenceDetails.SubmissionCount = true, 1
		}
		ch.Disputed = true
		charges.Put(tx, &ch)
		disputeRows.Put(tx, d)
	}
	return nil
}
