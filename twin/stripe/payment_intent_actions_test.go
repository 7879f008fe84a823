package stripe_test

import (
	"fmt"
	"strings"
	"testing"
)

// An intent from wish to money, each step told.
func TestIntentStepByStep(t *testing.T) {
	r := newRig(t, qaBase)
	pi := r.tell("POST /v1/payment_intents amount=2500 currency=USD customer=cus_qa01 description=Course metadata[order]=7 receipt_email=a@example.com")
	path := "/v1/payment_intents/" + pi.get("id")
	r.tell("POST " + path + " amount=3000 payment_method=pm_card_mastercard setup_future_usage=off_session shipping[name]=Ada shipping[address][line1]=Main")
	r.tell("POST " + path + "/confirm expand[]=latest_charge")
	r.golden("intent_steps")
	again := r.ok("GET " + path + "?client_secret=" + pi.get("client_secret"))
	if again.get("status") != "succeeded" || again.get("amount_received") != "3000" {
		t.Errorf("intent %s", again.Body)
	}
	// The card stayed with the customer.
	if got := r.ok("GET /v1/payment_methods customer=cus_qa01").each("card.last4"); got != "4444 4242" {
		t.Errorf("cards: %s", got)
	}
}

// Created and confirmed in one call: what each card makes of it, and the events.
func TestIntentOutcomes(t *testing.T) {
	const paid = "payment_intent.created charge.succeeded payment_intent.succeeded"
	const declined = "payment_intent.created charge.failed payment_intent.payment_failed"
	for _, row := range [][3]string{
		{"payment_method=pm_card_visa", "200 succeeded", paid},
		{"payment_method=pm_card_amex customer=cus_qa01", "200 succeeded", paid},
		{"payment_method=pm_card_visa customer=cus_qa01 setup_future_usage=on_session", "200 succeeded", paid + " payment_method.attached"},
		{"payment_method_data[type]=card payment_method_data[card][token]=tok_mastercard", "200 succeeded", paid},
		{"payment_method_data[type]=card payment_method_data[card][number]=4242+4242+4242+4242 payment_method_data[card][exp_month]=7 payment_method_data[card][exp_year]=31 payment_method_data[card][cvc]=123", "200 succeeded", paid},
		{"payment_method=pm_card_visa capture_method=automatic_async", "200 succeeded", paid},
		{"payment_method=pm_card_visa capture_method=manual", "200 requires_capture", "payment_intent.created charge.succeeded payment_intent.amount_capturable_updated"},
		{"payment_method=pm_card_visa_chargeDeclined", "402 requires_payment_method", declined},
		{"payment_method=pm_card_chargeCustomerFail off_session=true", "402 requires_payment_method", declined},
		{"payment_method=pm_card_chargeDeclined capture_method=manual", "402 requires_payment_method", declined},
		{"payment_method=pm_card_threeDSecure2Required", "200 requires_action", "payment_intent.created payment_intent.requires_action"},
		{"payment_method=pm_card_authenticationRequired return_url=https://example.com/back", "200 requires_action", "payment_intent.created payment_intent.requires_action"},
		{"payment_method=pm_card_authenticationRequired off_session=true", "402 requires_payment_method", declined},
		{"payment_method=pm_card_authenticationRequiredOnSetup off_session=recurring", "402 requires_payment_method", declined},
		{"payment_method=pm_card_authenticationRequired error_on_requires_action=true", "402 requires_payment_method", declined},
		{"payment_method=pm_card_authenticationRequired off_session=false", "200 requires_action", "payment_intent.created payment_intent.requires_action"},
	} {
		r := newRig(t, qaBase)
		a := r.do("POST /v1/payment_intents amount=1000 currency=usd confirm=true " + row[0])
		status := a.get("status") + a.get("error.payment_intent.status")
		if got := fmt.Sprintf("%d %s", a.Status, status); got != row[1] {
			t.Errorf("%s: %s, want %s\n%s", row[0], got, row[1], a.Body)
		}
		if got := types(r.events()); got != row[2] {
			t.Errorf("%s:\n got %s\nwant %s", row[0], got, row[2])
		}
	}
}

// types are the event types of a listing of events.
func types(events string) string {
	var out []string
	for line := range strings.Lines(events) {
		typ, _, _ := strings.Cut(line, " ")
		out = append(out, typ)
	}
	return strings.Join(out, " ")
}

