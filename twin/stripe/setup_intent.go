package stripe

import (
	"worlds/journal/canon"
	"worlds/twin"
)

// setupIntentNoun is how messages name a setup intent.
const setupIntentNoun = "setupintent"

// SetupIntent is the wish to keep a payment method for later.
type SetupIntent struct {
	AllowedPaymentMethodTypes         canon.Raw         `json:"allowed_payment_method_types"`
	Application                       canon.Raw         `json:"application"`
	AutomaticPaymentMethods           *AutomaticMethods `json:"automatic_payment_methods"`
	CancellationReason                *string           `json:"cancellation_reason"`
	ClientSecret                      string            `json:"client_secret"`
	Created                           twin.Time         `json:"created"`
	Customer                          *string           `json:"customer"`
	CustomerAccount                   canon.Raw         `json:"customer_account"`
	Description                       *string           `json:"description"`
	ExcludedPaymentMethodTypes        canon.Raw         `json:"excluded_payment_method_types"`
	FlowDirections                    canon.Raw         `json:"flow_directions"`
	ID                                string            `json:"id"`
	LastSetupError                    canon.Raw         `json:"last_setup_error"`
	LatestAttempt                     canon.Raw         `json:"latest_attempt"`
	Livemode                          bool              `json:"livemode"`
	ManagedPayments                   canon.Raw         `json:"managed_payments"`
	Mandate                           canon.Raw         `json:"mandate"`
	Metadata                          map[string]string `json:"metadata"`
	NextAction                        canon.Raw         `json:"next_action"`
	Object                            string            `json:"object"`
	OnBehalfOf                        canon.Raw         `json:"on_behalf_of"`
	PaymentMethod                     *string           `json:"payment_method"`
	PaymentMethodConfigurationDetails canon.Raw         `json:"payment_method_configuration_details"`
	PaymentMethodOptions              canon.Raw         `json:"payment_method_options"`
	PaymentMethodTypes                []string          `json:"payment_method_types"`
	SingleUseMandate                  canon.Raw         `json:"single_use_mandate"`
	Status                            string            `json:"status"`
	Usage                             string            `json:"usage"`
}

var setupIntents = twin.Resource[SetupIntent]{
	Kind: twin.Kind{Table: "stripe.setup_intent", Object: "setup_intent", Prefix: "seti", Digits: 24},
	Key:  func(si *SetupIntent) string { return si.ID },
	Terms: func(si *SetupIntent) []string {
		var terms []string
		if si.Customer != nil {
			terms = append(terms, "customer="+*si.Customer)
		}
		if si.PaymentMethod != nil {
			terms = append(terms, "payment_method="+*si.PaymentMethod)
		}
		return terms
	},
}

func setupIntentAPI() twin.API {
	return twin.API{
		Kind: setupIntents.Kind,
		Routes: []twin.Route{
			twin.On("POST /v1/setup_intents", createSetupIntent),
			twin.On("GET /v1/setup_intents", listSetupIntents),
			twin.On("GET /v1/setup_intents/{intent}", retrieveSetupIntent),
			twin.On("POST /v1/setup_intents/{intent}", updateSetupIntent),
			twin.On("POST /v1/setup_intents/{intent}/confirm", confirmSetupIntent),
			twin.On("POST /v1/setup_intents/{intent}/cancel", cancelSetupIntent),
		},
		Expand: map[string]string{
			"application":        "application",
			"customer":           customers.Object,
			"latest_attempt":     "setup_attempt",
			"mandate":            "mandate",
			"on_behalf_of":       "account",
			"payment_method":     paymentMethods.Object,
			"single_use_mandate": "mandate",
			// Never set here, and Stripe expands them.
			"last_setup_error.payment_intent":  "",
			"last_setup_error.payment_method":  "",
			"last_setup_error.setup_intent":    "",
			"last_setup_error.source":          "",
			"last_setup_error.source.account":  "account",
			"last_setup_error.source.customer": customers.Object,
		},
	}
}

// setupDetails are what a setup intent can be given when it is made, changed or
// confirmed.
type setupDetails struct {
	AllowedTypes      twin.Opt[[]string]         `param:"allowed_payment_method_types"`
	PaymentMethod     twin.Opt[string]           `param:"payment_method"`
	PaymentMethodData twin.Opt[methodDataParams] `param:"payment_method_data"`
}

