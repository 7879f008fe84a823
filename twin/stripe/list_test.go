package stripe_test

import (
	"strings"
	"testing"
)

// Order and page edges when many objects share one second.
func TestPagesOfOneSecond(t *testing.T) {
	r := newRig(t, qaBase)
	ids := map[string]string{"": ""}
	names := map[string]string{}
	for _, name := range []string{"c1", "c2", "c3", "c4", "c5"} {
		ids[name] = r.ok("POST /v1/customers email=same@example.com name=" + name).get("id")
		names[ids[name]] = name
	}
	for _, row := range [][2]string{
		{"limit=2", "c5 c4 true"},
		{"limit=2&starting_after=c4", "c3 c2 true"},
		{"limit=2&ending_before=c2", "c4 c3 true"},
		{"limit=3&ending_before=c2", "c5 c4 c3 false"},
		{"limit=2&ending_before=c5", " false"},
		{"limit=5&email=same@example.com", "c5 c4 c3 c2 c1 false"},
		{"limit=4&email=same@example.com", "c5 c4 c3 c2 true"},
		{"email=same@example.com&starting_after=c2&limit=1", "c1 false"},
		{"email=same@example.com&starting_after=c1", " false"},
		{"email=SAME@example.com", " false"},
		{"email=same@example.com&ending_before=c1&limit=1", "c2 true"},
		{"email=same@example.com&starting_after=cus_qa01", " false"},
		{"limit=100&starting_after=c1", "cus_qa02 cus_qa01 false"},
	} {
		query := row[0]
		for name, id := range ids {
			query = strings.ReplaceAll(query, "="+name+"&", "="+id+"&")
			if name != "" && strings.HasSuffix(query, "="+name) {
				query = strings.TrimSuffix(query, name) + id
			}
		}
		page := r.ok("GET /v1/customers?" + query)
		var got []string
		for _, id := range strings.Fields(page.each("id")) {
			if name := names[id]; name != "" {
				id = name
			}
			got = append(got, id)
		}
		if got := strings.Join(got, " ") + " " + page.get("has_more"); got != row[1] {
			t.Errorf("%s: %s, want %s", row[0], got, row[1])
		}
	}
}

// Every list refuses the same things in the same words.
func TestListRefusals(t *testing.T) {
	r := newRig(t, qaBase)
	refund := r.ok("POST /v1/refunds charge=ch_qa01 amount=1")
	customer := r.ok("GET /v1/customers/cus_qa01")
	event := r.ok("GET /v1/events").get("data.0.id")
	for _, list := range []struct{ url, noun, some string }{
		{"/v1/customers", "customer", "cus_qa01"},
		{"/v1/products", "product", "prod_qa01"},
		{"/v1/prices", "price", "price_qa_m"},
		{"/v1/charges", "charge", "ch_qa01"},
		{"/v1/refunds", "refund", refund.get("id")},
		{"/v1/charges/ch_qa01/refunds", "refund", refund.get("id")},
		{"/v1/payment_intents", "payment_intent", refund.get("payment_intent")},
		{"/v1/balance_transactions", "balance_transaction", refund.get("balance_transaction")},
		{"/v1/payment_methods", "PaymentMethod", customer.get("invoice_settings.default_payment_method")},
		{"/v1/customers/cus_qa01/payment_methods", "PaymentMethod", customer.get("invoice_settings.default_payment_method")},
		{"/v1/events", "event", event},
	} {
		for _, row := range [][2]string{
			{"limit=0", "400 parameter_invalid_integer limit This value must be greater than or equal to 1."},
			{"limit=101", "400 parameter_invalid_integer limit This value must be less than or equal to 100."},
			{"limit=abc", "400 parameter_invalid_integer limit Invalid integer: abc"},
			{"limit=", "400 parameter_invalid_empty limit " + emptyNotAllowed("limit")},
			{"starting_after=x_nope", "400 resource_missing starting_after No such " + list.noun + ": 'x_nope'"},
			{"ending_before=x_nope", "400 resource_missing ending_before No such " + list.noun + ": 'x_nope'"},
			{"starting_after=" + list.some + "&ending_before=x_nope", "400 resource_missing ending_before No such " + list.noun + ": 'x_nope'"},
			{"starting_after=" + list.some + "&ending_before=" + list.some, "400 - - Received both starting_after and ending_before parameters. Please pass in only one."},
			{"created[about]=1", "400 parameter_unknown created[about] Received unknown parameter: created[about]"},
			{"created=yesterday", "400 parameter_invalid_integer created Invalid integer: yesterday"},
			{"created[gt]=1.5", "400 parameter_invalid_integer created[gt] Invalid integer: 1.5"},
			{"page=2", "400 parameter_unknown page Received unknown parameter: page"},
			{"expand[]=data", "400 - expand This property cannot be expanded (data). You may want to try expanding 'data.data' instead."},
		} {
			if strings.HasPrefix(row[0], "created") && strings.HasSuffix(list.url, "payment_methods") || strings.HasPrefix(row[0], "created") && strings.HasSuffix(list.url, "ch_qa01/refunds") {
				continue
			}
			r.refused("GET "+list.url+"?"+row[0], row[1])
		}
	}
}

// What cannot be expanded is refused whether there are rows or not.
func TestExpansionOfAnEmptyList(t *testing.T) {
	r := newRig(t, qaBase)
	for _, list := range []string{"/v1/customers?email=nobody@example.com", "/v1/charges?customer=cus_qa02", "/v1/subscriptions?status=canceled", "/v1/refunds?"} {
		r.refused("GET "+list+"&expand[]=data.nonsense", "400 - expand This property cannot be expanded (data.nonsense).")
	}
	r.ok("GET /v1/customers?email=nobody@example.com&expand[]=data.test_clock&expand[]=data.invoice_settings.default_payment_method")
	r.ok("GET /v1/subscriptions?status=canceled&expand[]=data.default_payment_method&expand[]=data.latest_invoice")
	r.refused("GET /v1/customers?"+strings.Repeat("expand[]=data.test_clock&", 51), "400 - expand Invalid array: must have at most 50 elements")
}

// A reference that is never set here can be asked for, as Stripe's guides do, and
// is null.
func TestExpansionOfWhatIsNeverThere(t *testing.T) {
	r := newRig(t, qaBase)
	sub := r.ok("POST /v1/subscriptions customer=cus_qa01 items[0][price]=price_qa_m expand[]=pending_setup_intent expand[]=latest_invoice.confirmation_secret")
	for _, path := range []string{"application", "default_source", "on_behalf_of", "pending_setup_intent", "schedule"} {
		if a := r.ok("GET /v1/subscriptions/" + sub.get("id") + " expand[]=" + path); a.get(path) != "null" && a.get(path) != "" {
			t.Errorf("%s is %s", path, a.get(path))
		}
	}
	for _, path := range []string{"application", "default_source", "on_behalf_of"} {
		r.ok("GET /v1/invoices/in_qa01 expand[]=" + path)
	}
}
