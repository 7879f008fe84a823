package stripe_test

import (
	"strings"
	"testing"
)

// A payment link, as agents make it: what it shows, what it sells, and what changes.
func TestPaymentLink(t *testing.T) {
	r := newRig(t, qaBase)
	a := r.ok("POST /v1/payment_links line_items[0][price]=price_qa_jpy line_items[0][quantity]=3 after_completion[type]=redirect after_completion[redirect][url]=https://example.com/done metadata[a]=b expand[]=line_items")
	id := a.get("id")
	for at, want := range map[string]string{
		"active": "true", "currency": "jpy", "after_completion": `{"redirect":{"url":"https://example.com/done"},"type":"redirect"}`, "customer_creation": "if_required",
		"subscription_data": "null", "invoice_creation.enabled": "false", "line_items.data.0.amount_total": "29697", "line_items.data.0.description": "Pro",
		"line_items.data.0.price.id": "price_qa_jpy", "line_items.url": "/v1/payment_links/" + id + "/line_items", "metadata.a": "b", "restrictions": "null",
	} {
		if got := a.get(at); got != want {
			t.Errorf("%s: %s, want %s", at, got, want)
		}
	}
	if url := a.get("url"); !strings.HasPrefix(url, "https://buy.stripe.com/test_") || len(url) != len("https://buy.stripe.com/test_")+14 {
		t.Errorf("its address is %s", url)
	}
	item := a.get("line_items.data.0.id")
	b := r.ok("POST /v1/payment_links/" + id + " active=false inactive_message=Gone line_items[0][id]=" + item + " line_items[0][quantity]=1 line_items[0][adjustable_quantity][enabled]=true" +
		" after_completion[type]=hosted_confirmation restrictions[completed_sessions][limit]=5 custom_text[submit][message]=Now metadata[a]=")
	for at, want := range map[string]string{
		"active": "false", "inactive_message": "Gone", "after_completion": `{"hosted_confirmation":{"custom_message":null},"type":"hosted_confirmation"}`,
		"restrictions": `{"completed_sessions":{"count":0,"limit":5}}`, "custom_text.submit.message": "Now", "metadata": "{}", "url": a.get("url"),
	} {
		if got := b.get(at); got != want {
			t.Errorf("%s: %s, want %s", at, got, want)
		}
	}
	if got := r.ok("GET /v1/payment_links/" + id + "/line_items").get("data.0"); !strings.Contains(got, `"adjustable_quantity":{"enabled":true,"maximum":null,"minimum":null},"amount_discount":0,"amount_subtotal":9899`) {
		t.Errorf("it sells %s", got)
	}
	sub := r.ok("POST /v1/payment_links line_items[0][price]=price_qa_m line_items[0][quantity]=1 subscription_data[trial_period_days]=7 payment_method_types[0]=card")
	if got := sub.get("subscription_data.trial_period_days") + sub.get("customer_creation") + sub.get("payment_method_types") + sub.get("invoice_creation"); got != `7always["card"]null` {
		t.Errorf("a subscription: %s", sub.Body)
	}
	r.ok("POST /v1/payment_links/" + sub.get("id") + " restrictions= subscription_data[trial_period_days]=")
	if got := r.ok("GET /v1/payment_links?active=true"); got.each("id") != sub.get("id") {
		t.Errorf("listed: %s", got.Body)
	}
	if got := r.events(); strings.Count(got, "payment_link.created") != 2 || strings.Count(got, "payment_link.updated") != 2 {
		t.Errorf("events: %s", got)
	}
}

