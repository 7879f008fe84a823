package stripe

import (
	"fmt"

	"worlds/twin"
)

// What a request names by id is looked up before anything is asked of its state, in
// the order of the parameters' names.

// discountsExist refuses discounts of a coupon or a code that is not there. list is
// the parameter that has them.
func discountsExist(tx *twin.Tx, p discountList, list string) *twin.Error {
	for i := range p.V {
		at := fmt.Sprintf("%s[%d]", list, i)
		if err := known(tx, coupons.Kind, join(at, "coupon"), p.V[i].Coupon); err != nil {
			return err
		}
		if code := p.V[i].PromotionCode; code.Given() && tx.State().Get(promotionCodes.Table, code.V) == nil {
			return errNoSuchRef("promotion code", join(at, "promotion_code"), code.V)
		}
	}
	return nil
}

// itemsExist refuses items of a price, or with a discount, that is not there.
func itemsExist[T any](tx *twin.Tx, list []T, of func(*T) *newItemParams) *twin.Error {
	for i := range list {
		p, at := of(&list[i]), fmt.Sprintf("items[%d]", i)
		if err := discountsExist(tx, p.Discounts, join(at, "discounts")); err != nil {
			return err
		}
		if err := known(tx, prices.Kind, join(at, "price"), p.Price); err != nil {
			return err
		}
	}
	return nil
}

// payer is the customer that a parameter names, and the payment method named beside
// it, if one is: it must be that customer's.
func payer(tx *twin.Tx, customer string, method twin.Opt[string]) (*Customer, *twin.Error) {
	c, ok := liveCustomer(tx, customer)
	if !ok {
		return nil, errNoSuchRef(customers.Object, "customer", customer)
	}
	if !method.Given() {
		return c, nil
	}
	return c, attachedTo(tx, method.V, c.ID, "default_payment_method")
}
