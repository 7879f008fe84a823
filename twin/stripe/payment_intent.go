package stripe

import (
	"worlds/journal/canon"
	"worlds/seed"
	"worlds/twin"
)

// PaymentIntent is the wish to collect a sum, through one charge or several
// tries.
type PaymentIntent struct {
	AllowedPaymentMethodTypes         canon.Raw         `json:"allowed_payment_method_types"`
	Amount                            twin.Money        `json:"amount"`
	AmountCapturable                  twin.Money        `json:"amount_capturable"`
	AmountDetails                     canon.Raw         `json:"amount_details"`
	AmountReceived                    twin.Money        `json:"amount_received"`
	Application                       canon.Raw         `json:"application"`
	ApplicationFeeAmount              canon.Raw         `json:"application_fee_amount"`
	AutomaticPaymentMethods           *AutomaticMethods `json:"automatic_payment_methods"`
	CanceledAt                        *twin.Time        `json:"canceled_at"`
	CancellationReason                *string           `json:"cancellation_reason"`
	CaptureMethod                     string            `json:"capture_method"`
	ClientSecret                      string            `json:"client_secret"`
	ConfirmationMethod                string            `json:"confirmation_method"`
	Created                           twin.Time         `json:"created"`
	Currency                          string            `json:"currency"`
	Customer                          *string           `json:"customer"`
	CustomerAccount                   canon.Raw         `json:"customer_account"`
	Description                       *string           `json:"description"`
	ExcludedPaymentMethodTypes        canon.Raw         `json:"excluded_payment_method_types"`
	ID                                string            `json:"id"`
	LastPaymentError                  canon.Raw         `json:"last_payment_error"`
	LatestCharge                      *string           `json:"latest_charge"`
	Livemode                          bool              `json:"livemode"`
	ManagedPayments                   canon.Raw         `json:"managed_payments"`
	Metadata                          map[string]string `json:"metadata"`
	NextAction                        canon.Raw         `json:"next_action"`
	Object                            string            `json:"object"`
	OnBehalfOf                        canon.Raw         `json:"on_behalf_of"`
	PaymentMethod                     *string           `json:"payment_method"`
	PaymentMethodConfigurationDetails canon.Raw         `json:"payment_method_configuration_details"`
	PaymentMethodOptions              canon.Raw         `json:"payment_method_options"`
	PaymentMethodTypes                []string          `json:"payment_method_types"`
	Processing                        canon.Raw         `json:"processing"`
	ReceiptEmail                      *string           `json:"receipt_email"`
	Review                            canon.Raw         `json:"review"`
	SetupFutureUsage                  *string           `json:"setup_future_usage"`
	Shipping                          *Shipping         `json:"shipping"`
	Source                            canon.Raw         `json:"source"`
	StatementDescriptor               *string           `json:"statement_descriptor"`
	StatementDescriptorSuffix         *string           `json:"statement_descriptor_suffix"`
	Status                            string            `json:"status"`
	TransferData                      canon.Raw         `json:"transfer_data"`
	TransferGroup                     *string           `json:"transfer_group"`
}

// AutomaticMethods say that an intent takes what the account takes.
type AutomaticMethods struct {
	AllowRedirects string `json:"allow_redirects"`
	Enabled        bool   `json:"enabled"`
}

// Statuses of a payment intent.
const (
	intentNeedsMethod       = "requires_payment_method"
	intentNeedsConfirmation = "requires_confirmation"
	intentNeedsAction       = "requires_action"
	intentNeedsCapture      = "requires_capture"
	intentSucceeded         = "succeeded"
	intentCanceled          = "canceled"
)

var paymentIntents = twin.Resource[PaymentIntent]{
	Kind: twin.Kind{Table: "stripe.payment_intent", Object: "payment_intent", Prefix: "pi", Digits: 24},
	Key:  func(pi *PaymentIntent) string { return pi.ID },
	Terms: func(pi *PaymentIntent) []string {
		if pi.Customer == nil {
			return nil
		}
		return []string{"customer=" + *pi.Customer}
	},
}

func paymentIntentAPI() twin.API {
	return twin.API{
		Kind: paymentIntents.Kind,
		Routes: []twin.Route{
			twin.On("POST /v1/payment_intents", createPaymentIntent),
			twin.On("GET /v1/payment_intents", listPaymentIntents),
			twin.On("GET /v1/payment_intents/{intent}", retrievePaymentIntent),
			twin.On("POST /v1/payment_intents/{intent}", updatePaymentIntent),
			twin.On("POST /v1/payment_intents/{intent}/confirm", confirmPaymentIntent),
			twin.On("POST /v1/payment_intents/{intent}/capture", capturePaymentIntent),
			twin.On("POST /v1/payment_intents/{intent}/cancel", cancelPaymentIntent),
		},
		Expand: map[string]string{
			"application":    "application",
			"customer":       customers.Object,
			"latest_charge":  charges.Object,
			"on_behalf_of":   "account",
			"payment_method": paymentMethods.Object,
			"review":         "review",
			// Never set here, and Stripe expands them.
			"amount_details.line_items":          "",
			"last_payment_error.payment_intent":  "",
			"last_payment_error.payment_method":  "",
			"last_payment_error.setup_intent":    "",
			"last_payment_error.source":          "",
			"last_payment_error.source.account":  "account",
			"last_payment_error.source.customer": customers.Object,
			"transfer_data.destination":          "account",
		},
	}
}

