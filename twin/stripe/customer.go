package stripe

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"worlds/journal/canon"
	"worlds/seed"
	"worlds/twin"
)

// Customer is who pays.
type Customer struct {
	Address             *Address          `json:"address"`
	Balance             twin.Money        `json:"balance"` // negative: credit
	Created             twin.Time         `json:"created"`
	Currency            *string           `json:"currency"` // fixed by the first invoice or subscription
	DefaultSource       *string           `json:"default_source"`
	Delinquent          bool              `json:"delinquent"`
	Description         *string           `json:"description"`
	Discount            *Discount         `json:"discount"`
	Email               *string           `json:"email"`
	ID                  string            `json:"id"`
	InvoicePrefix       string            `json:"invoice_prefix"`
	InvoiceSettings     InvoiceSettings   `json:"invoice_settings"`
	Livemode            bool              `json:"livemode"`
	Metadata            map[string]string `json:"metadata"`
	Name                *string           `json:"name"`
	NextInvoiceSequence int64             `json:"next_invoice_sequence"`
	Object              string            `json:"object"`
	Phone               *string           `json:"phone"`
	PreferredLocales    []string          `json:"preferred_locales"`
	Shipping            *Shipping         `json:"shipping"`
	TaxExempt           string            `json:"tax_exempt"`
	TestClock           *string           `json:"test_clock"`
}

// InvoiceSettings are a customer's defaults for invoices.
type InvoiceSettings struct {
	CustomFields         canon.Raw `json:"custom_fields"`
	DefaultPaymentMethod *string   `json:"default_payment_method"`
	Footer               *string   `json:"footer"`
	RenderingOptions     canon.Raw `json:"rendering_options"`
}

var customers = twin.Resource[Customer]{
	Kind: twin.Kind{Table: "stripe.customer", Object: "customer", Prefix: "cus", Digits: 14},
	Key:  func(c *Customer) string { return c.ID },
	Terms: func(c *Customer) []string {
		terms := []string{listed}
		if c.Email != nil {
			terms = append(terms, "email="+*c.Email)
		}
		if c.TestClock != nil {
			terms = append(terms, "test_clock="+*c.TestClock)
		}
		return terms
	},
}

func customerAPI() twin.API {
	return twin.API{
		Kind: customers.Kind,
		Routes: []twin.Route{
			twin.On("POST /v1/customers", createCustomer),
			twin.On("GET /v1/customers", listCustomers),
			twin.On("GET /v1/customers/{id}", retrieveCustomer),
			twin.On("POST /v1/customers/{id}", updateCustomer),
			twin.On("DELETE /v1/customers/{id}", deleteCustomer),
		},
		Expand: map[string]string{
			"discount": "",
			"invoice_settings.default_payment_method": "payment_method",
		},
		Include: map[string]twin.Include{
			"default_source": defaultSourceOf,
			"sources":        sourcesOf,
			"subscriptions":  includeSubscriptions,
			"cash_balance":   func(*twin.Tx, canon.Raw) canon.Raw { return null },
			"tax":            includeTax,
			"tax_ids":        includeTaxIDs,
			"test_clock":     showClockOf,
		},
		Seed: seedCustomers,
	}
}

type customerParams struct {
	customerDiscountParams
	Address             twin.Opt[addressParams]         `param:"address" rule:"empty"`
	Balance             twin.Opt[twin.Money]            `param:"balance" rule:"min=-999999999999,max=999999999999"`
	Description         twin.Opt[string]                `param:"description" rule:"empty"`
	Email               twin.Opt[string]                `param:"email" rule:"empty,email,len=512"`
	InvoicePrefix       twin.Opt[string]                `param:"invoice_prefix" rule:"len=12"`
	InvoiceSettings     twin.Opt[invoiceSettingsParams] `param:"invoice_settings"`
	Metadata            twin.Opt[twin.Metadata]         `param:"metadata"`
	Name                twin.Opt[string]                `param:"name" rule:"empty,len=256"`
	NextInvoiceSequence twin.Opt[int64]                 `param:"next_invoice_sequence" rule:"min=1,max=1000000000"`
	Phone               twin.Opt[string]                `param:"phone" rule:"empty,len=20"`
	PreferredLocales    twin.Opt[[]string]              `param:"preferred_locales"`
	Shipping            twin.Opt[shippingParams]        `param:"shipping" rule:"empty"`
	Source              twin.Opt[string]                `param:"source"`
	TaxExempt           twin.Opt[string]                `param:"tax_exempt" rule:"empty,enum=none|exempt|reverse"`
}

type invoiceSettingsParams struct {
	DefaultPaymentMethod twin.Opt[string] `param:"default_payment_method" rule:"empty"`
	Footer               twin.Opt[string] `param:"footer" rule:"empty"`
}

type createCustomerParams struct {
	customerParams
	PaymentMethod twin.Opt[string]        `param:"payment_method"`
	TaxIDData     twin.Opt[[]taxIDParams] `param:"tax_id_data"`
	TestClock     twin.Opt[string]        `param:"test_clock"`
}

func (p *createCustomerParams) Check() *twin.Error { return checkTaxIDs(p.TaxIDData.V) }

