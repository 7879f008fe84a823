package stripe_test

import (
	"fmt"
	"strings"
	"testing"
)

func TestRefund(t *testing.T) {
	r := newRig(t, qaBase)
	r.tell("POST /v1/refunds charge=ch_qa01 amount=1500 reason=duplicate metadata[case]=42")
	r.tellFacts()
	r.tell("POST /v1/refunds payment_intent=" + r.ok("GET /v1/charges/ch_qa01").get("payment_intent") + " expand[]=charge expand[]=balance_transaction")
	r.tell("GET /v1/charges/ch_qa01/refunds limit=1")
	r.golden("refund")
}

// Money that is not a plain positive integer is refused before anything happens.
func TestRefundAmountsThatAreNotIntegers(t *testing.T) {
	r := newRig(t, qaBase)
	for value, want := range map[string]string{
		"9175.2":              "400 parameter_invalid_integer amount Invalid integer: 9175.2",
		"10.0":                "400 parameter_invalid_integer amount Invalid integer: 10.0",
		"1.0038e%2B06":        "400 parameter_invalid_integer amount Invalid integer: 1.0038e+06",
		"1e%2B21":             "400 parameter_invalid_integer amount Invalid integer: 1e+21",
		"0x10":                "400 parameter_invalid_integer amount Invalid integer: 0x10",
		"%2B5":                "400 parameter_invalid_integer amount Invalid integer: +5",
		"+5":                  "400 parameter_invalid_integer amount Invalid integer:  5",
		"-5":                  "400 parameter_invalid_integer amount Invalid positive integer",
		"0":                   "400 parameter_invalid_integer amount Invalid positive integer",
		"1_000":               "400 parameter_invalid_integer amount Invalid integer: 1_000",
		"1,000":               "400 parameter_invalid_integer amount Invalid integer: 1,000",
		"9223372036854775808": "400 parameter_invalid_integer amount Invalid integer: 9223372036854775808",
		"%D9%A3":              "400 parameter_invalid_integer amount Invalid integer: ٣",
		"true":                "400 parameter_invalid_integer amount Invalid integer: true",
		"":                    "400 parameter_invalid_empty amount " + emptyNotAllowed("amount"),
	} {
		r.refused("POST /v1/refunds charge=ch_qa01 amount="+value, want)
	}
	if got := r.ok("GET /v1/charges/ch_qa01").get("amount_refunded"); got != "0" {
		t.Errorf("amount_refunded is %s", got)
	}
}

func emptyNotAllowed(param string) string {
	return strings.ReplaceAll("You passed an empty string for 'P'. We assume empty values are an attempt to unset a parameter; "+
		"however 'P' cannot be unset. You should remove 'P' from your request or supply a non-empty value.", "P", param)
}

