package stripe_test

import "testing"

// A discount of one item takes off its lines alone, and ends as the subscription's do.
func TestItemDiscounts(t *testing.T) {
	r := newRig(t, machineSeed)
	r.ok("POST /v1/coupons id=TENTH percent_off=10 duration=forever")
	r.ok("POST /v1/coupons id=ONCE percent_off=50 duration=once")
	r.refused("POST /v1/subscriptions customer=cus_a items[0][price]=price_m items[0][discounts][0][coupon]=NONE",
		"400 resource_missing items[0][discounts][0][coupon] No such coupon: 'NONE'")
	s := r.ok("POST /v1/subscriptions customer=cus_a items[0][price]=price_m items[0][discounts][0][coupon]=TENTH items[1][price]=price_n items[1][discounts][0][coupon]=ONCE expand[]=latest_invoice expand[]=items.data.discounts")
	if got := s.get("items.data.0.discounts.0.source.coupon"); got != "TENTH" {
		t.Errorf("the item's discount, expanded, is of %q: %s", got, s.Body)
	}
	for _, at := range []string{"0", "1"} {
		if s.get("latest_invoice.lines.data."+at+".discounts.0") == "" || s.get("latest_invoice.lines.data."+at+".discount_amounts.0.amount") == "0" {
			t.Errorf("line %s has no discount of its own: %s", at, s.get("latest_invoice.lines.data."+at))
		}
	}
	id := s.get("id")
	r.by(32)
	now := r.ok("GET /v1/subscriptions/" + id)
	if now.get("items.data.1.discounts.0") != "" || now.get("items.data.0.discounts.0") == "" {
		t.Errorf("after a period the discounts are %s and %s", now.get("items.data.0.discounts"), now.get("items.data.1.discounts"))
	}
	item := now.get("items.data.0.id")
	if got := r.ok("POST /v1/subscription_items/" + item + " discounts=").get("discounts"); got != "[]" {
		t.Errorf("sent empty they are %s", got)
	}
	if got := r.ok("POST /v1/subscriptions/" + id + " items[0][id]=" + item + " items[0][discounts][0][coupon]=TENTH").get("items.data.0.discounts.0"); got == "" {
		t.Error("the update gave none")
	}
	r.ok("DELETE /v1/subscription_items/" + item)
	if got := r.ok("GET /v1/events?type=customer.discount.*").get("data.0.type"); got != "customer.discount.deleted" {
		t.Errorf("with the item went %s", got)
	}
}

// A coupon that applies to some products takes nothing off others.
func TestCouponAppliesTo(t *testing.T) {
	r := newRig(t, qaBase)
	product := r.ok("GET /v1/prices/price_qa_m").get("product")
	other := r.ok("POST /v1/prices currency=usd unit_amount=1000 product_data[name]=Other").get("id")
	mine := r.ok("POST /v1/prices currency=usd unit_amount=1000 product=" + product).get("id")
	r.refused("POST /v1/coupons percent_off=50 applies_to[products][0]=prod_none", "400 resource_missing applies_to[products][0] No such product: 'prod_none'")
	r.ok("POST /v1/coupons id=MINE percent_off=50 duration=forever applies_to[products][0]=" + product)
	r.ok("POST /v1/coupons id=FIVE amount_off=500 currency=usd duration=forever applies_to[products][0]=" + product)
	if got := r.ok("GET /v1/coupons/MINE?expand[]=applies_to").get("applies_to.products.0"); got != product {
		t.Errorf("applies_to is %q", got)
	}
	if got := r.ok("GET /v1/coupons/MINE").get("applies_to"); got != "" {
		t.Errorf("unasked, applies_to is %q", got)
	}
	for coupon, want := range map[string]string{"MINE": "1500", "FIVE": "1500"} {
		r.ok("POST /v1/invoiceitems customer=cus_qa02 pricing[price]=" + other)
		r.ok("POST /v1/invoiceitems customer=cus_qa02 pricing[price]=" + mine)
		inv := r.ok("POST /v1/invoices customer=cus_qa02 pending_invoice_items_behavior=include discounts[0][coupon]=" + coupon)
		if inv.get("total") != want {
			t.Errorf("with %s the invoice is %s, not %s", coupon, inv.get("total"), want)
		}
	}
	if got := r.ok("POST /v1/invoiceitems customer=cus_qa02 discounts[0][coupon]=MINE pricing[price]=" + other).get("net_amount"); got != "1000" {
		t.Errorf("an item of another product nets %s", got)
	}
}

// A price that comes with an item is made for it, and for nothing else.
func TestItemPriceData(t *testing.T) {
	r := newRig(t, machineSeed)
	product := r.ok("GET /v1/prices/price_m").get("product")
	data := "[price_data][currency]=usd items[0][price_data][product]=" + product + " items[0][price_data][unit_amount]=777 items[0][price_data][recurring][interval]=month"
	r.refused("POST /v1/subscriptions customer=cus_a items[0][quantity]=1", "400 parameter_missing items[0][price] Missing required param: items[0][price].")
	r.refused("POST /v1/subscriptions customer=cus_a items[0][price]=price_m items[0]"+data, "400 - items[0][price_data] You may only specify one of these parameters: items[0][price], items[0][price_data].")
	r.refused("POST /v1/subscriptions customer=cus_a items[0][price_data][currency]=usd items[0][price_data][product]="+product+" items[0][price_data][unit_amount]=777",
		"400 parameter_missing items[0][price_data][recurring] Missing required param: items[0][price_data][recurring].")
	before := len(r.rows("stripe.price"))
	s := r.ok("POST /v1/subscriptions customer=cus_a items[0]" + data + " expand[]=latest_invoice")
	if s.get("items.data.0.price.unit_amount") != "777" || s.get("items.data.0.price.active") != "false" || s.get("latest_invoice.total") != "777" {
		t.Errorf("%s", s.Body)
	}
	if n := len(r.rows("stripe.price")) - before; n != 1 {
		t.Errorf("one price was brought, %d were made", n)
	}
	r.refused("POST /v1/subscriptions customer=cus_a items[0][price]="+s.get("items.data.0.price.id"),
		"400 - items[0][price] The price specified is inactive. This field only accepts active prices.")
	up := r.ok("POST /v1/subscriptions/" + s.get("id") + " items[0][id]=" + s.get("items.data.0.id") + " items[0]" + data)
	if up.get("items.data.0.price.id") == s.get("items.data.0.price.id") {
		t.Error("the update kept the price")
	}
	if got := r.ok("POST /v1/invoices/create_preview customer=cus_b subscription_details[items][0][price_data][currency]=usd subscription_details[items][0][price_data][product]=" + product +
		" subscription_details[items][0][price_data][unit_amount]=888 subscription_details[items][0][price_data][recurring][interval]=year").get("total"); got != "888" {
		t.Errorf("the preview is %s", got)
	}
}
