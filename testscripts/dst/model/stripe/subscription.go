package stripe

import "worlds/testscripts/dst/model"

type subscription struct {
	id, customer, currency, status, collection, missing string
	created, startDate, anchor                          int64
	items                                               []subItem
	trialStart, trialEnd                                int64
	cancelAt, canceled, ended                           int64
	cancelAtEnd                                         bool
	cancelReason, comment, feedback                     string
	defaultMethod, description, latest                  string
	daysUntilDue                                        int64
	discounts                                           []string
	metadata                                            map[string]string
	billingMode                                         string
	pause                                               *pause
	warnAt                                              int64 // when its trial's end is warned of
	warnSeq                                             int
	expires                                             int64 // when it ends if it stays incomplete
}

type pause struct {
	behavior string
	resumes  int64
}

type subItem struct {
	id, price           string
	quantity            int64
	created, start, end int64
	metadata            map[string]string
}

func (s *subscription) over() bool { return oneOf(s.status, "canceled", "incomplete_expired") }

func subscriptionBody(m *Model, s *subscription) model.Value {
	items := []model.Value{}
	for i := range s.items {
		items = append(items, itemBody(m, s, &s.items[i]))
	}
	paused, days := model.Nil, model.Nil
	if s.pause != nil {
		paused = model.Obj("behavior", s.pause.behavior, "resumes_at", model.When(s.pause.resumes))
	}
	if s.daysUntilDue > 0 {
		days = model.Int(s.daysUntilDue)
	}
	v := whole("subscription", model.Obj("id", s.id, "automatic_tax", model.Obj("disabled_reason", nil, "enabled", false, "liability", nil),
		"billing_cycle_anchor", s.anchor, "billing_mode", model.Obj("flexible", nil, "type", or(s.billingMode, "flexible")), "billing_schedules", model.Seq(),
		"cancel_at", model.When(s.cancelAt), "cancel_at_period_end", s.cancelAtEnd, "canceled_at", model.When(s.canceled),
		"cancellation_details", model.Obj("comment", model.Opt(s.comment), "feedback", model.Opt(s.feedback), "feedback_option", nil,
			"reason", model.Opt(s.cancelReason)),
		"collection_method", s.collection, "created", s.created, "currency", s.currency, "customer", s.customer, "days_until_due", days,
		"default_payment_method", model.Opt(s.defaultMethod), "default_tax_rates", model.Seq(), "description", model.Opt(s.description),
		"discounts", texts(s.discounts), "ended_at", model.When(s.ended), "invoice_settings", model.Obj("account_tax_ids", nil,
			"custom_fields", nil, "description", nil, "footer", nil, "issuer", model.Obj("type", "self")),
		"items", all("/v1/subscription_items?subscription="+s.id, items), "latest_invoice", model.Opt(s.latest), "metadata", s.metadata,
		"pause_collection", paused, "payment_settings", model.Obj("payment_method_options", nil, "payment_method_types", nil,
			"save_default_payment_method", "off"), "start_date", s.startDate, "status", s.status, "trial_end", model.When(s.trialEnd),
		"trial_settings", model.Obj("end_behavior", model.Obj("missing_payment_method", s.missing)), "trial_start", model.When(s.trialStart)),
		`application application_fee_percent billing_cycle_anchor_config billing_thresholds customer_account default_source managed_payments
		next_pending_invoice_item_invoice on_behalf_of pending_invoice_item_interval pending_setup_intent pending_update schedule test_clock
		transfer_data`)
	if len(s.items) == 1 {
		return v.With("plan", planBody(m.prices.must(s.items[0].price)), "quantity", s.items[0].quantity)
	}
	return v.With("plan", nil, "quantity", nil)
}

func itemBody(m *Model, s *subscription, i *subItem) model.Value {
	p := m.prices.must(i.price)
	v := whole("subscription_item", model.Obj("id", i.id, "created", i.created, "current_period_end", i.end, "current_period_start", i.start,
		"discounts", model.Seq(), "metadata", i.metadata, "plan", planBody(p), "price", priceBody(m, p), "quantity", i.quantity,
		"subscription", s.id, "tax_rates", model.Seq()), "billing_thresholds")
	return v.Without("livemode")
}
