package stripe

import (
	"bytes"
	"slices"
	"strings"

	"worlds/journal/canon"
	"worlds/twin"
)

// How an intent's money is collected: at once, or by a capture of its own.
const (
	captureAutomatic = "automatic"
	captureManual    = "manual"
)

// intentDetails are what a payment intent can be given when it is made, changed or
// confirmed.
type intentDetails struct {
	CaptureMethod     twin.Opt[string]           `param:"capture_method" rule:"enum=automatic|automatic_async|manual"`
	PaymentMethod     twin.Opt[string]           `param:"payment_method"`
	PaymentMethodData twin.Opt[methodDataParams] `param:"payment_method_data"`
	Types             twin.Opt[[]string]         `param:"payment_method_types"`
	AllowedTypes      twin.Opt[[]string]         `param:"allowed_payment_method_types"`
	ReceiptEmail      twin.Opt[string]           `param:"receipt_email" rule:"empty,email"`
	SetupFutureUsage  twin.Opt[string]           `param:"setup_future_usage" rule:"empty,enum=off_session|on_session"`
	Shipping          twin.Opt[parcelParams]     `param:"shipping" rule:"empty"`
}

// check refuses two payment methods, and what is not a card.
func (p *intentDetails) check() *twin.Error {
	if p.PaymentMethodData.Given() {
		if p.PaymentMethod.Given() {
			return errExclusive("payment_method", "payment_method_data")
		}
		if err := p.PaymentMethodData.V.complete("payment_method_data"); err != nil {
			return err
		}
	}
	return cardsOnly(p.Types, p.AllowedTypes)
}

// cardsOnly refuses lists of payment method types without card.
func cardsOnly(lists ...twin.Opt[[]string]) *twin.Error {
	names := [...]string{"payment_method_types", "allowed_payment_method_types"}
	for i, list := range lists {
		if list.Given() && !slices.Contains(list.V, cardType) {
			return errUnserved(names[i]+" without "+cardType, names[i])
		}
	}
	return nil
}

// apply changes the named fields of pi.
func (p *intentDetails) apply(tx *twin.Tx, pi *PaymentIntent) *twin.Error {
	if p.CaptureMethod.Given() {
		pi.CaptureMethod = p.CaptureMethod.V
	}
	if types := p.Types; types.Given() {
		pi.PaymentMethodTypes, pi.AutomaticPaymentMethods = types.V, nil
	}
	if types := p.AllowedTypes; types.Given() {
		pi.AllowedPaymentMethodTypes, pi.PaymentMethodTypes = canon.Marshal(&types.V), types.V
	}
	p.ReceiptEmail.Apply(&pi.ReceiptEmail)
	p.SetupFutureUsage.Apply(&pi.SetupFutureUsage)
	pi.Shipping = applyParcel(pi.Shipping, p.Shipping)
	m, err := p.method(tx, pi.Customer)
	if err != nil || m == nil {
		return err
	}
	pi.PaymentMethod, pi.NextAction = &m.ID, nil
	if pi.Status == intentNeedsMethod || pi.Status == intentNeedsAction {
		pi.Status = intentNeedsConfirmation
	}
	return nil
}

// method is the payment method that was given, stored; nil for none.
func (p *intentDetails) method(tx *twin.Tx, customer *string) (*PaymentMethod, *twin.Error) {
	switch {
	case p.PaymentMethodData.Given():
		m, err := p.PaymentMethodData.V.mint(tx)
		if err == nil {
			paymentMethods.Put(tx, m)
		}
		return m, err
	case !p.PaymentMethod.Given():
		return nil, nil
	}
	return usableMethod(tx, p.PaymentMethod.V, customer)
}

// usableMethod is the payment method that a request names to pay for a customer,
// or for a guest, stored.
func usableMethod(tx *twin.Tx, given string, customer *string) (*PaymentMethod, *twin.Error) {
	m, err := givenMethod(tx, given, "payment_method")
	switch {
	case err != nil:
		return nil, err
	case m.ID != given:
		paymentMethods.Put(tx, m)
	case m.Customer == nil && spent(tx, m.ID):
		return nil, errMethodSpent()
	case m.Customer != nil && customer == nil:
		return nil, errMethodOfCustomer(m.ID)
	case m.Customer != nil && *m.Customer != *customer:
		return nil, errMethodNotAttached(m.ID, "payment_method")
	}
	return m, nil
}

