package seed_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"worlds/seed"
)

// change is one edit of a valid document and everything that Parse must say
// about the result, a problem a line; an empty want means that it stays valid.
type change struct{ from, to, want string }

func long(n int) string { return strings.Repeat("ä", n) }

var changes = []change{
	// Top level.
	{`"name": "full-house",`, ``, `$.name: is missing`},
	{`"full-house"`, `"Full House"`, `$.name: is "Full House"; must be kebab-case, such as "my-seed"`},
	{`"full-house"`, `"full--house"`, `$.name: is "full--house"; must be kebab-case, such as "my-seed"`},
	{`"full-house"`, `"-full"`, `$.name: is "-full"; must be kebab-case, such as "my-seed"`},
	{`"full-house"`, `""`, `$.name: is ""; must be kebab-case, such as "my-seed"`},
	{`"full-house"`, `"v2-1a"`, ``},
	{`"full-house"`, `"` + strings.Repeat("a", 101) + `"`, `$.name: has 101 characters; the limit is 100`},
	{`"full-house"`, `7`, `$.name: is a number; must be a string`},
	{`"version": 3,`, ``, `$.version: is missing`},
	{`"version": 3`, `"version": 0`, `$.version: is 0; must be at least 1`},
	{`"version": 3`, `"version": "3"`, `$.version: is a string; must be an integer`},
	{`"version": 3`, `"version": null`, `$.version: is null; must be an integer`},
	{`"epoch": 1767225600,`, ``, `$.epoch: is missing`},
	{`"epoch": 1767225600`, `"epoch": 946684799`, "$.epoch: is 946684799; must be at least 946684800"},
	{`"epoch": 1767225600`, `"epoch": 4102444801`, `$.epoch: is 4102444801; must be at most 4102444800`},
	{`"auto",`, `"automatic",`, `$.clock_mode: is "automatic"; must be one of manual, auto`},
	{`"auto",`, `"manuel",`, `$.clock_mode: is "manuel"; must be one of manual, auto; did you mean "manual"?`},
	{`"auto_tick_seconds": 2`, `"auto_tick_seconds": 0`, `$.auto_tick_seconds: is 0; must be at least 1`},
	{`"auto_tick_seconds": 2`, `"auto_tick_seconds": 31622401`, `$.auto_tick_seconds: is 31622401; must be at most 31622400`},
	{`"settings"`, `"$schema":"seed/schema.json","settings"`, `$["$schema"]: unknown key`},
	{`"settings"`, `"setings"`, `$.setings: unknown key; did you mean "settings"?`},
	{`"settings"`, `"Settings"`, `$.Settings: unknown key; did you mean "settings"? (case matters)`},
	{`"products": [`, `"planets": [], "products": [`, `$.data.planets: unknown key`},
	{`"products": [`, `"products": null, "goods": [`, "$.data.goods: unknown key\n$.data.products: is null; must be an array\n" +
		"$.data.prices[0].product: no product has the id \"prod_pro\"\n$.data.prices[1].product: no product has the id \"gold-plan.v2\""},

	// Customers.
	{`"id":"cus_ada",`, ``, "$.data.customers[0].id: is missing\n$.data.invoices[0].customer: no customer has the id \"cus_ada\"\n$.data.subscriptions[0].customer: no customer has the id \"cus_ada\""},
	{`"id":"cus_bo","name":null`, `"id":"cus_ada"`, "$.data.customers[1].id: \"cus_ada\" is already the id of $.data.customers[0]\n" +
		"$.data.invoices[1].customer: no customer has the id \"cus_bo\"\n$.data.invoices[2].customer: no customer has the id \"cus_bo\"\n$.data.subscriptions[1].customer: no customer has the id \"cus_bo\""},
	{`{"id":"cus_bo","name":null`, `{"id":"cust_1"},{"id":"cus_bo","name":null`, `$.data.customers[1].id: is "cust_1"; must be cus_ and letters, digits or _`},
	{`{"id":"cus_bo","name":null`, `{"id":"cus_"},{"id":"cus_bo","name":null`, `$.data.customers[1].id: is "cus_"; must be cus_ and letters, digits or _`},
	{`{"id":"cus_bo","name":null`, `{"id":"cus_b-o"},{"id":"cus_bo","name":null`, `$.data.customers[1].id: is "cus_b-o"; must be cus_ and letters, digits or _`},
	{`{"id":"cus_bo","name":null`, `{"id":"cus_bö"},{"id":"cus_bo","name":null`, `$.data.customers[1].id: is "cus_bö"; must be cus_ and letters, digits or _`},
	{`{"id":"cus_bo","name":null`, `{"id":"CUS_bo"},{"id":"cus_bo","name":null`, `$.data.customers[1].id: is "CUS_bo"; must be cus_ and letters, digits or _`},
	{`{"id":"cus_bo","name":null`, `{"id":"cus_` + strings.Repeat("b", 252) + `"},{"id":"cus_bo","name":null`, `$.data.customers[1].id: has 256 characters; the limit is 255`},
	{`{"id":"cus_bo","name":null`, `"cus_x",{"id":"cus_bo","name":null`, `$.data.customers[1]: is a string; must be an object`},
	{`"cus_ada","name":"Ada"`, `"cus_ada","name":""`, `$.data.customers[0].name: is empty; leave the key out instead`},
	{`"cus_ada","name":"Ada"`, `"cus_ada","name":"` + long(5001) + `"`, `$.data.customers[0].name: has 5001 characters; the limit is 5000`},
	{`"cus_ada","name":"Ada"`, `"cus_ada","name":"` + long(5000) + `"`, ``},
	{`"ada@a.example","desc`, `"ada","desc`, `$.data.customers[0].email: is "ada"; must be an e-mail address`},
	{`"ada@a.example","desc`, `"a@b@c","desc`, `$.data.customers[0].email: is "a@b@c"; must be an e-mail address`},
	{`"ada@a.example","desc`, `"a b@c","desc`, `$.data.customers[0].email: is "a b@c"; must be an e-mail address`},
	{`"+1 555 0100"`, `"+1 555 0100 extension 3"`, `$.data.customers[0].phone: has 23 characters; the limit is 20`},
	{`"created_offset":9000000`, `"created_offset":-1`, `$.data.customers[0].created_offset: is -1; must be at least 0`},
	{`"created_offset":9000000`, `"created_offset":1767225601`, `$.data.customers[0].created_offset: is 1767225601; reaches back beyond 1970 from the epoch 1767225600`},
	{`"created_offset":9000000`, `"created_offset":null`, `$.data.customers[0].created_offset: is null; must be an integer`},
	{`"pm_card_visa"`, `"visa"`, `$.data.customers[0].payment_method: is "visa"; must be a test instrument, such as pm_card_visa`},
	{`"pm_card_visa"`, `"pm_card_"`, `$.data.customers[0].payment_method: is "pm_card_"; must be a test instrument, such as pm_card_visa`},
	{`"phone":null`, `"Phone":null`, `$.data.customers[1].Phone: unknown key; did you mean "phone"? (case matters)`},
	{`"phone":null`, `"phone":null,"balance":0`, `$.data.customers[1].balance: unknown key`},

	// Metadata, on one object for all.
	{`{"tier":"gold"}`, `["gold"]`, `$.data.customers[0].metadata: is an array; must be an object of strings`},
	{`{"tier":"gold"}`, `null`, `$.data.customers[0].metadata: is null; must be an object of strings`},
	{`{"tier":"gold"}`, `{"tier":1}`, `$.data.customers[0].metadata.tier: is a number; must be a string`},
	{`{"tier":"gold"}`, `{"tier":null}`, `$.data.customers[0].metadata.tier: is null; must be a string`},
	{`{"tier":"gold"}`, `{"":"gold"}`, `$.data.customers[0].metadata[""]: is an empty key`},
	{`{"tier":"gold"}`, `{"a[b]":"gold"}`, `$.data.customers[0].metadata["a[b]"]: is a key with a square bracket, which metadata keys cannot have`},
	{`{"tier":"gold"}`, `{"` + long(40) + `":"` + long(500) + `"}`, ``},
	{`{"tier":"gold"}`, `{"` + long(41) + `":""}`, `$.data.customers[0].metadata["` + long(41) + `"]: is a key of 41 characters; the limit is 40`},
	{`{"tier":"gold"}`, `{"tier":"` + long(501) + `"}`, `$.data.customers[0].metadata.tier: has 501 characters; the limit is 500`},
	{`{"tier":"gold"}`, `{` + numbered(50, `"k%d":""`) + `}`, ``},
	{`{"tier":"gold"}`, `{` + numbered(51, `"k%d":""`) + `}`, `$.data.customers[0].metadata: has 51 keys; the limit is 50`},

	// Products and prices.
	{`"name":"Gold"`, `"name":"Gold","default_price":"price_m"`, `$.data.products[1].default_price: unknown key`},
	{`,"name":"Gold"`, ``, `$.data.products[1].name: is missing`},
	{`"name":"Gold"`, `"name":null`, `$.data.products[1].name: is null; must be a string`},
	{`"active":false`, `"active":"no"`, `$.data.products[0].active: is a string; must be true or false`},
	{`"active":false`, `"active":0`, `$.data.products[0].active: is a number; must be true or false`},
	{`"name":"Gold"}`, `"name":"Gold"},{"id":"price_x","name":"X"}`, `$.data.products[2].id: is "price_x"; must be prod_ and letters, digits or _ (or an id of your own of letters, digits and -_.:+ without another kind's prefix)`},
	{`"name":"Gold"}`, `"name":"Gold"},{"id":"a/b","name":"X"}`, `$.data.products[2].id: is "a/b"; must be prod_ and letters, digits or _ (or an id of your own of letters, digits and -_.:+ without another kind's prefix)`},
	{`"name":"Gold"}`, `"name":"Gold"},{"id":"prod_a-b","name":"X"}`, `$.data.products[2].id: is "prod_a-b"; must be prod_ and letters, digits or _ (or an id of your own of letters, digits and -_.:+ without another kind's prefix)`},
	{`"name":"Gold"}`, `"name":"Gold"},{"id":"","name":"X"}`, `$.data.products[2].id: is ""; must be prod_ and letters, digits or _ (or an id of your own of letters, digits and -_.:+ without another kind's prefix)`},
	{`"name":"Gold"}`, `"name":"Gold"},{"id":"gold-plan.v2","name":"X"}`, `$.data.products[2].id: "gold-plan.v2" is already the id of $.data.products[1]`},
	{`{"id":"price_once"`, `{"id":"gold-plan.v2"`, ``},
	{`{"id":"price_once"`, `{"id":"price_m"`, `$.data.prices[1].id: "price_m" is already the id of $.data.prices[0]`},
	{`{"id":"price_once"`, `{"id":"prod_once"`, `$.data.prices[1].id: is "prod_once"; must be price_ and letters, digits or _ (or an id of your own of letters, digits and -_.:+ without another kind's prefix)`},
	{`"product":"gold-plan.v2"`, `"product":"prod_nix"`, `$.data.prices[1].product: no product has the id "prod_nix"`},
	{`"product":"gold-plan.v2"`, `"product":""`, `$.data.prices[1].product: is empty; leave the key out instead`},
	{`"product":"gold-plan.v2",`, ``, `$.data.prices[1].product: is missing`},
	{`"unit_amount":2000`, `"unit_amount":-1`, `$.data.prices[0].unit_amount: is -1; must be at least 0`},
	{`"unit_amount":2000`, `"unit_amount":1000000000000`, `$.data.prices[0].unit_amount: is 1000000000000; must be at most 999999999999`},
	{`"unit_amount":2000`, `"unit_amount":1003800`, ``},
	{`"unit_amount":2000`, `"unit_amount":"2000"`, `$.data.prices[0].unit_amount: is a string; must be an integer`},
	{`"unit_amount":2000`, `"unit_amount":null`, `$.data.prices[0].unit_amount: is null; must be an integer`},
	{`"unit_amount":2000`, `"unit_amount":true`, `$.data.prices[0].unit_amount: is a boolean; must be an integer`},
	{`"unit_amount":2000,`, ``, `$.data.prices[0].unit_amount: is missing`},
	{`"usd","nickname"`, `"USD","nickname"`, `$.data.prices[0].currency: is "USD"; must be three lower-case letters, such as "usd"`},
	{`"usd","nickname"`, `"us","nickname"`, `$.data.prices[0].currency: is "us"; must be three lower-case letters, such as "usd"`},
	{`"usd","nickname"`, `"usdt","nickname"`, `$.data.prices[0].currency: has 4 characters; the limit is 3`},
	{`"interval":"month"`, `"interval":"monthly"`, `$.data.prices[0].recurring.interval: is "monthly"; must be one of day, week, month, year; did you mean "month"?`},
	{`"interval":"month",`, ``, `$.data.prices[0].recurring.interval: is missing`},
	{`"interval_count":1`, `"interval_count":0`, `$.data.prices[0].recurring.interval_count: is 0; must be at least 1`},
	{`"interval_count":1`, `"interval_count":36`, ``},
	{`"interval_count":1`, `"interval_count":37`, `$.data.prices[0].recurring.interval_count: is 37; must be at most 36 with interval month`},
	{`"interval":"month","interval_count":1`, `"interval":"year","interval_count":4`, `$.data.prices[0].recurring.interval_count: is 4; must be at most 3 with interval year`},

	// Invoices, lines and charges.
	{`"customer":"cus_bo","status":"open"`, `"customer":"cus_nix","status":"open"`, `$.data.invoices[1].customer: no customer has the id "cus_nix"`},
	{`"status":"open","currency"`, `"status":"Open","currency"`, `$.data.invoices[1].status: is "Open"; must be one of draft, open, paid, void, uncollectible; did you mean "open"? (case matters)`},
	{`"status":"open","currency"`, `"currency"`, `$.data.invoices[1].status: is missing`},
	{`"id":"in_open"`, `"id":"in_paid"`, `$.data.invoices[1].id: "in_paid" is already the id of $.data.invoices[0]`},
	{`"id":"in_open"`, `"id":"inv_open"`, `$.data.invoices[1].id: is "inv_open"; must be in_ and letters, digits or _`},
	{`"currency":"eur"`, `"currency":"jpy"`, ``},
	{`[{"description":"Setup","amount":1500}]`, `[]`, `$.data.invoices[1].lines: is empty; must hold at least 1`},
	{`[{"description":"Setup","amount":1500}]`, `{}`, `$.data.invoices[1].lines: is an object; must be an array`},
	{`"lines":[{"description":"Setup","amount":1500}],`, ``, `$.data.invoices[1].lines: is missing`},
	{`{"description":"Setup","amount":1500}`, `{"description":"Setup"}`, `$.data.invoices[1].lines[0].amount: is missing`},
	{`{"description":"Setup","amount":1500}`, `{"amount":1500}`, `$.data.invoices[1].lines[0].description: is missing`},
	{`{"description":"Setup","amount":1500}`, `{"description":"Setup","amount":-1}`, `$.data.invoices[1].lines: add up to -1; an invoice's total may not be negative`},
	{`{"description":"Setup","amount":1500}`, numbered(2, `{"description":"Setup %d","amount":999999999999}`), `$.data.invoices[1].lines: add up to 1999999999998; the limit is 999999999999`},
	{`{"description":"Setup","amount":1500}`, numbered(250, `{"description":"Setup %d","amount":1}`), ``},
	{`{"description":"Setup","amount":1500}`, numbered(251, `{"description":"Setup %d","amount":1}`), `$.data.invoices[1].lines: holds 251; the limit is 250`},
	{`"quantity":2,"price"`, `"quantity":0,"price"`, `$.data.invoices[0].lines[0].quantity: is 0; must be at least 1`},
	{`"quantity":2,"price":"price_m"`, `"quantity":2,"price":"price_nix"`, `$.data.invoices[0].lines[0].price: no price has the id "price_nix"`},
	{`"charges":[]`, `"charges":[{"id":"ch_c"}]`, `$.data.invoices[1].charges: only a paid invoice has charges; this one's status is open`},
	{`"charges":[]`, `"charges":null`, `$.data.invoices[1].charges: is null; must be an array`},
	{`{"id":"ch_b"}`, `{"id":"ch_a"}`, `$.data.invoices[0].charges[1].id: "ch_a" is already the id of $.data.invoices[0].charges[0]`},
	{`{"id":"ch_b"}`, `{"id":"pi_b"}`, `$.data.invoices[0].charges[1].id: is "pi_b"; must be ch_ and letters, digits or _`},
	{`{"id":"ch_b"}`, `{"id":"ch_b","amount":0}`, `$.data.invoices[0].charges[1].amount: is 0; must be at least 1`},
	{`{"id":"ch_b"}`, `{"id":"ch_b","amount":99999999}`, ``},
	{`{"id":"ch_b"}`, `{"id":"ch_b","amount_refunded":4000}`, ``},
	{`{"id":"ch_b"}`, `{"id":"ch_b","amount_refunded":4001}`, `$.data.invoices[0].charges[1].amount_refunded: is 4001; must be at most the charge's amount, 4000`},
	{`{"id":"ch_b"}`, `{"id":"ch_b","amount_refunded":-1}`, `$.data.invoices[0].charges[1].amount_refunded: is -1; must be at least 0`},
	{`"status":"void","lines":[{"description":"Nothing","amount":0}]`, `"status":"paid","lines":[{"description":"Nothing","amount":0}],"charges":[{"id":"ch_z"}]`, `$.data.invoices[2].charges[0].amount: is missing, and the invoice's total of 0 cannot be charged`},
	{`"status":"void","lines":[{"description":"Nothing","amount":0}]`, `"status":"paid","lines":[{"description":"Nothing","amount":0}]`, ``},

	// Subscriptions.
	{`"customer":"cus_bo","price":"price_m"`, `"customer":"cus_nix","price":"price_m"`, `$.data.subscriptions[1].customer: no customer has the id "cus_nix"`},
	{`"customer":"cus_bo","price":"price_m"`, `"customer":"cus_bo","price":"price_nix"`, `$.data.subscriptions[1].price: no price has the id "price_nix"`},
	{`"customer":"cus_bo","price":"price_m"`, `"customer":"cus_bo","price":"price_once"`, `$.data.subscriptions[1].price: "price_once" is a one-time price; a subscription needs a recurring one`},
	{`"id":"sub_b"`, `"id":"sub_a"`, `$.data.subscriptions[1].id: "sub_a" is already the id of $.data.subscriptions[0]`},
	{`"current_period_end":1769040000`, `"current_period_end":1766361600`, `$.data.subscriptions[0].current_period_end: is 1766361600; must be later than current_period_start, 1766361600`},
	{`"current_period_end":1769040000`, `"current_period_end":1766361599`, `$.data.subscriptions[0].current_period_end: is 1766361599; must be later than current_period_start, 1766361600`},
	{`"current_period_end":1769040000`, `"current_period_end":0`, `$.data.subscriptions[0].current_period_end: is 0; must be at least 1`},
	{`"current_period_start":1766361600,"current_period_end":1769040000`, `"current_period_end":1762041600`, `$.data.subscriptions[0].current_period_end: is 1762041600; must be later than current_period_start, 1762041600`},
	{`"current_period_start":1766361600`, `"current_period_start":7258118401`, `$.data.subscriptions[0].current_period_start: is 7258118401; must be at most 7258118400`},
	{`"quantity":2,"current`, `"quantity":0,"current`, `$.data.subscriptions[0].quantity: is 0; must be at least 1`},
	{`"cancel_at_period_end":true`, `"cancel_at_period_end":null`, `$.data.subscriptions[0].cancel_at_period_end: is null; must be true or false`},
	{`"status":"past_due"`, `"status":"trialing"`, `$.data.subscriptions[0].status: is trialing, but trial_end is not later than the epoch`},
	{`"status":"past_due"`, `"status":"cancelled"`, `$.data.subscriptions[0].status: is "cancelled"; must be one of active, trialing, past_due, unpaid, paused, incomplete, incomplete_expired, canceled; did you mean "canceled"?`},
	{`"trial_end":1767312000`, `"trial_end":1767312000,"status":"active"`, `$.data.subscriptions[1].status: is active, but trial_end is later than the epoch`},
	{`"trial_end":1767312000`, `"trial_end":1767312000,"status":"trialing"`, ``},
	{`"billing_cycle_anchor":1766361600`, `"billing_cycle_anchor":null`, `$.data.subscriptions[0].billing_cycle_anchor: is null; must be an integer`},

	// Disputes.
	{`"id":"dp_a"`, `"id":"di_a"`, `$.data.disputes[0].id: is "di_a"; must be dp_ or du_ and letters, digits or _`},
	{`"id":"dp_a"`, `"id":"du_a"`, ``},
	{`"charge":"ch_a"`, `"charge":"ch_nix"`, `$.data.disputes[0].charge: no charge has the id "ch_nix"`},
	{`"amount":3000`, `"amount":4001`, `$.data.disputes[0].amount: is 4001; must be at most the charge's amount, 4000`},
	{`"reason":"fraudulent"`, `"reason":"fraud"`, `$.data.disputes[0].reason: is "fraud"; must be one of bank_cannot_process, check_returned, credit_not_processed, customer_initiated, debit_not_authorized, duplicate, fraudulent, general, incorrect_account_details, insufficient_funds, noncompliant, product_not_received, product_unacceptable, subscription_canceled, unrecognized`},
	{`{"id":"dp_a",`, `{"id":"dp_b","charge":"ch_a"},{"id":"dp_a",`, `$.data.disputes[1].charge: "ch_a" is already disputed by $.data.disputes[0]`},
	{`{"id":"dp_a",`, `{"id":"dp_a","charge":"ch_b"},{"id":"dp_a",`, `$.data.disputes[1].id: "dp_a" is already the id of $.data.disputes[0]`},

	// Tickets, settings and the native help desk block.
	{`"subject":"Twice?",`, ``, `$.data.tickets[0].subject: is missing`},
	{`"subject":"Twice?",`, `"id":1,"subject":"Twice?",`, `$.data.tickets[0].id: unknown key`},
	{`"requester":{"name":"Ada","email":"ada@a.example"}`, `"requester":{"name":"Ada"}`, `$.data.tickets[0].requester.email: is missing`},
	{`"requester":{"name":"Ada","email":"ada@a.example"}`, `"requester":"Ada"`, `$.data.tickets[0].requester: is a string; must be an object`},
	{`"status":"open","priority":"high"`, `"status":"opened","priority":"top"`, "$.data.tickets[0].priority: is \"top\"; must be one of low, normal, high, urgent\n$.data.tickets[0].status: is \"opened\"; must be one of new, open, pending, hold, solved, closed; did you mean \"open\"?"},
	{`["billing","urgent"]`, `["billing",7]`, `$.data.tickets[0].tags[1]: is a number; must be a string`},
	{`"settings"`, `"zendesk":{"version":1,"principal_id":1,"users":[{"id":1,"name":"A","role":"admin"}]},"settings"`, `$.data.tickets: cannot stand beside a zendesk block; write the tickets there`},
	{`"settings"`, `"zendesk":{"version":2,"users":[{"id":0},{"name":"x"},3]},"settings"`, "$.zendesk.users[0].id: is 0; must be at least 1\n$.zendesk.users[0].name: is missing\n$.zendesk.users[1].id: is missing\n$.zendesk.users[2]: is a number; must be an object\n$.zendesk.version: is 2; must be at most 1\n$.zendesk.principal_id: is missing\n$.data.tickets: cannot stand beside a zendesk block; write the tickets there"},
	{`"test_clocks":true`, `"test_clocks":"on"`, `$.settings.test_clocks: is a string; must be true or false`},
	{`"idempotency_keys":"raw"`, `"idempotency_keys":"stable"`, `$.settings.idempotency_keys: is "stable"; must be one of alias, raw`},
	{`[1,4]`, `[4,4]`, `$.settings.dunning.retry_days[1]: is 4; must be later than the day before it, 4`},
	{`[1,4]`, `[1,61]`, `$.settings.dunning.retry_days[1]: is 61; must be at most 60`},
	{`[1,4]`, `[]`, ``},
	{`"exhausted":"unpaid"`, `"exhausted":"give_up"`, `$.settings.dunning.exhausted: is "give_up"; must be one of cancel, unpaid, past_due`},
}

