package spec_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stripe/stripe-mock/embedded"

	"worlds/twin/stripe/spec"
)

func TestLookup(t *testing.T) {
	rows := []struct{ request, want string }{
		{"GET /v1/customers", "/v1/customers map[]"},
		{"POST /v1/customers/cus_1", "/v1/customers/{customer} map[customer:cus_1]"},
		{"GET /v1/customers/search", "/v1/customers/search map[]"},
		{"POST /v1/customers/search", "/v1/customers/{customer} map[customer:search]"},
		{"GET /v1/charges/ch_1/refunds/re_1", "/v1/charges/{charge}/refunds/{refund} map[charge:ch_1 refund:re_1]"},
		{"GET /v1/invoices/upcoming", "/v1/invoices/{invoice} map[invoice:upcoming]"},
		{"POST /v1/subscriptions/sub_1/pause", "/v1/subscriptions/{subscription}/pause map[subscription:sub_1]"},
		{"PUT /v1/customers", "none"},
		{"DELETE /v1/customers", "none"},
		{"GET /v1/customers/", "none"},
		{"GET /v1/customers//sources", "none"},
		{"GET /v1", "none"},
		{"GET ", "none"},
		{"GET v1/customers", "none"},
		{"GET /v1/unicorns", "none"},
		{"POST /v1/customers/cus_1/unicorns", "none"},
	}
	for _, row := range rows {
		method, path, _ := strings.Cut(row.request, " ")
		got := "none"
		if op, variables, ok := spec.Lookup(method, path); ok {
			got = fmt.Sprintf("%s %v", op.Path, variables)
		}
		if got != row.want {
			t.Errorf("%s: got %s, want %s", row.request, got, row.want)
		}
	}
}

func TestParam(t *testing.T) {
	rows := []struct{ operation, path, want string }{
		{"GET /v1/customers", "email", "string"},
		{"GET /v1/customers", "limit", "integer"},
		{"GET /v1/customers", "created", "object|integer"},
		{"GET /v1/customers", "created gte", "integer"},
		{"GET /v1/customers", "expand", "array"},
		{"GET /v1/customers", "expand 0", "string"},
		{"GET /v1/customers", "expand ", "string"},
		{"GET /v1/customers", "expand x", "none"},
		{"GET /v1/customers", "name", "none"},
		{"GET /v1/customers", "", "none"},
		{"GET /v1/customers/search", "query", "string, required"},
		{"POST /v1/customers", "metadata", "map, unset"},
		{"POST /v1/customers", "metadata any", "string"},
		{"POST /v1/customers", "metadata any deeper", "none"},
		{"POST /v1/customers", "address city", "string"},
		{"POST /v1/customers", "address planet", "none"},
		{"POST /v1/customers", "tax_exempt", "enum(exempt,none,reverse), unset"},
		{"POST /v1/refunds", "reason", "enum(duplicate,fraudulent,requested_by_customer)"},
		{"POST /v1/refunds", "amount", "integer"},
		{"POST /v1/refunds", "reverse_transfer", "boolean"},
		{"POST /v1/subscriptions", "items 0 price", "string"},
		{"POST /v1/subscriptions", "items price", "string"},
		{"POST /v1/subscriptions", "items 0 price_data recurring interval", "enum(day,month,week,year), required"},
		{"POST /v1/subscriptions", "items 0 current_trial trial_offer", "string, required"},
		{"POST /v1/subscriptions", "application_fee_percent", "number, unset"},
		{"POST /v1/subscriptions", "trial_end", "enum(now)|integer"},
		{"POST /v1/invoiceitems/ii_1", "invoicing_rules", "string, unset"},
		{"POST /v1/invoices/create_preview", "subscription_details items 3 current_trial", "object"},
		{"POST /v1/payment_intents/pi_1/confirm", "mandate_data customer_acceptance online", "object"},
		{"POST /v1/subscriptions/sub_1/pause", "bill_for unused_time_from type", "enum(item_current_period_start,none,now), required"},
	}
	for _, row := range rows {
		method, path, _ := strings.Cut(row.operation, " ")
		op, _, ok := spec.Lookup(method, path)
		if !ok {
			t.Fatalf("no %s", row.operation)
		}
		var segments []string
		if row.path != "" {
			segments = strings.Split(row.path, " ")
		}
		got := "none"
		if p, ok := op.Param(segments); ok {
			got = describe(p)
		}
		if got != row.want {
			t.Errorf("%s %s: got %s, want %s", row.operation, row.path, got, row.want)
		}
	}
}

