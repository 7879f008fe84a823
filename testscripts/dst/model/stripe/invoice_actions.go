package stripe

import (
	"slices"

	"worlds/testscripts/dst/model"
)

// total works out the sums of a draft.
func (m *Model) total(in *invoice) {
	lines := slices.Clone(in.lines)
	in.subtotal, in.total = 0, 0
	for i := range lines {
		lines[i].discountAmounts = nil
	}
	for i := range lines {
		id := lines[i].id
		m.takeOff(lines, lines[i].discounts, func(l *line) bool { return l.id == id })
	}
	m.takeOff(lines, in.discounts, func(*line) bool { return true })
	for i := range lines {
		in.subtotal += lines[i].net()
		in.total += lines[i].left()
	}
	in.lines = lines
	in.due = max(in.total, 0)
}

// Deadlines of an invoice that advances by itself.
const (
	tryAfter      = 3600
	finalizeAfter = 3601
)

func createInvoice(c *call) model.Value {
	m := c.m
	in := &invoice{status: "draft", reason: "manual", collection: or(c.str("collection_method"), "charge_automatically"), created: m.now,
		start: m.now, end: m.now, description: c.str("description"), footer: c.str("footer"), metadata: c.metadata(nil),
		autoAdvance: c.yes("auto_advance"), defaultMethod: c.str("default_payment_method")}
	c.dueDate(in)
	asked := ""
	if c.has("currency") {
		asked = c.currency()
	}
	cus := c.theCustomer("customer")
	if pm := m.methods.get(in.defaultMethod); in.defaultMethod != "" && (pm == nil || pm.customer != cus.id) {
		panic(missingRef("default_payment_method"))
	}
	c.couponsExist()
	in.customer, in.owner = cus.id, cus.owner()
	in.currency = or(asked, or(cus.currency, "usd"))
	c.oneCurrency(cus, in.currency)
	c.collection(in)
	in.id = m.mint("in")
	if cus.currency == "" {
		m.customers.edit(cus.id).currency = in.currency
	}
	in.startingBalance = m.customers.get(cus.id).balanceIn(in.currency)
	in.discounts = c.redeem(discount{customer: cus.id, invoice: in.id})
	m.invoices.add(in.id, in)
	if c.str("pending_invoice_items_behavior") == "include" {
		m.sweep(in)
	}
	m.total(in)
	m.schedule(in)
	m.tellDiscounts(in.discounts)
	m.emit("invoice.created", m.invoices.value(in.id))
	return m.invoices.value(in.id)
}

// dueDate refuses a due date of what is charged, two of them, and to send what has
// none.
func (c *call) dueDate(in *invoice) {
	days, date := c.has("days_until_due"), c.has("due_date")
	if in.collection == "charge_automatically" {
		c.unlessEarly(!days, invalid("", "days_until_due"))
		c.unlessEarly(!date, invalid("", "due_date"))
		return
	}
	c.unlessEarly(!days || !date, invalid("", "due_date"))
	c.unlessEarly(days || date || in.dueDate > 0, invalid("", "days_until_due"))
}

// collection sets how an invoice is collected, and when it is due.
func (c *call) collection(in *invoice) {
	if in.collection == "charge_automatically" {
		return
	}
	if c.has("days_until_due") {
		in.dueDate = in.created + c.num(0, "days_until_due")*86400
	}
	if c.has("due_date") {
		in.dueDate = c.num(0, "due_date")
		c.unless(in.dueDate >= in.created, invalid("", "due_date"))
	}
}

// schedule says when a draft that advances by itself will.
func (m *Model) schedule(in *invoice) {
	in.finalizesAt, in.nextAttempt = 0, 0
	if in.autoAdvance {
		in.finalizesAt = m.now + finalizeAfter
		if in.collection == "charge_automatically" {
			in.nextAttempt = m.now + tryAfter
		}
	}
}