// numbered returns n copies of a format with numbers from 0, joined by commas.
func numbered(n int, format string) string {
	var parts []string
	for i := range n {
		if strings.Contains(format, "%") {
			parts = append(parts, fmt.Sprintf(format, i))
		}
	}
	return strings.Join(parts, ",")
}

func readFull(t testing.TB) string {
	t.Helper()
	src, err := os.ReadFile("testdata/full.json")
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

// edit replaces a fragment that must be there exactly once.
func edit(t testing.TB, src, from, to string) []byte {
	t.Helper()
	if n := strings.Count(src, from); n != 1 {
		t.Errorf("%s stands %d times in the document", from, n)
	}
	return []byte(strings.Replace(src, from, to, 1))
}

// problemsOf renders what Parse says, a problem a line.
func problemsOf(t testing.TB, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	var invalid *seed.Invalid
	if !errors.As(err, &invalid) {
		t.Fatalf("the error is a %T: %v", err, err)
	}
	var lines []string
	for _, p := range invalid.Problems {
		lines = append(lines, p.String())
	}
	return strings.Join(lines, "\n")
}

func TestRules(t *testing.T) {
	full := readFull(t)
	for _, c := range changes {
		_, err := seed.Parse(edit(t, full, c.from, c.to))
		if got := problemsOf(t, err); got != c.want {
			t.Errorf("%.60s → %.60s\n got %s\nwant %s", c.from, c.to, got, c.want)
		}
	}
}

// One file with a fault of every sort: all of them are reported, in one order.
func TestAllProblemsAtOnce(t *testing.T) {
	_, err := seed.Parse([]byte(`{"Name":"x","version":0,"epoch":1767225600,"clock_mode":"auto","data":{
		"customers":[{"id":"cus_a","Email":"a@a.example"},{"id":"cus_a","name":7},{"id":"acct_a"}],
		"prices":[{"id":"price_a","product":"prod_a","unit_amount":-5,"currency":"US"}],
		"invoices":[{"id":"in_a","customer":"cus_b","status":"open","lines":[],"charges":[{"id":"ch_a","amount":5,"amount_refunded":6}]}],
		"subscriptions":[{"id":"sub_a","customer":"cus_a","price":"price_a","current_period_start":9,"current_period_end":8}]}}`))
	const want = `$.Name: unknown key; did you mean "name"? (case matters)
$.data.customers[0].Email: unknown key; did you mean "email"? (case matters)
$.data.customers[1].name: is a number; must be a string
$.data.customers[2].id: is "acct_a"; must be cus_ and letters, digits or _
$.data.invoices[0].lines: is empty; must hold at least 1
$.data.prices[0].currency: is "US"; must be three lower-case letters, such as "usd"
$.data.prices[0].unit_amount: is -5; must be at least 0
$.version: is 0; must be at least 1
$.name: is missing
$.data.customers[1].id: "cus_a" is already the id of $.data.customers[0]
$.data.prices[0].product: no product has the id "prod_a"
$.data.invoices[0].customer: no customer has the id "cus_b"
$.data.invoices[0].charges: only a paid invoice has charges; this one's status is open
$.data.invoices[0].charges[0].amount_refunded: is 6; must be at most the charge's amount, 5
$.data.subscriptions[0].price: "price_a" is a one-time price; a subscription needs a recurring one
$.data.subscriptions[0].current_period_end: is 8; must be later than current_period_start, 9`
	if got := problemsOf(t, err); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestProblemsBeyondTheLimitAreCounted(t *testing.T) {
	src := `{"name":"many","version":1,"epoch":1767225600,"data":{"customers":[` + numbered(seed.MaxProblems+3, `{"id":"x%d"}`) + `]}}`
	_, err := seed.Parse([]byte(src))
	var invalid *seed.Invalid
	if !errors.As(err, &invalid) || len(invalid.Problems) != seed.MaxProblems || invalid.More != 3 {
		t.Fatalf("got %v", err)
	}
	if text := err.Error(); !strings.HasPrefix(text, "seed: 203 problems:\n  $.data.customers[0].id: ") || !strings.HasSuffix(text, "\n  and 3 more") {
		t.Errorf("got %.80s … %s", text, text[len(text)-40:])
	}
}
