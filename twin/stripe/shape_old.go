package stripe

import (
	"strings"

	"worlds/journal/canon"
	"worlds/twin"
)

// The shape of versions from 2022-11-15 to before 2025-03-31.basil: an invoice
// names its charge, payment intent and subscription, lines hold their price, a
// subscription has the period.

var oldTurns = [...]turn{
	{object: refusalObject, drop: []string{"error.advice_code", "error.network_advice_code", "error.network_decline_code"}},
	{object: "account", drop: []string{
		"groups", "business_profile.annual_revenue", "business_profile.estimated_worker_count",
		"business_profile.minority_owned_business_designation", "business_profile.monthly_estimated_revenue",
		"controller.fees", "controller.losses", "controller.requirement_collection", "controller.stripe_dashboard",
		"settings.invoices"}},
	{object: "balance", drop: []string{"refund_and_dispute_prefunding", "instant_available.net_available"}},
	{object: "balance_transaction", drop: []string{"balance_type"}},
	{object: "card", drop: []string{"allow_redisplay", "iin", "networks", "regulated_status"}},
	{object: "charge", more: oldCharge, drop: []string{
		"presentment_details", "billing_details.tax_id", "outcome.advice_code", "outcome.network_advice_code",
		"outcome.network_decline_code", "payment_method_details.card.amount_authorized",
		"payment_method_details.card.authorization_code", "payment_method_details.card.capture_before",
		"payment_method_details.card.extended_authorization", "payment_method_details.card.incremental_authorization",
		"payment_method_details.card.multicapture", "payment_method_details.card.network_token",
		"payment_method_details.card.network_transaction_id", "payment_method_details.card.overcapture",
		"payment_method_details.card.regulated_status"}},
	{object: "credit_note", more: oldCreditNote, drop: []string{
		"effective_at", "post_payment_amount", "pre_payment_amount", "pretax_credit_amounts", "refunds", "total_taxes"}},
	{object: "credit_note_line_item", more: oldCreditLine, drop: []string{"pretax_credit_amounts", "taxes"}},
	{object: "customer_balance_transaction", drop: []string{"checkout_session"}},
	{object: "discount", drop: []string{"subscription_item"}},
	{object: "dispute", drop: []string{
		"enhanced_eligibility_types", "payment_method_details", "evidence.enhanced_evidence",
		"evidence_details.enhanced_eligibility"}},
	{object: "invoice", more: oldInvoice, drop: []string{
		"amount_overpaid", "automatically_finalizes_at", "confirmation_secret", "effective_at", "issuer", "parent",
		"payments", "rendering", "total_pretax_credit_amounts", "total_taxes", "automatic_tax.disabled_reason",
		"automatic_tax.liability", "automatic_tax.provider"},
		null: []string{"application_fee_amount", "quote", "rendering_options", "tax", "transfer_data"}},
	{object: "invoiceitem", drop: []string{"parent", "pricing"}, more: oldInvoiceItem},
	{object: "line_item", more: oldLine, drop: []string{"invoice", "parent", "pretax_credit_amounts", "pricing", "taxes"}},
	{object: "payment_intent", more: oldIntent, drop: []string{
		"payment_method_configuration_details", "presentment_details", "automatic_payment_methods.allow_redirects",
		"last_payment_error.advice_code", "last_payment_error.network_advice_code",
		"last_payment_error.network_decline_code"}},
	{object: "payment_link", drop: []string{
		"application", "inactive_message", "optional_items", "restrictions", "automatic_tax.liability", "custom_text.after_submit",
		"custom_text.terms_of_service_acceptance", "invoice_creation.invoice_data.issuer", "subscription_data.invoice_settings",
		"subscription_data.metadata", "subscription_data.trial_settings", "tax_id_collection.required"}},
	{object: "payment_method", drop: []string{
		"allow_redisplay", "billing_details.tax_id", "card.display_brand", "card.regulated_status"}},
	{object: "plan", drop: []string{"meter"}, null: []string{"aggregate_usage"}},
	{object: "price", more: oldPrice},
	{object: "product", drop: []string{"marketing_features"}},
	{object: "refund", drop: []string{"destination_details", "pending_reason", "presentment_details"}},
	{object: "setup_intent", drop: []string{
		"payment_method_configuration_details", "automatic_payment_methods.allow_redirects",
		"last_setup_error.advice_code", "last_setup_error.network_advice_code", "last_setup_error.network_decline_code"}},
	{object: "subscription", more: oldSubscription, null: []string{"billing_thresholds"}, drop: []string{
		"billing_cycle_anchor_config", "billing_mode", "discounts", "invoice_settings", "automatic_tax.disabled_reason",
		"automatic_tax.liability"}},
	{object: "subscription_item", null: []string{"billing_thresholds"}, drop: []string{
		"current_period_end", "current_period_start", "discounts"}},
	{object: "tax_id", drop: []string{"owner"}},
	{object: "test_helpers.test_clock", drop: []string{"status_details"}},
}