// Money held is captured in part, the rest let go; or all let go, by a cancel, by a
// refund, or because a week went by.
func TestManualCapture(t *testing.T) {
	held := func(t *testing.T) (*rig, string, string) {
		r := newRig(t, qaAuto(60))
		pi := r.ok("POST /v1/payment_intents amount=1000 currency=usd capture_method=manual confirm=true payment_method=pm_card_visa")
		r.events()
		if ch := r.ok("GET /v1/charges/" + pi.get("latest_charge")); ch.get("captured") != "false" || ch.get("balance_transaction") != "null" || ch.get("paid") != "true" {
			t.Errorf("held: %s", ch.Body)
		}
		return r, "/v1/payment_intents/" + pi.get("id"), pi.get("latest_charge")
	}
	t.Run("part", func(t *testing.T) {
		r, path, ch := held(t)
		r.refused("POST "+path+"/capture amount_to_capture=1001", "400 amount_too_large amount_to_capture Capture amount ($10.01) is greater than the amount that can be captured ($10.00)")
		a := r.ok("POST " + path + "/capture amount_to_capture=600 expand[]=latest_charge.refunds expand[]=latest_charge.balance_transaction")
		if got := a.get("amount_received") + " " + a.get("amount_capturable") + " " + a.get("latest_charge.amount_refunded") + " " + a.get("latest_charge.balance_transaction.amount"); got != "600 0 400 600" {
			t.Errorf("captured: %s", got)
		}
		if got := types(r.events()); got != "charge.captured refund.created charge.refunded payment_intent.succeeded" {
			t.Errorf("events: %s", got)
		}
		r.refused("POST /v1/refunds charge="+ch+" amount=601", "400 - amount Refund amount ($6.01) is greater than unrefunded amount on charge ($6.00)")
		r.ok("POST /v1/refunds charge=" + ch)
		if got := r.ok("GET /v1/charges/" + ch).get("refunded"); got != "true" {
			t.Errorf("refunded %s", got)
		}
		refusedState(t, r, "POST "+path+"/capture", "This PaymentIntent could not be captured because it has already been captured.")
	})
	t.Run("cancel", func(t *testing.T) {
		r, path, ch := held(t)
		a := r.ok("POST " + path + "/cancel cancellation_reason=abandoned")
		if got := a.get("status") + " " + a.get("cancellation_reason") + " " + r.ok("GET /v1/charges/"+ch).get("refunded"); got != "canceled abandoned true" {
			t.Errorf("canceled: %s", got)
		}
		if got := types(r.events()); got != "refund.created charge.refunded payment_intent.canceled" {
			t.Errorf("events: %s", got)
		}
	})
	t.Run("refund", func(t *testing.T) {
		r, path, ch := held(t)
		r.refused("POST /v1/refunds charge="+ch+" amount=1", "400 - amount Charge "+ch+" has not been captured; it can only be refunded in full.")
		if a := r.ok("POST /v1/refunds reason=duplicate charge=" + ch); a.get("balance_transaction") != "null" || a.get("reason") != "duplicate" {
			t.Errorf("refund %s", a.Body)
		}
		if got := r.ok("GET " + path).get("status"); got != "canceled" {
			t.Errorf("status %s", got)
		}
	})
	t.Run("week", func(t *testing.T) {
		r, path, ch := held(t)
		r.by(8)
		a := r.ok("GET " + path)
		if got := a.get("status") + " " + a.get("cancellation_reason"); got != "canceled automatic" {
			t.Errorf("after a week: %s", got)
		}
		if got := types(r.events()); got != "refund.created charge.refunded charge.expired payment_intent.canceled" {
			t.Errorf("events: %s", got)
		}
		if got := r.ok("GET /v1/refunds charge=" + ch).each("reason"); got != "expired_uncaptured_charge" {
			t.Errorf("reason %s", got)
		}
	})
}

// refusedState checks a refusal that carries the intent.
func refusedState(t *testing.T, r *rig, line, message string) {
	t.Helper()
	a := r.do(line)
	if a.get("error.code") != "payment_intent_unexpected_state" || a.get("error.message") != message || a.get("error.payment_intent.object") != "payment_intent" {
		t.Errorf("%s: %d %s", line, a.Status, a.Body)
	}
}

// noCurrency is what is said of the currency xxx.
func noCurrency(r *rig) string {
	return r.do("POST /v1/payment_intents amount=100 currency=xxx").get("error.message")
}

