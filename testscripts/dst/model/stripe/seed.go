package stripe

import (
	"cmp"
	"encoding/json"
	"slices"
)

// seedDoc is what the model reads of a seed.
type seedDoc struct {
	Epoch     int64  `json:"epoch"`
	ClockMode string `json:"clock_mode"`
	TickBy    int64  `json:"auto_tick_seconds"`
	Settings  struct {
		IdempotencyKeys string `json:"idempotency_keys"`
		Dunning         *struct {
			RetryDays []int64 `json:"retry_days"`
			Exhausted string  `json:"exhausted"`
		} `json:"dunning"`
	} `json:"settings"`
	Data struct {
		Customers     []seedCustomer     `json:"customers"`
		Products      []seedProduct      `json:"products"`
		Prices        []seedPrice        `json:"prices"`
		Invoices      []seedInvoice      `json:"invoices"`
		Subscriptions []seedSubscription `json:"subscriptions"`
		Disputes      []seedDispute      `json:"disputes"`
	} `json:"data"`
}

type seedCustomer struct {
	ID            string            `json:"id"`
	Name          string            `json:"name"`
	Email         string            `json:"email"`
	Description   string            `json:"description"`
	Phone         string            `json:"phone"`
	Metadata      map[string]string `json:"metadata"`
	Ago           int64             `json:"created_offset"`
	PaymentMethod json.RawMessage   `json:"payment_method"`
}

type seedProduct struct {
	ID          string            `json:"id"`
	Name        string            `json:"name"`
	Description string            `json:"description"`
	Active      *bool             `json:"active"`
	Metadata    map[string]string `json:"metadata"`
	Ago         int64             `json:"created_offset"`
}

type seedPrice struct {
	ID        string `json:"id"`
	Product   string `json:"product"`
	Amount    int64  `json:"unit_amount"`
	Currency  string `json:"currency"`
	Nickname  string `json:"nickname"`
	Active    *bool  `json:"active"`
	Recurring *struct {
		Interval string `json:"interval"`
		Count    int64  `json:"interval_count"`
	} `json:"recurring"`
	Metadata map[string]string `json:"metadata"`
	Ago      int64             `json:"created_offset"`
}

type seedInvoice struct {
	ID       string `json:"id"`
	Customer string `json:"customer"`
	Status   string `json:"status"`
	Currency string `json:"currency"`
	Ago      int64  `json:"created_offset"`
	Lines    []struct {
		Description string `json:"description"`
		Amount      int64  `json:"amount"`
		Quantity    *int64 `json:"quantity"`
		Price       string `json:"price"`
	} `json:"lines"`
	Charges []struct {
		ID       string `json:"id"`
		Amount   *int64 `json:"amount"`
		Refunded int64  `json:"amount_refunded"`
	} `json:"charges"`
}

type seedSubscription struct {
	ID          string `json:"id"`
	Customer    string `json:"customer"`
	Price       string `json:"price"`
	Quantity    *int64 `json:"quantity"`
	Start       *int64 `json:"current_period_start"`
	End         *int64 `json:"current_period_end"`
	CancelAtEnd bool   `json:"cancel_at_period_end"`
	Ago         int64  `json:"created_offset"`
	Anchor      *int64 `json:"billing_cycle_anchor"`
	TrialEnd    *int64 `json:"trial_end"`
	Status      string `json:"status"`
}

type seedDispute struct {
	ID     string `json:"id"`
	Charge string `json:"charge"`
	Amount *int64 `json:"amount"`
	Reason string `json:"reason"`
	Status string `json:"status"`
	Ago    int64  `json:"created_offset"`
}

func readSeed(text []byte) (*seedDoc, error) {
	doc := &seedDoc{ClockMode: "manual", TickBy: 1}
	if err := json.Unmarshal(text, doc); err != nil {
		return nil, err
	}
	return doc, nil
}

// byAge sorts a section by creation; what is of one second stays in file order.
func byAge[T any](list []T, ago func(T) int64) []T {
	return slices.SortedStableFunc(slices.Values(list), func(a, b T) int { return cmp.Compare(ago(b), ago(a)) })
}

