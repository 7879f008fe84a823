package seed_test

import (
	"fmt"
	"strings"
	"testing"

	"worlds/seed"
)

// manyCustomers is a document of n customers, each with a paid invoice and a subscription.
func manyCustomers(n int) []byte {
	var customers, invoices, subscriptions []string
	for i := range n {
		customers = append(customers, fmt.Sprintf(`{"id":"cus_%d","name":"Customer %d","email":"c%d@c.example","metadata":{"row":"%d"}}`, i, i, i, i))
		invoices = append(invoices, fmt.Sprintf(`{"id":"in_%d","customer":"cus_%d","status":"paid","lines":[{"description":"Pro","amount":4000,"price":"price_a"}],"charges":[{"id":"ch_%d"}]}`, i, i, i))
		subscriptions = append(subscriptions, fmt.Sprintf(`{"id":"sub_%d","customer":"cus_%d","price":"price_a"}`, i, i))
	}
	return []byte(`{"name":"many","version":1,"epoch":1767225600,"data":{"customers":[` + strings.Join(customers, ",") +
		`],"products":[{"id":"prod_a","name":"A"}],"prices":[{"id":"price_a","product":"prod_a","unit_amount":4000,"recurring":{"interval":"month"}}],"invoices":[` +
		strings.Join(invoices, ",") + `],"subscriptions":[` + strings.Join(subscriptions, ",") + `]}}`)
}

func BenchmarkParse(b *testing.B) {
	src := manyCustomers(2000)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := seed.Parse(src); err != nil {
			b.Fatal(err)
		}
	}
}
