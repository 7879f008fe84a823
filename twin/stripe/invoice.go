package stripe

import (
	"slices"

	"worlds/journal/canon"
	"worlds/twin"
)

// Invoice is what a customer owes on one occasion.
type Invoice struct {
	AccountCountry               *string            `json:"account_country"`
	AccountName                  *string            `json:"account_name"`
	AccountTaxIDs                canon.Raw          `json:"account_tax_ids"`
	AmountDue                    twin.Money         `json:"amount_due"`
	AmountOverpaid               twin.Money         `json:"amount_overpaid"`
	AmountPaid                   twin.Money         `json:"amount_paid"`
	AmountPaidOffStripe          twin.Money         `json:"amount_paid_off_stripe"` // paid out of band
	AmountRemaining              twin.Money         `json:"amount_remaining"`
	AmountShipping               twin.Money         `json:"amount_shipping"`
	Application                  canon.Raw          `json:"application"`
	AttemptCount                 int64              `json:"attempt_count"`
	Attempted                    bool               `json:"attempted"`
	AutoAdvance                  bool               `json:"auto_advance"`
	AutomaticTax                 InvoiceTax         `json:"automatic_tax"`
	AutomaticallyFinalizesAt     *twin.Time         `json:"automatically_finalizes_at"`
	BillingReason                string             `json:"billing_reason"`
	CollectionMethod             string             `json:"collection_method"`
	Created                      twin.Time          `json:"created"`
	Currency                     string             `json:"currency"`
	CustomFields                 canon.Raw          `json:"custom_fields"`
	Customer                     string             `json:"customer"`
	CustomerAccount              canon.Raw          `json:"customer_account"`
	CustomerAddress              *Address           `json:"customer_address"`
	CustomerEmail                *string            `json:"customer_email"`
	CustomerName                 *string            `json:"customer_name"`
	CustomerPhone                *string            `json:"customer_phone"`
	CustomerShipping             *Shipping          `json:"customer_shipping"`
	CustomerTaxExempt            string             `json:"customer_tax_exempt"`
	CustomerTaxIDs               []canon.Raw        `json:"customer_tax_ids"`
	DefaultPaymentMethod         *string            `json:"default_payment_method"`
	DefaultSource                canon.Raw          `json:"default_source"`
	DefaultTaxRates              []canon.Raw        `json:"default_tax_rates"`
	Description                  *string            `json:"description"`
	Discounts                    []string           `json:"discounts"`
	DueDate                      *twin.Time         `json:"due_date"`
	EffectiveAt                  *twin.Time         `json:"effective_at"`
	EndingBalance                *twin.Money        `json:"ending_balance"` // null in a draft
	Footer                       *string            `json:"footer"`
	FromInvoice                  canon.Raw          `json:"from_invoice"`
	HostedInvoiceURL             *string            `json:"hosted_invoice_url"`
	ID                           string             `json:"id"`
	InvoicePDF                   *string            `json:"invoice_pdf"`
	Issuer                       Issuer             `json:"issuer"`
	LastFinalizationError        canon.Raw          `json:"last_finalization_error"`
	LatestRevision               *string            `json:"latest_revision"`
	Lines                        InvoiceLines       `json:"lines"`
	Livemode                     bool               `json:"livemode"`
	Metadata                     map[string]string  `json:"metadata"`
	NextPaymentAttempt           *twin.Time         `json:"next_payment_attempt"`
	Number                       *string            `json:"number"` // null in a draft
	Object                       string             `json:"object"`
	OnBehalfOf                   canon.Raw          `json:"on_behalf_of"`
	Parent                       *InvoiceParent     `json:"parent"` // null when no subscription made it
	PaymentSettings              PaymentSettings    `json:"payment_settings"`
	PeriodEnd                    twin.Time          `json:"period_end"`
	PeriodStart                  twin.Time          `json:"period_start"`
	PostPaymentCreditNotesAmount twin.Money         `json:"post_payment_credit_notes_amount"`
	PrePaymentCreditNotesAmount  twin.Money         `json:"pre_payment_credit_notes_amount"`
	ReceiptNumber                *string            `json:"receipt_number"`
	Rendering                    canon.Raw          `json:"rendering"`
	ShippingCost                 canon.Raw          `json:"shipping_cost"`
	ShippingDetails              canon.Raw          `json:"shipping_details"`
	StartingBalance              twin.Money         `json:"starting_balance"`
	StatementDescriptor          *string            `json:"statement_descriptor"`
	Status                       string             `json:"status"`
	StatusTransitions            InvoiceTransitions `json:"status_transitions"`
	Subtotal                     twin.Money         `json:"subtotal"`
	SubtotalExcludingTax         twin.Money         `json:"subtotal_excluding_tax"`
	TestClock                    *string            `json:"test_clock"`
	Total                        twin.Money         `json:"total"` // may be negative
	TotalDiscountAmounts         []DiscountAmount   `json:"total_discount_amounts"`
	TotalExcludingTax            twin.Money         `json:"total_excluding_tax"`
	TotalPretaxCreditAmounts     []canon.Raw        `json:"total_pretax_credit_amounts"`
	TotalTaxes                   []canon.Raw        `json:"total_taxes"`
	WebhooksDeliveredAt          *twin.Time         `json:"webhooks_delivered_at"`
}

