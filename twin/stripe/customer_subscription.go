package stripe

import "worlds/twin"

// The subscriptions of a customer by the older routes, which name the customer first.

func customerSubscriptionAPI() twin.API {
	const path = "/v1/customers/{customer}/subscriptions"
	const one = path + "/{subscription_exposed_id}"
	return twin.API{Routes: []twin.Route{
		twin.On("POST "+path, createCustomerSubscription),
		twin.On("GET "+path, listCustomerSubscriptions),
		twin.On("GET "+one, retrieveCustomerSubscription),
		twin.On("POST "+one, updateCustomerSubscription),
		twin.On("DELETE "+one, cancelCustomerSubscription),
		twin.On("GET "+one+"/discount", retrieveSubscriptionDiscount),
		twin.On("DELETE "+one+"/discount", deleteCustomerSubscriptionDiscount),
	}}
}

type createCustomerSubscriptionParams struct {
	Customer string `path:"customer"`
	newSubscriptionParams
}

func (p *createCustomerSubscriptionParams) whole() *createSubscriptionParams {
	return &createSubscriptionParams{newSubscriptionParams: p.newSubscriptionParams, Customer: twin.Set(p.Customer)}
}

func (p *createCustomerSubscriptionParams) Check() *twin.Error { return p.whole().Check() }

func createCustomerSubscription(tx *twin.Tx, p *createCustomerSubscriptionParams) (twin.Doc, *twin.Error) {
	if _, ok := liveCustomer(tx, p.Customer); !ok {
		return twin.Doc{}, errNoSuch(customers.Object, "customer", p.Customer)
	}
	return createSubscription(tx, p.whole())
}

type listCustomerSubscriptionsParams struct {
	Customer string `path:"customer"`
	page
}

func listCustomerSubscriptions(tx *twin.Tx, p *listCustomerSubscriptionsParams) (twin.Doc, *twin.Error) {
	if _, ok := liveCustomer(tx, p.Customer); !ok {
		return twin.Doc{}, errNoSuch(customers.Object, "customer", p.Customer)
	}
	return list(tx, subscriptions.Kind, subscriptions.Object, "/v1/customers/"+p.Customer+"/subscriptions", p.page,
		filter{terms: []string{"customer=" + p.Customer, listed}, among: listed})
}

// customerSubscriptionPath is the path of one subscription of one customer.
type customerSubscriptionPath struct {
	Customer     string `path:"customer"`
	Subscription string `path:"subscription_exposed_id"`
}

// check refuses a subscription that is not the customer's.
func (p *customerSubscriptionPath) check(tx *twin.Tx) *twin.Error {
	if _, ok := liveCustomer(tx, p.Customer); !ok {
		return errNoSuch(customers.Object, "customer", p.Customer)
	}
	if s, ok := subscriptions.Get(tx, p.Subscription); !ok || s.Customer != p.Customer {
		return errNotSubscribed(p.Customer, p.Subscription)
	}
	return nil
}

func retrieveCustomerSubscription(tx *twin.Tx, p *customerSubscriptionPath) (twin.Doc, *twin.Error) {
	if err := p.check(tx); err != nil {
		return twin.Doc{}, err
	}
	return retrieveSubscription(tx, &subscriptionPath{ID: p.Subscription})
}

type updateCustomerSubscriptionParams struct {
	customerSubscriptionPath
	changeSubscriptionParams
}

func (p *updateCustomerSubscriptionParams) whole() *updateSubscriptionParams {
	return &updateSubscriptionParams{ID: p.Subscription, changeSubscriptionParams: p.changeSubscriptionParams}
}

func (p *updateCustomerSubscriptionParams) Check() *twin.Error { return p.whole().Check() }

func updateCustomerSubscription(tx *twin.Tx, p *updateCustomerSubscriptionParams) (twin.Doc, *twin.Error) {
	if err := p.customerSubscriptionPath.check(tx); err != nil {
		return twin.Doc{}, err
	}
	return updateSubscription(tx, p.whole())
}

type cancelCustomerSubscriptionParams struct {
	customerSubscriptionPath
	InvoiceNow twin.Opt[bool] `param:"invoice_now"`
	Prorate    twin.Opt[bool] `param:"prorate"`
}

func cancelCustomerSubscription(tx *twin.Tx, p *cancelCustomerSubscriptionParams) (twin.Doc, *twin.Error) {
	if err := p.check(tx); err != nil {
		return twin.Doc{}, err
	}
	return cancelSubscription(tx, &cancelSubscriptionParams{ID: p.Subscription, InvoiceNow: p.InvoiceNow, Prorate: p.Prorate})
}

// retrieveSubscriptionDiscount shows the newest discount of a subscription.
func retrieveSubscriptionDiscount(tx *twin.Tx, p *customerSubscriptionPath) (twin.Doc, *twin.Error) {
	if err := p.check(tx); err != nil {
		return twin.Doc{}, err
	}
	s, _ := subscriptions.Get(tx, p.Subscription)
	if len(s.Discounts) == 0 {
		return twin.Doc{}, errNoDiscount("subscription", s.ID)
	}
	doc, _ := discounts.Doc(tx, s.Discounts[len(s.Discounts)-1])
	return doc, nil
}

func deleteCustomerSubscriptionDiscount(tx *twin.Tx, p *customerSubscriptionPath) (twin.Doc, *twin.Error) {
	if err := p.check(tx); err != nil {
		return twin.Doc{}, err
	}
	return deleteSubscriptionDiscount(tx, &deleteSubscriptionDiscountParams{Subscription: p.Subscription})
}
