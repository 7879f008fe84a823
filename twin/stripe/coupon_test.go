package stripe_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestCoupons is the life of coupons and of the words they are redeemed with.
func TestCoupons(t *testing.T) {
	r := newRig(t, billing())
	r.tell("POST /v1/coupons id=SAVE percent_off=12.50 duration=repeating duration_in_months=3 name=Save metadata[a]=1")
	r.tell("POST /v1/coupons amount_off=500 currency=USD max_redemptions=1")
	r.tell("GET /v1/coupons/SAVE expand[]=currency_options")
	r.tell("POST /v1/coupons/SAVE name=Saver")
	r.tell("POST /v1/promotion_codes promotion[type]=coupon promotion[coupon]=SAVE code=Summer-26")
	r.tell("GET /v1/promotion_codes code=SUMMER-26 expand[]=data.promotion.coupon")
	r.tell("DELETE /v1/coupons/SAVE")
	r.refused("GET /v1/coupons/SAVE", "404 resource_missing coupon No such coupon: 'SAVE'")
	r.refused("POST /v1/coupons id=SAVE percent_off=1",
		"501 - id This twin does not serve another coupon with the id of a deleted one that discounts or codes name. The world is unchanged.")
	r.golden("coupons")
}

// TestDiscountedSubscription: a discount reduces each invoice while it lasts, and a
// deleted coupon goes on with those who have it.
func TestDiscountedSubscription(t *testing.T) {
	r := newRig(t, billing())
	r.ok("POST /v1/coupons id=TENTH percent_off=10 duration=repeating duration_in_months=2")
	r.ok("POST /v1/coupons id=ONCE amount_off=300 currency=usd duration=once")
	r.events()
	sub := r.tell("POST /v1/subscriptions customer=cus_ada items[0][price]=price_m items[1][price]=price_m2 discounts[0][coupon]=ONCE discounts[1][coupon]=TENTH")
	inv := sub.get("latest_invoice")
	r.tell("GET /v1/invoices/" + inv + "?expand[]=discounts&expand[]=discounts.source.coupon&expand[]=total_discount_amounts.discount")
	r.ok("DELETE /v1/coupons/TENTH")
	totals := ""
	for range 3 {
		r.by(31)
		latest := r.ok("GET /v1/subscriptions/" + sub.get("id")).get("latest_invoice")
		i := r.ok("GET /v1/invoices/" + latest)
		totals += i.get("subtotal") + "-" + i.get("total") + " "
	}
	if totals != "5000-4500 5000-5000 5000-5000 " {
		t.Errorf("renewals of %s", totals)
	}
	r.golden("discounted_subscription")
}

// TestAddedItems: what a new subscription bills once stands on its first invoice.
func TestAddedItems(t *testing.T) {
	r := newRig(t, billing())
	line := "POST /v1/subscriptions customer=cus_ada items[0][price]=price_m "
	a := r.ok(line + "add_invoice_items[0][price]=price_once add_invoice_items[0][quantity]=2 add_invoice_items[1][price_data][currency]=usd " +
		"add_invoice_items[1][price_data][product]=prod_pro add_invoice_items[1][price_data][unit_amount]=25 expand[]=latest_invoice")
	if got := a.get("latest_invoice.total") + " " + a.get("latest_invoice.status"); got != "3025 paid" {
		t.Errorf("billed %s", got)
	}
	r.by(31)
	latest := r.ok("GET /v1/subscriptions/" + a.get("id")).get("latest_invoice")
	if got := r.ok("GET /v1/invoices/" + latest).get("total"); got != "2000" {
		t.Errorf("then %s", got)
	}
	r.refused(line+"add_invoice_items[0][quantity]=2", "400 parameter_missing add_invoice_items[0][price] Missing required param: add_invoice_items[0][price].")
	r.refused(line+"add_invoice_items[0][price]=price_m2", "400 - add_invoice_items[0][price] The price specified is set to `type=recurring` but this field only accepts prices with `type=one_time`.")
}

// TestDiscountSums: what discounts take off, in sum and line by line.
func TestDiscountSums(t *testing.T) {
	for _, row := range []struct{ coupon, amounts, want string }{
		{"percent_off=50", "101 101", "101: 50 51"},
		{"percent_off=33.3333", "1000 1000 1000", "1000: 333 333 334"},
		{"percent_off=100", "1 2 3", "6: 1 2 3"},
		{"percent_off=0.0001", "499999", "0: 0"},
		{"percent_off=0.0001", "500000", "1: 1"},
		{"amount_off=100 currency=usd", "50 50 1", "100: 49 50 1"},
		{"amount_off=1000 currency=usd", "300 200", "500: 300 200"},
		{"amount_off=100 currency=usd", "-500 300", "100: 0 100"},
	} {
		t.Run(row.coupon+" of "+row.amounts, func(t *testing.T) {
			r := newRig(t, billing())
			r.ok("POST /v1/coupons id=C " + row.coupon)
			inv := r.ok("POST /v1/invoices customer=cus_ada discounts[0][coupon]=C").get("id")
			line := "POST /v1/invoices/" + inv + "/add_lines"
			for i, amount := range strings.Fields(row.amounts) {
				line += " lines[" + string(rune('0'+i)) + "][amount]=" + amount
			}
			a := r.ok(line)
			got := a.get("total_discount_amounts.0.amount") + ":"
			for i := range strings.Fields(row.amounts) {
				got += " " + a.get("lines.data."+string(rune('0'+i))+".discount_amounts.0.amount")
			}
			if got != row.want {
				t.Errorf("got %s, want %s", got, row.want)
			}
		})
	}
}

