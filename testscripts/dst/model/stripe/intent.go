package stripe

import (
	"slices"

	"worlds/testscripts/dst/model"
)

type intent struct {
	id, currency, customer, description, method, charge, status string
	captureMethod, confirmation, secret, cancelReason           string
	amount, capturable, received, created, canceled             int64
	automatic                                                   model.Value // automatic_payment_methods
	lastError                                                   model.Value
	metadata                                                    map[string]string
	receiptEmail, setupUsage                                    string
	invoice                                                     string // not shown: the invoice it pays
}

func intentBody(_ *Model, p *intent) model.Value {
	automatic, lastError, next := p.automatic, p.lastError, model.Nil
	if automatic.Kind == model.Absent {
		automatic = model.Nil
	}
	if lastError.Kind == model.Absent {
		lastError = model.Nil
	}
	if p.status == "requires_action" {
		next = model.Any
	}
	return whole("payment_intent", model.Obj("id", p.id, "amount", p.amount, "amount_capturable", p.capturable,
		"amount_details", model.Obj("tip", model.Obj()), "amount_received", p.received, "automatic_payment_methods", automatic,
		"canceled_at", model.When(p.canceled), "cancellation_reason", model.Opt(p.cancelReason), "capture_method", p.captureMethod,
		"client_secret", p.id+"_secret_"+p.secret, "confirmation_method", p.confirmation, "created", p.created, "currency", p.currency,
		"customer", model.Opt(p.customer), "description", model.Opt(p.description), "last_payment_error", lastError,
		"latest_charge", model.Opt(p.charge), "metadata", p.metadata, "next_action", next, "payment_method", model.Opt(p.method),
		"payment_method_options", model.Obj("card", model.Obj("installments", nil, "mandate_options", nil, "network", nil,
			"request_three_d_secure", "automatic")), "payment_method_types", model.Seq(model.Str("card")),
		"receipt_email", model.Opt(p.receiptEmail), "setup_future_usage", model.Opt(p.setupUsage), "status", p.status),
		`allowed_payment_method_types application application_fee_amount customer_account excluded_payment_method_types managed_payments
		on_behalf_of payment_method_configuration_details processing review shipping source statement_descriptor
		statement_descriptor_suffix transfer_data transfer_group`)
}

// The least that can be charged, by currency.
var leastCharge = map[string]int64{
	"usd": 50, "aed": 200, "aud": 50, "bgn": 100, "brl": 50, "cad": 50, "chf": 50, "czk": 1500, "dkk": 250, "eur": 50, "gbp": 30,
	"hkd": 400, "huf": 17500, "inr": 50, "jpy": 50, "mxn": 1000, "myr": 200, "nok": 300, "nzd": 50, "pln": 200, "ron": 200,
	"sek": 300, "sgd": 50, "thb": 1000,
}

const mostCharge = 99999999

// chargeable refuses an amount that cannot be charged.
func (c *call) chargeable(amount int64, currency, param string) {
	least, known := leastCharge[currency]
	if !known {
		panic(noOpinion("the least charge in " + currency))
	}
	c.unless(amount >= least, invalid("amount_too_small", param))
	c.unless(amount <= mostCharge, invalid("amount_too_large", param))
}

const confirmParams = ` return_url:s off_session:s receipt_email:e? error_on_requires_action:b setup_future_usage:x payment_method_data:x
	allowed_payment_method_types:x shipping:x use_stripe_sdk:x mandate_data:x!`

func createIntent(c *call) model.Value {
	m := c.m
	c.plainly()
	c.unlessEarly(!c.has("error_on_requires_action") || c.yes("confirm"), invalid("", "error_on_requires_action"))
	c.unlessEarly(!c.has("off_session") || c.yes("confirm"), invalid("", "off_session"))
	c.unlessEarly(!c.has("return_url") || c.yes("confirm"), invalid("", "return_url"))
	currency, amount := c.currency(), c.num(0, "amount")
	c.chargeable(amount, currency, "amount")
	if c.has("customer") {
		c.theCustomer("customer")
	}
	id := ""
	pm := c.str("payment_method")
	if pm != "" {
		pm = c.usable(pm, "payment_method")
		c.mayUse(pm, c.str("customer"))
	}
	id = m.mint("pi")
	p := m.intents.add(id, &intent{id: id, amount: amount, currency: currency, customer: c.str("customer"), description: c.str("description"),
		method: pm, status: "requires_payment_method", captureMethod: or(c.str("capture_method"), "automatic"),
		confirmation: or(c.str("confirmation_method"), "automatic"), secret: m.mint("secret"), created: m.now, metadata: c.metadata(nil),
		receiptEmail: c.str("receipt_email"), automatic: model.Obj("allow_redirects", "always", "enabled", true)})
	c.setAutomatic(p)
	if pm != "" {
		p.status = "requires_confirmation"
	}
	m.emit("payment_intent.created", m.intents.value(id))
	if c.yes("confirm") {
		c.confirm(id)
	}
	return m.intents.value(id)
}

