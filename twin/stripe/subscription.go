package stripe

import (
	"slices"

	"worlds/journal/canon"
	"worlds/projection"
	"worlds/twin"
)

// Subscription is a customer's standing order.
type Subscription struct {
	Application              canon.Raw                   `json:"application"`
	ApplicationFeePercent    canon.Raw                   `json:"application_fee_percent"`
	AutomaticTax             SubscriptionAutomaticTax    `json:"automatic_tax"`
	BillingCycleAnchor       twin.Time                   `json:"billing_cycle_anchor"` // every period boundary is counted from here
	BillingCycleAnchorConfig *AnchorConfig               `json:"billing_cycle_anchor_config"`
	BillingMode              BillingMode                 `json:"billing_mode"`
	BillingSchedules         []canon.Raw                 `json:"billing_schedules"`
	BillingThresholds        canon.Raw                   `json:"billing_thresholds"`
	CancelAt                 *twin.Time                  `json:"cancel_at"`
	CancelAtPeriodEnd        bool                        `json:"cancel_at_period_end"`
	CanceledAt               *twin.Time                  `json:"canceled_at"`
	CancellationDetails      CancellationDetails         `json:"cancellation_details"`
	CollectionMethod         string                      `json:"collection_method"`
	Created                  twin.Time                   `json:"created"`
	Currency                 string                      `json:"currency"`
	Customer                 string                      `json:"customer"`
	CustomerAccount          canon.Raw                   `json:"customer_account"`
	DaysUntilDue             *int64                      `json:"days_until_due"`
	DefaultPaymentMethod     *string                     `json:"default_payment_method"`
	DefaultSource            canon.Raw                   `json:"default_source"`
	DefaultTaxRates          []canon.Raw                 `json:"default_tax_rates"`
	Description              *string                     `json:"description"`
	Discounts                []string                    `json:"discounts"`
	EndedAt                  *twin.Time                  `json:"ended_at"`
	ID                       string                      `json:"id"`
	InvoiceSettings          SubscriptionInvoiceSettings `json:"invoice_settings"`
	Items                    SubscriptionItems           `json:"items"`
	LatestInvoice            *string                     `json:"latest_invoice"`
	Livemode                 bool                        `json:"livemode"`
	ManagedPayments          canon.Raw                   `json:"managed_payments"`
	Metadata                 map[string]string           `json:"metadata"`
	NextPendingInvoice       canon.Raw                   `json:"next_pending_invoice_item_invoice"`
	Object                   string                      `json:"object"`
	OnBehalfOf               canon.Raw                   `json:"on_behalf_of"`
	PauseCollection          *PauseCollection            `json:"pause_collection"` // nil: invoices are collected
	PaymentSettings          SubscriptionPaymentSettings `json:"payment_settings"`
	PendingInterval          canon.Raw                   `json:"pending_invoice_item_interval"`
	PendingSetupIntent       *string                     `json:"pending_setup_intent"`
	PendingUpdate            *PendingUpdate              `json:"pending_update"`
	Plan                     *Plan                       `json:"plan"`     // null unless there is one item
	Quantity                 *int64                      `json:"quantity"` // null unless there is one item
	Schedule                 canon.Raw                   `json:"schedule"`
	StartDate                twin.Time                   `json:"start_date"`
	Status                   string                      `json:"status"`
	TestClock                *string                     `json:"test_clock"`
	TransferData             canon.Raw                   `json:"transfer_data"`
	TrialEnd                 *twin.Time                  `json:"trial_end"`
	TrialSettings            TrialSettings               `json:"trial_settings"`
	TrialStart               *twin.Time                  `json:"trial_start"`
}

// SubscriptionAutomaticTax says that tax is not computed.
type SubscriptionAutomaticTax struct {
	DisabledReason canon.Raw `json:"disabled_reason"`
	Enabled        bool      `json:"enabled"`
	Liability      canon.Raw `json:"liability"`
}

// BillingMode is how Stripe computes prorations: classic or flexible. The twin
// computes both alike.
type BillingMode struct {
	Flexible canon.Raw `json:"flexible"`
	Type     string    `json:"type"`
}

// CancellationDetails are why a subscription was or will be canceled.
type CancellationDetails struct {
	Comment        *string `json:"comment"`
	Feedback       *string `json:"feedback"`
	FeedbackOption *string `json:"feedback_option"`
	Reason         *string `json:"reason"`
}