// Check refuses two payment methods, and what is not a card.
func (p *setupDetails) Check() *twin.Error {
	d := intentDetails{PaymentMethod: p.PaymentMethod, PaymentMethodData: p.PaymentMethodData, AllowedTypes: p.AllowedTypes}
	return d.check()
}

// apply gives the intent the payment method that was named.
func (p *setupDetails) apply(tx *twin.Tx, si *SetupIntent) *twin.Error {
	if p.AllowedTypes.Given() {
		si.AllowedPaymentMethodTypes, si.PaymentMethodTypes = canon.Marshal(&p.AllowedTypes.V), p.AllowedTypes.V
	}
	d := intentDetails{PaymentMethod: p.PaymentMethod, PaymentMethodData: p.PaymentMethodData}
	m, err := d.method(tx, si.Customer)
	if err != nil || m == nil {
		return err
	}
	si.PaymentMethod, si.NextAction, si.Status = &m.ID, nil, intentNeedsConfirmation
	return nil
}

type createSetupIntentParams struct {
	setupDetails
	AutomaticPaymentMethods twin.Opt[automaticMethodsParams] `param:"automatic_payment_methods"`
	Confirm                 twin.Opt[bool]                   `param:"confirm"`
	Customer                twin.Opt[string]                 `param:"customer"`
	Description             twin.Opt[string]                 `param:"description" rule:"len=1000"`
	Metadata                twin.Opt[twin.Metadata]          `param:"metadata"`
	ReturnURL               twin.Opt[string]                 `param:"return_url"`
	Types                   twin.Opt[[]string]               `param:"payment_method_types"`
	Usage                   twin.Opt[string]                 `param:"usage" rule:"enum=off_session|on_session"`
	UseStripeSDK            twin.Opt[bool]                   `param:"use_stripe_sdk"`
}

// Check refuses what only a confirmation can use, and what is not a card.
func (p *createSetupIntentParams) Check() *twin.Error {
	switch {
	case p.AutomaticPaymentMethods.V.Enabled.V && p.Types.Given():
		return errExclusive("automatic_payment_methods", "payment_method_types")
	case p.ReturnURL.Given() && !p.Confirm.Or(false):
		return errNeedsConfirm("return_url")
	}
	if err := cardsOnly(p.Types); err != nil {
		return err
	}
	return p.setupDetails.Check()
}

// secretMiddle stands between the id and the rest of a client secret.
const secretMiddle = "_secret"

func createSetupIntent(tx *twin.Tx, p *createSetupIntentParams) (twin.Doc, *twin.Error) {
	id := setupIntents.NewID(tx)
	si := &SetupIntent{
		ID: id, Object: setupIntents.Object, Created: tx.Now(), Status: intentNeedsMethod,
		ClientSecret: tx.DerivedID(id+secretMiddle, secretDigits, id, "client_secret"), PaymentMethodTypes: []string{cardType},
		PaymentMethodOptions: canon.Raw(`{"card":{"mandate_options":null,"network":null,"request_three_d_secure":"automatic"}}`),
		Usage:                p.Usage.Or("off_session"),
	}
	if p.Customer.Given() {
		if _, ok := liveCustomer(tx, p.Customer.V); !ok {
			return twin.Doc{}, errNoSuchRef(customers.Object, "customer", p.Customer.V)
		}
	}
	p.Customer.Apply(&si.Customer)
	p.Description.Apply(&si.Description)
	if p.Types.Given() {
		si.PaymentMethodTypes = p.Types.V
	} else if auto := p.AutomaticPaymentMethods; auto.V.Enabled.Or(!auto.Given()) {
		si.AutomaticPaymentMethods = &AutomaticMethods{AllowRedirects: auto.V.AllowRedirects.Or("always"), Enabled: true}
	}
	var err *twin.Error
	if si.Metadata, err = applyMetadata(map[string]string{}, p.Metadata); err != nil {
		return twin.Doc{}, err
	}
	if err := p.apply(tx, si); err != nil {
		return twin.Doc{}, err
	}
	doc := setupIntents.Put(tx, si)
	if p.Confirm.Or(false) && si.PaymentMethod == nil {
		return twin.Doc{}, errSetupState(doc.Body, setupWithoutMethod)
	}
	tx.Emit("setup_intent.created", doc, nil)
	if p.Confirm.Or(false) {
		return si.confirm(tx, returnTo(p.ReturnURL, p.UseStripeSDK))
	}
	return doc, nil
}

