package stripe_test

import "testing"

// What SDK users say about the payment of subscriptions, as a matter of course.
func TestSubscriptionPaymentSettings(t *testing.T) {
	r := newRig(t, machineSeed)
	const begin = "POST /v1/subscriptions customer=cus_a items[0][price]=price_m "
	s := r.ok(begin + "off_session=true trial_from_plan=false automatic_tax[enabled]=false proration_behavior=none payment_settings[payment_method_types][0]=card")
	if s.get("payment_settings.payment_method_types.0") != "card" || s.get("payment_settings.save_default_payment_method") != "off" || s.get("default_payment_method") != "null" {
		t.Errorf("%s", s.Body)
	}
	r.refused(begin+"automatic_tax[enabled]=true", "501 - automatic_tax[enabled] This twin does not serve automatic_tax[enabled]=true. The world is unchanged.")
	r.refused(begin+"payment_settings[payment_method_types][0]=sepa_debit",
		"501 - payment_settings[payment_method_types] This twin does not serve payment methods of type sepa_debit. The world is unchanged.")
	r.refused(begin+"payment_settings[payment_method_options][card][network]=visa",
		"501 - payment_settings[payment_method_options] This twin does not serve the parameter payment_settings[payment_method_options] of POST /v1/subscriptions. The world is unchanged.")

	// What pays first pays from then on.
	s = r.ok(begin + "payment_settings[save_default_payment_method]=on_subscription expand[]=latest_invoice.payments")
	paid := r.ok("GET /v1/payment_intents/" + s.get("latest_invoice.payments.data.0.payment.payment_intent")).get("payment_method")
	if got := s.get("default_payment_method"); paid == "" || got != paid {
		t.Errorf("the default is %q, %q paid", got, paid)
	}
	s = r.ok("POST /v1/subscriptions customer=cus_b items[0][price]=price_m payment_behavior=default_incomplete payment_settings[save_default_payment_method]=on_subscription expand[]=latest_invoice.payments")
	if got := s.get("default_payment_method"); got != "null" {
		t.Errorf("nothing was paid, and the default is %s", got)
	}
	card := r.ok("POST /v1/payment_methods/pm_card_mastercard/attach customer=cus_b").get("id")
	r.ok("POST /v1/payment_intents/" + s.get("latest_invoice.payments.data.0.payment.payment_intent") + "/confirm payment_method=" + card)
	if now := r.ok("GET /v1/subscriptions/" + s.get("id")); now.get("default_payment_method") != card || now.get("status") != "active" {
		t.Errorf("confirmed with %s: %s", card, now.Body)
	}
	if got := r.ok("POST /v1/subscriptions/" + s.get("id") + " payment_settings[save_default_payment_method]=off payment_settings[payment_method_types]=").get("payment_settings"); got == "" {
		t.Errorf("%s", got)
	}
}

// A preview of what recurs leaves out what is prorated or billed once.
func TestPreviewRecurring(t *testing.T) {
	r := newRig(t, machineSeed)
	s := r.ok("POST /v1/subscriptions customer=cus_a items[0][price]=price_m")
	unit := r.ok("GET /v1/prices/price_m").get("unit_amount")
	r.ok("POST /v1/invoiceitems customer=cus_a amount=333 currency=usd")
	r.by(3)
	change := "POST /v1/invoices/create_preview subscription=" + s.get("id") + " subscription_details[items][0][id]=" + s.get("items.data.0.id") + " subscription_details[items][0][quantity]=2 preview_mode="
	next, recurring := r.ok(change+"next"), r.ok(change+"recurring")
	if recurring.get("lines.total_count") != "1" || recurring.get("lines.data.0.quantity") != "2" || next.get("lines.total_count") == "1" {
		t.Errorf("at %s each, next is %s and recurring %s", unit, next.get("lines"), recurring.get("lines"))
	}
	if a := r.do("POST /v1/invoices/create_preview customer=cus_none preview_mode=recurring"); a.Status != 400 {
		t.Errorf("%s", a.Body)
	}
}
