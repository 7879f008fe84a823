package stripe

import (
	"math/big"
	"slices"
	"strconv"
	"time"

	"worlds/testscripts/dst/model"
)

// share is the part of a period that is left at a moment, of an amount, rounded
// towards minus infinity.
func share(amount, at, start, end int64) int64 {
	x := new(big.Int).Mul(big.NewInt(amount), big.NewInt(end-at))
	return floorBig(x, big.NewInt(end-start))
}

func floorBig(a, b *big.Int) int64 {
	q, r := new(big.Int).QuoRem(a, b, new(big.Int))
	if r.Sign() < 0 {
		q.Sub(q, big.NewInt(1))
	}
	return q.Int64()
}

// prorate makes the item that gives back the rest of a period, or (debit) takes it.
func (m *Model) prorate(s *subscription, i *subItem, at int64, debit bool) {
	p := m.prices.must(i.price)
	amount := p.amount.Num().Int64() * i.quantity
	words, times := "Unused time on ", strconv.FormatInt(i.quantity, 10)+" × "
	if debit {
		words = "Remaining time on "
	} else {
		amount = -amount
	}
	if i.quantity == 1 {
		times = ""
	}
	id := m.mint("ii")
	item := &invoiceItem{id: id, customer: s.customer, currency: p.currency, amount: share(amount, at, i.start, i.end), quantity: i.quantity,
		description: words + times + m.products.must(p.product).name + " after " + time.Unix(at, 0).UTC().Format("02 Jan 2006"),
		price:       p.id, unit: p.amount, date: m.now, start: at, end: i.end, proration: true, sub: s.id, subItem: i.id, credit: !debit}
	m.items.add(id, item)
	m.emit("invoiceitem.created", m.items.value(id))
}

func updateSubscription(c *call) model.Value {
	m, id := c.m, c.path[0]
	if c.str("payment_behavior") == "pending_if_incomplete" {
		for _, name := range notPending {
			c.unlessEarly(!c.has(name), invalid("", name))
		}
	}
	c.unlessEarly(c.str("cancel_at") == "" || !c.yes("cancel_at_period_end"), invalid("", "cancel_at_period_end"))
	s := c.subscription(id)
	before := m.subs.value(id)
	if s.over() {
		for _, name := range c.form.order {
			c.unless(oneOf(name, "metadata", "cancellation_details", "expand"), invalid("invalid_canceled_subscription_fields", ""))
		}
	}
	if c.has("discounts") || c.has("trial_end") || c.str("payment_behavior") == "pending_if_incomplete" || c.has("collection_method") ||
		c.has("days_until_due") {
		panic(noOpinion("an update of an unusual kind"))
	}
	if pm := c.str("default_payment_method"); pm != "" {
		c.unless(m.methods.get(pm) != nil && m.methods.get(pm).customer == s.customer, missingRef("default_payment_method"))
	}
	c.pricesExist(c.asked())
	s = m.subs.edit(id)
	s.metadata = c.metadata(s.metadata)
	if c.has("description") {
		s.description = c.str("description")
	}
	if c.has("default_payment_method") {
		s.defaultMethod = c.str("default_payment_method")
	}
	if c.has("trial_settings") {
		s.missing = c.str("trial_settings", "end_behavior", "missing_payment_method")
	}
	c.setDetails(s)
	c.setPause(s)
	c.changeItems(s)
	c.setCancel(m.subs.edit(id))
	m.emitUpdate("customer.subscription.updated", before, m.subs.value(id))
	return m.subs.value(id)
}

// notPending is what no update can change that may have to wait for its payment.
var notPending = []string{"automatic_tax", "cancel_at", "cancel_at_period_end", "cancellation_details", "collection_method", "days_until_due",
	"default_payment_method", "description", "discounts", "metadata", "pause_collection", "payment_settings", "trial_settings"}

func (c *call) setDetails(s *subscription) {
	if c.has("cancellation_details", "comment") {
		s.comment = c.str("cancellation_details", "comment")
	}
	if c.has("cancellation_details", "feedback") {
		s.feedback = c.str("cancellation_details", "feedback")
	}
}

func (c *call) setPause(s *subscription) {
	n := c.at("pause_collection")
	if n == nil {
		return
	}
	if n.leaf {
		s.pause = nil
		return
	}
	s.pause = &pause{behavior: n.str("behavior"), resumes: n.num(0, "resumes_at")}
	if s.pause.resumes != 0 && s.pause.resumes <= c.m.now {
		panic(noOpinion("a pause that is over"))
	}
}

func (c *call) setCancel(s *subscription) {
	switch {
	case c.str("cancel_at") != "":
		at := c.num(0, "cancel_at")
		c.unless(at > c.m.now, invalid("", "cancel_at"))
		s.cancelAt, s.canceled, s.cancelAtEnd, s.cancelReason = at, c.m.now, false, "cancellation_requested"
	case c.yes("cancel_at_period_end"):
		if s.cancelAtEnd {
			return
		}
		s.cancelAtEnd, s.cancelAt, s.canceled, s.cancelReason = true, s.items[0].end, c.m.now, "cancellation_requested"
		if s.status == "paused" { // its last period may be over
			s.cancelAt = max(s.cancelAt, c.m.now)
		}
	case c.has("cancel_at"), c.has("cancel_at_period_end"):
		s.cancelAtEnd, s.cancelAt, s.canceled, s.cancelReason = false, 0, 0, ""
	}
}

