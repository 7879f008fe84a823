package stripe

import (
	"slices"

	"worlds/journal/canon"
	"worlds/twin"
)

// InvoiceItem is something to be billed: pending, for the next invoice, or on one.
type InvoiceItem struct {
	Amount           twin.Money           `json:"amount"`
	Currency         string               `json:"currency"`
	Customer         string               `json:"customer"`
	CustomerAccount  canon.Raw            `json:"customer_account"`
	Date             twin.Time            `json:"date"`
	Description      *string              `json:"description"`
	Discountable     bool                 `json:"discountable"`
	Discounts        []string             `json:"discounts"`
	ID               string               `json:"id"`
	Invoice          *string              `json:"invoice"` // nil: pending
	Livemode         bool                 `json:"livemode"`
	Metadata         map[string]string    `json:"metadata"`
	NetAmount        twin.Money           `json:"net_amount"`
	Object           string               `json:"object"`
	Parent           *ItemParent          `json:"parent"` // nil: no subscription
	Period           Period               `json:"period"`
	Pricing          *Pricing             `json:"pricing"` // nil: an amount alone
	Proration        bool                 `json:"proration"`
	ProrationDetails ItemProrationDetails `json:"proration_details"`
	Quantity         int64                `json:"quantity"`
	QuantityDecimal  string               `json:"quantity_decimal"`
	TaxRates         []canon.Raw          `json:"tax_rates"`
	TestClock        *string              `json:"test_clock"`
}

// ItemParent is the subscription that an invoice item belongs to.
type ItemParent struct {
	SubscriptionDetails ItemSubscription `json:"subscription_details"`
	Type                string           `json:"type"`
}

// ItemSubscription names a subscription and, for a proration, its item.
type ItemSubscription struct {
	Subscription     string `json:"subscription"`
	SubscriptionItem string `json:"subscription_item,omitempty"`
}

// ItemProrationDetails say what a proration credits.
type ItemProrationDetails struct {
	CreditedItems   *ItemCreditedItems `json:"credited_items"`
	DiscountAmounts []DiscountAmount   `json:"discount_amounts"`
}

// ItemCreditedItems name the lines that billed what is credited.
type ItemCreditedItems struct {
	InvoiceLineItemDetails CreditedItems `json:"invoice_line_item_details"`
	Type                   string        `json:"type"`
}

// pendingItemsMax is how many items can wait for one customer's next invoice.
const pendingItemsMax = 250

var invoiceItems = twin.Resource[InvoiceItem]{
	Kind: twin.Kind{Table: "stripe.invoice_item", Object: "invoiceitem", Prefix: "ii", Digits: 24},
	Key:  func(it *InvoiceItem) string { return it.ID },
	Terms: func(it *InvoiceItem) []string {
		terms := []string{"customer=" + it.Customer, boolTerm("pending", it.Invoice == nil)}
		if it.Invoice == nil {
			return append(terms, "waiting="+it.Customer)
		}
		return append(terms, "invoice="+*it.Invoice)
	},
}

func invoiceItemAPI() twin.API {
	return twin.API{
		Kind: invoiceItems.Kind,
		Routes: []twin.Route{
			twin.On("POST /v1/invoiceitems", createInvoiceItem),
			twin.On("GET /v1/invoiceitems", listInvoiceItems),
			twin.On("GET /v1/invoiceitems/{invoiceitem}", retrieveInvoiceItem),
			twin.On("POST /v1/invoiceitems/{invoiceitem}", updateInvoiceItem),
			twin.On("DELETE /v1/invoiceitems/{invoiceitem}", deleteInvoiceItem),
		},
		Expand: map[string]string{
			"customer": customers.Object, "discounts": discounts.Object, "invoice": invoices.Object,
			"pricing.price_details.price": prices.Object,
			// Never set here, and Stripe expands them.
			"proration_details.discount_amounts.discount": discounts.Object,
		},
		Include: map[string]twin.Include{"test_clock": showClockOf},
	}
}

