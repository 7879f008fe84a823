package stripe

import (
	"slices"
	"strconv"

	"worlds/testscripts/dst/model"
)

const subParams = ` default_payment_method:s metadata:m cancel_at_period_end:b days_until_due:n<36500
	collection_method:(charge_automatically|send_invoice) payment_behavior:(allow_incomplete|default_incomplete|error_if_incomplete|pending_if_incomplete)
	trial_settings{end_behavior{missing_payment_method:(cancel|create_invoice|pause)*}*} application_fee_percent:x! automatic_tax:x billing_schedules:x!
	billing_thresholds:x! default_source:x! default_tax_rates:x! invoice_settings:x! off_session:x on_behalf_of:x! payment_settings:x
	pending_invoice_item_interval:x! transfer_data:x! trial_from_plan:x`

// asked are the items that a request asks for, new ones without an id.
type asked struct {
	id, price, param string
	quantity         *int64
	deleted          bool
	metadata         *node
}

func (c *call) asked() (list []asked) {
	n := c.at("items")
	if n == nil || n.leaf {
		return nil
	}
	elements, _ := n.elements()
	for i, e := range elements {
		a := asked{id: e.str("id"), price: e.str("price"), deleted: e.str("deleted") == "true", param: "items[" + itoa(i) + "]", metadata: e.at("metadata")}
		if e.at("quantity") != nil {
			q := e.num(1, "quantity")
			a.quantity = &q
		}
		list = append(list, a)
	}
	return list
}

// recurringPrice is the price of an item, or refuses.
func (c *call) recurringPrice(id, param string) *price {
	p := c.m.prices.get(id)
	c.unless(p != nil, missingRef(param))
	c.unless(p.every != nil, invalid("", param))
	c.unless(p.active, invalid("", param))
	if !p.amount.IsInt() {
		panic(noOpinion("a price with a fraction"))
	}
	return p
}

// oneRhythm refuses items that differ in currency or rhythm.
func (c *call) oneRhythm(items []subItem) {
	for _, i := range items[1:] {
		a, b := c.m.prices.must(items[0].price), c.m.prices.must(i.price)
		c.unless(*a.every == *b.every && a.currency == b.currency, invalid("", "items"))
	}
}

func createSubscription(c *call) model.Value {
	m := c.m
	list := c.asked()
	c.newSubscription(list)
	cus := c.theCustomer("customer")
	s := &subscription{customer: cus.id, created: m.now, startDate: m.now, anchor: m.now, collection: or(c.str("collection_method"), "charge_automatically"),
		missing: or(c.str("trial_settings", "end_behavior", "missing_payment_method"), "create_invoice"), description: c.str("description"), metadata: c.metadata(nil),
		defaultMethod: c.str("default_payment_method"), daysUntilDue: c.num(0, "days_until_due")}
	if pm := s.defaultMethod; pm != "" {
		c.unless(m.methods.get(pm) != nil && m.methods.get(pm).customer == cus.id, missingRef("default_payment_method"))
	}
	c.couponsExist()
	c.pricesExist(list)
	first := c.recurringPrice(list[0].price, "items[0][price]")
	s.currency = first.currency
	if c.has("cancel_at") {
		c.setCancel(s)
	}
	c.beginTrial(s)
	c.oneCurrency(cus, s.currency)
	for _, a := range list {
		s.items = append(s.items, c.firstItem(s, a))
	}
	end := s.trialEnd
	if end == 0 {
		end = first.every.from(m.now, 1)
	} else {
		s.anchor = end
	}
	s.id = m.mint("sub")
	for i := range s.items {
		s.items[i].id, s.items[i].end = m.mint("si"), end
	}
	if c.yes("cancel_at_period_end") {
		s.cancelAtEnd, s.cancelAt, s.canceled, s.cancelReason = true, end, m.now, "cancellation_requested"
	}
	if cus.currency == "" {
		m.customers.edit(cus.id).currency = s.currency
	}
	s.discounts = c.redeem(discount{customer: cus.id, sub: s.id})
	m.subs.add(s.id, s)
	c.firstInvoice(s)
	return m.subs.value(s.id)
}

// newSubscription refuses what the parameters of a new subscription say by themselves.
func (c *call) newSubscription(list []asked) {
	for _, a := range list {
		c.unlessEarly(a.price != "", invalid("parameter_missing", a.param+"[price]"))
	}
	if len(list) == 0 {
		panic(noOpinion("a list of nothing"))
	}
	c.unlessEarly(!c.has("cancel_at") || !c.yes("cancel_at_period_end"), invalid("", "cancel_at_period_end"))
	c.unlessEarly((c.str("collection_method") == "send_invoice") == c.has("days_until_due"), invalid("", "days_until_due"))
	c.unlessEarly(c.str("payment_behavior") != "pending_if_incomplete", invalid("", "payment_behavior"))
	c.unlessEarly(!c.has("trial_end") || !c.has("trial_period_days"), invalid("", "trial_period_days"))
}

