package stripe

import (
	"worlds/journal/canon"
	"worlds/twin"
)

// Line is one line of an invoice. The first linesEmbedded lines live in their
// invoice and nowhere else; the others have rows of their own, so that an invoice
// stays small and the page behind its list is a walk over an index.
type Line struct {
	Amount              twin.Money        `json:"amount"`
	Currency            string            `json:"currency"`
	Description         *string           `json:"description"`
	DiscountAmounts     []DiscountAmount  `json:"discount_amounts"`
	Discountable        bool              `json:"discountable"`
	Discounts           []string          `json:"discounts"`
	ID                  string            `json:"id"`
	Invoice             string            `json:"invoice"`
	Livemode            bool              `json:"livemode"`
	Metadata            map[string]string `json:"metadata"`
	Object              string            `json:"object"`
	Parent              *LineParent       `json:"parent"` // null when a seed made it
	Period              Period            `json:"period"`
	PretaxCreditAmounts []canon.Raw       `json:"pretax_credit_amounts"`
	Pricing             *Pricing          `json:"pricing"` // null without a price
	Quantity            int64             `json:"quantity"`
	QuantityDecimal     string            `json:"quantity_decimal"`
	Subscription        *string           `json:"subscription"`
	Subtotal            twin.Money        `json:"subtotal"`
	Taxes               []canon.Raw       `json:"taxes"`
}

// InvoiceLines are the lines of an invoice as a list.
type InvoiceLines struct {
	Data       []Line `json:"data"`
	HasMore    bool   `json:"has_more"`
	Object     string `json:"object"`
	TotalCount int64  `json:"total_count"`
	URL        string `json:"url"`
}

// LineParent is what made a line.
type LineParent struct {
	InvoiceItemDetails      *LineInvoiceItem `json:"invoice_item_details"`
	SubscriptionItemDetails *LineItemDetails `json:"subscription_item_details"`
	Type                    string           `json:"type"`
}

// LineInvoiceItem is the invoice item that made a line.
type LineInvoiceItem struct {
	InvoiceItem      string           `json:"invoice_item"`
	Proration        bool             `json:"proration"`
	ProrationDetails ProrationDetails `json:"proration_details"`
	Subscription     *string          `json:"subscription"`
}

// LineItemDetails is the subscription item that made a line.
type LineItemDetails struct {
	InvoiceItem      *string          `json:"invoice_item"`
	Proration        bool             `json:"proration"`
	ProrationDetails ProrationDetails `json:"proration_details"`
	Subscription     string           `json:"subscription"`
	SubscriptionItem string           `json:"subscription_item"`
}

// ProrationDetails say what a proration credits.
type ProrationDetails struct {
	CreditedItems *CreditedItems `json:"credited_items"`
}

// CreditedItems are the lines of an invoice that billed what is credited.
type CreditedItems struct {
	Invoice          string   `json:"invoice"`
	InvoiceLineItems []string `json:"invoice_line_items"`
}

// Period is a stretch of time, its end excluded.
type Period struct {
	End   twin.Time `json:"end"`
	Start twin.Time `json:"start"`
}

// Pricing is how a line's amount came about.
type Pricing struct {
	PriceDetails      PriceDetails `json:"price_details"`
	Type              string       `json:"type"`
	UnitAmountDecimal *string      `json:"unit_amount_decimal"` // null when the price does not say it
}

// PriceDetails name a line's price.
type PriceDetails struct {
	Price   string `json:"price"`
	Product string `json:"product"`
}

// linesEmbedded is how many lines an invoice shows; the others are at its lines
// route.
const linesEmbedded = 10

var lines = twin.Resource[Line]{
	Kind:  twin.Kind{Table: "stripe.line", Object: "line_item", Prefix: "il", Digits: 24},
	Key:   func(l *Line) string { return l.ID },
	Terms: func(l *Line) []string { return []string{"invoice=" + l.Invoice} },
}

// product is what a line sells, "" when it has no price.
func (l *Line) product() string {
	if l.Pricing == nil {
		return ""
	}
	return l.Pricing.PriceDetails.Product
}

func lineAPI() twin.API {
	return twin.API{
		Kind: lines.Kind,
		Expand: map[string]string{
			"discount_amounts.discount":   discounts.Object,
			"discounts":                   discounts.Object,
			"pricing.price_details.price": prices.Object,
			"subscription":                subscriptions.Object,
			// Never set here, and Stripe expands them.
			"pretax_credit_amounts.credit_balance_transaction": "credit_balance_transaction",
			"pretax_credit_amounts.discount":                   discounts.Object,
			"taxes.tax_rate_details.tax_rate":                  "tax_rate",
		},
	}
}

