package stripe

import (
	"worlds/journal/canon"
	"worlds/twin"
)

// Charge is one try to take money from a card.
type Charge struct {
	Amount                        twin.Money        `json:"amount"`
	AmountCaptured                twin.Money        `json:"amount_captured"`
	AmountRefunded                twin.Money        `json:"amount_refunded"`
	Application                   canon.Raw         `json:"application"`
	ApplicationFee                canon.Raw         `json:"application_fee"`
	ApplicationFeeAmount          canon.Raw         `json:"application_fee_amount"`
	BalanceTransaction            *string           `json:"balance_transaction"`
	BillingDetails                BillingDetails    `json:"billing_details"`
	CalculatedStatementDescriptor *string           `json:"calculated_statement_descriptor"`
	Captured                      bool              `json:"captured"`
	Created                       twin.Time         `json:"created"`
	Currency                      string            `json:"currency"`
	Customer                      *string           `json:"customer"`
	Description                   *string           `json:"description"`
	Disputed                      bool              `json:"disputed"`
	FailureBalanceTransaction     *string           `json:"failure_balance_transaction"`
	FailureCode                   *string           `json:"failure_code"`
	FailureMessage                *string           `json:"failure_message"`
	FraudDetails                  FraudDetails      `json:"fraud_details"`
	ID                            string            `json:"id"`
	Livemode                      bool              `json:"livemode"`
	Metadata                      map[string]string `json:"metadata"`
	Object                        string            `json:"object"`
	OnBehalfOf                    canon.Raw         `json:"on_behalf_of"`
	Outcome                       ChargeOutcome     `json:"outcome"`
	Paid                          bool              `json:"paid"`
	PaymentIntent                 *string           `json:"payment_intent"`
	PaymentMethod                 *string           `json:"payment_method"`
	PaymentMethodDetails          MethodDetails     `json:"payment_method_details"`
	ReceiptEmail                  *string           `json:"receipt_email"`
	ReceiptNumber                 *string           `json:"receipt_number"`
	ReceiptURL                    *string           `json:"receipt_url"`
	Refunded                      bool              `json:"refunded"`
	Review                        canon.Raw         `json:"review"`
	Shipping                      *Shipping         `json:"shipping"`
	Source                        canon.Raw         `json:"source"`
	SourceTransfer                canon.Raw         `json:"source_transfer"`
	StatementDescriptor           *string           `json:"statement_descriptor"`
	StatementDescriptorSuffix     *string           `json:"statement_descriptor_suffix"`
	Status                        string            `json:"status"`
	TransferData                  canon.Raw         `json:"transfer_data"`
	TransferGroup                 *string           `json:"transfer_group"`
}

// FraudDetails are what people say about a charge.
type FraudDetails struct {
	UserReport *string `json:"user_report,omitempty"`
}

// ChargeOutcome is what the bank and the risk check said.
type ChargeOutcome struct {
	AdviceCode         *string `json:"advice_code"`
	NetworkAdviceCode  *string `json:"network_advice_code"`
	NetworkDeclineCode *string `json:"network_decline_code"`
	NetworkStatus      string  `json:"network_status"`
	Reason             *string `json:"reason"`
	RiskLevel          string  `json:"risk_level"`
	RiskScore          int64   `json:"risk_score"`
	SellerMessage      string  `json:"seller_message"`
	Type               string  `json:"type"`
}

// MethodDetails are how a charge was paid.
type MethodDetails struct {
	Card CardDetails `json:"card"`
	Type string      `json:"type"`
}

// CardDetails are the card of a charge, as it was then.
type CardDetails struct {
	AmountAuthorized         *twin.Money `json:"amount_authorized"`
	AuthorizationCode        *string     `json:"authorization_code"`
	Brand                    string      `json:"brand"`
	CaptureBefore            *twin.Time  `json:"capture_before,omitempty"`
	Checks                   CardChecks  `json:"checks"`
	Country                  string      `json:"country"`
	ExpMonth                 int64       `json:"exp_month"`
	ExpYear                  int64       `json:"exp_year"`
	ExtendedAuthorization    Feature     `json:"extended_authorization"`
	Fingerprint              string      `json:"fingerprint"`
	Funding                  string      `json:"funding"`
	IncrementalAuthorization Feature     `json:"incremental_authorization"`
	Installments             canon.Raw   `json:"installments"`
	Last4                    string      `json:"last4"`
	Mandate                  *string     `json:"mandate"`
	Multicapture             Feature     `json:"multicapture"`
	Network                  string      `json:"network"`
	NetworkToken             struct {
		Used bool `json:"used"`
	} `json:"network_token"`
	NetworkTransactionID *string     `json:"network_transaction_id"`
	Overcapture          Overcapture `json:"overcapture"`
	RegulatedStatus      string      `json:"regulated_status"`
	ThreeDSecure         canon.Raw   `json:"three_d_secure"`
	TransactionLinkID    *string     `json:"transaction_link_id"`
	Wallet               canon.Raw   `json:"wallet"`
}