// returnTo is where a customer comes back to after authenticating, "" where the
// caller's own page looks after that.
func returnTo(url twin.Opt[string], sdk twin.Opt[bool]) string {
	if sdk.Or(false) {
		return ""
	}
	return url.V
}

// confirm tries to set the payment method up. *si becomes what was stored.
func (si *SetupIntent) confirm(tx *twin.Tx, returnURL string) (twin.Doc, *twin.Error) {
	m, ok := paymentMethods.Get(tx, *si.PaymentMethod)
	if !ok {
		return twin.Doc{}, errNoSuchRef(paymentMethodNoun, "payment_method", *si.PaymentMethod)
	}
	switch in := instrumentBehind(&m.Card); {
	case in.effect == authenticates:
		si.Status, si.LastSetupError, si.NextAction = intentNeedsAction, nil, authentication(si.ID, returnURL)
		doc := setupIntents.Put(tx, si)
		tx.Emit("setup_intent.requires_action", doc, nil)
		return doc, nil
	case !in.attaches():
		return twin.Doc{}, si.decline(tx, m, &in)
	}
	if m.Customer == nil && si.Customer != nil {
		if c, ok := liveCustomer(tx, *si.Customer); ok {
			own := *m
			attach(tx, &own, c)
		}
	}
	si.Status, si.LastSetupError, si.NextAction = intentSucceeded, nil, nil
	doc := setupIntents.Put(tx, si)
	tx.Emit("setup_intent.succeeded", doc, nil)
	return doc, nil
}

// decline keeps what the bank said; the intent waits for another payment method.
func (si *SetupIntent) decline(tx *twin.Tx, m *PaymentMethod, in *instrument) *twin.Error {
	method, _ := paymentMethods.Doc(tx, m.ID)
	told := wireError{PaymentMethod: method.Body}
	last := in.refusal.fill(told)
	si.Status, si.PaymentMethod, si.LastSetupError, si.NextAction = intentNeedsMethod, nil, canon.Marshal(&last), nil
	doc := setupIntents.Put(tx, si)
	tx.Emit("setup_intent.setup_failed", doc, nil)
	told.SetupIntent = doc.Body
	err := errDeclined(&in.refusal, told)
	err.Keep = true
	return err
}

type listSetupIntentsParams struct {
	page
	Created       twin.Opt[twin.Range] `param:"created"`
	Customer      twin.Opt[string]     `param:"customer"`
	PaymentMethod twin.Opt[string]     `param:"payment_method"`
}

func listSetupIntents(tx *twin.Tx, p *listSetupIntentsParams) (twin.Doc, *twin.Error) {
	if err := known(tx, customers.Kind, "customer", p.Customer); err != nil {
		return twin.Doc{}, err
	}
	if p.PaymentMethod.Given() && tx.State().Get(paymentMethods.Table, p.PaymentMethod.V) == nil {
		return twin.Doc{}, errNoSuchRef(paymentMethodNoun, "payment_method", p.PaymentMethod.V)
	}
	var f filter
	f.with("payment_method", p.PaymentMethod)
	f.with("customer", p.Customer)
	f.within("created", p.Created)
	return list(tx, setupIntents.Kind, setupIntentNoun, "/v1/setup_intents", p.page, f)
}

type retrieveSetupIntentParams struct {
	Intent       string           `path:"intent"`
	ClientSecret twin.Opt[string] `param:"client_secret"`
}

func retrieveSetupIntent(tx *twin.Tx, p *retrieveSetupIntentParams) (twin.Doc, *twin.Error) {
	si, ok := setupIntents.Get(tx, p.Intent)
	switch {
	case !ok:
		return twin.Doc{}, errNoSuch(setupIntentNoun, "intent", p.Intent)
	case p.ClientSecret.Given() && p.ClientSecret.V != si.ClientSecret:
		return twin.Doc{}, errSecretMismatch("SetupIntent")
	}
	doc, _ := setupIntents.Doc(tx, si.ID)
	return doc, nil
}

