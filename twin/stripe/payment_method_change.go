package stripe

import (
	"strings"

	"worlds/journal/mutant"
	"worlds/twin"
)

// methodCardParams is a card for a new payment method: spelled out, or a token.
type methodCardParams struct {
	cardParams
	Token twin.Opt[string] `param:"token"`
}

// complete refuses a card that is neither.
func (p *methodCardParams) complete(at string) *twin.Error {
	spelled := p.Number.Given() || p.ExpMonth.Given() || p.ExpYear.Given() || p.CVC.Given()
	switch {
	case p.Token.Given() && spelled:
		return errExclusive(at+"[token]", at+"[number]")
	case p.Token.Given():
		return nil
	}
	return p.cardParams.complete(at)
}

// methodDataParams are the details of a new payment method.
type methodDataParams struct {
	AllowRedisplay twin.Opt[string]           `param:"allow_redisplay" rule:"enum=always|limited|unspecified"`
	BillingDetails twin.Opt[billingParams]    `param:"billing_details"`
	Card           twin.Opt[methodCardParams] `param:"card"`
	Metadata       twin.Opt[twin.Metadata]    `param:"metadata"`
	Type           twin.Opt[string]           `param:"type" rule:"required"`
}

type billingParams struct {
	Address twin.Opt[addressParams] `param:"address" rule:"empty"`
	Email   twin.Opt[string]        `param:"email" rule:"empty,email"`
	Name    twin.Opt[string]        `param:"name" rule:"empty"`
	Phone   twin.Opt[string]        `param:"phone" rule:"empty"`
	TaxID   twin.Opt[string]        `param:"tax_id"`
}

func (p *billingParams) apply(b *BillingDetails) {
	if p.Address.Sent() {
		b.Address = Address{}
		if a := applyAddress(nil, p.Address); a != nil {
			b.Address = *a
		}
	}
	p.Email.Apply(&b.Email)
	p.Name.Apply(&b.Name)
	p.Phone.Apply(&b.Phone)
	p.TaxID.Apply(&b.TaxID)
}

// complete refuses what is no card. at is the parameter it is, "" for the request.
func (p *methodDataParams) complete(at string) *twin.Error {
	param := func(name string) string {
		if at == "" {
			return name
		}
		return at + "[" + name + "]"
	}
	filter := paymentMethodFilter{Type: p.Type}
	if err := filter.Check(); err != nil {
		return invalid(param("type"), "Invalid %s: %s", param("type"), p.Type.V)
	}
	if p.Type.V != cardType {
		return errUnserved("payment methods of type "+p.Type.V, param("type"))
	}
	if !p.Card.Given() {
		return errMissing(param("card"))
	}
	return p.Card.V.complete(param("card"))
}

// mint makes the payment method, not yet stored.
func (p *methodDataParams) mint(tx *twin.Tx) (m *PaymentMethod, err *twin.Error) {
	card := &p.Card.V
	if card.Token.Given() {
		m, err = spendToken(tx, card.Token.V, paymentMethods.Prefix, "card[token]")
	} else {
		var in instrument
		if in, err = card.read(tx); err == nil {
			m = mintMethod(tx, &in)
			card.mark(&m.Card)
		}
	}
	if err != nil {
		return nil, err
	}
	p.BillingDetails.V.apply(&m.BillingDetails)
	m.AllowRedisplay = p.AllowRedisplay.Or(m.AllowRedisplay)
	m.Metadata, err = applyMetadata(m.Metadata, p.Metadata)
	return m, err
}

type createPaymentMethodParams struct{ methodDataParams }

// Check refuses what is no card.
func (p *createPaymentMethodParams) Check() *twin.Error { return p.complete("") }

// createPaymentMethod makes a payment method of no customer. Stripe has no event
// for it.
func createPaymentMethod(tx *twin.Tx, p *createPaymentMethodParams) (twin.Doc, *twin.Error) {
	m, err := p.mint(tx)
	if err != nil {
		return twin.Doc{}, err
	}
	return paymentMethods.Put(tx, m), nil
}

type updatePaymentMethodParams struct {
	PaymentMethod  string                    `path:"payment_method"`
	AllowRedisplay twin.Opt[string]          `param:"allow_redisplay" rule:"enum=always|limited|unspecified"`
	BillingDetails twin.Opt[billingParams]   `param:"billing_details"`
	Card           twin.Opt[cardDatesParams] `param:"card"`
	Metadata       twin.Opt[twin.Metadata]   `param:"metadata"`
}

