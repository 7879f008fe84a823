package stripe_test

import "testing"

// An item may name its price a plan, as older code does; both names may say the same.
func TestItemsOfPlans(t *testing.T) {
	r := newRig(t, qaBase)
	a := r.ok("POST /v1/subscriptions customer=cus_qa01 items[0][plan]=price_qa_m")
	sub, item := a.get("id"), a.get("items.data.0.id")
	if got := a.get("items.data.0.price.id") + a.get("plan.id"); got != "price_qa_mprice_qa_m" {
		t.Errorf("made: %s", a.Body)
	}
	other := r.ok("POST /v1/prices product=prod_qa01 unit_amount=700 currency=usd recurring[interval]=month").get("id")
	for _, line := range []string{
		"POST /v1/subscriptions/" + sub + " items[0][id]=" + item + " items[0][plan]=" + other,
		"POST /v1/subscription_items/" + item + " plan=price_qa_m price=price_qa_m",
		"POST /v1/subscription_items subscription=" + sub + " plan=" + other,
		"POST /v1/customers/cus_qa01/subscriptions items[0][plan]=price_qa_m",
		"POST /v1/invoices/create_preview subscription=" + sub + " subscription_details[items][0][id]=" + item + " subscription_details[items][0][plan]=price_qa_m",
	} {
		r.ok(line)
	}
	if got := r.ok("GET /v1/subscriptions/" + sub).get("items.data.1.price.id"); got != other {
		t.Errorf("the second item has %s", got)
	}
	const make = "POST /v1/subscriptions customer=cus_qa01 items[0][plan]="
	r.refused(make+"price_none", "400 resource_missing items[0][price] No such price: 'price_none'")
	r.refused(make+"price_qa_m items[0][price]="+other, "400 - items[0][price] You may only specify one of these parameters: items[0][plan], items[0][price].")
	r.refused(make+"price_qa_m items[0][price_data][currency]=usd items[0][price_data][product]=prod_qa01 items[0][price_data][unit_amount]=5 items[0][price_data][recurring][interval]=month",
		"400 - items[0][price_data] You may only specify one of these parameters: items[0][plan], items[0][price_data].")
	r.refused("POST /v1/subscriptions customer=cus_qa01 plan=price_qa_m", "400 parameter_unknown plan Received unknown parameter: plan")
}