// InvoiceTax says that tax is not computed.
type InvoiceTax struct {
	DisabledReason canon.Raw `json:"disabled_reason"`
	Enabled        bool      `json:"enabled"`
	Liability      canon.Raw `json:"liability"`
	Provider       canon.Raw `json:"provider"`
	Status         canon.Raw `json:"status"`
}

// InvoiceParent is what made an invoice.
type InvoiceParent struct {
	QuoteDetails        canon.Raw           `json:"quote_details"`
	SubscriptionDetails SubscriptionDetails `json:"subscription_details"`
	Type                string              `json:"type"`
}

// SubscriptionDetails is the subscription that made an invoice, with its
// metadata as it then was.
type SubscriptionDetails struct {
	Metadata     map[string]string `json:"metadata"`
	Subscription string            `json:"subscription"`
}

// PaymentSettings are how an invoice may be paid.
type PaymentSettings struct {
	DefaultMandate canon.Raw `json:"default_mandate"`
	Options        canon.Raw `json:"payment_method_options"`
	Types          canon.Raw `json:"payment_method_types"`
}

// InvoiceTransitions are when an invoice came into its statuses.
type InvoiceTransitions struct {
	FinalizedAt           *twin.Time `json:"finalized_at"`
	MarkedUncollectibleAt *twin.Time `json:"marked_uncollectible_at"`
	PaidAt                *twin.Time `json:"paid_at"`
	VoidedAt              *twin.Time `json:"voided_at"`
}

// The statuses of an invoice.
const (
	invDraft         = "draft"
	invOpen          = "open"
	invPaid          = "paid"
	invUncollectible = "uncollectible"
	invVoid          = "void"
)

// The ways of collecting what is owed.
const (
	chargeAutomatically = "charge_automatically"
	sendInvoice         = "send_invoice"
)

// The billing reasons of an invoice.
const (
	reasonManual = "manual"
	reasonCreate = "subscription_create"
	reasonCycle  = "subscription_cycle"
	reasonUpdate = "subscription_update"

	reasonUpcoming = "upcoming" // of a preview
)

var invoices = twin.Resource[Invoice]{
	Kind: twin.Kind{Table: "stripe.invoice", Object: "invoice", Prefix: "in", Digits: 24},
	Key:  func(inv *Invoice) string { return inv.ID },
	Terms: func(inv *Invoice) []string {
		terms := []string{"customer=" + inv.Customer, "status=" + inv.Status, "collection_method=" + inv.CollectionMethod}
		if id := inv.subscription(); id != "" {
			terms = append(terms, "subscription="+id)
		}
		return terms
	},
	Due: invoiceDue,
}

