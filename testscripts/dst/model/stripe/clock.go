package stripe

import (
	"slices"

	"worlds/testscripts/dst/model"
)

// nextSeq is the next place in the order of creation.
func (m *Model) nextSeq() int {
	m.seq++
	m.undo = append(m.undo, func() { m.seq-- })
	return m.seq
}

// seqOf is the place of an object in the order of creation.
func (m *Model) seqOf(table, id string) int { return m.places[table+"/"+id] }

// due is something that time does.
type due struct {
	at   int64
	seq  int
	fire func()
}

// before reports whether a due thing comes before another.
func (d due) before(e due) bool { return d.at < e.at || d.at == e.at && d.seq < e.seq }

// mostFirings is how many things an advance may do before the model gives up: the
// product stops at as many, and goes on later.
const mostFirings = 1000

// Advance moves the clock to a moment, and lets happen what falls due on the way.
func (m *Model) Advance(to int64) {
	if m.lost != "" {
		return
	}
	m.undo = nil
	m.request = requestInfo{}
	defer func() {
		if r, ok := recover().(*refusal); ok {
			m.lost = "time: " + r.unknown
		} else if r != nil {
			panic(r)
		}
	}()
	for n := 0; ; n++ {
		next, ok := m.first(to)
		if !ok {
			break
		}
		if n == mostFirings {
			m.lost = "time: more happens than an advance does"
			return
		}
		m.now = max(m.now, next.at)
		next.fire()
		m.undo = nil
	}
	m.now = max(m.now, to)
}

// tick is the step of an automatic clock.
func (m *Model) tick() {
	was := m.request
	m.Advance(m.now + m.seed.TickBy)
	m.request = was
}

// first is what time does next, up to a moment.
func (m *Model) first(to int64) (next due, ok bool) {
	consider := func(at int64, seq int, fire func()) {
		if d := (due{at, seq, fire}); at != 0 && at <= to && (!ok || d.before(next)) {
			next, ok = d, true
		}
	}
	for _, id := range m.subs.order {
		s := m.subs.rows[id]
		consider(s.dueAt(), m.seqOf("subscription", id), func() { m.turn(id) })
		consider(s.warnAt, s.warnSeq, func() { m.warn(id) })
	}
	for _, id := range m.invoices.order {
		in := m.invoices.rows[id]
		seq := m.seqOf("invoice", id)
		if in.status == "draft" {
			consider(in.finalizesAt, seq, func() { m.advanceDraft(id) })
		}
		if in.status == "open" {
			consider(in.nextAttempt, seq, func() { m.tryCharge(id) })
			consider(in.tryAt, in.trySeq, func() { m.tryCharge(id) })
			if !in.overdue {
				consider(in.dueDate, in.dueSeq, func() { m.overdue(id) })
			}
		}
	}
	for _, id := range m.charges.order {
		if ch := m.charges.rows[id]; ch.status == "succeeded" && !ch.isCaptured && ch.refunded < ch.amount {
			consider(ch.captureBefore, m.seqOf("charge", id), func() { m.expireHold(id) })
		}
	}
	for _, id := range m.promos.order {
		if p := m.promos.rows[id]; p.active {
			consider(p.expires, m.seqOf("promotion_code", id), func() { m.expirePromotion(id) })
		}
	}
	for _, id := range m.refunds.order {
		consider(m.refunds.rows[id].settles, m.seqOf("refund", id), func() { m.settle(id) })
	}
	for _, id := range m.disputes.order {
		if d := m.disputes.rows[id]; oneOf(d.status, "needs_response", "warning_needs_response") {
			consider(d.due, m.seqOf("dispute", id), func() { m.miss(id) })
		}
	}
	return next, ok
}

// miss closes a dispute that nobody answered in time.
func (m *Model) miss(id string) {
	m.disputes.edit(id).pastDue = true
	m.loseDispute(id)
}

// dueAt is when time next acts on a subscription.
func (s *subscription) dueAt() (at int64) {
	sooner := func(t int64) {
		if t != 0 && (at == 0 || t < at) {
			at = t
		}
	}
	if s.over() {
		return 0
	}
	switch s.status {
	case "active", "past_due", "unpaid", "trialing":
		sooner(s.items[0].end)
	case "incomplete":
		sooner(s.expires)
	}
	sooner(s.cancelAt)
	if s.pause != nil {
		sooner(s.pause.resumes)
	}
	return at
}

// turn is what time does to a subscription.
func (m *Model) turn(id string) {
	s := m.subs.get(id)
	switch {
	case s.pause != nil && s.pause.resumes != 0 && s.pause.resumes <= m.now:
		before := m.subs.value(id)
		m.subs.edit(id).pause = nil
		m.emitUpdate("customer.subscription.updated", before, m.subs.value(id))
	case s.cancelAt != 0 && s.cancelAt <= m.now:
		m.end(id)
	case s.status == "incomplete":
		m.expire(id)
	default:
		m.renew(id)
	}
}

