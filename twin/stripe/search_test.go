package stripe_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// found searches and returns the ids.
func found(r *rig, plural, query string) string {
	r.t.Helper()
	return r.ok("GET /v1/" + plural + "/search query=" + url.QueryEscape(query)).each("id")
}

// What each query finds, resource by resource.
func TestSearch(t *testing.T) {
	r := newRig(t, qaBase)
	r.ok("POST /v1/customers/cus_qa01 metadata[tier]=Gold metadata[it's]=x phone=555")
	r.ok("POST /v1/customers/cus_qa02 metadata[tier]=")
	r.ok("POST /v1/prices/price_qa_m lookup_key=monthly")
	r.ok("POST /v1/products/prod_qa01 description=All+of+it")
	sub := r.ok("POST /v1/subscriptions customer=cus_qa01 items[0][price]=price_qa_m")
	gone := r.ok("POST /v1/customers email=ada@example.com").get("id")
	r.ok("DELETE /v1/customers/" + gone)
	for _, row := range [][3]string{
		{"customers", `email:'ada@example.com'`, "cus_qa01"},
		{"customers", `email:"ADA@example.com"`, "cus_qa01"},
		{"customers", `email~"EXAMPLE.com"`, "cus_qa02 cus_qa01"},
		{"customers", `email~"example" AND -name:"Ada Example"`, "cus_qa02"},
		{"customers", `name:'Ada Example' OR name:'Bo Example'`, "cus_qa02 cus_qa01"},
		{"customers", `name:'Ada Example' or name:'nobody'`, "cus_qa01"},
		{"customers", `name:'Ada Example' email:'bo@example.com'`, ""},
		{"customers", `metadata['tier']:'gold'`, "cus_qa01"},
		{"customers", `metadata["tier"]:null`, "cus_qa02"},
		{"customers", `-metadata["tier"]:null`, "cus_qa01"},
		{"customers", `metadata['it\'s']:'x'`, "cus_qa01"},
		{"customers", `phone:null`, "cus_qa02"},
		{"customers", `created>=1767225600`, "cus_qa02 cus_qa01"},
		{"customers", `created<1767225600`, ""},
		{"customers", `created:'1767225600'`, "cus_qa02 cus_qa01"},
		{"charges", `amount>9000 AND currency:'jpy'`, "ch_qa04"},
		{"charges", `payment_method_details.card.last4:'4242' AND refunded:'false' AND customer:'cus_qa01' AND amount<4000`, r.ok("GET /v1/charges limit=1").get("data.0.id")},
		{"charges", `payment_method_details.card.last4:4242 AND customer:'cus_qa01' AND amount<4000`, r.ok("GET /v1/charges limit=1").get("data.0.id")},
		{"charges", `payment_method_details.card.exp_year>2030`, ""},
		{"charges", `-status:'succeeded'`, ""},
		{"charges", `disputed:'true'`, ""},
		{"invoices", `status:'open' AND total>1000`, "in_qa02"},
		{"invoices", `number:null`, "in_qa03"},
		{"invoices", `subscription:'` + sub.get("id") + `'`, sub.get("latest_invoice")},
		{"payment_intents", `amount:2000`, r.ok("GET /v1/payment_intents limit=1").get("data.0.id")},
		{"prices", `lookup_key:'monthly' AND active:'true'`, "price_qa_m"},
		{"prices", `type:'one_time'`, "price_qa_jpy"},
		{"products", `description~'all of'`, "prod_qa01"},
		{"products", `shippable:null AND url:null`, "prod_qa01"},
		{"subscriptions", `status:'active'`, sub.get("id")},
		{"subscriptions", `canceled_at:null`, sub.get("id")},
	} {
		if got := found(r, row[0], row[1]); got != row[2] {
			t.Errorf("%s: %s: found %q, want %q", row[0], row[1], got, row[2])
		}
	}
}

