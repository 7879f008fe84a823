package stripe

import (
	"math/big"
	"strings"

	"worlds/testscripts/dst/model"
)

// source is an object of a dump that is being read.
type source struct {
	m     *Model
	id    string
	v     model.Value
	known bool // the model knew it before, in another state
}

func (s *source) at(path ...string) model.Value {
	v := s.v
	for _, name := range path {
		v = v.Get(name)
	}
	return v
}

// text is a text with symbols, "" for null.
func (s *source) text(path ...string) string { return s.m.symbolOf(s.at(path...).Text) }

func (s *source) num(path ...string) int64 { return numOf(s.at(path...)) }

func numOf(v model.Value) int64 {
	n, _ := v.Number()
	return n
}

func (s *source) yes(path ...string) bool { return s.at(path...).Kind == model.True }

func (s *source) texts(path ...string) (list []string) {
	for _, v := range s.at(path...).List {
		list = append(list, s.m.symbolOf(v.Text))
	}
	return list
}

func (s *source) metadata() map[string]string { return s.m.metadataOf(s.at("metadata")) }

func (m *Model) metadataOf(v model.Value) map[string]string {
	out := map[string]string{}
	for _, e := range v.Members {
		out[e.Name] = m.symbolOf(e.Value.Text)
	}
	return out
}

func (s *source) secret() string {
	_, secret, _ := strings.Cut(s.at("client_secret").Text, "_secret_")
	return s.m.names.Symbol("secret", secret)
}

func decimalOf(v model.Value) *big.Rat {
	r, _ := readDecimal(v.Text)
	return r
}

// cardLike is the test card that a shown card is, or nil.
func cardLike(v model.Value) *card {
	for _, k := range instruments {
		if k.last4() == v.Get("last4").Text && k.brand == v.Get("brand").Text {
			return k
		}
	}
	return nil
}

func readCustomer(s *source, c *customer) {
	*c = customer{id: s.id, name: s.text("name"), email: s.text("email"), description: s.text("description"), phone: s.text("phone"),
		metadata: s.metadata(), created: s.num("created"), currency: s.text("currency"), balance: s.num("balance"), delinquent: s.yes("delinquent"),
		prefix: s.m.names.Symbol("prefix", s.at("invoice_prefix").Text), sequence: s.num("next_invoice_sequence"),
		defaultMethod: s.text("invoice_settings", "default_payment_method"), footer: s.text("invoice_settings", "footer"),
		taxExempt: s.text("tax_exempt"), deleted: s.yes("deleted")}
}

func readBalanceEntry(s *source, b *balanceEntry) {
	*b = balanceEntry{id: s.id, customer: s.text("customer"), currency: s.text("currency"), kind: s.text("type"), amount: s.num("amount"),
		ending: s.num("ending_balance"), created: s.num("created"), description: s.text("description"), invoice: s.text("invoice"),
		note: s.text("credit_note"), metadata: s.metadata()}
}

func readProduct(s *source, p *product) {
	*p = product{id: s.id, name: s.text("name"), description: s.text("description"), active: s.yes("active"), metadata: s.metadata(),
		created: s.num("created"), updated: s.num("updated"), defaultPrice: s.text("default_price")}
}

func readPrice(s *source, p *price) {
	*p = price{id: s.id, product: s.text("product"), currency: s.text("currency"), amount: decimalOf(s.at("unit_amount_decimal")),
		nickname: s.text("nickname"), lookup: s.text("lookup_key"), active: s.yes("active"), metadata: s.metadata(), created: s.num("created"),
		taxBehavior: s.text("tax_behavior")}
	if s.text("type") == "recurring" {
		p.every = &rhythm{s.text("recurring", "interval"), s.num("recurring", "interval_count")}
	}
}

func readCoupon(s *source, k *coupon) {
	*k = coupon{id: s.id, name: s.text("name"), currency: s.text("currency"), duration: s.text("duration"), off: s.num("amount_off"),
		percent: decimalOf(s.at("percent_off")), months: s.num("duration_in_months"), most: s.num("max_redemptions"),
		redeemed: s.num("times_redeemed"), redeemBy: s.num("redeem_by"), created: s.num("created"), metadata: s.metadata()}
}

func readPromotion(s *source, p *promotion) {
	*p = promotion{id: s.id, code: s.text("code"), coupon: s.text("promotion", "coupon"), customer: s.text("customer"), active: s.yes("active"),
		firstTime: s.yes("restrictions", "first_time_transaction"), most: s.num("max_redemptions"), redeemed: s.num("times_redeemed"),
		expires: s.num("expires_at"), created: s.num("created"), metadata: s.metadata()}
}

