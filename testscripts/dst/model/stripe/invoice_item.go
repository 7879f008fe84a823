package stripe

import (
	"math/big"
	"slices"
	"strconv"

	"worlds/testscripts/dst/model"
)

type invoiceItem struct {
	id, customer, currency, description, invoice, price, sub string
	amount, quantity, date, start, end                       int64
	unit                                                     *big.Rat
	discountable, proration                                  bool
	discounts                                                []string
	metadata                                                 map[string]string
	subItem                                                  string
	credit                                                   bool // gives back what was billed before
}

func itoa(i int) string { return strconv.Itoa(i) }

func invoiceItemBody(m *Model, i *invoiceItem) model.Value {
	pricing, parent, credited := model.Nil, model.Nil, model.Nil
	if i.price != "" {
		unit := spell(i.unit)
		if i.unit == nil {
			unit = model.Any
		}
		pricing = model.Obj("price_details", model.Obj("price", i.price, "product", m.prices.must(i.price).product), "type", "price_details",
			"unit_amount_decimal", unit)
	}
	if i.sub != "" {
		parent = model.Obj("subscription_details", model.Obj("subscription", i.sub, "subscription_item", model.Opt(i.subItem)), "type", "subscription_details")
	}
	if i.credit {
		credited = model.Any
	}
	return whole("invoiceitem", model.Obj("id", i.id, "amount", i.amount, "currency", i.currency, "customer", i.customer, "date", i.date,
		"description", model.Opt(i.description), "discountable", i.discountable, "discounts", texts(i.discounts), "invoice", model.Opt(i.invoice),
		"metadata", i.metadata, "net_amount", m.net(i), "parent", parent, "period", model.Obj("end", i.end, "start", i.start), "pricing", pricing,
		"proration", i.proration, "proration_details", model.Obj("credited_items", credited, "discount_amounts", model.Seq()),
		"quantity", i.quantity, "quantity_decimal", strconv.FormatInt(i.quantity, 10), "tax_rates", model.Seq()), "customer_account test_clock")
}

// net is what an item's own discounts leave of it.
func (m *Model) net(i *invoiceItem) int64 {
	lines := []line{{amount: i.amount, discountable: i.discountable}}
	m.takeOff(lines, i.discounts, func(*line) bool { return true })
	return lines[0].left()
}

// oneCurrency refuses a second currency of a customer.
func (c *call) oneCurrency(cus *customer, currency string) {
	c.unless(cus.currency == "" || cus.currency == currency, invalid("", ""))
}

func createInvoiceItem(c *call) model.Value {
	m := c.m
	priced := c.has("pricing", "price")
	c.unlessEarly(c.has("amount") || c.has("pricing"), invalid("parameter_missing", "amount"))
	c.unlessEarly(!c.has("amount") || c.has("currency"), invalid("parameter_missing", "currency"))
	c.unlessEarly(priced || !c.has("pricing"), invalid("parameter_missing", "pricing[price]"))
	c.unlessEarly(!c.has("amount") || !priced, invalid("", "pricing"))
	c.unlessEarly(!c.has("amount") || !c.has("quantity"), invalid("", "quantity"))
	asked := ""
	if c.has("currency") {
		asked = c.currency()
	}
	cus := c.theCustomer("customer")
	c.couponsExist()
	if id := c.str("invoice"); id != "" {
		in := m.invoices.get(id)
		c.unless(in != nil && in.customer == cus.id, missingRef("invoice"))
	}
	c.unless(!priced || m.prices.get(c.str("pricing", "price")) != nil, missingRef("pricing[price]"))
	i := &invoiceItem{customer: cus.id, description: c.str("description"), quantity: c.num(1, "quantity"), date: m.now, start: m.now, end: m.now,
		amount: c.num(0, "amount"), metadata: c.metadata(nil), invoice: c.str("invoice")}
	if i.invoice != "" {
		in := m.invoices.get(i.invoice)
		c.unless(in.status == "draft", invalid("invoice_not_editable", ""))
		if in.sub != "" {
			panic(noOpinion("an item for the draft of a subscription"))
		}
	}
	if name := c.str("pricing", "price"); name != "" {
		p := m.prices.get(name)
		c.unless(p.every == nil, invalid("", "pricing[price]"))
		c.unless(p.active, invalid("", "pricing[price]"))
		if !p.amount.IsInt() {
			panic(noOpinion("a price with a fraction"))
		}
		i.price, i.unit, i.currency = name, p.amount, p.currency
		i.amount = p.amount.Num().Int64() * i.quantity
		i.description = or(i.description, m.products.must(p.product).name)
		c.unless(asked == "" || asked == p.currency, invalid("", "pricing[price]"))
	} else {
		i.currency = asked
	}
	if in := m.invoices.get(i.invoice); in != nil {
		c.unless(in.currency == i.currency, invalid("", "currency"))
	}
	c.oneCurrency(cus, i.currency)
	i.discountable = i.amount >= 0
	if c.has("discountable") {
		i.discountable = c.yes("discountable")
	}
	i.id = m.mint("ii")
	if cus.currency == "" {
		m.customers.edit(cus.id).currency = i.currency
	}
	i.discounts = c.redeem(discount{customer: cus.id, item: i.id})
	m.items.add(i.id, i)
	m.tellDiscounts(i.discounts)
	m.emit("invoiceitem.created", m.items.value(i.id))
	m.redraft(i.invoice, func(lines []line) []line { return append(lines, m.lineOf(i)) })
	return m.items.value(i.id)
}