func createCustomer(tx *twin.Tx, p *createCustomerParams) (twin.Doc, *twin.Error) {
	if err := knownClock(tx, p.TestClock); err != nil {
		return twin.Doc{}, err
	}
	c := newCustomer(customers.NewID(tx), tx.Now())
	p.TestClock.Apply(&c.TestClock)
	byDefault := p.takeDefault()
	if err := p.apply(tx, &c); err != nil {
		return twin.Doc{}, err
	}
	card, err := p.newSource(tx, &c)
	if err != nil {
		return twin.Doc{}, err
	}
	var method *PaymentMethod
	if p.PaymentMethod.Given() {
		if method, err = givenMethod(tx, p.PaymentMethod.V, "payment_method"); err != nil {
			return twin.Doc{}, err
		}
		if byDefault {
			c.InvoiceSettings.DefaultPaymentMethod = &method.ID
		}
	}
	announce, err := p.customerDiscountParams.apply(tx, &c)
	if err != nil {
		return twin.Doc{}, err
	}
	doc := customers.Put(tx, &c)
	tx.Emit("customer.created", doc, nil)
	announce()
	if err := newTaxIDs(tx, &c, p.TaxIDData.V); err != nil {
		return twin.Doc{}, err
	}
	addSource(tx, card)
	if method != nil {
		if _, err := attachTo(tx, method, &c); err != nil {
			return twin.Doc{}, err
		}
	}
	return doc, nil
}

// takeDefault takes the default payment method out of the parameters when it is the
// one that the customer is made with, which is attached only once there is a customer.
func (p *createCustomerParams) takeDefault() bool {
	given := &p.InvoiceSettings.V.DefaultPaymentMethod
	if !p.PaymentMethod.Given() || !given.Given() || given.V != p.PaymentMethod.V {
		return false
	}
	*given = twin.Opt[string]{}
	return true
}

func newCustomer(id string, created twin.Time) Customer {
	return Customer{
		ID: id, Object: customers.Object, Created: created, InvoicePrefix: invoicePrefix(id),
		NextInvoiceSequence: 1, TaxExempt: "none", Metadata: map[string]string{},
	}
}

// includeTax is what is known of a customer's taxes: nothing.
func includeTax(tx *twin.Tx, _ canon.Raw) canon.Raw {
	known := `{"automatic_tax":"unrecognized_location","ip_address":null,"location":null`
	if v := tx.Version(); v == "" || shapeOf(v) == nil { // the older shapes have no provider
		known += `,"provider":"stripe"`
	}
	return canon.Raw(known + "}")
}

// invoicePrefixLength is how many characters an invoice prefix has.
const invoicePrefixLength = 8

// invoicePrefix derives a customer's invoice prefix from the id alone.
func invoicePrefix(id string) string {
	const alphabet = "0123456789ABCDEFGHJKLMNPQRSTUVWX" // 32 characters, no look-alikes
	sum := sha256.Sum256([]byte("invoice_prefix:" + id))
	prefix := make([]byte, invoicePrefixLength)
	for i := range prefix {
		prefix[i] = alphabet[sum[i]&31]
	}
	return string(prefix)
}

