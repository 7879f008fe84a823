package stripe

import (
	"worlds/journal/canon"
	"worlds/twin"
)

// CreditNoteLine is one line of a credit note. As with invoices, the first ones
// live in their note, and the others have rows of their own.
type CreditNoteLine struct {
	Amount              twin.Money        `json:"amount"` // before discounts
	Description         *string           `json:"description"`
	DiscountAmount      twin.Money        `json:"discount_amount"`
	DiscountAmounts     []DiscountAmount  `json:"discount_amounts"`
	ID                  string            `json:"id"`
	InvoiceLineItem     string            `json:"invoice_line_item,omitempty"`
	Livemode            bool              `json:"livemode"`
	Metadata            map[string]string `json:"metadata"`
	Object              string            `json:"object"`
	PretaxCreditAmounts []canon.Raw       `json:"pretax_credit_amounts"`
	Quantity            *int64            `json:"quantity"`
	TaxRates            []canon.Raw       `json:"tax_rates"`
	Taxes               []canon.Raw       `json:"taxes"`
	Type                string            `json:"type"`
	UnitAmount          *twin.Money       `json:"unit_amount"`
	UnitAmountDecimal   *string           `json:"unit_amount_decimal"`
}

// CreditNoteLines are the lines of a credit note as a list.
type CreditNoteLines struct {
	Data    []CreditNoteLine `json:"data"`
	HasMore bool             `json:"has_more"`
	Object  string           `json:"object"`
	URL     string           `json:"url"`
}

// The types of a line.
const (
	lineOfInvoice = "invoice_line_item"
	lineCustom    = "custom_line_item"
)

// furtherLine is a line that its note has no room for.
type furtherLine struct {
	CreditNote string         `json:"credit_note"`
	Line       CreditNoteLine `json:"line"`
}

var creditNoteLines = twin.Resource[furtherLine]{
	Kind:  twin.Kind{Table: "stripe.credit_note_line", Prefix: "cnli", Digits: 24},
	Key:   func(l *furtherLine) string { return l.Line.ID },
	Terms: func(l *furtherLine) []string { return []string{"credit_note=" + l.CreditNote} },
}

func creditNoteLineAPI() twin.API {
	return twin.API{
		Kind: twin.Kind{Table: creditNoteLines.Table, Object: "credit_note_line_item", Prefix: creditNoteLines.Prefix, Digits: creditNoteLines.Digits},
		Expand: map[string]string{
			"discount_amounts.discount": discounts.Object,
			// Never set here, and Stripe expands them.
			"pretax_credit_amounts.credit_balance_transaction": "credit_balance_transaction",
			"pretax_credit_amounts.discount":                   discounts.Object,
			"taxes.tax_rate_details.tax_rate":                  "tax_rate",
		},
	}
}

type creditNoteLineParams struct {
	Amount          twin.Opt[twin.Money]    `param:"amount" rule:"min=1,max=999999999999"`
	Description     twin.Opt[string]        `param:"description"`
	InvoiceLineItem twin.Opt[string]        `param:"invoice_line_item"`
	Metadata        twin.Opt[twin.Metadata] `param:"metadata"`
	Quantity        twin.Opt[int64]         `param:"quantity" rule:"min=1,max=1000000"`
	Type            twin.Opt[string]        `param:"type" rule:"required,enum=custom_line_item|invoice_line_item"`
	UnitAmount      twin.Opt[twin.Money]    `param:"unit_amount" rule:"min=1,max=99999999"`
}

// check wants a line to say one thing, whole.
func (p *creditNoteLineParams) check(at string) *twin.Error {
	if p.Type.V == lineOfInvoice {
		switch {
		case !p.InvoiceLineItem.Given():
			return errMissing(join(at, "invoice_line_item"))
		case p.Amount.Given() && p.Quantity.Given():
			return errExclusive(join(at, "amount"), join(at, "quantity"))
		case p.UnitAmount.Given():
			return errUnserved("unit_amount of a line of an invoice", join(at, "unit_amount"))
		case p.Description.Given():
			return errUnserved("a description of a line of an invoice", join(at, "description"))
		}
		return nil
	}
	switch {
	case p.InvoiceLineItem.Given():
		return errExclusive(join(at, "type"), join(at, "invoice_line_item"))
	case p.Amount.Given():
		return errUnserved("amount of a custom line", join(at, "amount"))
	case !p.UnitAmount.Given():
		return errMissing(join(at, "unit_amount"))
	case !p.Description.Given():
		return errMissing(join(at, "description"))
	}
	return nil
}

// lines are the lines that a request describes: an amount alone is one line.
func (p *creditNoteParams) lines(tx *twin.Tx, n *CreditNote, inv *Invoice, earlier []*CreditNote) ([]CreditNoteLine, *twin.Error) {
	if !p.Lines.Given() {
		l := newNoteLine(tx, lineCustom, p.Amount.V)
		l.price(p.Amount.V, 1)
		return []CreditNoteLine{l}, nil
	}
	billed := allLines(tx, inv)
	var out []CreditNoteLine
	for i := range p.Lines.V {
		q, at := &p.Lines.V[i], "lines["+decimal(int64(i))+"]"
		var l CreditNoteLine
		if q.Type.V == lineCustom {
			l = newNoteLine(tx, lineCustom, q.UnitAmount.V*twin.Money(q.Quantity.Or(1)))
			l.price(q.UnitAmount.V, q.Quantity.Or(1))
			q.Description.Apply(&l.Description)
		} else {
			of, err := lineNamed(billed, q.InvoiceLineItem.V, join(at, "invoice_line_item"))
			if err != nil {
				return nil, err
			}
			if l, err = q.creditLine(tx, of, creditedOf(tx, of.ID, earlier, out), inv.Currency, at); err != nil {
				return nil, err
			}
		}
		var err *twin.Error
		if l.Metadata, err = applyMetadata(l.Metadata, q.Metadata); err != nil {
			return nil, err
		}
		out = append(out, l)
	}
	return out, nil
}

