package stripe

import (
	"worlds/twin"
)

// Token stands for a card that was spelled out once; it can be used once.
type Token struct {
	Card     CardSource `json:"card"`
	ClientIP *string    `json:"client_ip"`
	Created  twin.Time  `json:"created"`
	ID       string     `json:"id"`
	Livemode bool       `json:"livemode"`
	Object   string     `json:"object"`
	Type     string     `json:"type"`
	Used     bool       `json:"used"`
}

// CardSource is a card in the shape it had before there were payment methods: of
// tokens, of the sources of customers, and of charges made with either.
type CardSource struct {
	AddressCity       *string           `json:"address_city"`
	AddressCountry    *string           `json:"address_country"`
	AddressLine1      *string           `json:"address_line1"`
	AddressLine1Check *string           `json:"address_line1_check"`
	AddressLine2      *string           `json:"address_line2"`
	AddressState      *string           `json:"address_state"`
	AddressZip        *string           `json:"address_zip"`
	AddressZipCheck   *string           `json:"address_zip_check"`
	AllowRedisplay    string            `json:"allow_redisplay"`
	Brand             string            `json:"brand"`
	Country           string            `json:"country"`
	Customer          *string           `json:"customer"`
	CVCCheck          *string           `json:"cvc_check"`
	DynamicLast4      *string           `json:"dynamic_last4"`
	ExpMonth          int64             `json:"exp_month"`
	ExpYear           int64             `json:"exp_year"`
	Fingerprint       string            `json:"fingerprint"`
	Funding           string            `json:"funding"`
	ID                string            `json:"id"`
	Last4             string            `json:"last4"`
	Metadata          map[string]string `json:"metadata"`
	Name              *string           `json:"name"`
	Object            string            `json:"object"`
	RegulatedStatus   string            `json:"regulated_status"`
	TokenizationMeth  *string           `json:"tokenization_method"`
}

// cardPrefix and cardDigits shape the ids of cards that are not payment methods.
const (
	cardPrefix = "card"
	cardDigits = 24
)

var tokens = twin.Resource[Token]{
	Kind: twin.Kind{Table: "stripe.token", Object: "token", Prefix: "tok", Digits: 24},
	Key:  func(t *Token) string { return t.ID },
}

func tokenAPI() twin.API {
	return twin.API{
		Kind: tokens.Kind,
		Routes: []twin.Route{
			twin.On("POST /v1/tokens", createToken),
			twin.On("GET /v1/tokens/{token}", retrieveToken),
		},
		Expand: map[string]string{
			"bank_account.account":  "account", // of which there is none
			"bank_account.customer": customers.Object,
			"card":                  "",
		},
	}
}

type createTokenParams struct {
	Card twin.Opt[tokenCardParams] `param:"card" rule:"required"`
}

type tokenCardParams struct {
	cardParams
	ownerParams
}

// ownerParams are whose a card is, in the older shape.
type ownerParams struct {
	City    twin.Opt[string] `param:"address_city"`
	Country twin.Opt[string] `param:"address_country"`
	Line1   twin.Opt[string] `param:"address_line1"`
	Line2   twin.Opt[string] `param:"address_line2"`
	State   twin.Opt[string] `param:"address_state"`
	Zip     twin.Opt[string] `param:"address_zip"`
	Name    twin.Opt[string] `param:"name"`
}

func (p *ownerParams) apply(b *BillingDetails) {
	p.City.Apply(&b.Address.City)
	p.Country.Apply(&b.Address.Country)
	p.Line1.Apply(&b.Address.Line1)
	p.Line2.Apply(&b.Address.Line2)
	p.State.Apply(&b.Address.State)
	p.Zip.Apply(&b.Address.PostalCode)
	p.Name.Apply(&b.Name)
}

// Check refuses a card that is not spelled out.
func (p *createTokenParams) Check() *twin.Error { return p.Card.V.complete("card") }