// The texts for what a setup intent's status does not allow.
const (
	setupWithoutMethod = "You cannot confirm this SetupIntent because it's missing a payment method. Update the SetupIntent with a " +
		"payment method and then confirm it again."
	setupDone = "You cannot %s this SetupIntent because it has already succeeded."
	setupGone = "You cannot %s this SetupIntent because it has a status of canceled. Only a SetupIntent with one of the following " +
		"statuses may be used so: requires_payment_method, requires_confirmation, requires_action."
)

// openSetup finds a setup intent that still waits, as a copy to change.
func openSetup(tx *twin.Tx, id, verb string) (*SetupIntent, *twin.Error) {
	old, ok := setupIntents.Get(tx, id)
	if !ok {
		return nil, errNoSuch(setupIntentNoun, "intent", id)
	}
	doc, _ := setupIntents.Doc(tx, id)
	switch old.Status {
	case intentSucceeded:
		return nil, errSetupState(doc.Body, setupDone, verb)
	case intentCanceled:
		return nil, errSetupState(doc.Body, setupGone, verb)
	}
	si := *old
	return &si, nil
}

type updateSetupIntentParams struct {
	Intent string `path:"intent"`
	setupDetails
	Customer    twin.Opt[string]        `param:"customer"`
	Description twin.Opt[string]        `param:"description" rule:"len=1000"`
	Metadata    twin.Opt[twin.Metadata] `param:"metadata"`
}

// updateSetupIntent changes an intent. Stripe has no event for it.
func updateSetupIntent(tx *twin.Tx, p *updateSetupIntentParams) (twin.Doc, *twin.Error) {
	si, err := openSetup(tx, p.Intent, "update")
	if err != nil {
		return twin.Doc{}, err
	}
	if p.Customer.Given() {
		switch _, ok := liveCustomer(tx, p.Customer.V); {
		case !ok:
			return twin.Doc{}, errNoSuchRef(customers.Object, "customer", p.Customer.V)
		case si.Customer != nil && *si.Customer != p.Customer.V:
			return twin.Doc{}, errIntentCustomer("SetupIntent", *si.Customer)
		}
	}
	p.Customer.Apply(&si.Customer)
	p.Description.Apply(&si.Description)
	if si.Metadata, err = applyMetadata(si.Metadata, p.Metadata); err != nil {
		return twin.Doc{}, err
	}
	if err := p.apply(tx, si); err != nil {
		return twin.Doc{}, err
	}
	doc, _, _ := setupIntents.Replace(tx, si)
	return doc, nil
}

type confirmSetupIntentParams struct {
	Intent string `path:"intent"`
	setupDetails
	ReturnURL    twin.Opt[string] `param:"return_url"`
	UseStripeSDK twin.Opt[bool]   `param:"use_stripe_sdk"`
}

func confirmSetupIntent(tx *twin.Tx, p *confirmSetupIntentParams) (twin.Doc, *twin.Error) {
	si, err := openSetup(tx, p.Intent, "confirm")
	if err != nil {
		return twin.Doc{}, err
	}
	stored, _ := setupIntents.Doc(tx, si.ID)
	if err := p.apply(tx, si); err != nil {
		return twin.Doc{}, err
	}
	if si.PaymentMethod == nil {
		return twin.Doc{}, errSetupState(stored.Body, setupWithoutMethod)
	}
	return si.confirm(tx, returnTo(p.ReturnURL, p.UseStripeSDK))
}

type cancelSetupIntentParams struct {
	Intent string           `path:"intent"`
	Reason twin.Opt[string] `param:"cancellation_reason" rule:"enum=abandoned|requested_by_customer|duplicate"`
}

func cancelSetupIntent(tx *twin.Tx, p *cancelSetupIntentParams) (twin.Doc, *twin.Error) {
	si, err := openSetup(tx, p.Intent, "cancel")
	if err != nil {
		return twin.Doc{}, err
	}
	si.Status, si.NextAction = intentCanceled, nil
	p.Reason.Apply(&si.CancellationReason)
	doc := setupIntents.Put(tx, si)
	tx.Emit("setup_intent.canceled", doc, nil)
	return doc, nil
}