// lineOf is the line that an item becomes.
func (m *Model) lineOf(i *invoiceItem) line { return m.lineAs(i, m.mint("il")) }

func (m *Model) lineAs(i *invoiceItem, id string) line {
	return line{id: id, description: i.description, amount: i.amount, quantity: i.quantity, price: i.price, unit: i.unit, start: i.start,
		end: i.end, discountable: i.discountable, discounts: i.discounts, item: i.id, sub: i.sub, proration: i.proration, metadata: i.metadata,
		credit: i.credit}
}

func (c *call) invoiceItem(id string) *invoiceItem {
	i := c.m.items.get(id)
	c.unless(i != nil, missingPath("invoiceitem"))
	return i
}

func showInvoiceItem(c *call) model.Value {
	c.invoiceItem(c.path[0])
	return c.m.items.value(c.path[0])
}

func updateInvoiceItem(c *call) model.Value {
	m, id := c.m, c.path[0]
	i := c.invoiceItem(id)
	if i.proration {
		panic(noOpinion("an update of a proration"))
	}
	if in := m.invoices.get(i.invoice); in != nil {
		c.unless(in.status == "draft", invalid("", ""))
	} else if i.invoice != "" {
		panic(noOpinion("an update of an item whose draft is deleted"))
	}
	c.unless(!m.customers.get(i.customer).deleted, missingRef("customer"))
	i = m.items.edit(id)
	if c.has("description") {
		i.description = c.str("description")
	}
	if c.has("amount") {
		if i.price != "" {
			panic(noOpinion("an amount instead of a price"))
		}
		i.amount = c.num(0, "amount")
		i.discountable = i.discountable && i.amount >= 0
	}
	i.metadata = c.metadata(i.metadata)
	m.redraft(i.invoice, func(lines []line) []line {
		for j := range lines {
			if lines[j].item == id {
				was := lines[j].id
				lines[j] = m.lineAs(i, was)
			}
		}
		return lines
	})
	return m.items.value(id)
}

// redraft changes the lines of a draft and tells of it.
func (m *Model) redraft(id string, change func([]line) []line) {
	if id == "" {
		return
	}
	before := m.invoices.value(id)
	in := m.invoices.edit(id)
	in.lines = change(slices.Clone(in.lines))
	m.total(in)
	m.emitUpdate("invoice.updated", before, m.invoices.value(id))
}

func deleteInvoiceItem(c *call) model.Value {
	m, id := c.m, c.path[0]
	i := c.invoiceItem(id)
	if in := m.invoices.get(i.invoice); in != nil {
		c.unless(in.status == "draft", invalid("", ""))
		m.redraft(in.id, func(lines []line) []line {
			return slices.DeleteFunc(lines, func(l line) bool { return l.item == id })
		})
	} else if i.invoice != "" {
		panic(noOpinion("deleting an item whose draft is deleted"))
	}
	last := m.items.value(id)
	m.items.remove(id)
	m.emit("invoiceitem.deleted", last)
	return stub(id, "invoiceitem")
}

func listInvoiceItems(c *call) model.Value {
	c.filterExists("customer", "invoice")
	return list(c, c.m.items, "/v1/invoiceitems", func(i *invoiceItem) bool {
		return c.same(i.customer, "customer") && c.same(i.invoice, "invoice") && (!c.has("pending") || c.yes("pending") == (i.invoice == "")) &&
			c.within(i.date, "created")
	})
}
