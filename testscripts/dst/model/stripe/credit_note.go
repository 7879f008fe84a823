package stripe

import (
	"fmt"

	"worlds/testscripts/dst/model"
)

type note struct {
	id, invoice, customer, currency, number, status, reason, memo string
	amount, pre, post, created, voided                            int64
	outside                                                       *int64
	lines                                                         []noteLine
	refund                                                        string
	refunded                                                      int64
	balanceTx                                                     string
	metadata                                                      map[string]string
}

type noteLine struct {
	id, description string
	amount, unit    int64
	quantity        int64
}

func noteBody(_ *Model, n *note) model.Value {
	lines, refunds := []model.Value{}, []model.Value{}
	for _, l := range n.lines {
		lines = append(lines, whole("credit_note_line_item", model.Obj("id", l.id, "amount", l.amount, "description", model.Opt(l.description),
			"discount_amount", 0, "discount_amounts", model.Seq(), "metadata", model.Obj(), "pretax_credit_amounts", model.Seq(), "quantity", l.quantity,
			"tax_rates", model.Seq(), "taxes", model.Seq(), "type", "custom_line_item", "unit_amount", l.unit, "unit_amount_decimal", fmt.Sprint(l.unit)), ""))
	}
	if n.refund != "" {
		refunds = append(refunds, model.Obj("amount_refunded", n.refunded, "payment_record_refund", nil, "refund", n.refund, "type", "refund"))
	}
	outside := model.Nil
	if n.outside != nil {
		outside = model.Int(*n.outside)
	}
	kind := "mixed"
	switch {
	case n.post == 0:
		kind = "pre_payment"
	case n.pre == 0:
		kind = "post_payment"
	}
	return whole("credit_note", model.Obj("id", n.id, "amount", n.amount, "amount_shipping", 0, "created", n.created, "currency", n.currency,
		"customer", n.customer, "customer_balance_transaction", model.Opt(n.balanceTx), "discount_amount", 0, "discount_amounts", model.Seq(),
		"effective_at", n.created, "invoice", n.invoice, "lines", model.Obj("object", "list", "data", lines, "has_more", false,
			"url", "/v1/credit_notes/"+n.id+"/lines"), "memo", model.Opt(n.memo), "metadata", n.metadata, "number", n.number,
		"out_of_band_amount", outside, "pdf", model.Any, "post_payment_amount", n.post, "pre_payment_amount", n.pre,
		"pretax_credit_amounts", model.Seq(), "reason", model.Opt(n.reason), "refunds", refunds, "status", n.status, "subtotal", n.amount,
		"subtotal_excluding_tax", n.amount, "total", n.amount, "total_excluding_tax", n.amount, "total_taxes", model.Seq(), "type", kind,
		"voided_at", model.When(n.voided)), "customer_account shipping_cost")
}

