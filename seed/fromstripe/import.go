package fromstripe

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"worlds/seed"
)

// Options say what of the account the seed may show.
type Options struct {
	Name             string // of the seed, kebab-case
	KeepNames        bool   // names of products and nicknames of prices
	KeepDescriptions bool   // descriptions of invoice lines
	KeepMetadata     bool   // metadata of customers
	Epoch            int64  // 0: midnight UTC after the newest object
}

// Imported is what an import made. Manifest says what became of what, Map leads from
// the ids in the seed and the manifest to those of the account; whoever has it can
// undo the import.
type Imported struct {
	Seed     *seed.Seed
	Manifest []byte
	Map      []byte
	Skipped  int            // objects that a seed cannot represent
	LeftOut  map[string]int // objects beyond the limit, by kind
	Calls    int            // requests that were sent
}

// ErrEpoch says that the chosen epoch is before the newest object.
var ErrEpoch = fmt.Errorf("the epoch is before the newest object")

// Import reads the account and makes a seed of it. The error is a *Refused when the
// account does not answer, a *seed.Invalid for a name that is none, ErrEpoch, or that
// of the context.
func Import(ctx context.Context, src Source, opt Options) (*Imported, error) {
	head := seed.Document{Name: opt.Name, Version: 1, Epoch: cmp.Or(opt.Epoch, emptyEpoch)}
	if _, err := seed.Parse(head.JSON()); err != nil {
		return nil, err // before an account is read for nothing
	}
	r := newReader(src)
	a, err := r.read(ctx)
	if err != nil {
		return nil, err
	}
	made, err := convert(a, opt)
	if made != nil {
		made.Calls = r.calls
	}
	return made, err
}

const daySeconds = 86400

// emptyEpoch is the epoch of an account in which nothing is: 2026-01-01T00:00:00Z.
const emptyEpoch = 1767225600

// converter makes one seed.
type converter struct {
	Options
	doc       seed.Document
	m         manifest
	customers map[string]bool
	products  map[string]bool
	prices    map[string]price
	charges   map[string][]charge // by original id of the invoice
	created   map[string]int64    // of what is in the seed, by section and id there
	newest    int64
}

func convert(a *account, opt Options) (*Imported, error) {
	c := &converter{Options: opt, customers: map[string]bool{}, products: map[string]bool{}, prices: map[string]price{},
		charges: map[string][]charge{}, created: map[string]int64{}, m: newManifest(opt)}
	c.addCatalog(a)
	c.addCustomers(a.customers)
	c.matchCharges(a)
	for _, in := range byAge(a.invoices, func(i invoice) (int64, string) { return i.Created, i.ID }) {
		c.addInvoice(&in)
	}
	for _, s := range byAge(a.subscriptions, func(s subscription) (int64, string) { return s.Created, s.ID }) {
		c.addSubscription(&s)
	}
	c.m.leave(a.more)
	if err := c.date(); err != nil {
		return nil, err
	}
	made, err := c.doc.Mended(func(what string) { c.m.Dropped[what+" beyond the format"]++ })
	if err != nil {
		return nil, err
	}
	out := &Imported{Seed: made, Skipped: len(c.m.Skipped), LeftOut: map[string]int{}}
	for kind, l := range a.more {
		out.LeftOut[kind] = l.Count
	}
	out.Manifest = c.m.json(made)
	out.Map, err = json.MarshalIndent(c.m.private, "", "  ")
	out.Map = append(out.Map, '\n')
	return out, err
}

// byAge orders what the API lists newest first.
func byAge[T any](list []T, age func(T) (int64, string)) []T {
	out := slices.Clone(list)
	slices.SortFunc(out, func(a, b T) int {
		x, i := age(a)
		y, j := age(b)
		return cmp.Or(cmp.Compare(x, y), cmp.Compare(i, j))
	})
	return out
}

// made notes when an object of the seed was created.
func (c *converter) made(id string, at int64) {
	c.created[id] = at
	c.newest = max(c.newest, at)
}

