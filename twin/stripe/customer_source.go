package stripe

import (
	"strings"

	"worlds/journal/canon"
	"worlds/projection"
	"worlds/twin"
)

// A source of a customer is a card from a token. It is stored as a payment method
// whose id begins with card_, and shows as a card where the older shape is asked
// for.

// sourceNoun is what a source is called in a refusal.
const sourceNoun = "source"

func sourceAPI() twin.API {
	const path = "/v1/customers/{customer}/sources"
	return twin.API{
		Kind: twin.Kind{Object: cardType, Prefix: cardPrefix, Digits: cardDigits},
		Routes: []twin.Route{
			twin.On("POST "+path, createSource),
			twin.On("GET "+path, listSources),
			twin.On("GET "+path+"/{id}", retrieveSource),
			twin.On("POST "+path+"/{id}", updateSource),
			twin.On("DELETE "+path+"/{id}", deleteSource),
		},
		Expand: map[string]string{
			"customer": customers.Object,
			// Never set here, and Stripe expands them.
			"account": "account",
		},
	}
}

type createSourceParams struct {
	Customer string                  `path:"customer"`
	Metadata twin.Opt[twin.Metadata] `param:"metadata"`
	Source   twin.Opt[string]        `param:"source" rule:"required"`
}

// createSource gives a customer the card of a token; the first is the default.
func createSource(tx *twin.Tx, p *createSourceParams) (twin.Doc, *twin.Error) {
	c, ok := liveCustomer(tx, p.Customer)
	if !ok {
		return twin.Doc{}, errNoSuch(customers.Object, "customer", p.Customer)
	}
	was := c.DefaultSource
	m, err := (&customerParams{Source: p.Source}).newSource(tx, c)
	if err != nil {
		return twin.Doc{}, err
	}
	if m.Metadata, err = applyMetadata(m.Metadata, p.Metadata); err != nil {
		return twin.Doc{}, err
	}
	addSource(tx, m)
	if was != nil {
		c.DefaultSource = was
	}
	if doc, previous, changed := customers.Replace(tx, c); changed {
		tx.Emit("customer.updated", doc, previous)
	}
	return twin.Doc{Body: cardDoc(tx, m.ID)}, nil
}

type listSourcesParams struct {
	Customer string `path:"customer"`
	page
	Object twin.Opt[string] `param:"object"`
}

func listSources(tx *twin.Tx, p *listSourcesParams) (twin.Doc, *twin.Error) {
	if _, ok := liveCustomer(tx, p.Customer); !ok {
		return twin.Doc{}, errNoSuch(customers.Object, "customer", p.Customer)
	}
	f := filter{
		terms: []string{"customer=" + p.Customer},
		keep: func(r *projection.Row) bool {
			return strings.HasPrefix(r.ID, cardPrefix+"_") && p.Object.Or(cardType) == cardType
		},
		show: func(r *projection.Row) canon.Raw { return cardDoc(tx, r.ID) },
	}
	return list(tx, paymentMethods.Kind, sourceNoun, "/v1/customers/"+p.Customer+"/sources", p.page, f)
}

// sourcePath is the path of one card of one customer.
type sourcePath struct {
	Customer string `path:"customer"`
	ID       string `path:"id"`
}

func (p *sourcePath) find(tx *twin.Tx) (*Customer, *PaymentMethod, *twin.Error) {
	c, ok := liveCustomer(tx, p.Customer)
	switch {
	case !ok:
		return nil, nil, errNoSuch(customers.Object, "customer", p.Customer)
	case !isSourceOf(tx, p.ID, p.Customer):
		return nil, nil, errNoSuch(sourceNoun, "id", p.ID)
	}
	old, _ := paymentMethods.Get(tx, p.ID)
	m := *old
	return c, &m, nil
}

func retrieveSource(tx *twin.Tx, p *sourcePath) (twin.Doc, *twin.Error) {
	if _, _, err := p.find(tx); err != nil {
		return twin.Doc{}, err
	}
	return twin.Doc{Body: cardDoc(tx, p.ID)}, nil
}

