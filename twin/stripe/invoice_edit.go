package stripe

import (
	"fmt"
	"slices"

	"worlds/twin"
)

// The lines of a draft can be changed. Each has an invoice item behind it, but for
// those that bill the items of a subscription and those that a seed made.

// editable finds a draft, as a copy to change. param is what Stripe calls it there;
// in a path it is not a parameter, "".
func editable(tx *twin.Tx, id, param string) (*Invoice, *twin.Error) {
	old, ok := invoices.Get(tx, id)
	switch {
	case !ok && param == "":
		return nil, errNoSuch(invoices.Object, "invoice", id)
	case !ok:
		return nil, errNoSuchRef(invoices.Object, param, id)
	case old.Status != invDraft:
		return nil, errNotEditable()
	}
	inv := *old
	return &inv, nil
}

// allLines are the lines of a stored invoice, as copies to change.
func allLines(tx *twin.Tx, inv *Invoice) []Line {
	all := slices.Clone(inv.Lines.Data)
	if inv.Lines.HasMore {
		for l := range lines.With(tx, "invoice="+inv.ID) {
			all = append(all, *l)
		}
	}
	return all
}

// rewrite gives a stored draft, which the caller stores, other lines.
func (inv *Invoice) rewrite(tx *twin.Tx, all []Line) {
	dropLines(tx, inv)
	inv.reduce(tx, all)
	putLines(tx, inv, all)
	inv.sum(all)
}

// item is the id of the invoice item behind a line, "" for none.
func (l *Line) item() string {
	if l.Parent == nil || l.Parent.InvoiceItemDetails == nil {
		return ""
	}
	return l.Parent.InvoiceItemDetails.InvoiceItem
}

type addLinesParams struct {
	Invoice         string                  `path:"invoice"`
	InvoiceMetadata twin.Opt[twin.Metadata] `param:"invoice_metadata"`
	Lines           twin.Opt[[]lineParams]  `param:"lines" rule:"required"`
}

type lineParams struct {
	InvoiceItem twin.Opt[string] `param:"invoice_item"`
	itemParams
}

// Check wants each line to be an item that there is, or to say how much it costs.
func (p *addLinesParams) Check() *twin.Error {
	for i := range p.Lines.V {
		l, at := &p.Lines.V[i], fmt.Sprintf("lines[%d]", i)
		switch {
		case l.InvoiceItem.Given() && (l.Amount.Given() || l.Pricing.Given() || l.PriceData.Given()):
			return errExclusive(join(at, "invoice_item"), join(at, "amount"))
		case !l.InvoiceItem.Given() && !l.Amount.Given() && !l.Pricing.Given() && !l.PriceData.Given():
			return errMissing(join(at, "amount"))
		}
		if err := l.check(at); err != nil {
			return err
		}
	}
	return nil
}

// addInvoiceLines puts pending items, or new ones, on a draft.
func addInvoiceLines(tx *twin.Tx, p *addLinesParams) (twin.Doc, *twin.Error) {
	inv, c, err := editableOf(tx, p.Invoice)
	if err != nil {
		return twin.Doc{}, err
	}
	all := allLines(tx, inv)
	for i := range p.Lines.V {
		it, err := p.Lines.V[i].item(tx, inv, c, fmt.Sprintf("lines[%d]", i))
		if err != nil {
			return twin.Doc{}, err
		}
		all = append(all, it.line(tx, inv))
	}
	return inv.edited(tx, all, p.InvoiceMetadata)
}

// editableOf is editable with the customer who pays.
func editableOf(tx *twin.Tx, id string) (*Invoice, *Customer, *twin.Error) {
	inv, err := editable(tx, id, "")
	if err != nil {
		return nil, nil, err
	}
	c, ok := liveCustomer(tx, inv.Customer)
	if !ok {
		return nil, nil, errNoSuchRef(customers.Object, "customer", inv.Customer)
	}
	return inv, c, nil
}