// Feature says whether a card payment could do something special.
type Feature struct {
	Status string `json:"status"`
}

// Overcapture says how much more than authorized could be captured.
type Overcapture struct {
	MaximumAmountCapturable twin.Money `json:"maximum_amount_capturable"`
	Status                  string     `json:"status"`
}

// Statuses of a charge.
const (
	chargeSucceeded = "succeeded"
	chargeFailed    = "failed"
)

var charges = twin.Resource[Charge]{
	Kind: twin.Kind{Table: "stripe.charge", Object: "charge", Prefix: "ch", Digits: 24},
	Key:  func(ch *Charge) string { return ch.ID },
	Terms: func(ch *Charge) []string {
		var terms []string
		if ch.Customer != nil {
			terms = append(terms, "customer="+*ch.Customer)
		}
		if ch.PaymentIntent != nil {
			terms = append(terms, "payment_intent="+*ch.PaymentIntent)
		}
		return terms
	},
	Due: func(ch *Charge) int64 {
		if until := ch.PaymentMethodDetails.Card.CaptureBefore; until != nil && !ch.Captured && !ch.Refunded {
			return int64(*until)
		}
		return 0
	},
}

func chargeAPI() twin.API {
	return twin.API{
		Kind: charges.Kind,
		Routes: []twin.Route{
			twin.On("POST /v1/charges", createCharge),
			twin.On("GET /v1/charges", listCharges),
			twin.On("GET /v1/charges/{charge}", retrieveCharge),
			twin.On("POST /v1/charges/{charge}", updateCharge),
			twin.On("POST /v1/charges/{charge}/capture", captureCharge),
			twin.On("GET /v1/charges/{charge}/refunds", listChargeRefunds),
			twin.On("GET /v1/charges/{charge}/refunds/{refund}", retrieveChargeRefund),
		},
		Expand: map[string]string{
			"application":                 "application",
			"application_fee":             "application_fee",
			"customer":                    customers.Object,
			"failure_balance_transaction": balanceTransactions.Object,
			"on_behalf_of":                "account",
			"payment_intent":              paymentIntents.Object,
			"review":                      "review",
			"source_transfer":             "transfer",
			// Never set here, and Stripe expands them.
			"outcome.rule": "rule",
			"payment_method_details.bancontact.generated_sepa_debit":         paymentMethods.Object,
			"payment_method_details.bancontact.generated_sepa_debit_mandate": "mandate",
			"payment_method_details.ideal.generated_sepa_debit":              paymentMethods.Object,
			"payment_method_details.ideal.generated_sepa_debit_mandate":      "mandate",
			"payment_method_details.sofort.generated_sepa_debit":             paymentMethods.Object,
			"payment_method_details.sofort.generated_sepa_debit_mandate":     "mandate",
			"payment_method_details.us_bank_account.mandate":                 "mandate",
			"transfer":                  "transfer",
			"transfer_data.destination": "account",
		},
		Include: map[string]twin.Include{
			"balance_transaction": showBalanceTransaction,
			"refunds":             refundsOfCharge,
		},
		Fire: expireCharge,
	}
}

type listChargesParams struct {
	page
	Created       twin.Opt[twin.Range] `param:"created"`
	Customer      twin.Opt[string]     `param:"customer"`
	PaymentIntent twin.Opt[string]     `param:"payment_intent"`
}

func listCharges(tx *twin.Tx, p *listChargesParams) (twin.Doc, *twin.Error) {
	if err := known(tx, customers.Kind, "customer", p.Customer); err != nil {
		return twin.Doc{}, err
	}
	if err := known(tx, paymentIntents.Kind, "payment_intent", p.PaymentIntent); err != nil {
		return twin.Doc{}, err
	}
	var f filter
	f.with("payment_intent", p.PaymentIntent)
	f.with("customer", p.Customer)
	f.within("created", p.Created)
	return list(tx, charges.Kind, charges.Object, "/v1/charges", p.page, f)
}

type retrieveChargeParams struct {
	Charge string `path:"charge"`
}

func retrieveCharge(tx *twin.Tx, p *retrieveChargeParams) (twin.Doc, *twin.Error) {
	doc, ok := charges.Doc(tx, p.Charge)
	if !ok {
		return twin.Doc{}, errNoSuch(charges.Object, "id", p.Charge)
	}
	return doc, nil
}

type updateChargeParams struct {
	Charge       string                       `path:"charge"`
	Description  twin.Opt[string]             `param:"description" rule:"len=40000"`
	FraudDetails twin.Opt[fraudDetailsParams] `param:"fraud_details"`
	Metadata     twin.Opt[twin.Metadata]      `param:"metadata"`
	ReceiptEmail twin.Opt[string]             `param:"receipt_email" rule:"email"`
	Shipping     twin.Opt[parcelParams]       `param:"shipping"`
}

type fraudDetailsParams struct {
	UserReport twin.Opt[string] `param:"user_report" rule:"required,empty,enum=fraudulent|safe"`
}

