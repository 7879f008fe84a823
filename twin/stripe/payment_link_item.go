package stripe

import (
	"slices"

	"worlds/journal/canon"
	"worlds/twin"
)

// linkItemList is what a payment link sells. It shows only where it is asked for.
type linkItemList struct {
	ID    string     `json:"id"` // of the link
	Items []linkItem `json:"items"`
}

type linkItem struct {
	Adjustable *Adjustable `json:"adjustable"`
	ID         string      `json:"id"`
	Price      string      `json:"price"`
	Quantity   int64       `json:"quantity"`
}

// Adjustable says whether who pays decides how many, and within which bounds.
type Adjustable struct {
	Enabled bool   `json:"enabled"`
	Maximum *int64 `json:"maximum"`
	Minimum *int64 `json:"minimum"`
}

// LinkItem is one thing that a payment link sells, as it is shown.
type LinkItem struct {
	AdjustableQuantity *Adjustable       `json:"adjustable_quantity"`
	AmountDiscount     twin.Money        `json:"amount_discount"`
	AmountSubtotal     twin.Money        `json:"amount_subtotal"`
	AmountTax          twin.Money        `json:"amount_tax"`
	AmountTotal        twin.Money        `json:"amount_total"`
	Currency           string            `json:"currency"`
	Description        string            `json:"description"`
	ID                 string            `json:"id"`
	Metadata           map[string]string `json:"metadata"`
	Object             string            `json:"object"`
	Price              Price             `json:"price"`
	Quantity           int64             `json:"quantity"`
}

// linkItemObject is what an item is called.
const linkItemObject = "item"

var linkItems = twin.Resource[linkItemList]{
	Kind: twin.Kind{Table: "stripe.payment_link_items", Object: linkItemObject, Prefix: "li", Digits: 24},
	Key:  func(l *linkItemList) string { return l.ID },
}

func paymentLinkItemAPI() twin.API {
	return twin.API{
		Kind:   linkItems.Kind,
		Expand: map[string]string{"discounts.discount": "", "price": ""},
		Include: map[string]twin.Include{
			"discounts": func(*twin.Tx, canon.Raw) canon.Raw { return canon.Raw("[]") },
			"taxes":     func(*twin.Tx, canon.Raw) canon.Raw { return canon.Raw("[]") },
		},
	}
}

type adjustableParams struct {
	Enabled twin.Opt[bool]  `param:"enabled" rule:"required"`
	Maximum twin.Opt[int64] `param:"maximum" rule:"min=0,max=999999"`
	Minimum twin.Opt[int64] `param:"minimum" rule:"min=0,max=999999"`
}

// adjustableDefault is the most that who pays can ask for where a link says nothing.
const adjustableDefault = 99

// check refuses bounds that nothing is within.
func (p *adjustableParams) check(at string) *twin.Error {
	if most := p.Maximum.Or(adjustableDefault); p.Minimum.V > most {
		return invalid(join(at, "adjustable_quantity")+"[minimum]", "The minimum (%d) cannot be greater than the maximum (%d).", p.Minimum.V, most)
	}
	return nil
}

// change is an item with what a request names.
func (it *linkItem) change(tx *twin.Tx, adjustable twin.Opt[adjustableParams], quantity twin.Opt[int64], at string) *twin.Error {
	it.Quantity = quantity.Or(it.Quantity)
	if pr, _ := prices.Get(tx, it.Price); adjustable.Given() || quantity.Given() {
		if _, ok := lineCost(pr.UnitAmountDecimal, it.Quantity); !ok {
			return errAmountLarge(join(at, "quantity"), amountMax, pr.Currency)
		}
	}
	if !adjustable.Given() {
		return nil
	}
	it.Adjustable = nil
	if p := &adjustable.V; p.Enabled.V {
		it.Adjustable = &Adjustable{Enabled: true}
		p.Maximum.Apply(&it.Adjustable.Maximum)
		p.Minimum.Apply(&it.Adjustable.Minimum)
	}
	return nil
}

// itemsOfLink are what a link sells: a copy to change.
func itemsOfLink(tx *twin.Tx, link string) *linkItemList {
	old, _ := linkItems.Get(tx, link)
	all := *old
	all.Items = slices.Clone(old.Items)
	return &all
}

// shown is an item as it is now: the price is what it is, the product called what it is.
func (it *linkItem) shown(tx *twin.Tx) canon.Raw {
	pr, _ := prices.Get(tx, it.Price)
	amount, _ := lineCost(pr.UnitAmountDecimal, it.Quantity)
	return canon.Marshal(&LinkItem{
		AdjustableQuantity: it.Adjustable, AmountSubtotal: amount, AmountTotal: amount, Currency: pr.Currency,
		Description: peek(tx, products.Table, pr.Product, "name"), ID: it.ID, Metadata: map[string]string{}, Object: linkItemObject,
		Price: *pr, Quantity: it.Quantity,
	})
}

func linkRows(tx *twin.Tx, link string) (rows []canon.Raw) {
	for _, it := range itemsOfLink(tx, link).Items {
		rows = append(rows, it.shown(tx))
	}
	return rows
}

func linkItemsURL(link string) string { return "/v1/payment_links/" + link + "/line_items" }

type listLinkItemsParams struct {
	paymentLinkPath
	page
}

// listLinkItems lists what a link sells, in the order of the request that made it.
func listLinkItems(tx *twin.Tx, p *listLinkItemsParams) (twin.Doc, *twin.Error) {
	if _, ok := paymentLinks.Doc(tx, p.PaymentLink); !ok {
		return twin.Doc{}, errNoSuch(paymentLinks.Object, "payment_link", p.PaymentLink)
	}
	return within(linkRows(tx, p.PaymentLink), "line item", linkItemsURL(p.PaymentLink), p.page)
}

func includeLinkItems(tx *twin.Tx, link canon.Raw) canon.Raw {
	id := textAt(link, "id")
	return pageDoc(linkRows(tx, id), pageDefault, false, linkItemsURL(id)).Body
}
