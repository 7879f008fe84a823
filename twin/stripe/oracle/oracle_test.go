package oracle_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stripe/stripe-mock/embedded"

	"worlds/twin/stripe/oracle"
)

// fixtures are Stripe's own sample objects, by name.
func fixtures(t testing.TB) map[string]json.RawMessage {
	t.Helper()
	var doc struct {
		Resources map[string]json.RawMessage `json:"resources"`
	}
	if err := json.Unmarshal(embedded.OpenAPIFixtures, &doc); err != nil {
		t.Fatal(err)
	}
	return doc.Resources
}

// unfit are the fixtures that break Stripe's own document, with all they
// break: samples of objects that it does not publish, of older versions, and
// with placeholders for ids and urls.
var unfit = map[string]string{
	"account":                                 "/settings/payments: unknown: statement_descriptor_prefix_kana, statement_descriptor_prefix_kanji",
	"billing.alert_triggered":                 `(body): oracle: the document has no component "billing.alert_triggered"`,
	"billing.credit_balance_summary":          `/customer/id: got "obj_123", want the prefix cus_`,
	"billing.credit_grant":                    `/customer/id: got "obj_123", want the prefix cus_`,
	"customer":                                `/discount/id: got "obj_123", want the prefix di_`,
	"entitlements.active_entitlement_summary": `(body): oracle: the document has no component "entitlements.active_entitlement_summary"` + "\n" + `/entitlements/url: got "url", which no operation lists`,
	"event": "/data/object: unknown: aggregate_usage",
	"financial_connections.account_ownership": `/owners/url: got "url", which no operation lists`,
	"financial_connections.authorization":     `(body): oracle: the document has no component "financial_connections.authorization"`,
	"invoice":                                 "(body): unknown: subscription",
	"invoice_payment":                         `/id: got "obj_123", want the prefix inpay_`,
	"payment_source":                          "/settings/payments: unknown: statement_descriptor_prefix_kana, statement_descriptor_prefix_kanji",
	"reserve.hold":                            `(body): oracle: the document has no component "reserve.hold"`,
	"reserve.plan":                            `(body): oracle: the document has no component "reserve.plan"`,
	"reserve.release":                         `(body): oracle: the document has no component "reserve.release"`,
	"sigma.sigma_api_query":                   "(body): unknown: created_via, error, result, status",
	"subscription":                            `/pending_update/discount/id: got "obj_123", want the prefix di_`,
	"subscription_schedule":                   "/phases/0/items/0: unknown: plan",
	"terminal.refund":                         "(body): unknown: object",
}

func TestStripesOwnFixtures(t *testing.T) {
	all := fixtures(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		var head struct {
			Object string `json:"object"`
		}
		if err := json.Unmarshal(all[name], &head); err != nil {
			t.Fatal(err)
		}
		if head.Object == "" || strings.HasPrefix(name, "deleted_") {
			continue // never the payload of an event
		}
		got := ""
		if err := oracle.Default().Object(head.Object, all[name]); err != nil {
			got = err.Error()
		}
		if got != unfit[name] {
			t.Errorf("%s:\n got %s\nwant %s", name, got, unfit[name])
		}
	}
}

