package gen

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"worlds/seed"
)

const (
	day  = 86400
	hour = 3600
)

// saas builds the seed of one small software company.
type saas struct {
	document
	plans []plan
}

// plan is a price as the company sells it.
type plan struct {
	key      string // as in an account's row
	product  string
	title    string
	amount   int64
	currency string
	interval string // empty for a one-time price
	retired  bool
	months   int64 // age before the epoch
}

// opened is an account with what it has so far.
type opened struct {
	number   int
	customer *customer
	sub      *subscription // the last one opened, nil for none
	plan     plan
	created  int64
	invoices int
	charges  int
	subs     int
}

// SaaSBillingSmall returns the seed saas-billing-small: a company that sells a
// subscription product to a few dozen customers, with the situations of a
// support desk planted among them. docs/seed.md lists those.
func SaaSBillingSmall() []byte {
	b := &saas{document: document{name: "saas-billing-small", version: 1}, plans: saasPlans()}
	b.addCatalog()
	for i, a := range saasAccounts() {
		o := b.open(i+1, a)
		for _, plant := range a.plants {
			plant(b, o)
		}
	}
	return b.bytes()
}

func (b *saas) addCatalog() {
	for _, p := range saasProducts() {
		p.CreatedOffset = epoch - monthStart(36)
		b.products = append(b.products, p)
	}
	for _, p := range b.plans {
		row := price{ID: p.id(), Product: p.product, UnitAmount: p.amount, Currency: p.currency, Nickname: p.title,
			CreatedOffset: epoch - monthStart(p.months)}
		if p.interval != "" {
			row.Recurring = &recurring{p.interval, 1}
		}
		if p.retired {
			row.Active = new(bool)
		}
		b.prices = append(b.prices, row)
	}
}

// open adds an account's customer, its subscription and the paid invoices of
// its last a.paid periods.
func (b *saas) open(number int, a account) *opened {
	label := fmt.Sprintf("customer %d", number)
	created := monthStart(a.months) + pick(label+" day", 28)*day + businessHour(label)
	o := &opened{number: number, created: created}
	o.customer = &customer{ID: fmt.Sprintf("cus_seed%04d", number), Name: a.name, Email: a.email,
		Description: a.company, Phone: a.phone, CreatedOffset: epoch - created, PaymentMethod: a.card}
	if a.source != "" {
		o.customer.Metadata = &metadata{Source: a.source}
	}
	b.customers = append(b.customers, o.customer)
	if a.plan != "" {
		// People look around for a few minutes before they subscribe.
		b.subscribe(o, a.plan, a.seats, created+120+pick(label+" hesitation", 1200), a.paid)
	}
	return o
}

// subscribe opens a subscription anchored at the given moment, in the period
// that holds the epoch, and bills its last paid periods.
func (b *saas) subscribe(o *opened, planKey string, seats, anchor int64, paid int) {
	o.plan = b.find(planKey)
	rhythm := seed.Recurring{Interval: o.plan.interval, IntervalCount: 1}
	var starts []int64
	for at := anchor; at <= epoch; at = rhythm.Boundary(anchor, int64(len(starts))) {
		starts = append(starts, at)
	}
	o.subs++
	o.sub = &subscription{ID: fmt.Sprintf("sub_seed%02d%02d", o.number, o.subs), Customer: o.customer.ID, Price: o.plan.id(),
		Quantity: max(seats, 1), CurrentPeriodStart: starts[len(starts)-1], CurrentPeriodEnd: rhythm.Next(anchor, epoch),
		CreatedOffset: epoch - anchor}
	b.subscriptions = append(b.subscriptions, o.sub)
	for _, start := range starts[max(0, len(starts)-paid):] {
		b.pay(o, b.invoice(o, "paid", start, o.plan.line(o.sub.Quantity)))
	}
}

// invoice adds an invoice in the currency of the account's plan, dollars without one.
func (b *saas) invoice(o *opened, status string, created int64, lines ...line) *invoice {
	o.invoices++
	in := &invoice{ID: fmt.Sprintf("in_seed%02d%02d", o.number, o.invoices), Customer: o.customer.ID, Status: status,
		Currency: "usd", CreatedOffset: epoch - created, Lines: lines}
	if o.plan.currency != "" {
		in.Currency = o.plan.currency
	}
	b.invoices = append(b.invoices, in)
	return in
}

// pay adds a charge of an invoice's total and returns it.
func (b *saas) pay(o *opened, in *invoice) *charge {
	var total int64
	for _, l := range in.Lines {
		total += l.Amount
	}
	o.charges++
	in.Charges = append(in.Charges, charge{ID: fmt.Sprintf("ch_seed%02d%02d", o.number, o.charges), Amount: total})
	return &in.Charges[len(in.Charges)-1]
}

// last returns the account's newest invoice.
func (b *saas) last() *invoice { return b.invoices[len(b.invoices)-1] }

// find returns the plan of a key. It panics if there is none: the tables name it.
func (b *saas) find(key string) plan {
	for _, p := range b.plans {
		if p.key == key {
			return p
		}
	}
	panic("gen: no plan " + key)
}

func (p plan) id() string { return "price_seed_" + p.key }

// line bills n units of the plan in the words that live invoices use.
func (p plan) line(n int64) line {
	description := p.title
	if p.interval != "" {
		description = fmt.Sprintf("%d × %s (at %s / %s)", n, p.title, money(p.amount, p.currency), p.interval)
	}
	return line{Description: description, Amount: n * p.amount, Quantity: n, Price: p.id()}
}

// money writes an amount below a million with its currency's sign.
func money(amount int64, currency string) string {
	if currency == "jpy" {
		if amount >= 1000 {
			return fmt.Sprintf("¥%d,%03d", amount/1000, amount%1000)
		}
		return fmt.Sprintf("¥%d", amount)
	}
	sign := "$"
	if currency == "eur" {
		sign = "€"
	}
	if amount >= 100_000 {
		return fmt.Sprintf("%s%d,%03d.%02d", sign, amount/100_000, amount/100%1000, amount%100)
	}
	return fmt.Sprintf("%s%d.%02d", sign, amount/100, amount%100)
}

// monthStart returns the first moment of the month that many months before the epoch.
func monthStart(months int64) int64 {
	return seed.Recurring{Interval: "month", IntervalCount: 1}.Boundary(epoch, -months)
}

// businessHour returns a second of the day between 08:00 and 18:00 UTC.
func businessHour(label string) int64 { return 8*hour + pick(label+" hour", 10*hour) }

// pick returns a number from 0 to n-1 that depends on the label alone.
func pick(label string, n int64) int64 {
	sum := sha256.Sum256([]byte("saas-billing-small: " + label))
	return int64(binary.BigEndian.Uint32(sum[:4])) % n
}
