package stripe

import (
	"fmt"
	"slices"
	"strings"

	"worlds/journal/canon"
	"worlds/twin"
)

// PaymentLink is a page where anybody can pay for the same things. The page does not
// exist here, so that nobody ever pays.
type PaymentLink struct {
	Active                   bool                `json:"active"`
	AfterCompletion          AfterCompletion     `json:"after_completion"`
	AllowPromotionCodes      bool                `json:"allow_promotion_codes"`
	Application              canon.Raw           `json:"application"`
	ApplicationFeeAmount     canon.Raw           `json:"application_fee_amount"`
	ApplicationFeePercent    canon.Raw           `json:"application_fee_percent"`
	AutomaticTax             LinkAutomaticTax    `json:"automatic_tax"`
	BillingAddressCollection string              `json:"billing_address_collection"`
	ConsentCollection        canon.Raw           `json:"consent_collection"`
	Currency                 string              `json:"currency"`
	CustomFields             []canon.Raw         `json:"custom_fields"`
	CustomText               LinkTexts           `json:"custom_text"`
	CustomerCreation         string              `json:"customer_creation"`
	ID                       string              `json:"id"`
	InactiveMessage          *string             `json:"inactive_message"`
	InvoiceCreation          *InvoiceCreation    `json:"invoice_creation"` // nil for a subscription
	Livemode                 bool                `json:"livemode"`
	ManagedPayments          canon.Raw           `json:"managed_payments"`
	Metadata                 map[string]string   `json:"metadata"`
	Object                   string              `json:"object"`
	OnBehalfOf               canon.Raw           `json:"on_behalf_of"`
	OptionalItems            canon.Raw           `json:"optional_items"`
	PaymentIntentData        canon.Raw           `json:"payment_intent_data"`
	PaymentMethodCollection  string              `json:"payment_method_collection"`
	PaymentMethodOptions     canon.Raw           `json:"payment_method_options"`
	PaymentMethodTypes       canon.Raw           `json:"payment_method_types"`
	PhoneNumberCollection    Enabled             `json:"phone_number_collection"`
	Restrictions             *LinkRestrictions   `json:"restrictions"`
	ShippingCollection       canon.Raw           `json:"shipping_address_collection"`
	ShippingOptions          []canon.Raw         `json:"shipping_options"`
	SubmitType               string              `json:"submit_type"`
	SubscriptionData         *LinkSubscription   `json:"subscription_data"` // nil unless a price recurs
	TaxIDCollection          LinkTaxIDCollection `json:"tax_id_collection"`
	TransferData             canon.Raw           `json:"transfer_data"`
	URL                      string              `json:"url"`
}

// AfterCompletion is what somebody sees who has paid: just one of the two.
type AfterCompletion struct {
	HostedConfirmation *HostedConfirmation `json:"hosted_confirmation,omitempty"`
	Redirect           *LinkRedirect       `json:"redirect,omitempty"`
	Type               string              `json:"type"`
}

// HostedConfirmation is Stripe's own page.
type HostedConfirmation struct {
	CustomMessage *string `json:"custom_message"`
}

// LinkRedirect is another page.
type LinkRedirect struct {
	URL string `json:"url"`
}

// LinkAutomaticTax says that tax is not computed.
type LinkAutomaticTax struct {
	Enabled   bool      `json:"enabled"`
	Liability canon.Raw `json:"liability"`
}

// LinkTexts are texts of the page.
type LinkTexts struct {
	AfterSubmit     *LinkText `json:"after_submit"`
	ShippingAddress *LinkText `json:"shipping_address"`
	Submit          *LinkText `json:"submit"`
	Terms           *LinkText `json:"terms_of_service_acceptance"`
}

// LinkText is one of them.
type LinkText struct {
	Message string `json:"message"`
}

// Enabled says whether something is asked for.
type Enabled struct {
	Enabled bool `json:"enabled"`
}