// edit returns the fixture with what a change makes of it.
func edit(t testing.TB, name string, change func(map[string]any)) []byte {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal(fixtures(t)[name], &fields); err != nil {
		t.Fatal(err)
	}
	// Two of the fixtures' own faults would hide the planted ones.
	delete(fields, "discount")
	if name == "subscription" {
		delete(fields, "pending_update")
	}
	change(fields)
	body, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func set(key string, v any) func(map[string]any) {
	return func(m map[string]any) { m[key] = v }
}

func drop(key string) func(map[string]any) {
	return func(m map[string]any) { delete(m, key) }
}

// TestPlantedFaults shows that each kind of wrong answer is caught, alone and
// by name.
func TestPlantedFaults(t *testing.T) {
	object := func(name, id string) map[string]any { return map[string]any{"object": name, "id": id} }
	rows := []struct {
		what, fixture string
		change        func(map[string]any)
		want          string
	}{
		{"as it is", "charge", func(map[string]any) {}, ""},
		{"allowed though undeclared", "subscription", set("quantity", 2), ""},
		{"expandable as an id", "charge", set("customer", "cus_1"), ""},
		{"missing created", "charge", drop("created"), "(body): missing: created"},
		{"wrong type", "charge", set("paid", "yes"), "/paid: got string, want boolean"},
		{"bad enum", "charge", set("status", "refunded"), "/status: value must be one of 'failed', 'pending', 'succeeded'"},
		{"null in non-nullable", "charge", set("amount", nil), "/amount: got null, want integer"},
		{"float amount", "charge", set("amount", 10.5), "/amount: got number, want integer"},
		{"amount with a point", "charge", set("amount", json.RawMessage("1000.0")), "/amount: got 1000.0, want an integer without point or exponent"},
		{"amount as a string", "charge", set("amount", "1000"), "/amount: got string, want integer"},
		{"period on the subscription", "subscription", set("current_period_end", 1), "(body): unknown: current_period_end"},
		{"unknown key", "charge", set("paid_twice", true), "(body): unknown: paid_twice"},
		{"unknown nested key", "charge", set("billing_details", map[string]any{"fax": "1"}), "/billing_details: unknown: fax"},
		{"expanded object lacks keys", "charge", set("balance_transaction", object("balance_transaction", "txn_1")),
			"/balance_transaction: missing: amount, available_on, balance_type, created, currency, fee, fee_details, net, reporting_category, status, type"},
		{"expanded stub that is not deleted", "charge", set("customer", map[string]any{"object": "customer", "id": "cus_1", "deleted": false}),
			"/customer/deleted: value must be true"},
		{"another object expanded", "charge", set("balance_transaction", object("refund", "re_1")),
			"/balance_transaction: missing: amount, available_on, balance_type, created, currency, fee, fee_details, net, reporting_category, status, type\n/balance_transaction/object: value must be 'balance_transaction'"},
		{"number for an expandable", "charge", set("customer", 7),
			"/customer: fits no branch of the union: got number, want string; got number, want object; got number, want object; got number, want null"},
		{"metadata value", "charge", set("metadata", map[string]any{"n": 1}), "/metadata/n: got number, want string"},
		{"id prefix", "charge", set("id", "cus_1"), `/id: got "cus_1", want the prefix ch_ or py_`},
		{"nested list's url", "subscription", func(m map[string]any) { m["items"].(map[string]any)["url"] = "/v1/sub_items" },
			`/items/url: got "/v1/sub_items", which no operation lists`},
		{"wrong object", "charge", set("object", "card"), "/id: got \"ch_1PgafuB7WZ01zgkWXYmPNZs8\", want the prefix card_\n/object: got card, want \"charge\""},
	}
	for _, row := range rows {
		t.Run(row.what, func(t *testing.T) {
			got := ""
			if err := oracle.Default().Object(row.fixture, edit(t, row.fixture, row.change)); err != nil {
				got = err.Error()
			}
			if got != row.want {
				t.Errorf("\n got %s\nwant %s", got, row.want)
			}
		})
	}
}

func TestResponse(t *testing.T) {
	charge := string(edit(t, "charge", func(map[string]any) {}))
	refund := string(edit(t, "refund", func(map[string]any) {}))
	list := func(url, data string) string {
		return `{"object":"list","data":[` + data + `],"has_more":false,"url":"` + url + `"}`
	}
	event := func(kind, object, previous string) string {
		return `{"id":"evt_1","object":"event","api_version":"2026-08-26.dahlia","created":1,"data":{"object":` + object + previous +
			`},"livemode":false,"pending_webhooks":0,"request":null,"type":"` + kind + `"}`
	}
	failure := func(inner string) string {
		return `{"error":{"message":"m","type":"invalid_request_error"` + inner + `}}`
	}
	rows := []struct {
		request string
		status  int
		body    string
		want    string
	}{
		{"GET /v1/charges/ch_1", 200, charge, ""},
		{"GET /v1/charges/ch_1?expand[]=customer", 200, charge, ""},
		{"GET /v1/charges?limit=1", 200, list("/v1/charges", charge), ""},
		{"GET /v1/charges", 200, list("/v1/charges?limit=1", charge), "/url: got /v1/charges?limit=1, want the request's path /v1/charges"},
		{"GET /v1/charges", 200, list("/v1/charges", refund), "/data/0/object: value must be 'charge'"},
		{"GET /v1/charges", 200, charge, "/object: value must be 'list'"},
		{"POST /v1/refunds", 200, refund, ""},
		{"POST /v1/refunds", 201, refund, "oracle: status 201: Stripe answers 200, 4xx or 5xx only"},
		{"DELETE /v1/customers/cus_1", 200, `{"id":"cus_1","object":"customer","deleted":true}`, ""},
		{"DELETE /v1/customers/cus_1", 200, `{"id":"cus_1","object":"customer"}`, "(body): missing: deleted"},
		{"GET /v1/customers/cus_1", 200, `{"id":"cus_1","object":"customer","deleted":true}`, ""},
		{"GET /v1/customers/search", 200, `{"object":"search_result","data":[],"has_more":false,"next_page":null,"url":"/v1/customers/search"}`, ""},
		{"GET /v1/unicorns", 200, `{}`, "oracle: status 200, but Stripe has no such operation"},
		{"GET /v1/unicorns", 404, failure(""), ""},
		{"GET /v1/charges/ch_1", 404, failure(`,"code":"resource_missing","doc_url":"https://stripe.com/docs/error-codes/resource-missing","param":"id"`), ""},
		{"GET /v1/charges/ch_1", 404, failure(`,"code":"resource_missing"`), `/error/doc_url: got "", want "https://stripe.com/docs/error-codes/resource-missing"`},
		{"GET /v1/charges/ch_1", 404, failure(`,"param":null`), "/error/param: got null, want string"},
		{"GET /v1/charges/ch_1", 404, `{"error":{"message":"m"}}`, "/error: missing: type"},
		{"GET /v1/charges/ch_1", 404, `{"error":{"type":"rate_limit_error"}}`, "/error/type: value must be one of 'api_error', 'card_error', 'idempotency_error', 'invalid_request_error'"},
		{"GET /v1/charges/ch_1", 404, charge, "missing: error"},
		{"GET /v1/charges/ch_1", 500, "oops", "oracle: the body is not JSON"},
		{"GET /v1/events", 200, list("/v1/events", event("charge.refunded", charge, `,"previous_attributes":{"refunded":false}`)), ""},
		{"GET /v1/events/evt_1", 200, event("charge.refund", charge, ""), `/type: oracle: no event type "charge.refund"`},
		{"GET /v1/events/evt_1", 200, event("charge.refunded", charge, `,"previous_attributes":{"was":1}`), "/data/previous_attributes/was: the object has no such key"},
		{"GET /v1/events/evt_1", 200, event("charge.refunded", strings.Replace(charge, `"paid":`, `"piad":`, 1), ""), "/data/object: missing: paid"},
	}
	for _, row := range rows {
		method, path, _ := strings.Cut(row.request, " ")
		got := ""
		if err := oracle.Default().Response(method, path, row.status, []byte(row.body)); err != nil {
			got = err.Error()
		}
		if (row.want == "" && got != "") || !strings.Contains(got, row.want) {
			t.Errorf("%s → %d\n got %s\nwant %s", row.request, row.status, got, row.want)
		}
	}
}

// TestEveryOperationCompiles reaches each operation's schema once, with a body
// that fits none, so that a document with a keyword that does not convert is
// noticed.
func TestEveryOperationCompiles(t *testing.T) {
	var doc struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal(embedded.OpenAPISpec, &doc); err != nil {
		t.Fatal(err)
	}
	o, err := oracle.New()
	if err != nil {
		t.Fatal(err)
	}
	operations := 0
	for path, methods := range doc.Paths {
		for method := range methods {
			operations++
			err := o.Response(strings.ToUpper(method), path, http.StatusOK, []byte("7"))
			if err == nil || !strings.Contains(err.Error(), "got number") && !strings.Contains(err.Error(), "does not answer JSON") {
				t.Errorf("%s %s: %v", method, path, err)
			}
		}
	}
	if operations != 594 {
		t.Errorf("%d operations, want 594", operations)
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		if _, err := oracle.New(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkResponse(b *testing.B) {
	body := edit(b, "charge", func(map[string]any) {})
	for b.Loop() {
		if err := oracle.Default().Response("GET", "/v1/charges/ch_1", 200, body); err != nil {
			b.Fatal(err)
		}
	}
}