// oldCharge names the invoice that a charge paid.
func oldCharge(t *turner, was canon.Raw, o *hash) {
	o.setText("invoice", t.invoiceOf(textAt(was, "payment_intent")))
}

// oldIntent names the invoice that an intent pays.
func oldIntent(t *turner, was canon.Raw, o *hash) {
	o.setText("invoice", t.invoiceOf(textAt(was, "id")))
}

// invoiceOf is the invoice that a payment intent belongs to, "" for none.
func (t *turner) invoiceOf(intent string) string {
	if intent == "" {
		return ""
	}
	return t.lookText("invoice", intent, func() string {
		for row := range t.st.OldestWith(invoicePayments.Table, "payment_intent="+intent, 0) {
			return textAt(row.Body, "invoice")
		}
		return ""
	})
}

// oldCreditNote names the refund of a credit note.
func oldCreditNote(_ *turner, was canon.Raw, o *hash) {
	refund := ""
	refunds, _ := canon.Get(was, "refunds")
	for e := range canon.Elements(refunds) {
		refund = textAt(e, "refund")
		break
	}
	o.setText("refund", refund)
	o.set("tax_amounts", canon.Raw("[]"))
}

func oldCreditLine(_ *turner, was canon.Raw, o *hash) {
	o.set("amount_excluding_tax", o.get("amount"))
	o.set("tax_amounts", canon.Raw("[]"))
	o.set("unit_amount_excluding_tax", o.get("unit_amount_decimal"))
}

// oldInvoice tells how an invoice was paid, and what for.
func oldInvoice(t *turner, was canon.Raw, o *hash) {
	status := textAt(was, "status")
	offStripe, _ := canon.Get(was, "amount_paid_off_stripe")
	n, _ := canon.Int(offStripe)
	o.setBool("paid", status == invPaid)
	o.setBool("paid_out_of_band", status == invPaid && n > 0)
	o.set("discount", t.firstDiscount(was))
	o.setText("subscription", textUnder(was, "parent", "subscription_details", "subscription"))
	o.set("total_tax_amounts", canon.Raw("[]"))
	intent := ""
	if status != invDraft {
		intent = t.intentOf(textAt(was, "id"))
	}
	o.setText("payment_intent", intent)
	charge := ""
	if intent != "" && string(o.get("attempted")) == "true" {
		charge = t.lookText("charge", intent, func() string {
			row := t.st.Get(paymentIntents.Table, intent)
			if row == nil {
				return ""
			}
			return textAt(row.Body, "latest_charge")
		})
	}
	o.setText("charge", charge)
	if strings.HasPrefix(textAt(was, "id"), "upcoming_") {
		o.drop("id")
	}
}

// oldPaid adds to the previous attributes of an invoice whether it was paid, where
// its status says that this changed.
func oldPaid(object, before, previous canon.Raw) canon.Raw {
	was, now := textAt(before, "status"), textAt(object, "status")
	if textAt(object, "object") != "invoice" || was == "" || (was == invPaid) == (now == invPaid) {
		return previous
	}
	o := hashOf(previous)
	o.setBool("paid", was == invPaid)
	return o.bytes()
}