type parcelParams struct {
	shippingParams
	Carrier        twin.Opt[string] `param:"carrier"`
	TrackingNumber twin.Opt[string] `param:"tracking_number"`
}

// applyParcel replaces the shipping details of a payment; sent empty, they are
// unset.
func applyParcel(old *Shipping, p twin.Opt[parcelParams]) *Shipping {
	switch {
	case p.Cleared():
		return nil
	case !p.Given():
		return old
	}
	s := applyShipping(nil, twin.Set(p.V.shippingParams))
	p.V.Carrier.Apply(&s.Carrier)
	p.V.TrackingNumber.Apply(&s.TrackingNumber)
	return s
}

func updateCharge(tx *twin.Tx, p *updateChargeParams) (twin.Doc, *twin.Error) {
	old, ok := charges.Get(tx, p.Charge)
	if !ok {
		return twin.Doc{}, errNoSuch(charges.Object, "id", p.Charge)
	}
	ch := *old
	var err *twin.Error
	if ch.Metadata, err = applyMetadata(ch.Metadata, p.Metadata); err != nil {
		return twin.Doc{}, err
	}
	p.Description.Apply(&ch.Description)
	p.ReceiptEmail.Apply(&ch.ReceiptEmail)
	p.FraudDetails.V.UserReport.Apply(&ch.FraudDetails.UserReport)
	ch.Shipping = applyParcel(ch.Shipping, p.Shipping)
	doc, previous, changed := charges.Replace(tx, &ch)
	if changed {
		tx.Emit("charge.updated", doc, previous)
	}
	return doc, nil
}

// newCharge makes a charge of an intent's whole sum on a card, not yet decided.
func newCharge(tx *twin.Tx, id string, pi *PaymentIntent, card *Card) *Charge {
	return &Charge{
		ID: id, Object: charges.Object, Created: tx.Now(), Amount: pi.Amount, Currency: pi.Currency,
		Customer: pi.Customer, Description: pi.Description, Metadata: pi.Metadata, PaymentIntent: &pi.ID,
		ReceiptEmail: pi.ReceiptEmail, Shipping: pi.Shipping,
		PaymentMethodDetails: MethodDetails{Type: cardType, Card: CardDetails{
			Brand: card.Brand, Checks: card.Checks, Country: card.Country, ExpMonth: card.ExpMonth, ExpYear: card.ExpYear,
			Fingerprint: card.Fingerprint, Funding: card.Funding, Last4: card.Last4, Network: card.Brand,
			RegulatedStatus: card.RegulatedStatus, ExtendedAuthorization: Feature{"disabled"},
			IncrementalAuthorization: Feature{"unavailable"}, Multicapture: Feature{"unavailable"},
			Overcapture: Overcapture{pi.Amount, "unavailable"},
		}},
	}
}

// The risk the twin sees in a payment, out of 100.
const (
	riskNormal  = 20
	riskHighest = 92
)

// instrument is the test card that was charged.
func (ch *Charge) instrument() instrument {
	c := &ch.PaymentMethodDetails.Card
	return instrumentLike(c.Last4, c.Fingerprint)
}

// holdSeconds is how long a bank holds money for a charge that is not captured.
const holdSeconds = 7 * 24 * 60 * 60

// approve makes the charge one that the bank approved. until is when the hold ends
// of a charge to be captured later, nil for one that is captured at once.
func (ch *Charge) approve(until *twin.Time) {
	ch.Status, ch.Paid = chargeSucceeded, true
	ch.PaymentMethodDetails.Card.AmountAuthorized = &ch.Amount
	ch.PaymentMethodDetails.Card.CaptureBefore = until
	ch.Outcome = ChargeOutcome{NetworkStatus: "approved_by_network", RiskLevel: "normal", RiskScore: riskNormal,
		SellerMessage: "Payment complete.", Type: "authorized"}
}

// collect captures amount of an approved charge, booked at a time under an entry's
// id.
func (ch *Charge) collect(tx *twin.Tx, entry string, amount twin.Money, at twin.Time) {
	ch.Captured, ch.AmountCaptured, ch.BalanceTransaction = true, amount, &entry
	recordCharge(tx, entry, ch, at)
}

// decline makes the charge one that was refused.
func (ch *Charge) decline(in *instrument) {
	why := &in.refusal
	ch.Status, ch.FailureCode, ch.FailureMessage = chargeFailed, &why.code, &why.message
	ch.Outcome = ChargeOutcome{NetworkStatus: "declined_by_network", Reason: &why.decline, RiskLevel: "normal",
		RiskScore: riskNormal, SellerMessage: why.sellerMessage(), Type: "issuer_declined"}
	if in.effect == blocked {
		reason := "highest_risk_level"
		ch.Outcome = ChargeOutcome{NetworkStatus: "not_sent_to_network", Reason: &reason, RiskLevel: "highest",
			RiskScore: riskHighest, SellerMessage: "Stripe blocked this payment as too risky.", Type: "blocked"}
	}
}