// TestDiscountRefusals: what cannot be a coupon, a code or a discount.
func TestDiscountRefusals(t *testing.T) {
	r := newRig(t, billing())
	for _, line := range []string{
		"POST /v1/coupons id=HALF percent_off=50",
		"POST /v1/coupons id=EURO amount_off=100 currency=eur",
		"POST /v1/coupons id=LAST percent_off=50 max_redemptions=1",
		"POST /v1/coupons id=SOON percent_off=5 redeem_by=1767225700",
		"POST /v1/promotion_codes promotion[type]=coupon promotion[coupon]=HALF code=HALF",
		"POST /v1/promotion_codes promotion[type]=coupon promotion[coupon]=HALF code=BO customer=cus_bo",
		"POST /v1/promotion_codes promotion[type]=coupon promotion[coupon]=HALF code=FIRST restrictions[first_time_transaction]=true",
		"POST /v1/invoices customer=cus_ada discounts[0][coupon]=LAST",
	} {
		r.ok(line)
	}
	promo := func(code string) string { return r.ok("GET /v1/promotion_codes code=" + code).each("id") }
	r.ok("POST /v1/subscriptions customer=cus_ada items[0][price]=price_m")
	r.ok("POST /v1/promotion_codes/" + promo("half") + " active=false")
	r.by(0.01)
	for _, row := range [][2]string{
		{"POST /v1/coupons", "400 parameter_missing - Must provide percent_off or amount_off."},
		{"POST /v1/coupons percent_off=10 amount_off=5", "400 - percent_off You may only specify one of these parameters: amount_off, percent_off."},
		{"POST /v1/coupons amount_off=5", "400 parameter_missing currency You must pass currency when passing amount_off."},
		{"POST /v1/coupons percent_off=0", "400 - percent_off Invalid percent_off: must be greater than 0 and less than or equal to 100"},
		{"POST /v1/coupons percent_off=100.0001", "400 - percent_off Invalid percent_off: must be greater than 0 and less than or equal to 100"},
		{"POST /v1/coupons percent_off=1e1", "400 - percent_off Invalid decimal: 1e1"},
		{"POST /v1/coupons percent_off=-5", "400 - percent_off Invalid decimal: -5"},
		{"POST /v1/coupons percent_off=.5", "400 - percent_off Invalid decimal: .5"},
		{"POST /v1/coupons amount_off=0 currency=usd", "400 parameter_invalid_integer amount_off This value must be greater than or equal to 1."},
		{"POST /v1/coupons percent_off=5 duration=repeating", "400 parameter_missing duration_in_months You must pass duration_in_months when passing duration=repeating."},
		{"POST /v1/coupons percent_off=5 duration_in_months=2", "400 - duration_in_months You may only pass duration_in_months when passing duration=repeating."},
		{"POST /v1/coupons percent_off=5 redeem_by=1", "400 - redeem_by Invalid timestamp: must be an integer Unix timestamp in the future."},
		{"POST /v1/coupons percent_off=5 currency_options[eur][amount_off]=5", "400 - currency_options You may only pass currency_options for a coupon with amount_off."},
		{"DELETE /v1/coupons/NO", "404 resource_missing coupon No such coupon: 'NO'"},
		{"POST /v1/promotion_codes", "400 parameter_missing promotion Missing required param: promotion."},
		{"POST /v1/promotion_codes promotion[type]=coupon promotion[coupon]=NO", "400 resource_missing promotion[coupon] No such coupon: 'NO'"},
		{"POST /v1/promotion_codes promotion[type]=coupon promotion[coupon]=HALF code=bo", "400 - code An active promotion code with `code: bo` already exists."},
		{"POST /v1/promotion_codes promotion[type]=coupon promotion[coupon]=SOON", "400 coupon_expired promotion[coupon] Coupon expired: SOON"},
		{"GET /v1/promotion_codes/promo_no", "404 resource_missing promotion_code No such promotion code: 'promo_no'"},
		{"POST /v1/invoices customer=cus_ada discounts[0][coupon]=NO", "400 resource_missing discounts[0][coupon] No such coupon: 'NO'"},
		{"POST /v1/invoices customer=cus_ada discounts[0][coupon]=LAST", "400 coupon_expired discounts[0][coupon] Coupon expired: LAST"},
		{"POST /v1/invoices customer=cus_ada discounts[0][coupon]=SOON", "400 coupon_expired discounts[0][coupon] Coupon expired: SOON"},
		{"POST /v1/invoices customer=cus_ada discounts[0][coupon]=EURO", "400 - discounts[0][coupon] The currency of the coupon (eur) does not match the currency of what it is applied to (usd)."},
		{"POST /v1/invoices customer=cus_ada discounts[0][coupon]=HALF discounts[1][coupon]=HALF", "400 - discounts[1] The same coupon cannot be applied twice: HALF."},
		{"POST /v1/invoices customer=cus_ada discounts[0][discount]=di_no", "400 resource_missing discounts[0][discount] No such discount: 'di_no'"},
		{"POST /v1/invoices customer=cus_ada discounts[0][promotion_code]=" + promo("half"), "400 - discounts[0][promotion_code] This promotion code is no longer active: HALF"},
		{"POST /v1/invoices customer=cus_ada discounts[0][promotion_code]=" + promo("bo"), "400 - discounts[0][promotion_code] This promotion code cannot be redeemed because it is restricted to another customer."},
		{"POST /v1/invoices customer=cus_ada discounts[0][promotion_code]=" + promo("first"), "400 - discounts[0][promotion_code] This promotion code cannot be redeemed because the associated customer has prior transactions."},
		{"DELETE /v1/subscriptions/sub_ada/discount", "404 resource_missing - No active discount for subscription: sub_ada"},
		{"DELETE /v1/customers/cus_ada/discount", "404 resource_missing - No active discount for customer: cus_ada"},
		{"POST /v1/subscriptions/sub_ada coupon=HALF", "400 parameter_unknown coupon Received unknown parameter: coupon"},
	} {
		r.refused(row[0], row[1])
	}
}