// InvoiceCreation says whether a payment makes an invoice, and of what kind.
type InvoiceCreation struct {
	Enabled     bool            `json:"enabled"`
	InvoiceData LinkInvoiceData `json:"invoice_data"`
}

// LinkInvoiceData are what such an invoice would hold.
type LinkInvoiceData struct {
	AccountTaxIDs    canon.Raw         `json:"account_tax_ids"`
	CustomFields     canon.Raw         `json:"custom_fields"`
	Description      canon.Raw         `json:"description"`
	Footer           canon.Raw         `json:"footer"`
	Issuer           canon.Raw         `json:"issuer"`
	Metadata         map[string]string `json:"metadata"`
	RenderingOptions canon.Raw         `json:"rendering_options"`
}

// LinkRestrictions are how often somebody can pay.
type LinkRestrictions struct {
	CompletedSessions CompletedSessions `json:"completed_sessions"`
}

// CompletedSessions are how often somebody has paid, and can.
type CompletedSessions struct {
	Count int64 `json:"count"`
	Limit int64 `json:"limit"`
}

// LinkSubscription is what the subscription that a payment makes would hold.
type LinkSubscription struct {
	Description     canon.Raw          `json:"description"`
	InvoiceSettings LinkIssuerSettings `json:"invoice_settings"`
	Metadata        map[string]string  `json:"metadata"`
	TrialPeriodDays *int64             `json:"trial_period_days"`
	TrialSettings   *TrialSettings     `json:"trial_settings"`
}

// LinkIssuerSettings are who issues its invoices.
type LinkIssuerSettings struct {
	Issuer Issuer `json:"issuer"`
}

// LinkTaxIDCollection says whether tax ids are asked for.
type LinkTaxIDCollection struct {
	Enabled  bool   `json:"enabled"`
	Required string `json:"required"`
}

// The things that can be seen after a payment.
const (
	afterHosted   = "hosted_confirmation"
	afterRedirect = "redirect"
)

// linkItemsMax is how many things a link sells at most.
const linkItemsMax = 20

var paymentLinks = twin.Resource[PaymentLink]{
	Kind:  twin.Kind{Table: "stripe.payment_link", Object: "payment_link", Prefix: "plink", Digits: 24},
	Key:   func(l *PaymentLink) string { return l.ID },
	Terms: func(l *PaymentLink) []string { return []string{boolTerm("active", l.Active)} },
}

func paymentLinkAPI() twin.API {
	return twin.API{
		Kind: paymentLinks.Kind,
		Routes: []twin.Route{
			twin.On("POST /v1/payment_links", createPaymentLink),
			twin.On("GET /v1/payment_links", listPaymentLinks),
			twin.On("GET /v1/payment_links/{payment_link}", retrievePaymentLink),
			twin.On("POST /v1/payment_links/{payment_link}", updatePaymentLink),
			twin.On("GET /v1/payment_links/{payment_link}/line_items", listLinkItems),
		},
		Expand: map[string]string{
			// Never set here, and Stripe expands them.
			"application": "application", "on_behalf_of": "account", "transfer_data.destination": "account",
			"automatic_tax.liability.account": "account", "invoice_creation.invoice_data.account_tax_ids": "tax_id",
			"invoice_creation.invoice_data.issuer.account": "account", "shipping_options.shipping_rate": "shipping_rate",
			"subscription_data.invoice_settings.issuer.account": "account",
		},
		Include: map[string]twin.Include{"line_items": includeLinkItems},
	}
}

