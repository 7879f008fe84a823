package seed_test

import (
	"crypto/sha256"
	"os"
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
