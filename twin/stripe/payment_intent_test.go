package stripe_test

import (
	"strings"
	"testing"
)

// A declined payment leaves its failed charge; a second try pays with the same
// intent.
func TestDeclineThenPay(t *testing.T) {
	r := newRig(t, qaBase)
	r.tell("POST /v1/invoices/in_qa02/pay payment_method=pm_card_visa_chargeDeclinedInsufficientFunds")
	intent := r.ok("GET /v1/payment_intents customer=cus_qa02")
	r.tell("GET /v1/charges/" + intent.get("data.0.latest_charge"))
	r.tell("POST /v1/invoices/in_qa02/pay")
	after := r.tell("GET /v1/payment_intents/" + intent.get("data.0.id") + " expand[]=latest_charge.balance_transaction expand[]=payment_method")
	r.golden("decline_then_pay")
	if got := r.ok("GET /v1/charges payment_intent=" + after.get("id")).each("status"); got != "succeeded failed" {
		t.Errorf("charges of the intent: %s", got)
	}
	if got := r.ok("GET /v1/payment_intents customer=cus_qa02").each("id"); got != after.get("id") {
		t.Errorf("intents: %s", got)
	}
	failed := r.ok("GET /v1/charges payment_intent=" + after.get("id")).get("data.1.id")
	r.refused("POST /v1/refunds charge="+failed, "400 - - Charge "+failed+" did not succeed; there is nothing to refund.")
	expanded := r.ok("GET /v1/charges/" + failed + " expand[]=balance_transaction.source expand[]=refunds")
	if expanded.get("balance_transaction") != "null" || expanded.get("refunds.data") != "[]" {
		t.Errorf("expanding what is not there: %s", expanded.Body)
	}
}

// Every card that declines says so in its own way.
func TestDeclines(t *testing.T) {
	for _, row := range [][2]string{
		{"chargeDeclined", "card_declined generic_decline issuer_declined declined_by_network generic_decline normal | Your card was declined."},
		{"chargeDeclinedInsufficientFunds", "card_declined insufficient_funds issuer_declined declined_by_network insufficient_funds normal | Your card has insufficient funds."},
		{"chargeDeclinedLostCard", "card_declined lost_card issuer_declined declined_by_network lost_card normal | Your card was declined."},
		{"chargeDeclinedStolenCard", "card_declined stolen_card issuer_declined declined_by_network stolen_card normal | Your card was declined."},
		{"chargeDeclinedExpiredCard", "expired_card expired_card issuer_declined declined_by_network expired_card normal | Your card has expired."},
		{"chargeDeclinedIncorrectCvc", "incorrect_cvc incorrect_cvc issuer_declined declined_by_network incorrect_cvc normal | Your card's security code is incorrect."},
		{"chargeDeclinedProcessingError", "processing_error processing_error issuer_declined declined_by_network processing_error normal | An error occurred while processing your card. Try again in a little bit."},
		{"chargeDeclinedVelocityLimitExceeded", "card_declined card_velocity_exceeded issuer_declined declined_by_network card_velocity_exceeded normal | Your card was declined for making repeated attempts too frequently or exceeding its amount limit."},
		{"chargeDeclinedFraudulent", "card_declined fraudulent blocked not_sent_to_network highest_risk_level highest | Your card was declined."},
		{"chargeCustomerFail", "card_declined generic_decline issuer_declined declined_by_network generic_decline normal | Your card was declined."},
		{"authenticationRequired", "authentication_required authentication_required issuer_declined declined_by_network authentication_required normal | Your card was declined. This transaction requires authentication."},
	} {
		r := newRig(t, qaBase)
		a := r.do("POST /v1/invoices/in_qa02/pay payment_method=pm_card_" + row[0])
		if a.Status != 402 || a.get("error.payment_intent.status") != "requires_payment_method" || a.get("error.payment_intent.payment_method") != "null" {
			t.Errorf("%s: %d %s", row[0], a.Status, a.Body)
		}
		ch := r.ok("GET /v1/charges/" + a.get("error.charge"))
		got := strings.Join([]string{a.get("error.code"), a.get("error.decline_code"), ch.get("outcome.type"), ch.get("outcome.network_status"),
			ch.get("outcome.reason"), ch.get("outcome.risk_level"), "|", a.get("error.message")}, " ")
		if got != row[1] {
			t.Errorf("%s:\n got %s\nwant %s", row[0], got, row[1])
		}
		if ch.get("failure_code") != a.get("error.code") || ch.get("failure_message") != a.get("error.message") || ch.get("paid") != "false" {
			t.Errorf("%s: charge %s", row[0], ch.Body)
		}
	}
}

// A decline is kept under its idempotency key: no second charge.
func TestDeclineIsReplayed(t *testing.T) {
	r := newRig(t, qaBase)
	const line = "POST /v1/invoices/in_qa02/pay payment_method=pm_card_chargeDeclined"
	first := r.doKey("ik_1", line)
	before := r.dump()
	second := r.doKey("ik_1", line)
	if first.Status != 402 || string(first.Body) != string(second.Body) || r.dump() != before {
		t.Errorf("first %s\nsecond %s", first.Body, second.Body)
	}
	if got := r.ok("GET /v1/charges customer=cus_qa02").each("status"); got != "failed" {
		t.Errorf("charges: %s", got)
	}
}

func TestCanceledIntent(t *testing.T) {
	r := newRig(t, qaBase)
	r.do("POST /v1/invoices/in_qa02/pay payment_method=pm_card_chargeDeclined")
	id := r.ok("GET /v1/payment_intents customer=cus_qa02").get("data.0.id")
	r.ok("POST /v1/invoices/in_qa02/void")
	pi := r.ok("GET /v1/payment_intents/" + id)
	if got := pi.get("status") + " " + pi.get("cancellation_reason") + " " + pi.get("canceled_at"); got != "canceled void_invoice 1767225600" {
		t.Errorf("intent is %s", got)
	}
	r.refused("POST /v1/refunds payment_intent="+id, "400 - payment_intent This PaymentIntent ("+id+") does not have a successful charge to refund.")
}

func TestPaymentIntentRefusals(t *testing.T) {
	r := newRig(t, qaBase)
	for _, row := range [][2]string{
		{"GET /v1/payment_intents/pi_nope", "404 resource_missing intent No such payment_intent: 'pi_nope'"},
		{"GET /v1/payment_intents customer=cus_nope", "400 resource_missing customer No such customer: 'cus_nope'"},
	} {
		r.refused(row[0], row[1])
	}
}

func TestPaymentIntentFilters(t *testing.T) {
	r := newRig(t, qaBase)
	for query, want := range map[string]string{
		"":                       "ch_qa04 ch_qa01",
		"customer=cus_qa01":      "ch_qa04 ch_qa01",
		"customer=cus_qa02":      "",
		"created=1767139200":     "ch_qa04 ch_qa01",
		"created[gt]=1767139200": "",
		"limit=1":                "ch_qa04",
	} {
		if got := r.ok("GET /v1/payment_intents " + query).each("latest_charge"); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
}