func TestRefundRefusals(t *testing.T) {
	r := newRig(t, qaBase)
	for _, row := range [][2]string{
		{"", "400 parameter_missing - One of the following params should be provided for this request: payment_intent or charge."},
		{"charge=ch_qa01 payment_intent=pi_1", "400 - payment_intent You may only specify one of these parameters: charge, payment_intent."},
		{"charge=", "400 parameter_invalid_empty charge " + emptyNotAllowed("charge")},
		{"charge=ch_nope", "400 resource_missing charge No such charge: 'ch_nope'"},
		{"payment_intent=pi_nope", "400 resource_missing payment_intent No such payment_intent: 'pi_nope'"},
		{"charge=ch_qa01 amount=4001", "400 - amount Refund amount ($40.01) is greater than unrefunded amount on charge ($40.00)"},
		{"charge=ch_qa01 amount=123456789", "400 - amount Refund amount ($1,234,567.89) is greater than unrefunded amount on charge ($40.00)"},
		{"charge=ch_qa01 reason=because", "400 - reason Invalid reason: must be one of duplicate, fraudulent, or requested_by_customer"},
		{"charge=ch_qa01 reason=expired_uncaptured_charge", "400 - reason Invalid reason: must be one of duplicate, fraudulent, or requested_by_customer"},
		{"charge[id]=ch_qa01", "400 - charge Invalid string: {\"id\":\"ch_qa01\"}"},
		{"charge=ch_qa01 metadata[a[b]=1", "400 - metadata[a[b] Invalid request (check that your POST content type is application/x-www-form-urlencoded): the parameter name is not well formed. If you have any questions, we can help at https://support.stripe.com/."},
		{"charge=ch_qa01 nonsense=1", "400 parameter_unknown nonsense Received unknown parameter: nonsense"},
		{"charge=ch_qa01 refund_application_fee=true", "501 - refund_application_fee This twin does not serve the parameter refund_application_fee of POST /v1/refunds. The world is unchanged."},
		{"charge=ch_qa01 origin=customer_balance", "501 - origin This twin does not serve the parameter origin of POST /v1/refunds. The world is unchanged."},
		{"charge=ch_qa01 expand[]=nonsense", "400 - expand This property cannot be expanded (nonsense)."},
	} {
		r.refused("POST /v1/refunds "+row[0], row[1])
	}
	r.refused("GET /v1/refunds/re_nope", "404 resource_missing id No such refund: 're_nope'")
	r.refused("POST /v1/refunds/re_nope metadata[a]=1", "404 resource_missing id No such refund: 're_nope'")
	r.refused("GET /v1/refunds charge=ch_nope", "400 resource_missing charge No such charge: 'ch_nope'")
	r.refused("GET /v1/refunds payment_intent=pi_nope", "400 resource_missing payment_intent No such payment_intent: 'pi_nope'")
	r.refused("GET /v1/charges/ch_nope/refunds", "404 resource_missing id No such charge: 'ch_nope'")
}

// In a currency without minor units, sums have no decimals.
func TestOverRefundInYen(t *testing.T) {
	r := newRig(t, qaBase)
	r.refused("POST /v1/refunds charge=ch_qa04 amount=989900",
		"400 - amount Refund amount (¥989,900) is greater than unrefunded amount on charge (¥9,899)")
	r.ok("POST /v1/refunds charge=ch_qa04 amount=9899")
	if got := r.ok("GET /v1/charges/ch_qa04").get("refunded"); got != "true" {
		t.Errorf("refunded is %s", got)
	}
	r.refused("POST /v1/refunds charge=ch_qa04", "400 charge_already_refunded - Charge ch_qa04 has already been refunded.")
	r.refused("POST /v1/refunds charge=ch_qa04 amount=9999999", "400 charge_already_refunded - Charge ch_qa04 has already been refunded.")
}

// sumsSeed has one charge of 1050 in each of some currencies.
func sumsSeed(currencies ...string) string {
	var invoices []string
	for _, c := range currencies {
		invoices = append(invoices, fmt.Sprintf(`{"id":"in_%s","customer":"cus_%s","status":"paid","currency":"%s","created_offset":60,`+
			`"lines":[{"description":"x","amount":1050}],"charges":[{"id":"ch_%s","amount":1050,"amount_refunded":1000}]}`, c, c, c, c))
	}
	var customers []string
	for _, c := range currencies {
		customers = append(customers, fmt.Sprintf(`{"id":"cus_%s"}`, c))
	}
	return `{"name":"sums","version":1,"epoch":1767225600,"clock_mode":"manual","data":{"customers":[` + strings.Join(customers, ",") +
		`],"products":[],"prices":[],"invoices":[` + strings.Join(invoices, ",") + `],"subscriptions":[],"tickets":[]}}`
}

