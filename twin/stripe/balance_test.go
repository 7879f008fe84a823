package stripe_test

import (
	"bytes"
	"testing"

	"worlds/journal/canon"
)

// The balance is the sum of its transactions, and pending money becomes available.
func TestBalance(t *testing.T) {
	r := newRig(t, qaBase)
	r.ok("POST /v1/refunds charge=ch_qa01 amount=1000")
	r.ok("POST /v1/charges amount=2000 currency=eur source=tok_createDispute")
	r.tell("GET /v1/balance")
	r.golden("balance")
	r.by(9)
	got := map[string]int64{}
	for _, e := range r.rows("stripe.balance_transaction") {
		got[e.get("currency")] += e.int("net")
	}
	b := r.ok("GET /v1/balance")
	for i, currency := range []string{"eur", "jpy", "usd"} {
		half := b.get("available." + string(rune('0'+i)))
		at := answer{Body: canon.Raw(half)}
		if at.get("currency") != currency || at.int("amount") != got[currency] {
			t.Errorf("%s: %s, want %d", currency, half, got[currency])
		}
	}
	if b.each("x") != "" || b.get("pending.0.amount") != "0" {
		t.Errorf("still pending: %s", b.Body)
	}
}

func TestAccount(t *testing.T) {
	r := newRig(t, qaBase)
	a := r.ok("GET /v1/account")
	if sorted, err := canon.Canonicalize(a.Body); err != nil || !bytes.Equal(sorted, a.Body) {
		t.Errorf("not canonical: %v %s", err, a.Body)
	}
	if got := a.get("id") + " " + a.get("country") + " " + a.get("default_currency"); got != "acct_worlds US usd" {
		t.Errorf("account %s", got)
	}
	r.refused("GET /v1/account currency=usd", "400 parameter_unknown currency Received unknown parameter: currency")
	r.refused("GET /v1/balance currency=usd", "400 parameter_unknown currency Received unknown parameter: currency")
}