// itemParams are what both creation and update of an item, or of a line, may set.
type itemParams struct {
	Amount       twin.Opt[twin.Money]      `param:"amount" rule:"min=-999999999999,max=999999999999"`
	Description  twin.Opt[string]          `param:"description"`
	Discountable twin.Opt[bool]            `param:"discountable"`
	Discounts    discountList              `param:"discounts" rule:"empty"`
	Metadata     twin.Opt[twin.Metadata]   `param:"metadata"`
	Period       twin.Opt[periodParams]    `param:"period"`
	PriceData    twin.Opt[priceDataParams] `param:"price_data"`
	Pricing      twin.Opt[pricingParams]   `param:"pricing"`
	Quantity     twin.Opt[int64]           `param:"quantity" rule:"min=0,max=1000000"`
	UnitAmount   twin.Opt[twin.Money]      `param:"unit_amount" rule:"older,min=-999999999999,max=999999999999"`
}

type periodParams struct {
	End   twin.Opt[twin.Time] `param:"end" rule:"required,min=0,max=7258118400"`
	Start twin.Opt[twin.Time] `param:"start" rule:"required,min=0,max=7258118400"`
}

type pricingParams struct {
	Price twin.Opt[string] `param:"price"`
}

type priceDataParams struct {
	Currency twin.Opt[string] `param:"currency" rule:"required"`
	Product  twin.Opt[string] `param:"product" rule:"required"`
	unitParams
}

// check refuses two ways of saying how much, and a period that ends before it
// begins. at is the parameter the others are nested in, "" for none.
func (p *itemParams) check(at string) *twin.Error {
	switch {
	case p.Pricing.Given() && !p.Pricing.V.Price.Given():
		return errMissing(join(join(at, "pricing"), "price"))
	case p.Period.Given() && p.Period.V.End.V < p.Period.V.Start.V:
		return invalid(join(join(at, "period"), "end"), "Invalid period: the end is before the start.")
	case p.Amount.Given() && p.PriceData.Given():
		return errExclusive(join(at, "amount"), join(at, "price_data"))
	case p.Pricing.Given() && p.PriceData.Given():
		return errExclusive(join(at, "pricing"), join(at, "price_data"))
	case p.Amount.Given() && p.Pricing.Given():
		return errExclusive(join(at, "amount"), join(at, "pricing"))
	case p.Amount.Given() && p.Quantity.Given():
		return errExclusive(join(at, "amount"), join(at, "quantity"))
	case p.UnitAmount.Given() && p.Amount.Given():
		return errExclusive(join(at, "amount"), join(at, "unit_amount"))
	case p.UnitAmount.Given() && p.Pricing.Given():
		return errExclusive(join(at, "pricing"), join(at, "unit_amount"))
	case p.UnitAmount.Given() && p.PriceData.Given():
		return errExclusive(join(at, "price_data"), join(at, "unit_amount"))
	case p.PriceData.Given():
		return p.PriceData.V.check(join(at, "price_data"))
	}
	return nil
}

type createInvoiceItemParams struct {
	Customer     twin.Opt[string] `param:"customer" rule:"required"`
	Currency     twin.Opt[string] `param:"currency"`
	Invoice      twin.Opt[string] `param:"invoice"`
	Subscription twin.Opt[string] `param:"subscription"`
	itemParams
}

func (p *createInvoiceItemParams) Check() *twin.Error {
	switch {
	case (p.Amount.Given() || p.UnitAmount.Given()) && !p.Currency.Given():
		return errMissing("currency")
	case !p.Amount.Given() && !p.UnitAmount.Given() && !p.Pricing.Given() && !p.PriceData.Given():
		return errMissing("amount")
	}
	return p.check("")
}

// createInvoiceItem lets something be billed: with the next invoice, or on a draft.
func createInvoiceItem(tx *twin.Tx, p *createInvoiceItemParams) (twin.Doc, *twin.Error) {
	c, currency, err := p.named(tx)
	if err != nil {
		return twin.Doc{}, err
	}
	it := newItem(tx, c)
	if currency != "" {
		it.Currency = currency
	}
	var inv *Invoice
	if p.Invoice.Given() {
		if inv, err = editable(tx, p.Invoice.V, "invoice"); err != nil {
			return twin.Doc{}, err
		}
		it.Invoice = &inv.ID
	} else if waiting(tx, c.ID) >= pendingItemsMax {
		return twin.Doc{}, invalid("", "A customer can have at most %d pending invoice items.", pendingItemsMax)
	}
	if p.Subscription.Given() {
		it.Parent = &ItemParent{Type: "subscription_details", SubscriptionDetails: ItemSubscription{Subscription: p.Subscription.V}}
	}
	asked := it.Currency
	if err := p.apply(tx, it, ""); err != nil {
		return twin.Doc{}, err
	}
	if p.Currency.Given() && it.Currency != asked {
		return twin.Doc{}, errPriceCurrency("pricing[price]", asked)
	}
	if err := it.admit(tx, c, inv); err != nil {
		return twin.Doc{}, err
	}
	if err := it.discount(tx, p.Discounts); err != nil {
		return twin.Doc{}, err
	}
	return it.enter(tx, inv), nil
}