// date fills in the epoch and what is counted from it.
func (c *converter) date() error {
	d := &c.doc
	d.Name, d.Version = c.Name, 1
	d.Epoch = emptyEpoch
	if c.newest > 0 {
		d.Epoch = (c.newest + daySeconds - 1) / daySeconds * daySeconds
	}
	if c.Epoch != 0 {
		if c.Epoch < c.newest {
			return fmt.Errorf("%w: %d, the newest is from %d", ErrEpoch, c.Epoch, c.newest)
		}
		d.Epoch = c.Epoch
	}
	for i := range d.Data.Customers {
		d.Data.Customers[i].CreatedOffset = d.Epoch - c.created[d.Data.Customers[i].ID]
	}
	for i := range d.Data.Products {
		d.Data.Products[i].CreatedOffset = d.Epoch - c.created["product "+d.Data.Products[i].ID]
	}
	for i := range d.Data.Prices {
		d.Data.Prices[i].CreatedOffset = d.Epoch - c.created["price "+d.Data.Prices[i].ID]
	}
	for i := range d.Data.Invoices {
		d.Data.Invoices[i].CreatedOffset = d.Epoch - c.created[d.Data.Invoices[i].ID]
	}
	for i := range d.Data.Subscriptions {
		c.dateSubscription(&d.Data.Subscriptions[i])
	}
	return nil
}

// dateSubscription lets a trial be one at the epoch.
func (c *converter) dateSubscription(s *seed.Subscription) {
	s.CreatedOffset = c.doc.Epoch - c.created[s.ID]
	lasts := s.TrialEnd > c.doc.Epoch
	switch {
	case s.Status == seed.SubscriptionTrialing && !lasts:
		s.Status = seed.SubscriptionActive
	case s.Status != seed.SubscriptionTrialing && lasts:
		s.TrialEnd = 0
	}
}

func (c *converter) addCatalog(a *account) {
	for _, p := range byAge(a.products, func(p product) (int64, string) { return p.Created, p.ID }) {
		c.products[p.ID] = true
		c.made("product "+p.ID, p.Created)
		c.m.verbatim("products", p.ID)
		c.m.drop("products.description", p.Description != "")
		c.doc.Data.Products = append(c.doc.Data.Products, seed.Product{ID: p.ID, Active: p.Active,
			Name: c.free("products.name", c.KeepNames, p.Name, "Product "+short("product", p.ID))})
	}
	for _, p := range byAge(a.prices, func(p price) (int64, string) { return p.Created, p.ID }) {
		switch {
		case !c.products[string(p.Product)]:
			c.m.skip("prices", "price", p.ID, "its product is not in the seed")
			continue
		case p.UnitAmount == nil:
			c.m.skip("prices", "price", p.ID, "it has no whole unit amount")
			continue
		}
		c.prices[p.ID] = p
		c.made("price "+p.ID, p.Created)
		c.m.verbatim("prices", p.ID)
		s := seed.Price{ID: p.ID, Product: string(p.Product), UnitAmount: *p.UnitAmount, Currency: p.Currency, Active: p.Active}
		if p.Nickname != "" {
			s.Nickname = c.free("prices.nickname", c.KeepNames, p.Nickname, planName(p.ID))
		}
		if p.Recurring != nil {
			s.Recurring = seed.Recurring{Interval: p.Recurring.Interval, IntervalCount: max(p.Recurring.IntervalCount, 1)}
		}
		c.doc.Data.Prices = append(c.doc.Data.Prices, s)
	}
}

// free is a text that somebody wrote: kept if asked for, else its placeholder.
func (c *converter) free(field string, keep bool, text, placeholder string) string {
	switch {
	case text == "":
		return placeholder
	case keep:
		c.m.keep(field, text)
		return text
	}
	c.m.Replaced[field]++
	return placeholder
}

func (c *converter) addCustomers(list []customer) {
	addresses := map[string]string{}
	for _, p := range byAge(list, func(p customer) (int64, string) { return p.Created, p.ID }) {
		if p.Deleted {
			c.m.skip("customers", "cus_", p.ID, "it is deleted")
			continue
		}
		s := seed.Customer{ID: c.m.id("cus_", p.ID), PaymentMethod: seed.DefaultPaymentMethod}
		c.customers[p.ID] = true
		c.made(s.ID, p.Created)
		if p.Name != "" {
			s.Name = fakeName(p.ID)
			c.m.Replaced["customers.name"]++
		}
		if p.Email != "" {
			s.Email = sharedAddress(addresses, p.Email, p.ID)
			c.m.Replaced["customers.email"]++
		}
		c.m.drop("customers.description", p.Description != "")
		c.m.drop("customers.phone", p.Phone != "")
		if c.KeepMetadata && len(p.Metadata) > 0 {
			s.Metadata = c.m.metadata(p.Metadata)
		} else {
			c.m.drop("customers.metadata", len(p.Metadata) > 0)
		}
		c.doc.Data.Customers = append(c.doc.Data.Customers, s)
	}
}