// isInvoicePrefix reports 3 to 12 capitals or digits.
func isInvoicePrefix(s string) bool {
	return len(s) >= 3 && len(s) <= 12 && strings.Trim(s, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// trimmed is a text without the blanks around it. A text of blanks is none.
func trimmed(p twin.Opt[string]) twin.Opt[string] {
	text := strings.Trim(p.V, " \t\n\v\f\r\x00")
	switch {
	case !p.Given():
		return p
	case text == "":
		return twin.Clear[string]()
	}
	return twin.Set(text)
}

// apply changes the named fields, and only those.
func (p *customerParams) apply(tx *twin.Tx, c *Customer) (err *twin.Error) {
	c.Address = applyAddress(c.Address, p.Address)
	c.Shipping = applyShipping(c.Shipping, p.Shipping)
	p.Description.Apply(&c.Description)
	p.Email.Apply(&c.Email)
	trimmed(p.Name).Apply(&c.Name)
	trimmed(p.Phone).Apply(&c.Phone)
	if p.InvoicePrefix.Given() && !isInvoicePrefix(p.InvoicePrefix.V) {
		return errInvoicePrefix()
	}
	c.InvoicePrefix = p.InvoicePrefix.Or(c.InvoicePrefix)
	if next := p.NextInvoiceSequence.Or(c.NextInvoiceSequence); next < c.NextInvoiceSequence {
		return errInvoiceSequence(c.NextInvoiceSequence)
	}
	c.NextInvoiceSequence = p.NextInvoiceSequence.Or(c.NextInvoiceSequence)
	if p.PreferredLocales.Given() {
		c.PreferredLocales = p.PreferredLocales.V
	}
	if p.TaxExempt.Sent() {
		c.TaxExempt = p.TaxExempt.Or("none")
	}
	if s := p.InvoiceSettings.V; p.InvoiceSettings.Given() {
		if pm := s.DefaultPaymentMethod; pm.Given() {
			if err := attachedTo(tx, pm.V, c.ID, "invoice_settings[default_payment_method]"); err != nil {
				return err
			}
		}
		s.DefaultPaymentMethod.Apply(&c.InvoiceSettings.DefaultPaymentMethod)
		s.Footer.Apply(&c.InvoiceSettings.Footer)
	}
	if c.Metadata, err = applyMetadata(c.Metadata, p.Metadata); err == nil {
		setBalance(tx, c, p.Balance)
	}
	return err
}

type listCustomersParams struct {
	page
	Created twin.Opt[twin.Range] `param:"created"`
	Email   twin.Opt[string]     `param:"email" rule:"len=512"`
}

func listCustomers(tx *twin.Tx, p *listCustomersParams) (twin.Doc, *twin.Error) {
	var f filter
	f.with("email", p.Email)
	f.terms, f.among = append(f.terms, listed), listed
	f.within("created", p.Created)
	return list(tx, customers.Kind, customers.Object, "/v1/customers", p.page, f)
}

type retrieveCustomerParams struct {
	ID string `path:"id"`
}

// retrieveCustomer answers a deleted customer with its stub.
func retrieveCustomer(tx *twin.Tx, p *retrieveCustomerParams) (twin.Doc, *twin.Error) {
	doc, ok := customers.Doc(tx, p.ID)
	if !ok {
		return twin.Doc{}, errNoSuch(customers.Object, "id", p.ID)
	}
	return doc, nil
}

// liveCustomer finds a customer that exists and is not deleted: a copy to change.
func liveCustomer(tx *twin.Tx, id string) (*Customer, bool) {
	row := tx.State().Get(customers.Table, id)
	if row == nil || row.Terms == nil {
		return nil, false
	}
	return customers.Decode(row), true
}

type updateCustomerParams struct {
	ID string `path:"id"`
	customerParams
	DefaultSource twin.Opt[string] `param:"default_source"`
}

func updateCustomer(tx *twin.Tx, p *updateCustomerParams) (twin.Doc, *twin.Error) {
	c, ok := liveCustomer(tx, p.ID)
	if !ok {
		return twin.Doc{}, errNoSuch(customers.Object, "id", p.ID)
	}
	if err := p.apply(tx, c); err != nil {
		return twin.Doc{}, err
	}
	card, err := p.newSource(tx, c)
	if err != nil {
		return twin.Doc{}, err
	}
	addSource(tx, card)
	if p.DefaultSource.Given() {
		if !isSourceOf(tx, p.DefaultSource.V, c.ID) {
			return twin.Doc{}, errNoSuchRef("source", "default_source", p.DefaultSource.V)
		}
		c.DefaultSource = &p.DefaultSource.V
	}
	announce, err := p.customerDiscountParams.apply(tx, c)
	if err != nil {
		return twin.Doc{}, err
	}
	announce()
	doc, previous, changed := customers.Replace(tx, c)
	if changed {
		followCustomer(tx, c, "")
		tx.Emit("customer.updated", doc, previous)
	}
	return doc, nil
}

type deleteCustomerParams struct {
	ID string `path:"id"`
}

// deleteCustomer leaves a stub, so that what refers to the customer still finds
// it, and cancels the subscriptions at once. The event carries the customer as
// it last was.
func deleteCustomer(tx *twin.Tx, p *deleteCustomerParams) (twin.Doc, *twin.Error) {
	c, ok := liveCustomer(tx, p.ID)
	if !ok {
		return twin.Doc{}, errNoSuch(customers.Object, "id", p.ID)
	}
	return removeCustomer(tx, c), nil
}

func removeCustomer(tx *twin.Tx, c *Customer) twin.Doc {
	cancelAllOf(tx, c.ID)
	last, _ := customers.Doc(tx, c.ID)
	tx.Emit("customer.deleted", last, nil)
	return customers.Bury(tx, c.ID, deletedStub(c.ID, customers.Object))
}

// deletedStub is what remains of a deleted object.
func deletedStub(id, object string) canon.Raw {
	out := canon.AppendString([]byte(`{"deleted":true,"id":`), id)
	return append(canon.AppendString(append(out, `,"object":`...), object), '}')
}

func seedCustomers(tx *twin.Tx, doc *seed.Document) error {
	for _, s := range byAge(doc.Data.Customers, func(s seed.Customer) int64 { return s.CreatedOffset }) {
		c := newCustomer(s.ID, twin.Time(doc.Epoch-s.CreatedOffset))
		c.Name, c.Email = textOrNull(s.Name), textOrNull(s.Email)
		c.Description, c.Phone = textOrNull(s.Description), textOrNull(s.Phone)
		c.Metadata = seedMetadata(s.Metadata)
		if s.PaymentMethod != "" {
			if err := seedInstrument(tx, &c, s.PaymentMethod); err != nil {
				at := slices.IndexFunc(doc.Data.Customers, func(o seed.Customer) bool { return o.ID == s.ID })
				return misseeded(fmt.Sprintf("$.data.customers[%d].payment_method", at), err)
			}
		}
		customers.Put(tx, &c)
	}
	return nil
}