// linkParams are what both creation and update may set.
type linkParams struct {
	AfterCompletion     twin.Opt[afterCompletionParams]  `param:"after_completion"`
	AllowPromotionCodes twin.Opt[bool]                   `param:"allow_promotion_codes"`
	AutomaticTax        twin.Opt[automaticTaxParams]     `param:"automatic_tax"`
	BillingAddress      twin.Opt[string]                 `param:"billing_address_collection" rule:"enum=auto|required"`
	CustomText          twin.Opt[linkTextsParams]        `param:"custom_text"`
	CustomerCreation    twin.Opt[string]                 `param:"customer_creation" rule:"enum=always|if_required"`
	InactiveMessage     twin.Opt[string]                 `param:"inactive_message" rule:"empty,len=500"`
	InvoiceCreation     twin.Opt[enabledParams]          `param:"invoice_creation"`
	Metadata            twin.Opt[twin.Metadata]          `param:"metadata"`
	MethodCollection    twin.Opt[string]                 `param:"payment_method_collection" rule:"enum=always|if_required"`
	MethodTypes         twin.Opt[[]string]               `param:"payment_method_types" rule:"empty"`
	PhoneNumber         twin.Opt[enabledParams]          `param:"phone_number_collection"`
	Restrictions        twin.Opt[linkRestrictionsParams] `param:"restrictions" rule:"empty"`
	SubmitType          twin.Opt[string]                 `param:"submit_type" rule:"enum=auto|book|donate|pay|subscribe"`
	SubscriptionData    twin.Opt[linkSubscriptionParams] `param:"subscription_data"`
	TaxIDCollection     twin.Opt[taxCollectionParams]    `param:"tax_id_collection"`
}

type afterCompletionParams struct {
	Hosted   twin.Opt[hostedParams]   `param:"hosted_confirmation"`
	Redirect twin.Opt[redirectParams] `param:"redirect"`
	Type     twin.Opt[string]         `param:"type" rule:"required,enum=hosted_confirmation|redirect"`
}

type hostedParams struct {
	CustomMessage twin.Opt[string] `param:"custom_message" rule:"len=500"`
}

type redirectParams struct {
	URL twin.Opt[string] `param:"url" rule:"required,len=2048"`
}

type enabledParams struct {
	Enabled twin.Opt[bool] `param:"enabled" rule:"required"`
}

type linkTextsParams struct {
	AfterSubmit     twin.Opt[linkTextParams] `param:"after_submit" rule:"empty"`
	ShippingAddress twin.Opt[linkTextParams] `param:"shipping_address" rule:"empty"`
	Submit          twin.Opt[linkTextParams] `param:"submit" rule:"empty"`
	Terms           twin.Opt[linkTextParams] `param:"terms_of_service_acceptance" rule:"empty"`
}

type linkTextParams struct {
	Message twin.Opt[string] `param:"message" rule:"required,len=1200"`
}

type linkRestrictionsParams struct {
	CompletedSessions twin.Opt[completedSessionsParams] `param:"completed_sessions" rule:"required"`
}

type completedSessionsParams struct {
	Limit twin.Opt[int64] `param:"limit" rule:"required,min=1"`
}

type linkSubscriptionParams struct {
	Metadata        twin.Opt[twin.Metadata]       `param:"metadata"`
	TrialPeriodDays twin.Opt[int64]               `param:"trial_period_days" rule:"empty,min=1,max=730"`
	TrialSettings   twin.Opt[trialSettingsParams] `param:"trial_settings" rule:"empty"`
}

type taxCollectionParams struct {
	Enabled  twin.Opt[bool]   `param:"enabled" rule:"required"`
	Required twin.Opt[string] `param:"required" rule:"enum=if_supported|never"`
}

// Check refuses what a link cannot be, whatever it sells.
func (p *linkParams) Check() *twin.Error {
	after := &p.AfterCompletion.V
	switch {
	case p.AutomaticTax.V.Enabled.V:
		return errUnserved("automatic_tax[enabled]=true", "automatic_tax[enabled]")
	case after.Type.V == afterRedirect && !after.Redirect.Given():
		return errMissing("after_completion[redirect]")
	case after.Type.V == afterRedirect && after.Hosted.Given(), after.Type.V == afterHosted && after.Redirect.Given():
		return errExclusive("after_completion[hosted_confirmation]", "after_completion[redirect]")
	case after.Redirect.Given() && !isWebAddress(after.Redirect.V.URL.V):
		return invalidCode("url_invalid", "after_completion[redirect][url]", "Not a valid URL")
	}
	for _, typ := range p.MethodTypes.V {
		if typ != cardType {
			return errUnserved("payment methods of type "+typ, "payment_method_types")
		}
	}
	return nil
}