// edited stores a draft with other lines and metadata.
func (inv *Invoice) edited(tx *twin.Tx, all []Line, metadata twin.Opt[twin.Metadata]) (twin.Doc, *twin.Error) {
	if len(all) > pendingItemsMax {
		return twin.Doc{}, invalid("lines", "An invoice can have at most %d lines.", pendingItemsMax)
	}
	var err *twin.Error
	if inv.Metadata, err = applyMetadata(inv.Metadata, metadata); err != nil {
		return twin.Doc{}, err
	}
	inv.rewrite(tx, all)
	return inv.replace(tx), nil
}

// item is the stored item that a new line of inv bills.
func (p *lineParams) item(tx *twin.Tx, inv *Invoice, c *Customer, at string) (*InvoiceItem, *twin.Error) {
	it := newItem(tx, c)
	it.Currency = inv.Currency
	if p.InvoiceItem.Given() {
		found, ok := invoiceItems.Get(tx, p.InvoiceItem.V)
		switch {
		case !ok || found.Customer != inv.Customer:
			return nil, errNoSuchRef("invoice item", join(at, "invoice_item"), p.InvoiceItem.V)
		case found.Invoice != nil:
			return nil, errItemInvoiced(*found.Invoice)
		}
		*it = *found
	}
	if err := p.apply(tx, it, at); err != nil {
		return nil, err
	}
	if err := it.admit(tx, c, inv); err != nil {
		return nil, err
	}
	if err := it.discount(tx, p.Discounts); err != nil {
		return nil, err
	}
	it.Invoice = &inv.ID
	doc := invoiceItems.Put(tx, it)
	if !p.InvoiceItem.Given() {
		tx.Emit("invoiceitem.created", doc, nil)
	}
	return it, nil
}

type updateLinesParams struct {
	Invoice         string                        `path:"invoice"`
	InvoiceMetadata twin.Opt[twin.Metadata]       `param:"invoice_metadata"`
	Lines           twin.Opt[[]changedLineParams] `param:"lines" rule:"required"`
}

type changedLineParams struct {
	ID twin.Opt[string] `param:"id" rule:"required"`
	itemParams
}

func (p *updateLinesParams) Check() *twin.Error {
	for i := range p.Lines.V {
		if err := p.Lines.V[i].check(fmt.Sprintf("lines[%d]", i)); err != nil {
			return err
		}
	}
	return nil
}

func updateInvoiceLines(tx *twin.Tx, p *updateLinesParams) (twin.Doc, *twin.Error) {
	inv, c, err := editableOf(tx, p.Invoice)
	if err != nil {
		return twin.Doc{}, err
	}
	all := allLines(tx, inv)
	for i := range p.Lines.V {
		at := fmt.Sprintf("lines[%d]", i)
		l, err := lineNamed(all, p.Lines.V[i].ID.V, join(at, "id"))
		if err != nil {
			return twin.Doc{}, err
		}
		if err := p.Lines.V[i].change(tx, inv, c, l, at); err != nil {
			return twin.Doc{}, err
		}
	}
	return inv.edited(tx, all, p.InvoiceMetadata)
}

// lineNamed finds a line among those of an invoice.
func lineNamed(all []Line, id, param string) (*Line, *twin.Error) {
	for i := range all {
		if all[i].ID == id {
			return &all[i], nil
		}
	}
	return nil, errNoSuchRef("invoice line item", param, id)
}

// change edits a line and the item behind it.
func (p *itemParams) change(tx *twin.Tx, inv *Invoice, c *Customer, l *Line, at string) *twin.Error {
	if l.item() == "" {
		return errUnserved("changes of a line without an invoice item", at)
	}
	old, _ := invoiceItems.Get(tx, l.item())
	it := *old
	if _, err := p.edit(tx, &it, c, nil, at); err != nil {
		return err
	}
	it.fill(l)
	return nil
}

type updateLineParams struct {
	Invoice string `path:"invoice"`
	Line    string `path:"line_item_id"`
	itemParams
}

