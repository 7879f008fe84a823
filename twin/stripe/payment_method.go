package stripe

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"worlds/journal/canon"
	"worlds/seed"
	"worlds/twin"
	"worlds/twin/stripe/spec"
)

// PaymentMethod is how a customer pays: in this twin, a card.
type PaymentMethod struct {
	AllowRedisplay  string            `json:"allow_redisplay"`
	BillingDetails  BillingDetails    `json:"billing_details"`
	Card            Card              `json:"card"`
	Created         twin.Time         `json:"created"`
	Customer        *string           `json:"customer"`
	CustomerAccount canon.Raw         `json:"customer_account"`
	ID              string            `json:"id"`
	Livemode        bool              `json:"livemode"`
	Metadata        map[string]string `json:"metadata"`
	Object          string            `json:"object"`
	Type            string            `json:"type"`
}

// BillingDetails is whom a payment is billed to.
type BillingDetails struct {
	Address Address `json:"address"`
	Email   *string `json:"email"`
	Name    *string `json:"name"`
	Phone   *string `json:"phone"`
	TaxID   *string `json:"tax_id"`
}

// Card is the card of a payment method.
type Card struct {
	Brand             string     `json:"brand"`
	Checks            CardChecks `json:"checks"`
	Country           string     `json:"country"`
	DisplayBrand      string     `json:"display_brand"`
	ExpMonth          int64      `json:"exp_month"`
	ExpYear           int64      `json:"exp_year"`
	Fingerprint       string     `json:"fingerprint"`
	Funding           string     `json:"funding"`
	GeneratedFrom     canon.Raw  `json:"generated_from"`
	Last4             string     `json:"last4"`
	Networks          Networks   `json:"networks"`
	RegulatedStatus   string     `json:"regulated_status"`
	ThreeDSecureUsage struct {
		Supported bool `json:"supported"`
	} `json:"three_d_secure_usage"`
	Wallet canon.Raw `json:"wallet"`
}

// CardChecks are what the bank verified.
type CardChecks struct {
	AddressLine1Check      *string `json:"address_line1_check"`
	AddressPostalCodeCheck *string `json:"address_postal_code_check"`
	CVCCheck               *string `json:"cvc_check"`
}

// Networks are what a card can be charged through.
type Networks struct {
	Available []string `json:"available"`
	Preferred *string  `json:"preferred"`
}

var paymentMethods = twin.Resource[PaymentMethod]{
	Kind: twin.Kind{Table: "stripe.payment_method", Object: "payment_method", Prefix: "pm", Digits: 24},
	Key:  func(m *PaymentMethod) string { return m.ID },
	Terms: func(m *PaymentMethod) []string {
		if m.Customer == nil {
			return nil
		}
		return []string{"customer=" + *m.Customer}
	},
}

// paymentMethodNoun is what a payment method is called in a refusal.
const paymentMethodNoun = "PaymentMethod"

func paymentMethodAPI() twin.API {
	return twin.API{
		Kind: paymentMethods.Kind,
		Routes: []twin.Route{
			twin.On("GET /v1/payment_methods", listPaymentMethods),
			twin.On("GET /v1/payment_methods/{payment_method}", retrievePaymentMethod),
			twin.On("POST /v1/payment_methods", createPaymentMethod),
			twin.On("POST /v1/payment_methods/{payment_method}", updatePaymentMethod),
			twin.On("POST /v1/payment_methods/{payment_method}/attach", attachPaymentMethod),
			twin.On("POST /v1/payment_methods/{payment_method}/detach", detachPaymentMethod),
			twin.On("GET /v1/customers/{customer}/payment_methods", listCustomerPaymentMethods),
			twin.On("GET /v1/customers/{customer}/payment_methods/{payment_method}", retrieveCustomerPaymentMethod),
		},
		Expand: map[string]string{
			"customer": customers.Object,
			// Never set here, and Stripe expands them.
			"card.generated_from.setup_attempt":       "setup_attempt",
			"sepa_debit.generated_from.charge":        charges.Object,
			"sepa_debit.generated_from.setup_attempt": "setup_attempt",
		},
	}
}

type paymentMethodFilter struct {
	page
	Type twin.Opt[string] `param:"type"`
}

// Check refuses a type that Stripe does not have; all but card match nothing.
func (p *paymentMethodFilter) Check() *twin.Error {
	if !p.Type.Given() {
		return nil
	}
	if !methodType(p.Type.V) {
		return invalid("type", "Invalid type: %s", p.Type.V)
	}
	return nil
}

