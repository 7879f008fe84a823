package seed_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"worlds/seed"
)

func disputesWhere(is func(*seed.Data, seed.Dispute) bool) func(*seed.Data) []string {
	return func(d *seed.Data) (ids []string) {
		for _, p := range d.Disputes {
			if is(d, p) {
				ids = append(ids, p.ID)
			}
		}
		return ids
	}
}

func status(word string) func(*seed.Data) []string {
	return subscriptionsWhere(func(_ *seed.Data, s seed.Subscription) bool { return s.Status == word })
}

// ofCustomer finds the subscriptions of the customers of a name.
func ofCustomer(name string) func(*seed.Data) []string {
	return subscriptionsWhere(func(d *seed.Data, s seed.Subscription) bool {
		return slices.ContainsFunc(d.Customers, func(c seed.Customer) bool { return c.ID == s.Customer && c.Name == name })
	})
}

func chargeOf(d *seed.Data, id string) (found seed.Charge) {
	for _, in := range d.Invoices {
		for _, c := range in.Charges {
			if c.ID == id {
				found = c
			}
		}
	}
	return found
}

func answers(word string) func(*seed.Data) []string {
	return disputesWhere(func(_ *seed.Data, p seed.Dispute) bool { return p.Status == word })
}

var (
	twice    = invoicesWhere(func(i seed.Invoice) bool { return len(i.Charges) == 2 && i.Charges[0].Amount == i.Charges[1].Amount })
	part     = chargesWhere(func(c seed.Charge) bool { return 0 < c.AmountRefunded && c.AmountRefunded < c.Amount })
	whole    = chargesWhere(func(c seed.Charge) bool { return c.AmountRefunded == c.Amount })
	inStatus = func(word string) func(*seed.Data) []string {
		return invoicesWhere(func(i seed.Invoice) bool { return i.Status == word })
	}
)

// planted lists the situations of the larger seeds. Where there are more than
// listedMax places the document says how many.
var planted = map[string][]situation{
	"saas-billing-mid": {
		{"charged twice", 4, twice},
		{"a third refunded", 5, part},
		{"wholly refunded", 5, whole},
		{"past due", 7, status("past_due")},
		{"unpaid", 4, status("unpaid")},
		{"void, of a customer without a subscription", 6, inStatus("void")},
		{"leaves at the period's end", 11, subscriptionsWhere(func(_ *seed.Data, s seed.Subscription) bool { return s.CancelAtPeriodEnd })},
		{"trial", 7, status("trialing")},
		{"two customers, one email", 8, twins(func(a, b seed.Customer) bool { return a.Email == b.Email })},
		{"namesakes", 6, twins(func(a, b seed.Customer) bool { return a.Name == b.Name })},
		{"no subscription", 200, customersWhere(func(d *seed.Data, c seed.Customer) bool { return subscriptionsOf(d, c) == 0 })},
	},
	"marketplace-orders": {
		{"paid twice", 4, twice},
		{"dispute that waits for an answer", 20, answers("needs_response")},
		{"dispute that was answered", 8, answers("under_review")},
		{"dispute won", 5, answers("won")},
		{"dispute lost, always of one buyer", 4, answers("lost")},
		{"inquiry", 9, answers("warning_needs_response")},
		{"refunded in full, and disputed", 3, disputesWhere(func(d *seed.Data, p seed.Dispute) bool {
			c := chargeOf(d, p.Charge)
			return c.AmountRefunded == c.Amount
		})},
		{"shipping refunded", 50, chargesWhere(func(c seed.Charge) bool { return c.AmountRefunded == 700 && c.Amount > 700 })},
		{"all but shipping refunded", 31, chargesWhere(func(c seed.Charge) bool { return c.AmountRefunded > 700 && c.AmountRefunded == c.Amount-700 })},
		{"wholly refunded", 29, whole},
		{"never paid", 3, inStatus("open")},
		{"paid by bank transfer", 3, invoicesWhere(func(i seed.Invoice) bool { return i.Status == "paid" && len(i.Charges) == 0 })},
	},
	"billing-edges": {
		{"billed at month ends", 4, subscriptionsWhere(func(_ *seed.Data, s seed.Subscription) bool {
			return s.BillingCycleAnchor != 0 && s.BillingCycleAnchor/86400*86400 == 1756598400 || slices.Contains([]string{"sub_edge0002", "sub_edge0007", "sub_edge0008"}, s.ID)
		})},
		{"a leap day", 2, subscriptionsWhere(func(_ *seed.Data, s seed.Subscription) bool { return s.BillingCycleAnchor/86400 == 19782 })},
		{"renews a second after the epoch", 1, ofCustomer("A second after the epoch")},
		{"zero-decimal currency", 3, subscriptionsWhere(func(d *seed.Data, s seed.Subscription) bool {
			return slices.Contains([]string{"jpy", "krw", "clp"}, priceOf(d, s).Currency)
		})},
		{"for nothing", 1, ofCustomer("For nothing")},
		{"the largest charge there is", 1, ofCustomer("The largest charge")},
		{"two currencies", 1, ofCustomer("Two currencies")},
		{"an upgrade in the middle", 1, ofCustomer("An upgrade in the middle")},
		{"below the least charge", 1, ofCustomer("Below the least charge")},
		{"twenty-five lines", 1, invoicesWhere(func(i seed.Invoice) bool { return len(i.Lines) == 25 })},
		{"trial", 5, status("trialing")},
		{"after a trial", 1, ofCustomer("After a trial")},
		{"trial whose card is declined", 1, ofCustomer("Trial whose card will be declined")},
		{"renewal that is declined", 1, ofCustomer("Renewal that will be declined")},
		{"renewal that needs the customer", 1, ofCustomer("Renewal that needs the customer")},
		{"past due", 1, status("past_due")},
		{"unpaid", 1, status("unpaid")},
		{"paused", 1, status("paused")},
		{"leaves at the period's end", 2, subscriptionsWhere(func(_ *seed.Data, s seed.Subscription) bool { return s.CancelAtPeriodEnd })},
	},
}

const listedMax = 12

// What docs/seed.md promises of the larger seeds is in them, as often and in the
// places that it says.
func TestLargerSeedsHoldTheirPlantedSituations(t *testing.T) {
	docs, err := os.ReadFile("../docs/seed.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range seed.Names() {
		data := &lookup(t, name).Document.Data
		_, section, _ := strings.Cut(string(docs), "\n## "+name+"\n")
		section, _, _ = strings.Cut(section, "\n## ")
		for _, s := range planted[name] {
			ids := s.find(data)
			if len(ids) != s.want {
				t.Errorf("%s: %s: found %d, want %d: %q", name, s.name, len(ids), s.want, ids)
			}
			row := fmt.Sprintf("| %s | `%s` |", s.name, strings.Join(ids, "` `"))
			if len(ids) > listedMax {
				row = fmt.Sprintf("| %s | %d, the first is `%s` |", s.name, len(ids), ids[0])
			}
			if !strings.Contains(section, row) {
				t.Errorf("docs/seed.md lacks under %s the row\n%s", name, row)
			}
		}
	}
}
