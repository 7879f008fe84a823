package stripe_test

import "testing"

// A payment of Thursday is available on Monday, whatever asks: the transaction,
// a list, an expansion.
func TestAvailability(t *testing.T) {
	// 2026-01-01T00:00:00Z was a Thursday; each request moves the clock by 24 hours.
	r := newRig(t, qaAuto(86400))
	refund := r.ok("POST /v1/refunds charge=ch_qa01 amount=100") // Friday
	entry := refund.get("balance_transaction")
	for _, row := range []struct{ day, line, path, want string }{
		{"Saturday", "GET /v1/balance_transactions/" + entry, "status", "pending"},
		{"Sunday", "GET /v1/balance_transactions source=" + refund.get("id"), "data.0.status", "pending"},
		{"Monday", "GET /v1/refunds/" + refund.get("id") + " expand[]=balance_transaction", "balance_transaction.status", "pending"},
		{"Tuesday", "GET /v1/refunds/" + refund.get("id") + " expand[]=balance_transaction", "balance_transaction.status", "available"},
		{"Wednesday", "GET /v1/balance_transactions/" + entry, "status", "available"},
		{"Thursday", "GET /v1/balance_transactions source=" + refund.get("id"), "data.0.status", "available"},
		{"Friday", "GET /v1/charges expand[]=data.balance_transaction", "data.0.balance_transaction.status", "available"},
		{"Saturday", "GET /v1/balance_transactions/" + entry, "available_on", "1767657600"}, // Tuesday 2026-01-06
	} {
		if got := r.ok(row.line).get(row.path); got != row.want {
			t.Errorf("%s: %s: %s, want %s", row.day, row.line, got, row.want)
		}
	}
}

func TestBalanceTransactionFilters(t *testing.T) {
	r := newRig(t, qaBase)
	refund := r.ok("POST /v1/refunds charge=ch_qa04 amount=100").get("id")
	for query, want := range map[string]string{
		"":                         refund + " ch_qa04 ch_qa01",
		"type=charge":              "ch_qa04 ch_qa01",
		"type=refund":              refund,
		"type=payout":              "",
		"currency=jpy":             refund + " ch_qa04",
		"currency=jpy type=charge": "ch_qa04",
		"source=ch_qa01":           "ch_qa01",
		"source=ch_nope":           "",
		"created[lt]=1767225600":   "ch_qa04 ch_qa01",
		"limit=1":                  refund,
	} {
		if got := r.ok("GET /v1/balance_transactions " + query).each("source"); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	history := r.ok("GET /v1/balance/history type=refund")
	if got := history.get("url") + " " + r.ok("GET /v1/balance/history/"+history.get("data.0.id")).get("source"); got != "/v1/balance_transactions "+refund {
		t.Errorf("under the old name: %s", got)
	}
	r.refused("GET /v1/balance_transactions/txn_nope", "404 resource_missing id No such balance_transaction: 'txn_nope'")
	r.refused("GET /v1/balance_transactions payout=po_1",
		"501 - payout This twin does not serve the parameter payout of GET /v1/balance_transactions. The world is unchanged.")
}

// 2.9% rounded half up and 30, net what is left.
func TestFees(t *testing.T) {
	r := newRig(t, qaBase)
	if got := r.ok("GET /v1/balance_transactions").each("fee") + " / " + r.ok("GET /v1/balance_transactions").each("net"); got != "317 146 / 9582 3854" {
		t.Errorf("fees and nets: %s", got)
	}
}
