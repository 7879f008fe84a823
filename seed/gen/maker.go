package gen

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"worlds/seed"
)

// maker writes a larger seed. Ids count from 1 in each kind.
type maker struct {
	document
	rhythms map[string]seed.Recurring // of prices
	charges int
}

func newMaker(name string) *maker {
	return &maker{document: document{name: name, version: 1}, rhythms: map[string]seed.Recurring{}}
}

// pick returns a number from 0 to n-1 that depends on the seed and the label alone.
func (m *maker) pick(label string, n int64) int64 {
	sum := sha256.Sum256([]byte(m.name + ": " + label))
	return int64(binary.BigEndian.Uint32(sum[:4])) % n
}

// moment is within a day's business hours, that many days before the epoch.
func (m *maker) moment(label string, daysAgo int64) int64 {
	return epoch - daysAgo*day + 8*hour + m.pick(label+" hour", 10*hour)
}

func (m *maker) product(id, name, description string) {
	m.products = append(m.products, product{ID: id, Name: name, Description: description, CreatedOffset: 1200 * day})
}

// price adds a price; interval "" is paid once.
func (m *maker) price(id, product, nickname string, amount int64, currency, interval string, count int64) {
	p := price{ID: id, Product: product, UnitAmount: amount, Currency: currency, Nickname: nickname, CreatedOffset: 1200 * day}
	if interval != "" {
		p.Recurring = &recurring{interval, count}
		m.rhythms[id] = seed.Recurring{Interval: interval, IntervalCount: count}
	}
	m.prices = append(m.prices, p)
}

func (m *maker) customer(name, email string, created int64) *customer {
	c := &customer{ID: fmt.Sprintf("cus_%s%04d", m.infix(), len(m.customers)+1), Name: name, Email: email, CreatedOffset: epoch - created}
	m.customers = append(m.customers, c)
	return c
}

// infix keeps the ids of different seeds apart.
func (m *maker) infix() string {
	switch m.name {
	case "billing-edges":
		return "edge"
	case "marketplace-orders":
		return "mkt"
	}
	return "mid"
}

// invoice adds an invoice; what is paid has one charge.
func (m *maker) invoice(c *customer, status, currency string, created int64, lines ...line) *invoice {
	in := &invoice{ID: fmt.Sprintf("in_%s%05d", m.infix(), len(m.invoices)+1), Customer: c.ID, Status: status, Currency: currency,
		CreatedOffset: epoch - created, Lines: lines}
	m.invoices = append(m.invoices, in)
	if status == "paid" {
		m.charge(in)
	}
	return in
}

// charge adds a charge of an invoice's total, unless that is nothing.
func (m *maker) charge(in *invoice) {
	var total int64
	for _, l := range in.Lines {
		total += l.Amount
	}
	if total > 0 {
		m.charges++
		in.Charges = append(in.Charges, charge{ID: fmt.Sprintf("ch_%s%05d", m.infix(), m.charges), Amount: total})
	}
}

// subscribe adds a subscription anchored at a moment, in the period that holds the
// epoch.
func (m *maker) subscribe(c *customer, price string, quantity, anchor int64) *subscription {
	r := m.rhythms[price]
	end := r.Next(anchor, epoch)
	start := anchor
	for n := int64(1); r.Boundary(anchor, n) < end; n++ {
		start = r.Boundary(anchor, n)
	}
	s := &subscription{ID: fmt.Sprintf("sub_%s%04d", m.infix(), len(m.subscriptions)+1), Customer: c.ID, Price: price, Quantity: quantity,
		CurrentPeriodStart: start, CurrentPeriodEnd: end, CreatedOffset: epoch - anchor}
	m.subscriptions = append(m.subscriptions, s)
	return s
}

// dispute disputes a charge so many days before the epoch.
func (m *maker) dispute(of charge, amount int64, reason, status string, daysAgo int64) {
	m.disputes = append(m.disputes, dispute{ID: fmt.Sprintf("dp_%s%03d", m.infix(), len(m.disputes)+1), Charge: of.ID, Amount: amount,
		Reason: reason, Status: status, CreatedOffset: daysAgo * day})
}

// find is the price of an id. It panics if there is none: the tables name it.
func (m *maker) find(id string) price {
	for _, p := range m.prices {
		if p.ID == id {
			return p
		}
	}
	panic("gen: no price " + id)
}

// bill is a line of n units of a price.
func (m *maker) bill(id string, n int64) line {
	p := m.find(id)
	return line{Description: fmt.Sprintf("%d × %s", n, p.Nickname), Amount: n * p.UnitAmount, Quantity: n, Price: id}
}

var givenNames = [...]string{"Aaron", "Bianca", "Cedric", "Dalia", "Edgar", "Farah", "Gustav", "Hilda", "Ismael", "Joana", "Kofi", "Lucia", "Magnus",
	"Nora", "Otis", "Paula", "Ravi", "Selma", "Tobias", "Uma", "Viktor", "Wilma", "Yara", "Zoltan", "Amira", "Bruno", "Celia", "Dmitri", "Esther",
	"Felix", "Gloria", "Henrik", "Irene", "Jasper", "Katya", "Leon", "Mina", "Nils", "Olive", "Pavel"}

var familyNames = [...]string{"Adeyemi", "Bergman", "Calloway", "Duarte", "Engström", "Ferrara", "Galloway", "Hendricks", "Iwata", "Jovanovic",
	"Karlsen", "Lombardi", "Marchetti", "Nwosu", "Orlov", "Pasternak", "Quiroga", "Ramsey", "Svensson", "Takeda", "Underwood", "Vasquez", "Whitfield",
	"Xiang", "Yamamoto", "Zielinski", "Ashworth", "Blanchard", "Cordova", "Delacroix", "Eklund", "Fitzroy", "Grunewald", "Haddad", "Ibrahim", "Jankowski",
	"Kaminski", "Lefevre", "Morozov", "Nakamura", "Obrecht", "Petrov", "Rasmussen", "Schaefer", "Thorne", "Ullman", "Vogel", "Winters", "Yeung", "Zamora"}

// person is the n-th of the 2,000 names, from 0, and an address of theirs.
func person(n int, domain string) (name, email string) {
	given, family := givenNames[n%len(givenNames)], familyNames[n/len(givenNames)%len(familyNames)]
	ascii := family
	if family == "Engström" {
		ascii = "Engstrom"
	}
	return given + " " + family, fmt.Sprintf("%s.%s@%s.example", lower(given), lower(ascii), domain)
}

// lower writes ASCII letters small.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
