package stripe

import (
	"slices"
	"strings"

	"worlds/testscripts/dst/model"
)

type dispute struct {
	id, charge, intent, currency, reason, status string
	amount, created, due                         int64
	txs                                          []string
	evidence                                     map[string]string
	submissions                                  int64
	pastDue                                      bool
	metadata                                     map[string]string
	brand                                        string
	inquiry                                      bool
}

// evidenceNames are all texts and files that a dispute can hold.
const evidenceNames = `access_activity_log billing_address cancellation_policy cancellation_policy_disclosure cancellation_rebuttal
	customer_communication customer_email_address customer_name customer_purchase_ip customer_signature duplicate_charge_documentation
	duplicate_charge_explanation duplicate_charge_id product_description receipt refund_policy refund_policy_disclosure
	refund_refusal_explanation service_date service_documentation shipping_address shipping_carrier shipping_date shipping_documentation
	shipping_tracking_number uncategorized_file uncategorized_text`

func disputeBody(m *Model, d *dispute) model.Value {
	txs := []model.Value{}
	for _, id := range d.txs {
		v := m.txs.value(id)
		txs = append(txs, v.With("status", "available"))
	}
	evidence := model.Obj("enhanced_evidence", model.Obj())
	for _, name := range strings.Fields(evidenceNames) {
		evidence = evidence.With(name, model.Opt(d.evidence[name]))
	}
	kind := "chargeback"
	if d.inquiry {
		kind = "inquiry"
	}
	return whole("dispute", model.Obj("id", d.id, "amount", d.amount, "balance_transactions", txs, "charge", d.charge, "created", d.created,
		"currency", d.currency, "enhanced_eligibility_types", model.Seq(), "evidence", evidence,
		"evidence_details", model.Obj("due_by", model.When(d.due), "enhanced_eligibility", model.Obj(), "has_evidence", d.hasEvidence(),
			"past_due", d.pastDue, "submission_count", d.submissions),
		"is_charge_refundable", d.refundable(), "metadata", d.metadata, "payment_intent", model.Opt(d.intent),
		"payment_method_details", model.Obj("card", model.Obj("brand", d.brand, "case_type", kind, "network", model.Free,
			"network_reason_code", model.Any), "type", "card"), "reason", d.reason, "status", d.status), "")
}

func (d *dispute) hasEvidence() bool { return len(d.evidence) > 0 }

// refundable reports whether the charge of a dispute can still be given back.
func (d *dispute) refundable() bool { return strings.HasPrefix(d.status, "warning_") }

func (d *dispute) over() bool {
	return slices.Contains([]string{"won", "lost", "warning_closed"}, d.status)
}

// openDispute makes a dispute, and takes the money away unless it only asks.
func (m *Model) openDispute(id, chargeID string, amount int64, reason, status string, at int64) {
	ch := m.charges.edit(chargeID)
	ch.disputed = true
	day := at - at%86400
	d := m.disputes.add(id, &dispute{id: id, charge: chargeID, intent: ch.intent, currency: ch.currency, reason: reason, status: status,
		amount: amount, created: at, due: day + 10*86400 - 1, inquiry: strings.HasPrefix(status, "warning_")})
	if ch.card != nil {
		d.brand = ch.card.brand
	}
	if !d.inquiry {
		d.txs = []string{m.transact(&transaction{amount: -amount, fee: 1500, kind: "adjustment", category: "dispute", source: id,
			currency: ch.currency, description: "Chargeback withdrawal for " + chargeID, created: at, available: at})}
	}
	if status == "won" {
		m.reinstate(d, at)
	}
}

func (m *Model) reinstate(d *dispute, at int64) {
	d.txs = append(slices.Clone(d.txs), m.transact(&transaction{amount: d.amount, kind: "adjustment", category: "dispute_reversal", source: d.id,
		currency: d.currency, description: "Chargeback reversal for " + d.charge, created: at, available: at}))
}

// disputeByCard opens the dispute that some test cards bring.
func (m *Model) disputeByCard(chargeID string) {
	ch := m.charges.must(chargeID)
	if ch.card.dispute == "" {
		return
	}
	status := "needs_response"
	if ch.card.inquiry {
		status = "warning_needs_response"
	}
	id := m.mint("dp")
	m.openDispute(id, chargeID, ch.captured, ch.card.dispute, status, m.now)
	m.emit("charge.dispute.created", m.disputes.value(id))
	if !ch.card.inquiry {
		m.emit("charge.dispute.funds_withdrawn", m.disputes.value(id))
	}
}

func (c *call) dispute(id string) *dispute {
	d := c.m.disputes.get(id)
	c.unless(d != nil, missingPath("dispute"))
	return d
}

func showDispute(c *call) model.Value {
	c.dispute(c.path[0])
	return c.m.disputes.value(c.path[0])
}

func listDisputes(c *call) model.Value {
	c.filterExists("charge", "payment_intent")
	return list(c, c.m.disputes, "/v1/disputes", func(d *dispute) bool {
		return c.same(d.charge, "charge") && c.same(d.intent, "payment_intent") && c.within(d.created, "created")
	})
}

func updateDispute(c *call) model.Value {
	panic(noOpinion("evidence of a dispute"))
}

func closeDispute(c *call) model.Value {
	m, id := c.m, c.path[0]
	d := c.dispute(id)
	c.unless(!d.over(), invalid("", ""))
	m.loseDispute(id)
	return m.disputes.value(id)
}

// loseDispute closes a dispute in the customer's favour.
func (m *Model) loseDispute(id string) {
	before := m.disputes.value(id)
	d := m.disputes.edit(id)
	d.status = "lost"
	if d.inquiry {
		d.status = "warning_closed"
	}
	_ = before
	m.emit("charge.dispute.closed", m.disputes.value(id))
}