// pricesExist refuses items of a price that is not there.
func (c *call) pricesExist(list []asked) {
	for _, a := range list {
		c.unless(a.price == "" || c.m.prices.get(a.price) != nil, missingRef(a.param+"[price]"))
	}
}

// firstItem is an item of a new subscription, which may have others.
func (c *call) firstItem(s *subscription, a asked) subItem {
	m := c.m
	p := c.recurringPrice(a.price, a.param+"[price]")
	c.unless(p.currency == s.currency, invalid("", a.param+"[price]"))
	c.unless(!slices.ContainsFunc(s.items, func(i subItem) bool { return i.price == a.price }), invalid("", a.param+"[price]"))
	i := subItem{price: p.id, quantity: 1, created: m.now, start: m.now, metadata: merge(nil, a.metadata)}
	if a.quantity != nil {
		i.quantity = *a.quantity
	}
	c.affordable(p, i.quantity, a.param+"[quantity]")
	c.unless(len(s.items) == 0 || *m.prices.must(s.items[0].price).every == *p.every, invalid("", a.param+"[price]"))
	return i
}

// mostLine is the most that a line can say.
const mostLine = 999_999_999_999

// affordable refuses more units of a price than a line can say.
func (c *call) affordable(p *price, quantity int64, param string) {
	c.unless(p.amount.Num().Int64() == 0 || quantity <= mostLine/p.amount.Num().Int64(), invalid("amount_too_large", param))
}

func (c *call) beginTrial(s *subscription) {
	if days := c.num(0, "trial_period_days"); days > 0 {
		s.trialEnd = c.m.now + days*86400
	}
	if end := c.str("trial_end"); end != "" && end != "now" {
		s.trialEnd, _ = strconv.ParseInt(end, 10, 64)
		c.unless(s.trialEnd > c.m.now && s.trialEnd <= c.m.now+730*86400, invalid("", "trial_end"))
	}
	if s.trialEnd > 0 {
		s.trialStart, s.status = c.m.now, "trialing"
	}
}

// firstInvoice bills a subscription that begins, and lets its payment decide what
// becomes of it.
func (c *call) firstInvoice(s *subscription) {
	m := c.m
	behavior := or(c.str("payment_behavior"), "allow_incomplete")
	charged := s.collection == "charge_automatically"
	in := m.bill(s, "subscription_create", m.now, m.now, nil)
	pm := m.methodFor(in)
	owed := m.wouldOwe(in)
	waits := behavior == "default_incomplete" && owed > 0 // "otherwise start as active"
	if charged && s.status == "" && owed > 0 && !waits {
		c.unless(pm != "", invalid("resource_missing", ""))
	}
	status := "active"
	switch {
	case s.status == "trialing":
		status = "trialing"
	case charged && waits:
		status = "incomplete"
	case charged && owed > 0 && m.refuses(pm):
		status = "incomplete"
	}
	s.status, s.latest = status, in.id
	if status == "incomplete" {
		s.expires = m.now + 23*3600
	}
	m.tellDiscounts(s.discounts)
	m.emit("customer.subscription.created", m.subs.value(s.id))
	m.emit("invoice.created", m.invoices.value(in.id))
	m.finalize(in.id)
	if charged && status != "trialing" && !waits {
		c.chargeableInvoice(in.id)
	}
	if charged && m.invoices.get(in.id).status == "open" && status != "trialing" && !waits && !m.charge(in.id, pm, false) && behavior == "error_if_incomplete" {
		r := m.declined(m.invoices.get(in.id).intent)
		r.keep = false
		panic(r)
	}
	if m.invoices.get(in.id).status == "paid" && m.subs.get(s.id).status == "incomplete" {
		m.subscriptionPaid(m.invoices.get(in.id))
	}
	if s := m.subs.get(s.id); s.status == "trialing" {
		m.planWarning(s.id)
	}
}

// chargeableInvoice refuses an open invoice of more than a card can be charged.
func (c *call) chargeableInvoice(id string) {
	in := c.m.invoices.get(id)
	c.unless(in.status != "open" || in.remaining() <= mostCharge, invalid("amount_too_large", ""))
}

// planWarning says when the end of a trial is warned of: at once for a short one.
func (m *Model) planWarning(id string) {
	s := m.subs.edit(id)
	if s.trialEnd-3*86400 <= m.now {
		m.emit("customer.subscription.trial_will_end", m.subs.value(id))
		return
	}
	s.warnAt, s.warnSeq = s.trialEnd-3*86400, m.nextSeq()
}

