package stripe_test

import "testing"

// The wording of what a key refuses; what is kept under a key is the kernel's
// business and tested there.
func TestKeysUsedForSomethingElse(t *testing.T) {
	r := newRig(t, qaBase)
	first := r.doKey("ik_1", "POST /v1/customers email=a@example.com name=A")
	r.events()
	again := r.doKey("ik_1", "POST /v1/customers name=A email=a@example.com")
	if string(again.Body) != string(first.Body) || r.ran[1].out.Replayed != r.ran[0].out.Request {
		t.Errorf("parameters in another order: %s", again.Body)
	}
	before := r.dump()
	for _, row := range [][2]string{
		{"POST /v1/customers email=a@example.com name=B", "400 - - Keys for idempotent requests can only be used with the same parameters " +
			"they were first used with. Try using a key other than '${idempotency_key}' if you meant to execute a different request."},
		{"POST /v1/invoices/in_qa02/pay", "400 - - Keys for idempotent requests can only be used for the same endpoint they were first used for " +
			"('/v1/customers' vs '/v1/invoices/in_qa02/pay'). Try using a key other than '${idempotency_key}' if you meant to execute a different request."},
	} {
		a := r.doKey("ik_1", row[0])
		if got := a.refusal(); got != row[1] || a.get("error.type") != "idempotency_error" {
			t.Errorf("%s\n got %s (%s)\nwant %s", row[0], got, a.get("error.type"), row[1])
		}
		if splice := r.ran[len(r.ran)-1].out.Splice; len(splice) != 1 || r.dump() != before || r.events() != "" {
			t.Errorf("%s: spliced %v", row[0], splice)
		}
	}
}

// A refused request does not use its key up.
func TestARefusedRequestKeepsItsKey(t *testing.T) {
	r := newRig(t, qaBase)
	for _, line := range []string{"amount=abc", "amount=0", "nonsense=1", "reason=because", "refund_application_fee=true", "expand=charge", "amount="} {
		if a := r.doKey("ik_1", "POST /v1/refunds charge=ch_qa01 "+line); a.Status < 400 {
			t.Errorf("%s: %d", line, a.Status)
		}
	}
	if a := r.doKey("ik_1", "POST /v1/refunds charge=ch_qa01 amount=100"); a.Status != 200 || a.get("amount") != "100" {
		t.Errorf("the corrected request: %d %s", a.Status, a.Body)
	}
}