func TestPaymentLinkRefusals(t *testing.T) {
	r := newRig(t, qaBase)
	const one = "POST /v1/payment_links line_items[0][quantity]=1 line_items[0][price]="
	r.ok("POST /v1/prices product=prod_qa01 unit_amount=5 currency=usd active=false lookup_key=old")
	old := r.ok("GET /v1/prices?active=false").get("data.0.id")
	for _, row := range [...][2]string{
		{"POST /v1/payment_links", "400 parameter_missing line_items Missing required param: line_items."},
		{"POST /v1/payment_links line_items[0][quantity]=1", "400 parameter_missing line_items[0][price] Missing required param: line_items[0][price]."},
		{"POST /v1/payment_links line_items[0][price]=price_qa_m", "400 parameter_missing line_items[0][quantity] Missing required param: line_items[0][quantity]."},
		{one + "price_none", "400 resource_missing line_items[0][price] No such price: 'price_none'"},
		{one + old, "400 - line_items[0][price] The price specified is inactive. This field only accepts active prices."},
		{one + "price_qa_jpy subscription_data[trial_period_days]=3", "400 - subscription_data `subscription_data` can only be used in `subscription` mode."},
		{one + "price_qa_m customer_creation=always", "400 - customer_creation `customer_creation` can only be used in `payment` mode."},
		{one + "price_qa_m after_completion[type]=redirect", "400 parameter_missing after_completion[redirect] Missing required param: after_completion[redirect]."},
		{one + "price_qa_m after_completion[type]=redirect after_completion[redirect][url]=x", "400 url_invalid after_completion[redirect][url] Not a valid URL"},
		{one + "price_qa_m payment_method_types[0]=sepa_debit", "501 - payment_method_types This twin does not serve payment methods of type sepa_debit. The world is unchanged."},
		{one + "price_qa_m shipping_options[0][shipping_rate]=x", "501 - shipping_options This twin does not serve the parameter shipping_options of POST /v1/payment_links. The world is unchanged."},
		{"GET /v1/payment_links/plink_none", "404 resource_missing payment_link No such payment_link: 'plink_none'"},
		{"GET /v1/payment_links/plink_none/line_items", "404 resource_missing payment_link No such payment_link: 'plink_none'"},
		{one + "price_qa_m line_items[0][adjustable_quantity][enabled]=true line_items[0][adjustable_quantity][minimum]=5 line_items[0][adjustable_quantity][maximum]=4",
			"400 - line_items[0][adjustable_quantity][minimum] The minimum (5) cannot be greater than the maximum (4)."},
		{"POST /v1/payment_links/plink_none line_items[0][id]=li_1 line_items[0][adjustable_quantity][enabled]=true line_items[0][adjustable_quantity][minimum]=100",
			"400 - line_items[0][adjustable_quantity][minimum] The minimum (100) cannot be greater than the maximum (99)."},
	} {
		r.refused(row[0], row[1])
	}
}

// What a link sells and what a coupon takes off elsewhere show only where they are asked
// for: the event of a change says that nothing was otherwise, and no change has none.
func TestChangesThatDoNotShow(t *testing.T) {
	r := newRig(t, qaBase)
	link := r.ok("POST /v1/payment_links line_items[0][price]=price_qa_m line_items[0][quantity]=2 expand[]=line_items")
	sells := "POST /v1/payment_links/" + link.get("id") + " line_items[0][id]=" + link.get("line_items.data.0.id") + " line_items[0][quantity]="
	r.ok("POST /v1/coupons id=OFF amount_off=100 currency=usd")
	for _, row := range [...][3]string{
		{sells + "2", sells + "3", "payment_link.updated"},
		{"POST /v1/coupons/OFF currency_options[usd][amount_off]=100", "POST /v1/coupons/OFF currency_options[eur][amount_off]=90", "coupon.updated"},
	} {
		r.ok(row[0])
		if got := r.ok("GET /v1/events?type=" + row[2]).get("data"); got != "[]" {
			t.Errorf("%s: %s", row[0], got)
		}
		for range 2 {
			r.ok(row[1])
		}
		if got := r.ok("GET /v1/events?type=" + row[2]); got.get("data.0.data.previous_attributes") != "{}" || got.get("data.1") != "" {
			t.Errorf("%s: %s", row[1], got.Body)
		}
	}
}