// wouldOwe is what a draft will ask for once it has taken the customer's balance.
func (m *Model) wouldOwe(in *invoice) int64 {
	cus := m.customers.get(in.customer)
	owed := max(in.total+cus.balanceIn(in.currency), 0)
	if in.total < 0 {
		owed = 0
	}
	if owed < leastCharge[in.currency] && cus.currency == in.currency {
		return 0
	}
	return owed
}

// refuses reports whether a card will not pay when nobody is there.
func (m *Model) refuses(pm string) bool {
	k := m.methods.must(pm).card
	return k.code != "" || k.authenticate
}

// bill drafts an invoice of a subscription: pending items, and its items for the
// period that begins unless lines are given.
func (m *Model) bill(s *subscription, reason string, start, end int64, lines []line) *invoice {
	cus := m.customers.get(s.customer)
	in := &invoice{id: m.mint("in"), customer: s.customer, owner: cus.owner(), currency: s.currency, status: "draft", reason: reason,
		collection: s.collection, created: m.now, start: start, end: end, sub: s.id, subMetadata: s.metadata, autoAdvance: true,
		startingBalance: cus.balanceIn(s.currency), discounts: s.running(m), seq: 0}
	if s.collection == "send_invoice" {
		in.dueDate = m.now + s.daysUntilDue*86400
	}
	if lines == nil {
		if s.status != "trialing" {
			m.sweepFor(in, s.id)
		}
		for i := range s.items {
			lines = append(lines, m.itemLine(s, &s.items[i]))
		}
	}
	for _, l := range lines {
		if l.item != "" {
			m.items.edit(l.item).invoice = in.id
		}
	}
	in.lines = append(in.lines, lines...)
	m.total(in)
	m.invoices.add(in.id, in)
	in.seq = m.seqOf("invoice", in.id)
	return in
}

// running are the discounts of a subscription that still count.
func (s *subscription) running(m *Model) (ids []string) {
	for _, id := range s.discounts {
		d := m.discounts.must(id)
		if d.end == 0 || m.now < d.end {
			ids = append(ids, id)
		}
	}
	return ids
}

func (m *Model) sweepFor(in *invoice, sub string) {
	ids := m.items.find(func(i *invoiceItem) bool {
		return i.customer == in.customer && i.invoice == "" && i.currency == in.currency && (i.sub == "" || i.sub == sub)
	})
	slices.Reverse(ids)
	for _, id := range ids {
		i := m.items.edit(id)
		i.invoice = in.id
		in.lines = append(in.lines, m.lineOf(i))
	}
}

// takeItems makes lines of pending items, newest first or in order; whoever bills
// them says on which invoice.
func (m *Model) takeItems(ids []string, newest bool) (lines []line) {
	if newest {
		slices.Reverse(ids)
	}
	for _, id := range ids {
		lines = append(lines, m.lineOf(m.items.get(id)))
	}
	return lines
}

// itemLine is the line of an item for the period that it is in.
func (m *Model) itemLine(s *subscription, i *subItem) line {
	p := m.prices.must(i.price)
	l := line{id: m.mint("il"), price: p.id, unit: p.amount, quantity: i.quantity, amount: p.amount.Num().Int64() * i.quantity, start: i.start, end: i.end,
		discountable: true, sub: s.id, subItem: i.id, metadata: s.metadata}
	name := m.products.must(p.product).name
	if s.status == "trialing" {
		l.amount, l.unit = 0, integral(0)
		l.description = "Free trial for " + strconv.FormatInt(i.quantity, 10) + " × " + name
		return l
	}
	l.description = strconv.FormatInt(i.quantity, 10) + " × " + name + " (at " + money(p.amount.Num().Int64(), p.currency) + " / " + p.every.words() + ")"
	return l
}

func (r *rhythm) words() string {
	if r.count == 1 {
		return r.interval
	}
	return "every " + strconv.FormatInt(r.count, 10) + " " + r.interval + "s"
}

// subscriptionPaid is what an invoice that was paid means to its subscription.
func (m *Model) subscriptionPaid(in *invoice) {
	s := m.subs.get(in.sub)
	if s == nil || s.latest != in.id || !oneOf(s.status, "incomplete", "past_due", "unpaid") {
		return
	}
	before := m.subs.value(s.id)
	s = m.subs.edit(s.id)
	s.status, s.expires = "active", 0
	m.emitUpdate("customer.subscription.updated", before, m.subs.value(s.id))
}