func (p *updateLineParams) Check() *twin.Error { return p.check("") }

func updateInvoiceLine(tx *twin.Tx, p *updateLineParams) (twin.Doc, *twin.Error) {
	inv, c, err := editableOf(tx, p.Invoice)
	if err != nil {
		return twin.Doc{}, err
	}
	all := allLines(tx, inv)
	l, err := lineNamed(all, p.Line, "line_item_id")
	if err != nil {
		return twin.Doc{}, errNoSuch("invoice line item", "line_item_id", p.Line)
	}
	if err := p.change(tx, inv, c, l, ""); err != nil {
		return twin.Doc{}, err
	}
	if _, err := inv.edited(tx, all, twin.Opt[twin.Metadata]{}); err != nil {
		return twin.Doc{}, err
	}
	return lineDoc(l), nil
}

type removeLinesParams struct {
	Invoice         string                        `path:"invoice"`
	InvoiceMetadata twin.Opt[twin.Metadata]       `param:"invoice_metadata"`
	Lines           twin.Opt[[]removedLineParams] `param:"lines" rule:"required"`
}

type removedLineParams struct {
	Behavior twin.Opt[string] `param:"behavior" rule:"required,enum=delete|unassign"`
	ID       twin.Opt[string] `param:"id" rule:"required"`
}

// removeInvoiceLines takes lines off a draft: their items are deleted, or wait for
// another invoice.
func removeInvoiceLines(tx *twin.Tx, p *removeLinesParams) (twin.Doc, *twin.Error) {
	inv, c, err := editableOf(tx, p.Invoice)
	if err != nil {
		return twin.Doc{}, err
	}
	all := allLines(tx, inv)
	for i := range p.Lines.V {
		r, at := &p.Lines.V[i], fmt.Sprintf("lines[%d]", i)
		l, err := lineNamed(all, r.ID.V, join(at, "id"))
		if err != nil {
			return twin.Doc{}, err
		}
		if l.item() == "" {
			return twin.Doc{}, errUnserved("the removal of a line without an invoice item", join(at, "id"))
		}
		if err := r.remove(tx, c, l.item()); err != nil {
			return twin.Doc{}, err
		}
		all = slices.DeleteFunc(all, func(l Line) bool { return l.ID == r.ID.V })
	}
	return inv.edited(tx, all, p.InvoiceMetadata)
}

func (p *removedLineParams) remove(tx *twin.Tx, c *Customer, item string) *twin.Error {
	if p.Behavior.V == "delete" {
		dropItem(tx, item)
		return nil
	}
	old, _ := invoiceItems.Get(tx, item)
	it := *old
	it.Invoice = nil
	if err := it.admit(tx, c, nil); err != nil {
		return err
	}
	invoiceItems.Put(tx, &it)
	return nil
}

type sendInvoiceParams struct {
	Invoice string `path:"invoice"`
}

// sendInvoiceNow sends an invoice by hand; a draft is finalized first, which sends
// it.
func sendInvoiceNow(tx *twin.Tx, p *sendInvoiceParams) (twin.Doc, *twin.Error) {
	old, ok := invoices.Get(tx, p.Invoice)
	switch {
	case !ok:
		return twin.Doc{}, errNoSuch(invoices.Object, "invoice", p.Invoice)
	case old.CollectionMethod != sendInvoice:
		return twin.Doc{}, invalid("", "You can only manually send an invoice if its `collection_method` is `send_invoice`.")
	case old.Status != invDraft && old.Status != invOpen:
		return twin.Doc{}, errNotOpen()
	}
	inv := *old
	if inv.Status == invOpen {
		doc, _ := invoices.Doc(tx, inv.ID)
		tx.Emit("invoice.sent", doc, nil)
		return doc, nil
	}
	c, ok := liveCustomer(tx, inv.Customer)
	if !ok {
		return twin.Doc{}, errNoSuchRef(customers.Object, "customer", inv.Customer)
	}
	return finalize(tx, &inv, c), nil
}