// An intent may change its mind about everything until it is paid.
func TestIntentUpdates(t *testing.T) {
	r := newRig(t, qaBase)
	path := "/v1/payment_intents/" + r.ok("POST /v1/payment_intents amount=1000 currency=usd automatic_payment_methods[enabled]=false confirmation_method=manual").get("id")
	r.ok("POST " + path + " amount=900 currency=eur customer=cus_qa01 description=x metadata[a]=1 receipt_email=a@example.com capture_method=manual")
	r.ok("POST " + path + " payment_method_data[type]=card payment_method_data[card][token]=tok_visa setup_future_usage=on_session")
	r.ok("POST " + path + " allowed_payment_method_types[]=card allowed_payment_method_types[]=link statement_descriptor=SHOP receipt_email=")
	a := r.ok("GET " + path)
	for at, want := range map[string]string{
		"amount": "900", "currency": "eur", "customer": "cus_qa01", "description": "x", "metadata.a": "1", "receipt_email": "null",
		"capture_method": "manual", "status": "requires_confirmation", "setup_future_usage": "on_session", "statement_descriptor": "SHOP",
		"payment_method_types": `["card","link"]`, "automatic_payment_methods": "null", "confirmation_method": "manual",
	} {
		if got := a.get(at); got != want {
			t.Errorf("%s is %s, want %s", at, got, want)
		}
	}
	if got := types(r.events()); got != "payment_intent.created" {
		t.Errorf("events: %s", got)
	}
	if got := r.ok("POST " + path + "/confirm capture_method=automatic").get("status"); got != "succeeded" {
		t.Errorf("confirmed: %s", got)
	}
}

func updateText(param string) string {
	return "This PaymentIntent's " + param + " could not be updated because it has a status of succeeded. You may only update the " + param +
		" of a PaymentIntent with one of the following statuses: requires_payment_method, requires_confirmation, requires_action."
}

func TestIntentStates(t *testing.T) {
	r := newRig(t, qaBase)
	done := "/v1/payment_intents/" + r.ok("POST /v1/payment_intents amount=1000 currency=usd payment_method=pm_card_visa confirm=true").get("id")
	gone := "/v1/payment_intents/" + r.ok("POST /v1/payment_intents amount=1000 currency=usd").get("id")
	fresh := "/v1/payment_intents/" + r.ok("POST /v1/payment_intents amount=1000 currency=usd").get("id")
	r.ok("POST " + gone + "/cancel")
	const only = ". Only a PaymentIntent with one of the following statuses may be "
	for _, row := range [][2]string{
		{done + "/confirm", "You cannot confirm this PaymentIntent because it has already succeeded after being previously confirmed."},
		{gone + "/confirm", "You cannot confirm this PaymentIntent because it has a status of canceled" + only + "confirmed: requires_confirmation, requires_action."},
		{fresh + "/confirm", "You cannot confirm this PaymentIntent because it's missing a payment method. You can either update the PaymentIntent with a payment method and then confirm it again, or confirm it again directly with a payment method or ConfirmationToken."},
		{done + "/capture", "This PaymentIntent could not be captured because it has already been captured."},
		{fresh + "/capture", "This PaymentIntent could not be captured because it has a status of requires_payment_method" + only + "captured: requires_capture."},
		{done + "/cancel", "You cannot cancel this PaymentIntent because it has a status of succeeded" + only + "canceled: requires_payment_method, requires_capture, requires_confirmation, requires_action, processing."},
		{gone + "/cancel", "You cannot cancel this PaymentIntent because it has a status of canceled" + only + "canceled: requires_payment_method, requires_capture, requires_confirmation, requires_action, processing."},
		{done + " currency=eur", updateText("currency")},
		{done + " customer=cus_qa01", updateText("customer")},
		{done + " payment_method=pm_card_visa", updateText("payment_method")},
		{done + " payment_method_data[type]=card payment_method_data[card][token]=tok_visa", updateText("payment_method_data")},
		{done + " payment_method_types[]=card", updateText("payment_method_types")},
		{done + " capture_method=manual", updateText("capture_method")},
		{done + " setup_future_usage=", updateText("setup_future_usage")},
		{done + " amount=5000", "This PaymentIntent's amount could not be updated because it has a status of succeeded. You may only update the amount of a PaymentIntent with one of the following statuses: requires_payment_method, requires_confirmation, requires_action."},
	} {
		before := r.dump()
		refusedState(t, r, "POST "+row[0], row[1])
		if r.dump() != before {
			t.Errorf("%s changed the world", row[0])
		}
	}
	if got := r.ok("POST " + done + " metadata[a]=1 description=x").get("metadata.a"); got != "1" {
		t.Errorf("metadata of a paid intent: %s", got)
	}
	action := r.ok("POST /v1/payment_intents amount=1000 currency=usd payment_method=pm_card_authenticationRequired confirm=true")
	again := r.ok("POST /v1/payment_intents/" + action.get("id") + "/confirm payment_method=pm_card_visa")
	if got := again.get("status") + " " + again.get("next_action"); got != "succeeded null" {
		t.Errorf("with another card: %s", got)
	}
}