func readDiscount(s *source, d *discount) {
	*d = discount{id: s.id, coupon: s.text("source", "coupon"), promotion: s.text("promotion_code"), customer: s.text("customer"),
		sub: s.text("subscription"), invoice: s.text("invoice"), item: s.text("invoice_item"), start: s.num("start"), end: s.num("end")}
}

func readMethod(s *source, p *method) {
	*p = method{id: s.id, customer: s.text("customer"), redisplay: s.text("allow_redisplay"), card: cardLike(s.at("card")),
		metadata: s.metadata(), created: s.num("created"), spent: s.m.hints.spent[s.id]}
}

func readIntent(s *source, p *intent) {
	*p = intent{id: s.id, currency: s.text("currency"), customer: s.text("customer"), description: s.text("description"),
		method: s.text("payment_method"), charge: s.text("latest_charge"), status: s.text("status"), captureMethod: s.text("capture_method"),
		confirmation: s.text("confirmation_method"), secret: s.secret(), cancelReason: s.text("cancellation_reason"), amount: s.num("amount"),
		capturable: s.num("amount_capturable"), received: s.num("amount_received"), created: s.num("created"), canceled: s.num("canceled_at"),
		automatic: s.at("automatic_payment_methods"), lastError: s.at("last_payment_error"), metadata: s.metadata(),
		receiptEmail: s.text("receipt_email"), setupUsage: s.text("setup_future_usage"), invoice: p.invoice}
	if p.automatic.Kind == model.Null {
		p.automatic = model.Value{}
	}
	if p.lastError.Kind == model.Null {
		p.lastError = model.Value{}
	}
}

func readSetup(s *source, p *setup) {
	*p = setup{id: s.id, customer: s.text("customer"), method: s.text("payment_method"), status: s.text("status"), usage: s.text("usage"),
		description: s.text("description"), secret: s.secret(), cancelReason: s.text("cancellation_reason"), created: s.num("created"),
		metadata: s.metadata(), automatic: s.at("automatic_payment_methods"), lastError: s.at("last_setup_error")}
	if p.automatic.Kind == model.Null {
		p.automatic = model.Value{}
	}
	if p.lastError.Kind == model.Null {
		p.lastError = model.Value{}
	}
}

func readCharge(s *source, ch *charge) {
	details := s.at("payment_method_details", "card")
	*ch = charge{id: s.id, currency: s.text("currency"), customer: s.text("customer"), description: s.text("description"),
		intent: s.text("payment_intent"), method: s.text("payment_method"), amount: s.num("amount"), captured: s.num("amount_captured"),
		refunded: s.num("amount_refunded"), created: s.num("created"), captureBefore: numOf(details.Get("capture_before")),
		isCaptured: s.yes("captured"), disputed: s.yes("disputed"), status: s.text("status"), failure: s.text("failure_code"),
		tx: s.text("balance_transaction"), card: cardLike(details), metadata: s.metadata(), receiptEmail: s.text("receipt_email"),
		fraud: s.text("fraud_details", "user_report"), source: s.at("source")}
	switch {
	case ch.failure == "":
	case ch.card != nil && ch.card.blocked:
		ch.decline = ch.card.decline
	default:
		ch.decline = or(s.text("outcome", "reason"), "generic_decline")
	}
}

func readRefund(s *source, r *refund) {
	*r = refund{id: s.id, charge: s.text("charge"), intent: s.text("payment_intent"), method: s.text("payment_method"), customer: s.text("customer"),
		currency: s.text("currency"), reason: s.text("reason"), status: s.text("status"), tx: s.text("balance_transaction"),
		amount: s.num("amount"), created: s.num("created"), metadata: s.metadata(), failureTx: s.text("failure_balance_transaction"),
		reversal: s.text("destination_details", "card", "type") == "reversal", settles: s.m.hints.deadlines["refund_outcome:"+s.id]}
}

func readDispute(s *source, d *dispute) {
	details := s.at("evidence_details")
	*d = dispute{id: s.id, charge: s.text("charge"), intent: s.text("payment_intent"), currency: s.text("currency"), reason: s.text("reason"),
		status: s.text("status"), amount: s.num("amount"), created: s.num("created"), due: numOf(details.Get("due_by")),
		evidence: map[string]string{}, submissions: numOf(details.Get("submission_count")), pastDue: details.Get("past_due").Kind == model.True,
		metadata: s.metadata(), brand: s.text("payment_method_details", "card", "brand"),
		inquiry: s.text("payment_method_details", "card", "case_type") == "inquiry"}
	for _, tx := range s.at("balance_transactions").List {
		d.txs = append(d.txs, s.m.symbolOf(tx.Get("id").Text))
	}
	for _, name := range strings.Fields(evidenceNames) {
		if text := s.text("evidence", name); text != "" {
			d.evidence[name] = text
		}
	}
}

