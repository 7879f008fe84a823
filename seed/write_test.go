package seed_test

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"worlds/seed"
)

// What JSON writes reads as the document it was written from.
func TestWrittenDocumentsReadAsTheyWere(t *testing.T) {
	full, err := os.ReadFile("testdata/full.json")
	if err != nil {
		t.Fatal(err)
	}
	sources := [][]byte{full}
	for _, name := range seed.Names() {
		src, _ := seed.Source(name)
		sources = append(sources, src)
	}
	for _, src := range sources {
		was, err := seed.Parse(src)
		if err != nil {
			t.Fatal(err)
		}
		again, err := seed.Parse(was.Document.JSON())
		if err != nil {
			t.Fatalf("%s: %v", was.Document.Name, err)
		}
		if diff := cmp.Diff(was.Document, again.Document, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s reads differently after it was written:\n%s", was.Document.Name, diff)
		}
	}
}

// What the format cannot hold goes, and so does what refers to it; the rest stays.
func TestMendedDocumentsAreSeeds(t *testing.T) {
	d := seed.Document{Name: "x", Version: 1, Epoch: 1767225600, Data: seed.Data{
		Customers: []seed.Customer{{ID: "cus_a", Email: "no address", Phone: "123456789012345678901"}, {ID: "odd id"}},
		Products:  []seed.Product{{ID: "prod/odd", Name: "P"}, {ID: "prod_b", Name: "P"}},
		Prices:    []seed.Price{{ID: "price_a", Product: "prod/odd", Currency: "usd"}, {ID: "price_b", Product: "prod_b", Currency: "usd"}},
		Invoices: []seed.Invoice{{ID: "in_a", Customer: "odd id", Status: "open", Currency: "usd", Lines: []seed.Line{{Description: "l", Quantity: 1}}},
			{ID: "in_b", Customer: "cus_a", Status: "open", Currency: "usd", Lines: []seed.Line{{Description: "l", Amount: -1, Quantity: 1}}}},
	}}
	lost := map[string]int{}
	made, err := d.Mended(func(what string) { lost[what]++ })
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{"customers": 1, "customers.email": 1, "customers.phone": 1, "products": 1, "prices": 1, "invoices": 2}
	if diff := cmp.Diff(want, lost); diff != "" {
		t.Error(diff)
	}
	if got := made.Document.Data; len(got.Customers) != 1 || len(got.Products) != 1 || len(got.Prices) != 1 || len(got.Invoices) != 0 {
		t.Errorf("%+v", got)
	}
	d.Name = "Not Kebab"
	if _, err := d.Mended(func(string) {}); err == nil {
		t.Error("a name cannot be mended")
	}
}
