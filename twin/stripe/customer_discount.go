package stripe

import (
	"slices"

	"worlds/twin"
)

// A customer's own discount takes off every invoice that has none of its own. Only
// versions before basil give one; every version shows it and takes it away.

// customerDiscountParams are what those versions call it by. Sent empty, either
// takes the discount away.
type customerDiscountParams struct {
	Coupon        twin.Opt[string] `param:"coupon" rule:"empty,older"`
	PromotionCode twin.Opt[string] `param:"promotion_code" rule:"empty,older"`
}

func (p *customerDiscountParams) Check() *twin.Error {
	if p.Coupon.Given() && p.PromotionCode.Given() {
		return errExclusive("coupon", "promotion_code")
	}
	return nil
}

// apply makes the discount of a customer what a request says, and returns how to
// announce it once the customer is stored.
func (p *customerDiscountParams) apply(tx *twin.Tx, c *Customer) (announce func(), err *twin.Error) {
	had := c.Discount
	switch {
	case !p.Coupon.Sent() && !p.PromotionCode.Sent():
		return func() {}, nil
	case !p.Coupon.Given() && !p.PromotionCode.Given():
		if had == nil {
			return func() {}, nil
		}
		c.Discount = nil
		return func() { endDiscounts(tx, []string{had.ID}) }, nil
	}
	one := discountParams{Coupon: p.Coupon, PromotionCode: p.PromotionCode}
	d, err := one.make(tx, Discount{Customer: &c.ID}, orEmpty(c.Currency), "")
	if err != nil {
		return nil, err
	}
	c.Discount = d
	doc, _ := discounts.Doc(tx, d.ID)
	if had == nil {
		return func() { tx.Emit("customer.discount.created", doc, nil) }, nil
	}
	old, _ := discounts.Doc(tx, had.ID)
	previous, _ := twin.Changes(old.Body, doc.Body)
	return func() { tx.Emit("customer.discount.updated", doc, previous) }, nil
}

// inherit is the discount of its own that a customer has for a new invoice in a
// currency, once what is over has ended: its time is up, or it was for one invoice.
func (c *Customer) inherit(tx *twin.Tx, currency string) []string {
	if c.Discount == nil {
		return nil
	}
	id := c.Discount.ID
	coupon := couponOf(tx, id)
	if c.Discount.End != nil && *c.Discount.End <= tx.Now() || coupon.Duration == durationOnce && c.discounted(tx, id) {
		c.endDiscount(tx)
		return nil
	}
	if !coupon.takesOff(tx, currency) {
		return nil
	}
	return []string{id}
}

// discounted reports whether some invoice of the customer was reduced by a discount.
func (c *Customer) discounted(tx *twin.Tx, id string) bool {
	for inv := range invoices.With(tx, "customer="+c.ID) {
		if slices.ContainsFunc(inv.TotalDiscountAmounts, func(a DiscountAmount) bool { return a.Discount == id && a.Amount > 0 }) {
			return true
		}
	}
	return false
}

// endDiscount takes a customer's discount away.
func (c *Customer) endDiscount(tx *twin.Tx) {
	id := c.Discount.ID
	c.Discount = nil
	endDiscounts(tx, []string{id})
	doc, previous, _ := customers.Replace(tx, c)
	tx.Emit("customer.updated", doc, previous)
}

type customerDiscountPath struct {
	Customer string `path:"customer"`
}

// discountedCustomer finds a customer who has a discount of their own.
func discountedCustomer(tx *twin.Tx, id string) (*Customer, *twin.Error) {
	c, ok := liveCustomer(tx, id)
	switch {
	case !ok:
		return nil, errNoSuch(customers.Object, "id", id)
	case c.Discount == nil:
		return nil, errNoDiscount("customer", id)
	}
	return c, nil
}

func retrieveCustomerDiscount(tx *twin.Tx, p *customerDiscountPath) (twin.Doc, *twin.Error) {
	c, err := discountedCustomer(tx, p.Customer)
	if err != nil {
		return twin.Doc{}, err
	}
	doc, _ := discounts.Doc(tx, c.Discount.ID)
	return doc, nil
}

func deleteCustomerDiscount(tx *twin.Tx, p *customerDiscountPath) (twin.Doc, *twin.Error) {
	c, err := discountedCustomer(tx, p.Customer)
	if err != nil {
		return twin.Doc{}, err
	}
	id := c.Discount.ID
	c.endDiscount(tx)
	return deletedDiscount(tx, id), nil
}