func createToken(tx *twin.Tx, p *createTokenParams) (twin.Doc, *twin.Error) {
	in, err := p.Card.V.read(tx)
	if err != nil {
		return twin.Doc{}, err
	}
	m := newMethod(tx, tx.NewID(cardPrefix, cardDigits), &in)
	p.Card.V.mark(&m.Card)
	p.Card.V.apply(&m.BillingDetails)
	return tokens.Put(tx, &Token{
		ID: tokens.NewID(tx), Object: tokens.Object, Created: tx.Now(), Type: cardType, Card: m.source(),
	}), nil
}

type retrieveTokenParams struct {
	Token string `path:"token"`
}

func retrieveToken(tx *twin.Tx, p *retrieveTokenParams) (twin.Doc, *twin.Error) {
	doc, ok := tokens.Doc(tx, p.Token)
	if !ok {
		return twin.Doc{}, errNoSuch(tokens.Object, "token", p.Token)
	}
	return doc, nil
}

// source is a payment method in the older shape.
func (m *PaymentMethod) source() CardSource {
	a := &m.BillingDetails.Address
	return CardSource{
		ID: m.ID, Object: cardType, Customer: m.Customer, Metadata: m.Metadata, AllowRedisplay: m.AllowRedisplay,
		Brand: m.Card.wordmark(), Country: m.Card.Country, ExpMonth: m.Card.ExpMonth, ExpYear: m.Card.ExpYear,
		Fingerprint: m.Card.Fingerprint, Funding: m.Card.Funding, Last4: m.Card.Last4, RegulatedStatus: m.Card.RegulatedStatus,
		CVCCheck: m.Card.Checks.CVCCheck, Name: m.BillingDetails.Name, AddressCity: a.City, AddressCountry: a.Country,
		AddressLine1: a.Line1, AddressLine2: a.Line2, AddressState: a.State, AddressZip: a.PostalCode,
	}
}

// wordmarks are the brands as the older shape spells them.
var wordmarks = [...][2]string{
	{"visa", "Visa"}, {"mastercard", "MasterCard"}, {"amex", "American Express"}, {"discover", "Discover"},
	{"diners", "Diners Club"}, {"jcb", "JCB"}, {"unionpay", "UnionPay"},
}

func (c *Card) wordmark() string {
	for _, w := range wordmarks {
		if w[0] == c.Brand {
			return w[1]
		}
	}
	return "Unknown"
}

// spendToken makes a payment method out of a token, with an id of prefix, not yet
// stored. The name of a test instrument can be used again and again.
func spendToken(tx *twin.Tx, given, prefix, param string) (*PaymentMethod, *twin.Error) {
	if in, named := instrumentUnder(tokenPrefix, given); named {
		return newMethod(tx, tx.NewID(prefix, cardDigits), &in), nil
	}
	old, ok := tokens.Get(tx, given)
	switch {
	case !ok:
		return nil, errNoSuchRef(tokens.Object, param, given)
	case old.Used:
		return nil, errTokenUsed(given, param)
	}
	t := *old
	t.Used = true
	tokens.Put(tx, &t)
	in := instrumentLike(t.Card.Last4, t.Card.Fingerprint)
	id := t.Card.ID
	if prefix != cardPrefix {
		id = tx.NewID(prefix, cardDigits)
	}
	m := newMethod(tx, id, &in)
	m.Card.ExpMonth, m.Card.ExpYear, m.Card.Checks.CVCCheck = t.Card.ExpMonth, t.Card.ExpYear, t.Card.CVCCheck
	m.BillingDetails.Name = t.Card.Name
	m.BillingDetails.Address = Address{City: t.Card.AddressCity, Country: t.Card.AddressCountry, Line1: t.Card.AddressLine1,
		Line2: t.Card.AddressLine2, PostalCode: t.Card.AddressZip, State: t.Card.AddressState}
	return m, nil
}