// load makes the objects of the seed.
func (m *Model) load() {
	d := m.seed.Data
	for _, s := range byAge(d.Products, func(s seedProduct) int64 { return s.Ago }) {
		m.products.add(s.ID, &product{id: s.ID, name: s.Name, description: s.Description, active: yes(s.Active),
			metadata: s.Metadata, created: m.now - s.Ago, updated: m.now - s.Ago})
	}
	for _, s := range byAge(d.Prices, func(s seedPrice) int64 { return s.Ago }) {
		p := &price{id: s.ID, product: s.Product, amount: integral(s.Amount), currency: or(s.Currency, "usd"),
			nickname: s.Nickname, active: yes(s.Active), metadata: s.Metadata, created: m.now - s.Ago, taxBehavior: "unspecified"}
		if s.Recurring != nil {
			p.every = &rhythm{s.Recurring.Interval, max(s.Recurring.Count, 1)}
		}
		m.prices.add(s.ID, p)
	}
	for _, s := range byAge(d.Customers, func(s seedCustomer) int64 { return s.Ago }) {
		m.loadCustomer(s)
	}
	for _, s := range byAge(d.Invoices, func(s seedInvoice) int64 { return s.Ago }) {
		m.loadInvoice(s)
	}
	for _, s := range byAge(d.Subscriptions, func(s seedSubscription) int64 { return s.Ago }) {
		m.loadSubscription(s)
	}
	for _, s := range byAge(d.Disputes, func(s seedDispute) int64 { return s.Ago }) {
		m.loadDispute(s)
	}
}

func (m *Model) loadCustomer(s seedCustomer) {
	c := &customer{id: s.ID, name: s.Name, email: s.Email, description: s.Description, phone: s.Phone, metadata: s.Metadata,
		created: m.now - s.Ago, prefix: m.mint("prefix"), sequence: 1, taxExempt: "none"}
	for _, in := range m.seed.Data.Invoices {
		if in.Customer == s.ID {
			c.currency = or(in.Currency, "usd")
			break
		}
	}
	m.customers.add(s.ID, c)
	card := "pm_card_visa"
	switch {
	case string(s.PaymentMethod) == "null":
		return
	case s.PaymentMethod != nil:
		_ = json.Unmarshal(s.PaymentMethod, &card)
	}
	pm := m.mint("pm")
	m.methods.add(pm, &method{id: pm, card: instruments[card], customer: s.ID, created: c.created, redisplay: "unspecified"})
	c.defaultMethod = pm
}

func yes(b *bool) bool { return b == nil || *b }

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

func (m *Model) loadInvoice(s seedInvoice) {
	at, c := m.now-s.Ago, m.customers.get(s.Customer)
	in := &invoice{id: s.ID, customer: s.Customer, currency: or(s.Currency, "usd"), created: at, start: at, end: at,
		status: s.Status, reason: "manual", collection: "charge_automatically", owner: c.owner()}
	for _, l := range s.Lines {
		line := line{id: m.mint("il"), amount: l.Amount, description: l.Description, quantity: 1, start: at, end: at, discountable: true}
		if l.Quantity != nil {
			line.quantity = *l.Quantity
		}
		if l.Price != "" {
			p := m.prices.must(l.Price)
			line.price, line.unit = p.id, per(l.Amount, line.quantity)
			if line.unit != nil && !line.unit.IsInt() {
				line.unit = nil // how a fraction of a unit is shown, the seed format does not say
			}
			if p.every != nil {
				line.end = p.every.from(at, 1)
			}
		}
		in.lines = append(in.lines, line)
		in.total += l.Amount
	}
	in.subtotal, in.due = in.total, in.total
	m.invoices.add(s.ID, in)
	if s.Status == "draft" {
		return
	}
	in.endingBalance, in.ended = 0, true
	in.number, in.finalized = m.number(c), at
	switch s.Status {
	case "void":
		in.voided = at
	case "uncollectible":
		in.uncollectible = at
	case "paid":
		in.paidAt, in.paid = at, in.total
		if len(s.Charges) == 0 {
			in.offStripe = in.total
			in.attempted = in.total <= 0 // as when a finalization leaves nothing to pay
		}
	}
	for i, ch := range s.Charges {
		amount := in.total
		if ch.Amount != nil {
			amount = *ch.Amount
		}
		in.attempted, in.attempts = true, 1
		m.loadCharge(in, i == 0, ch.ID, amount, ch.Refunded, c.defaultMethod)
	}
}