// confirmParams are how an intent is confirmed.
type confirmParams struct {
	ErrorOnRequiresAction twin.Opt[bool]   `param:"error_on_requires_action"`
	OffSession            twin.Opt[string] `param:"off_session"`
	ReturnURL             twin.Opt[string] `param:"return_url"`
	UseStripeSDK          twin.Opt[bool]   `param:"use_stripe_sdk"`
}

// check refuses what is neither a boolean nor one of Stripe's two words.
func (p *confirmParams) check() *twin.Error {
	switch p.OffSession.Or("true") {
	case "true", "True", "false", "False", "one_off", "recurring":
		return nil
	}
	return invalid("off_session", "Invalid off_session: must be one of one_off or recurring")
}

func (p *confirmParams) confirmation() confirmation {
	return confirmation{
		failOnAction: p.ErrorOnRequiresAction.Or(false), returnURL: returnTo(p.ReturnURL, p.UseStripeSDK),
		offSession: p.OffSession.Given() && strings.ToLower(p.OffSession.V) != "false",
	}
}

type createPaymentIntentParams struct {
	intentDetails
	confirmParams
	Amount                    twin.Opt[twin.Money]             `param:"amount" rule:"required,min=1"`
	AutomaticPaymentMethods   twin.Opt[automaticMethodsParams] `param:"automatic_payment_methods"`
	Confirm                   twin.Opt[bool]                   `param:"confirm"`
	ConfirmationMethod        twin.Opt[string]                 `param:"confirmation_method" rule:"enum=automatic|manual"`
	Currency                  twin.Opt[string]                 `param:"currency" rule:"required"`
	Customer                  twin.Opt[string]                 `param:"customer"`
	Description               twin.Opt[string]                 `param:"description" rule:"len=1000"`
	Metadata                  twin.Opt[twin.Metadata]          `param:"metadata"`
	StatementDescriptor       twin.Opt[string]                 `param:"statement_descriptor" rule:"len=22"`
	StatementDescriptorSuffix twin.Opt[string]                 `param:"statement_descriptor_suffix" rule:"len=22"`
}

type automaticMethodsParams struct {
	AllowRedirects twin.Opt[string] `param:"allow_redirects" rule:"enum=always|never"`
	Enabled        twin.Opt[bool]   `param:"enabled" rule:"required"`
}

// Check refuses what only a confirmation can use, and a choice of methods that is
// also automatic.
func (p *createPaymentIntentParams) Check() *twin.Error {
	if p.AutomaticPaymentMethods.V.Enabled.V && p.Types.Given() {
		return errExclusive("automatic_payment_methods", "payment_method_types")
	}
	if !p.Confirm.Or(false) {
		switch {
		case p.ErrorOnRequiresAction.Given():
			return errNeedsConfirm("error_on_requires_action")
		case p.OffSession.Given():
			return errNeedsConfirm("off_session")
		case p.ReturnURL.Given():
			return errNeedsConfirm("return_url")
		}
	}
	if err := p.confirmParams.check(); err != nil {
		return err
	}
	return p.intentDetails.check()
}

// chargeable refuses a sum that no card is charged for.
func chargeable(amount twin.Money, currency, param string) *twin.Error {
	switch least := chargeMinimum(currency); {
	case amount < least:
		return errAmountSmall(param, least, currency)
	case amount > chargeMaximum:
		return errAmountLarge(param, chargeMaximum, currency)
	}
	return nil
}