// plainly has no opinion of an intent that asks for more than a card.
func (c *call) plainly() {
	if n := c.at("payment_method_types"); n != nil {
		list, _ := n.elements()
		if len(list) != 1 || list[0].text != "card" {
			panic(noOpinion("other methods than cards"))
		}
	}
	if c.has("off_session") && !oneOf(c.str("off_session"), "true", "false") {
		panic(noOpinion("a word for off_session"))
	}
}

func (c *call) setAutomatic(p *intent) {
	if c.has("payment_method_types") {
		p.automatic = model.Value{}
	}
	if a := c.at("automatic_payment_methods"); a != nil {
		p.automatic = model.Value{}
		if a.str("enabled") == "true" {
			p.automatic = model.Obj("allow_redirects", or(a.str("allow_redirects"), "always"), "enabled", true)
		}
	}
}

// mayUse refuses a payment method that belongs to another, or was used up.
func (c *call) mayUse(pm, customer string) {
	p := c.m.methods.must(pm)
	c.unless(p.customer == "" || customer != "", invalid("", "payment_method"))
	c.unless(p.customer == "" || p.customer == customer, missingRef("payment_method"))
	c.unless(!p.spent, invalid("", ""))
}

func (c *call) intent(id string) *intent {
	p := c.m.intents.get(id)
	c.unless(p != nil, missingPath("intent"))
	return p
}

// inState refuses what the status of an intent does not allow.
func (c *call) inState(p *intent, statuses ...string) {
	if !slices.Contains(statuses, p.status) {
		r := invalid("payment_intent_unexpected_state", "")
		r.body = model.Obj("payment_intent", c.m.intents.value(p.id))
		panic(r)
	}
}

func showIntent(c *call) model.Value {
	c.intent(c.path[0])
	return c.m.intents.value(c.path[0])
}

func listIntents(c *call) model.Value {
	c.filterExists("customer")
	return list(c, c.m.intents, "/v1/payment_intents", func(p *intent) bool {
		return c.same(p.customer, "customer") && c.within(p.created, "created")
	})
}

func updateIntent(c *call) model.Value {
	m, id := c.m, c.path[0]
	p := c.intent(id)
	if c.has("amount") {
		c.inState(p, "requires_payment_method", "requires_confirmation", "requires_action")
		c.unless(p.invoice == "", invalid("", ""))
		c.chargeable(c.num(0, "amount"), p.currency, "amount")
	}
	if c.has("payment_method") {
		panic(noOpinion("another payment method by an update"))
	}
	before := m.intents.value(id)
	p = m.intents.edit(id)
	p.amount = c.num(p.amount, "amount")
	if c.has("description") {
		p.description = c.str("description")
	}
	if c.has("receipt_email") {
		p.receiptEmail = c.str("receipt_email")
	}
	p.metadata = c.metadata(p.metadata)
	if !m.intents.value(id).Equal(before) { // "cleared if the PaymentIntent is later updated for any reason"
		p.lastError = model.Value{}
	}
	return m.intents.value(id)
}

func confirmIntent(c *call) model.Value {
	m, id := c.m, c.path[0]
	c.plainly()
	p := c.intent(id)
	if p.invoice != "" {
		panic(noOpinion("the confirmation of an invoice's payment intent"))
	}
	c.inState(p, "requires_payment_method", "requires_confirmation", "requires_action")
	if pm := c.str("payment_method"); pm != "" {
		pm = c.usable(pm, "payment_method")
		c.mayUse(pm, p.customer)
		p = m.intents.edit(id)
		p.method = pm
	}
	if p.method == "" {
		c.inState(p)
	}
	if c.has("receipt_email") {
		m.intents.edit(id).receiptEmail = c.str("receipt_email")
	}
	c.confirm(id)
	return m.intents.value(id)
}

// confirm tries to take the money, and refuses with the bank's words if it cannot.
func (c *call) confirm(id string) {
	m := c.m
	p := m.intents.must(id)
	if p.method == "" {
		panic(noOpinion("a confirmation without a payment method"))
	}
	k := m.methods.must(p.method).card
	if k.authenticate && !c.yes("off_session") {
		if c.yes("error_on_requires_action") {
			panic(noOpinion("an error instead of an action"))
		}
		p = m.intents.edit(id)
		p.status, p.lastError = "requires_action", model.Value{}
		m.emit("payment_intent.requires_action", m.intents.value(id))
		return
	}
	if !m.attempt(id, k.authenticate) {
		panic(m.declined(id))
	}
}