// loadCharge makes a charge, its intent, and what else it would have left.
func (m *Model) loadCharge(in *invoice, first bool, id string, amount, refunded int64, pm string) {
	at := in.created
	const words = "Payment for Invoice"
	pi := m.mint("pi")
	m.intents.add(pi, &intent{id: pi, amount: amount, received: amount, currency: in.currency, customer: in.customer,
		description: words, created: at, method: pm, charge: id, status: "succeeded", captureMethod: "automatic",
		confirmation: "automatic", secret: m.mint("secret")})
	ch := &charge{id: id, amount: amount, captured: amount, isCaptured: true, refunded: refunded, currency: in.currency, customer: in.customer,
		description: words, created: at, intent: pi, method: pm, status: "succeeded"}
	if pm != "" {
		ch.card = m.methods.must(pm).card
	}
	m.charges.add(id, ch)
	tx := m.transact(&transaction{amount: amount, fee: cardFee(amount), kind: "charge", category: "charge", source: id,
		currency: in.currency, description: words, created: at, available: businessDays(at, 2)})
	ch.tx = tx
	if refunded > 0 {
		m.transact(&transaction{amount: -refunded, kind: "refund", category: "refund", currency: in.currency,
			description: "REFUND FOR CHARGE (" + words + ")", created: at, available: businessDays(at, 2)})
	}
	pay := m.mint("inpay")
	m.payments.add(pay, &payment{id: pay, invoice: in.id, intent: pi, requested: amount, paid: amount, currency: in.currency,
		created: at, isDefault: first, status: "paid", paidAt: at})
}

func (m *Model) loadDispute(s seedDispute) {
	ch := m.charges.must(s.Charge)
	amount := ch.amount
	if s.Amount != nil {
		amount = *s.Amount
	}
	m.openDispute(s.ID, ch.id, amount, or(s.Reason, "general"), or(s.Status, "needs_response"), m.now-s.Ago)
}

// loadSubscription reads a subscription of the seed.
func (m *Model) loadSubscription(s seedSubscription) {
	p, at := m.prices.must(s.Price), m.now-s.Ago
	start, end := at, int64(0)
	if s.Start != nil {
		start = *s.Start
	}
	sub := &subscription{id: s.ID, customer: s.Customer, currency: p.currency, created: at, startDate: at,
		collection: "charge_automatically", status: s.Status, missing: "create_invoice"}
	if s.TrialEnd != nil && *s.TrialEnd > m.now {
		sub.trialStart, sub.trialEnd = start, *s.TrialEnd
		sub.status, end = "trialing", *s.TrialEnd
	}
	if s.TrialEnd != nil && *s.TrialEnd <= m.now {
		sub.trialStart, sub.trialEnd = at, *s.TrialEnd
	}
	sub.status = or(sub.status, "active")
	sub.anchor, end = m.inferAnchor(s, p.every, at, start, end)
	quantity := int64(1)
	if s.Quantity != nil {
		quantity = *s.Quantity
	}
	si := m.mint("si")
	sub.items = []subItem{{id: si, price: s.Price, quantity: quantity, created: at, start: start, end: end}}
	if s.CancelAtEnd {
		sub.cancelAtEnd, sub.cancelAt, sub.canceled, sub.cancelReason = true, end, start, "cancellation_requested"
		if sub.status == "paused" { // its last period may be over
			sub.cancelAt = max(end, m.now)
		}
	}
	if sub.status == "canceled" || sub.status == "incomplete_expired" {
		sub.canceled, sub.ended = at, at
	}
	m.subs.add(s.ID, sub)
	if sub.status == "trialing" && sub.trialEnd-3*86400 > m.now {
		sub.warnAt, sub.warnSeq = sub.trialEnd-3*86400, m.nextSeq()
	}
	if c := m.customers.get(s.Customer); c.currency == "" {
		c.currency = p.currency
	}
}

// inferAnchor finds the anchor that makes a subscription's period one of its rhythm.
func (m *Model) inferAnchor(s seedSubscription, every *rhythm, created, start, end int64) (anchor, ends int64) {
	if s.End != nil {
		end = *s.End
	}
	if s.Anchor != nil {
		if end == 0 {
			end = every.next(*s.Anchor, start)
		}
		return *s.Anchor, end
	}
	if s.TrialEnd != nil && *s.TrialEnd > m.now {
		return *s.TrialEnd, end
	}
	for _, from := range []int64{created, start} {
		if end == 0 || every.next(from, start) == end && every.isBoundary(from, start) {
			if end == 0 {
				end = every.next(from, start)
			}
			return from, end
		}
	}
	return end, end
}