func (c *call) subscription(id string) *subscription {
	s := c.m.subs.get(id)
	c.unless(s != nil, missingPath("id"))
	return s
}

func showSubscription(c *call) model.Value { return c.m.subs.value(c.subscription(c.path[0]).id) }

func listSubscriptions(c *call) model.Value {
	c.filterExists("customer", "price")
	if !c.has("status") {
		c.cursorsHold(func(id string) bool { s := c.m.subs.get(id); return s == nil || s.status != "canceled" })
	}
	return list(c, c.m.subs, "/v1/subscriptions", func(s *subscription) bool {
		switch status := c.str("status"); status {
		case "":
			if s.status == "canceled" {
				return false
			}
		case "all":
		case "ended":
			if !s.over() {
				return false
			}
		default:
			if s.status != status {
				return false
			}
		}
		return c.same(s.customer, "customer") && c.same(s.collection, "collection_method") && c.within(s.created, "created") &&
			(!c.has("price") || slices.ContainsFunc(s.items, func(i subItem) bool { return i.price == c.str("price") }))
	})
}

func cancelSubscription(c *call) model.Value {
	m, id := c.m, c.path[0]
	s := c.subscription(id)
	c.unless(!s.over(), missingPath("id"))
	s = m.subs.edit(id)
	if c.has("cancellation_details", "comment") {
		s.comment = c.str("cancellation_details", "comment")
	}
	if c.has("cancellation_details", "feedback") {
		s.feedback = c.str("cancellation_details", "feedback")
	}
	if c.yes("prorate") && !oneOf(s.status, "trialing", "active") {
		panic(noOpinion("a proration of a subscription that is " + s.status))
	}
	if c.yes("prorate") && s.status == "active" {
		for i := range s.items {
			m.prorate(s, &s.items[i], m.now, false)
		}
	}
	if c.yes("invoice_now") && len(m.pendingOf(s.id)) > 0 {
		if s.collection != "charge_automatically" {
			panic(noOpinion("a last invoice that is sent"))
		}
		m.billNow(s.id)
	}
	if !c.yes("prorate") && !c.yes("invoice_now") { // "pending prorations are removed if invoice_now and prorate are both set to false"
		m.dropPending(id)
	}
	m.cancelEarly(id, "cancellation_requested")
	return m.subs.value(id)
}

// pendingOf are the items of a subscription that no invoice has.
func (m *Model) pendingOf(sub string) []string {
	return m.items.find(func(i *invoiceItem) bool { return i.sub == sub && i.invoice == "" })
}

// billNow invoices what is pending at once.
func (m *Model) billNow(id string) {
	s := m.subs.edit(id)
	in := m.bill(s, "subscription_update", m.now, m.now, m.takeItems(m.pendingOf(id), true))
	s.latest = in.id
	m.emit("invoice.created", m.invoices.value(in.id))
	m.finalize(in.id)
	m.collect(in.id, false)
}

// collect charges an invoice of a subscription if there is something to charge. It
// reports false if the bank refused.
func (m *Model) collect(id string, automatic bool) bool {
	in := m.invoices.get(id)
	if in.status != "open" || in.collection != "charge_automatically" {
		return true
	}
	pm := m.methodFor(in)
	if pm == "" {
		panic(noOpinion("an invoice that nothing can pay"))
	}
	return m.charge(id, pm, automatic)
}

// cancelEarly ends a subscription, and what was planned for it.
func (m *Model) cancelEarly(id, reason string) {
	s := m.subs.edit(id)
	s.cancelAt, s.cancelAtEnd = 0, false
	m.cancelNow(id, reason)
}

// dropPending deletes the prorations that no invoice has.
func (m *Model) dropPending(sub string) {
	for _, item := range m.pendingOf(sub) {
		if !m.items.get(item).proration {
			continue
		}
		last := m.items.value(item)
		m.items.remove(item)
		m.emit("invoiceitem.deleted", last)
	}
}

// cancelNow ends a subscription at this moment.
func (m *Model) cancelNow(id, reason string) {
	for _, in := range m.invoices.find(func(in *invoice) bool { return in.sub == id && in.status == "open" && in.autoAdvance }) {
		before := m.invoices.value(in)
		i := m.invoices.edit(in)
		i.autoAdvance, i.nextAttempt, i.tryAt = false, 0, 0
		m.emitUpdate("invoice.updated", before, m.invoices.value(in))
	}
	s := m.subs.edit(id)
	s.status, s.ended, s.cancelReason = "canceled", m.now, reason
	if s.canceled == 0 || reason != "cancellation_requested" || s.cancelAt != m.now {
		s.canceled = m.now
	}
	m.emit("customer.subscription.deleted", m.subs.value(id))
}
