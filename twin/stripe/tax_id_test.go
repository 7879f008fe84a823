package stripe_test

import (
	"strings"
	"testing"
)

// A customer's tax ids: what is known of them, where they show, and what goes with them.
func TestTaxIDs(t *testing.T) {
	r := newRig(t, qaBase)
	const path = "/v1/customers/cus_qa01/tax_ids"
	r.events()
	a := r.ok("POST " + path + " type=eu_vat value=DE123456789")
	id := a.get("id")
	for at, want := range map[string]string{"country": "DE", "customer": "cus_qa01", "owner": `{"customer":"cus_qa01","type":"customer"}`, "type": "eu_vat",
		"value": "DE123456789", "verification.status": "pending"} {
		if got := a.get(at); got != want {
			t.Errorf("%s: %s, want %s", at, got, want)
		}
	}
	for value, want := range map[string]string{"000000000": "verified", "111111111": "unverified", "222222222": "pending"} {
		if got := r.ok("POST " + path + " type=gb_vat value=" + value); got.get("verification.status")+got.get("country") != want+"GB" {
			t.Errorf("%s: %s", value, got.Body)
		}
	}
	r.ok("POST /v1/tax_ids type=us_ein value=12-3456789 owner[type]=customer owner[customer]=cus_qa01")
	r.refused("POST "+path+" type=us_ein value=1", "400 - - A customer can have at most 5 tax IDs.")
	if got := r.ok("GET " + path + "?limit=2"); got.each("type")+got.get("has_more")+got.get("url") != "us_ein gb_vattrue"+path {
		t.Errorf("listed: %s", got.Body)
	}
	if got := r.ok("GET /v1/tax_ids?owner[type]=customer&owner[customer]=cus_qa01&expand[]=data.owner.customer"); got.get("data.4.id") != id || got.get("data.0.owner.customer.id") != "cus_qa01" {
		t.Errorf("listed by owner: %s", got.Body)
	}
	own := r.ok("POST /v1/tax_ids type=us_ein value=98-7654321")
	if got := r.ok("GET /v1/tax_ids"); got.each("id") != own.get("id") || own.get("customer")+own.get("owner.type") != "nullself" {
		t.Errorf("the account's own: %s", got.Body)
	}
	r.ok("DELETE " + path + "/" + id)
	r.refused("GET "+path+"/"+id, "404 resource_missing id No such tax_id: '"+id+"'")
	r.refused("GET "+path+"/"+own.get("id"), "404 resource_missing id No such tax_id: '"+own.get("id")+"'")
	if got := r.events(); !strings.HasPrefix(got, "customer.tax_id.created "+id+"\n") || !strings.HasSuffix(got, "\ncustomer.tax_id.deleted "+id+"\n") {
		t.Errorf("events: %s", got)
	}
	if got := r.ok("GET /v1/customers/cus_qa01?expand[]=tax_ids"); got.get("tax_ids.data.0.type") != "us_ein" {
		t.Errorf("of the customer: %s", got.Body)
	}
}

func TestTaxIDRefusals(t *testing.T) {
	r := newRig(t, qaBase)
	for _, row := range [...][2]string{
		{"POST /v1/tax_ids value=1", "400 parameter_missing type Missing required param: type."},
		{"POST /v1/tax_ids type=us_ein", "400 parameter_missing value Missing required param: value."},
		{"POST /v1/tax_ids type=eu_vat value=123", "400 tax_id_invalid value Invalid value for eu_vat."},
		{"POST /v1/tax_ids type=au_abn value=123", "400 tax_id_invalid value Invalid value for au_abn."},
		{"POST /v1/tax_ids type=us_ein value=1 owner[type]=customer", "400 parameter_missing owner[customer] Missing required param: owner[customer]."},
		{"POST /v1/tax_ids type=us_ein value=1 owner[type]=customer owner[customer]=cus_none", "400 resource_missing owner[customer] No such customer: 'cus_none'"},
		{"POST /v1/tax_ids type=us_ein value=1 owner[type]=self owner[customer]=cus_qa01", "400 - owner[customer] You may only pass owner[customer] when owner[type] is customer."},
		{"POST /v1/tax_ids type=us_ein value=1 owner[type]=account", "501 - owner[type] This twin does not serve owner[type]=account of POST /v1/tax_ids. The world is unchanged."},
		{"POST /v1/customers/cus_none/tax_ids type=us_ein value=1", "404 resource_missing customer No such customer: 'cus_none'"},
		{"DELETE /v1/tax_ids/txi_none", "404 resource_missing id No such tax_id: 'txi_none'"},
		{"POST /v1/customers tax_id_data[0][type]=eu_vat tax_id_data[0][value]=1", "400 tax_id_invalid tax_id_data[0][value] Invalid value for eu_vat."},
	} {
		r.refused(row[0], row[1])
	}
	for line, want := range map[string]string{ // a wrong word goes before what is missing
		"POST /v1/tax_ids type=zz_vat value=1": "type", "POST /v1/tax_ids type=zz_vat": "type",
		"POST /v1/customers tax_id_data[0][type]=zz_vat": "tax_id_data[0][type]",
	} {
		if a := r.do(line); a.Status != 400 || a.get("error.param") != want || !strings.HasPrefix(a.get("error.message"), "Invalid type: must be one of ad_nrt, ") {
			t.Errorf("%s: %s", line, a.Body)
		}
	}
}

// A draft has the tax ids of its customer, and keeps those of when it is finalized.
func TestTaxIDsOfInvoices(t *testing.T) {
	r := newRig(t, qaBase)
	c := r.ok("POST /v1/customers tax_id_data[0][type]=eu_vat tax_id_data[0][value]=FR12345678901 tax_id_data[1][type]=us_ein tax_id_data[1][value]=12-3456789").get("id")
	if got := r.events(); got != "customer.created "+c+"\n"+"customer.tax_id.created "+r.ok("GET /v1/customers/"+c+"/tax_ids").get("data.1.id")+"\ncustomer.tax_id.created "+r.ok("GET /v1/customers/"+c+"/tax_ids").get("data.0.id")+"\n" {
		t.Errorf("events: %s", got)
	}
	r.ok("POST /v1/invoiceitems customer=" + c + " amount=900 currency=usd")
	inv := r.ok("POST /v1/invoices customer=" + c + " pending_invoice_items_behavior=include")
	if got := inv.get("customer_tax_ids"); got != `[{"type":"eu_vat","value":"FR12345678901"},{"type":"us_ein","value":"12-3456789"}]` {
		t.Errorf("a draft has %s", got)
	}
	r.ok("DELETE /v1/tax_ids/" + r.ok("GET /v1/customers/"+c+"/tax_ids").get("data.1.id"))
	r.ok("POST /v1/tax_ids type=gb_vat value=000000000 owner[type]=customer owner[customer]=" + c)
	if got := r.ok("GET /v1/invoices/" + inv.get("id")).get("customer_tax_ids"); got != `[{"type":"us_ein","value":"12-3456789"},{"type":"gb_vat","value":"000000000"}]` {
		t.Errorf("the draft has %s now", got)
	}
	if got := r.ok("POST /v1/invoices/" + inv.get("id") + "/finalize").get("customer_tax_ids"); got != `[{"type":"us_ein","value":"12-3456789"},{"type":"gb_vat","value":"000000000"}]` {
		t.Errorf("a final one has %s", got)
	}
}
