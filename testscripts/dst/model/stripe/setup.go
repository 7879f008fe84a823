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