func describe(p spec.Param) string {
	var forms []string
	for _, f := range p.Forms {
		text := f.Kind.String()
		if f.Kind == spec.Enum {
			text += "(" + strings.Join(f.Values, ",") + ")"
		}
		forms = append(forms, text)
	}
	text := strings.Join(forms, "|")
	if p.Unset {
		text += ", unset"
	}
	if p.Required {
		text += ", required"
	}
	return text
}

// TestEverythingIsFound walks the document, not the table, and asks for each
// operation and each parameter by its bracket path.
func TestEverythingIsFound(t *testing.T) {
	var doc document
	if err := json.Unmarshal(embedded.OpenAPISpec, &doc); err != nil {
		t.Fatal(err)
	}
	operations, params := 0, 0
	for path, methods := range doc.Paths {
		for method, op := range methods {
			operations++
			found, variables, ok := spec.Lookup(strings.ToUpper(method), strings.NewReplacer("{", "", "}", "").Replace(path))
			if !ok || found.Path != path || len(variables) != strings.Count(path, "{") {
				t.Errorf("%s %s: found %+v %v", method, path, found, variables)
				continue
			}
			params += findAll(t, found, nil, op.form(), false)
		}
	}
	if operations != 594 || params < 10_000 {
		t.Errorf("walked %d operations and %d parameters, want 594 and more than ten thousand", operations, params)
	}
	if got := len(spec.Operations()); got != operations+1 {
		t.Errorf("the table has %d operations, want one more than the document", got)
	}
}

// findAll returns how many parameters it asked for. Within a choice of two
// objects it does not look at what one of them requires.
func findAll(t *testing.T, op *spec.Operation, at []string, s *schema, choice bool) int {
	count := 0
	if s.Items != nil {
		count += findAll(t, op, append(slices.Clone(at), "0"), s.Items, choice)
	}
	for _, b := range s.AnyOf {
		count += findAll(t, op, at, b, choice || objects(s.AnyOf) > 1)
	}
	for name, inner := range s.Properties {
		path := append(slices.Clone(at), name)
		p, ok := op.Param(path)
		if !ok || p.Name != name {
			t.Errorf("%s %s: %q not found", op.Method, op.Path, path)
		}
		if want := slices.Contains(s.Required, name); p.Required != want && !choice {
			t.Errorf("%s %s: %q: required %v, want %v", op.Method, op.Path, path, p.Required, want)
		}
		count += 1 + findAll(t, op, path, inner, choice)
	}
	return count
}

func objects(branches []*schema) int {
	count := 0
	for _, b := range branches {
		if b.Properties != nil {
			count++
		}
	}
	return count
}

// TestEveryFieldReads reads each operation's whole tree from the table.
func TestEveryFieldReads(t *testing.T) {
	var read func(params []spec.Param)
	read = func(params []spec.Param) {
		for _, p := range params {
			if len(p.Forms) == 0 {
				t.Errorf("%q has no form", p.Name)
			}
			for _, f := range p.Forms {
				read(f.Fields())
				if f.Elem != nil {
					read([]spec.Param{*f.Elem})
				}
			}
		}
	}
	for _, op := range spec.Operations() {
		read(op.Params())
	}
}

func BenchmarkLookup(b *testing.B) {
	for b.Loop() {
		spec.Lookup("POST", "/v1/charges/ch_1/refunds/re_1")
	}
}

func BenchmarkParam(b *testing.B) {
	op, _, _ := spec.Lookup("POST", "/v1/subscriptions")
	path := []string{"items", "0", "price_data", "recurring", "interval"}
	for b.Loop() {
		op.Param(path)
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		spec.Load()
	}
}
