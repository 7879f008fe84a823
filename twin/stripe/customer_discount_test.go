package stripe_test

import "testing"

// A customer's own discount: made in an old version, seen in all, on every invoice
// that has none of its own, until its time or its one invoice is over.
func TestCustomerDiscount(t *testing.T) {
	const stored, basil, old = "", "2025-06-30.basil", "2024-06-20"
	r := newRig(t, qaBase)
	r.ok("POST /v1/coupons id=TENTH percent_off=10 duration=forever")
	r.ok("POST /v1/coupons id=HALF percent_off=50 duration=once")
	r.ok("POST /v1/coupons id=EUROS amount_off=100 currency=eur duration=forever")
	r.ok("POST /v1/promotion_codes promotion[type]=coupon promotion[coupon]=TENTH code=TEN")
	code := r.ok("GET /v1/promotion_codes").get("data.0.id")
	for _, row := range []struct{ version, line, path, want string }{
		{stored, "POST /v1/customers coupon=TENTH", "error.message", "Received unknown parameter: coupon"},
		{basil, "POST /v1/customers/cus_qa02 promotion_code=" + code, "error.message", "Received unknown parameter: promotion_code"},
		{old, "POST /v1/customers coupon=NONE", "error.param", "coupon"},
		{old, "POST /v1/customers promotion_code=NONE", "error.param", "promotion_code"},
		{old, "POST /v1/customers coupon=TENTH promotion_code=" + code, "error.message", "You may only specify one of these parameters: coupon, promotion_code."},
		{old, "POST /v1/customers/cus_qa02 coupon=EUROS", "error.param", "coupon"},
		{stored, "GET /v1/customers/cus_qa02/discount", "error.message", "No active discount for customer: cus_qa02"},
		{stored, "DELETE /v1/customers/cus_qa02/discount", "error.code", "resource_missing"},
		{old, "POST /v1/customers/cus_qa02 promotion_code=" + code, "discount.coupon.id", "TENTH"},
		{stored, "GET /v1/customers/cus_qa02", "discount.source.coupon", "TENTH"},
		{stored, "GET /v1/customers/cus_qa02?expand[]=discount.source.coupon", "discount.source.coupon.percent_off", "10"},
		{basil, "GET /v1/customers/cus_qa02/discount", "coupon.id", "TENTH"},
		{stored, "GET /v1/customers/cus_qa02/discount", "promotion_code", code},
		{stored, "POST /v1/invoiceitems customer=cus_qa02 amount=1000 currency=usd", "amount", "1000"},
		{stored, "POST /v1/invoices/create_preview customer=cus_qa02", "total", "900"},
		{stored, "POST /v1/invoices customer=cus_qa02 pending_invoice_items_behavior=include discounts=", "total", "1000"},
		{stored, "POST /v1/invoiceitems customer=cus_qa02 amount=1000 currency=usd", "amount", "1000"},
		{stored, "POST /v1/invoices customer=cus_qa02 pending_invoice_items_behavior=include", "total", "900"},
		{old, "POST /v1/customers/cus_qa02 coupon=HALF", "discount.coupon.id", "HALF"},
		{stored, "GET /v1/events?type=customer.discount.*", "data.0.type", "customer.discount.updated"},
		{stored, "POST /v1/subscriptions customer=cus_qa02 items[0][price]=price_qa_m expand[]=latest_invoice", "latest_invoice.total_discount_amounts.0.discount", r.ok("GET /v1/customers/cus_qa02").get("discount.id")},
	} {
		if row.want == "" { // the discount there is now
			row.want = r.ok("GET /v1/customers/cus_qa02").get("discount.id")
		}
		if got := r.in(row.version, row.line).get(row.path); got != row.want {
			t.Errorf("%s %s: %s is %q, want %q", row.version, row.line, row.path, got, row.want)
		}
	}
	// It was for one invoice: the next one is whole, and takes it away.
	r.ok("POST /v1/invoiceitems customer=cus_qa02 amount=1000 currency=usd")
	if got := r.ok("POST /v1/invoices customer=cus_qa02 pending_invoice_items_behavior=include").get("total"); got != "1000" {
		t.Errorf("the invoice after the one that HALF was for is %s", got)
	}
	if got := r.ok("GET /v1/customers/cus_qa02").get("discount"); got != "null" {
		t.Errorf("HALF is over and still there: %s", got)
	}
	r.in(old, "POST /v1/customers/cus_qa02 coupon=TENTH")
	if a := r.ok("DELETE /v1/customers/cus_qa02/discount"); a.get("deleted") != "true" {
		t.Errorf("%s", a.Body)
	}
	for _, version := range [...]string{basil, old} { // what is deleted shows in the shape asked for, too
		r.in(old, "POST /v1/customers/cus_qa02 coupon=TENTH")
		if a := r.in(version, "DELETE /v1/customers/cus_qa02/discount"); a.get("coupon.id") != "TENTH" || a.get("source") != "" {
			t.Errorf("%s: %s", version, a.Body)
		}
	}
	r.in(old, "POST /v1/customers/cus_qa02 coupon=TENTH")
	if a := r.in(old, "POST /v1/customers/cus_qa02 coupon="); a.get("discount") != "null" {
		t.Errorf("sent empty, the coupon stays: %s", a.Body)
	}
	r.refused("POST /v1/customers/cus_qa02 coupon=", "400 parameter_unknown coupon Received unknown parameter: coupon")
	if got := r.in(old, "POST /v1/customers email=new@coupon.example coupon=TENTH").get("discount.coupon.id"); got != "TENTH" {
		t.Errorf("a customer made with a coupon has %q", got)
	}
}
