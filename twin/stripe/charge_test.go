package stripe_test

import (
	"strings"
	"testing"
)

func TestSeededCharge(t *testing.T) {
	r := newRig(t, qaBase)
	r.tell("GET /v1/charges/ch_qa01 expand[]=payment_intent expand[]=balance_transaction expand[]=refunds")
	r.golden("charge_seeded")
}

func TestChargeUpdate(t *testing.T) {
	r := newRig(t, qaBase)
	r.ok("POST /v1/charges/ch_qa01 description=Twice receipt_email=ada@example.com fraud_details[user_report]=fraudulent metadata[case]=7" +
		" shipping[name]=Ada shipping[address][city]=Ulm shipping[carrier]=DHL shipping[tracking_number]=1Z")
	want := `charge.updated ch_qa01 was {"description":"Payment for Invoice","fraud_details":{"user_report":null},"metadata":{"case":null},"receipt_email":null,"shipping":null}` + "\n"
	if got := r.events(); got != want {
		t.Errorf("events\n%swant\n%s", got, want)
	}
	charge := r.ok("GET /v1/charges/ch_qa01")
	for path, want := range map[string]string{
		"description": "Twice", "receipt_email": "ada@example.com", "fraud_details": `{"user_report":"fraudulent"}`,
		"metadata": `{"case":"7"}`, "shipping.carrier": "DHL", "shipping.address.city": "Ulm", "amount": "4000",
	} {
		if got := charge.get(path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
	r.ok("POST /v1/charges/ch_qa01 fraud_details[user_report]=")
	if got := r.ok("GET /v1/charges/ch_qa01").get("fraud_details"); got != "{}" {
		t.Errorf("fraud_details is %s", got)
	}
	r.events()
	r.ok("POST /v1/charges/ch_qa01 description=Twice")
	if got := r.events(); got != "" {
		t.Errorf("an update that changes nothing emits\n%s", got)
	}
}

func TestChargeRefusals(t *testing.T) {
	r := newRig(t, qaBase)
	for _, row := range [][2]string{
		{"GET /v1/charges/ch_nope", "404 resource_missing id No such charge: 'ch_nope'"},
		{"POST /v1/charges/ch_nope description=x", "404 resource_missing id No such charge: 'ch_nope'"},
		{"POST /v1/charges/ch_qa01 amount=1", "400 parameter_unknown amount Received unknown parameter: amount"},
		{"POST /v1/charges/ch_qa01 customer=cus_qa02", "501 - customer This twin does not serve the parameter customer of POST /v1/charges/{charge}. The world is unchanged."},
		{"POST /v1/charges/ch_qa01 fraud_details[user_report]=bad", "400 - fraud_details[user_report] Invalid user_report: must be one of fraudulent or safe"},
		{"POST /v1/charges/ch_qa01 shipping[name]=Ada", "400 parameter_missing shipping[address] Missing required param: shipping[address]."},
		{"POST /v1/charges/ch_qa01 description=", "400 parameter_invalid_empty description " + emptyNotAllowed("description")},
		{"GET /v1/charges invoice=in_qa01", "400 parameter_unknown invoice Received unknown parameter: invoice"},
		{"GET /v1/charges customer=cus_nope", "400 resource_missing customer No such customer: 'cus_nope'"},
		{"GET /v1/charges payment_intent=pi_nope", "400 resource_missing payment_intent No such payment_intent: 'pi_nope'"},
	} {
		r.refused(row[0], row[1])
	}
}

func TestChargeFilters(t *testing.T) {
	r := newRig(t, qaBase)
	intent := r.ok("GET /v1/charges/ch_qa04").get("payment_intent")
	for query, want := range map[string]string{
		"":                         "ch_qa04 ch_qa01",
		"customer=cus_qa01":        "ch_qa04 ch_qa01",
		"customer=cus_qa02":        "",
		"created[gt]=1":            "ch_qa04 ch_qa01",
		"created=1767139200":       "ch_qa04 ch_qa01",
		"created[lt]=1767139200":   "",
		"payment_intent=" + intent: "ch_qa04",
		"payment_intent=" + intent + " customer=cus_qa02": "",
	} {
		if got := r.ok("GET /v1/charges " + query).each("id"); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
}

// Expansion: what is null stays null, lists need their prefix, depth ends at four.
func TestChargeExpansion(t *testing.T) {
	r := newRig(t, strings.Replace(qaBase, `"email":"bo@example.com"`, `"email":"bo@example.com","payment_method":"pm_card_chargeCustomerFail"`, 1))
	for _, row := range [][2]string{
		{"GET /v1/charges?expand[]=customer", "400 - expand This property cannot be expanded (customer). You may want to try expanding 'data.customer' instead."},
		{"GET /v1/charges/ch_qa01 expand[]=nonsense", "400 - expand This property cannot be expanded (nonsense)."},
		{"GET /v1/charges/ch_qa01 expand[]=customer.nonsense", "400 - expand This property cannot be expanded (customer.nonsense)."},
		{"GET /v1/charges/ch_qa01 expand[]=.customer", "400 - expand This property cannot be expanded (.customer)."},
		{"GET /v1/charges/ch_qa01 expand[]=customer.", "400 - expand This property cannot be expanded (customer.)."},
		{"GET /v1/charges/ch_qa01 expand[]=amount", "400 - expand This property cannot be expanded (amount)."},
		{"GET /v1/charges/ch_qa01 expand[]=invoice", "400 - expand This property cannot be expanded (invoice)."},
		{"GET /v1/charges?expand[]=data.payment_intent.latest_charge.customer.id", "400 property_expansion_max_depth expand You cannot expand more than 4 levels of a property. Property: data.payment_intent.latest_charge.customer.id"},
		{"GET /v1/charges/ch_qa01 expand=customer", "400 - expand Invalid array"},
		{"POST /v1/charges/ch_qa01 description=x expand[]=nonsense", "400 - expand This property cannot be expanded (nonsense)."},
	} {
		r.refused(row[0], row[1])
	}
	list := r.ok("GET /v1/charges?expand[]=data.customer&expand[1]=data.payment_intent.latest_charge.customer")
	if got := list.each("customer.email"); got != "ada@example.com ada@example.com" {
		t.Errorf("data.customer: %s", got)
	}
	if got := list.each("payment_intent.latest_charge.customer.id"); got != "cus_qa01 cus_qa01" {
		t.Errorf("four levels: %s", got)
	}
	if got := r.ok("POST /v1/charges/ch_qa01 description=x expand[]=customer").get("customer.id"); got != "cus_qa01" {
		t.Errorf("expansion on POST: %s", got)
	}
	one := r.ok("GET /v1/charges/ch_qa01 expand[]=balance_transaction.source.customer expand[]=review expand[]=failure_balance_transaction.source expand[]=on_behalf_of")
	for path, want := range map[string]string{
		"balance_transaction.source.customer.id": "cus_qa01", "review": "null", "failure_balance_transaction": "null", "on_behalf_of": "null",
	} {
		if got := one.get(path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
}

// Large sums keep their digits.
func TestLargeAmountsKeepTheirDigits(t *testing.T) {
	r := newRig(t, strings.NewReplacer(`"unit_amount":2000`, `"unit_amount":1003800`, `"amount":4000`, `"amount":99999999`).Replace(qaBase))
	price := r.ok("GET /v1/prices/price_qa_m")
	if price.get("unit_amount") != "1003800" || price.get("unit_amount_decimal") != "1003800" {
		t.Errorf("price %s", price.Body)
	}
	r.ok("POST /v1/refunds charge=ch_qa01")
	for name, text := range map[string]string{
		"charge": string(r.ok("GET /v1/charges/ch_qa01").Body), "events": string(r.ok("GET /v1/events").Body), "dump": r.dump(),
		"facts": string(r.ran[0].out.Facts[0]) + string(r.ran[len(r.ran)-1].out.Body),
	} {
		if strings.Contains(text, "e+") || name != "facts" && !strings.Contains(text, "99999999") {
			t.Errorf("%s: %s", name, text)
		}
	}
	if got := r.ok("GET /v1/balance_transactions source=ch_qa01").each("net"); got != "97099969" {
		t.Errorf("net %s", got)
	}
}
