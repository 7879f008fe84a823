package stripe_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stripe/stripe-mock/embedded"

	"worlds/twin/stripe"
)

// expandSchema is what Stripe's document says of a schema that matters to expansion.
type expandSchema struct {
	Ref        string                   `json:"$ref"`
	AnyOf      []expandSchema           `json:"anyOf"`
	Enum       []any                    `json:"enum"`
	Items      *expandSchema            `json:"items"`
	Properties map[string]*expandSchema `json:"properties"`
	Expandable []string                 `json:"x-expandableFields"`
	Resources  *struct{}                `json:"x-expansionResources"`
}

// notHere are the paths that the document has and the twin has not, and why.
var notHere = map[string]string{}

// What Stripe's document says can be expanded can be, of every kind that is served.
func TestExpansionsAgainstTheDocument(t *testing.T) {
	var document struct {
		Components struct{ Schemas map[string]*expandSchema }
	}
	if err := json.Unmarshal(embedded.OpenAPISpec, &document); err != nil {
		t.Fatal(err)
	}
	schemas := document.Components.Schemas
	catalog := stripe.Catalog()
	kinds := map[string]bool{}
	for _, k := range catalog.Kinds() {
		kinds[k.Object] = true
	}
	named := func(s *expandSchema) (*expandSchema, string) {
		if s.Ref == "" {
			return s, ""
		}
		name := s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]
		object := ""
		if o := schemas[name].Properties["object"]; o != nil && len(o.Enum) == 1 {
			object, _ = o.Enum[0].(string)
		}
		return schemas[name], object
	}
	for object := range kinds {
		schema := schemas[strings.ReplaceAll(object, "test_helpers.", "test_helpers.")]
		if schema == nil {
			continue
		}
		has := catalog.Expands(object, "")
		var walk func(s *expandSchema, prefix string, depth int)
		follow := func(p *expandSchema, path string, depth int) {
			if p.Items != nil {
				p = p.Items
			}
			if p.Resources != nil {
				if !slices.Contains(has, path) && notHere[object+" "+path] == "" {
					t.Errorf("%s: %s expands", object, path)
				}
				return
			}
			for _, one := range append([]expandSchema{*p}, p.AnyOf...) {
				inner, kind := named(&one)
				switch {
				case kinds[kind], inner.Properties["data"] != nil && inner.Properties["has_more"] != nil:
					if !slices.Contains(has, path) && len(inner.Expandable) > 0 {
						t.Errorf("%s: %s leads on", object, path)
					}
				case depth < 4:
					walk(inner, path+".", depth+1)
				}
			}
		}
		walk = func(s *expandSchema, prefix string, depth int) {
			for _, name := range s.Expandable {
				if p := s.Properties[name]; p != nil {
					follow(p, prefix+name, depth)
				}
			}
		}
		walk(schema, "", 1)
	}
}

// What is never set stays as it is when it is asked to be expanded.
func TestExpansionsOfNothing(t *testing.T) {
	r := newRig(t, qaBase)
	r.ok("POST /v1/subscriptions customer=cus_qa02 items[0][price]=price_qa_m")
	for _, row := range [...][3]string{
		{"/v1/charges/ch_qa01", "transfer", "transfer"},
		{"/v1/charges/ch_qa01", "transfer_data.destination", "transfer_data"},
		{"/v1/charges/ch_qa01", "outcome.rule", "outcome.rule"},
		{"/v1/charges", "data.outcome.rule", "data.0.outcome.rule"},
		{"/v1/customers/cus_qa02", "tax_ids", "tax_ids.data"},
		{"/v1/customers/cus_qa02", "cash_balance", "cash_balance"},
		{"/v1/customers/cus_qa02", "tax", "tax.location"},
		{"/v1/invoices/in_qa01", "issuer.account", "issuer.account"},
		{"/v1/invoices/in_qa01", "automatic_tax.liability.account", "automatic_tax.liability"},
		{"/v1/invoice_payments?invoice=in_qa01", "data.payment.charge", "data.0.payment.charge"},
		{"/v1/subscriptions?customer=cus_qa02", "data.invoice_settings.issuer.account", "data.0.invoice_settings.issuer.account"},
		{"/v1/subscriptions?customer=cus_qa02", "data.cancellation_details.feedback_option", "data.0.cancellation_details.feedback_option"},
		{"/v1/subscriptions?customer=cus_qa02", "data.transfer_data.destination", "data.0.transfer_data"},
		{"/v1/account", "settings.branding.logo", "settings.branding.logo"},
	} {
		join := "?"
		if strings.Contains(row[0], "?") {
			join = "&"
		}
		if got := r.ok("GET " + row[0] + join + "expand[]=" + row[1]).get(row[2]); got != "" && got != "null" && got != "[]" {
			t.Errorf("%s of %s: %s", row[1], row[0], got)
		}
	}
	r.refused("GET /v1/charges/ch_qa01?expand[]=outcome.reason", "400 - expand This property cannot be expanded (outcome.reason).")
}

// What could never be expanded is refused below what happens to be null or empty too.
func TestExpansionsBelowNothing(t *testing.T) {
	r := newRig(t, qaBase)
	r.ok("POST /v1/subscriptions customer=cus_qa02 items[0][price]=price_qa_m")
	for _, row := range [...][2]string{
		{"/v1/charges/ch_qa01?expand[]=transfer_data.nonsense", "transfer_data.nonsense"},
		{"/v1/charges/ch_qa01?expand[]=transfer_data.amount", "transfer_data.amount"},
		{"/v1/invoices/in_qa01?expand[]=automatic_tax.liability.type", "automatic_tax.liability.type"},
		{"/v1/subscriptions?expand[]=data.pending_update.metadata", "data.pending_update.metadata"},
		{"/v1/subscriptions?expand[]=data.billing_schedules.applies_to.nonsense", "data.billing_schedules.applies_to.nonsense"},
		{"/v1/invoices/in_qa01?expand[]=discounts.nonsense", "discounts.nonsense"},
	} {
		r.refused("GET "+row[0], "400 - expand This property cannot be expanded ("+row[1]+").")
	}
	for _, path := range []string{"transfer_data.destination", "application.x"} {
		if got := r.do("GET /v1/charges/ch_qa01?expand[]=" + path); got.Status != 200 {
			t.Errorf("%s: %s", path, got.Body)
		}
	}
}

// A line of an older version leads to its subscription item, which has no row.
func TestExpandSubscriptionItem(t *testing.T) {
	r := newRig(t, qaBase)
	s := r.ok("POST /v1/subscriptions customer=cus_qa02 items[0][price]=price_qa_m")
	a := r.in("2024-06-20", "GET /v1/invoices/"+s.get("latest_invoice")+"?expand[]=lines.data.subscription_item")
	if got := a.get("lines.data.0.subscription_item.id") + a.get("lines.data.0.subscription_item.object"); got != s.get("items.data.0.id")+"subscription_item" {
		t.Errorf("%s", a.Body)
	}
}