func TestIntentRefusals(t *testing.T) {
	r := newRig(t, qaBase)
	mine := r.ok("GET /v1/customers/cus_qa01").get("invoice_settings.default_payment_method")
	used := r.ok("POST /v1/payment_intents amount=1000 currency=usd payment_method=pm_card_visa confirm=true").get("payment_method")
	open := r.ok("POST /v1/payment_intents amount=1000 currency=usd customer=cus_qa01").get("id")
	for _, row := range [][2]string{
		{" currency=usd", "400 parameter_missing amount Missing required param: amount."},
		{" amount=100", "400 parameter_missing currency Missing required param: currency."},
		{" amount=0 currency=usd", "400 parameter_invalid_integer amount Invalid positive integer"},
		{" amount=49 currency=usd", "400 amount_too_small amount Amount must be at least $0.50 usd"},
		{" amount=100000000 currency=usd", "400 amount_too_large amount Amount must be no more than $999,999.99"},
		{" amount=100 currency=usd customer=cus_nope", "400 resource_missing customer No such customer: 'cus_nope'"},
		{" amount=100 currency=usd payment_method=pm_nope", "400 resource_missing payment_method No such PaymentMethod: 'pm_nope'"},
		{" amount=100 currency=usd payment_method=" + mine, "400 - payment_method The PaymentMethod " + mine + " is attached to a customer, so for security purposes you must provide the customer in the request."},
		{" amount=100 currency=usd customer=cus_qa02 payment_method=" + mine, "400 resource_missing payment_method The customer does not have a payment method with the ID " + mine + ". The payment method must be attached to the customer."},
		{" amount=100 currency=usd payment_method=" + used, "400 - - This PaymentMethod was previously used without being attached to a Customer or was detached from a Customer, and may not be used again."},
		{" amount=100 currency=usd off_session=true", "400 - off_session You can only pass `off_session` when `confirm` is set to true."},
		{" amount=100 currency=usd capture_method=later", "400 - capture_method Invalid capture_method: must be one of automatic, automatic_async, or manual"},
		{" amount=100 currency=usd payment_method_types[]=card automatic_payment_methods[enabled]=true", "400 - payment_method_types You may only specify one of these parameters: automatic_payment_methods, payment_method_types."},
		{" amount=100 currency=usd payment_method_types[]=ideal", "501 - payment_method_types This twin does not serve payment_method_types without card. The world is unchanged."},
		{" amount=100 currency=usd payment_method_data[type]=card", "400 parameter_missing payment_method_data[card] Missing required param: payment_method_data[card]."},
		{" amount=100 currency=usd payment_method_data[type]=card payment_method_data[card][number]=4242", "400 parameter_missing payment_method_data[card][exp_month] Missing required param: payment_method_data[card][exp_month]."},
		{" amount=100 currency=usd payment_method=pm_card_visa payment_method_data[type]=card", "400 - payment_method_data You may only specify one of these parameters: payment_method, payment_method_data."},
		{" amount=100 currency=usd transfer_group=x", "501 - transfer_group This twin does not serve the parameter transfer_group of POST /v1/payment_intents. The world is unchanged."},
		{" amount=100 currency=usd confirm=true", "400 payment_intent_unexpected_state - You cannot confirm this PaymentIntent because it's missing a payment method. You can either update the PaymentIntent with a payment method and then confirm it again, or confirm it again directly with a payment method or ConfirmationToken."},
		{"/pi_nope amount=100", "404 resource_missing intent No such payment_intent: 'pi_nope'"},
		{"/pi_nope/confirm", "404 resource_missing intent No such payment_intent: 'pi_nope'"},
		{"/pi_nope/capture", "404 resource_missing intent No such payment_intent: 'pi_nope'"},
		{"/pi_nope/cancel", "404 resource_missing intent No such payment_intent: 'pi_nope'"},
		{"/" + open + "/confirm off_session=maybe", "400 - off_session Invalid off_session: must be one of one_off or recurring"},
		{"/" + open + "/cancel cancellation_reason=bored", "400 - cancellation_reason Invalid cancellation_reason: must be one of duplicate, fraudulent, requested_by_customer, or abandoned"},
		{"/" + open + " customer=cus_qa02", "400 - customer You cannot modify `customer` on a PaymentIntent once it already has been set. To fulfill a payment with a different Customer, cancel this PaymentIntent and create a new one. It is set to cus_qa01."},
		{"/" + open + " customer=cus_nope", "400 resource_missing customer No such customer: 'cus_nope'"},
		{"/" + open + " currency=xxx", "400 - currency " + noCurrency(r)},
		{"/" + open + " allowed_payment_method_types[]=ideal", "501 - allowed_payment_method_types This twin does not serve allowed_payment_method_types without card. The world is unchanged."},
		{"/" + open + " amount=1", "400 amount_too_small amount Amount must be at least $0.50 usd"},
	} {
		r.refused("POST /v1/payment_intents"+row[0], row[1])
	}
	r.refused("GET /v1/payment_intents/"+open+" client_secret=pi_x_secret_y", "400 - client_secret The client_secret provided does not match the client_secret associated with the PaymentIntent.")
}