func invoiceAPI() twin.API {
	return twin.API{
		Kind: invoices.Kind,
		Routes: []twin.Route{
			twin.On("POST /v1/invoices", createInvoice),
			twin.On("GET /v1/invoices", listInvoices),
			twin.On("POST /v1/invoices/create_preview", createPreview),
			twin.On("GET /v1/invoices/{invoice}", retrieveInvoice),
			twin.On("POST /v1/invoices/{invoice}", updateInvoice),
			twin.On("DELETE /v1/invoices/{invoice}", deleteInvoice),
			twin.On("POST /v1/invoices/{invoice}/finalize", finalizeInvoice),
			twin.On("POST /v1/invoices/{invoice}/pay", payInvoice),
			twin.On("POST /v1/invoices/{invoice}/void", voidInvoice),
			twin.On("POST /v1/invoices/{invoice}/mark_uncollectible", markInvoiceUncollectible),
			twin.On("POST /v1/invoices/{invoice}/send", sendInvoiceNow),
			twin.On("GET /v1/invoices/{invoice}/lines", listInvoiceLines),
			twin.On("POST /v1/invoices/{invoice}/lines/{line_item_id}", updateInvoiceLine),
			twin.On("POST /v1/invoices/{invoice}/add_lines", addInvoiceLines),
			twin.On("POST /v1/invoices/{invoice}/update_lines", updateInvoiceLines),
			twin.On("POST /v1/invoices/{invoice}/remove_lines", removeInvoiceLines),
		},
		Expand: map[string]string{
			"application":            "application", // with those below that are never there
			"customer":               customers.Object,
			"default_payment_method": paymentMethods.Object,
			"default_source":         "source",
			"discounts":              discounts.Object,
			"latest_revision":        invoices.Object,
			"lines":                  "",
			"on_behalf_of":           "account",
			"parent.subscription_details.subscription": subscriptions.Object,
			"total_discount_amounts.discount":          discounts.Object,
			// Never set here, and Stripe expands them.
			"account_tax_ids":                                        "tax_id",
			"automatic_tax.liability.account":                        "account",
			"from_invoice.invoice":                                   invoices.Object,
			"issuer.account":                                         "account",
			"last_finalization_error.payment_intent":                 "",
			"last_finalization_error.payment_method":                 "",
			"last_finalization_error.setup_intent":                   "",
			"last_finalization_error.source":                         "",
			"last_finalization_error.source.account":                 "account",
			"last_finalization_error.source.customer":                customers.Object,
			"shipping_cost.shipping_rate":                            "shipping_rate",
			"total_pretax_credit_amounts.credit_balance_transaction": "credit_balance_transaction",
			"total_pretax_credit_amounts.discount":                   discounts.Object,
			"total_taxes.tax_rate_details.tax_rate":                  "tax_rate",
		},
		Fire: fireInvoice,
		Include: map[string]twin.Include{
			"confirmation_secret": includeConfirmationSecret,
			"payments":            includePayments,
			"test_clock":          showClockOf,
		},
		Seed: seedInvoices,
	}
}

// subscription is the id of the subscription that made the invoice, "" for none.
func (inv *Invoice) subscription() string {
	if inv.Parent == nil {
		return ""
	}
	return inv.Parent.SubscriptionDetails.Subscription
}

// newInvoice is an empty draft for c, not yet stored.
func newInvoice(tx *twin.Tx, id string, c *Customer, currency string, created twin.Time) *Invoice {
	country := "US"
	inv := &Invoice{
		ID: id, Object: invoices.Object, Status: invDraft, AccountCountry: &country,
		BillingReason: reasonManual, CollectionMethod: chargeAutomatically, Created: created,
		Currency: currency, Customer: c.ID, Issuer: Issuer{Type: "self"}, Metadata: map[string]string{},
		PeriodStart: created, PeriodEnd: created, TestClock: c.TestClock,
		Lines: InvoiceLines{Object: "list", URL: "/v1/invoices/" + id + "/lines"},
	}
	inv.address(tx, c)
	return inv
}

// address copies onto the invoice who the customer is: until it is finalized an
// invoice follows the customer.
func (inv *Invoice) address(tx *twin.Tx, c *Customer) {
	inv.CustomerAddress, inv.CustomerEmail, inv.CustomerName = c.Address, c.Email, c.Name
	inv.CustomerPhone, inv.CustomerShipping, inv.CustomerTaxExempt = c.Phone, c.Shipping, c.TaxExempt
	inv.CustomerTaxIDs = invoiceTaxIDs(tx, c.ID)
}