// methodType reports whether Stripe has payment methods of a type.
func methodType(name string) bool {
	op, _, _ := spec.Lookup("GET", "/v1/payment_methods")
	known, _ := op.Param([]string{"type"})
	for _, form := range known.Forms {
		if slices.Contains(form.Values, name) {
			return true
		}
	}
	return false
}

func (p *paymentMethodFilter) list(tx *twin.Tx, customer, url string) (twin.Doc, *twin.Error) {
	if p.Type.Given() && p.Type.V != cardType {
		customer = ""
	}
	return list(tx, paymentMethods.Kind, paymentMethodNoun, url, p.page, filter{terms: []string{"customer=" + customer}})
}

type listPaymentMethodsParams struct {
	paymentMethodFilter
	Customer twin.Opt[string] `param:"customer"`
}

// listPaymentMethods shows nothing unless the request names a customer.
func listPaymentMethods(tx *twin.Tx, p *listPaymentMethodsParams) (twin.Doc, *twin.Error) {
	if err := known(tx, customers.Kind, "customer", p.Customer); err != nil {
		return twin.Doc{}, err
	}
	return p.list(tx, p.Customer.V, "/v1/payment_methods")
}

type listCustomerPaymentMethodsParams struct {
	Customer string `path:"customer"`
	paymentMethodFilter
}

func listCustomerPaymentMethods(tx *twin.Tx, p *listCustomerPaymentMethodsParams) (twin.Doc, *twin.Error) {
	if _, ok := liveCustomer(tx, p.Customer); !ok {
		return twin.Doc{}, errNoSuch(customers.Object, "id", p.Customer)
	}
	return p.list(tx, p.Customer, "/v1/customers/"+p.Customer+"/payment_methods")
}

type retrievePaymentMethodParams struct {
	PaymentMethod string `path:"payment_method"`
}

func retrievePaymentMethod(tx *twin.Tx, p *retrievePaymentMethodParams) (twin.Doc, *twin.Error) {
	doc, ok := paymentMethods.Doc(tx, p.PaymentMethod)
	if !ok {
		return twin.Doc{}, errNoSuch(paymentMethodNoun, "payment_method", p.PaymentMethod)
	}
	return doc, nil
}

type retrieveCustomerPaymentMethodParams struct {
	Customer      string `path:"customer"`
	PaymentMethod string `path:"payment_method"`
}

func retrieveCustomerPaymentMethod(tx *twin.Tx, p *retrieveCustomerPaymentMethodParams) (twin.Doc, *twin.Error) {
	if _, ok := liveCustomer(tx, p.Customer); !ok {
		return twin.Doc{}, errNoSuch(customers.Object, "id", p.Customer)
	}
	m, ok := paymentMethods.Get(tx, p.PaymentMethod)
	if !ok || m.Customer == nil || *m.Customer != p.Customer {
		return twin.Doc{}, errNoSuch(paymentMethodNoun, "payment_method", p.PaymentMethod)
	}
	doc, _ := paymentMethods.Doc(tx, m.ID)
	return doc, nil
}

type attachPaymentMethodParams struct {
	PaymentMethod string           `path:"payment_method"`
	Customer      twin.Opt[string] `param:"customer" rule:"required"`
}

// attachPaymentMethod gives a payment method to a customer. The name of a test
// instrument stands for a new payment method each time.
func attachPaymentMethod(tx *twin.Tx, p *attachPaymentMethodParams) (twin.Doc, *twin.Error) {
	in, named := instrumentNamed(p.PaymentMethod)
	m, ok := paymentMethods.Get(tx, p.PaymentMethod)
	if !ok && !named {
		return twin.Doc{}, errNoSuch(paymentMethodNoun, "payment_method", p.PaymentMethod)
	}
	c, live := liveCustomer(tx, p.Customer.V)
	if !live {
		return twin.Doc{}, errNoSuchRef(customers.Object, "customer", p.Customer.V)
	}
	if named {
		m = mintMethod(tx, &in)
	}
	return attachTo(tx, m, c)
}

// attachTo gives a payment method to c, unless it has been used up, is another's,
// or its card declines that.
func attachTo(tx *twin.Tx, m *PaymentMethod, c *Customer) (twin.Doc, *twin.Error) {
	switch {
	case m.Customer == nil && spent(tx, m.ID):
		return twin.Doc{}, errMethodSpent()
	case m.Customer != nil && *m.Customer != c.ID:
		return twin.Doc{}, errMethodTaken()
	case m.Customer != nil:
		doc, _ := paymentMethods.Doc(tx, m.ID)
		return doc, nil
	}
	if in := instrumentBehind(&m.Card); !in.attaches() {
		return twin.Doc{}, errDeclined(&in.refusal, wireError{})
	}
	own := *m
	return attach(tx, &own, c), nil
}