type updateSourceParams struct {
	sourcePath
	ownerParams
	ExpMonth twin.Opt[int64]         `param:"exp_month" rule:"min=1,max=12"`
	ExpYear  twin.Opt[int64]         `param:"exp_year" rule:"min=1970"`
	Metadata twin.Opt[twin.Metadata] `param:"metadata"`
}

func updateSource(tx *twin.Tx, p *updateSourceParams) (twin.Doc, *twin.Error) {
	_, m, err := p.find(tx)
	if err != nil {
		return twin.Doc{}, err
	}
	before := cardDoc(tx, m.ID)
	p.ownerParams.apply(&m.BillingDetails)
	m.Card.ExpMonth, m.Card.ExpYear = p.ExpMonth.Or(m.Card.ExpMonth), p.ExpYear.Or(m.Card.ExpYear)
	if m.Metadata, err = applyMetadata(m.Metadata, p.Metadata); err != nil {
		return twin.Doc{}, err
	}
	paymentMethods.Replace(tx, m)
	doc := twin.Doc{Body: cardDoc(tx, m.ID)}
	if previous, changed := twin.Changes(before, doc.Body); changed {
		tx.Emit("customer.source.updated", doc, previous)
	}
	return doc, nil
}

// deleteSource takes a card from a customer, for good; the newest that is left is
// the default then.
func deleteSource(tx *twin.Tx, p *sourcePath) (twin.Doc, *twin.Error) {
	c, m, err := p.find(tx)
	if err != nil {
		return twin.Doc{}, err
	}
	last := twin.Doc{Body: cardDoc(tx, m.ID)}
	m.Customer = nil
	paymentMethods.Put(tx, m)
	spend(tx, m.ID)
	tx.Emit("customer.source.deleted", last, nil)
	dropDefaults(tx, c.ID, m.ID)
	return twin.Doc{Body: deletedStub(m.ID, cardType)}, nil
}

// newSource makes the card that a request gives as a source the default one of c,
// not yet stored; nil when it gives none.
func (p *customerParams) newSource(tx *twin.Tx, c *Customer) (*PaymentMethod, *twin.Error) {
	if !p.Source.Given() {
		return nil, nil
	}
	m, err := spendToken(tx, p.Source.V, cardPrefix, "source")
	if err != nil {
		return nil, err
	}
	if in := instrumentBehind(&m.Card); !in.attaches() {
		return nil, errDeclined(&in.refusal, wireError{})
	}
	m.Customer, c.DefaultSource = &c.ID, &m.ID
	return m, nil
}

// addSource stores a new card of a customer, if there is one.
func addSource(tx *twin.Tx, m *PaymentMethod) {
	if m == nil {
		return
	}
	paymentMethods.Put(tx, m)
	card := m.source()
	tx.Emit("customer.source.created", twin.Doc{Body: canon.Marshal(&card)}, nil)
}

// cardDoc shows a stored payment method as a card.
func cardDoc(tx *twin.Tx, id string) canon.Raw {
	m, ok := paymentMethods.Get(tx, id)
	if !ok {
		return nil
	}
	card := m.source()
	return canon.Marshal(&card)
}

func defaultSourceOf(tx *twin.Tx, customer canon.Raw) canon.Raw {
	raw, _ := canon.Get(customer, "default_source")
	id, _ := canon.Unquote(raw)
	if card := cardDoc(tx, id); card != nil {
		return card
	}
	return raw
}

// sourcesOf lists the cards of a customer, newest first.
func sourcesOf(tx *twin.Tx, customer canon.Raw) canon.Raw {
	raw, _ := canon.Get(customer, "id")
	id, _ := canon.Unquote(raw)
	var rows []canon.Raw
	for row := range tx.State().NewestWith(paymentMethods.Table, "customer="+id, 0) {
		if strings.HasPrefix(row.ID, cardPrefix+"_") {
			rows = append(rows, cardDoc(tx, row.ID))
		}
	}
	return pageDoc(rows, pageDefault, false, "/v1/customers/"+id+"/sources").Body
}

// isSourceOf reports whether id is a card of a customer.
func isSourceOf(tx *twin.Tx, id, customer string) bool {
	m, ok := paymentMethods.Get(tx, id)
	return ok && strings.HasPrefix(id, cardPrefix+"_") && m.Customer != nil && *m.Customer == customer
}
