package stripe

import "worlds/twin"

// Evidence is what a merchant answers a dispute with. Files are not served.
type Evidence struct {
	AccessActivityLog            *string  `json:"access_activity_log"`
	BillingAddress               *string  `json:"billing_address"`
	CancellationPolicy           *string  `json:"cancellation_policy"`
	CancellationPolicyDisclosure *string  `json:"cancellation_policy_disclosure"`
	CancellationRebuttal         *string  `json:"cancellation_rebuttal"`
	CustomerCommunication        *string  `json:"customer_communication"`
	CustomerEmailAddress         *string  `json:"customer_email_address"`
	CustomerName                 *string  `json:"customer_name"`
	CustomerPurchaseIP           *string  `json:"customer_purchase_ip"`
	CustomerSignature            *string  `json:"customer_signature"`
	DuplicateChargeDocumentation *string  `json:"duplicate_charge_documentation"`
	DuplicateChargeExplanation   *string  `json:"duplicate_charge_explanation"`
	DuplicateChargeID            *string  `json:"duplicate_charge_id"`
	EnhancedEvidence             struct{} `json:"enhanced_evidence"`
	ProductDescription           *string  `json:"product_description"`
	Receipt                      *string  `json:"receipt"`
	RefundPolicy                 *string  `json:"refund_policy"`
	RefundPolicyDisclosure       *string  `json:"refund_policy_disclosure"`
	RefundRefusalExplanation     *string  `json:"refund_refusal_explanation"`
	ServiceDate                  *string  `json:"service_date"`
	ServiceDocumentation         *string  `json:"service_documentation"`
	ShippingAddress              *string  `json:"shipping_address"`
	ShippingCarrier              *string  `json:"shipping_carrier"`
	ShippingDate                 *string  `json:"shipping_date"`
	ShippingDocumentation        *string  `json:"shipping_documentation"`
	ShippingTrackingNumber       *string  `json:"shipping_tracking_number"`
	UncategorizedFile            *string  `json:"uncategorized_file"`
	UncategorizedText            *string  `json:"uncategorized_text"`
}

// evidenceParams are the parts of an answer in words; sent empty, one is unset.
type evidenceParams struct {
	AccessActivityLog            twin.Opt[string] `param:"access_activity_log" rule:"empty,len=20000"`
	BillingAddress               twin.Opt[string] `param:"billing_address" rule:"empty,len=5000"`
	CancellationPolicyDisclosure twin.Opt[string] `param:"cancellation_policy_disclosure" rule:"empty,len=20000"`
	CancellationRebuttal         twin.Opt[string] `param:"cancellation_rebuttal" rule:"empty,len=20000"`
	CustomerEmailAddress         twin.Opt[string] `param:"customer_email_address" rule:"empty,len=5000"`
	CustomerName                 twin.Opt[string] `param:"customer_name" rule:"empty,len=5000"`
	CustomerPurchaseIP           twin.Opt[string] `param:"customer_purchase_ip" rule:"empty,len=5000"`
	DuplicateChargeExplanation   twin.Opt[string] `param:"duplicate_charge_explanation" rule:"empty,len=20000"`
	DuplicateChargeID            twin.Opt[string] `param:"duplicate_charge_id" rule:"empty,len=5000"`
	ProductDescription           twin.Opt[string] `param:"product_description" rule:"empty,len=20000"`
	RefundPolicyDisclosure       twin.Opt[string] `param:"refund_policy_disclosure" rule:"empty,len=20000"`
	RefundRefusalExplanation     twin.Opt[string] `param:"refund_refusal_explanation" rule:"empty,len=20000"`
	ServiceDate                  twin.Opt[string] `param:"service_date" rule:"empty,len=5000"`
	ShippingAddress              twin.Opt[string] `param:"shipping_address" rule:"empty,len=5000"`
	ShippingCarrier              twin.Opt[string] `param:"shipping_carrier" rule:"empty,len=5000"`
	ShippingDate                 twin.Opt[string] `param:"shipping_date" rule:"empty,len=5000"`
	ShippingTrackingNumber       twin.Opt[string] `param:"shipping_tracking_number" rule:"empty,len=5000"`
	UncategorizedText            twin.Opt[string] `param:"uncategorized_text" rule:"empty,len=20000"`
}