// sweep takes a customer's pending items onto an invoice, newest first.
func (m *Model) sweep(in *invoice) {
	ids := m.items.find(func(i *invoiceItem) bool {
		return i.customer == in.customer && i.invoice == "" && i.currency == in.currency
	})
	slices.Reverse(ids)
	for _, id := range ids {
		i := m.items.edit(id)
		i.invoice = in.id
		in.lines = append(in.lines, m.lineOf(i))
	}
}

// invoiceAt finds the invoice of a path.
func (c *call) invoiceAt(param string) *invoice {
	in := c.m.invoices.get(c.path[0])
	c.unless(in != nil, missingPath(param))
	return in
}

func showInvoice(c *call) model.Value {
	return c.m.invoices.value(c.invoiceAt("invoice").id)
}

func listInvoices(c *call) model.Value {
	c.filterExists("customer", "subscription")
	return list(c, c.m.invoices, "/v1/invoices", func(in *invoice) bool {
		return c.same(in.customer, "customer") && c.same(in.sub, "subscription") && c.same(in.status, "status") &&
			c.same(in.collection, "collection_method") && c.within(in.created, "created") && c.within(in.dueDate, "due_date")
	})
}

func updateInvoice(c *call) model.Value {
	m := c.m
	in := c.invoiceAt("invoice")
	before := m.invoices.value(in.id)
	if in.status != "draft" {
		for _, name := range []string{"auto_advance", "collection_method", "days_until_due", "default_payment_method", "description", "discounts", "due_date", "footer"} {
			if !c.has(name) {
				continue
			}
			if name == "auto_advance" && in.status == "open" {
				panic(noOpinion("auto_advance of an open invoice"))
			}
			c.unless(false, invalid("", name))
		}
	}
	if c.has("discounts") || c.has("default_payment_method") {
		panic(noOpinion("discounts of a draft by an update"))
	}
	in = m.invoices.edit(in.id)
	in.metadata = c.metadata(in.metadata)
	if in.status == "draft" {
		if c.has("description") {
			in.description = c.str("description")
		}
		if c.has("footer") {
			in.footer = c.str("footer")
		}
		was, moved := in.collection, false
		if c.has("collection_method") {
			in.collection = c.str("collection_method")
			moved = in.collection != was
		}
		if moved && in.collection == "charge_automatically" {
			panic(noOpinion("a draft that is to be charged instead"))
		}
		if moved || c.has("days_until_due") || c.has("due_date") {
			days, date := c.has("days_until_due"), c.has("due_date")
			sent := in.collection == "send_invoice"
			c.unless(sent || !days, invalid("", "days_until_due"))
			c.unless(sent && !(days && date), invalid("", "due_date"))
			c.unless(days || date || in.dueDate > 0, invalid("", "days_until_due"))
			c.collection(in)
		}
		if c.has("auto_advance") && c.yes("auto_advance") != in.autoAdvance {
			in.autoAdvance = c.yes("auto_advance")
			m.schedule(in)
		}
		if in.collection == "send_invoice" {
			in.nextAttempt = 0
		}
	}
	m.emitUpdate("invoice.updated", before, m.invoices.value(in.id))
	return m.invoices.value(in.id)
}

func deleteInvoice(c *call) model.Value {
	m := c.m
	in := c.invoiceAt("invoice")
	c.unless(in.status == "draft", invalid("", ""))
	if in.sub != "" {
		panic(noOpinion("deleting the draft of a subscription"))
	}
	last := m.invoices.value(in.id)
	m.invoices.remove(in.id)
	m.emit("invoice.deleted", last)
	return stub(in.id, "invoice")
}

