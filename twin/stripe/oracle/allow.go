package oracle

import "encoding/json"

// undeclared are keys that the live API sends although its document does not
// declare them: those in Stripe's own fixtures and those seen in recorded
// traffic, by component. Without them a strict reading would refuse both.
var undeclared = map[string]map[string]json.RawMessage{
	"charge":            {"source": json.RawMessage(`{"anyOf":[{"$ref":"` + refPrefix + `payment_source"}],"nullable":true}`)},
	"payment_intent":    {"source": onlyNull},
	"product":           {"type": json.RawMessage(`{"type":"string","enum":["good","service"]}`)},
	"recurring":         {"trial_period_days": nullableInteger},
	"subscription":      {"plan": nullablePlan, "quantity": nullableInteger},
	"subscription_item": {"plan": nullablePlan},
	"subscriptions_resource_pending_update": {
		"cancel_at_period_end": json.RawMessage(`{"type":"boolean","nullable":true}`),
	},
}

// undeclaredOfLists is the same for every list envelope.
var undeclaredOfLists = map[string]json.RawMessage{
	"total_count": json.RawMessage(`{"type":"integer"}`),
}

var (
	onlyNull        = json.RawMessage(`{"enum":[null]}`)
	nullableInteger = json.RawMessage(`{"type":"integer","nullable":true}`)
	nullablePlan    = json.RawMessage(`{"anyOf":[{"$ref":"` + refPrefix + `plan"}],"nullable":true}`)
)

// listSchema is the envelope alone, for lists that arrive without a route.
var listSchema = json.RawMessage(`{"type":"object","properties":{
	"object":{"type":"string","enum":["list"]},"data":{"type":"array","items":{"type":"object"}},
	"has_more":{"type":"boolean"},"url":{"type":"string","maxLength":5000}},
	"required":["data","has_more","object","url"]}`)

// overlayRoutes are operations newer than the document, with the component
// that they answer.
var overlayRoutes = map[string]string{
	"POST /v1/subscriptions/{subscription}/pause": "subscription",
}

// idPrefixes holds the id prefixes of the objects that have one. Coupons, plans,
// products and prices may have ids of the merchant's choice and are not here.
var idPrefixes = map[string][]string{
	"balance_transaction":          {"txn_"},
	"card":                         {"card_"},
	"charge":                       {"ch_", "py_"},
	"credit_note":                  {"cn_"},
	"credit_note_line_item":        {"cnli_"},
	"customer":                     {"cus_"},
	"customer_balance_transaction": {"cbtxn_"},
	"discount":                     {"di_"},
	"dispute":                      {"dp_", "du_"},
	"event":                        {"evt_"},
	"invoice":                      {"in_", "upcoming_in_"},
	"invoice_payment":              {"inpay_"},
	"invoiceitem":                  {"ii_"},
	"line_item":                    {"il_"},
	"payment_intent":               {"pi_"},
	"item":                         {"li_"},
	"payment_link":                 {"plink_"},
	"payment_method":               {"pm_", "card_", "src_"},
	"promotion_code":               {"promo_"},
	"refund":                       {"re_", "pyr_"},
	"setup_intent":                 {"seti_"},
	"subscription":                 {"sub_"},
	"subscription_item":            {"si_"},
	"tax_id":                       {"txi_", "atxi_"},
	"test_helpers.test_clock":      {"clock_"},
	"token":                        {"tok_"},
	"webhook_endpoint":             {"we_"},
}