// end is a cancellation that was asked for before: "any pending prorations are left
// in place and collected at the end of the period".
func (m *Model) end(id string) {
	if len(m.pendingOf(id)) > 0 {
		m.billNow(id)
	}
	m.cancelNow(id, "cancellation_requested")
}

// expire ends a subscription whose first invoice was not paid.
func (m *Model) expire(id string) {
	if in := m.invoices.get(m.subs.get(id).latest); in.status == "open" {
		m.void(in.id)
		m.dropped(in.id)
	}
}

// dropped ends an incomplete subscription whose first invoice is void.
func (m *Model) dropped(invoice string) {
	s := m.subs.get(m.invoices.get(invoice).sub)
	if s == nil || s.status != "incomplete" || s.latest != invoice {
		return
	}
	before := m.subs.value(s.id)
	s = m.subs.edit(s.id)
	s.status, s.ended, s.expires = "incomplete_expired", m.now, 0
	m.emitUpdate("customer.subscription.updated", before, m.subs.value(s.id))
}

func (m *Model) warn(id string) {
	s := m.subs.edit(id)
	s.warnAt = 0
	if s.status == "trialing" {
		m.emit("customer.subscription.trial_will_end", m.subs.value(id))
	}
}

// renew begins the next period of a subscription.
func (m *Model) renew(id string) {
	before := m.subs.value(id)
	s := m.subs.edit(id)
	if s.status == "trialing" {
		pm := m.methodFor(&invoice{customer: s.customer, sub: s.id})
		if pm == "" && s.collection == "charge_automatically" && s.missing != "create_invoice" {
			m.endTrial(id, before)
			return
		}
		s.status = "active"
	}
	items := make([]subItem, len(s.items))
	start, end := s.items[0].start, s.items[0].end
	for i, item := range s.items {
		item.start, item.end = end, m.prices.must(item.price).every.next(s.anchor, end)
		items[i] = item
	}
	s.items = items
	m.endDiscounts(s)
	in := m.bill(s, "subscription_cycle", start, end, nil)
	s.latest = in.id
	unpaid := s.status == "unpaid"
	if s.pause != nil && s.pause.behavior == "keep_as_draft" || unpaid {
		in.autoAdvance = false
	}
	m.emitUpdate("customer.subscription.updated", before, m.subs.value(id))
	m.emit("invoice.created", m.invoices.value(in.id))
	if !in.autoAdvance {
		return
	}
	m.finalize(in.id)
	if m.invoices.get(in.id).status != "open" {
		m.subscriptionPaid(m.invoices.get(in.id))
		return
	}
	if s.pause != nil {
		m.paused(in.id, s.pause.behavior)
		return
	}
	if in.collection == "charge_automatically" {
		m.tryCharge(in.id)
	}
}

// endDiscounts takes off a subscription the discounts that are over: in time, or
// because they were for one invoice.
func (m *Model) endDiscounts(s *subscription) {
	var kept []string
	for _, id := range s.discounts {
		d := m.discounts.must(id)
		if (d.end == 0 || d.end > m.now) && (m.couponOf(id).duration != "once" || !m.reduced(s.id, id)) {
			kept = append(kept, id)
			continue
		}
		m.emit("customer.discount.deleted", m.discounts.value(id))
	}
	s.discounts = kept
}

// reduced reports whether a discount has taken something off an invoice of a
// subscription.
func (m *Model) reduced(sub, discount string) bool {
	return len(m.invoices.find(func(in *invoice) bool {
		return in.sub == sub && slices.ContainsFunc(in.lines, func(l line) bool {
			return slices.ContainsFunc(l.discountAmounts, func(a discountAmount) bool { return a.discount == discount && a.amount > 0 })
		})
	})) > 0
}

// paused is what becomes of an invoice while nothing is collected.
func (m *Model) paused(id, behavior string) {
	if behavior == "void" {
		m.void(id)
		return
	}
	in := m.invoices.edit(id)
	in.status, in.uncollectible, in.autoAdvance = "uncollectible", m.now, false
	m.emit("invoice.marked_uncollectible", m.invoices.value(id)) // and only "via the API" it ends a delinquency
}

// advanceDraft finalizes a draft that does so by itself, and charges it.
func (m *Model) advanceDraft(id string) {
	if m.orphaned(id) {
		return
	}
	m.finalize(id)
	if in := m.invoices.get(id); in.status == "open" && in.collection == "charge_automatically" {
		m.tryCharge(id)
	}
}

