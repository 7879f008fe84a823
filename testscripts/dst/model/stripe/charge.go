package stripe

import (
	"slices"
	"time"

	"worlds/testscripts/dst/model"
)

type charge struct {
	id, currency, customer, description, intent, method string
	amount, captured, refunded, created, captureBefore  int64
	isCaptured, disputed                                bool
	status, failure, decline                            string
	tx                                                  string
	card                                                *card
	metadata                                            map[string]string
	receiptEmail                                        string
	fraud                                               string
	source                                              model.Value // of a charge without an intent
}

func chargeBody(_ *Model, ch *charge) model.Value {
	details, outcome, fraud := model.Nil, model.Any, model.Obj()
	if ch.card != nil {
		details, outcome = detailsBody(ch), outcomeBody(ch)
	}
	source := ch.source
	if source.Kind == model.Absent {
		source = model.Nil
	}
	message := ""
	if ch.failure != "" {
		message = declineMessage(ch.decline)
	}
	if ch.fraud != "" {
		fraud = model.Obj("user_report", ch.fraud)
	}
	return whole("charge", model.Obj("id", ch.id, "amount", ch.amount, "amount_captured", ch.captured, "amount_refunded", ch.refunded,
		"balance_transaction", model.Opt(ch.tx), "billing_details", noBillingDetails, "captured", ch.isCaptured, "created", ch.created,
		"currency", ch.currency, "customer", model.Opt(ch.customer), "description", model.Opt(ch.description), "disputed", ch.disputed,
		"failure_code", model.Opt(ch.failure), "failure_message", model.Opt(message), "fraud_details", fraud, "metadata", ch.metadata,
		"outcome", outcome, "paid", ch.status == "succeeded", "payment_intent", model.Opt(ch.intent), "payment_method", model.Opt(ch.method),
		"payment_method_details", details, "receipt_email", model.Opt(ch.receiptEmail), "refunded", ch.status == "succeeded" && ch.refunded == ch.amount, "source", source, "status", ch.status),
		`application application_fee application_fee_amount calculated_statement_descriptor failure_balance_transaction on_behalf_of
		receipt_number receipt_url review shipping source_transfer statement_descriptor statement_descriptor_suffix
		transfer_data transfer_group`)
}

func (c *call) charge(id string) *charge {
	ch := c.m.charges.get(id)
	c.unless(ch != nil, missingPath("id"))
	return ch
}

func showCharge(c *call) model.Value {
	c.charge(c.path[0])
	return c.m.charges.value(c.path[0])
}

func updateCharge(c *call) model.Value {
	m, id := c.m, c.path[0]
	c.charge(id)
	before := m.charges.value(id)
	ch := m.charges.edit(id)
	if c.has("description") {
		ch.description = c.str("description")
	}
	if c.has("receipt_email") {
		ch.receiptEmail = c.str("receipt_email")
	}
	if c.has("fraud_details", "user_report") {
		ch.fraud = c.str("fraud_details", "user_report")
	}
	ch.metadata = c.metadata(ch.metadata)
	m.emitUpdate("charge.updated", before, m.charges.value(id))
	return m.charges.value(id)
}

func listCharges(c *call) model.Value {
	c.filterExists("customer", "payment_intent")
	return list(c, c.m.charges, "/v1/charges", func(ch *charge) bool {
		return c.same(ch.customer, "customer") && c.same(ch.intent, "payment_intent") && c.within(ch.created, "created")
	})
}

// filterExists refuses a filter that names nothing.
func (c *call) filterExists(names ...string) {
	for _, name := range names {
		if !c.has(name) {
			continue
		}
		id, there := c.str(name), false
		switch name {
		case "customer":
			there = c.m.customers.get(id) != nil
		case "coupon":
			there = c.m.coupons.get(id) != nil
		case "product":
			there = c.m.products.get(id) != nil
		case "payment_intent":
			there = c.m.intents.get(id) != nil
		case "charge":
			there = c.m.charges.get(id) != nil
		case "invoice":
			there = c.m.invoices.get(id) != nil
		case "subscription":
			there = c.m.subs.get(id) != nil
		case "price":
			there = c.m.prices.get(id) != nil
		case "payment_method":
			there = c.m.methods.get(id) != nil
		}
		c.unless(there, missingRef(name))
	}
}

// transaction is one movement of the account's balance.
type transaction struct {
	id, kind, category, source, currency, description string
	amount, fee, created, available                   int64
}