// followCustomer makes the drafts of a customer, but for one, say who the customer now is
// and what the balance is. Nobody is told.
func followCustomer(tx *twin.Tx, c *Customer, but string) {
	var drafts []*Invoice
	for row := range tx.State().OldestWith(invoices.Table, "customer="+c.ID, 0) {
		if row.ID != but && slices.Contains(row.Terms, "status="+invDraft) {
			drafts = append(drafts, invoices.Decode(row))
		}
	}
	for _, inv := range drafts {
		inv.address(tx, c)
		inv.StartingBalance = balanceIn(c, inv.Currency)
		invoices.Replace(tx, inv)
	}
}

type invoiceParams struct {
	AutoAdvance          twin.Opt[bool]          `param:"auto_advance"`
	CollectionMethod     twin.Opt[string]        `param:"collection_method" rule:"enum=charge_automatically|send_invoice"`
	DaysUntilDue         twin.Opt[int64]         `param:"days_until_due" rule:"min=0,max=36500"`
	DefaultPaymentMethod twin.Opt[string]        `param:"default_payment_method"`
	Description          twin.Opt[string]        `param:"description" rule:"len=1500"`
	Discounts            discountList            `param:"discounts" rule:"empty"`
	DueDate              twin.Opt[twin.Time]     `param:"due_date" rule:"min=0,max=7258118400"`
	Footer               twin.Opt[string]        `param:"footer"`
	Metadata             twin.Opt[twin.Metadata] `param:"metadata"`
	StatementDescriptor  twin.Opt[string]        `param:"statement_descriptor" rule:"len=22"`
}

type createInvoiceParams struct {
	Customer     twin.Opt[string] `param:"customer" rule:"required"`
	Currency     twin.Opt[string] `param:"currency"`
	PendingItems twin.Opt[string] `param:"pending_invoice_items_behavior" rule:"enum=exclude|include"`
	Subscription twin.Opt[string] `param:"subscription"`
	invoiceParams
}

// Check refuses a due date that does not go with how the invoice is collected, and to
// leave out the items of a subscription that is to be billed.
func (p *createInvoiceParams) Check() *twin.Error {
	if err := p.checkDue(p.CollectionMethod.Or(chargeAutomatically), false); err != nil {
		return err
	}
	if p.Subscription.Given() && p.PendingItems.V == "exclude" {
		return errExclusive("subscription", "pending_invoice_items_behavior")
	}
	return nil
}

func createInvoice(tx *twin.Tx, p *createInvoiceParams) (twin.Doc, *twin.Error) {
	c, s, currency, err := p.named(tx)
	if err != nil {
		return twin.Doc{}, err
	}
	if err := pinCurrency(tx, c, currency); err != nil {
		return twin.Doc{}, err
	}
	inv := newInvoice(tx, invoices.NewID(tx), c, currency, tx.Now())
	if !p.Discounts.Sent() {
		inv.Discounts = c.inherit(tx, currency)
	}
	if err := p.apply(tx, inv); err != nil {
		return twin.Doc{}, err
	}
	if s != nil {
		inv.bills(s)
	}
	var all []Line
	if inv.Parent != nil || p.PendingItems.V == "include" {
		all = sweep(tx, inv, inv.subscription(), false)
	}
	if inv.Parent != nil && len(all) == 0 {
		return twin.Doc{}, errNothingToInvoice()
	}
	return draft(tx, inv, all), nil
}

// named looks up what a request for a new invoice names: its customer, the
// subscription it bills, nil for none, and the currency that it is in.
func (p *createInvoiceParams) named(tx *twin.Tx) (c *Customer, s *Subscription, currency string, err *twin.Error) {
	if p.Currency.Given() {
		if currency, err = knownCurrency(p.Currency.V, "currency"); err != nil {
			return nil, nil, "", err
		}
	}
	if c, err = payer(tx, p.Customer.V, p.DefaultPaymentMethod); err != nil {
		return nil, nil, "", err
	}
	if err = discountsExist(tx, p.Discounts, "discounts"); err != nil {
		return nil, nil, "", err
	}
	if id := p.Subscription; id.Given() {
		var ok bool
		if s, ok = subscriptions.Get(tx, id.V); !ok || s.Customer != c.ID {
			return nil, nil, "", errNoSuchRef(subscriptions.Object, "subscription", id.V)
		}
	}
	if currency == "" {
		currency = accountCurrency
		if c.Currency != nil {
			currency = *c.Currency
		}
	}
	return c, s, currency, nil
}

