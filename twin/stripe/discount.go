package stripe

import (
	"fmt"
	"math/big"
	"slices"

	"worlds/journal/canon"
	"worlds/journal/mutant"
	"worlds/seed"
	"worlds/twin"
)

// Discount is a coupon at work: on a subscription, an invoice or an invoice item.
type Discount struct {
	CheckoutSession  canon.Raw      `json:"checkout_session"`
	Customer         *string        `json:"customer"`
	CustomerAccount  canon.Raw      `json:"customer_account"`
	End              *twin.Time     `json:"end"` // nil unless the coupon repeats
	ID               string         `json:"id"`
	Invoice          *string        `json:"invoice"`
	InvoiceItem      *string        `json:"invoice_item"`
	Object           string         `json:"object"`
	PromotionCode    *string        `json:"promotion_code"`
	Source           DiscountSource `json:"source"`
	Start            twin.Time      `json:"start"`
	Subscription     *string        `json:"subscription"`
	SubscriptionItem *string        `json:"subscription_item"`
}

// DiscountSource is the coupon of a discount.
type DiscountSource struct {
	Coupon string `json:"coupon"`
	Type   string `json:"type"`
}

// DiscountAmount is what one discount takes off.
type DiscountAmount struct {
	Amount   twin.Money `json:"amount"`
	Discount string     `json:"discount"`
}

var discounts = twin.Resource[Discount]{
	Kind: twin.Kind{Table: "stripe.discount", Object: "discount", Prefix: "di", Digits: 24},
	Key:  func(d *Discount) string { return d.ID },
}

func discountAPI() twin.API {
	return twin.API{
		Kind: discounts.Kind,
		Routes: []twin.Route{
			twin.On("DELETE /v1/subscriptions/{subscription_exposed_id}/discount", deleteSubscriptionDiscount),
			twin.On("GET /v1/customers/{customer}/discount", retrieveCustomerDiscount),
			twin.On("DELETE /v1/customers/{customer}/discount", deleteCustomerDiscount),
		},
		Expand: map[string]string{
			"customer": customers.Object, "promotion_code": promotionCodes.Object, "source.coupon": coupons.Object,
		},
	}
}

// discountsMax is how many discounts one object can have.
const discountsMax = 20

// discountParams name one discount: a coupon, a code, or one there is.
type discountParams struct {
	Coupon        twin.Opt[string] `param:"coupon"`
	Discount      twin.Opt[string] `param:"discount"`
	PromotionCode twin.Opt[string] `param:"promotion_code"`
}

// discountList is what a request says about the discounts of an object.
type discountList = twin.Opt[[]discountParams]

// grant makes the discounts that a request asks for, like the model (whom and what
// they are for), in a currency. held are the ids the object has already: they can
// be kept. Each new one is announced.
func grant(tx *twin.Tx, p discountList, model Discount, currency string, held []string) ([]string, *twin.Error) {
	return grantAt(tx, p, model, currency, held, "discounts")
}

// grantAt is grant for a list that stands elsewhere in the request.
func grantAt(tx *twin.Tx, p discountList, model Discount, currency string, held []string, list string) ([]string, *twin.Error) {
	if len(p.V) > discountsMax {
		return nil, invalid(list, "You can apply at most %d discounts.", discountsMax)
	}
	var out []string
	for i := range p.V {
		at := fmt.Sprintf("%s[%d]", list, i)
		id, err := p.V[i].grant(tx, model, currency, held, at)
		if err != nil {
			return nil, err
		}
		for _, before := range out {
			if before == id || couponOf(tx, before).ID == couponOf(tx, id).ID {
				return nil, invalid(at, "The same coupon cannot be applied twice: %s.", couponOf(tx, id).ID)
			}
		}
		out = append(out, id)
	}
	return out, nil
}

func (p *discountParams) grant(tx *twin.Tx, d Discount, currency string, held []string, at string) (string, *twin.Error) {
	switch {
	case p.Discount.Given() && (p.Coupon.Given() || p.PromotionCode.Given()):
		return "", errExclusive(at+"[discount]", at+"[coupon]")
	case p.Discount.Given():
		for _, id := range held {
			if id == p.Discount.V {
				return id, nil
			}
		}
		return "", errNoSuchRef(discounts.Object, at+"[discount]", p.Discount.V)
	}
	made, err := p.make(tx, d, currency, at)
	if err != nil {
		return "", err
	}
	doc, _ := discounts.Doc(tx, made.ID)
	tx.Emit("customer.discount.created", doc, nil)
	return made.ID, nil
}

