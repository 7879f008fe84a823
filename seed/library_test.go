package seed_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"worlds/seed"
)

// situation is something planted in saas-billing-small: its name in docs/seed.md
// and how it is found in the data. find returns the ids that the document lists.
type situation struct {
	name string
	want int
	find func(d *seed.Data) []string
}

var situations = []situation{
	{"charged twice", 1, invoicesWhere(func(i seed.Invoice) bool { return len(i.Charges) == 2 && i.Charges[0].Amount == i.Charges[1].Amount })},
	{"partly refunded", 1, chargesWhere(func(c seed.Charge) bool { return 0 < c.AmountRefunded && c.AmountRefunded < c.Amount })},
	{"wholly refunded", 1, chargesWhere(func(c seed.Charge) bool { return c.AmountRefunded == c.Amount })},
	{"open and long past due", 1, invoicesWhere(func(i seed.Invoice) bool { return i.Status == "open" && i.CreatedOffset > 30*86400 })},
	{"open since a few days", 1, invoicesWhere(func(i seed.Invoice) bool { return i.Status == "open" && i.CreatedOffset <= 30*86400 })},
	{"void", 1, invoicesWhere(func(i seed.Invoice) bool { return i.Status == "void" })},
	{"uncollectible", 1, invoicesWhere(func(i seed.Invoice) bool { return i.Status == "uncollectible" })},
	{"draft", 1, invoicesWhere(func(i seed.Invoice) bool { return i.Status == "draft" })},
	{"paid by bank transfer", 1, invoicesWhere(func(i seed.Invoice) bool { return i.Status == "paid" && len(i.Charges) == 0 })},
	{"credit on a line", 1, invoicesWhere(func(i seed.Invoice) bool {
		return slices.ContainsFunc(i.Lines, func(l seed.Line) bool { return l.Amount < 0 })
	})},
	{"two accounts, one email", 2, twins(func(a, b seed.Customer) bool { return a.Email != "" && a.Email == b.Email })},
	{"namesakes", 2, twins(func(a, b seed.Customer) bool { return a.Name == b.Name && a.Email != b.Email })},
	{"no email", 1, customersWhere(func(_ *seed.Data, c seed.Customer) bool { return c.Email == "" })},
	{"name beyond ASCII", 6, customersWhere(func(_ *seed.Data, c seed.Customer) bool {
		return strings.ContainsFunc(c.Name, func(r rune) bool { return r > 127 })
	})},
	{"no subscription", 5, customersWhere(func(d *seed.Data, c seed.Customer) bool { return subscriptionsOf(d, c) == 0 })},
	{"two subscriptions", 1, customersWhere(func(d *seed.Data, c seed.Customer) bool { return subscriptionsOf(d, c) == 2 })},
	{"leaves at the period's end", 2, subscriptionsWhere(func(_ *seed.Data, s seed.Subscription) bool { return s.CancelAtPeriodEnd })},
	{"yearly", 5, subscriptionsWhere(func(d *seed.Data, s seed.Subscription) bool { return priceOf(d, s).Recurring.Interval == "year" })},
	{"retired price", 1, subscriptionsWhere(func(d *seed.Data, s seed.Subscription) bool { return !priceOf(d, s).Active })},
	{"yen", 1, subscriptionsWhere(func(d *seed.Data, s seed.Subscription) bool { return priceOf(d, s).Currency == "jpy" })},
	{"euro", 3, subscriptionsWhere(func(d *seed.Data, s seed.Subscription) bool { return priceOf(d, s).Currency == "eur" })},
	{"billed at month ends", 1, subscriptionsWhere(func(_ *seed.Data, s seed.Subscription) bool {
		return s.CurrentPeriodEnd/86400*86400 == 1769817600 && s.CurrentPeriodStart/86400*86400 == 1767139200
	})},
	{"renews within six hours", 1, subscriptionsWhere(func(_ *seed.Data, s seed.Subscription) bool { return s.CurrentPeriodEnd-epoch <= 6*3600 })},
}

const epoch = 1767225600

func invoicesWhere(is func(seed.Invoice) bool) func(*seed.Data) []string {
	return func(d *seed.Data) (ids []string) {
		for _, i := range d.Invoices {
			if is(i) {
				ids = append(ids, i.ID)
			}
		}
		return ids
	}
}

func chargesWhere(is func(seed.Charge) bool) func(*seed.Data) []string {
	return func(d *seed.Data) (ids []string) {
		for _, i := range d.Invoices {
			for _, c := range i.Charges {
				if is(c) {
					ids = append(ids, c.ID)
				}
			}
		}
		return ids
	}
}

func customersWhere(is func(*seed.Data, seed.Customer) bool) func(*seed.Data) []string {
	return func(d *seed.Data) (ids []string) {
		for _, c := range d.Customers {
			if is(d, c) {
				ids = append(ids, c.ID)
			}
		}
		return ids
	}
}

