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
	AutomaticPaymentMethods           canon.Raw         `json:"automatic_payment_methods"`
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

// Statuses of a payment intent.
const (
	intentNeedsMethod       = "requires_payment_method"
	intentNeedsConfirmation = "requires_confirmation"
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
			twin.On("GET /v1/payment_intents", listPaymentIntents),
			twin.On("GET /v1/payment_intents/{intent}", retrievePaymentIntent),
		},
		Expand: map[string]string{
			"application":    "application",
			"customer":       customers.Object,
			"latest_charge":  charges.Object,
			"on_behalf_of":   "account",
			"payment_method": paymentMethods.Object,
			"review":         "review",
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
	Intent string `path:"intent"`
}

func retrievePaymentIntent(tx *twin.Tx, p *retrievePaymentIntentParams) (twin.Doc, *twin.Error) {
	doc, ok := paymentIntents.Doc(tx, p.Intent)
	if !ok {
		return twin.Doc{}, errNoSuch(paymentIntents.Object, "intent", p.Intent)
	}
	return doc, nil
}

// payment is a sum to collect from a customer.
type payment struct {
	customer    *Customer
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
		Amount: p.amount, Currency: p.currency, Customer: &p.customer.ID,
		Description: textOrNull(p.description), PaymentMethod: textOrNull(p.method), Metadata: p.metadata,
		AmountDetails: canon.Raw(`{"tip":{}}`), CaptureMethod: "automatic", ConfirmationMethod: "automatic",
		ClientSecret:         tx.DerivedID(id+"_secret", secretDigits, id, "client_secret"),
		PaymentMethodTypes:   []string{cardType},
		PaymentMethodOptions: canon.Raw(`{"card":{"installments":null,"mandate_options":null,"network":null,"request_three_d_secure":"automatic"}}`),
		Status:               intentNeedsMethod,
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

// confirmIntent charges a payment method, which must exist, for an intent. *pi
// becomes what was stored. c is who pays.
func confirmIntent(tx *twin.Tx, pi *PaymentIntent, method string, c *Customer) (*Charge, *twin.Error) {
	m, ok := paymentMethods.Get(tx, method)
	if !ok {
		return nil, errNoSuchRef(paymentMethodNoun, "payment_method", method)
	}
	ch := newCharge(tx, charges.NewID(tx), pi, &m.Card)
	ch.PaymentMethod, ch.BillingDetails = &m.ID, m.BillingDetails
	if in := instrumentBehind(&m.Card); in.effect != pays {
		return ch, declineIntent(tx, pi, ch, m, &in)
	}
	ch.settle(recordCharge(tx, balanceTransactions.NewID(tx), ch))
	tx.Emit("charge.succeeded", charges.Put(tx, ch), nil)
	pi.settle(ch)
	tx.Emit("payment_intent.succeeded", paymentIntents.Put(tx, pi), nil)
	return ch, nil
}

// settle makes the intent one that ch paid.
func (pi *PaymentIntent) settle(ch *Charge) {
	pi.Status, pi.AmountReceived = intentSucceeded, ch.Amount
	pi.LatestCharge, pi.PaymentMethod, pi.LastPaymentError = &ch.ID, ch.PaymentMethod, nil
}

// declineIntent stores a charge that the bank refused; the intent waits for
// another payment method.
func declineIntent(tx *twin.Tx, pi *PaymentIntent, ch *Charge, m *PaymentMethod, in *instrument) *twin.Error {
	ch.decline(in)
	tx.Emit("charge.failed", charges.Put(tx, ch), nil)
	method, _ := paymentMethods.Doc(tx, m.ID)
	told := wireError{Charge: ch.ID, PaymentMethod: method.Body}
	last := in.refusal.fill(told)
	pi.Status, pi.PaymentMethod, pi.LatestCharge, pi.LastPaymentError = intentNeedsMethod, nil, &ch.ID, canon.Marshal(&last)
	doc := paymentIntents.Put(tx, pi)
	tx.Emit("payment_intent.payment_failed", doc, nil)
	told.PaymentIntent = doc.Body
	err := errDeclined(&in.refusal, told)
	err.Keep = true
	return err
}

// cancelIntent ends an intent that has not succeeded. *pi becomes what was
// stored.
func cancelIntent(tx *twin.Tx, pi *PaymentIntent, reason string) {
	if pi.Status == intentSucceeded || pi.Status == intentCanceled {
		return
	}
	now := tx.Now()
	pi.Status, pi.CanceledAt, pi.CancellationReason = intentCanceled, &now, textOrNull(reason)
	tx.Emit("payment_intent.canceled", paymentIntents.Put(tx, pi), nil)
}

// seedPayment stores a payment of the past: the charge the seed names, and the
// intent and balance transaction it implies. What was refunded of it has no
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
	ch.settle(recordCharge(tx, balanceTransactions.Derive(tx, s.ID, "balance_transaction"), ch))
	ch.AmountRefunded = twin.Money(s.AmountRefunded)
	ch.Refunded = ch.AmountRefunded == ch.Amount
	charges.Put(tx, ch)
	pi.settle(ch)
	paymentIntents.Put(tx, pi)
	return pi, ch
}