// SubscriptionInvoiceSettings are what a subscription's invoices inherit.
type SubscriptionInvoiceSettings struct {
	AccountTaxIDs canon.Raw `json:"account_tax_ids"`
	CustomFields  canon.Raw `json:"custom_fields"`
	Description   canon.Raw `json:"description"`
	Footer        canon.Raw `json:"footer"`
	Issuer        Issuer    `json:"issuer"`
}

// Issuer is who issues an invoice: always the account itself.
type Issuer struct {
	Type string `json:"type"`
}

// SubscriptionPaymentSettings are how a subscription's invoices are paid.
type SubscriptionPaymentSettings struct {
	Options     canon.Raw `json:"payment_method_options"`
	Types       canon.Raw `json:"payment_method_types"`
	SaveDefault string    `json:"save_default_payment_method"`
}

// TrialSettings are what happens when a trial ends.
type TrialSettings struct {
	EndBehavior TrialEndBehavior `json:"end_behavior"`
}

// TrialEndBehavior is what happens when a trial ends without a payment method.
type TrialEndBehavior struct {
	MissingPaymentMethod string `json:"missing_payment_method"`
}

// The statuses of a subscription.
const (
	subIncomplete        = "incomplete"
	subIncompleteExpired = "incomplete_expired"
	subTrialing          = "trialing"
	subActive            = "active"
	subPastDue           = "past_due"
	subCanceled          = "canceled"
	subUnpaid            = "unpaid"
	subPaused            = "paused"
)

var subscriptions = twin.Resource[Subscription]{
	Kind:  twin.Kind{Table: "stripe.subscription", Object: "subscription", Prefix: "sub", Digits: 24},
	Key:   func(s *Subscription) string { return s.ID },
	Terms: subscriptionTerms,
	Due:   subscriptionDue,
}

// subscriptionTerms index what lists filter by, and the items, which have no
// rows of their own.
func subscriptionTerms(s *Subscription) []string {
	terms := []string{"customer=" + s.Customer, "status=" + s.Status, "collection_method=" + s.CollectionMethod}
	if s.Status != subCanceled {
		terms = append(terms, listed)
	}
	if s.Status == subCanceled || s.Status == subIncompleteExpired {
		terms = append(terms, "ended=true")
	}
	for i := range s.Items.Data {
		it := &s.Items.Data[i]
		terms = append(terms, "item="+it.ID, "price="+it.Price.ID)
	}
	return terms
}

func subscriptionAPI() twin.API {
	return twin.API{
		Kind: subscriptions.Kind,
		Routes: []twin.Route{
			twin.On("POST /v1/subscriptions", createSubscription),
			twin.On("GET /v1/subscriptions", listSubscriptions),
			twin.On("GET /v1/subscriptions/{id}", retrieveSubscription),
			twin.On("POST /v1/subscriptions/{id}", updateSubscription),
			twin.On("DELETE /v1/subscriptions/{id}", cancelSubscription),
			twin.On("POST /v1/subscriptions/{subscription}/resume", resumeSubscription),
		},
		Expand: map[string]string{
			"application":            "application", // with those below that are never there
			"customer":               customers.Object,
			"default_payment_method": paymentMethods.Object,
			"default_source":         "source",
			"discounts":              discounts.Object,
			"items":                  "",
			"latest_invoice":         invoices.Object,
			"on_behalf_of":           "account",
			"pending_setup_intent":   setupIntents.Object,
			"plan":                   planObject,
			"schedule":               "subscription_schedule",
			// Never set here, and Stripe expands them.
			"automatic_tax.liability.account":      "account",
			"billing_schedules.applies_to.price":   prices.Object,
			"cancellation_details.feedback_option": "feedback_option",
			"invoice_settings.account_tax_ids":     "tax_id",
			"invoice_settings.issuer.account":      "account",
			"pending_update.discount":              "",
			"pending_update.discounts":             discounts.Object,
			"pending_update.subscription_items":    "",
			"transfer_data.destination":            "account",
		},
		Include: map[string]twin.Include{"test_clock": showClockOf},
		Fire:    fireSubscription,
		Seed:    seedSubscriptions,
	}
}

// copy is a subscription to change.
func (s *Subscription) copy() *Subscription {
	c := *s
	c.Items.Data = slices.Clone(s.Items.Data)
	return &c
}