func twins(alike func(a, b seed.Customer) bool) func(*seed.Data) []string {
	return customersWhere(func(d *seed.Data, c seed.Customer) bool {
		return slices.ContainsFunc(d.Customers, func(o seed.Customer) bool { return o.ID != c.ID && alike(c, o) })
	})
}

func subscriptionsWhere(is func(*seed.Data, seed.Subscription) bool) func(*seed.Data) []string {
	return func(d *seed.Data) (ids []string) {
		for _, s := range d.Subscriptions {
			if is(d, s) {
				ids = append(ids, s.ID)
			}
		}
		return ids
	}
}

func subscriptionsOf(d *seed.Data, c seed.Customer) (n int) {
	for _, s := range d.Subscriptions {
		if s.Customer == c.ID {
			n++
		}
	}
	return n
}

func priceOf(d *seed.Data, s seed.Subscription) seed.Price {
	return d.Prices[slices.IndexFunc(d.Prices, func(p seed.Price) bool { return p.ID == s.Price })]
}

func lookup(t testing.TB, name string) *seed.Seed {
	t.Helper()
	s, err := seed.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestLibrarySeedsAreValidServedAndNamedAsTheyAre(t *testing.T) {
	if !slices.IsSorted(seed.Names()) {
		t.Errorf("names are not in order: %q", seed.Names())
	}
	for _, name := range seed.Names() {
		s := lookup(t, name)
		if s.Document.Name != name {
			t.Errorf("%s calls itself %s", name, s.Document.Name)
		}
		if features := s.Unserved(); len(features) > 0 {
			t.Errorf("%s uses what is not served: %q", name, features)
		}
	}
}

func TestLookupOfAnUnknownNameSuggests(t *testing.T) {
	_, err := seed.Lookup("saas-biling-small")
	var unknown *seed.Unknown
	if !errors.As(err, &unknown) || !strings.Contains(err.Error(), `did you mean "saas-billing-small"?`) {
		t.Errorf("got %v", err)
	}
}

// The document is the promise: each situation is in the data as often as it
// says, and its row in docs/seed.md names exactly the ids that the data has.
func TestSmallSaaSHoldsItsPlantedSituations(t *testing.T) {
	docs, err := os.ReadFile("../docs/seed.md")
	if err != nil {
		t.Fatal(err)
	}
	data := &lookup(t, "saas-billing-small").Document.Data
	for _, s := range situations {
		ids := s.find(data)
		if len(ids) != s.want {
			t.Errorf("%s: found %d, want %d: %q", s.name, len(ids), s.want, ids)
		}
		row := fmt.Sprintf("| %s | `%s` |", s.name, strings.Join(ids, "` `"))
		if !strings.Contains(string(docs), row) {
			t.Errorf("docs/seed.md lacks the row\n%s", row)
		}
	}
}

func TestSmallSaaSIsBelievable(t *testing.T) {
	s := lookup(t, "saas-billing-small")
	d := &s.Document.Data
	for _, row := range []struct {
		what      string
		got, want int
	}{
		{"customers", len(d.Customers), 40},
		{"invoices", len(d.Invoices), 60},
		{"subscriptions", len(d.Subscriptions), 25},
		{"products", len(d.Products), 4},
	} {
		if row.got < row.want {
			t.Errorf("%d %s, want at least %d", row.got, row.what, row.want)
		}
	}
	if s.Document.Epoch != epoch {
		t.Errorf("epoch %d", s.Document.Epoch)
	}
	created := map[string]int64{}
	for _, c := range d.Customers {
		created[c.ID] = c.CreatedOffset
		if c.Email != "" && !strings.HasSuffix(c.Email, ".example") {
			t.Errorf("%s: the address %s might be someone's", c.ID, c.Email)
		}
	}
	for _, sub := range d.Subscriptions {
		if sub.CurrentPeriodStart > epoch || sub.CurrentPeriodEnd <= epoch {
			t.Errorf("%s: the period does not hold the epoch", sub.ID)
		}
		if p := priceOf(d, sub); p.Recurring.Next(sub.BillingCycleAnchor, sub.CurrentPeriodStart) != sub.CurrentPeriodEnd {
			t.Errorf("%s: the period is not one interval of its price", sub.ID)
		}
		if sub.CreatedOffset > created[sub.Customer] {
			t.Errorf("%s: older than its customer", sub.ID)
		}
	}
	for _, in := range d.Invoices {
		if in.CreatedOffset > created[in.Customer] {
			t.Errorf("%s: older than its customer", in.ID)
		}
	}
	dana := d.Customers[0]
	if dana.Name != "Dana Doublepay" || dana.Email != "dana@doublepay.example" {
		t.Errorf("the first customer is %s <%s>", dana.Name, dana.Email)
	}
}

func TestExampleInTheDocumentIsASeed(t *testing.T) {
	docs, err := os.ReadFile("../docs/seed.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(docs), "```json\n")
	example, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("docs/seed.md has no example")
	}
	if s, err := seed.Parse([]byte(example)); err != nil || len(s.Unserved()) > 0 {
		t.Errorf("the example: %v", err)
	}
}