// The intent of an invoice pays it when confirmed; only the invoice can take it
// back.
func TestIntentOfAnInvoice(t *testing.T) {
	r := newRig(t, qaBase)
	r.ok("POST /v1/customers/cus_qa02 name=Bo")
	sub := r.ok("POST /v1/subscriptions customer=cus_qa02 items[0][price]=price_qa_m payment_behavior=default_incomplete expand[]=latest_invoice.payments")
	pi := "/v1/payment_intents/" + sub.get("latest_invoice.payments.data.0.payment.payment_intent")
	inv := sub.get("latest_invoice.id")
	r.refused("POST "+pi+"/cancel", "400 - - You cannot cancel this PaymentIntent because it was created by the invoice "+inv+".")
	r.refused("POST "+pi+" amount=100", "400 - - You cannot update the amount of this PaymentIntent because it was created by the invoice "+inv+".")
	for _, verb := range []string{" capture_method=manual", "/confirm capture_method=manual payment_method=pm_card_visa"} {
		r.refused("POST "+pi+verb, "400 - - You cannot update the capture_method of this PaymentIntent because it was created by the invoice "+inv+".")
	}
	r.events()
	if a := r.do("POST " + pi + "/confirm payment_method=pm_card_chargeDeclined"); a.Status != 402 {
		t.Errorf("declined: %d", a.Status)
	}
	if got := types(r.events()); got != "charge.failed payment_intent.payment_failed invoice.payment_failed" {
		t.Errorf("declined: %s", got)
	}
	if a := r.ok("POST " + pi + "/confirm payment_method=pm_card_authenticationRequired"); a.get("status") != "requires_action" {
		t.Errorf("authentication: %s", a.Body)
	}
	if got := types(r.events()); got != "payment_intent.requires_action invoice.payment_action_required" {
		t.Errorf("authentication: %s", got)
	}
	r.ok("POST " + pi + "/confirm payment_method=pm_card_visa")
	if got := types(r.events()); got != "charge.succeeded payment_intent.succeeded invoice_payment.paid invoice.paid invoice.payment_succeeded customer.subscription.updated" {
		t.Errorf("paid: %s", got)
	}
	if got := r.ok("GET /v1/subscriptions/"+sub.get("id")).get("status") + " " + r.ok("GET /v1/invoices/"+inv).get("status"); got != "active paid" {
		t.Errorf("after: %s", got)
	}
}

// A subscription whose card wants its owner there waits for them.
func TestSubscriptionThatNeedsItsCustomer(t *testing.T) {
	r := newRig(t, strings.Replace(qaBase, `"email":"bo@example.com"`, `"email":"bo@example.com","payment_method":"pm_card_authenticationRequired"`, 1))
	sub := r.ok("POST /v1/subscriptions customer=cus_qa02 items[0][price]=price_qa_m expand[]=latest_invoice.payments")
	if got := sub.get("status") + " " + r.ok("GET /v1/payment_intents/"+sub.get("latest_invoice.payments.data.0.payment.payment_intent")).get("status"); got != "incomplete requires_action" {
		t.Errorf("made as %s", got)
	}
	if got := types(r.events()); got != "customer.subscription.created invoice.created invoice.finalized payment_intent.created payment_intent.requires_action invoice.payment_action_required" {
		t.Errorf("events: %s", got)
	}
	before := r.dump()
	a := r.do("POST /v1/subscriptions customer=cus_qa02 items[0][price]=price_qa_m payment_behavior=error_if_incomplete")
	if a.Status != 402 || a.get("error.code") != "authentication_required" || r.dump() != before {
		t.Errorf("error_if_incomplete: %d %s", a.Status, a.Body)
	}
}
