package stripe_test

import (
	"fmt"
	"testing"
)

func TestSetupIntent(t *testing.T) {
	r := newRig(t, qaBase)
	si := r.tell("POST /v1/setup_intents customer=cus_qa02 description=later metadata[a]=1 automatic_payment_methods[enabled]=true automatic_payment_methods[allow_redirects]=never")
	path := "/v1/setup_intents/" + si.get("id")
	r.ok("POST " + path + " payment_method=pm_card_mastercard metadata[a]= description=soon")
	done := r.tell("POST " + path + "/confirm expand[]=payment_method expand[]=customer")
	r.golden("setup_intent")
	if got := r.ok("GET /v1/payment_methods customer=cus_qa02").get("data.0.id"); got != done.get("payment_method.id") {
		t.Errorf("kept %s", got)
	}
	for query, want := range map[string]string{
		"":                  si.get("id"),
		"customer=cus_qa02": si.get("id"),
		"customer=cus_qa01": "",
		"payment_method=" + done.get("payment_method.id"): si.get("id"),
		"created[lt]=1": "",
	} {
		if got := r.ok("GET /v1/setup_intents " + query).each("id"); got != want {
			t.Errorf("%s: %s", query, got)
		}
	}
	if got := r.ok("GET " + path + "?client_secret=" + si.get("client_secret")).get("usage"); got != "off_session" {
		t.Errorf("usage %s", got)
	}
	// What was set up pays.
	r.ok("POST /v1/payment_intents amount=500 currency=usd customer=cus_qa02 confirm=true off_session=true payment_method=" + done.get("payment_method.id"))
}

func TestSetupOutcomes(t *testing.T) {
	for _, row := range [][3]string{
		{"pm_card_visa", "200 succeeded", "setup_intent.created payment_method.attached setup_intent.succeeded"},
		{"pm_card_chargeCustomerFail", "200 succeeded", "setup_intent.created payment_method.attached setup_intent.succeeded"},
		{"pm_card_chargeDeclinedLostCard", "402 requires_payment_method", "setup_intent.created setup_intent.setup_failed"},
		{"pm_card_authenticationRequiredOnSetup", "200 requires_action", "setup_intent.created setup_intent.requires_action"},
	} {
		r := newRig(t, qaBase)
		a := r.do("POST /v1/setup_intents customer=cus_qa01 confirm=true payment_method=" + row[0])
		if got := fmt.Sprintf("%d %s%s", a.Status, a.get("status"), a.get("error.setup_intent.status")); got != row[1] {
			t.Errorf("%s: %s\n%s", row[0], got, a.Body)
		}
		if got := types(r.events()); got != row[2] {
			t.Errorf("%s: %s", row[0], got)
		}
	}
}

func TestSetupRefusals(t *testing.T) {
	r := newRig(t, qaBase)
	open := "/v1/setup_intents/" + r.ok("POST /v1/setup_intents customer=cus_qa01 payment_method_types[]=card").get("id")
	done := "/v1/setup_intents/" + r.ok("POST /v1/setup_intents confirm=true payment_method=pm_card_visa usage=on_session").get("id")
	gone := "/v1/setup_intents/" + r.ok("POST /v1/setup_intents").get("id")
	if got := r.ok("POST " + gone + "/cancel cancellation_reason=abandoned").get("status"); got != "canceled" {
		t.Errorf("canceled: %s", got)
	}
	const some = "You cannot %s this SetupIntent because it has a status of canceled. Only a SetupIntent with one of the following statuses may be used so: requires_payment_method, requires_confirmation, requires_action."
	for _, row := range [][2]string{
		{"POST /v1/setup_intents customer=cus_nope", "400 resource_missing customer No such customer: 'cus_nope'"},
		{"POST /v1/setup_intents payment_method=pm_nope", "400 resource_missing payment_method No such PaymentMethod: 'pm_nope'"},
		{"POST /v1/setup_intents confirm=true", "400 setup_intent_unexpected_state - You cannot confirm this SetupIntent because it's missing a payment method. Update the SetupIntent with a payment method and then confirm it again."},
		{"POST /v1/setup_intents return_url=https://example.com", "400 - return_url You can only pass `return_url` when `confirm` is set to true."},
		{"POST /v1/setup_intents usage=once", "400 - usage Invalid usage: must be one of off_session or on_session"},
		{"POST /v1/setup_intents single_use[amount]=1", "501 - single_use This twin does not serve the parameter single_use of POST /v1/setup_intents. The world is unchanged."},
		{"GET /v1/setup_intents/seti_nope", "404 resource_missing intent No such setupintent: 'seti_nope'"},
		{"GET " + open + " client_secret=x", "400 - client_secret The client_secret provided does not match the client_secret associated with the SetupIntent."},
		{"POST /v1/setup_intents/seti_nope/confirm", "404 resource_missing intent No such setupintent: 'seti_nope'"},
		{"GET /v1/setup_intents customer=cus_nope", "400 resource_missing customer No such customer: 'cus_nope'"},
		{"GET /v1/setup_intents payment_method=pm_nope", "400 resource_missing payment_method No such PaymentMethod: 'pm_nope'"},
		{"POST " + open + "/confirm", "400 setup_intent_unexpected_state - You cannot confirm this SetupIntent because it's missing a payment method. Update the SetupIntent with a payment method and then confirm it again."},
		{"POST " + open + " customer=cus_qa02", "400 - customer You cannot modify `customer` on a SetupIntent once it already has been set. To fulfill a payment with a different Customer, cancel this SetupIntent and create a new one. It is set to cus_qa01."},
		{"POST " + done + "/confirm", "400 setup_intent_unexpected_state - You cannot confirm this SetupIntent because it has already succeeded."},
		{"POST " + done + " description=x", "400 setup_intent_unexpected_state - You cannot update this SetupIntent because it has already succeeded."},
		{"POST " + done + "/cancel", "400 setup_intent_unexpected_state - You cannot cancel this SetupIntent because it has already succeeded."},
		{"POST " + gone + "/cancel", "400 setup_intent_unexpected_state - " + fmt.Sprintf(some, "cancel")},
		{"POST " + open + "/cancel cancellation_reason=bored", "400 - cancellation_reason Invalid cancellation_reason: must be one of abandoned, requested_by_customer, or duplicate"},
	} {
		r.refused(row[0], row[1])
	}
}