// newLine is a line of inv, of quantity units for amount in all, at a price or
// (nil) without one.
func newLine(id string, inv *Invoice, text string, amount twin.Money, quantity int64, pr *Price) Line {
	l := Line{
		ID: id, Object: lines.Object, Invoice: inv.ID, Amount: amount, Subtotal: amount, Currency: inv.Currency,
		Discountable: true, Metadata: map[string]string{}, Quantity: quantity, QuantityDecimal: decimal(quantity),
		Period: Period{Start: inv.Created, End: inv.Created},
	}
	if text != "" {
		l.Description = &text
	}
	if pr == nil {
		return l
	}
	l.Pricing = &Pricing{Type: "price_details", PriceDetails: PriceDetails{Price: pr.ID, Product: pr.Product}}
	if cost, ok := lineCost(pr.UnitAmountDecimal, quantity); ok && cost == amount {
		unit := pr.UnitAmountDecimal
		l.Pricing.UnitAmountDecimal = &unit
	} else if quantity != 0 && int64(amount)%quantity == 0 {
		unit := decimal(int64(amount) / quantity)
		l.Pricing.UnitAmountDecimal = &unit
	}
	return l
}

func decimal(n int64) string { return string(canon.AppendInt(nil, n)) }

// putLines gives a new invoice its lines.
func putLines(tx *twin.Tx, inv *Invoice, all []Line) {
	n := min(len(all), linesEmbedded)
	inv.Lines.Data, inv.Lines.HasMore, inv.Lines.TotalCount = all[:n], n < len(all), int64(len(all))
	for i := n; i < len(all); i++ {
		lines.Put(tx, &all[i])
	}
}

// lineDoc is a line as an answer: the ones in their invoice have no row.
func lineDoc(l *Line) twin.Doc { return twin.Doc{Body: canon.Marshal(l)} }

// dropLines removes the lines that do not live in the invoice.
func dropLines(tx *twin.Tx, inv *Invoice) {
	if !inv.Lines.HasMore {
		return
	}
	var ids []string
	for l := range lines.With(tx, "invoice="+inv.ID) {
		ids = append(ids, l.ID)
	}
	for _, id := range ids {
		lines.Delete(tx, id)
	}
}

type listInvoiceLinesParams struct {
	Invoice string `path:"invoice"`
	page
}

// listInvoiceLines pages through the lines in the order of the invoice.
func listInvoiceLines(tx *twin.Tx, p *listInvoiceLinesParams) (twin.Doc, *twin.Error) {
	doc, ok := invoices.Doc(tx, p.Invoice)
	if !ok {
		return twin.Doc{}, errNoSuch(invoices.Object, "invoice", p.Invoice)
	}
	rows := elements(doc.Body, "lines")
	for row := range tx.State().OldestWith(lines.Table, "invoice="+p.Invoice, 0) {
		rows = append(rows, row.Body)
	}
	doc, err := within(rows, lines.Object, "/v1/invoices/"+p.Invoice+"/lines", p.page)
	doc.Rows = lines.Object
	return doc, err
}

// elements lists the objects of the list that body holds under a name.
func elements(body canon.Raw, name string) []canon.Raw {
	envelope, _ := canon.Get(body, name)
	data, _ := canon.Get(envelope, "data")
	var rows []canon.Raw
	for e := range canon.Elements(data) {
		rows = append(rows, e)
	}
	return rows
}

// within answers one page of a list that is at hand, in its own order.
func within(rows []canon.Raw, noun, url string, p page) (twin.Doc, *twin.Error) {
	after, err := place(rows, noun, "starting_after", p.StartingAfter)
	if err != nil {
		return twin.Doc{}, err
	}
	before, err := place(rows, noun, "ending_before", p.EndingBefore)
	if err != nil {
		return twin.Doc{}, err
	}
	limit := int(p.Limit.Or(pageDefault))
	switch {
	case p.StartingAfter.Given() && p.EndingBefore.Given():
		return twin.Doc{}, errBothCursors()
	case p.EndingBefore.Given():
		rows = rows[:before]
		start := max(0, len(rows)-limit)
		return listDoc(rows[start:], start > 0, url), nil
	case p.StartingAfter.Given():
		rows = rows[after+1:]
	}
	end := min(limit, len(rows))
	return listDoc(rows[:end], end < len(rows), url), nil
}

// place is the index of the row that a cursor names.
func place(rows []canon.Raw, noun, param string, id twin.Opt[string]) (int, *twin.Error) {
	if !id.Given() {
		return 0, nil
	}
	for i, row := range rows {
		raw, _ := canon.Get(row, "id")
		if have, _ := canon.Unquote(raw); have == id.V {
			return i, nil
		}
	}
	return 0, errNoSuchRef(noun, param, id.V)
}