// intentOf is the payment intent of an invoice: of its first payment that was
// made, else of the one that is open, else of the first; "" for none.
func (t *turner) intentOf(invoice string) string {
	return t.lookText("payment_intent", invoice, func() string { return t.findIntent(invoice) })
}

func (t *turner) findIntent(invoice string) string {
	first, open := "", ""
	for row := range t.st.OldestWith(invoicePayments.Table, "invoice="+invoice, 0) {
		intent := textUnder(row.Body, "payment", "payment_intent")
		switch textAt(row.Body, "status") {
		case linkPaid:
			return intent
		case linkOpen:
			open = intent
		}
		if first == "" {
			first = intent
		}
	}
	if open != "" {
		return open
	}
	return first
}

// firstDiscount is the one discount that there could be, null for none.
func (t *turner) firstDiscount(was canon.Raw) canon.Raw {
	all, _ := canon.Get(was, "discounts")
	for e := range canon.Elements(all) {
		if id, ok := canon.Unquote(e); ok {
			return t.value(t.row("discount", id, discountTable))
		}
		return t.value(e)
	}
	return null
}

// oldLine tells what made a line, and its price.
func oldLine(t *turner, was canon.Raw, o *hash) {
	amount, _ := canon.Get(was, "amount")
	parent, _ := canon.Get(was, "parent")
	kind, typ := "invoice_item_details", "invoiceitem"
	if textUnder(parent, "type") == "subscription_item_details" {
		kind, typ = "subscription_item_details", "subscription"
	}
	var details canon.Raw
	if len(parent) > 0 && parent[0] == '{' {
		details, _ = canon.Get(parent, kind)
	}
	t.oldProration(details, o)
	if id := textUnder(details, "invoice_item"); id != "" {
		o.setText("invoice_item", id)
	}
	if id := textUnder(details, "subscription_item"); id != "" {
		o.setText("subscription_item", id)
	}
	o.set("amount_excluding_tax", amount)
	o.setText("type", typ)
	o.set("tax_amounts", canon.Raw("[]"))
	o.set("tax_rates", canon.Raw("[]"))
	o.setText("unit_amount_excluding_tax", textUnder(was, "pricing", "unit_amount_decimal"))
	t.oldPricing(was, o)
}

// oldProration tells whether a line prorates, and what it credits.
func (t *turner) oldProration(details canon.Raw, o *hash) {
	proration, credited := canon.Raw("false"), canon.Raw(`{"credited_items":null}`)
	if len(details) > 0 && details[0] == '{' {
		if v, ok := canon.Get(details, "proration"); ok {
			proration = v
		}
		if v, ok := canon.Get(details, "proration_details"); ok && v[0] == '{' {
			credited = v
		}
	}
	o.set("proration", proration)
	o.set("proration_details", credited)
}

// oldPricing puts the price itself, and the plan it was once called, in the place
// of its name.
func (t *turner) oldPricing(was canon.Raw, o *hash) {
	price, plan := null, null
	if id := textUnder(was, "pricing", "price_details", "price"); id != "" {
		price = t.row("price", id, prices.Table)
	}
	if price[0] == '{' {
		var pr Price
		if err := canon.Unmarshal(price, &pr); err != nil {
			panic("stripe: price: " + err.Error())
		}
		if pr.Recurring != nil {
			p := planOf(&pr)
			plan = t.value(canon.Marshal(&p))
		}
	}
	o.set("price", t.value(price))
	o.set("plan", plan)
}

