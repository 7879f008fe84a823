package stripe_test

import "testing"

// A charge without an intent: made, held and captured, declined.
func TestChargesOfTheirOwn(t *testing.T) {
	r := newRig(t, qaBase)
	r.tell("POST /v1/charges amount=1200 currency=usd source=tok_visa description=Book metadata[isbn]=1 receipt_email=a@example.com shipping[name]=Ada shipping[address][line1]=Main shipping[carrier]=Post")
	held := r.ok("POST /v1/charges amount=900 currency=eur source=tok_mastercard capture=false")
	r.events()
	r.tell("POST /v1/charges/" + held.get("id") + "/capture amount=700")
	declined := r.tell("POST /v1/charges amount=1200 currency=usd source=tok_chargeDeclinedInsufficientFunds")
	r.golden("charges_of_their_own")
	if declined.get("error.decline_code") != "insufficient_funds" || r.ok("GET /v1/charges/"+declined.get("error.charge")).get("status") != "failed" {
		t.Errorf("declined: %s", declined.Body)
	}
	if got := r.ok("GET /v1/charges/"+held.get("id")).get("amount_captured") + " " + r.ok("GET /v1/charges/"+held.get("id")).get("amount_refunded"); got != "700 200" {
		t.Errorf("captured and let go: %s", got)
	}
}

func TestChargesOfCustomers(t *testing.T) {
	r := newRig(t, qaBase)
	c := r.ok("POST /v1/customers source=tok_visa")
	card := c.get("default_source")
	first := r.ok("POST /v1/charges amount=500 currency=usd customer=" + c.get("id"))
	second := r.ok("POST /v1/charges amount=500 currency=usd customer=" + c.get("id") + " source=" + card)
	if got := first.get("payment_method") + second.get("source.id"); got != card+card {
		t.Errorf("charged %s, not %s", got, card)
	}
	if got := r.ok("GET /v1/charges customer=" + c.get("id")).each("amount"); got != "500 500" {
		t.Errorf("charges %s", got)
	}
	r.ok("POST /v1/refunds charge=" + first.get("id"))
}

func TestChargeActionRefusals(t *testing.T) {
	r := newRig(t, qaBase)
	held := r.ok("POST /v1/charges amount=900 currency=usd source=tok_visa capture=false").get("id")
	gone := r.ok("POST /v1/charges amount=900 currency=usd source=tok_visa capture=false").get("id")
	r.ok("POST /v1/refunds charge=" + gone)
	failed := r.do("POST /v1/charges amount=900 currency=usd source=tok_chargeDeclined").get("error.charge")
	pi := r.ok("POST /v1/payment_intents amount=900 currency=usd confirm=true capture_method=manual payment_method=pm_card_visa")
	for _, row := range [][2]string{
		{"POST /v1/charges currency=usd source=tok_visa", "400 parameter_missing amount Missing required param: amount."},
		{"POST /v1/charges amount=100 source=tok_visa", "400 parameter_missing currency Missing required param: currency."},
		{"POST /v1/charges amount=100 currency=usd", "400 parameter_missing - Must provide source or customer."},
		{"POST /v1/charges amount=10 currency=usd source=tok_visa", "400 amount_too_small amount Amount must be at least $0.50 usd"},
		{"POST /v1/charges amount=100 currency=usd source=card_nope", "400 resource_missing source No such source: 'card_nope'"},
		{"POST /v1/charges amount=100 currency=usd customer=cus_nope", "400 resource_missing customer No such customer: 'cus_nope'"},
		{"POST /v1/charges amount=100 currency=usd customer=cus_qa01", "402 missing card Cannot charge a customer that has no active card"},
		{"POST /v1/charges/ch_nope/capture", "404 resource_missing id No such charge: 'ch_nope'"},
		{"POST /v1/charges/ch_qa01/capture", "400 charge_already_captured - Charge ch_qa01 has already been captured."},
		{"POST /v1/charges/" + gone + "/capture", "400 charge_already_refunded - Charge " + gone + " has already been refunded."},
		{"POST /v1/charges/" + failed + "/capture", "400 - - Charge " + failed + " cannot be captured: it holds no money."},
		{"POST /v1/charges/" + held + "/capture amount=901", "400 amount_too_large amount Capture amount ($9.01) is greater than the amount that can be captured ($9.00)"},
		{"POST /v1/charges/" + pi.get("latest_charge") + "/capture", "400 - - Charge " + pi.get("latest_charge") + " belongs to the PaymentIntent " + pi.get("id") + ". Capture the PaymentIntent instead."},
	} {
		r.refused(row[0], row[1])
	}
	r.by(8)
	if got := r.ok("GET /v1/charges/" + held).get("refunded"); got != "true" {
		t.Errorf("held for ever: refunded %s", got)
	}
}

// A refund that takes a day, and one that comes back.
func TestRefundsThatTakeTime(t *testing.T) {
	for _, row := range []struct{ card, at, after, refunded, events string }{
		{"pendingRefund", "pending", "succeeded", "true", "refund.updated"},
		{"refundFail", "succeeded", "failed", "false", "refund.updated refund.failed charge.updated"},
	} {
		r := newRig(t, qaBase)
		ch := r.ok("POST /v1/payment_intents amount=1000 currency=usd confirm=true payment_method=pm_card_" + row.card).get("latest_charge")
		re := r.ok("POST /v1/refunds charge=" + ch)
		if got := re.get("status"); got != row.at {
			t.Errorf("%s: at first %s", row.card, got)
		}
		r.events()
		r.by(2)
		if got := types(r.events()); got != row.events {
			t.Errorf("%s: events %s", row.card, got)
		}
		after := r.ok("GET /v1/refunds/" + re.get("id") + " expand[]=charge expand[]=failure_balance_transaction")
		if got := after.get("status") + " " + after.get("charge.refunded"); got != row.after+" "+row.refunded {
			t.Errorf("%s: later %s", row.card, got)
		}
		if row.after == "failed" {
			if got := after.get("failure_reason") + " " + after.get("failure_balance_transaction.amount"); got != "unknown 1000" {
				t.Errorf("failure: %s", got)
			}
			r.ok("POST /v1/refunds charge=" + ch)
		}
	}
}

// What a seed says was refunded has left the balance.
func TestSeededRefundIsBooked(t *testing.T) {
	r := newRig(t, `{"name":"x","version":1,"epoch":1767225600,"clock_mode":"manual","data":{"customers":[{"id":"cus_a"}],"products":[],"prices":[],
 "invoices":[{"id":"in_a","customer":"cus_a","status":"paid","currency":"usd","created_offset":864000,"lines":[{"description":"x","amount":4000}],"charges":[{"id":"ch_a","amount":4000,"amount_refunded":1500}]}],"subscriptions":[],"tickets":[]}}`)
	a := r.ok("GET /v1/balance_transactions")
	if got := a.each("type") + " / " + a.each("net") + " / " + a.each("status"); got != "refund charge / -1500 3854 / available available" {
		t.Errorf("booked: %s", got)
	}
}