// apply changes the named fields, and only those.
func (p *linkParams) apply(l *PaymentLink) (err *twin.Error) {
	recurs := l.SubscriptionData != nil
	for _, only := range [...]struct {
		name, mode string
		wrong      bool
	}{
		{"subscription_data", "subscription", p.SubscriptionData.Given() && !recurs},
		{"customer_creation", "payment", p.CustomerCreation.Given() && recurs},
		{"invoice_creation", "payment", p.InvoiceCreation.Given() && recurs},
		{"payment_method_collection", "subscription", p.MethodCollection.Given() && !recurs},
	} {
		if only.wrong {
			return invalid(only.name, "`%s` can only be used in `%s` mode.", only.name, only.mode)
		}
	}
	if after := &p.AfterCompletion.V; p.AfterCompletion.Given() {
		l.AfterCompletion = AfterCompletion{Type: after.Type.V}
		if after.Type.V == afterRedirect {
			l.AfterCompletion.Redirect = &LinkRedirect{URL: after.Redirect.V.URL.V}
		} else {
			l.AfterCompletion.HostedConfirmation = &HostedConfirmation{}
			after.Hosted.V.CustomMessage.Apply(&l.AfterCompletion.HostedConfirmation.CustomMessage)
		}
	}
	l.AllowPromotionCodes = p.AllowPromotionCodes.Or(l.AllowPromotionCodes)
	l.BillingAddressCollection = p.BillingAddress.Or(l.BillingAddressCollection)
	l.CustomerCreation = p.CustomerCreation.Or(l.CustomerCreation)
	l.PaymentMethodCollection = p.MethodCollection.Or(l.PaymentMethodCollection)
	l.SubmitType = p.SubmitType.Or(l.SubmitType)
	p.InactiveMessage.Apply(&l.InactiveMessage)
	if p.InvoiceCreation.Given() {
		made := *l.InvoiceCreation
		made.Enabled = p.InvoiceCreation.V.Enabled.V
		l.InvoiceCreation = &made
	}
	if p.MethodTypes.Sent() {
		l.PaymentMethodTypes = nil
		if len(p.MethodTypes.V) > 0 {
			l.PaymentMethodTypes = canon.Raw(`["card"]`)
		}
	}
	l.PhoneNumberCollection.Enabled = p.PhoneNumber.V.Enabled.Or(l.PhoneNumberCollection.Enabled)
	l.TaxIDCollection.Enabled = p.TaxIDCollection.V.Enabled.Or(l.TaxIDCollection.Enabled)
	l.TaxIDCollection.Required = p.TaxIDCollection.V.Required.Or(l.TaxIDCollection.Required)
	p.CustomText.V.apply(&l.CustomText)
	if err = p.SubscriptionData.V.apply(l); err != nil {
		return err
	}
	switch limit := p.Restrictions.V.CompletedSessions.V.Limit.V; {
	case p.Restrictions.Cleared():
		l.Restrictions = nil
	case p.Restrictions.Given():
		l.Restrictions = &LinkRestrictions{CompletedSessions: CompletedSessions{Limit: limit}}
	}
	l.Metadata, err = applyMetadata(l.Metadata, p.Metadata)
	return err
}

// apply changes the texts that a request names.
func (p *linkTextsParams) apply(texts *LinkTexts) {
	for _, one := range [...]struct {
		asked twin.Opt[linkTextParams]
		text  **LinkText
	}{
		{p.AfterSubmit, &texts.AfterSubmit}, {p.ShippingAddress, &texts.ShippingAddress}, {p.Submit, &texts.Submit}, {p.Terms, &texts.Terms},
	} {
		switch {
		case one.asked.Cleared():
			*one.text = nil
		case one.asked.Given():
			*one.text = &LinkText{Message: one.asked.V.Message.V}
		}
	}
}