// named looks up what a request for a new item names: its customer, and the currency,
// "" for none.
func (p *createInvoiceItemParams) named(tx *twin.Tx) (c *Customer, currency string, err *twin.Error) {
	if p.Currency.Given() {
		if currency, err = knownCurrency(p.Currency.V, "currency"); err != nil {
			return nil, "", err
		}
	}
	if c, err = payer(tx, p.Customer.V, twin.Opt[string]{}); err != nil {
		return nil, "", err
	}
	if err = discountsExist(tx, p.Discounts, "discounts"); err != nil {
		return nil, "", err
	}
	if id := p.Invoice; id.Given() && peek(tx, invoices.Table, id.V, "customer") != c.ID {
		return nil, "", errNoSuchRef(invoices.Object, "invoice", id.V)
	}
	if err = known(tx, products.Kind, "price_data[product]", p.PriceData.V.Product); err != nil {
		return nil, "", err
	}
	if err = known(tx, prices.Kind, "pricing[price]", p.Pricing.V.Price); err != nil {
		return nil, "", err
	}
	if id := p.Subscription; id.Given() && peek(tx, subscriptions.Table, id.V, "customer") != c.ID {
		return nil, "", errNoSuchRef(subscriptions.Object, "subscription", id.V)
	}
	return c, currency, nil
}

// newItem is a pending item of c, not yet stored.
func newItem(tx *twin.Tx, c *Customer) *InvoiceItem {
	it := &InvoiceItem{
		ID: invoiceItems.NewID(tx), Object: invoiceItems.Object, Customer: c.ID, Date: tx.Now(), Currency: accountCurrency,
		Discountable: true, Metadata: map[string]string{}, Quantity: 1, QuantityDecimal: "1",
		Period: Period{Start: tx.Now(), End: tx.Now()}, TestClock: c.TestClock,
	}
	if c.Currency != nil {
		it.Currency = *c.Currency
	}
	return it
}

// waiting is how many items are pending for a customer.
func waiting(tx *twin.Tx, customer string) (n int) {
	for range tx.State().OldestWith(invoiceItems.Table, "waiting="+customer, 0) {
		n++
	}
	return n
}

// apply changes the named fields, and only those; discounts come later.
func (p *itemParams) apply(tx *twin.Tx, it *InvoiceItem, at string) (err *twin.Error) {
	if err := p.applyPrice(tx, it, at); err != nil {
		return err
	}
	if p.Amount.Given() {
		it.Amount, it.Pricing, it.Quantity, it.QuantityDecimal = p.Amount.V, nil, 1, "1"
	}
	if p.UnitAmount.Given() {
		if err := it.units(p.UnitAmount.V, p.Quantity.Or(max(it.Quantity, 1)), join(at, "unit_amount")); err != nil {
			return err
		}
	} else if p.Quantity.Given() {
		if it.Pricing == nil {
			return invalid(join(at, "quantity"), "You may only specify a quantity for an invoice item with a price.")
		}
		if err := it.cost(*it.Pricing.UnitAmountDecimal, p.Quantity.V, join(at, "quantity")); err != nil {
			return err
		}
	}
	if p.Amount.Given() && it.Amount < 0 && !p.Discountable.Given() {
		it.Discountable = false
	}
	it.Discountable = p.Discountable.Or(it.Discountable)
	p.Description.Apply(&it.Description)
	if p.Period.Given() {
		it.Period = Period{Start: p.Period.V.Start.V, End: p.Period.V.End.V}
	}
	it.Metadata, err = applyMetadata(it.Metadata, p.Metadata)
	return err
}