// changeItems puts other items in the place of a subscription's, and settles the
// difference for the rest of the period.
func (c *call) changeItems(s *subscription) {
	m := c.m
	list, fresh := c.asked(), c.str("billing_cycle_anchor") == "now"
	if c.str("billing_cycle_anchor") == "unchanged" {
		panic(noOpinion("an anchor that stays"))
	}
	if len(list) == 0 && !fresh {
		return
	}
	items := slices.Clone(s.items)
	for _, a := range list {
		items = c.change(s, items, a)
	}
	if len(items) == 0 {
		panic(invalid("", "items"))
	}
	c.oneRhythm(items)
	was, is := m.prices.must(s.items[0].price), m.prices.must(items[0].price)
	c.unless(is.currency == s.currency, invalid("", "items"))
	fresh = fresh || *was.every != *is.every
	behavior := or(c.str("proration_behavior"), "create_prorations")
	at := c.num(m.now, "proration_date")
	same := func(a, b subItem) bool { return a.id == b.id && a.price == b.price && a.quantity == b.quantity }
	if !fresh && slices.EqualFunc(items, s.items, same) { // nothing to settle, whatever the date
		m.subs.edit(s.id).items = items
		return
	}
	if s.status == "trialing" && !fresh && s.pause == nil {
		for i := range items {
			if items[i].id == "" {
				items[i].id = m.mint("si")
			}
		}
		m.subs.edit(s.id).items = items
		return
	}
	if s.status != "active" || s.collection != "charge_automatically" || s.pause != nil {
		panic(noOpinion("other items of a subscription that is " + s.status))
	}
	if fresh && c.has("proration_date") || s.cancelAtEnd && fresh {
		panic(noOpinion("a new period beside something else"))
	}
	c.unless(at >= s.items[0].start && at <= s.items[0].end, invalid("", "proration_date"))
	c.settle(s, items, behavior, at, fresh)
}

// change is one item of a list changed, added or taken away.
func (c *call) change(s *subscription, items []subItem, a asked) []subItem {
	at := slices.IndexFunc(items, func(i subItem) bool { return i.id == a.id })
	if a.id != "" {
		if at < 0 {
			panic(noOpinion("an item of another subscription"))
		}
		if a.deleted {
			return slices.Delete(slices.Clone(items), at, at+1)
		}
	} else {
		if a.deleted || a.price == "" {
			panic(noOpinion("an item without an id or a price"))
		}
		items = append(slices.Clone(items), subItem{quantity: 1, created: c.m.now, start: s.items[0].start, end: s.items[0].end})
		at = len(items) - 1
	}
	if a.price != "" && a.price != items[at].price {
		p := c.recurringPrice(a.price, a.param+"[price]")
		c.unless(p.currency == s.currency, invalid("", a.param+"[price]"))
		for j := range items {
			c.unless(j == at || items[j].price != a.price, invalid("", a.param+"[price]"))
		}
		items[at].price = p.id
	}
	if a.quantity != nil {
		items[at].quantity = *a.quantity
	}
	c.affordable(c.m.prices.must(items[at].price), items[at].quantity, a.param+"[quantity]")
	items[at].metadata = merge(items[at].metadata, a.metadata)
	return items
}

// settle credits the old items that change and charges the new ones, now or with the
// next invoice.
func (c *call) settle(s *subscription, items []subItem, behavior string, at int64, fresh bool) {
	m := c.m
	old := s.items
	same := func(i subItem) bool {
		return slices.ContainsFunc(old, func(o subItem) bool { return o.id == i.id && o.price == i.price && o.quantity == i.quantity })
	}
	kept := func(o subItem) bool {
		return slices.ContainsFunc(items, func(i subItem) bool { return o.id == i.id && o.price == i.price && o.quantity == i.quantity })
	}
	for i := range items {
		if items[i].id == "" {
			items[i].id = m.mint("si")
		}
	}
	before := len(m.items.order)
	if behavior != "none" {
		for i := range old {
			if fresh || !kept(old[i]) {
				m.prorate(s, &old[i], at, false)
			}
			if j := slices.IndexFunc(items, func(n subItem) bool { return n.id == old[i].id }); !fresh && j >= 0 && !same(items[j]) {
				m.prorate(s, &items[j], at, true)
			}
		}
		for i := range items {
			if !fresh && !slices.ContainsFunc(old, func(o subItem) bool { return o.id == items[i].id }) {
				m.prorate(s, &items[i], at, true)
			}
		}
	}
	s = m.subs.edit(s.id)
	s.items = items
	if fresh {
		s.anchor = m.now
		for i := range s.items {
			s.items[i].start, s.items[i].end = m.now, m.prices.must(items[0].price).every.from(m.now, 1)
		}
		in := m.bill(s, "subscription_update", m.now, m.now, nil)
		c.billed(s.id, in)
	} else if behavior == "always_invoice" && len(m.items.order) > before {
		c.billed(s.id, m.bill(s, "subscription_update", m.now, m.now, m.takeItems(slices.Clone(m.items.order[before:]), false)))
	}
}

// billed finalizes and collects an invoice in the middle of a period, or lets it wait:
// "transition the subscription to status=past_due when payment is required and await
// explicit confirmation of the invoice's payment intent".
func (c *call) billed(sub string, in *invoice) {
	m, waits := c.m, c.str("payment_behavior") == "default_incomplete"
	m.subs.edit(sub).latest = in.id
	if waits {
		m.invoices.edit(in.id).autoAdvance = false
	}
	m.emit("invoice.created", m.invoices.value(in.id))
	m.finalize(in.id)
	if waits {
		if m.invoices.get(in.id).status == "open" {
			m.subs.edit(sub).status = "past_due"
		}
		return
	}
	c.chargeableInvoice(in.id)
	if now := m.invoices.get(in.id); now.status == "open" && (m.methodFor(now) == "" || m.refuses(m.methodFor(now))) {
		panic(noOpinion("a change that cannot be paid"))
	}
	m.collect(in.id, false)
}
