package stripe_test

import (
	"strings"
	"testing"

	"worlds/twin/stripe"
)

func TestFidelity(t *testing.T) {
	f := stripe.Catalog().Fidelity()
	text := map[string]string{}
	for _, r := range f.Routes {
		if r.Tier == 0 {
			t.Errorf("%s %s has no judgement", r.Method, r.Path)
		}
		text[r.Method+" "+r.Path] = strings.Join(r.Parameters, " ") + " / " + strings.Join(r.Refused, " ")
	}
	want := "amount charge expand[] metadata payment_intent reason / currency customer instructions_email origin refund_application_fee reverse_transfer"
	if got := text["POST /v1/refunds"]; got != want {
		t.Errorf("POST /v1/refunds: %s, want %s", got, want)
	}
	lacks := strings.Join(f.Refused, "\n")
	if !strings.Contains(lacks, "POST /v1/payouts") || strings.Contains(lacks, "POST /v1/refunds\n") {
		t.Errorf("refused: %s", lacks)
	}
}
