package stripe

import (
	"fmt"
	"slices"

	"worlds/twin"
)

// rearrange does to the items what a request's items say: without an id an element
// adds an item, with one it edits or removes that item. The outcome must be one
// that can be billed together.
func (s *Subscription) rearrange(tx *twin.Tx, list []changedItemParams) *twin.Error {
	for i := range list {
		if err := s.change(tx, &list[i], fmt.Sprintf("items[%d]", i)); err != nil {
			return err
		}
	}
	if len(s.Items.Data) == 0 {
		return errLastItem()
	}
	first := &s.Items.Data[0]
	for i := 1; i < len(s.Items.Data); i++ {
		if rhythm(&s.Items.Data[i].Price) != rhythm(&first.Price) {
			return errRhythm("items")
		}
	}
	return nil
}

func (s *Subscription) change(tx *twin.Tx, p *changedItemParams, at string) *twin.Error {
	if !p.ID.Given() {
		if p.Deleted.Or(false) {
			return errMissing(join(at, "id"))
		}
		if err := p.bring(tx, at); err != nil {
			return err
		}
		if !p.Price.Given() {
			return errMissing(join(at, "price"))
		}
		_, err := s.add(tx, &p.newItemParams, at, newItemID(tx))
		return err
	}
	i := s.item(p.ID.V)
	switch {
	case i < 0:
		return errNoSuchRef(itemObject, join(at, "id"), p.ID.V)
	case p.Deleted.Or(false):
		endDiscounts(tx, s.Items.Data[i].Discounts)
		s.Items.Data = slices.Delete(s.Items.Data, i, i+1)
		return nil
	}
	return s.edit(tx, i, &p.newItemParams, at)
}

// edit changes the named fields of item i.
func (s *Subscription) edit(tx *twin.Tx, i int, p *newItemParams, at string) (err *twin.Error) {
	it := &s.Items.Data[i]
	if err := p.bring(tx, at); err != nil {
		return err
	}
	if p.Price.Given() && p.Price.V != it.Price.ID {
		pr, err := s.priced(tx, p.Price.V, join(at, "price"), p.PriceData.Given())
		if err != nil {
			return err
		}
		it.Price, it.Plan = *pr, planOf(pr)
	}
	it.Quantity = p.Quantity.Or(it.Quantity)
	if err := it.chargeable(join(at, "quantity")); err != nil {
		return err
	}
	if err := it.applyDiscounts(tx, s, p.Discounts, 0, at); err != nil {
		return err
	}
	it.Metadata, err = applyMetadata(it.Metadata, p.Metadata)
	return err
}

type createSubscriptionItemParams struct {
	newItemParams
	Subscription twin.Opt[string] `param:"subscription" rule:"required"`
	prorationParams
}

func (p *createSubscriptionItemParams) Check() *twin.Error {
	if err := p.checkPending(p.PaymentBehavior, ""); err != nil {
		return err
	}
	return p.newItemParams.check("")
}

// createSubscriptionItem lets a subscription bill one more price.
func createSubscriptionItem(tx *twin.Tx, p *createSubscriptionItemParams) (twin.Doc, *twin.Error) {
	old, ok := subscriptions.Get(tx, p.Subscription.V)
	if !ok {
		return twin.Doc{}, errNoSuchRef(subscriptions.Object, "subscription", p.Subscription.V)
	}
	s := old.copy()
	if s.ended() {
		return twin.Doc{}, errCanceledFields()
	}
	if err := p.bring(tx, ""); err != nil {
		return twin.Doc{}, err
	}
	it, err := s.add(tx, &p.newItemParams, "", newItemID(tx))
	if err != nil {
		return twin.Doc{}, err
	}
	if rhythm(&it.Price) != rhythm(&s.Items.Data[0].Price) {
		return twin.Doc{}, errRhythm("price")
	}
	r := revision{prorationParams: p.prorationParams, was: old.Items.Data}
	if _, err := r.settle(tx, s); err != nil {
		return twin.Doc{}, err
	}
	return itemDoc(s, len(s.Items.Data)-1), nil
}

type updateSubscriptionItemParams struct {
	Item string `path:"item"`
	newItemParams
	prorationParams
}

func (p *updateSubscriptionItemParams) Check() *twin.Error {
	if err := p.checkPending(p.PaymentBehavior, ""); err != nil {
		return err
	}
	return p.checkData("")
}

// updateSubscriptionItem changes one item; the subscription says that it changed.
func updateSubscriptionItem(tx *twin.Tx, p *updateSubscriptionItemParams) (twin.Doc, *twin.Error) {
	s, i := itemNamed(tx, p.Item)
	if s == nil {
		return twin.Doc{}, errNoSuch(itemObject, "item", p.Item)
	}
	if s.ended() {
		return twin.Doc{}, errCanceledFields()
	}
	r := revision{prorationParams: p.prorationParams, was: slices.Clone(s.Items.Data)}
	if err := s.edit(tx, i, &p.newItemParams, ""); err != nil {
		return twin.Doc{}, err
	}
	if len(s.Items.Data) > 1 && rhythm(&s.Items.Data[i].Price) != rhythm(&r.was[i].Price) {
		return twin.Doc{}, errRhythm("price")
	}
	if _, err := r.settle(tx, s); err != nil {
		return twin.Doc{}, err
	}
	return itemDoc(s, i), nil
}

type deleteSubscriptionItemParams struct {
	Item string `path:"item"`
	prorationParams
}

// deleteSubscriptionItem takes an item out of a subscription, which keeps at least
// one.
func deleteSubscriptionItem(tx *twin.Tx, p *deleteSubscriptionItemParams) (twin.Doc, *twin.Error) {
	s, i := itemNamed(tx, p.Item)
	if s == nil || s.ended() {
		return twin.Doc{}, errNoSuch(itemObject, "item", p.Item)
	}
	if len(s.Items.Data) == 1 {
		return twin.Doc{}, errLastItem()
	}
	r := revision{prorationParams: p.prorationParams, was: slices.Clone(s.Items.Data)}
	endDiscounts(tx, s.Items.Data[i].Discounts)
	s.Items.Data = slices.Delete(s.Items.Data, i, i+1)
	if _, err := r.settle(tx, s); err != nil {
		return twin.Doc{}, err
	}
	return twin.Doc{Body: deletedStub(p.Item, itemObject)}, nil
}