func transactionBody(m *Model, t *transaction) model.Value {
	status, details := "pending", []model.Value{}
	if t.available <= m.now {
		status = "available"
	}
	if t.fee != 0 {
		words := "Stripe processing fees"
		if t.kind == "adjustment" {
			words = "Dispute fee"
		}
		details = append(details, model.Obj("amount", t.fee, "application", nil, "currency", t.currency, "description", words, "type", "stripe_fee"))
	}
	v := whole("balance_transaction", model.Obj("id", t.id, "amount", t.amount, "available_on", t.available, "balance_type", "payments",
		"created", t.created, "currency", t.currency, "description", model.Opt(t.description), "exchange_rate", nil, "fee", t.fee,
		"fee_details", details, "net", t.amount-t.fee, "reporting_category", t.category, "source", model.Opt(t.source), "status", status, "type", t.kind), "")
	return v.Without("livemode")
}

func (m *Model) transact(t *transaction) string {
	t.id = m.mint("txn")
	m.txs.add(t.id, t)
	return t.id
}

// cardFee is 2.9 % rounded half up, and 30.
func cardFee(amount int64) int64 { return (amount*29+500)/1000 + 30 }

// businessDays is midnight, so many weekdays later.
func businessDays(at int64, n int) int64 {
	day := time.Unix(at, 0).UTC().Truncate(24 * time.Hour)
	for n > 0 {
		day = day.AddDate(0, 0, 1)
		if d := day.Weekday(); d != time.Saturday && d != time.Sunday {
			n--
		}
	}
	return day.Unix()
}

func showTransaction(c *call) model.Value {
	c.unless(c.m.txs.get(c.path[0]) != nil, missingPath("id"))
	return c.m.txs.value(c.path[0])
}

func listTransactions(c *call) model.Value {
	return list(c, c.m.txs, "/v1/balance_transactions", func(t *transaction) bool {
		return c.same(t.kind, "type") && c.same(t.source, "source") && c.same(t.currency, "currency") && c.within(t.created, "created")
	})
}

func showBalance(c *call) model.Value {
	available, pending := map[string]int64{"usd": 0}, map[string]int64{} // usd is the account's own
	for _, id := range c.m.txs.order {
		t := c.m.txs.rows[id]
		available[t.currency] += 0
		if t.available <= c.m.now {
			available[t.currency] += t.amount - t.fee
		} else {
			pending[t.currency] += t.amount - t.fee
		}
	}
	order := make([]string, 0, len(available))
	for currency := range available {
		order = append(order, currency)
	}
	slices.Sort(order)
	sums := func(of map[string]int64) (list []model.Value) {
		for _, currency := range order {
			list = append(list, model.Obj("amount", of[currency], "currency", currency, "source_types", model.Obj("card", of[currency])))
		}
		return list
	}
	return model.Obj("object", "balance", "available", sums(available), "livemode", false, "pending", sums(pending))
}

type refund struct {
	id, charge, intent, method, customer, currency, reason, status, tx string
	amount, created                                                    int64
	metadata                                                           map[string]string
	reversal                                                           bool // of money that was only held
	failureTx                                                          string
	settles                                                            int64 // when time decides about it
}

func refundBody(_ *Model, r *refund) model.Value {
	card := model.Obj("reference_status", "pending", "reference_type", "acquirer_reference_number", "type", "refund")
	if r.reversal {
		card = model.Obj("type", "reversal")
	}
	v := model.Obj("id", r.id, "object", "refund", "amount", r.amount, "balance_transaction", model.Opt(r.tx), "charge", r.charge,
		"created", r.created, "currency", r.currency, "customer", model.Opt(r.customer), "customer_account", nil,
		"destination_details", model.Obj("card", card, "type", "card"), "metadata", r.metadata, "payment_intent", model.Opt(r.intent),
		"payment_method", model.Opt(r.method), "reason", model.Opt(r.reason), "receipt_number", nil, "source_transfer_reversal", nil,
		"status", r.status, "transfer_reversal", nil)
	if r.failureTx != "" {
		v = v.With("failure_balance_transaction", r.failureTx, "failure_reason", "unknown")
	}
	return v
}

// giveBack refunds part of a charge, and tells.
func (m *Model) giveBack(chargeID string, amount int64, reason string, metadata map[string]string) string {
	ch := m.charges.must(chargeID)
	id := m.mint("re")
	r := m.refunds.add(id, &refund{id: id, charge: ch.id, intent: ch.intent, method: ch.method, customer: ch.customer, currency: ch.currency,
		reason: reason, amount: amount, created: m.now, status: "succeeded", metadata: metadata})
	if ch.card != nil && ch.card.refund != "" {
		r.settles = m.now + 24*3600
		if ch.card.refund == "pending" {
			r.status = "pending"
		}
	}
	words := "REFUND FOR CHARGE"
	if ch.description != "" {
		words += " (" + ch.description + ")"
	}
	r.tx = m.transact(&transaction{amount: -amount, kind: "refund", category: "refund", source: id, currency: ch.currency,
		description: words, created: m.now, available: businessDays(m.now, 2)})
	m.emit("refund.created", m.refunds.value(id))
	m.refundCharge(chargeID, amount)
	if ch := m.charges.must(chargeID); ch.refunded == ch.amount { // nothing is left to ask about
		for _, d := range m.disputes.find(func(d *dispute) bool { return d.charge == chargeID && d.inquiry && !d.over() }) {
			m.loseDispute(d)
		}
	}
	return id
}

