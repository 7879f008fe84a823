package stripe_test

import (
	"strings"
	"testing"
)

// A card that disputes, the evidence, and what the bank makes of it.
func TestDisputeWon(t *testing.T) {
	r := newRig(t, qaBase)
	pi := r.ok("POST /v1/payment_intents amount=2000 currency=usd customer=cus_qa01 confirm=true payment_method=pm_card_createDispute")
	if got := types(r.events()); got != "payment_intent.created charge.succeeded payment_intent.succeeded charge.dispute.created charge.dispute.funds_withdrawn" {
		t.Errorf("events: %s", got)
	}
	ch := pi.get("latest_charge")
	d := r.tell("GET /v1/disputes charge=" + ch)
	path := "/v1/disputes/" + d.get("data.0.id")
	r.refused("POST /v1/refunds charge="+ch, "400 charge_disputed - Charge "+ch+" has been charged back; cannot issue a refund.")
	r.tell("POST " + path + " submit=false evidence[customer_name]=Ada evidence[product_description]=A+course metadata[a]=1")
	r.tell("POST " + path + " evidence[uncategorized_text]=winning_evidence evidence[customer_name]=")
	r.golden("dispute_won")
	if got := r.ok("GET /v1/balance_transactions source=" + d.get("data.0.id")); got.each("net") != "2000 -3500" || got.each("type") != "adjustment adjustment" {
		t.Errorf("booked: %s", got.Body)
	}
	if got := r.ok("GET " + path + " expand[]=charge expand[]=payment_intent").get("charge.disputed"); got != "true" {
		t.Errorf("disputed %s", got)
	}
}

// How each card and each answer ends.
func TestDisputeOutcomes(t *testing.T) {
	for _, row := range []struct{ card, answer, opened, ended, events string }{
		{"createDispute", "evidence[uncategorized_text]=winning_evidence", "needs_response fraudulent false", "won", "charge.dispute.updated charge.dispute.closed charge.dispute.funds_reinstated"},
		{"createDisputeProductNotReceived", "evidence[uncategorized_text]=losing_evidence", "needs_response product_not_received false", "lost", "charge.dispute.updated charge.dispute.closed"},
		{"createDispute", "evidence[uncategorized_text]=please", "needs_response fraudulent false", "under_review", "charge.dispute.updated"},
		{"createDispute", "submit=true", "needs_response fraudulent false", "under_review", "charge.dispute.updated"},
		{"createDispute", "submit=false evidence[uncategorized_text]=winning_evidence", "needs_response fraudulent false", "needs_response", "charge.dispute.updated"},
		{"createDispute", "metadata[a]=1", "needs_response fraudulent false", "needs_response", "charge.dispute.updated"},
		{"createDispute", "", "needs_response fraudulent false", "needs_response", ""},
		{"createDisputeInquiry", "evidence[uncategorized_text]=please", "warning_needs_response general true", "warning_under_review", "charge.dispute.updated"},
		{"createDisputeInquiry", "evidence[uncategorized_text]=winning_evidence", "warning_needs_response general true", "warning_closed", "charge.dispute.updated charge.dispute.closed"},
		{"createDisputeInquiry", "evidence[uncategorized_text]=escalate_inquiry_evidence", "warning_needs_response general true", "needs_response", "charge.dispute.updated charge.dispute.updated charge.dispute.funds_withdrawn"},
	} {
		r := newRig(t, qaBase)
		r.ok("POST /v1/charges amount=1000 currency=usd source=tok_" + row.card)
		d := r.ok("GET /v1/disputes")
		if got := d.get("data.0.status") + " " + d.get("data.0.reason") + " " + d.get("data.0.is_charge_refundable"); got != row.opened {
			t.Errorf("%s: opened as %s, want %s", row.card, got, row.opened)
		}
		r.events()
		a := r.ok("POST /v1/disputes/" + d.get("data.0.id") + " " + row.answer)
		if got := a.get("status"); got != row.ended {
			t.Errorf("%s %s: ends as %s, want %s", row.card, row.answer, got, row.ended)
		}
		if got := types(r.events()); got != row.events {
			t.Errorf("%s %s: events %s, want %s", row.card, row.answer, got, row.events)
		}
	}
}