// apply changes what subscriptions hold that come from l.
func (p *linkSubscriptionParams) apply(l *PaymentLink) (err *twin.Error) {
	if l.SubscriptionData == nil {
		return nil
	}
	data := *l.SubscriptionData
	p.TrialPeriodDays.Apply(&data.TrialPeriodDays)
	switch {
	case p.TrialSettings.Cleared():
		data.TrialSettings = nil
	case p.TrialSettings.Given():
		data.TrialSettings = &TrialSettings{TrialEndBehavior{MissingPaymentMethod: p.TrialSettings.V.EndBehavior.V.MissingPaymentMethod.V}}
	}
	data.Metadata, err = applyMetadata(data.Metadata, p.Metadata)
	l.SubscriptionData = &data
	return err
}

type createPaymentLinkParams struct {
	linkParams
	Currency  twin.Opt[string]           `param:"currency"`
	LineItems twin.Opt[[]linkItemParams] `param:"line_items" rule:"required"`
}

type linkItemParams struct {
	Adjustable twin.Opt[adjustableParams] `param:"adjustable_quantity"`
	Price      twin.Opt[string]           `param:"price"`
	Quantity   twin.Opt[int64]            `param:"quantity" rule:"required,min=0,max=999999"`
}

func (p *createPaymentLinkParams) Check() *twin.Error {
	for i := range p.LineItems.V {
		if err := p.LineItems.V[i].Adjustable.V.check(fmt.Sprintf("line_items[%d]", i)); err != nil {
			return err
		}
	}
	return p.linkParams.Check()
}

// createPaymentLink makes a link to what the prices of a request sell: a subscription,
// if one of them recurs.
func createPaymentLink(tx *twin.Tx, p *createPaymentLinkParams) (twin.Doc, *twin.Error) {
	l := PaymentLink{
		Object: paymentLinks.Object, Active: true, AfterCompletion: AfterCompletion{Type: afterHosted, HostedConfirmation: &HostedConfirmation{}},
		BillingAddressCollection: "auto", CustomFields: []canon.Raw{}, Metadata: map[string]string{},
		PaymentMethodCollection: "always", ShippingOptions: []canon.Raw{}, SubmitType: "auto",
		TaxIDCollection: LinkTaxIDCollection{Required: "never"},
	}
	all, recurs, err := p.items(tx, &l)
	if err != nil {
		return twin.Doc{}, err
	}
	if recurs {
		l.CustomerCreation = "always"
		l.SubscriptionData = &LinkSubscription{InvoiceSettings: LinkIssuerSettings{Issuer{Type: ownSelf}}, Metadata: map[string]string{}}
	} else {
		l.CustomerCreation, l.InvoiceCreation = "if_required", &InvoiceCreation{InvoiceData: LinkInvoiceData{Metadata: map[string]string{}}}
	}
	if err := p.apply(&l); err != nil {
		return twin.Doc{}, err
	}
	l.ID = paymentLinks.NewID(tx)
	l.URL = "https://buy.stripe.com/" + tx.DerivedID("test", 14, l.ID, "url")
	all.ID = l.ID
	for i := range all.Items {
		all.Items[i].ID = linkItems.NewID(tx)
	}
	doc := paymentLinks.Put(tx, &l)
	linkItems.Put(tx, all)
	tx.Emit("payment_link.created", doc, nil)
	return doc, nil
}