// Pages go on where the last one ended, whatever is made meanwhile; every object
// once.
func TestSearchPages(t *testing.T) {
	r := newRig(t, qaBase)
	for i := range 25 {
		r.ok(fmt.Sprintf("POST /v1/customers name=Many metadata[n]=%d", i))
	}
	const query = "GET /v1/customers/search query=name:'Many' "
	first := r.tell(query + "limit=1 expand[]=total_count")
	r.golden("search_page")
	if got := first.get("total_count"); got != "25" {
		t.Errorf("total_count %s", got)
	}
	var seen []string
	page := ""
	for {
		a := r.ok(query + "limit=10" + page)
		seen = append(seen, strings.Fields(a.each("metadata.n"))...)
		if a.get("has_more") == "false" {
			if a.get("next_page") != "null" {
				t.Errorf("a page after the last: %s", a.get("next_page"))
			}
			break
		}
		page = " page=" + a.get("next_page")
		r.ok("POST /v1/customers name=Many metadata[n]=late")
	}
	if got := strings.Join(seen, " "); got != "24 23 22 21 20 19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0" {
		t.Errorf("pages: %s", got)
	}
	if got := r.ok("GET /v1/charges/search query=amount>0 expand[]=data.customer").get("data.0.customer.object"); got != "customer" {
		t.Errorf("expanded: %s", got)
	}
}

func TestSearchRefusals(t *testing.T) {
	r := newRig(t, qaBase)
	const unparsed = "400 - query We were unable to parse your search query. Try using the format `metadata[\"key\"]:\"value\"` to query for metadata or `field:\"value\"` to query for other fields."
	for query, want := range map[string]string{
		`email`:                               unparsed,
		`email:`:                              unparsed,
		`email:ada`:                           unparsed,
		`email:'ada`:                          unparsed,
		`(email:'ada')`:                       unparsed,
		`email:'a' AND name:'b' OR phone:'c'`: unparsed,
		`email:'a' AND`:                       unparsed,
		`metadata:'a'`:                        unparsed,
		`metadata[a]:'a'`:                     unparsed,
		`email['a']:'a'`:                      unparsed,
		`shoe:'46'`:                           "400 - query Field `shoe` is an unsupported search field for resource `customers`. See https://stripe.com/docs/search#query-fields-for-customers for a list of supported fields.",
		`email>'a'`:                           "400 - query Operator `>` is not supported for the field `email`.",
		`created~'1767'`:                      "400 - query Operator `~` is not supported for the field `created`.",
		`email~null`:                          "400 - query Operator `~` is not supported for the field `email`.",
		`created>'soon'`:                      "400 - query Invalid value `soon` for the numeric field `created`.",
		`email~'ex'`:                          "400 - query The operator `~` needs a value of at least 3 characters.",
		strings.Repeat(`name:'a' `, 11):       "400 - query A search query may have at most 10 clauses.",
	} {
		r.refused("GET /v1/customers/search query="+url.QueryEscape(query), want)
	}
	page := r.ok("GET /v1/customers/search limit=1 query=created>0").get("next_page")
	for _, row := range [][2]string{
		{"", "400 parameter_missing query Missing required param: query."},
		{"query=created>0 limit=101", "400 parameter_invalid_integer limit This value must be less than or equal to 100."},
		{"query=created>0 page=2", "400 - page Invalid page token: 2. Use the `next_page` of the same query."},
		{"query=created>1 page=" + page, "400 - page Invalid page token: " + page + ". Use the `next_page` of the same query."},
		{"query=created>0 starting_after=cus_qa01", "400 parameter_unknown starting_after Received unknown parameter: starting_after"},
		{"query=created>0 expand[]=shoe", "400 - expand This property cannot be expanded (shoe). You may want to try expanding 'data.shoe' instead."},
	} {
		r.refused("GET /v1/customers/search "+row[0], row[1])
	}
	r.refused("GET /v1/refunds/search", "404 resource_missing id No such refund: 'search'")
}