type cardDatesParams struct {
	ExpMonth twin.Opt[int64] `param:"exp_month"`
	ExpYear  twin.Opt[int64] `param:"exp_year"`
}

func updatePaymentMethod(tx *twin.Tx, p *updatePaymentMethodParams) (twin.Doc, *twin.Error) {
	old, ok := paymentMethods.Get(tx, p.PaymentMethod)
	switch {
	case !ok:
		return twin.Doc{}, errNoSuch(paymentMethodNoun, "payment_method", p.PaymentMethod)
	case old.Customer == nil:
		return twin.Doc{}, errMethodUnsaved()
	}
	m := *old
	p.BillingDetails.V.apply(&m.BillingDetails)
	m.AllowRedisplay = p.AllowRedisplay.Or(m.AllowRedisplay)
	if month := p.Card.V.ExpMonth; month.Given() && (month.V < 1 || month.V > 12) {
		return twin.Doc{}, errCard("invalid_expiry_month", "exp_month", "Your card's expiration month is invalid.")
	}
	m.Card.ExpMonth = p.Card.V.ExpMonth.Or(m.Card.ExpMonth)
	m.Card.ExpYear = p.Card.V.ExpYear.Or(m.Card.ExpYear)
	var err *twin.Error
	if m.Metadata, err = applyMetadata(m.Metadata, p.Metadata); err != nil {
		return twin.Doc{}, err
	}
	doc, previous, changed := paymentMethods.Replace(tx, &m)
	if changed {
		tx.Emit("payment_method.updated", doc, previous)
	}
	return doc, nil
}

// detachPaymentMethod takes a payment method from its customer, for good. It is no
// customer's default any more.
func detachPaymentMethod(tx *twin.Tx, p *retrievePaymentMethodParams) (twin.Doc, *twin.Error) {
	old, ok := paymentMethods.Get(tx, p.PaymentMethod)
	switch {
	case !ok:
		return twin.Doc{}, errNoSuch(paymentMethodNoun, "payment_method", p.PaymentMethod)
	case old.Customer == nil:
		return twin.Doc{}, errMethodUnattached()
	}
	m := *old
	m.Customer = nil
	doc, previous, _ := paymentMethods.Replace(tx, &m)
	spend(tx, m.ID)
	tx.Emit("payment_method.detached", doc, previous)
	dropDefaults(tx, *old.Customer, m.ID)
	return doc, nil
}

// dropDefaults makes a payment method the default of nothing of a customer.
func dropDefaults(tx *twin.Tx, customer, method string) {
	c, ok := liveCustomer(tx, customer)
	if !ok {
		return
	}
	s := &c.InvoiceSettings
	if s.DefaultPaymentMethod != nil && *s.DefaultPaymentMethod == method && !mutant.Is("detached-stays-default") {
		s.DefaultPaymentMethod = nil
	}
	if c.DefaultSource != nil && *c.DefaultSource == method {
		c.DefaultSource = nil
		for row := range tx.State().NewestWith(paymentMethods.Table, "customer="+customer, 0) {
			if strings.HasPrefix(row.ID, cardPrefix+"_") {
				c.DefaultSource = &row.ID
				break
			}
		}
	}
	if doc, previous, changed := customers.Replace(tx, c); changed {
		tx.Emit("customer.updated", doc, previous)
	}
	var hit []*Subscription
	for s := range subscriptions.With(tx, "customer="+customer) {
		if s.DefaultPaymentMethod != nil && *s.DefaultPaymentMethod == method {
			hit = append(hit, s.copy())
		}
	}
	for _, s := range hit {
		s.DefaultPaymentMethod = nil
		if doc, previous, changed := subscriptions.Replace(tx, s); changed {
			tx.Emit("customer.subscription.updated", doc, previous)
		}
	}
}

// spentMethod is a payment method without a customer that cannot be used again:
// its own shape has no place to say so.
type spentMethod struct {
	ID string `json:"id"`
}

var spentMethods = twin.Resource[spentMethod]{
	Kind: twin.Kind{Table: "stripe.spent_payment_method"},
	Key:  func(s *spentMethod) string { return s.ID },
}

func spentMethodAPI() twin.API { return twin.API{Kind: spentMethods.Kind} }

// spend makes a payment method one that cannot be used again.
func spend(tx *twin.Tx, id string) { spentMethods.Put(tx, &spentMethod{ID: id}) }

func spent(tx *twin.Tx, id string) bool {
	_, ok := spentMethods.Doc(tx, id)
	return ok
}