func (m *Model) refundCharge(id string, amount int64) {
	before := m.charges.value(id)
	m.charges.edit(id).refunded += amount
	m.emitUpdate("charge.refunded", before, m.charges.value(id))
}

// release gives back what was held and not captured.
func (m *Model) release(chargeID string, amount int64, reason string) {
	ch := m.charges.must(chargeID)
	id := m.mint("re")
	m.refunds.add(id, &refund{id: id, charge: ch.id, intent: ch.intent, method: ch.method, customer: ch.customer, currency: ch.currency,
		amount: amount, created: m.now, status: "succeeded", reversal: true, reason: reason})
	m.emit("refund.created", m.refunds.value(id))
	m.refundCharge(chargeID, amount)
}

// settle is what time does to a refund of certain test cards.
func (m *Model) settle(id string) {
	before := m.refunds.value(id)
	r := m.refunds.edit(id)
	r.settles = 0
	if r.status == "pending" {
		r.status = "succeeded"
		m.emitUpdate("refund.updated", before, m.refunds.value(id))
		return
	}
	r.status = "failed"
	r.failureTx = m.transact(&transaction{amount: r.amount, kind: "refund_failure", category: "refund_failure", source: id, currency: r.currency,
		description: "REFUND FAILURE", created: m.now, available: businessDays(m.now, 2)})
	was := m.charges.value(r.charge)
	m.charges.edit(r.charge).refunded -= r.amount
	m.emitUpdate("refund.updated", before, m.refunds.value(id))
	m.emit("refund.failed", m.refunds.value(id))
	m.emitUpdate("charge.updated", was, m.charges.value(r.charge))
}

func createRefund(c *call) model.Value {
	m := c.m
	c.unlessEarly(!c.has("charge") || !c.has("payment_intent"), invalid("", "payment_intent"))
	c.unlessEarly(c.has("charge") || c.has("payment_intent"), invalid("parameter_missing", ""))
	var ch *charge
	if c.has("charge") {
		ch = m.charges.get(c.str("charge"))
		c.unless(ch != nil, missingRef("charge"))
	} else {
		pi := m.intents.get(c.str("payment_intent"))
		c.unless(pi != nil, missingRef("payment_intent"))
		ch = m.charges.get(pi.charge)
		c.unless(ch != nil && pi.status == "succeeded", invalid("", "payment_intent"))
	}
	c.unless(ch.status == "succeeded", invalid("", ""))
	left := ch.amount - ch.refunded
	c.unless(left > 0, invalid("charge_already_refunded", ""))
	for _, id := range m.disputes.find(func(d *dispute) bool { return d.charge == ch.id }) {
		c.unless(m.disputes.get(id).refundable(), invalid("charge_disputed", ""))
	}
	amount := c.num(left, "amount")
	c.unless(amount <= left, invalid("", "amount"))
	if !ch.isCaptured {
		panic(noOpinion("a refund of a charge that is not captured"))
	}
	id := m.giveBack(ch.id, amount, c.str("reason"), c.metadata(nil))
	return m.refunds.value(id)
}

func (c *call) refund(id string) {
	c.unless(c.m.refunds.get(id) != nil, missingPath("id"))
}

func showRefund(c *call) model.Value {
	c.refund(c.path[0])
	return c.m.refunds.value(c.path[0])
}

func updateRefund(c *call) model.Value {
	m, id := c.m, c.path[0]
	c.refund(id)
	before := m.refunds.value(id)
	r := m.refunds.edit(id)
	r.metadata = c.metadata(r.metadata)
	m.emitUpdate("refund.updated", before, m.refunds.value(id))
	return m.refunds.value(id)
}

func listRefunds(c *call) model.Value {
	c.filterExists("charge", "payment_intent")
	return list(c, c.m.refunds, "/v1/refunds", func(r *refund) bool {
		return c.same(r.charge, "charge") && c.same(r.intent, "payment_intent") && c.within(r.created, "created")
	})
}

// refundsOf is the list that a charge shows when it is asked to.
func (m *Model) refundsOf(id string) model.Value {
	ids := m.refunds.find(func(r *refund) bool { return r.charge == id })
	slices.Reverse(ids)
	data := []model.Value{}
	for _, r := range ids[:min(len(ids), 10)] {
		data = append(data, m.refunds.value(r))
	}
	return model.Obj("object", "list", "data", data, "has_more", len(ids) > 10, "url", "/v1/charges/"+id+"/refunds")
}
