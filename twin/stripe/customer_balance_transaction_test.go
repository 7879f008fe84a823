package stripe_test

import (
	"strings"
	"testing"
)

const ledger = "/v1/customers/cus_qa01/balance_transactions"

// Credit is given, used by an invoice, comes back when it is voided; a sum too
// small to charge is carried over. Every step is a row.
func TestBalanceLedger(t *testing.T) {
	r := newRig(t, strings.Replace(qaBase, `"invoices":[`, `"invoices":[
  {"id":"in_large","customer":"cus_qa01","status":"draft","currency":"usd","lines":[{"description":"Work","amount":1000}]},
  {"id":"in_small","customer":"cus_qa01","status":"draft","currency":"usd","lines":[{"description":"Work","amount":830}]},`, 1))
	credit := r.tell("POST " + ledger + " amount=-500 currency=usd description=goodwill metadata[case]=7")
	r.tell("POST /v1/customers/cus_qa01 balance=-800 name=Ada")
	r.tell("POST " + ledger + "/" + credit.get("id") + " description=sorry metadata[case]=")
	r.ok("POST /v1/invoices/in_large/finalize")
	r.ok("POST /v1/invoices/in_large/void")
	r.events()
	r.tell("POST /v1/invoices/in_small/finalize")
	a := r.ok("GET " + ledger)
	if got := a.each("type"); got != "invoice_too_small applied_to_invoice unapplied_from_invoice applied_to_invoice adjustment adjustment" {
		t.Errorf("types: %s", got)
	}
	if got := a.each("amount") + " / " + a.each("ending_balance"); got != "30 800 -800 800 -300 -500 / 30 0 -800 0 -800 -500" {
		t.Errorf("amounts and balances: %s", got)
	}
	if got := r.ok("GET " + ledger + " invoice=in_large limit=1 expand[]=data.invoice"); got.get("data.0.invoice.status") != "void" || got.get("has_more") != "true" {
		t.Errorf("of one invoice: %s", got.Body)
	}
	r.golden("balance_ledger")
}

// The first movement fixes the currency; a customer made with a balance has a row.
func TestBalancePins(t *testing.T) {
	r := newRig(t, qaBase)
	c := r.ok("POST /v1/customers balance=250")
	if got := c.get("currency") + " " + c.get("balance"); got != "usd 250" {
		t.Errorf("a new customer: %s", got)
	}
	own := "/v1/customers/" + c.get("id") + "/balance_transactions"
	row := r.ok("GET " + own)
	if got := row.each("type") + " " + row.each("amount"); got != "adjustment 250" {
		t.Errorf("its ledger: %s", got)
	}
	if got := r.ok("GET " + own + "/" + row.get("data.0.id") + " expand[]=customer").get("customer.balance"); got != "250" {
		t.Errorf("expanded: %s", got)
	}
	r.events()
	r.ok("POST /v1/customers/" + c.get("id") + " balance=250")
	if got := r.events() + r.ok("GET "+own).each("amount"); got != "250" {
		t.Errorf("the same balance again: %s", got)
	}
	fresh := r.ok("POST /v1/customers name=x").get("id")
	if got := r.ok("POST /v1/customers/" + fresh + "/balance_transactions amount=-1 currency=EUR").get("currency"); got != "eur" {
		t.Errorf("currency %s", got)
	}
	if got := r.ok("GET /v1/customers/" + fresh).get("currency"); got != "eur" {
		t.Errorf("pinned to %s", got)
	}
}

func TestBalanceRefusals(t *testing.T) {
	r := newRig(t, qaBase)
	row := r.ok("POST " + ledger + " amount=5 currency=usd").get("id")
	other := r.ok("POST /v1/customers name=x").get("id")
	r.ok("DELETE /v1/customers/" + other)
	for _, row := range [][2]string{
		{"POST /v1/customers/cus_nope/balance_transactions amount=1 currency=usd", "404 resource_missing customer No such customer: 'cus_nope'"},
		{"POST /v1/customers/" + other + "/balance_transactions amount=1 currency=usd", "404 resource_missing customer No such customer: '" + other + "'"},
		{"GET /v1/customers/cus_nope/balance_transactions", "404 resource_missing customer No such customer: 'cus_nope'"},
		{"GET " + ledger + "/cbtxn_nope", "404 resource_missing transaction No such customer_balance_transaction: 'cbtxn_nope'"},
		{"GET /v1/customers/cus_qa02/balance_transactions/" + row, "404 resource_missing transaction No such customer_balance_transaction: '" + row + "'"},
		{"POST " + ledger + "/cbtxn_nope description=x", "404 resource_missing transaction No such customer_balance_transaction: 'cbtxn_nope'"},
		{"GET " + ledger + " invoice=in_nope", "400 resource_missing invoice No such invoice: 'in_nope'"},
		{"GET " + ledger + " starting_after=cbtxn_nope", "400 resource_missing starting_after No such customer_balance_transaction: 'cbtxn_nope'"},
		{"POST " + ledger + " currency=usd", "400 parameter_missing amount Missing required param: amount."},
		{"POST " + ledger + " amount=5", "400 parameter_missing currency Missing required param: currency."},
		{"POST " + ledger + " amount=1.5 currency=usd", "400 parameter_invalid_integer amount Invalid integer: 1.5"},
		{"POST " + ledger + " amount=1000000000000 currency=usd", "400 parameter_invalid_integer amount This value must be less than or equal to 999999999999."},
		{"POST " + ledger + " amount=999999999999 currency=usd", "400 amount_too_large amount Amount must be no more than $9,999,999,999.99"},
		{"POST " + ledger + " amount=5 currency=eur", "400 - - You cannot combine currencies on a single customer. This customer has had a subscription, coupon, or invoice item with currency usd"},
		{"POST " + ledger + " amount=5 currency=usd type=adjustment", "400 parameter_unknown type Received unknown parameter: type"},
		{"POST /v1/customers/cus_qa01 balance=ten", "400 parameter_invalid_integer balance Invalid integer: ten"},
	} {
		r.refused(row[0], row[1])
	}
}