// A coupon of a sum takes off other sums in other currencies.
func TestCouponCurrencies(t *testing.T) {
	r := newRig(t, qaBase)
	const make = "POST /v1/coupons id=%s amount_off=500 currency=usd currency_options[%s][amount_off]=%s"
	a := r.ok(fmt.Sprintf(make, "both", "jpy", "700") + " expand[]=currency_options")
	if got := a.get("currency_options.jpy.amount_off") + a.get("currency_options.usd.amount_off") + a.get("amount_off"); got != "700500500" {
		t.Errorf("%s", a.Body)
	}
	for line, want := range map[string]string{
		fmt.Sprintf(make, "x", "jpy", "a"):                                          "400 parameter_invalid_integer currency_options[jpy][amount_off] Invalid integer: a",
		fmt.Sprintf(make, "x", "usd", "7"):                                          "400 - currency_options[usd][amount_off] The amount_off of a coupon cannot be changed once it is set for a currency (usd).",
		"POST /v1/coupons percent_off=5 currency_options[jpy][amount_off]=1":        "400 - currency_options You may only pass currency_options for a coupon with amount_off.",
		fmt.Sprintf(make, "x", "eur", "7") + " currency_options[EUR][amount_off]=8": "400 - currency_options[EUR][amount_off] The amount_off of a coupon cannot be changed once it is set for a currency (eur).",
		"POST /v1/coupons/both currency_options[jpy][amount_off]=701":               "400 - currency_options[jpy][amount_off] The amount_off of a coupon cannot be changed once it is set for a currency (jpy).",
		"POST /v1/coupons/both currency_options[jpy][percent_off]=7":                "400 parameter_unknown currency_options[jpy][percent_off] Received unknown parameter: currency_options[jpy][percent_off]",
		"POST /v1/coupons/both currency_options[jpy]=7":                             "400 - currency_options[jpy] Invalid object",
		"POST /v1/coupons/both currency_options[jpy][amount_off][x]=7":              "400 parameter_invalid_integer currency_options[jpy][amount_off] Invalid integer: {\"x\":\"7\"}",
	} {
		r.refused(line, want)
	}
	r.ok("POST /v1/coupons/both currency_options[eur][amount_off]=300 currency_options[jpy][amount_off]=700")
	if got := r.ok("GET /v1/coupons/both expand[]=currency_options").get("currency_options"); got != `{"eur":{"amount_off":300},"jpy":{"amount_off":700},"usd":{"amount_off":500}}` {
		t.Errorf("%s", got)
	}
	c := r.ok("POST /v1/customers").get("id")
	r.ok("POST /v1/invoiceitems customer=" + c + " amount=9899 currency=jpy")
	inv := r.ok("POST /v1/invoices customer=" + c + " currency=jpy pending_invoice_items_behavior=include discounts[0][coupon]=both")
	if got := inv.get("total"); got != "9199" {
		t.Errorf("in yen it comes to %s", got)
	}
	if got := r.do("POST /v1/invoices customer=" + r.ok("POST /v1/customers").get("id") + " currency=gbp discounts[0][coupon]=both"); got.Status != 400 {
		t.Errorf("in pounds: %s", got.Body)
	}
}