// make makes a discount of a coupon or a code, like d, for a currency ("" is any).
// at is where the request names it.
func (p *discountParams) make(tx *twin.Tx, d Discount, currency, at string) (*Discount, *twin.Error) {
	coupon, param := p.Coupon.V, join(at, "coupon")
	switch {
	case p.Coupon.Given() && p.PromotionCode.Given():
		return nil, errExclusive(join(at, "coupon"), join(at, "promotion_code"))
	case p.PromotionCode.Given():
		param = join(at, "promotion_code")
		code, ok := promotionCodes.Get(tx, p.PromotionCode.V)
		if !ok {
			return nil, errNoSuchRef("promotion code", param, p.PromotionCode.V)
		}
		if err := code.refuses(tx, *d.Customer, param); err != nil {
			return nil, err
		}
		d.PromotionCode, coupon = &code.ID, code.Promotion.Coupon
		code.redeem(tx)
	case !p.Coupon.Given():
		return nil, errMissing(param)
	}
	c, ok := coupons.Get(tx, coupon)
	switch {
	case !ok:
		return nil, errNoSuchRef(coupons.Object, param, coupon)
	case !c.Valid:
		return nil, errCouponExpired(c.ID, param)
	case currency != "" && !c.takesOff(tx, currency):
		return nil, errCouponCurrency(param, *c.Currency, currency)
	}
	c.redeem(tx)
	d.begin(tx, c)
	return &d, nil
}

// begin makes a discount of a coupon, from its start on, or from now on.
func (d *Discount) begin(tx *twin.Tx, c *Coupon) {
	d.ID, d.Object = discounts.NewID(tx), discounts.Object
	if d.Start == 0 {
		d.Start = tx.Now()
	}
	d.Source = DiscountSource{Coupon: c.ID, Type: coupons.Object}
	if c.DurationInMonths != nil {
		months := seed.Recurring{Interval: "month", IntervalCount: *c.DurationInMonths}
		end := twin.Time(min(months.Boundary(int64(d.Start), 1), twin.ClockMax))
		d.End = &end
	}
	discounts.Put(tx, d)
}

// couponOf is the coupon of a discount that exists.
func couponOf(tx *twin.Tx, id string) *Coupon {
	d, _ := discounts.Get(tx, id)
	return couponNamed(tx, d.Source.Coupon)
}

// endDiscounts says that discounts are over. Their rows stay: invoices name them.
func endDiscounts(tx *twin.Tx, ids []string) {
	for _, id := range ids {
		doc, _ := discounts.Doc(tx, id)
		tx.Emit("customer.discount.deleted", doc, nil)
	}
}

// owned lists those of some discounts that an invoice was given, not those it has
// from its subscription or customer.
func owned(tx *twin.Tx, ids []string, invoice string) []string {
	return slices.DeleteFunc(ids, func(id string) bool {
		d, _ := discounts.Get(tx, id)
		return orEmpty(d.Invoice) != invoice
	})
}

// applyDiscounts makes the discounts of a stored subscription what a request says; new
// ones begin at since, 0 for now.
func (s *Subscription) applyDiscounts(tx *twin.Tx, p discountList, since twin.Time) *twin.Error {
	if !p.Sent() {
		return nil
	}
	had := s.Discounts
	kept, err := grant(tx, p, Discount{Customer: &s.Customer, Subscription: &s.ID, Start: since}, s.Currency, had)
	if err != nil {
		return err
	}
	s.Discounts = kept
	endDiscounts(tx, without(had, kept))
	return nil
}

// without lists the members of a that b does not have.
func without(a, b []string) []string {
	var out []string
next:
	for _, x := range a {
		for _, y := range b {
			if x == y {
				continue next
			}
		}
		out = append(out, x)
	}
	return out
}

// dropDiscounts ends the discounts of a subscription and its items that have come to their end:
// in time, by now, or because they were for one invoice.
func (s *Subscription) dropDiscounts(tx *twin.Tx, now twin.Time) {
	drop := func(ids *[]string) {
		var over []string
		for _, id := range *ids {
			d, _ := discounts.Get(tx, id)
			if d.End != nil && *d.End <= now || couponNamed(tx, d.Source.Coupon).Duration == durationOnce && s.discounted(tx, id) {
				over = append(over, id)
			}
		}
		*ids = without(*ids, over)
		endDiscounts(tx, over)
	}
	drop(&s.Discounts)
	for i := range s.Items.Data {
		drop(&s.Items.Data[i].Discounts)
	}
}

// discounted reports whether some invoice of the subscription was reduced by a
// discount.
func (s *Subscription) discounted(tx *twin.Tx, id string) bool {
	for inv := range invoices.With(tx, "subscription="+s.ID) {
		for _, a := range inv.TotalDiscountAmounts {
			if a.Discount == id && a.Amount > 0 {
				return true
			}
		}
	}
	return false
}

type deleteSubscriptionDiscountParams struct {
	Subscription string `path:"subscription_exposed_id"`
}

// deleteSubscriptionDiscount takes the newest discount of a subscription away.
func deleteSubscriptionDiscount(tx *twin.Tx, p *deleteSubscriptionDiscountParams) (twin.Doc, *twin.Error) {
	old, ok := subscriptions.Get(tx, p.Subscription)
	switch {
	case !ok:
		return twin.Doc{}, errNoSuch(subscriptions.Object, "id", p.Subscription)
	case len(old.Discounts) == 0:
		return twin.Doc{}, errNoDiscount("subscription", p.Subscription)
	}
	s := old.copy()
	n := len(s.Discounts) - 1
	last := s.Discounts[n]
	s.Discounts = s.Discounts[:n:n]
	endDiscounts(tx, []string{last})
	_, _ = s.replace(tx)
	return deletedDiscount(tx, last), nil
}

