package stripe

import "worlds/testscripts/dst/model"

type setup struct {
	id, customer, method, status, usage, description, secret, cancelReason string
	created                                                                int64
	metadata                                                               map[string]string
	automatic, lastError                                                   model.Value
}

func setupBody(_ *Model, s *setup) model.Value {
	automatic, lastError, next := s.automatic, s.lastError, model.Nil
	if automatic.Kind == model.Absent {
		automatic = model.Nil
	}
	if lastError.Kind == model.Absent {
		lastError = model.Nil
	}
	if s.status == "requires_action" {
		next = model.Any
	}
	return whole("setup_intent", model.Obj("id", s.id, "automatic_payment_methods", automatic, "cancellation_reason", model.Opt(s.cancelReason),
		"client_secret", s.id+"_secret_"+s.secret, "created", s.created, "customer", model.Opt(s.customer), "description", model.Opt(s.description),
		"last_setup_error", lastError, "metadata", s.metadata, "next_action", next, "payment_method", model.Opt(s.method),
		"payment_method_options", model.Obj("card", model.Obj("mandate_options", nil, "network", nil, "request_three_d_secure", "automatic")),
		"payment_method_types", model.Seq(model.Str("card")), "status", s.status, "usage", s.usage),
		`allowed_payment_method_types application customer_account excluded_payment_method_types flow_directions latest_attempt
		managed_payments mandate on_behalf_of payment_method_configuration_details single_use_mandate`)
}

func showSetup(c *call) model.Value {
	c.unless(c.m.setups.get(c.path[0]) != nil, missingPath("intent"))
	return c.m.setups.value(c.path[0])
}

// Parameters of a setup intent wherever it takes a method.
const setupParams = ` payment_method:s payment_method_data:x allowed_payment_method_types:x`

func createSetup(c *call) model.Value {
	m := c.m
	s := &setup{customer: c.str("customer"), description: c.str("description"), status: "requires_payment_method", usage: or(c.str("usage"), "off_session"),
		created: m.now, metadata: c.metadata(nil), automatic: model.Obj("allow_redirects", "always", "enabled", true)}
	if c.has("customer") {
		c.theCustomer("customer")
	}
	if pm := c.str("payment_method"); pm != "" {
		s.method = c.usable(pm, "payment_method")
		c.mayUse(s.method, s.customer)
		s.status = "requires_confirmation"
	}
	s.id, s.secret = m.mint("seti"), m.mint("secret")
	m.setups.add(s.id, s)
	m.emit("setup_intent.created", m.setups.value(s.id))
	if c.yes("confirm") {
		if s.method == "" {
			panic(noOpinion("a confirmation without a payment method"))
		}
		c.setUp(s.id)
	}
	return m.setups.value(s.id)
}

// setupIn is a setup intent whose status allows something.
func (c *call) setupIn(statuses ...string) *setup {
	s := c.m.setups.get(c.path[0])
	c.unless(s != nil, missingPath("intent"))
	if !oneOf(s.status, statuses...) {
		r := invalid("setup_intent_unexpected_state", "")
		r.body = model.Obj("setup_intent", c.m.setups.value(s.id))
		panic(r)
	}
	return s
}

func confirmSetup(c *call) model.Value {
	m := c.m
	s := c.setupIn("requires_payment_method", "requires_confirmation", "requires_action")
	if pm := c.str("payment_method"); pm != "" {
		pm = c.usable(pm, "payment_method")
		c.mayUse(pm, s.customer)
		m.setups.edit(s.id).method = pm
	} else if s.method == "" {
		c.setupIn()
	}
	c.setUp(s.id)
	return m.setups.value(s.id)
}

// setUp keeps a card for later, if the bank agrees.
func (c *call) setUp(id string) {
	m := c.m
	s := m.setups.edit(id)
	p := m.methods.must(s.method)
	switch {
	case p.card.code != "" && !p.card.late:
		panic(noOpinion("a card that cannot be set up"))
	case p.card.authenticate:
		s.status = "requires_action"
		m.emit("setup_intent.requires_action", m.setups.value(id))
		return
	}
	s.status = "succeeded"
	switch {
	case s.customer == "":
		panic(noOpinion("a card that is set up for nobody"))
	case p.customer == "":
		m.methods.edit(p.id).customer = s.customer
		m.emit("payment_method.attached", m.methods.value(p.id))
	}
	m.emit("setup_intent.succeeded", m.setups.value(id))
}

func cancelSetup(c *call) model.Value {
	m := c.m
	s := m.setups.edit(c.setupIn("requires_payment_method", "requires_confirmation", "requires_action").id)
	s.status, s.cancelReason = "canceled", c.str("cancellation_reason")
	m.emit("setup_intent.canceled", m.setups.value(s.id))
	return m.setups.value(s.id)
}