func createPaymentIntent(tx *twin.Tx, p *createPaymentIntentParams) (twin.Doc, *twin.Error) {
	currency, err := knownCurrency(p.Currency.V, "currency")
	if err != nil {
		return twin.Doc{}, err
	}
	if err := chargeable(p.Amount.V, currency, "amount"); err != nil {
		return twin.Doc{}, err
	}
	sum := payment{amount: p.Amount.V, currency: currency, description: p.Description.V}
	if p.Customer.Given() {
		c, ok := liveCustomer(tx, p.Customer.V)
		if !ok {
			return twin.Doc{}, errNoSuchRef(customers.Object, "customer", p.Customer.V)
		}
		sum.customer = c
	}
	if sum.metadata, err = applyMetadata(map[string]string{}, p.Metadata); err != nil {
		return twin.Doc{}, err
	}
	pi := newIntent(tx, paymentIntents.NewID(tx), &sum)
	pi.ConfirmationMethod = p.ConfirmationMethod.Or(pi.ConfirmationMethod)
	if auto := p.AutomaticPaymentMethods; auto.V.Enabled.Or(!auto.Given()) {
		pi.AutomaticPaymentMethods = &AutomaticMethods{AllowRedirects: auto.V.AllowRedirects.Or("always"), Enabled: true}
	}
	p.StatementDescriptor.Apply(&pi.StatementDescriptor)
	p.StatementDescriptorSuffix.Apply(&pi.StatementDescriptorSuffix)
	if err := p.apply(tx, pi); err != nil {
		return twin.Doc{}, err
	}
	doc := paymentIntents.Put(tx, pi)
	if p.Confirm.Or(false) && pi.PaymentMethod == nil {
		return twin.Doc{}, errIntentState(doc.Body, missingMethod)
	}
	tx.Emit("payment_intent.created", doc, nil)
	if p.Confirm.Or(false) {
		return confirmStored(tx, pi, p.confirmation())
	}
	return doc, nil
}

// missingMethod is what a confirmation without a payment method is told.
const missingMethod = "You cannot confirm this PaymentIntent because it's missing a payment method. You can either update the " +
	"PaymentIntent with a payment method and then confirm it again, or confirm it again directly with a payment method or ConfirmationToken."

// confirmStored charges the payment method that an intent has.
func confirmStored(tx *twin.Tx, pi *PaymentIntent, how confirmation) (twin.Doc, *twin.Error) {
	if _, err := confirmIntent(tx, pi, *pi.PaymentMethod, how); err != nil {
		return twin.Doc{}, err
	}
	doc, _ := paymentIntents.Doc(tx, pi.ID)
	return doc, nil
}

type updatePaymentIntentParams struct {
	Intent string `path:"intent"`
	intentDetails
	Amount                    twin.Opt[twin.Money]    `param:"amount" rule:"min=1"`
	Currency                  twin.Opt[string]        `param:"currency"`
	Customer                  twin.Opt[string]        `param:"customer"`
	Description               twin.Opt[string]        `param:"description" rule:"len=1000"`
	Metadata                  twin.Opt[twin.Metadata] `param:"metadata"`
	StatementDescriptor       twin.Opt[string]        `param:"statement_descriptor" rule:"len=22"`
	StatementDescriptorSuffix twin.Opt[string]        `param:"statement_descriptor_suffix" rule:"len=22"`
}

// Check refuses two payment methods, and what is not a card.
func (p *updatePaymentIntentParams) Check() *twin.Error { return p.check() }

// fixed is the first named parameter that only an intent not yet paid takes, ""
// for none.
func (p *updatePaymentIntentParams) fixed() string {
	switch {
	case p.Amount.Given():
		return "amount"
	case p.Currency.Given():
		return "currency"
	case p.Customer.Given():
		return "customer"
	case p.CaptureMethod.Given():
		return "capture_method"
	case p.PaymentMethod.Given():
		return "payment_method"
	case p.PaymentMethodData.Given():
		return "payment_method_data"
	case p.Types.Given():
		return "payment_method_types"
	case p.SetupFutureUsage.Sent():
		return "setup_future_usage"
	}
	return ""
}

// updatePaymentIntent changes an intent. Stripe has no event for it.
func updatePaymentIntent(tx *twin.Tx, p *updatePaymentIntentParams) (twin.Doc, *twin.Error) {
	old, ok := paymentIntents.Get(tx, p.Intent)
	if !ok {
		return twin.Doc{}, errNoSuch(paymentIntents.Object, "intent", p.Intent)
	}
	pi := *old
	if param := p.fixed(); param != "" {
		if !pi.unpaid() {
			doc, _ := paymentIntents.Doc(tx, pi.ID)
			return twin.Doc{}, errIntentState(doc.Body, updateTexts(param, pi.Status))
		}
		if _, inv := invoiceOf(tx, pi.ID); inv != nil {
			switch param {
			case "amount", "currency", "customer", "capture_method":
				return twin.Doc{}, errIntentOfInvoice("update the "+param+" of", inv.ID)
			}
		}
	}
	if err := p.applySum(tx, &pi); err != nil {
		return twin.Doc{}, err
	}
	var err *twin.Error
	if pi.Metadata, err = applyMetadata(pi.Metadata, p.Metadata); err != nil {
		return twin.Doc{}, err
	}
	p.Description.Apply(&pi.Description)
	p.StatementDescriptor.Apply(&pi.StatementDescriptor)
	p.StatementDescriptorSuffix.Apply(&pi.StatementDescriptorSuffix)
	if err := p.apply(tx, &pi); err != nil {
		return twin.Doc{}, err
	}
	if pi.LastPaymentError != nil && !bytes.Equal(canon.Marshal(old), canon.Marshal(&pi)) {
		pi.LastPaymentError = nil // an update for any reason clears it
	}
	doc, _, _ := paymentIntents.Replace(tx, &pi)
	return doc, nil
}