// deletedDiscountDoc is a discount as its deletion shows it.
type deletedDiscountDoc struct {
	CheckoutSession  canon.Raw      `json:"checkout_session"`
	Customer         *string        `json:"customer"`
	CustomerAccount  canon.Raw      `json:"customer_account"`
	Deleted          bool           `json:"deleted"`
	ID               string         `json:"id"`
	Invoice          *string        `json:"invoice"`
	InvoiceItem      *string        `json:"invoice_item"`
	Object           string         `json:"object"`
	PromotionCode    *string        `json:"promotion_code"`
	Source           DiscountSource `json:"source"`
	Start            twin.Time      `json:"start"`
	Subscription     *string        `json:"subscription"`
	SubscriptionItem *string        `json:"subscription_item"`
}

func deletedDiscount(tx *twin.Tx, id string) twin.Doc {
	d, _ := discounts.Get(tx, id)
	return twin.Doc{Body: canon.Marshal(&deletedDiscountDoc{
		Customer: d.Customer, Deleted: true, ID: d.ID, Invoice: d.Invoice, InvoiceItem: d.InvoiceItem, Object: d.Object,
		PromotionCode: d.PromotionCode, Source: d.Source, Start: d.Start, Subscription: d.Subscription,
	})}
}

// reduce computes what the discounts of a draft take off its lines: first each
// line's own, then the invoice's, each of what the ones before it left.
func (inv *Invoice) reduce(tx *twin.Tx, all []Line) {
	inv.TotalDiscountAmounts = nil
	plain := len(inv.Discounts) == 0
	for i := range all {
		all[i].Amount, all[i].DiscountAmounts = all[i].Subtotal, nil
		plain = plain && len(all[i].Discounts) == 0
	}
	if plain {
		return
	}
	left := make([]twin.Money, len(all))
	for i := range all {
		l := &all[i]
		left[i] = l.Amount
		for _, id := range l.Discounts {
			c := couponOf(tx, id).in(tx, inv.Currency)
			if !c.reaches(tx, l.product()) {
				continue
			}
			off := c.off(max(left[i], 0))
			left[i] -= off
			inv.take(l, id, off)
		}
		l.Amount = left[i]
	}
	for _, id := range inv.Discounts {
		shares := apportion(tx, couponOf(tx, id).in(tx, inv.Currency), all, left)
		for i := range all {
			left[i] -= shares[i]
			inv.take(&all[i], id, shares[i])
		}
	}
}

// take notes what a discount takes off a line.
func (inv *Invoice) take(l *Line, id string, off twin.Money) {
	l.DiscountAmounts = append(l.DiscountAmounts, DiscountAmount{Amount: off, Discount: id})
	for i := range inv.TotalDiscountAmounts {
		if a := &inv.TotalDiscountAmounts[i]; a.Discount == id {
			a.Amount += off
			return
		}
	}
	inv.TotalDiscountAmounts = append(inv.TotalDiscountAmounts, DiscountAmount{Amount: off, Discount: id})
}

// apportion splits what a coupon takes off an invoice over its lines: in
// proportion to what is left of those that can be discounted, rounded down, the
// rest to the last that has room. Nothing is taken off a credit, though it says it
// can be discounted.
func apportion(tx *twin.Tx, c *Coupon, all []Line, left []twin.Money) []twin.Money {
	shares, room := make([]twin.Money, len(all)), make([]bool, len(all))
	var base twin.Money
	for i := range all {
		if room[i] = all[i].Discountable && left[i] > 0 && c.reaches(tx, all[i].product()); room[i] {
			base += left[i]
		}
	}
	off := c.off(base)
	rest := off
	for i := range all {
		if room[i] {
			shares[i] = portion(off, int64(left[i]), int64(base))
			rest -= shares[i]
		}
	}
	for i := len(all) - 1; i >= 0 && rest > 0; i-- {
		if room[i] {
			more := min(rest, left[i]-shares[i])
			shares[i] += more
			rest -= more
		}
	}
	return shares
}

// off is what a coupon takes off a sum that is not negative: a percentage rounded
// half up, or an amount as far as it goes.
func (c *Coupon) off(base twin.Money) twin.Money {
	if c.AmountOff != nil {
		return min(*c.AmountOff, base)
	}
	hundred := scaled("100", percentPlaces)
	twice := new(big.Int).Mul(big.NewInt(int64(base)), big.NewInt(2*scaled(*c.PercentOff, percentPlaces)))
	if !mutant.Is("discount-rounds-down") {
		twice.Add(twice, big.NewInt(hundred))
	}
	return twin.Money(twice.Div(twice, big.NewInt(2*hundred)).Int64())
}

// portion is amount·part/whole, rounded toward −∞; whole is positive.
func portion(amount twin.Money, part, whole int64) twin.Money {
	p := new(big.Int).Mul(big.NewInt(int64(amount)), big.NewInt(part))
	// Euclidean division rounds down when the divisor is positive.
	return twin.Money(p.Div(p, big.NewInt(whole)).Int64())
}