// declined is the refusal that a declined intent is answered with. What it left
// stays.
func (m *Model) declined(id string) *refusal {
	p := m.intents.must(id)
	r := refuse(402, "card_error", p.lastError.Get("code").Text, "")
	r.keep = true
	r.body = model.Obj("decline_code", p.lastError.Get("decline_code"), "charge", p.charge, "payment_intent", m.intents.value(id),
		"payment_method", p.lastError.Get("payment_method"))
	return r
}

// attempt charges the card of an intent. It reports whether the bank agreed.
func (m *Model) attempt(id string, unauthenticated bool) bool {
	p := m.intents.edit(id)
	pm := m.methods.must(p.method)
	k := pm.card
	code, decline := k.code, k.decline
	if unauthenticated {
		code, decline = "authentication_required", "authentication_required"
	}
	chID := m.mint("ch")
	ch := m.charges.add(chID, &charge{id: chID, amount: p.amount, currency: p.currency, customer: p.customer, description: p.description,
		intent: id, method: p.method, created: m.now, status: "succeeded", card: k, metadata: p.metadata, receiptEmail: p.receiptEmail})
	p.charge = chID
	if code != "" {
		ch.status, ch.failure, ch.decline = "failed", code, decline
		p.status, p.method = "requires_payment_method", ""
		p.lastError = model.Obj("charge", chID, "code", code, "decline_code", decline, "doc_url", docURL(code),
			"message", declineMessage(decline), "payment_method", m.methods.value(pm.id), "type", "card_error")
		m.emit("charge.failed", m.charges.value(chID))
		m.emit("payment_intent.payment_failed", m.intents.value(id))
		return false
	}
	p.lastError = model.Value{}
	if pm.customer == "" {
		m.methods.edit(pm.id).spent = true
	}
	if p.captureMethod == "manual" {
		ch.captureBefore = m.now + 7*24*3600
		p.status, p.capturable = "requires_capture", p.amount
		m.emit("charge.succeeded", m.charges.value(chID))
		m.emit("payment_intent.amount_capturable_updated", m.intents.value(id))
		return true
	}
	ch.isCaptured, ch.captured = true, p.amount
	ch.tx = m.transact(&transaction{amount: p.amount, fee: cardFee(p.amount), kind: "charge", category: "charge", source: chID,
		currency: p.currency, description: p.description, created: m.now, available: businessDays(m.now, 2)})
	p.status, p.received = "succeeded", p.amount
	m.emit("charge.succeeded", m.charges.value(chID))
	m.emit("payment_intent.succeeded", m.intents.value(id))
	m.disputeByCard(chID)
	return true
}

func captureIntent(c *call) model.Value {
	m, id := c.m, c.path[0]
	p := c.intent(id)
	c.inState(p, "requires_capture")
	amount := c.num(p.capturable, "amount_to_capture")
	c.unless(amount <= p.capturable, invalid("amount_too_large", "amount_to_capture"))
	if c.has("metadata") {
		panic(noOpinion("metadata of a capture"))
	}
	p = m.intents.edit(id)
	rest := p.capturable - amount
	p.capturable, p.received, p.status = 0, amount, "succeeded"
	ch := m.charges.edit(p.charge)
	ch.isCaptured, ch.captured = true, amount
	ch.tx = m.transact(&transaction{amount: amount, fee: cardFee(amount), kind: "charge", category: "charge", source: ch.id,
		currency: p.currency, description: ch.description, created: m.now, available: businessDays(m.now, 2)})
	m.emit("charge.captured", m.charges.value(ch.id))
	if rest > 0 {
		m.release(ch.id, rest, "")
	}
	m.emit("payment_intent.succeeded", m.intents.value(id))
	m.disputeByCard(ch.id)
	return m.intents.value(id)
}

func cancelIntent(c *call) model.Value {
	m, id := c.m, c.path[0]
	p := c.intent(id)
	c.inState(p, "requires_payment_method", "requires_capture", "requires_confirmation", "requires_action", "processing")
	c.unless(p.invoice == "", invalid("", ""))
	m.cancelPayment(id, c.str("cancellation_reason"))
	return m.intents.value(id)
}

// cancelPayment ends an intent and gives back what it holds.
func (m *Model) cancelPayment(id, reason string) {
	p := m.intents.edit(id)
	held := p.capturable
	p.status, p.canceled, p.cancelReason, p.capturable = "canceled", m.now, reason, 0
	if held > 0 {
		m.release(p.charge, held, "")
	}
	m.emit("payment_intent.canceled", m.intents.value(id))
}

// expireHold gives back what a charge held for seven days, and nobody captured.
func (m *Model) expireHold(id string) {
	ch := m.charges.must(id)
	m.release(id, ch.amount, "expired_uncaptured_charge")
	m.emit("charge.expired", m.charges.value(id))
	if ch.intent != "" {
		p := m.intents.edit(ch.intent)
		p.status, p.canceled, p.cancelReason, p.capturable = "canceled", m.now, "automatic", 0
		m.emit("payment_intent.canceled", m.intents.value(p.id))
	}
}