// applyPrice lets an item cost what a price says, one that there is or one made
// for it.
func (p *itemParams) applyPrice(tx *twin.Tx, it *InvoiceItem, at string) *twin.Error {
	var pr *Price
	param := join(join(at, "pricing"), "price")
	switch {
	case p.PriceData.Given():
		param = join(at, "price_data")
		made, err := p.PriceData.V.price(tx, param)
		if err != nil {
			return err
		}
		pr = made
	case p.Pricing.Given():
		found, ok := prices.Get(tx, p.Pricing.V.Price.V)
		switch {
		case !ok:
			return errNoSuchRef(prices.Object, param, p.Pricing.V.Price.V)
		case found.Recurring != nil:
			return errRecurring(param)
		case !found.Active:
			return errPriceInactive(param)
		}
		pr = found
	default:
		return nil
	}
	it.Currency = pr.Currency
	if it.Description == nil {
		name := peek(tx, products.Table, pr.Product, "name")
		it.Description = textOrNull(name)
	}
	it.Pricing = &Pricing{Type: "price_details", PriceDetails: PriceDetails{Price: pr.ID, Product: pr.Product}}
	return it.cost(pr.UnitAmountDecimal, max(it.Quantity, 1), param)
}

// price makes the price that an item brings along: it cannot be used again.
func (p *priceDataParams) price(tx *twin.Tx, at string) (*Price, *twin.Error) {
	pr, err := p.make(tx, at)
	if err == nil {
		tx.Emit("price.created", prices.Put(tx, pr), nil)
	}
	return pr, err
}

// make is that price, not stored yet.
func (p *priceDataParams) make(tx *twin.Tx, at string) (*Price, *twin.Error) {
	currency, err := knownCurrency(p.Currency.V, join(at, "currency"))
	if err != nil {
		return nil, err
	}
	if err := known(tx, products.Kind, join(at, "product"), p.Product); err != nil {
		return nil, err
	}
	pr := newPrice(prices.NewID(tx), p.Product.V, currency, p.unit(), tx.Now())
	pr.Active = false
	return pr, nil
}

// cost makes an item with a price one of so many units.
func (it *InvoiceItem) cost(unit string, quantity int64, param string) *twin.Error {
	amount, ok := lineCost(unit, quantity)
	if !ok {
		return errAmountLarge(param, amountMax, it.Currency)
	}
	pricing := *it.Pricing
	pricing.UnitAmountDecimal = &unit
	it.Pricing, it.Amount, it.Quantity, it.QuantityDecimal = &pricing, amount, quantity, decimal(quantity)
	return nil
}

// units makes an item one of so many units, without a price.
func (it *InvoiceItem) units(unit twin.Money, quantity int64, param string) *twin.Error {
	amount, ok := lineCost(decimal(int64(unit)), quantity)
	if !ok || amount < -amountMax {
		return errAmountLarge(param, amountMax, it.Currency)
	}
	it.Pricing, it.Amount, it.Quantity, it.QuantityDecimal = nil, amount, quantity, decimal(quantity)
	return nil
}

// admit refuses an item whose currency nothing of c's can bill: it must be the
// customer's, which the item fixes if nothing has. One that is owed may also be
// in the currency of a standing subscription, which only a seed can have in
// another: so no request builds an invoice that gives credit where the balance is
// not kept. An item for a draft must be in the draft's.
func (it *InvoiceItem) admit(tx *twin.Tx, c *Customer, inv *Invoice) *twin.Error {
	switch {
	case it.Amount < 0 && c.Balance < -amountMax: // sums stay within 53 bits
		return errAmountLarge("amount", amountMax, it.Currency)
	case inv != nil && inv.Customer != c.ID:
		return errNoSuchRef(invoices.Object, "invoice", inv.ID)
	case inv != nil && inv.Currency != it.Currency:
		return invalid("currency", "The currency of the invoice item (%s) must match the currency of the invoice (%s).", it.Currency, inv.Currency)
	case inv != nil && it.Amount >= 0 || pinnedTo(c, it.Currency):
		return nil
	}
	if it.Amount >= 0 {
		for s := range subscriptions.With(tx, "customer="+c.ID) {
			if !s.ended() && s.Currency == it.Currency {
				return nil
			}
		}
	}
	return pinCurrency(tx, c, it.Currency)
}

