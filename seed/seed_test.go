package seed_test

import (
	"crypto/sha256"
	"os"
	"slices"
	"testing"

	"worlds/seed"
)

func readBase(t testing.TB) []byte {
	t.Helper()
	src, err := os.ReadFile("testdata/base.json")
	if err != nil {
		t.Fatal(err)
	}
	return src
}

func TestParseFillsInDefaults(t *testing.T) {
	s, err := seed.Parse(readBase(t))
	if err != nil {
		t.Fatal(err)
	}
	if s.Hash != sha256.Sum256(s.Canonical) {
		t.Error("the hash is not that of the canonical bytes")
	}
	customer := s.Document.Data.Customers[0]
	if customer.PaymentMethod != seed.DefaultPaymentMethod || string(customer.Metadata) != "{}" || customer.CreatedOffset != 0 {
		t.Errorf("customer without defaults: %+v", customer)
	}
	if price := s.Document.Data.Prices[2]; !price.Active || !price.Recurring.IsZero() {
		t.Errorf("one-time price: %+v", price)
	}
	if got := s.Document.Data.Invoices[0].Charges[0].Amount; got != 4000 {
		t.Errorf("charge amount %d, want 4000", got)
	}
}

// What a document leaves out, in the words of docs/seed.md.
func TestDefaults(t *testing.T) {
	s, err := seed.Parse([]byte(readFull(t)))
	if err != nil {
		t.Fatal(err)
	}
	d, data := s.Document, s.Document.Data
	for _, row := range []struct {
		what      string
		got, want any
	}{
		{"null payment_method", data.Customers[1].PaymentMethod, ""},
		{"null name", data.Customers[1].Name, ""},
		{"active", data.Products[1].Active, true},
		{"metadata", string(data.Products[1].Metadata), "{}"},
		{"metadata as written", string(data.Customers[0].Metadata), `{"tier":"gold"}`},
		{"currency of a price", data.Prices[1].Currency, "usd"},
		{"currency of an invoice", data.Invoices[2].Currency, "usd"},
		{"created_offset", data.Invoices[2].CreatedOffset, int64(0)},
		{"quantity of a line", data.Invoices[1].Lines[0].Quantity, int64(1)},
		{"price of a line", data.Invoices[1].Lines[0].Price, ""},
		{"amount of a charge", data.Invoices[0].Charges[1].Amount, int64(4000)},
		{"amount_refunded", data.Invoices[0].Charges[1].AmountRefunded, int64(0)},
		{"quantity of a subscription", data.Subscriptions[1].Quantity, int64(1)},
		{"current_period_start", data.Subscriptions[1].CurrentPeriodStart, int64(epoch)},
		{"current_period_end", data.Subscriptions[1].CurrentPeriodEnd, int64(epoch + 31*86400)},
		{"billing_cycle_anchor", data.Subscriptions[1].BillingCycleAnchor, int64(epoch)},
		{"cancel_at_period_end", data.Subscriptions[1].CancelAtPeriodEnd, false},
		{"status during a trial", data.Subscriptions[1].Status, "trialing"},
		{"status as written", data.Subscriptions[0].Status, "past_due"},
		{"retry_days as written", len(d.Settings.Dunning.RetryDays), 2},
	} {
		if row.got != row.want {
			t.Errorf("%s: %v, want %v", row.what, row.got, row.want)
		}
	}

	bare, err := seed.Parse([]byte(`{"name":"bare","version":1,"epoch":1767225600}`))
	if err != nil {
		t.Fatal(err)
	}
	b := bare.Document
	if b.ClockMode != seed.ClockManual || b.AutoTickSeconds != 1 || b.Settings.TestClocks || b.Settings.IdempotencyKeys != seed.KeysAlias ||
		!slices.Equal(b.Settings.Dunning.RetryDays, []int64{3, 5, 7}) || b.Settings.Dunning.Exhausted != "cancel" || b.Zendesk != nil {
		t.Errorf("bare document: %+v", b)
	}
}

func TestSubscriptionPeriodByDefault(t *testing.T) {
	for _, row := range []struct {
		what, keys string
		start, end int64
	}{
		{"from the creation", `"created_offset":86400`, epoch - 86400, epoch + 30*86400},
		{"from the start", `"current_period_start":1769817600`, 1769817600, 1772236800},                                        // 31 January to 28 February
		{"to the anchor's day", `"current_period_start":1772236800,"billing_cycle_anchor":1769817600`, 1772236800, 1774915200}, // to 31 March
	} {
		s, err := seed.Parse([]byte(`{"name":"period","version":1,"epoch":1767225600,"data":{"customers":[{"id":"cus_a"}],"products":[{"id":"prod_a","name":"A"}],` +
			`"prices":[{"id":"price_a","product":"prod_a","unit_amount":1,"recurring":{"interval":"month"}}],` +
			`"subscriptions":[{"id":"sub_a","customer":"cus_a","price":"price_a",` + row.keys + `}]}}`))
		if err != nil {
			t.Fatal(err)
		}
		if sub := s.Document.Data.Subscriptions[0]; sub.CurrentPeriodStart != row.start || sub.CurrentPeriodEnd != row.end {
			t.Errorf("%s: %d to %d, want %d to %d", row.what, sub.CurrentPeriodStart, sub.CurrentPeriodEnd, row.start, row.end)
		}
	}
}

func TestUnservedNamesWhatADocumentUses(t *testing.T) {
	s, err := seed.Parse([]byte(readFull(t)))
	if err != nil {
		t.Fatal(err)
	}
	served, err := seed.Parse(readBase(t))
	if err != nil {
		t.Fatal(err)
	}
	if got := served.Unserved(); len(got) != 0 {
		t.Errorf("plain seed: %q", got)
	}
	if got := s.Unserved(); len(got) != 0 {
		t.Errorf("full seed: %q", got)
	}
}