func readTransaction(s *source, t *transaction) {
	*t = transaction{id: s.id, kind: s.text("type"), category: s.text("reporting_category"), source: s.text("source"), currency: s.text("currency"),
		description: s.text("description"), amount: s.num("amount"), fee: s.num("fee"), created: s.num("created"), available: s.num("available_on")}
}

func readInvoice(s *source, in *invoice) {
	was, moments := *in, s.at("status_transitions")
	*in = invoice{id: s.id, customer: s.text("customer"), currency: s.text("currency"), status: s.text("status"), reason: s.text("billing_reason"),
		collection: s.text("collection_method"), owner: owner{s.text("customer_name"), s.text("customer_email"), s.text("customer_phone"),
			s.text("customer_tax_exempt")}, created: s.num("created"), start: s.num("period_start"), end: s.num("period_end"),
		subtotal: s.num("subtotal"), total: s.num("total"), due: s.num("amount_due"), paid: s.num("amount_paid"),
		offStripe: s.num("amount_paid_off_stripe"), startingBalance: s.num("starting_balance"), endingBalance: s.num("ending_balance"),
		ended: s.at("ending_balance").Kind == model.Number, number: s.at("number").Text, finalized: numOf(moments.Get("finalized_at")),
		voided: numOf(moments.Get("voided_at")), uncollectible: numOf(moments.Get("marked_uncollectible_at")), paidAt: numOf(moments.Get("paid_at")),
		attempted: s.yes("attempted"), attempts: s.num("attempt_count"), autoAdvance: s.yes("auto_advance"),
		finalizesAt: s.num("automatically_finalizes_at"), nextAttempt: s.num("next_payment_attempt"), dueDate: s.num("due_date"),
		tryAt: was.tryAt, trySeq: was.trySeq, dueSeq: was.dueSeq, tries: was.tries, firstTry: was.firstTry,
		description: s.text("description"), footer: s.text("footer"), defaultMethod: s.text("default_payment_method"),
		discounts: s.texts("discounts"), metadata: s.metadata(), prePayment: s.num("pre_payment_credit_notes_amount"),
		postPayment: s.num("post_payment_credit_notes_amount"), intent: was.intent, payment: was.payment,
		sub:         s.text("parent", "subscription_details", "subscription"),
		subMetadata: s.m.metadataOf(s.at("parent", "subscription_details", "metadata"))}
	for _, v := range s.at("lines", "data").List {
		in.lines = append(in.lines, readLine(&source{m: s.m, id: s.m.names.Symbol("il", v.Get("id").Text), v: v}))
	}
}

func readLine(s *source) line {
	l := line{id: s.m.symbolOf(s.at("id").Text), description: s.text("description"), amount: s.num("subtotal"), quantity: s.num("quantity"),
		price: s.text("pricing", "price_details", "price"), unit: decimalOf(s.at("pricing", "unit_amount_decimal")),
		start: s.num("period", "start"), end: s.num("period", "end"), discountable: s.yes("discountable"), discounts: s.texts("discounts"),
		sub: s.text("subscription"), metadata: s.metadata()}
	for _, d := range s.at("discount_amounts").List {
		l.discountAmounts = append(l.discountAmounts, discountAmount{s.m.symbolOf(d.Get("discount").Text), numOf(d.Get("amount"))})
	}
	for _, kind := range []string{"invoice_item_details", "subscription_item_details"} {
		if p := s.at("parent", kind); p.Kind == model.Object {
			l.item, l.subItem = s.m.symbolOf(p.Get("invoice_item").Text), s.m.symbolOf(p.Get("subscription_item").Text)
			l.proration = p.Get("proration").Kind == model.True
			l.credit = p.Get("proration_details").Get("credited_items").Kind == model.Object
		}
	}
	return l
}

func readPayment(s *source, p *payment) {
	moments := s.at("status_transitions")
	*p = payment{id: s.id, invoice: s.text("invoice"), intent: s.text("payment", "payment_intent"), currency: s.text("currency"),
		status: s.text("status"), requested: s.num("amount_requested"), paid: s.num("amount_paid"), created: s.num("created"),
		paidAt: numOf(moments.Get("paid_at")), canceledAt: numOf(moments.Get("canceled_at")), isDefault: s.yes("is_default")}
}