type listPaymentIntentsParams struct {
	page
	Created  twin.Opt[twin.Range] `param:"created"`
	Customer twin.Opt[string]     `param:"customer"`
}

func listPaymentIntents(tx *twin.Tx, p *listPaymentIntentsParams) (twin.Doc, *twin.Error) {
	if err := known(tx, customers.Kind, "customer", p.Customer); err != nil {
		return twin.Doc{}, err
	}
	var f filter
	f.with("customer", p.Customer)
	f.within("created", p.Created)
	return list(tx, paymentIntents.Kind, paymentIntents.Object, "/v1/payment_intents", p.page, f)
}

type retrievePaymentIntentParams struct {
	Intent       string           `path:"intent"`
	ClientSecret twin.Opt[string] `param:"client_secret"`
}

func retrievePaymentIntent(tx *twin.Tx, p *retrievePaymentIntentParams) (twin.Doc, *twin.Error) {
	pi, ok := paymentIntents.Get(tx, p.Intent)
	switch {
	case !ok:
		return twin.Doc{}, errNoSuch(paymentIntents.Object, "intent", p.Intent)
	case p.ClientSecret.Given() && p.ClientSecret.V != pi.ClientSecret:
		return twin.Doc{}, errSecretMismatch("PaymentIntent")
	}
	doc, _ := paymentIntents.Doc(tx, pi.ID)
	return doc, nil
}

// payment is a sum to collect.
type payment struct {
	customer    *Customer // who pays, nil for a guest
	amount      twin.Money
	currency    string
	method      string // a payment method's id, "" for none yet
	description string
	metadata    map[string]string
}

// secretDigits is the length of what follows _secret_ in a client secret.
const secretDigits = 25

// newIntent makes a payment intent, not yet stored.
func newIntent(tx *twin.Tx, id string, p *payment) *PaymentIntent {
	pi := &PaymentIntent{
		ID: id, Object: paymentIntents.Object, Created: tx.Now(),
		Amount: p.amount, Currency: p.currency,
		Description: textOrNull(p.description), PaymentMethod: textOrNull(p.method), Metadata: p.metadata,
		AmountDetails: canon.Raw(`{"tip":{}}`), CaptureMethod: captureAutomatic, ConfirmationMethod: "automatic",
		ClientSecret:         tx.DerivedID(id+secretMiddle, secretDigits, id, "client_secret"),
		PaymentMethodTypes:   []string{cardType},
		PaymentMethodOptions: canon.Raw(`{"card":{"installments":null,"mandate_options":null,"network":null,"request_three_d_secure":"automatic"}}`),
		Status:               intentNeedsMethod,
	}
	if p.customer != nil {
		pi.Customer = &p.customer.ID
	}
	if pi.PaymentMethod != nil {
		pi.Status = intentNeedsConfirmation
	}
	return pi
}

// openIntent makes a payment intent that waits to be confirmed.
func openIntent(tx *twin.Tx, p payment) *PaymentIntent {
	pi := newIntent(tx, paymentIntents.NewID(tx), &p)
	tx.Emit("payment_intent.created", paymentIntents.Put(tx, pi), nil)
	return pi
}

// seedPayment stores a payment of the past: the charge the seed names, and the
// intent and balance transactions it implies. What was refunded of it has no
// refund objects.
func seedPayment(tx *twin.Tx, c *Customer, description, currency string, created twin.Time, s seed.Charge) (*PaymentIntent, *Charge) {
	pi := newIntent(tx, paymentIntents.Derive(tx, s.ID, "payment_intent"), &payment{
		customer: c, amount: twin.Money(s.Amount), currency: currency, method: methodFor(c), description: description,
	})
	pi.Created = created
	plain, _ := instrumentNamed(seed.DefaultPaymentMethod)
	ch := newCharge(tx, s.ID, pi, &newMethod(tx, "", &plain).Card)
	if m, ok := paymentMethods.Get(tx, methodFor(c)); ok {
		ch = newCharge(tx, s.ID, pi, &m.Card)
		ch.PaymentMethod, ch.BillingDetails = &m.ID, m.BillingDetails
	}
	ch.Created = created
	ch.approve(nil)
	ch.collect(tx, balanceTransactions.Derive(tx, s.ID, "balance_transaction"), ch.Amount, created)
	ch.AmountRefunded = twin.Money(s.AmountRefunded)
	ch.Refunded = ch.AmountRefunded == ch.Amount
	if ch.AmountRefunded > 0 {
		id := balanceTransactions.Derive(tx, s.ID, "refund")
		recordRefund(tx, id, &Refund{Amount: ch.AmountRefunded, Currency: currency, Created: created}, ch)
	}
	charges.Put(tx, ch)
	pi.settle(ch)
	paymentIntents.Put(tx, pi)
	return pi, ch
}