// A dispute given up, one never answered, and an inquiry that a refund ends.
func TestDisputesThatEndWithoutTheBank(t *testing.T) {
	r := newRig(t, qaBase)
	r.ok("POST /v1/charges amount=1000 currency=usd source=tok_createDispute")
	first := "/v1/disputes/" + r.ok("GET /v1/disputes").get("data.0.id")
	r.events()
	if got := r.ok("POST " + first + "/close").get("status"); got != "lost" {
		t.Errorf("given up: %s", got)
	}
	if got := types(r.events()); got != "charge.dispute.closed" {
		t.Errorf("given up: %s", got)
	}
	for _, line := range []string{first + "/close", first + " submit=true", first + " evidence[customer_name]=x"} {
		r.refused("POST "+line, "400 - - This dispute is already closed.")
	}
	r.ok("POST " + first + " metadata[late]=yes")
	r.ok("POST /v1/charges amount=1000 currency=usd source=tok_createDispute")
	second := "/v1/disputes/" + r.ok("GET /v1/disputes").get("data.0.id")
	r.by(11)
	d := r.ok("GET " + second)
	if got := d.get("status") + " " + d.get("evidence_details.past_due"); got != "lost true" {
		t.Errorf("never answered: %s", got)
	}
	ch := r.ok("POST /v1/charges amount=1000 currency=usd source=tok_createDisputeInquiry").get("id")
	r.ok("POST /v1/refunds amount=400 charge=" + ch)
	r.events()
	r.ok("POST /v1/refunds charge=" + ch)
	if got := types(r.events()); got != "refund.created charge.refunded charge.dispute.closed" {
		t.Errorf("appeased: %s", got)
	}
	if got := r.ok("GET /v1/disputes charge=" + ch).each("status"); got != "warning_closed" {
		t.Errorf("appeased: %s", got)
	}
}

func TestDisputeRefusals(t *testing.T) {
	r := newRig(t, qaBase)
	r.ok("POST /v1/charges amount=1000 currency=usd source=tok_createDispute")
	d := "/v1/disputes/" + r.ok("GET /v1/disputes").get("data.0.id")
	for _, row := range [][2]string{
		{"GET /v1/disputes/dp_nope", "404 resource_missing dispute No such dispute: 'dp_nope'"},
		{"POST /v1/disputes/dp_nope", "404 resource_missing dispute No such dispute: 'dp_nope'"},
		{"POST /v1/disputes/dp_nope/close", "404 resource_missing dispute No such dispute: 'dp_nope'"},
		{"GET /v1/disputes charge=ch_nope", "400 resource_missing charge No such charge: 'ch_nope'"},
		{"GET /v1/disputes payment_intent=pi_nope", "400 resource_missing payment_intent No such payment_intent: 'pi_nope'"},
		{"GET /v1/disputes starting_after=dp_nope", "400 resource_missing starting_after No such dispute: 'dp_nope'"},
		{"POST " + d + " submit=maybe", "400 - submit Invalid boolean: maybe"},
		{"POST " + d + " evidence=x", "400 - evidence Invalid object"},
		{"POST " + d + " evidence[mood]=good", "400 parameter_unknown evidence[mood] Received unknown parameter: evidence[mood]"},
		{"POST " + d + " evidence[receipt]=file_1", "501 - evidence[receipt] This twin does not serve the parameter evidence[receipt] of POST /v1/disputes/{dispute}. The world is unchanged."},
	} {
		r.refused(row[0], row[1])
	}
}

// Disputes of a seed: each status as it would have come about.
func TestSeededDisputes(t *testing.T) {
	document := func(status string) string {
		return strings.Replace(qaBase, `"subscriptions":[]`, `"disputes":[{"id":"dp_a","charge":"ch_qa01","amount":3000,"reason":"duplicate","status":"`+status+`","created_offset":3600}],"subscriptions":[]`, 1)
	}
	for status, want := range map[string]string{
		"needs_response":         "-3000 false 0",
		"under_review":           "-3000 false 1",
		"won":                    "-3000 3000 false 1",
		"lost":                   "-3000 false 0",
		"warning_needs_response": " true 0",
		"warning_under_review":   " true 1",
		"warning_closed":         " true 0",
	} {
		r := newRig(t, document(status))
		d := r.ok("GET /v1/disputes/dp_a expand[]=charge")
		var amounts []string
		for i := 0; d.get("balance_transactions."+string(rune('0'+i))+".amount") != ""; i++ {
			amounts = append(amounts, d.get("balance_transactions."+string(rune('0'+i))+".amount"))
		}
		got := strings.Join(amounts, " ") + " " + d.get("is_charge_refundable") + " " + d.get("evidence_details.submission_count")
		if got != want || d.get("charge.disputed") != "true" || d.get("status") != status {
			t.Errorf("%s: %s, want %s\n%s", status, got, want, d.Body)
		}
	}
	r := newRig(t, document("needs_response"))
	if got := r.ok("GET /v1/balance_transactions/" + r.ok("GET /v1/disputes/dp_a").get("balance_transactions.0.id") + " expand[]=source").get("source.object"); got != "dispute" {
		t.Errorf("source of the withdrawal: %s", got)
	}
	r.by(30)
	if got := r.ok("GET /v1/disputes/dp_a").get("status"); got != "lost" {
		t.Errorf("never answered: %s", got)
	}
}