// finalize closes a draft: it gets its number, takes the customer's balance, and is
// paid if nothing is left to pay.
func (m *Model) finalize(id string) {
	in := m.invoices.edit(id)
	before := m.customers.value(in.customer)
	cus := m.customers.edit(in.customer)
	in.owner = cus.owner()
	in.number, in.finalized = m.number(cus), m.now
	in.status, in.ended = "open", true
	in.finalizesAt, in.nextAttempt = 0, 0
	start := cus.balanceIn(in.currency)
	in.startingBalance = start
	moved := in.total // below 0 all of it is credit, and nothing is asked for
	in.due = 0
	if in.total >= 0 {
		moved = -max(start, 0) + min(in.total, max(0, -start))
		in.due = in.total - moved
	}
	if cus.currency != in.currency { // of a seed: no balance is kept in it
		moved = 0
	}
	if moved != 0 {
		m.moveBalance(cus.id, moved, &balanceEntry{kind: "applied_to_invoice", currency: in.currency, invoice: id})
	}
	m.tellCustomer(in.customer, before)
	if cus.currency == in.currency {
		m.small(in)
	}
	in.endingBalance = m.customers.get(in.customer).balanceIn(in.currency)
	if in.remaining() == 0 {
		m.emit("invoice.finalized", m.invoices.value(id))
		in.status, in.paidAt, in.attempted, in.autoAdvance = "paid", m.now, true, false
		m.emit("invoice.paid", m.invoices.value(id))
		m.emit("invoice.payment_succeeded", m.invoices.value(id))
		m.trust(in.customer)
		return
	}
	if in.collection == "charge_automatically" {
		m.makePayment(in)
	}
	m.emit("invoice.finalized", m.invoices.value(id))
	if in.intent != "" {
		m.emit("payment_intent.created", m.intents.value(in.intent))
	} else {
		in.dueSeq = m.nextSeq()
		m.emit("invoice.sent", m.invoices.value(id))
	}
}

// tellCustomer tells of changes of a customer's balance; the number sequence makes
// no event.
func (m *Model) tellCustomer(id string, before model.Value) {
	after := m.customers.value(id)
	quiet := before.With("next_invoice_sequence", after.Get("next_invoice_sequence"), "currency", after.Get("currency"))
	m.emitUpdate("customer.updated", quiet, after)
}

// balanceIn is a customer's balance as far as it counts in a currency.
func (c *customer) balanceIn(currency string) int64 {
	if c.currency != currency {
		return 0
	}
	return c.balance
}

// small moves a sum that is too small to be charged to the customer's balance.
func (m *Model) small(in *invoice) {
	if in.due <= 0 || in.due >= leastCharge[in.currency] {
		return
	}
	before := m.customers.value(in.customer)
	defer func() { m.tellCustomer(in.customer, before) }()
	m.moveBalance(in.customer, in.due, &balanceEntry{kind: "invoice_too_small", currency: in.currency, invoice: in.id})
	in.due = 0
}

// makePayment makes the intent that will pay an invoice.
func (m *Model) makePayment(in *invoice) {
	pi := m.mint("pi")
	m.intents.add(pi, &intent{id: pi, amount: in.remaining(), currency: in.currency, customer: in.customer, description: in.words(),
		created: m.now, status: "requires_payment_method", captureMethod: "automatic", confirmation: "automatic", secret: m.mint("secret"), invoice: in.id})
	pay := m.mint("inpay")
	m.payments.add(pay, &payment{id: pay, invoice: in.id, intent: pi, requested: in.remaining(), currency: in.currency, created: m.now,
		isDefault: true, status: "open"})
	in.intent, in.payment = pi, pay
}

// words are what the charge of an invoice says.
func (in *invoice) words() string {
	switch in.reason {
	case "subscription_create":
		return "Subscription creation"
	case "subscription_update", "subscription_cycle":
		return "Subscription update"
	}
	return "Payment for Invoice"
}

func finalizeInvoice(c *call) model.Value {
	m := c.m
	in := c.invoiceAt("id")
	c.unless(in.status == "draft", invalid("", ""))
	c.unless(!m.customers.get(in.customer).deleted, missingRef("customer"))
	if c.has("auto_advance") {
		m.invoices.edit(in.id).autoAdvance = c.yes("auto_advance")
	}
	m.finalize(in.id)
	if now := m.invoices.get(in.id); now.status == "open" && now.autoAdvance && now.collection == "charge_automatically" {
		now = m.invoices.edit(in.id)
		now.tryAt, now.trySeq = m.now+tryAfter, m.nextSeq()
	}
	return m.invoices.value(in.id)
}