// product is what an item sells, "" when it has no price.
func (it *InvoiceItem) product() string {
	if it.Pricing == nil {
		return ""
	}
	return it.Pricing.PriceDetails.Product
}

// discount gives an item the discounts that a request asks for.
func (it *InvoiceItem) discount(tx *twin.Tx, p discountList) *twin.Error {
	if p.Sent() {
		had := it.Discounts
		kept, err := grant(tx, p, Discount{Customer: &it.Customer, InvoiceItem: &it.ID}, it.Currency, had)
		if err != nil {
			return err
		}
		it.Discounts = kept
		endDiscounts(tx, without(had, kept))
	}
	it.NetAmount = it.Amount
	for _, id := range it.Discounts {
		if c := couponOf(tx, id).in(tx, it.Currency); c.reaches(tx, it.product()) {
			it.NetAmount -= c.off(max(it.NetAmount, 0))
		}
	}
	return nil
}

// enter stores a new item, on the draft inv or (nil) pending.
func (it *InvoiceItem) enter(tx *twin.Tx, inv *Invoice) twin.Doc {
	doc := invoiceItems.Put(tx, it)
	tx.Emit("invoiceitem.created", doc, nil)
	if inv != nil {
		inv.rewrite(tx, append(allLines(tx, inv), it.line(tx, inv)))
		inv.replace(tx)
	}
	return doc
}

// line is the line that bills an item on inv.
func (it *InvoiceItem) line(tx *twin.Tx, inv *Invoice) Line {
	l := Line{ID: lines.NewID(tx), Object: lines.Object, Invoice: inv.ID}
	it.fill(&l)
	return l
}

// fill makes a line say what its item says.
func (it *InvoiceItem) fill(l *Line) {
	l.Amount, l.Subtotal, l.Currency, l.Description = it.Amount, it.Amount, it.Currency, it.Description
	l.Discountable, l.Discounts, l.Metadata, l.Period = it.Discountable, it.Discounts, it.Metadata, it.Period
	l.Pricing, l.Quantity, l.QuantityDecimal = it.Pricing, it.Quantity, it.QuantityDecimal
	details := LineInvoiceItem{InvoiceItem: it.ID, Proration: it.Proration}
	if it.Parent != nil {
		s := it.Parent.SubscriptionDetails.Subscription
		details.Subscription, l.Subscription = &s, &s
	}
	if credited := it.ProrationDetails.CreditedItems; credited != nil {
		details.ProrationDetails.CreditedItems = &credited.InvoiceLineItemDetails
	}
	l.Parent = &LineParent{Type: "invoice_item_details", InvoiceItemDetails: &details}
}

// sweep takes the items that wait for c onto a new invoice, newest first: those of
// its currency, and of all subscriptions or (not "") of one. Items without a
// subscription come along when others does.
func sweep(tx *twin.Tx, inv *Invoice, subscription string, others bool) []Line {
	var found []*InvoiceItem
	for it := range invoiceItems.With(tx, "waiting="+inv.Customer) {
		of := it.subscription()
		if it.Currency == inv.Currency && (subscription == "" || of == subscription || of == "" && others) {
			found = append(found, it)
		}
	}
	slices.Reverse(found)
	out := make([]Line, 0, len(found))
	for _, it := range found {
		taken := *it
		taken.Invoice = &inv.ID
		invoiceItems.Put(tx, &taken)
		out = append(out, taken.line(tx, inv))
	}
	return out
}

// subscription is the id of the subscription that an item belongs to, "" for none.
func (it *InvoiceItem) subscription() string {
	if it.Parent == nil {
		return ""
	}
	return it.Parent.SubscriptionDetails.Subscription
}

type listInvoiceItemsParams struct {
	page
	Created  twin.Opt[twin.Range] `param:"created"`
	Customer twin.Opt[string]     `param:"customer"`
	Invoice  twin.Opt[string]     `param:"invoice"`
	Pending  twin.Opt[bool]       `param:"pending"`
}

