package stripe

import (
	"strings"

	"worlds/twin"
)

// Address is a postal address.
type Address struct {
	City       *string `json:"city"`
	Country    *string `json:"country"`
	Line1      *string `json:"line1"`
	Line2      *string `json:"line2"`
	PostalCode *string `json:"postal_code"`
	State      *string `json:"state"`
}

// Shipping is where to send goods, and to whom.
type Shipping struct {
	Address        *Address `json:"address"`
	Carrier        *string  `json:"carrier,omitempty"`
	Name           string   `json:"name"`
	Phone          *string  `json:"phone"`
	TrackingNumber *string  `json:"tracking_number,omitempty"`
}

type addressParams struct {
	City       twin.Opt[string] `param:"city" rule:"empty"`
	Country    twin.Opt[string] `param:"country" rule:"empty"`
	Line1      twin.Opt[string] `param:"line1" rule:"empty"`
	Line2      twin.Opt[string] `param:"line2" rule:"empty"`
	PostalCode twin.Opt[string] `param:"postal_code" rule:"empty"`
	State      twin.Opt[string] `param:"state" rule:"empty"`
}

type shippingParams struct {
	Address twin.Opt[addressParams] `param:"address" rule:"required"`
	Name    twin.Opt[string]        `param:"name" rule:"required"`
	Phone   twin.Opt[string]        `param:"phone" rule:"empty"`
}

// applyAddress replaces the address, as Stripe does: what is not named of the new one is
// not known. Sent empty, it is unset.
func applyAddress(old *Address, p twin.Opt[addressParams]) *Address {
	switch {
	case p.Cleared():
		return nil
	case !p.Given():
		return old
	}
	a := Address{}
	p.V.City.Apply(&a.City)
	country := p.V.Country
	if len(country.V) == 2 { // codes are kept in capitals, words as they are
		country.V = strings.ToUpper(country.V)
	}
	country.Apply(&a.Country)
	p.V.Line1.Apply(&a.Line1)
	p.V.Line2.Apply(&a.Line2)
	p.V.PostalCode.Apply(&a.PostalCode)
	p.V.State.Apply(&a.State)
	return &a
}

// applyShipping replaces the shipping details; sent empty, they are unset.
func applyShipping(old *Shipping, p twin.Opt[shippingParams]) *Shipping {
	switch {
	case p.Cleared():
		return nil
	case !p.Given():
		return old
	}
	s := Shipping{Name: p.V.Name.V, Address: applyAddress(nil, p.V.Address)}
	p.V.Phone.Apply(&s.Phone)
	return &s
}