// items are what a new link sells, which decides its currency; recurs says whether some
// of it does.
func (p *createPaymentLinkParams) items(tx *twin.Tx, l *PaymentLink) (all *linkItemList, recurs bool, err *twin.Error) {
	list := p.LineItems.V
	if len(list) > linkItemsMax {
		return nil, false, invalid("line_items", "A payment link can have at most %d line items.", linkItemsMax)
	}
	all = &linkItemList{}
	for i := range list {
		at := fmt.Sprintf("line_items[%d]", i)
		if !list[i].Price.Given() {
			return nil, false, errMissing(join(at, "price"))
		}
		pr, ok := prices.Get(tx, list[i].Price.V)
		switch {
		case !ok:
			return nil, false, errNoSuchRef(prices.Object, join(at, "price"), list[i].Price.V)
		case !pr.Active:
			return nil, false, errPriceInactive(join(at, "price"))
		case l.Currency != "" && pr.Currency != l.Currency:
			return nil, false, errPriceCurrency(join(at, "price"), l.Currency)
		}
		l.Currency, recurs = pr.Currency, recurs || pr.Recurring != nil
		item := linkItem{Price: pr.ID}
		if err := item.change(tx, list[i].Adjustable, list[i].Quantity, at); err != nil {
			return nil, false, err
		}
		all.Items = append(all.Items, item)
	}
	if p.Currency.Given() && !strings.EqualFold(p.Currency.V, l.Currency) {
		return nil, false, errPriceCurrency("currency", l.Currency)
	}
	return all, recurs, nil
}

type listPaymentLinksParams struct {
	page
	Active twin.Opt[bool] `param:"active"`
}

func listPaymentLinks(tx *twin.Tx, p *listPaymentLinksParams) (twin.Doc, *twin.Error) {
	var f filter
	f.withBool("active", p.Active)
	return list(tx, paymentLinks.Kind, paymentLinks.Object, "/v1/payment_links", p.page, f)
}

type paymentLinkPath struct {
	PaymentLink string `path:"payment_link"`
}

func retrievePaymentLink(tx *twin.Tx, p *paymentLinkPath) (twin.Doc, *twin.Error) {
	doc, ok := paymentLinks.Doc(tx, p.PaymentLink)
	if !ok {
		return twin.Doc{}, errNoSuch(paymentLinks.Object, "payment_link", p.PaymentLink)
	}
	return doc, nil
}

type updatePaymentLinkParams struct {
	paymentLinkPath
	linkParams
	Active    twin.Opt[bool]                    `param:"active"`
	LineItems twin.Opt[[]changedLinkItemParams] `param:"line_items"`
}

type changedLinkItemParams struct {
	Adjustable twin.Opt[adjustableParams] `param:"adjustable_quantity"`
	ID         twin.Opt[string]           `param:"id" rule:"required"`
	Quantity   twin.Opt[int64]            `param:"quantity" rule:"min=0,max=999999"`
}

func (p *updatePaymentLinkParams) Check() *twin.Error {
	for i := range p.LineItems.V {
		if err := p.LineItems.V[i].Adjustable.V.check(fmt.Sprintf("line_items[%d]", i)); err != nil {
			return err
		}
	}
	return p.linkParams.Check()
}

func updatePaymentLink(tx *twin.Tx, p *updatePaymentLinkParams) (twin.Doc, *twin.Error) {
	old, ok := paymentLinks.Get(tx, p.PaymentLink)
	if !ok {
		return twin.Doc{}, errNoSuch(paymentLinks.Object, "payment_link", p.PaymentLink)
	}
	l := *old
	all := itemsOfLink(tx, l.ID)
	for i := range p.LineItems.V {
		q, at := &p.LineItems.V[i], fmt.Sprintf("line_items[%d]", i)
		n := slices.IndexFunc(all.Items, func(it linkItem) bool { return it.ID == q.ID.V })
		if n < 0 {
			return twin.Doc{}, errNoSuchRef("line item", join(at, "id"), q.ID.V)
		}
		if err := all.Items[n].change(tx, q.Adjustable, q.Quantity, at); err != nil {
			return twin.Doc{}, err
		}
	}
	l.Active = p.Active.Or(l.Active)
	if err := p.linkParams.apply(&l); err != nil {
		return twin.Doc{}, err
	}
	_, _, resold := linkItems.Replace(tx, all)
	doc, previous, changed := paymentLinks.Replace(tx, &l)
	if changed || resold {
		tx.Emit("payment_link.updated", doc, changesOf(previous))
	}
	return doc, nil
}