func TestSumsInWords(t *testing.T) {
	rows := [][2]string{
		{"usd", "($10.50) ($0.50)"}, {"eur", "(€10.50) (€0.50)"}, {"gbp", "(£10.50) (£0.50)"}, {"inr", "(₹10.50) (₹0.50)"},
		{"krw", "(₩1,050) (₩50)"}, {"jpy", "(¥1,050) (¥50)"}, {"sek", "(10.50 SEK) (0.50 SEK)"}, {"kwd", "(1.050 KWD) (0.050 KWD)"},
		{"vnd", "(1,050 VND) (50 VND)"},
	}
	var all []string
	for _, row := range rows {
		all = append(all, row[0])
	}
	r := newRig(t, sumsSeed(all...))
	for _, row := range rows {
		asked, left, _ := strings.Cut(row[1], " (")
		r.refused("POST /v1/refunds amount=1050 charge=ch_"+row[0],
			"400 - amount Refund amount "+asked+" is greater than unrefunded amount on charge ("+left)
	}
}

// What a seed says was refunded has no refund objects, and is refunded all the same.
func TestRefundOfASeededRefund(t *testing.T) {
	r := newRig(t, sumsSeed("usd"))
	if got := r.ok("GET /v1/refunds charge=ch_usd").get("data"); got != "[]" {
		t.Errorf("refunds: %s", got)
	}
	r.ok("POST /v1/refunds charge=ch_usd")
	if got := r.ok("GET /v1/charges/ch_usd").get("amount_refunded"); got != "1050" {
		t.Errorf("amount_refunded is %s", got)
	}
	if got := r.ok("GET /v1/refunds").each("amount"); got != "50" {
		t.Errorf("amounts: %s", got)
	}
}

// Two equal refunds are two refunds, unless they share an idempotency key.
func TestEqualPartialRefunds(t *testing.T) {
	r := newRig(t, qaBase)
	first := r.ok("POST /v1/refunds charge=ch_qa01 amount=1500").get("id")
	second := r.ok("POST /v1/refunds charge=ch_qa01 amount=1500").get("id")
	r.refused("POST /v1/refunds charge=ch_qa01 amount=1500",
		"400 - amount Refund amount ($15.00) is greater than unrefunded amount on charge ($10.00)")
	if got, want := r.ok("GET /v1/refunds charge=ch_qa01").each("id"), second+" "+first; got != want {
		t.Errorf("refunds %s, want %s", got, want)
	}
	if got := r.ok("GET /v1/charges/ch_qa01").get("amount_refunded"); got != "3000" {
		t.Errorf("amount_refunded is %s", got)
	}

	r = newRig(t, qaBase)
	var ids []string
	for range 3 {
		ids = append(ids, r.doKey("ik_1", "POST /v1/refunds charge=ch_qa01 amount=1500").get("id"))
	}
	if ids[0] == "" || ids[1] != ids[0] || ids[2] != ids[0] {
		t.Errorf("one key, three refunds: %v", ids)
	}
	if got, want := r.events(), "refund.created "+ids[0]+"\ncharge.refunded ch_qa01 was {\"amount_refunded\":0}\n"; got != want {
		t.Errorf("events\n%swant\n%s", got, want)
	}
	if got := r.ok("GET /v1/charges/ch_qa01").get("amount_refunded"); got != "1500" {
		t.Errorf("amount_refunded is %s", got)
	}
}

func TestRefundUpdate(t *testing.T) {
	r := newRig(t, qaBase)
	id := r.ok("POST /v1/refunds charge=ch_qa01 amount=1 metadata[a]=1 metadata[b]=2").get("id")
	r.events()
	r.ok("POST /v1/refunds/" + id + " metadata[a]=9 metadata[b]= metadata[c]=3")
	if got, want := r.events(), "refund.updated "+id+` was {"metadata":{"a":"1","b":"2","c":null}}`+"\n"; got != want {
		t.Errorf("events\n%swant\n%s", got, want)
	}
	r.ok("POST /v1/refunds/" + id + " metadata[a]=9")
	if got := r.events(); got != "" {
		t.Errorf("an update that changes nothing emits\n%s", got)
	}
	r.refused("POST /v1/refunds/"+id+" amount=2", "400 parameter_unknown amount Received unknown parameter: amount")
}
