package stripe

import (
	_ "embed"
	"slices"
	"strings"

	"worlds/twin"
	"worlds/twin/stripe/spec"
)

// judgement is what is known of routes: the first line whose path is the route's,
// or what the route's begins with when it ends in "*", counts.
type judgement struct {
	route   string // "METHOD /path", METHOD may be "*"
	tier    int64
	differs string
}

var judgements = [...]judgement{
	{"GET /v1/account", 2, "one account without capabilities, the same in every world"},
	{"GET /v1/balance", 2, ""},
	{"* /v1/balance/history*", 3, "the old name of balance transactions"},
	{"* /v1/balance_transactions*", 2, "fees are 2.9 % rounded half up plus 30, in every currency"},
	{"POST /v1/charges", 2, ""},
	{"POST /v1/charges/{charge}/capture", 2, ""},
	{"* /v1/charges/{charge}/refunds*", 2, ""},
	{"GET /v1/charges/search", 1, searchDiffers},
	{"* /v1/charges*", 1, ""},
	{"* /v1/coupons*", 2, "the id of a deleted coupon that discounts or codes name is answered 501"},
	{"POST /v1/credit_notes/{id}/void", 2, ""},
	{"* /v1/credit_notes*", 1, ""},
	{"GET /v1/customers/search", 1, searchDiffers},
	{"* /v1/customers/{customer}/sources*", 3, "cards only"},
	{"* /v1/customers/{customer}/subscriptions*", 3, "the older way; the newer parameters are only taken by /v1/subscriptions, as live"},
	{"* /v1/customers/{customer}/tax_ids*", 3, taxDiffers},
	{"* /v1/tax_ids*", 3, taxDiffers},
	{"* /v1/customers/{customer}/*", 2, ""},
	{"DELETE /v1/customers/{id}", 2, ""},
	{"* /v1/customers*", 1, "seeded customers have a test card, those made by request have none"},
	{"POST /v1/disputes/{dispute}/close", 2, ""},
	{"* /v1/disputes*", 1, "only seeds and Stripe's test cards open disputes; the words of test mode decide them"},
	{"* /v1/events*", 1, "kept for the world's whole life; all in the account's API version; the order within a second is fixed"},
	{"* /v1/invoice_payments*", 1, "payment intents are the only payments"},
	{"* /v1/invoiceitems*", 2, ""},
	{"GET /v1/invoices/search", 1, searchDiffers},
	{"POST /v1/invoices/{invoice}/*_lines", 2, ""},
	{"POST /v1/invoices/{invoice}/lines/*", 2, ""},
	{"* /v1/invoices*", 1, "cycle invoices are finalized and paid at the period's end, not an hour later; no tax is computed"},
	{"GET /v1/payment_intents/search", 2, searchDiffers},
	{"GET /v1/payment_intents*", 1, ""},
	{"* /v1/payment_intents*", 2, "cards are the only methods; authentication is never completed by itself"},
	{"* /v1/payment_links*", 3, "a link is kept and shown; the page behind its address does not exist, so that nobody pays"},
	{"GET /v1/payment_methods*", 1, "cards only"},
	{"* /v1/payment_methods*", 2, "cards only, and of them Stripe's test cards"},
	{"GET /v1/prices/search", 2, searchDiffers},
	{"GET /v1/prices*", 1, ""},
	{"* /v1/prices*", 2, "no tiers and no metered usage"},
	{"* /v1/products*", 2, ""},
	{"* /v1/promotion_codes*", 2, ""},
	{"POST /v1/refunds/{refund}/cancel", 3, "always refused: refunds to cards wait for nobody"},
	{"* /v1/refunds*", 1, "a refund settles at once, but for the test cards that fail or stay pending"},
	{"* /v1/setup_intents*", 2, "cards only"},
	{"POST /v1/subscription_items", 2, ""},
	{"DELETE /v1/subscription_items/{item}", 2, ""},
	{"* /v1/subscription_items*", 1, ""},
	{"GET /v1/subscriptions/search", 1, searchDiffers},
	{"POST /v1/subscriptions/{subscription}/resume", 2, ""},
	{"* /v1/subscriptions/{subscription_exposed_id}/discount", 2, ""},
	{"* /v1/subscriptions*", 1, "renewals are finalized and paid at the boundary; retries follow the seed's plan; both billing modes prorate alike, but for time before a backdated beginning; a trial or a new cycle of a paused one is answered 501; a period that cancel_at cuts short is billed whole"},
	{"* /v1/test_helpers/*", 3, "off unless the seed says so; a clock is the world's own, so that it must begin at the present"},
	{"* /v1/tokens*", 3, "cards only"},
	{"* /v1/webhook_endpoints*", 1, "deliveries are tried when the world's clock says"},
}

const taxDiffers = "of numbers only the form is checked, of some kinds; those of test mode are verified at once, others stay as they are"

const searchDiffers = "finds what was written at once, where live takes up to a minute"

// proofs is how every route is shown to be right: what the tests of this twin do
// with all of them.
var proofs = [...]string{
	"schema in three versions", "parameters side by side", "state machine",
}

// What stock SDKs and scenario files call, an operation of Stripe a line. Tests of
// theirs say that the lists are current, and write them.
var (
	//go:embed proof_sdk.txt
	sdkProof string
	//go:embed proof_cases.txt
	caseProof string
)

// fits reports whether a route fits a judgement.
func (j judgement) fits(r *twin.Route) bool {
	method, path, _ := strings.Cut(j.route, " ")
	if method != "*" && method != r.Method {
		return false
	}
	before, after, open := strings.Cut(path, "*")
	if !open {
		return path == r.Pattern
	}
	return strings.HasPrefix(r.Pattern, before) && strings.HasSuffix(r.Pattern, after)
}

// cover judges a route by the first line that fits it.
func cover(r *twin.Route, c *twin.Coverage) {
	c.Proof = append(c.Proof, proofs[:]...)
	for i := range judgements {
		if judgements[i].fits(r) {
			c.Tier, c.Differs = judgements[i].tier, judgements[i].differs
			break
		}
	}
	op, _, ok := spec.Lookup(r.Method, r.Pattern)
	if !ok {
		return
	}
	for _, line := range [...]struct{ list, proof string }{{sdkProof, "stock SDKs"}, {caseProof, "scenario files"}} {
		if strings.Contains("\n"+line.list, "\n"+op.Method+" "+op.Path+"\n") {
			c.Proof = append(c.Proof, line.proof)
		}
	}
	c.Parameters = append(c.Parameters, "expand[]")
	for _, p := range op.Params() {
		served := slices.ContainsFunc(c.Parameters, func(name string) bool {
			outer, _, _ := strings.Cut(name, "[")
			return outer == p.Name
		})
		if !served {
			c.Refused = append(c.Refused, p.Name)
		}
	}
}

// lacks lists the operations of Stripe that c does not serve.
func lacks(c *twin.Catalog) []string {
	served := map[string]bool{}
	for _, r := range c.Routes() {
		if op, _, ok := spec.Lookup(r.Method, r.Pattern); ok {
			served[op.Method+" "+op.Path] = true
		}
	}
	var out []string
	for _, op := range spec.Operations() {
		if name := op.Method + " " + op.Path; !served[name] {
			out = append(out, name)
		}
	}
	return out
}