func attach(tx *twin.Tx, m *PaymentMethod, c *Customer) twin.Doc {
	m.Customer = &c.ID
	doc := paymentMethods.Put(tx, m)
	tx.Emit("payment_method.attached", doc, nil)
	return doc
}

// givenMethod is the payment method that a request names, by its id or as a test
// instrument, which becomes a new one, not yet stored.
func givenMethod(tx *twin.Tx, given, param string) (*PaymentMethod, *twin.Error) {
	if in, named := instrumentNamed(given); named {
		return mintMethod(tx, &in), nil
	}
	m, ok := paymentMethods.Get(tx, given)
	if !ok {
		return nil, errNoSuchRef(paymentMethodNoun, param, given)
	}
	return m, nil
}

// cardType is the one type of payment method there is here.
const cardType = "card"

// A test card is good until the end of cardMonth, cardYears after it was made.
const (
	cardMonth = 12
	cardYears = 3
)

// newMethod makes a payment method out of a test instrument, not yet stored.
func newMethod(tx *twin.Tx, id string, in *instrument) *PaymentMethod {
	pass := "pass"
	m := &PaymentMethod{
		ID: id, Object: paymentMethods.Object, Created: tx.Now(), Type: cardType,
		AllowRedisplay: "unspecified", Metadata: map[string]string{},
		Card: Card{
			Brand: in.brand, DisplayBrand: in.brand, Country: "US", Funding: in.funding,
			ExpMonth: cardMonth, ExpYear: int64(time.Unix(int64(tx.Now()), 0).UTC().Year() + cardYears),
			Fingerprint: fingerprint(in.number), Last4: in.last4(), RegulatedStatus: "unregulated",
			Checks: CardChecks{CVCCheck: &pass}, Networks: Networks{Available: []string{in.brand}},
		},
	}
	m.Card.ThreeDSecureUsage.Supported = true
	return m
}

func mintMethod(tx *twin.Tx, in *instrument) *PaymentMethod {
	return newMethod(tx, paymentMethods.NewID(tx), in)
}

// methodFor is the id of the payment method a customer pays with unless told
// otherwise, "" for none.
func methodFor(c *Customer) string {
	if id := c.InvoiceSettings.DefaultPaymentMethod; id != nil {
		return *id
	}
	if c.DefaultSource != nil {
		return *c.DefaultSource
	}
	return ""
}

// attachedTo refuses a payment method that does not exist or is not attached to
// the customer.
func attachedTo(tx *twin.Tx, id, customer, param string) *twin.Error {
	m, ok := paymentMethods.Get(tx, id)
	if !ok {
		return errNoSuchRef(paymentMethodNoun, param, id)
	}
	if m.Customer == nil || *m.Customer != customer {
		return errMethodNotAttached(id, param)
	}
	return nil
}

// resolveMethod turns what a request gave as a payment method, an id or the name
// of a test instrument, into one that c can pay with. An instrument becomes a new
// payment method, attached unless the card declines that too.
func resolveMethod(tx *twin.Tx, c *Customer, given, param string) (*PaymentMethod, *twin.Error) {
	in, named := instrumentNamed(given)
	switch {
	case named && in.attaches():
		m := mintMethod(tx, &in)
		attach(tx, m, c)
		return m, nil
	case named:
		m := mintMethod(tx, &in)
		paymentMethods.Put(tx, m)
		return m, nil
	}
	if err := attachedTo(tx, given, c.ID, param); err != nil {
		return nil, err
	}
	m, _ := paymentMethods.Get(tx, given)
	return m, nil
}

// seedInstrument gives a seeded customer a test instrument as the default payment
// method. Its id derives from the customer's.
func seedInstrument(tx *twin.Tx, c *Customer, name string) error {
	in, ok := instrumentNamed(name)
	if !ok {
		return fmt.Errorf("there is no test instrument %s%s", name, cmp.Or(seed.DidYouMean(name, instrumentNames()), "; one is "+seed.DefaultPaymentMethod))
	}
	m := newMethod(tx, paymentMethods.Derive(tx, c.ID, "payment_method"), &in)
	m.Created, m.Customer = c.Created, &c.ID
	paymentMethods.Put(tx, m)
	c.InvoiceSettings.DefaultPaymentMethod = &m.ID
	return nil
}

func instrumentNames() (names []string) {
	for _, in := range instruments {
		names = append(names, instrumentPrefix+in.name)
	}
	return names
}