// methodFor is the payment method that an invoice is charged with, or "".
func (m *Model) methodFor(in *invoice) string {
	if in.defaultMethod != "" {
		return in.defaultMethod
	}
	if s := m.subs.get(in.sub); s != nil && s.defaultMethod != "" {
		return s.defaultMethod
	}
	return m.customers.get(in.customer).defaultMethod
}

func payInvoice(c *call) model.Value {
	m := c.m
	in := c.invoiceAt("id")
	id := in.id
	c.unless(in.status != "paid", invalid("", ""))
	c.unless(in.status != "void", invalid("", ""))
	c.unless(!m.customers.get(in.customer).deleted, missingRef("customer"))
	outside := c.yes("paid_out_of_band")
	pm := c.str("payment_method")
	if pm != "" {
		if outside {
			panic(noOpinion("a payment method for what is paid elsewhere"))
		}
		if instruments[pm] != nil {
			panic(noOpinion("an invoice paid with a fresh card"))
		}
		pm = c.usable(pm, "payment_method")
	}
	if in.status == "draft" {
		m.finalize(id)
		if m.invoices.get(id).status == "paid" {
			return m.invoices.value(id)
		}
	}
	if outside {
		m.paidElsewhere(id)
		return m.invoices.value(id)
	}
	in = m.invoices.get(id)
	if in.remaining() < leastCharge[in.currency] {
		panic(noOpinion("an open invoice below the least charge")) // of a seed
	}
	c.unless(pm == "" || m.methods.get(pm).customer == in.customer, missingRef("payment_method"))
	pm = or(pm, m.methodFor(in))
	c.unless(pm != "" && m.methods.get(pm).customer == in.customer, invalid("", ""))
	c.chargeableInvoice(id)
	k := m.methods.get(pm).card
	if k.authenticate && c.has("off_session") && !c.yes("off_session") {
		panic(noOpinion("an invoice whose customer is there"))
	}
	if in := m.invoices.edit(id); in.sub == "" && in.autoAdvance && in.collection == "charge_automatically" && in.tries == 0 { // this is the first try
		days, _ := m.plan()
		in.firstTry, in.tries, in.tryAt = m.now, 1, 0
		if len(days) > 0 {
			in.nextAttempt = m.now + days[0]*86400
		}
	}
	if !m.charge(id, pm, false) {
		r := m.declined(m.invoices.get(id).intent)
		panic(r)
	}
	return m.invoices.value(id)
}

// charge tries to collect an invoice. It reports whether the bank agreed.
func (m *Model) charge(id, pm string, automatic bool) bool {
	in := m.invoices.edit(id)
	if in.intent == "" || m.intents.get(in.intent).status == "canceled" {
		m.makePayment(in)
		m.emit("payment_intent.created", m.intents.value(in.intent))
	}
	p := m.intents.edit(in.intent)
	p.method = pm
	in.attempted = true
	if in.attempts == 0 || automatic {
		in.attempts++
	}
	if !m.attempt(p.id, m.methods.must(pm).card.authenticate) {
		m.emit("invoice.payment_failed", m.invoices.value(id))
		return false
	}
	pay := m.payments.edit(in.payment)
	pay.status, pay.paid, pay.paidAt = "paid", pay.requested, m.now
	in.paid = in.due
	in.status, in.paidAt, in.autoAdvance, in.nextAttempt, in.tryAt = "paid", m.now, false, 0, 0
	m.emit("invoice_payment.paid", m.payments.value(pay.id))
	m.settled(id)
	return true
}

// settled tells that an invoice is paid, and lets follow what follows.
func (m *Model) settled(id string) {
	in := m.invoices.must(id)
	m.emit("invoice.paid", m.invoices.value(id))
	m.emit("invoice.payment_succeeded", m.invoices.value(id))
	m.trust(in.customer)
	m.subscriptionPaid(in)
}

// trust ends a customer's delinquency.
func (m *Model) trust(id string) {
	if m.customers.get(id).delinquent {
		before := m.customers.value(id)
		m.customers.edit(id).delinquent = false
		m.emitUpdate("customer.updated", before, m.customers.value(id))
	}
}

