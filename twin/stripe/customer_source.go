package stripe

import (
	"strings"

	"worlds/journal/canon"
	"worlds/twin"
)

// A source of a customer is a card from a token. It is stored as a payment method
// whose id begins with card_, and shows as a card where the older shape is asked
// for.

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