func oldInvoiceItem(t *turner, was canon.Raw, o *hash) {
	o.setText("subscription", textUnder(was, "parent", "subscription_details", "subscription"))
	if id := textUnder(was, "parent", "subscription_details", "subscription_item"); id != "" {
		o.setText("subscription_item", id)
	}
	unit := textUnder(was, "pricing", "unit_amount_decimal")
	if unit == "" { // an item without a price is one of its amount, or so many of a part
		amount, _ := canon.Int(o.get("amount"))
		if n, _ := canon.Int(o.get("quantity")); n > 0 && amount%n == 0 {
			unit = decimal(amount / n)
		}
	}
	o.setText("unit_amount_decimal", unit)
	o.set("unit_amount", null)
	if n, ok := canon.Int(canon.Raw(unit)); ok {
		o.set("unit_amount", canon.AppendInt(nil, n))
	}
	t.oldPricing(was, o)
}

func oldPrice(_ *turner, _ canon.Raw, o *hash) {
	recurring := o.get("recurring")
	if len(recurring) == 0 || recurring[0] != '{' {
		return
	}
	r := hashOf(recurring)
	r.drop("meter")
	r.set("aggregate_usage", null)
	o.set("recurring", r.bytes())
}

// oldSubscription has the period that its items share: the earliest of each.
func oldSubscription(t *turner, was canon.Raw, o *hash) {
	for _, key := range []string{"current_period_end", "current_period_start"} {
		var least int64
		for i, item := range elements(was, "items") {
			raw, _ := canon.Get(item, key)
			if n, ok := canon.Int(raw); ok && (i == 0 || n < least) {
				least = n
			}
		}
		o.set(key, canon.AppendInt(nil, least))
	}
	o.set("discount", t.firstDiscount(was))
}

var oldRoutes = [...][2]string{
	{"GET /v1/invoices/upcoming", "POST /v1/invoices/create_preview"},
	{"GET /v1/invoices/upcoming/lines", ""},
	{"GET /v1/subscription_items/{subscription_item}/usage_record_summaries", ""},
	{"POST /v1/subscription_items/{subscription_item}/usage_records", ""},
}

var oldAliases = [...]twin.Alias{
	{Route: "POST /v1/credit_notes", Asked: "refund", Name: "refunds[0][refund]"},
	{Route: "POST /v1/customers", Asked: "coupon", Name: "coupon"},
	{Route: "POST /v1/customers", Asked: "promotion_code", Name: "promotion_code"},
	{Route: "POST /v1/customers/{id}", Asked: "coupon", Name: "coupon"},
	{Route: "POST /v1/customers/{id}", Asked: "promotion_code", Name: "promotion_code"},
	{Route: "POST /v1/customers/{customer}/subscriptions", Asked: "coupon", Name: "discounts[0][coupon]"},
	{Route: "POST /v1/customers/{customer}/subscriptions", Asked: "promotion_code", Name: "discounts[0][promotion_code]"},
	{Route: "POST /v1/customers/{customer}/subscriptions/{subscription_exposed_id}", Asked: "coupon", Name: "discounts[0][coupon]"},
	{Route: "POST /v1/customers/{customer}/subscriptions/{subscription_exposed_id}", Asked: "promotion_code", Name: "discounts[0][promotion_code]"},
	{Route: "POST /v1/invoiceitems", Asked: "price", Name: "pricing[price]"},
	{Route: "POST /v1/invoiceitems", Asked: "unit_amount", Name: "unit_amount"},
	{Route: "POST /v1/invoiceitems/{invoiceitem}", Asked: "price", Name: "pricing[price]"},
	{Route: "POST /v1/invoiceitems/{invoiceitem}", Asked: "unit_amount", Name: "unit_amount"},
	{Route: "POST /v1/invoices", Asked: "rendering_options", Name: "rendering"},
	{Route: "POST /v1/invoices/{invoice}", Asked: "rendering_options", Name: "rendering"},
	{Route: "POST /v1/invoices/create_preview", Asked: "coupon", Name: "discounts[0][coupon]"},
	{Route: "POST /v1/invoices/create_preview", Asked: "subscription_cancel_at", Name: "subscription_details[cancel_at]"},
	{Route: "POST /v1/invoices/create_preview", Asked: "subscription_cancel_at_period_end", Name: "subscription_details[cancel_at_period_end]"},
	{Route: "POST /v1/invoices/create_preview", Asked: "subscription_cancel_now", Name: "subscription_details[cancel_now]"},
	{Route: "POST /v1/invoices/create_preview", Asked: "subscription_items", Name: "subscription_details[items]"},
	{Route: "POST /v1/invoices/create_preview", Asked: "subscription_proration_behavior", Name: "subscription_details[proration_behavior]"},
	{Route: "POST /v1/invoices/create_preview", Asked: "subscription_proration_date", Name: "subscription_details[proration_date]"},
	{Route: "POST /v1/invoices/create_preview", Asked: "subscription_trial_end", Name: "subscription_details[trial_end]"},
	{Route: "POST /v1/promotion_codes", Asked: "coupon", Name: "promotion[coupon]", With: "promotion[type]=coupon"},
	{Route: "POST /v1/subscriptions", Asked: "coupon", Name: "discounts[0][coupon]"},
	{Route: "POST /v1/subscriptions", Asked: "promotion_code", Name: "discounts[0][promotion_code]"},
	{Route: "POST /v1/subscriptions/{id}", Asked: "coupon", Name: "discounts[0][coupon]"},
	{Route: "POST /v1/subscriptions/{id}", Asked: "promotion_code", Name: "discounts[0][promotion_code]"},
}

