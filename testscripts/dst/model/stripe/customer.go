package stripe

import (
	"strings"

	"worlds/testscripts/dst/model"
)

type customer struct {
	id, name, email, description, phone string
	metadata                            map[string]string
	created                             int64
	currency                            string // fixed by the first invoice, balance or subscription
	balance                             int64  // below 0 is credit
	delinquent                          bool
	prefix                              string
	sequence                            int64
	defaultMethod, footer, taxExempt    string
	deleted                             bool
}

func customerBody(m *Model, c *customer) model.Value {
	if c.deleted {
		return stub(c.id, "customer")
	}
	return whole("customer", model.Obj("id", c.id, "name", model.Opt(c.name), "email", model.Opt(c.email),
		"description", model.Opt(c.description), "phone", model.Opt(c.phone), "metadata", c.metadata, "created", c.created,
		"currency", model.Opt(c.currency), "balance", c.balance, "delinquent", c.delinquent, "invoice_prefix", c.prefix,
		"next_invoice_sequence", c.sequence, "tax_exempt", c.taxExempt, "preferred_locales", model.Seq(),
		"invoice_settings", model.Obj("custom_fields", nil, "default_payment_method", model.Opt(c.defaultMethod),
			"footer", model.Opt(c.footer), "rendering_options", nil)),
		"address default_source discount shipping test_clock")
}

// owner is what an invoice copies of its customer.
type owner struct{ name, email, phone, taxExempt string }

func (c *customer) owner() owner { return owner{c.name, c.email, c.phone, c.taxExempt} }

// draftsFollow makes the customer's drafts say what the customer now is, and owes: until
// it is finalized an invoice has the customer's values.
func (m *Model) draftsFollow(id string) {
	cus := m.customers.get(id)
	for _, draft := range m.invoices.find(func(in *invoice) bool { return in.customer == id && in.status == "draft" }) {
		in := m.invoices.edit(draft)
		in.owner, in.startingBalance = cus.owner(), cus.balanceIn(in.currency)
	}
}

// Parameters of a customer that both its creation and its update take.
const customerParams = ` name:s<256? email:e<512? description:s? phone:s<20? metadata:m balance:i<999999999999 tax_exempt:(none|exempt|reverse)?
	invoice_settings{default_payment_method:s? footer:s? custom_fields:x rendering_options:x} preferred_locales:x address:x shipping:x
	source:x invoice_prefix:x next_invoice_sequence:x`

// customer finds the customer of a path, or refuses.
func (c *call) customer(id, param string) *customer {
	cus := c.m.customers.get(id)
	c.unless(cus != nil && !cus.deleted, missingPath(param))
	return cus
}

// theCustomer finds the customer that a parameter names, or refuses.
func (c *call) theCustomer(name string) *customer {
	cus := c.m.customers.get(c.str(name))
	c.unless(cus != nil && !cus.deleted, missingRef(name))
	return cus
}

func createCustomer(c *call) model.Value {
	m := c.m
	id := m.mint("cus")
	cus := m.customers.add(id, &customer{id: id, created: m.now, prefix: m.mint("prefix"), sequence: 1, taxExempt: "none",
		metadata: c.metadata(nil)})
	c.setCustomer(cus)
	pm := c.str("payment_method")
	if dpm := c.str("invoice_settings", "default_payment_method"); dpm != pm {
		c.unless(dpm == "", missingRef("invoice_settings[default_payment_method]")) // nothing is a new customer's yet
	}
	if pm != "" {
		pm = c.usable(pm, "payment_method")
		c.attachTo(pm, id)
	}
	if dpm := c.str("invoice_settings", "default_payment_method"); dpm != "" {
		cus.defaultMethod = pm // the same card by the same name
	}
	if by := c.num(0, "balance"); by != 0 {
		c.m.moveBalance(id, by, &balanceEntry{kind: "adjustment", currency: "usd"})
	}
	m.emit("customer.created", m.customers.value(id))
	if pm != "" {
		m.emit("payment_method.attached", m.methods.value(pm))
	}
	return m.customers.value(id)
}

// setCustomer sets what is set alike at creation and by an update.
func (c *call) setCustomer(cus *customer) {
	for name, field := range map[string]*string{"name": &cus.name, "email": &cus.email, "description": &cus.description, "phone": &cus.phone} {
		if c.has(name) {
			*field = c.str(name)
		}
		if name == "name" || name == "phone" {
			*field = strings.Trim(*field, " \t\n\v\f\r\x00")
		}
	}
	if c.has("tax_exempt") {
		cus.taxExempt = or(c.str("tax_exempt"), "none")
	}
	if c.has("invoice_settings", "footer") {
		cus.footer = c.str("invoice_settings", "footer")
	}
}