// applySum changes what is to be collected, and from whom.
func (p *updatePaymentIntentParams) applySum(tx *twin.Tx, pi *PaymentIntent) (err *twin.Error) {
	if p.Currency.Given() {
		if pi.Currency, err = knownCurrency(p.Currency.V, "currency"); err != nil {
			return err
		}
	}
	if p.Amount.Given() {
		pi.Amount = p.Amount.V
	}
	if p.Amount.Given() || p.Currency.Given() {
		if err := chargeable(pi.Amount, pi.Currency, "amount"); err != nil {
			return err
		}
	}
	if p.Customer.Given() {
		switch _, ok := liveCustomer(tx, p.Customer.V); {
		case !ok:
			return errNoSuchRef(customers.Object, "customer", p.Customer.V)
		case pi.Customer != nil && *pi.Customer != p.Customer.V:
			return errIntentCustomer("PaymentIntent", *pi.Customer)
		}
		pi.Customer = &p.Customer.V
	}
	return nil
}

// unpaid reports whether the intent still waits for a payment method to pay.
func (pi *PaymentIntent) unpaid() bool {
	return pi.Status == intentNeedsMethod || pi.Status == intentNeedsConfirmation || pi.Status == intentNeedsAction
}

// updateTexts is what an update of an intent is told that is past it.
func updateTexts(param, status string) string {
	return "This PaymentIntent's " + param + " could not be updated because it has a status of " + status +
		". You may only update the " + param + " of a PaymentIntent with one of the following statuses: " +
		"requires_payment_method, requires_confirmation, requires_action."
}

type confirmPaymentIntentParams struct {
	Intent string `path:"intent"`
	intentDetails
	confirmParams
}

// Check refuses two payment methods, and what is not a card.
func (p *confirmPaymentIntentParams) Check() *twin.Error {
	if err := p.confirmParams.check(); err != nil {
		return err
	}
	return p.intentDetails.check()
}

// confirmPaymentIntent pays an intent. That of an invoice pays the invoice.
func confirmPaymentIntent(tx *twin.Tx, p *confirmPaymentIntentParams) (twin.Doc, *twin.Error) {
	old, ok := paymentIntents.Get(tx, p.Intent)
	if !ok {
		return twin.Doc{}, errNoSuch(paymentIntents.Object, "intent", p.Intent)
	}
	pi := *old
	stored, _ := paymentIntents.Doc(tx, pi.ID)
	_, inv := invoiceOf(tx, pi.ID)
	switch {
	case !pi.unpaid():
		return twin.Doc{}, errIntentState(stored.Body, confirmTexts(pi.Status))
	case inv != nil && p.CaptureMethod.Given():
		return twin.Doc{}, errIntentOfInvoice("update the capture_method of", inv.ID)
	}
	if err := p.apply(tx, &pi); err != nil {
		return twin.Doc{}, err
	}
	if pi.PaymentMethod == nil {
		return twin.Doc{}, errIntentState(stored.Body, missingMethod)
	}
	if inv != nil {
		return confirmOfInvoice(tx, &pi, inv, p.confirmation())
	}
	return confirmStored(tx, &pi, p.confirmation())
}

func confirmTexts(status string) string {
	if status == intentSucceeded {
		return "You cannot confirm this PaymentIntent because it has already succeeded after being previously confirmed."
	}
	return "You cannot confirm this PaymentIntent because it has a status of " + status + ". Only a PaymentIntent with one of the " +
		"following statuses may be confirmed: requires_confirmation, requires_action."
}