func readInvoiceItem(s *source, i *invoiceItem) {
	*i = invoiceItem{id: s.id, customer: s.text("customer"), currency: s.text("currency"), description: s.text("description"),
		invoice: s.text("invoice"), price: s.text("pricing", "price_details", "price"), amount: s.num("amount"), quantity: s.num("quantity"),
		date: s.num("date"), start: s.num("period", "start"), end: s.num("period", "end"), unit: decimalOf(s.at("pricing", "unit_amount_decimal")),
		discountable: s.yes("discountable"), proration: s.yes("proration"), discounts: s.texts("discounts"), metadata: s.metadata(),
		sub: s.text("parent", "subscription_details", "subscription"), subItem: s.text("parent", "subscription_details", "subscription_item"),
		credit: s.at("proration_details", "credited_items").Kind == model.Object}
}

func readNote(s *source, n *note) {
	*n = note{id: s.id, invoice: s.text("invoice"), customer: s.text("customer"), currency: s.text("currency"), number: s.at("number").Text,
		status: s.text("status"), reason: s.text("reason"), memo: s.text("memo"), amount: s.num("amount"), pre: s.num("pre_payment_amount"),
		post: s.num("post_payment_amount"), created: s.num("created"), voided: s.num("voided_at"),
		balanceTx: s.text("customer_balance_transaction"), metadata: s.metadata()}
	if v := s.at("out_of_band_amount"); v.Kind == model.Number {
		outside := numOf(v)
		n.outside = &outside
	}
	for _, l := range s.at("lines", "data").List {
		n.lines = append(n.lines, noteLine{id: s.m.symbolOf(l.Get("id").Text), description: s.m.symbolOf(l.Get("description").Text),
			amount: numOf(l.Get("amount")), unit: numOf(l.Get("unit_amount")), quantity: numOf(l.Get("quantity"))})
	}
	for _, r := range s.at("refunds").List {
		n.refund, n.refunded = s.m.symbolOf(r.Get("refund").Text), numOf(r.Get("amount_refunded"))
	}
}

func readSubscription(s *source, sub *subscription) {
	was, details := *sub, s.at("cancellation_details")
	*sub = subscription{id: s.id, customer: s.text("customer"), currency: s.text("currency"), status: s.text("status"),
		collection: s.text("collection_method"), missing: s.text("trial_settings", "end_behavior", "missing_payment_method"),
		created: s.num("created"), startDate: s.num("start_date"), anchor: s.num("billing_cycle_anchor"), trialStart: s.num("trial_start"),
		trialEnd: s.num("trial_end"), cancelAt: s.num("cancel_at"), canceled: s.num("canceled_at"), ended: s.num("ended_at"),
		cancelAtEnd: s.yes("cancel_at_period_end"), cancelReason: s.m.symbolOf(details.Get("reason").Text),
		comment: s.m.symbolOf(details.Get("comment").Text), feedback: s.m.symbolOf(details.Get("feedback").Text),
		defaultMethod: s.text("default_payment_method"), description: s.text("description"), latest: s.text("latest_invoice"),
		daysUntilDue: s.num("days_until_due"), discounts: s.texts("discounts"), metadata: s.metadata(), billingMode: s.text("billing_mode", "type"),
		warnAt: s.m.hints.deadlines["trial_will_end:"+s.id], warnSeq: was.warnSeq}
	if sub.warnSeq == 0 {
		sub.warnSeq = s.m.nextSeq()
	}
	if p := s.at("pause_collection"); p.Kind == model.Object {
		sub.pause = &pause{p.Get("behavior").Text, numOf(p.Get("resumes_at"))}
	}
	if sub.status == "incomplete" {
		sub.expires = sub.created + 23*3600
	}
	for _, v := range s.at("items", "data").List {
		sub.items = append(sub.items, subItem{id: s.m.symbolOf(v.Get("id").Text), price: s.m.symbolOf(v.Get("price").Get("id").Text),
			quantity: numOf(v.Get("quantity")), created: numOf(v.Get("created")), start: numOf(v.Get("current_period_start")),
			end: numOf(v.Get("current_period_end")), metadata: s.m.metadataOf(v.Get("metadata"))})
	}
	if end := sub.items[0].end; sub.status == "trialing" && sub.anchor != sub.trialEnd || sub.status != "trialing" && sub.anchor == end && sub.trialEnd == 0 {
		s.m.subs.opaque[s.id] = s.v // its present period is a part of one, or the next will be
	}
}
