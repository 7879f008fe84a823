package stripe_test

import (
	"testing"

	"worlds/seed"
)

// A model that has no opinion of a request that changed the world judges the next one,
// in the worlds that populated simulations begin with.
func TestAdoptedWorldIsJudgedOn(t *testing.T) {
	for _, name := range []string{"billing-edges", "saas-billing-small"} {
		t.Run(name, func(t *testing.T) {
			doc, err := seed.Lookup(name)
			if err != nil {
				t.Fatal(err)
			}
			p := newPair(t, string(doc.Canonical))
			p.do("POST", "/v1/charges", "amount=500&currency=usd&source=tok_visa", "")
			p.do("POST", "/v1/customers", "source=tok_visa&name=Ada", "")
			if p.adopted != 2 {
				t.Fatalf("%d changes were adopted, not 2: of one there is an opinion now", p.adopted)
			}
			known := tally.known
			p.do("POST", "/v1/invoiceitems", "customer="+p.ids["customer"][0]+"&amount=700&currency=usd", "")
			p.do("POST", "/v1/coupons", "percent_off=25", "")
			p.advance(p.model.Now() + 3*86400)
			p.do("GET", "/v1/events", "limit=100", "")
			if n := tally.known - known; n != 3 {
				t.Errorf("%d of 3 requests after it were judged", n)
			}
		})
	}
}
