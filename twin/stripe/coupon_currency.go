package stripe

import (
	"fmt"
	"maps"

	"worlds/journal/canon"
	"worlds/twin"
)

// couponSums are what a coupon of a sum takes off in currencies beside its own. They
// show only where they are asked for.
type couponSums struct {
	ID      string                    `json:"id"` // of the coupon
	Options map[string]couponCurrency `json:"options"`
}

type couponCurrency struct {
	AmountOff twin.Money `json:"amount_off"`
}

var couponCurrencies = twin.Resource[couponSums]{
	Kind: twin.Kind{Table: "stripe.coupon_currency"},
	Key:  func(s *couponSums) string { return s.ID },
}

func couponCurrencyAPI() twin.API { return twin.API{Kind: couponCurrencies.Kind} }

// couponOptions are sums by currency, as a request gives them.
type couponOptions = twin.Opt[[]couponCurrencyParams]

type couponCurrencyParams struct {
	Currency  string               `key:""`
	AmountOff twin.Opt[twin.Money] `param:"amount_off" rule:"required,min=1,max=99999999"`
}

// offer keeps the sums that a request gives a coupon, and reports whether there are new
// ones; one that it has stays.
func offer(tx *twin.Tx, c *Coupon, p couponOptions) (more bool, err *twin.Error) {
	if !p.Given() {
		return false, nil
	}
	kept := couponSums{ID: c.ID, Options: map[string]couponCurrency{}}
	for i := range p.V {
		at := fmt.Sprintf("currency_options[%s]", p.V[i].Currency)
		currency, err := knownCurrency(p.V[i].Currency, at)
		if err != nil {
			return false, err
		}
		had, taken := sumIn(tx, c, currency)
		if o, again := kept.Options[currency]; again { // in another case
			had, taken = o.AmountOff, true
		}
		if asked := p.V[i].AmountOff.V; taken && had != asked {
			return false, invalid(at+"[amount_off]", "The amount_off of a coupon cannot be changed once it is set for a currency (%s).", currency)
		}
		if !taken {
			kept.Options[currency] = couponCurrency{p.V[i].AmountOff.V}
		}
	}
	if len(kept.Options) == 0 {
		return false, nil
	}
	if old, ok := couponCurrencies.Get(tx, c.ID); ok {
		maps.Copy(kept.Options, old.Options)
	}
	couponCurrencies.Put(tx, &kept)
	return true, nil
}

// sumIn is what a coupon of a sum takes off in a currency, and whether it does.
func sumIn(tx *twin.Tx, c *Coupon, currency string) (twin.Money, bool) {
	if c.AmountOff != nil && *c.Currency == currency {
		return *c.AmountOff, true
	}
	if s, ok := couponCurrencies.Get(tx, c.ID); ok {
		o, ok := s.Options[currency]
		return o.AmountOff, ok
	}
	return 0, false
}

// takesOff reports whether a coupon reduces sums in a currency.
func (c *Coupon) takesOff(tx *twin.Tx, currency string) bool {
	_, ok := sumIn(tx, c, currency)
	return c.AmountOff == nil || ok
}

// in is a coupon as it is at work in a currency that it takes something off in.
func (c *Coupon) in(tx *twin.Tx, currency string) *Coupon {
	if c.AmountOff == nil || *c.Currency == currency {
		return c
	}
	other := *c
	sum, _ := sumIn(tx, c, currency)
	other.AmountOff, other.Currency = &sum, &currency
	return &other
}

// includeCurrencyOptions lists the sums of a coupon by currency, its own one too.
func includeCurrencyOptions(tx *twin.Tx, coupon canon.Raw) canon.Raw {
	var c Coupon
	if err := canon.Unmarshal(coupon, &c); err != nil {
		panic("stripe: coupon: " + err.Error())
	}
	all := map[string]couponCurrency{}
	if c.AmountOff != nil {
		all[*c.Currency] = couponCurrency{*c.AmountOff}
	}
	if s, ok := couponCurrencies.Get(tx, c.ID); ok {
		maps.Copy(all, s.Options)
	}
	return canon.Marshal(&all)
}