// apply changes the named parts, and only those.
func (p *evidenceParams) apply(e *Evidence) {
	p.AccessActivityLog.Apply(&e.AccessActivityLog)
	p.BillingAddress.Apply(&e.BillingAddress)
	p.CancellationPolicyDisclosure.Apply(&e.CancellationPolicyDisclosure)
	p.CancellationRebuttal.Apply(&e.CancellationRebuttal)
	p.CustomerEmailAddress.Apply(&e.CustomerEmailAddress)
	p.CustomerName.Apply(&e.CustomerName)
	p.CustomerPurchaseIP.Apply(&e.CustomerPurchaseIP)
	p.DuplicateChargeExplanation.Apply(&e.DuplicateChargeExplanation)
	p.DuplicateChargeID.Apply(&e.DuplicateChargeID)
	p.ProductDescription.Apply(&e.ProductDescription)
	p.RefundPolicyDisclosure.Apply(&e.RefundPolicyDisclosure)
	p.RefundRefusalExplanation.Apply(&e.RefundRefusalExplanation)
	p.ServiceDate.Apply(&e.ServiceDate)
	p.ShippingAddress.Apply(&e.ShippingAddress)
	p.ShippingCarrier.Apply(&e.ShippingCarrier)
	p.ShippingDate.Apply(&e.ShippingDate)
	p.ShippingTrackingNumber.Apply(&e.ShippingTrackingNumber)
	p.UncategorizedText.Apply(&e.UncategorizedText)
}

// given reports whether there is anything in the answer.
func (e *Evidence) given() bool {
	return *e != Evidence{}
}

// The words by which a test's evidence decides what the bank says.
const (
	winningEvidence  = "winning_evidence"
	losingEvidence   = "losing_evidence"
	escalateEvidence = "escalate_inquiry_evidence"
)

type updateDisputeParams struct {
	Dispute  string                   `path:"dispute"`
	Evidence twin.Opt[evidenceParams] `param:"evidence"`
	Metadata twin.Opt[twin.Metadata]  `param:"metadata"`
	Submit   twin.Opt[bool]           `param:"submit"`
}

// updateDispute gathers evidence and, unless told to wait, sends it to the bank.
func updateDispute(tx *twin.Tx, p *updateDisputeParams) (twin.Doc, *twin.Error) {
	old, ok := disputeRows.Get(tx, p.Dispute)
	if !ok {
		return twin.Doc{}, errNoSuch(disputeRows.Object, "dispute", p.Dispute)
	}
	d := *old
	if d.closed() && (p.Evidence.Given() || p.Submit.Given()) {
		return twin.Doc{}, errDisputeClosed()
	}
	var err *twin.Error
	if d.Metadata, err = applyMetadata(d.Metadata, p.Metadata); err != nil {
		return twin.Doc{}, err
	}
	p.Evidence.V.apply(&d.Evidence)
	d.EvidenceDetails.HasEvidence = d.EvidenceDetails.HasEvidence || d.Evidence.given()
	submitted := p.Submit.Or(p.Evidence.Given())
	if submitted {
		d.submit()
	}
	doc, previous, changed := disputeRows.Replace(tx, &d)
	if changed {
		tx.Emit("charge.dispute.updated", doc, previous)
	}
	if submitted && d.Evidence.UncategorizedText != nil {
		return d.judge(tx, doc), nil
	}
	return doc, nil
}

// submit sends the evidence to the bank.
func (d *Dispute) submit() {
	d.EvidenceDetails.SubmissionCount++
	d.Status = disputeUnderReview
	if d.inquiry() {
		d.Status = warningUnderReview
	}
}

// judge lets the bank decide at once where the evidence is a test's; doc is the
// dispute as it stands.
func (d *Dispute) judge(tx *twin.Tx, doc twin.Doc) twin.Doc {
	switch *d.Evidence.UncategorizedText {
	case winningEvidence:
		return d.decide(tx, true)
	case losingEvidence:
		return d.decide(tx, false)
	case escalateEvidence:
		if d.inquiry() {
			return d.escalate(tx)
		}
	}
	return doc
}

// escalate makes an inquiry a chargeback.
func (d *Dispute) escalate(tx *twin.Tx) twin.Doc {
	due := endOfDay(tx.Now() + answerDays*daySeconds)
	d.Status, d.IsChargeRefundable, d.EvidenceDetails.DueBy = disputeNeedsResponse, false, &due
	d.PaymentMethodDetails.Card.CaseType = caseChargeback
	d.withdraw(tx, balanceTransactions.NewID(tx), tx.Now())
	doc, previous, _ := disputeRows.Replace(tx, d)
	tx.Emit("charge.dispute.updated", doc, previous)
	tx.Emit("charge.dispute.funds_withdrawn", doc, nil)
	return doc
}