func listInvoiceItems(tx *twin.Tx, p *listInvoiceItemsParams) (twin.Doc, *twin.Error) {
	if err := known(tx, customers.Kind, "customer", p.Customer); err != nil {
		return twin.Doc{}, err
	}
	if err := known(tx, invoices.Kind, "invoice", p.Invoice); err != nil {
		return twin.Doc{}, err
	}
	var f filter
	f.with("invoice", p.Invoice)
	f.with("customer", p.Customer)
	f.withBool("pending", p.Pending)
	f.within("date", p.Created)
	return list(tx, invoiceItems.Kind, invoiceItems.Object, "/v1/invoiceitems", p.page, f)
}

type invoiceItemPath struct {
	InvoiceItem string `path:"invoiceitem"`
}

func retrieveInvoiceItem(tx *twin.Tx, p *invoiceItemPath) (twin.Doc, *twin.Error) {
	doc, ok := invoiceItems.Doc(tx, p.InvoiceItem)
	if !ok {
		return twin.Doc{}, errNoSuch("invoice item", "invoiceitem", p.InvoiceItem)
	}
	return doc, nil
}

// find returns a copy of the item to change and the draft it is on, nil when it is
// pending. One on a finalized invoice stays as it is.
func (p *invoiceItemPath) find(tx *twin.Tx) (*InvoiceItem, *Invoice, *twin.Error) {
	old, ok := invoiceItems.Get(tx, p.InvoiceItem)
	if !ok {
		return nil, nil, errNoSuch("invoice item", "invoiceitem", p.InvoiceItem)
	}
	it := *old
	if it.Invoice == nil {
		return &it, nil, nil
	}
	held, ok := invoices.Get(tx, *it.Invoice)
	if !ok {
		return &it, nil, nil // a deleted draft
	}
	if held.Status != invDraft {
		return nil, nil, errItemInvoiced(*it.Invoice)
	}
	inv := *held
	return &it, &inv, nil
}

type updateInvoiceItemParams struct {
	invoiceItemPath
	itemParams
}

func (p *updateInvoiceItemParams) Check() *twin.Error { return p.check("") }

func updateInvoiceItem(tx *twin.Tx, p *updateInvoiceItemParams) (twin.Doc, *twin.Error) {
	it, inv, err := p.find(tx)
	if err != nil {
		return twin.Doc{}, err
	}
	c, ok := liveCustomer(tx, it.Customer)
	if !ok {
		return twin.Doc{}, errNoSuchRef(customers.Object, "customer", it.Customer)
	}
	return p.edit(tx, it, c, inv, "")
}

// edit changes an item, and the line of the draft it is on. Stripe has no event
// for an item that changes.
func (p *itemParams) edit(tx *twin.Tx, it *InvoiceItem, c *Customer, inv *Invoice, at string) (twin.Doc, *twin.Error) {
	currency := it.Currency
	if err := p.apply(tx, it, at); err != nil {
		return twin.Doc{}, err
	}
	if it.Currency != currency {
		return twin.Doc{}, errPriceCurrency(join(join(at, "pricing"), "price"), currency)
	}
	if err := it.admit(tx, c, inv); err != nil {
		return twin.Doc{}, err
	}
	if err := it.discount(tx, p.Discounts); err != nil {
		return twin.Doc{}, err
	}
	doc, _, _ := invoiceItems.Replace(tx, it)
	if inv != nil {
		all := allLines(tx, inv)
		for i := range all {
			if all[i].item() == it.ID {
				it.fill(&all[i])
			}
		}
		inv.rewrite(tx, all)
		inv.replace(tx)
	}
	return doc, nil
}

func deleteInvoiceItem(tx *twin.Tx, p *invoiceItemPath) (twin.Doc, *twin.Error) {
	it, inv, err := p.find(tx)
	if err != nil {
		return twin.Doc{}, err
	}
	if inv != nil {
		inv.rewrite(tx, slices.DeleteFunc(allLines(tx, inv), func(l Line) bool { return l.item() == it.ID }))
		inv.replace(tx)
	}
	return dropItem(tx, it.ID), nil
}

// dropItem removes an item that no invoice shows.
func dropItem(tx *twin.Tx, id string) twin.Doc {
	last, _ := invoiceItems.Doc(tx, id)
	tx.Emit("invoiceitem.deleted", last, nil)
	invoiceItems.Delete(tx, id)
	return twin.Doc{Body: deletedStub(id, invoiceItems.Object)}
}