// ended reports whether nothing happens to the subscription any more.
func (s *Subscription) ended() bool {
	return s.Status == subCanceled || s.Status == subIncompleteExpired
}

// newSubscription is a subscription of c without items, not yet stored.
func newSubscription(id string, c *Customer, currency string, created twin.Time) *Subscription {
	return &Subscription{
		ID: id, Object: subscriptions.Object, Created: created, StartDate: created, BillingCycleAnchor: created,
		Customer: c.ID, Currency: currency, CollectionMethod: chargeAutomatically, Status: subActive,
		BillingMode: BillingMode{Type: "flexible"}, InvoiceSettings: SubscriptionInvoiceSettings{Issuer: Issuer{Type: "self"}},
		Metadata: map[string]string{}, PaymentSettings: SubscriptionPaymentSettings{SaveDefault: "off"},
		TrialSettings: TrialSettings{TrialEndBehavior{MissingPaymentMethod: trialEndInvoice}}, TestClock: c.TestClock,
		Items: SubscriptionItems{Object: "list", URL: "/v1/subscription_items?subscription=" + id},
	}
}

type listSubscriptionsParams struct {
	page
	CollectionMethod   twin.Opt[string]     `param:"collection_method" rule:"enum=charge_automatically|send_invoice"`
	Created            twin.Opt[twin.Range] `param:"created"`
	CurrentPeriodEnd   twin.Opt[twin.Range] `param:"current_period_end"`
	CurrentPeriodStart twin.Opt[twin.Range] `param:"current_period_start"`
	Customer           twin.Opt[string]     `param:"customer"`
	Price              twin.Opt[string]     `param:"price"`
	Status             twin.Opt[string]     `param:"status" rule:"enum=active|past_due|unpaid|canceled|incomplete|incomplete_expired|trialing|paused|all|ended"`
}

// listSubscriptions hides the canceled ones unless the request asks for a status.
func listSubscriptions(tx *twin.Tx, p *listSubscriptionsParams) (twin.Doc, *twin.Error) {
	if err := known(tx, customers.Kind, "customer", p.Customer); err != nil {
		return twin.Doc{}, err
	}
	if err := known(tx, prices.Kind, "price", p.Price); err != nil {
		return twin.Doc{}, err
	}
	var f filter
	f.with("customer", p.Customer)
	f.with("price", p.Price)
	switch {
	case !p.Status.Given():
		f.terms, f.among = append(f.terms, listed), listed
	case p.Status.V == "ended":
		f.terms = append(f.terms, "ended=true")
	case p.Status.V != "all":
		f.with("status", p.Status)
	}
	f.with("collection_method", p.CollectionMethod)
	f.within("created", p.Created)
	f.withinPeriods("current_period_start", p.CurrentPeriodStart)
	f.withinPeriods("current_period_end", p.CurrentPeriodEnd)
	return list(tx, subscriptions.Kind, subscriptions.Object, "/v1/subscriptions", p.page, f)
}

// withinPeriods adds a range over an integer member that some item must have.
func (f *filter) withinPeriods(field string, p twin.Opt[twin.Range]) {
	if !p.Given() {
		return
	}
	next := f.keep
	f.keep = func(r *projection.Row) bool {
		for _, item := range elements(r.Body, "items") {
			raw, _ := canon.Get(item, field)
			if n, ok := canon.Int(raw); ok && p.V.Has(n) {
				return next == nil || next(r)
			}
		}
		return false
	}
}

// includeSubscriptions lists the subscriptions of a customer that are not
// canceled, newest first.
func includeSubscriptions(tx *twin.Tx, customer canon.Raw) canon.Raw {
	raw, _ := canon.Get(customer, "id")
	id, _ := canon.Unquote(raw)
	doc, _ := list(tx, subscriptions.Kind, subscriptions.Object, "/v1/customers/"+id+"/subscriptions", page{},
		filter{terms: []string{"customer=" + id, listed}})
	return doc.Body
}

type subscriptionPath struct {
	ID string `path:"id"`
}

func retrieveSubscription(tx *twin.Tx, p *subscriptionPath) (twin.Doc, *twin.Error) {
	doc, ok := subscriptions.Doc(tx, p.ID)
	if !ok {
		return twin.Doc{}, errNoSuch(subscriptions.Object, "id", p.ID)
	}
	return doc, nil
}