func createNote(c *call) model.Value {
	m := c.m
	if !c.has("amount") || c.has("lines") || c.has("refunds") {
		panic(noOpinion("a credit note by its lines"))
	}
	in := m.invoices.get(c.str("invoice"))
	c.unless(in != nil, missingRef("invoice"))
	c.unless(oneOf(in.status, "open", "paid", "uncollectible"), invalid("", "invoice"))
	amount := c.num(0, "amount")
	ceiling := in.total - in.prePayment - in.postPayment - m.refundedOutside(in)
	c.unless(amount <= ceiling, invalid("", "amount"))
	pre := min(amount, in.remaining())
	post := amount - pre
	refunded, credit, outside := c.num(0, "refund_amount"), c.num(0, "credit_amount"), c.num(0, "out_of_band_amount")
	c.unless(refunded+credit+outside == post, invalid("", ""))
	if in.startingBalance != in.endingBalance {
		panic(noOpinion("a credit note beside a balance"))
	}
	n := &note{id: m.mint("cn"), invoice: in.id, customer: in.customer, currency: in.currency, status: "issued", reason: c.str("reason"),
		memo: c.str("memo"), amount: amount, pre: pre, post: post, created: m.now, metadata: c.metadata(nil),
		lines: []noteLine{{id: m.mint("cnli"), amount: amount, unit: amount, quantity: 1}}}
	if c.has("out_of_band_amount") {
		n.outside = &outside
	}
	in = m.invoices.edit(in.id)
	in.notes++
	n.number = fmt.Sprintf("%s-CN-%02d", in.number, in.notes)
	m.notes.add(n.id, n)
	if refunded > 0 {
		ch := m.chargeToRefund(in, refunded)
		if ch == "" {
			panic(noOpinion("a refund that no charge of the invoice can give"))
		}
		n.refund, n.refunded = m.giveBack(ch, refunded, "", nil), refunded
	}
	if credit > 0 {
		cus := m.customers.get(in.customer)
		c.unless(!cus.deleted, missingRef("customer"))
		c.oneCurrency(cus, in.currency)
		before := m.customers.value(in.customer)
		n.balanceTx = m.moveBalance(in.customer, -credit, &balanceEntry{kind: "credit_note", currency: in.currency, invoice: in.id, note: n.id})
		m.emitUpdate("customer.updated", before, m.customers.value(in.customer))
	}
	before := m.invoices.value(in.id)
	in.prePayment += pre
	in.postPayment += post
	in.due -= pre
	m.emitUpdate("invoice.updated", before, m.invoices.value(in.id))
	if in.status != "paid" && in.remaining() == 0 && pre > 0 {
		in.status, in.paidAt, in.autoAdvance, in.nextAttempt, in.tryAt = "paid", m.now, false, 0, 0
		m.emit("invoice.paid", m.invoices.value(in.id))
		m.emit("invoice.payment_succeeded", m.invoices.value(in.id))
		m.trust(in.customer)
		m.subscriptionPaid(in)
		m.dropPayment(in, "automatic")
	} else if pre > 0 && in.intent != "" {
		m.intents.edit(in.intent).amount = in.remaining()
		m.payments.edit(in.payment).requested = in.remaining()
	}
	m.emit("credit_note.created", m.notes.value(n.id))
	return m.notes.value(n.id)
}

// refundedOutside is what refunds gave back of an invoice without a credit note.
func (m *Model) refundedOutside(in *invoice) (sum int64) {
	for _, p := range m.payments.find(func(p *payment) bool { return p.invoice == in.id && p.status == "paid" }) {
		sum += m.charges.must(m.intents.must(m.payments.get(p).intent).charge).refunded
	}
	for _, n := range m.notes.find(func(n *note) bool { return n.invoice == in.id }) {
		sum -= m.notes.get(n).refunded
	}
	return sum
}

// chargeToRefund is the charge of an invoice that can give an amount back.
func (m *Model) chargeToRefund(in *invoice, amount int64) string {
	for _, p := range m.payments.find(func(p *payment) bool { return p.invoice == in.id && p.status == "paid" }) {
		ch := m.charges.must(m.intents.must(m.payments.get(p).intent).charge)
		if !ch.disputed && ch.amount-ch.refunded >= amount {
			return ch.id
		}
	}
	return ""
}

func (c *call) note(id string) *note {
	n := c.m.notes.get(id)
	c.unless(n != nil, missingPath("id"))
	return n
}

func showNote(c *call) model.Value { return c.m.notes.value(c.note(c.path[0]).id) }

func updateNote(c *call) model.Value {
	m, id := c.m, c.note(c.path[0]).id
	before := m.notes.value(id)
	n := m.notes.edit(id)
	n.metadata = c.metadata(n.metadata)
	if c.has("memo") {
		n.memo = c.str("memo")
	}
	m.emitUpdate("credit_note.updated", before, m.notes.value(id))
	return m.notes.value(id)
}

func voidNote(c *call) model.Value {
	m, n := c.m, c.note(c.path[0])
	in := m.invoices.get(n.invoice)
	c.unless(n.status == "issued" && n.post == 0 && in.status == "open", invalid("", ""))
	before := m.invoices.value(in.id)
	n = m.notes.edit(n.id)
	n.status, n.voided = "void", m.now
	in = m.invoices.edit(in.id)
	in.prePayment -= n.pre
	in.due += n.pre
	if in.intent != "" && m.intents.get(in.intent).status != "canceled" {
		m.intents.edit(in.intent).amount = in.remaining()
		m.payments.edit(in.payment).requested = in.remaining()
	}
	m.emitUpdate("invoice.updated", before, m.invoices.value(in.id))
	m.emit("credit_note.voided", m.notes.value(n.id))
	return m.notes.value(n.id)
}

func listNotes(c *call) model.Value {
	c.filterExists("customer", "invoice")
	return list(c, c.m.notes, "/v1/credit_notes", func(n *note) bool {
		return c.same(n.customer, "customer") && c.same(n.invoice, "invoice") && c.within(n.created, "created")
	})
}