// paidElsewhere marks an invoice as paid by other means.
func (m *Model) paidElsewhere(id string) {
	in := m.invoices.edit(id)
	in.offStripe = in.remaining()
	in.paid = in.due
	in.status, in.paidAt, in.autoAdvance, in.nextAttempt, in.tryAt = "paid", m.now, false, 0, 0
	m.emit("invoice.paid", m.invoices.value(id))
	m.emit("invoice.payment_succeeded", m.invoices.value(id))
	m.trust(in.customer)
	m.subscriptionPaid(in)
	m.dropPayment(in, "automatic")
}

// dropPayment cancels the intent of an invoice that needs it no more.
func (m *Model) dropPayment(in *invoice, reason string) {
	if in.intent == "" || m.intents.get(in.intent).status == "canceled" {
		return
	}
	pay := m.payments.edit(in.payment)
	pay.status, pay.canceledAt = "canceled", m.now
	m.cancelPayment(in.intent, reason)
}

func sendInvoice(c *call) model.Value {
	m := c.m
	in := c.invoiceAt("invoice")
	if in.status != "draft" && !(in.status == "open" && in.collection == "send_invoice") {
		panic(invalid("", ""))
	}
	c.unless(in.collection == "send_invoice", invalid("", ""))
	if in.status == "open" {
		m.emit("invoice.sent", m.invoices.value(in.id))
		return m.invoices.value(in.id)
	}
	c.unless(!m.customers.get(in.customer).deleted, missingRef("customer"))
	m.finalize(in.id)
	return m.invoices.value(in.id)
}

func voidInvoice(c *call) model.Value {
	m := c.m
	in := c.invoiceAt("id")
	c.unless(in.status == "open" || in.status == "uncollectible", invalid("", ""))
	m.void(in.id)
	m.dropped(in.id)
	return m.invoices.value(in.id)
}

// void ends an invoice and gives the balance back what it took.
func (m *Model) void(id string) {
	in := m.invoices.edit(id)
	in.status, in.voided, in.autoAdvance, in.nextAttempt, in.tryAt = "void", m.now, false, 0, 0
	before := m.customers.value(in.customer)
	if by := in.startingBalance - in.endingBalance; by != 0 && !m.customers.get(in.customer).deleted {
		m.moveBalance(in.customer, by, &balanceEntry{kind: "unapplied_from_invoice", currency: in.currency, invoice: id})
		m.emitUpdate("customer.updated", before, m.customers.value(in.customer))
	}
	m.emit("invoice.voided", m.invoices.value(id))
	m.dropPayment(in, "void_invoice")
}

func markUncollectible(c *call) model.Value {
	m := c.m
	in := c.invoiceAt("id")
	c.unless(in.status == "open", invalid("", ""))
	in = m.invoices.edit(in.id)
	in.status, in.uncollectible = "uncollectible", m.now
	in.autoAdvance, in.nextAttempt, in.tryAt = false, 0, 0
	m.emit("invoice.marked_uncollectible", m.invoices.value(in.id))
	m.trust(in.customer)
	return m.invoices.value(in.id)
}

func listLines(c *call) model.Value {
	in := c.invoiceAt("invoice")
	byID, order := map[string]*line{}, []string{}
	for i := range in.lines {
		byID[in.lines[i].id] = &in.lines[i]
		order = append(order, in.lines[i].id)
	}
	slices.Reverse(order) // lines keep the order of the invoice
	v := page(c, order, "/v1/invoices/"+in.id+"/lines", func(string) bool { return true }, func(id string) model.Value {
		return lineBody(c.m, in, byID[id])
	})
	return v.With("total_count", model.Free)
}

func showPayment(c *call) model.Value {
	c.unless(c.m.payments.get(c.path[0]) != nil, missingPath("invoice_payment"))
	return c.m.payments.value(c.path[0])
}

func listPayments(c *call) model.Value {
	c.filterExists("invoice")
	return list(c, c.m.payments, "/v1/invoice_payments", func(p *payment) bool {
		return c.same(p.invoice, "invoice") && c.same(p.status, "status") && c.within(p.created, "created")
	})
}
