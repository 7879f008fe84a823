package stripe

import (
	"fmt"

	"worlds/twin"
)

// addedItemParams are something billed once, with the next invoice of a
// subscription.
type addedItemParams struct {
	Metadata  twin.Opt[twin.Metadata]   `param:"metadata"`
	Price     twin.Opt[string]          `param:"price"`
	PriceData twin.Opt[priceDataParams] `param:"price_data"`
	Quantity  twin.Opt[int64]           `param:"quantity" rule:"min=0,max=1000000"`
}

// addedMax is how many things one request can add.
const addedMax = 20

// checkAdded wants a price of each added item.
func checkAdded(list []addedItemParams) *twin.Error {
	if len(list) > addedMax {
		return invalid("add_invoice_items", "You may pass at most %d items.", addedMax)
	}
	for i := range list {
		it, at := &list[i], fmt.Sprintf("add_invoice_items[%d]", i)
		if !it.Price.Given() && !it.PriceData.Given() {
			return errMissing(join(at, "price"))
		}
		if err := it.common().check(at); err != nil {
			return err
		}
	}
	return nil
}

// common is an added item's parameters as an invoice item has them.
func (p *addedItemParams) common() *itemParams {
	q := &itemParams{Metadata: p.Metadata, PriceData: p.PriceData, Quantity: p.Quantity}
	if p.Price.Given() {
		q.Pricing = twin.Set(pricingParams{Price: p.Price})
	}
	return q
}

// enter lets what is billed once wait for the next invoice of s.
func (p *addedItemParams) enter(tx *twin.Tx, s *Subscription, c *Customer, at string) (*InvoiceItem, *twin.Error) {
	it := newItem(tx, c)
	it.Parent = &ItemParent{Type: "subscription_details", SubscriptionDetails: ItemSubscription{Subscription: s.ID}}
	if err := p.common().apply(tx, it, at); err != nil {
		return nil, blamePrice(err)
	}
	if it.Currency != s.Currency {
		return nil, errPriceCurrency(join(at, "price"), s.Currency)
	}
	it.NetAmount = it.Amount
	it.enter(tx, nil)
	return it, nil
}

// enterAdded lets what an update adds wait for the next invoice of s.
func enterAdded(tx *twin.Tx, s *Subscription, list []addedItemParams) (out []*InvoiceItem, err *twin.Error) {
	if len(list) == 0 {
		return nil, nil
	}
	c, ok := liveCustomer(tx, s.Customer)
	switch {
	case !ok:
		return nil, errNoSuchRef(customers.Object, "customer", s.Customer)
	case waiting(tx, c.ID)+len(list) > pendingItemsMax:
		return nil, invalid("", "A customer can have at most %d pending invoice items.", pendingItemsMax)
	}
	for i := range list {
		it, err := list[i].enter(tx, s, c, fmt.Sprintf("add_invoice_items[%d]", i))
		if err != nil {
			return nil, err
		}
		out = append(out, it)
	}
	return out, nil
}