// bills makes an invoice one of a subscription.
func (inv *Invoice) bills(s *Subscription) {
	inv.Parent = &InvoiceParent{
		Type: "subscription_details", SubscriptionDetails: SubscriptionDetails{Subscription: s.ID, Metadata: s.Metadata},
	}
}

// pinCurrency fixes the currency of a customer at the first use of one, and
// refuses another afterwards.
func pinCurrency(tx *twin.Tx, c *Customer, currency string) *twin.Error {
	if c.Currency != nil {
		if *c.Currency != currency {
			return errCurrencies(*c.Currency)
		}
		return nil
	}
	c.Currency = &currency
	customers.Put(tx, c)
	return nil
}

// draft stores a new invoice with its lines and announces it.
func draft(tx *twin.Tx, inv *Invoice, all []Line) twin.Doc {
	inv.reduce(tx, all)
	putLines(tx, inv, all)
	inv.sum(all)
	if c, ok := liveCustomer(tx, inv.Customer); ok {
		inv.StartingBalance = balanceIn(c, inv.Currency)
	}
	doc := invoices.Put(tx, inv)
	tx.Emit("invoice.created", doc, nil)
	return doc
}

// Of a draft that advances by itself, when it is finalized and when its payment
// is first tried, in seconds after its creation.
const (
	finalizeSeconds = 3601
	attemptSeconds  = 3600
)

const daySeconds = 86400

// apply changes the named fields of a draft, and only those.
func (p *invoiceParams) apply(tx *twin.Tx, inv *Invoice) (err *twin.Error) {
	inv.CollectionMethod = p.CollectionMethod.Or(inv.CollectionMethod)
	if err := p.applyDue(inv); err != nil {
		return err
	}
	if pm := p.DefaultPaymentMethod; pm.Given() {
		if err := attachedTo(tx, pm.V, inv.Customer, "default_payment_method"); err != nil {
			return err
		}
	}
	p.DefaultPaymentMethod.Apply(&inv.DefaultPaymentMethod)
	p.Description.Apply(&inv.Description)
	p.Footer.Apply(&inv.Footer)
	p.StatementDescriptor.Apply(&inv.StatementDescriptor)
	inv.AutoAdvance = p.AutoAdvance.Or(inv.AutoAdvance)
	inv.advance(tx.Now())
	if p.Discounts.Sent() {
		had := inv.Discounts
		if inv.Discounts, err = grant(tx, p.Discounts, Discount{Customer: &inv.Customer, Invoice: &inv.ID}, inv.Currency, had); err != nil {
			return err
		}
		endDiscounts(tx, owned(tx, without(had, inv.Discounts), inv.ID))
	}
	inv.Metadata, err = applyMetadata(inv.Metadata, p.Metadata)
	return err
}

// advance sets when a draft that advances by itself does so: counted from when it
// was told to.
func (inv *Invoice) advance(now twin.Time) {
	inv.NextPaymentAttempt = nil
	if !inv.AutoAdvance {
		inv.AutomaticallyFinalizesAt = nil
		return
	}
	if inv.AutomaticallyFinalizesAt == nil {
		at := now + finalizeSeconds
		inv.AutomaticallyFinalizesAt = &at
	}
	if inv.CollectionMethod == chargeAutomatically {
		attempt := *inv.AutomaticallyFinalizesAt + attemptSeconds - finalizeSeconds
		inv.NextPaymentAttempt = &attempt
	}
}

// checkDue refuses a due date of what is charged automatically, two of them, and to
// send what has none. had says that there was one before.
func (p *invoiceParams) checkDue(method string, had bool) *twin.Error {
	days, date := p.DaysUntilDue.Given(), p.DueDate.Given()
	switch {
	case method == chargeAutomatically && days:
		return errDueWithoutSending("days_until_due")
	case method == chargeAutomatically && date:
		return errDueWithoutSending("due_date")
	case days && date:
		return errExclusive("days_until_due", "due_date")
	case method == sendInvoice && !days && !date && !had:
		return errSendingWithoutDue()
	}
	return nil
}