func newNoteLine(tx *twin.Tx, typ string, amount twin.Money) CreditNoteLine {
	return CreditNoteLine{
		ID: creditNoteLines.NewID(tx), Object: "credit_note_line_item", Type: typ, Amount: amount, Metadata: map[string]string{},
	}
}

// price says how a line's amount came about.
func (l *CreditNoteLine) price(unit twin.Money, quantity int64) {
	text := decimal(int64(unit))
	l.UnitAmount, l.UnitAmountDecimal, l.Quantity = &unit, &text, &quantity
}

// creditLine credits a part of a line of an invoice, by quantity or by amount, and
// the same part of its discounts. before is what was credited of it already.
func (p *creditNoteLineParams) creditLine(tx *twin.Tx, of *Line, before twin.Money, currency, at string) (CreditNoteLine, *twin.Error) {
	part, whole := p.Quantity.Or(of.Quantity), of.Quantity
	if p.Amount.Given() {
		part, whole = int64(p.Amount.V), int64(of.Subtotal)
	}
	if of.Subtotal <= 0 || whole <= 0 || part > whole {
		return CreditNoteLine{}, errNoteLine(join(at, "invoice_line_item"), of.ID, max(of.Subtotal-before, 0), currency)
	}
	l := newNoteLine(tx, lineOfInvoice, portion(of.Subtotal, part, whole))
	if before+l.Amount > of.Subtotal {
		return CreditNoteLine{}, errNoteLine(join(at, "invoice_line_item"), of.ID, of.Subtotal-before, currency)
	}
	l.InvoiceLineItem, l.Description = of.ID, of.Description
	if p.Amount.Given() {
		l.price(l.Amount, 1)
		l.Quantity = nil
	} else {
		l.Quantity = &part
		unit := portion(of.Subtotal, 1, whole)
		l.UnitAmount = &unit
		if of.Pricing != nil {
			l.UnitAmountDecimal = of.Pricing.UnitAmountDecimal
		}
	}
	for _, d := range of.DiscountAmounts {
		// Counted from the whole, so that parts of a line add up to all of it.
		off := portion(d.Amount, int64(before+l.Amount), int64(of.Subtotal)) - portion(d.Amount, int64(before), int64(of.Subtotal))
		l.DiscountAmount += off
		l.DiscountAmounts = append(l.DiscountAmounts, DiscountAmount{Amount: off, Discount: d.Discount})
	}
	return l, nil
}

// creditedOf is what notes, and lines of one in the making, credit of a line of an
// invoice.
func creditedOf(tx *twin.Tx, line string, notes []*CreditNote, fresh []CreditNoteLine) (amount twin.Money) {
	for _, n := range notes {
		if n.Status != noteVoid {
			fresh = append(fresh[:len(fresh):len(fresh)], n.allLines(tx)...)
		}
	}
	for i := range fresh {
		if fresh[i].InvoiceLineItem == line {
			amount += fresh[i].Amount
		}
	}
	return amount
}

// allLines are the lines of a stored note.
func (n *CreditNote) allLines(tx *twin.Tx) []CreditNoteLine {
	all := n.Lines.Data[:len(n.Lines.Data):len(n.Lines.Data)]
	if n.Lines.HasMore {
		for l := range creditNoteLines.With(tx, "credit_note="+n.ID) {
			all = append(all, l.Line)
		}
	}
	return all
}

// sum computes a note's totals from all its lines.
func (n *CreditNote) sum(all []CreditNoteLine) {
	for i := range all {
		n.Subtotal += all[i].Amount
		n.DiscountAmount += all[i].DiscountAmount
	next:
		for _, d := range all[i].DiscountAmounts {
			for j := range n.DiscountAmounts {
				if have := &n.DiscountAmounts[j]; have.Discount == d.Discount {
					have.Amount += d.Amount
					continue next
				}
			}
			n.DiscountAmounts = append(n.DiscountAmounts, d)
		}
	}
	n.Total = n.Subtotal - n.DiscountAmount
	n.Amount, n.SubtotalExcludingTax, n.TotalExcludingTax = n.Total, n.Subtotal, n.Total
}

// show puts as many lines into a note as it shows.
func (n *CreditNote) show(all []CreditNoteLine) (further []CreditNoteLine) {
	shown := min(len(all), linesEmbedded)
	n.Lines.Data, n.Lines.HasMore = all[:shown], shown < len(all)
	return all[shown:]
}

// store puts a note with its lines.
func (n *CreditNote) store(tx *twin.Tx, all []CreditNoteLine) {
	for _, l := range n.show(all) {
		creditNoteLines.Put(tx, &furtherLine{CreditNote: n.ID, Line: l})
	}
	creditNotes.Put(tx, n)
}

type listCreditNoteLinesParams struct {
	CreditNote string `path:"credit_note"`
	page
}

func listCreditNoteLines(tx *twin.Tx, p *listCreditNoteLinesParams) (twin.Doc, *twin.Error) {
	doc, ok := creditNotes.Doc(tx, p.CreditNote)
	if !ok {
		return twin.Doc{}, errNoSuch("credit note", "id", p.CreditNote)
	}
	rows := elements(doc.Body, "lines")
	for row := range tx.State().OldestWith(creditNoteLines.Table, "credit_note="+p.CreditNote, 0) {
		line, _ := canon.Get(row.Body, "line")
		rows = append(rows, line)
	}
	return within(rows, "credit note line item", "/v1/credit_notes/"+p.CreditNote+"/lines", p.page)
}