func updateCustomer(c *call) model.Value {
	m, id := c.m, c.path[0]
	c.customer(id, "id")
	before := m.customers.value(id)
	if dpm := c.str("invoice_settings", "default_payment_method"); dpm != "" {
		method := m.methods.get(dpm)
		c.unless(method != nil && method.customer == id, missingRef("invoice_settings[default_payment_method]"))
	}
	cus := m.customers.edit(id)
	c.setCustomer(cus)
	cus.metadata = c.metadata(cus.metadata)
	if c.has("invoice_settings", "default_payment_method") {
		cus.defaultMethod = c.str("invoice_settings", "default_payment_method")
	}
	if c.has("balance") {
		if by := c.num(0, "balance") - cus.balance; by != 0 {
			m.moveBalance(id, by, &balanceEntry{kind: "adjustment", currency: or(cus.currency, "usd")})
		}
	}
	m.draftsFollow(id)
	m.emitUpdate("customer.updated", before, m.customers.value(id))
	return m.customers.value(id)
}

func showCustomer(c *call) model.Value {
	c.unless(c.m.customers.get(c.path[0]) != nil, missingPath("id"))
	return c.m.customers.value(c.path[0])
}

func listCustomers(c *call) model.Value {
	c.cursorsHold(func(id string) bool { cus := c.m.customers.get(id); return cus == nil || !cus.deleted })
	return list(c, c.m.customers, "/v1/customers", func(cus *customer) bool {
		return !cus.deleted && c.same(cus.email, "email") && c.within(cus.created, "created")
	})
}

func deleteCustomer(c *call) model.Value {
	m, id := c.m, c.path[0]
	c.customer(id, "id")
	for _, sub := range m.subs.find(func(s *subscription) bool { return s.customer == id && !s.over() }) {
		m.dropPending(sub)
		m.cancelEarly(sub, "cancellation_requested")
	}
	last := m.customers.value(id)
	m.customers.edit(id).deleted = true
	m.emit("customer.deleted", last)
	return m.customers.value(id)
}

// balanceEntry is one line of a customer's balance.
type balanceEntry struct {
	id, customer, currency, kind string
	amount, ending, created      int64
	description, invoice, note   string
	metadata                     map[string]string
}

func balanceEntryBody(_ *Model, b *balanceEntry) model.Value {
	return whole("customer_balance_transaction", model.Obj("id", b.id, "amount", b.amount, "created", b.created,
		"credit_note", model.Opt(b.note), "currency", b.currency, "customer", b.customer, "description", model.Opt(b.description),
		"ending_balance", b.ending, "invoice", model.Opt(b.invoice), "metadata", b.metadata, "type", b.kind),
		"checkout_session customer_account")
}

// moveBalance adds to a customer's balance and writes it down. It tells nobody.
func (m *Model) moveBalance(id string, by int64, b *balanceEntry) string {
	cus := m.customers.edit(id)
	cus.balance += by
	if cus.currency == "" {
		cus.currency = b.currency
	}
	b.id, b.customer, b.amount, b.ending, b.created = m.mint("cbtxn"), id, by, cus.balance, m.now
	m.balanceTxs.add(b.id, b)
	m.draftsFollow(id)
	return b.id
}

func createBalanceEntry(c *call) model.Value {
	m, id := c.m, c.path[0]
	cus := c.customer(id, "customer")
	currency := c.currency()
	c.unless(cus.currency == "" || cus.currency == currency, invalid("", ""))
	before := m.customers.value(id)
	tx := m.moveBalance(id, c.num(0, "amount"), &balanceEntry{kind: "adjustment", currency: currency,
		description: c.str("description"), metadata: c.metadata(nil)})
	m.emitUpdate("customer.updated", before, m.customers.value(id))
	return m.balanceTxs.value(tx)
}

func listBalanceEntries(c *call) model.Value {
	id := c.path[0]
	c.customer(id, "customer")
	c.filterExists("invoice")
	return list(c, c.m.balanceTxs, "/v1/customers/"+id+"/balance_transactions", func(b *balanceEntry) bool {
		return b.customer == id && c.within(b.created, "created") && c.same(b.invoice, "invoice")
	})
}

func showBalanceEntry(c *call) model.Value {
	c.customer(c.path[0], "customer")
	b := c.m.balanceTxs.get(c.path[1])
	c.unless(b != nil && b.customer == c.path[0], missingPath("transaction"))
	return c.m.balanceTxs.value(c.path[1])
}