// applyDue settles when an invoice is due: only one that is sent has a due date,
// and it needs one.
func (p *invoiceParams) applyDue(inv *Invoice) *twin.Error {
	if err := p.checkDue(inv.CollectionMethod, inv.DueDate != nil); err != nil {
		return err
	}
	switch {
	case inv.CollectionMethod == chargeAutomatically:
		inv.DueDate = nil
	case p.DaysUntilDue.Given():
		due := inv.Created + twin.Time(p.DaysUntilDue.V*daySeconds)
		inv.DueDate = &due
	case p.DueDate.Given():
		if p.DueDate.V < inv.Created {
			return errPast("due_date")
		}
		due := p.DueDate.V
		inv.DueDate = &due
	}
	return nil
}

type listInvoicesParams struct {
	page
	CollectionMethod twin.Opt[string]     `param:"collection_method" rule:"enum=charge_automatically|send_invoice"`
	Created          twin.Opt[twin.Range] `param:"created"`
	Customer         twin.Opt[string]     `param:"customer"`
	DueDate          twin.Opt[twin.Range] `param:"due_date"`
	Status           twin.Opt[string]     `param:"status" rule:"enum=draft|open|void|paid|uncollectible"`
	Subscription     twin.Opt[string]     `param:"subscription"`
}

func listInvoices(tx *twin.Tx, p *listInvoicesParams) (twin.Doc, *twin.Error) {
	if err := known(tx, customers.Kind, "customer", p.Customer); err != nil {
		return twin.Doc{}, err
	}
	if err := known(tx, subscriptions.Kind, "subscription", p.Subscription); err != nil {
		return twin.Doc{}, err
	}
	var f filter
	f.with("subscription", p.Subscription)
	f.with("customer", p.Customer)
	f.with("status", p.Status)
	f.with("collection_method", p.CollectionMethod)
	f.within("created", p.Created)
	f.within("due_date", p.DueDate)
	return list(tx, invoices.Kind, invoices.Object, "/v1/invoices", p.page, f)
}

type invoicePath struct {
	Invoice string `path:"invoice"`
}

func retrieveInvoice(tx *twin.Tx, p *invoicePath) (twin.Doc, *twin.Error) {
	doc, ok := invoices.Doc(tx, p.Invoice)
	if !ok {
		return twin.Doc{}, errNoSuch(invoices.Object, "invoice", p.Invoice)
	}
	return doc, nil
}

type updateInvoiceParams struct {
	Invoice string `path:"invoice"`
	invoiceParams
}

// frozen is the first parameter that a finalized invoice does not take, "" for
// none.
func (p *invoiceParams) frozen() string {
	switch {
	case p.AutoAdvance.Sent():
		return "auto_advance"
	case p.CollectionMethod.Sent():
		return "collection_method"
	case p.DaysUntilDue.Sent():
		return "days_until_due"
	case p.DefaultPaymentMethod.Sent():
		return "default_payment_method"
	case p.Description.Sent():
		return "description"
	case p.Discounts.Sent():
		return "discounts"
	case p.DueDate.Sent():
		return "due_date"
	case p.Footer.Sent():
		return "footer"
	case p.StatementDescriptor.Sent():
		return "statement_descriptor"
	}
	return ""
}

func updateInvoice(tx *twin.Tx, p *updateInvoiceParams) (twin.Doc, *twin.Error) {
	old, ok := invoices.Get(tx, p.Invoice)
	if !ok {
		return twin.Doc{}, errNoSuch(invoices.Object, "invoice", p.Invoice)
	}
	inv := *old
	var err *twin.Error
	switch field := p.frozen(); {
	case inv.Status == invDraft:
		err = p.apply(tx, &inv)
	case field != "":
		err = errFinalizedUpdate(field)
	default:
		inv.Metadata, err = applyMetadata(inv.Metadata, p.Metadata)
	}
	if err != nil {
		return twin.Doc{}, err
	}
	if p.Discounts.Sent() {
		inv.rewrite(tx, allLines(tx, &inv))
	}
	return inv.replace(tx), nil
}