// oldExpand is what expands otherwise: an invoice's charge and payment intent are
// its own.
func oldExpand() map[string]map[string]string {
	gone := twin.NotExpanded
	return map[string]map[string]string{
		"charge": {"invoice": invoices.Object},
		"credit_note": {
			"pretax_credit_amounts.credit_balance_transaction": gone, "pretax_credit_amounts.discount": gone,
			"refund": refunds.Object, "refunds.refund": gone, "total_taxes.tax_rate_details.tax_rate": gone,
		},
		"credit_note_line_item": {
			"pretax_credit_amounts.credit_balance_transaction": gone, "pretax_credit_amounts.discount": gone,
			"taxes.tax_rate_details.tax_rate": gone,
		},
		"customer":                     {"discount.source.coupon": gone},
		"customer_balance_transaction": {"checkout_session": gone},
		"discount":                     {"source.coupon": gone, "coupon": ""},
		"invoice": {
			"charge": charges.Object, "confirmation_secret": gone, "issuer.account": gone, "parent.subscription_details.subscription": gone,
			"payment_intent": paymentIntents.Object, "payments": gone, "quote": "quote", "subscription": subscriptions.Object,
			"total_pretax_credit_amounts.credit_balance_transaction": gone, "total_pretax_credit_amounts.discount": gone,
			"total_tax_amounts.tax_rate": "tax_rate", "total_taxes.tax_rate_details.tax_rate": gone,
		},
		"invoiceitem": {
			"pricing.price_details.price": gone, "proration_details.discount_amounts.discount": gone,
			"subscription": subscriptions.Object, "plan": planObject, "price": "",
		},
		"line_item": {
			"invoice_item": invoiceItems.Object, "pretax_credit_amounts.credit_balance_transaction": gone,
			"pretax_credit_amounts.discount": gone, "pricing.price_details.price": gone, "plan": planObject, "price": "",
			"subscription_item": itemObject, "tax_amounts.tax_rate": "tax_rate", "taxes.tax_rate_details.tax_rate": gone,
		},
		"payment_intent": {"invoice": invoices.Object},
		"promotion_code": {"promotion.coupon": gone, "coupon": ""},
		"refund":         {"customer": gone, "payment_method": gone},
		"payment_link":   {"application": gone},
		"tax_id":         {"owner.account": gone, "owner.application": gone, "owner.customer": gone},
		"subscription": {
			"billing_schedules.applies_to.price": gone, "discount": discounts.Object, "discounts": gone, "discounts.source.coupon": gone,
			"invoice_settings.account_tax_ids": gone, "invoice_settings.issuer.account": gone,
		},
		"subscription_item": {"discounts": gone},
	}
}