// hard declines are not tried again until there is another card.
var hard = []string{"incorrect_number", "lost_card", "pickup_card", "stolen_card", "revocation_of_authorization",
	"revocation_of_all_authorizations", "authentication_required", "highest_risk_level", "transaction_not_allowed"}

// plan is the days after the first failure at which an invoice is tried again, and
// what becomes of its subscription in the end.
func (m *Model) plan() (days []int64, exhausted string) {
	if d := m.seed.Settings.Dunning; d != nil {
		return d.RetryDays, or(d.Exhausted, "cancel")
	}
	return []int64{3, 5, 7}, "cancel"
}

// orphaned reports whether the customer of an invoice is gone: then nothing is done
// about it by itself any more.
func (m *Model) orphaned(id string) bool {
	before := m.invoices.value(id)
	if !m.customers.get(m.invoices.get(id).customer).deleted {
		return false
	}
	in := m.invoices.edit(id)
	in.autoAdvance, in.finalizesAt, in.nextAttempt, in.tryAt = false, 0, 0, 0
	m.emitUpdate("invoice.updated", before, m.invoices.value(id))
	return true
}

// tryCharge is an automatic attempt to collect an invoice.
func (m *Model) tryCharge(id string) {
	if m.orphaned(id) {
		return
	}
	before := m.invoices.value(id)
	in := m.invoices.edit(id)
	days, _ := m.plan()
	if in.tries == 0 {
		in.firstTry = m.now
	}
	in.tries++
	in.nextAttempt, in.tryAt = 0, 0
	if in.tries <= int64(len(days)) {
		in.nextAttempt = in.firstTry + days[in.tries-1]*86400
	}
	pm := m.methodFor(in)
	switch {
	case pm == "", in.remaining() > mostCharge:
		in.attempted = true
		in.attempts++
		m.emit("invoice.payment_failed", m.invoices.value(id))
	case m.hopeless(in, pm):
		in.attempts++
		m.emitUpdate("invoice.updated", before, m.invoices.value(id))
	default:
		if m.charge(id, pm, true) {
			return
		}
	}
	m.distrust(in.customer)
	m.chase(id)
}

// hopeless reports whether a card has refused the payment of an invoice for good.
func (m *Model) hopeless(in *invoice, pm string) bool {
	if in.intent == "" || m.intents.get(in.intent).status == "canceled" {
		return false
	}
	return len(m.charges.find(func(ch *charge) bool {
		return ch.intent == in.intent && ch.method == pm && (oneOf(ch.decline, hard...) || ch.decline != "" && ch.card != nil && ch.card.blocked)
	})) > 0
}

// chase is what a failed attempt means to the subscription.
func (m *Model) chase(id string) {
	in := m.invoices.must(id)
	s := m.subs.get(in.sub)
	if s == nil || s.over() {
		return
	}
	before := m.subs.value(s.id)
	if s.status == "active" && s.latest == id {
		m.subs.edit(s.id).status = "past_due"
		m.emitUpdate("customer.subscription.updated", before, m.subs.value(s.id))
	}
	if in.nextAttempt != 0 || m.subs.get(s.id).status != "past_due" { // a later invoice was paid
		return
	}
	switch _, exhausted := m.plan(); exhausted {
	case "cancel":
		m.dropPending(s.id)
		m.cancelEarly(s.id, "payment_failed")
	case "unpaid":
		before = m.subs.value(s.id)
		m.subs.edit(s.id).status = "unpaid"
		m.emitUpdate("customer.subscription.updated", before, m.subs.value(s.id))
	}
}

// endTrial is the end of a trial that nothing can pay for.
func (m *Model) endTrial(id string, before model.Value) {
	s := m.subs.edit(id)
	if s.missing == "cancel" {
		m.dropPending(id)
		m.cancelEarly(id, "")
		return
	}
	m.subs.edit(id).status = "paused"
	m.emit("customer.subscription.paused", m.subs.value(id))
	m.emitUpdate("customer.subscription.updated", before, m.subs.value(id))
}

// overdue is the due date of an invoice that was sent.
func (m *Model) overdue(id string) {
	in := m.invoices.edit(id)
	in.overdue = true
	m.emit("invoice.overdue", m.invoices.value(id))
	m.distrust(in.customer)
	if s := m.subs.get(in.sub); s != nil && s.status == "active" && s.latest == id {
		before := m.subs.value(s.id)
		m.subs.edit(s.id).status = "past_due"
		m.emitUpdate("customer.subscription.updated", before, m.subs.value(s.id))
	}
}

func (m *Model) distrust(id string) {
	cus := m.customers.get(id)
	if cus.delinquent || cus.deleted {
		return
	}
	before := m.customers.value(id)
	m.customers.edit(id).delinquent = true
	m.emitUpdate("customer.updated", before, m.customers.value(id))
}