// confirmOfInvoice pays an open invoice through its intent.
func confirmOfInvoice(tx *twin.Tx, pi *PaymentIntent, inv *Invoice, how confirmation) (twin.Doc, *twin.Error) {
	c, ok := liveCustomer(tx, inv.Customer)
	if !ok {
		return twin.Doc{}, errNoSuchRef(customers.Object, "customer", inv.Customer)
	}
	paymentIntents.Put(tx, pi)
	if _, err := chargeInvoiceAs(tx, inv, c, *pi.PaymentMethod, how); err != nil {
		return twin.Doc{}, err
	}
	doc, _ := paymentIntents.Doc(tx, pi.ID)
	return doc, nil
}

// invoiceOf finds the open payment of an invoice that an intent is to make, and
// the invoice, as copies; nils for an intent of its own.
func invoiceOf(tx *twin.Tx, intent string) (*InvoicePayment, *Invoice) {
	for link := range invoicePayments.With(tx, "payment_intent="+intent) {
		if old, ok := invoices.Get(tx, link.Invoice); ok && link.Status == linkOpen {
			open, inv := *link, *old
			return &open, &inv
		}
	}
	return nil, nil
}

type capturePaymentIntentParams struct {
	Intent                    string                  `path:"intent"`
	AmountToCapture           twin.Opt[twin.Money]    `param:"amount_to_capture" rule:"min=1"`
	Metadata                  twin.Opt[twin.Metadata] `param:"metadata"`
	StatementDescriptor       twin.Opt[string]        `param:"statement_descriptor" rule:"len=22"`
	StatementDescriptorSuffix twin.Opt[string]        `param:"statement_descriptor_suffix" rule:"len=22"`
}

func capturePaymentIntent(tx *twin.Tx, p *capturePaymentIntentParams) (twin.Doc, *twin.Error) {
	old, ok := paymentIntents.Get(tx, p.Intent)
	if !ok {
		return twin.Doc{}, errNoSuch(paymentIntents.Object, "intent", p.Intent)
	}
	pi := *old
	if pi.Status != intentNeedsCapture {
		doc, _ := paymentIntents.Doc(tx, pi.ID)
		text := "This PaymentIntent could not be captured because it has a status of " + pi.Status +
			". Only a PaymentIntent with one of the following statuses may be captured: requires_capture."
		if pi.Status == intentSucceeded {
			text = "This PaymentIntent could not be captured because it has already been captured."
		}
		return twin.Doc{}, errIntentState(doc.Body, text)
	}
	amount := p.AmountToCapture.Or(pi.AmountCapturable)
	if amount > pi.AmountCapturable {
		return twin.Doc{}, errCaptureLarge("amount_to_capture", amount, pi.AmountCapturable, pi.Currency)
	}
	var err *twin.Error
	if pi.Metadata, err = applyMetadata(pi.Metadata, p.Metadata); err != nil {
		return twin.Doc{}, err
	}
	p.StatementDescriptor.Apply(&pi.StatementDescriptor)
	p.StatementDescriptorSuffix.Apply(&pi.StatementDescriptorSuffix)
	return captureIntent(tx, &pi, amount), nil
}

type cancelPaymentIntentParams struct {
	Intent string           `path:"intent"`
	Reason twin.Opt[string] `param:"cancellation_reason" rule:"enum=duplicate|fraudulent|requested_by_customer|abandoned"`
}

func cancelPaymentIntent(tx *twin.Tx, p *cancelPaymentIntentParams) (twin.Doc, *twin.Error) {
	old, ok := paymentIntents.Get(tx, p.Intent)
	if !ok {
		return twin.Doc{}, errNoSuch(paymentIntents.Object, "intent", p.Intent)
	}
	pi := *old
	doc, _ := paymentIntents.Doc(tx, pi.ID)
	if pi.Status == intentSucceeded || pi.Status == intentCanceled {
		return twin.Doc{}, errIntentState(doc.Body, "You cannot cancel this PaymentIntent because it has a status of "+pi.Status+
			". Only a PaymentIntent with one of the following statuses may be canceled: requires_payment_method, requires_capture, "+
			"requires_confirmation, requires_action, processing.")
	}
	if _, inv := invoiceOf(tx, pi.ID); inv != nil {
		return twin.Doc{}, errIntentOfInvoice("cancel", inv.ID)
	}
	cancelIntent(tx, &pi, p.Reason.V)
	doc, _ = paymentIntents.Doc(tx, pi.ID)
	return doc, nil
}
