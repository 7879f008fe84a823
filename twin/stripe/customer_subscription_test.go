package stripe_test

import "testing"

// The older routes of a customer's subscriptions do what the newer ones do, and take
// what they took.
func TestCustomerSubscriptions(t *testing.T) {
	r := newRig(t, qaBase)
	const path = "/v1/customers/cus_qa01/subscriptions"
	s := r.ok("POST " + path + " items[0][price]=price_qa_m trial_period_days=3")
	id := s.get("id")
	if got := s.get("customer") + " " + s.get("status"); got != "cus_qa01 trialing" {
		t.Errorf("made: %s", got)
	}
	r.ok("POST " + path + "/" + id + " metadata[k]=v trial_end=now")
	if got := r.ok("GET " + path + "/" + id); string(got.Body) != string(r.ok("GET /v1/subscriptions/"+id).Body) || got.get("metadata.k")+got.get("status") != "vactive" {
		t.Errorf("read: %s", got.Body)
	}
	if got := r.ok("GET " + path + "?expand[]=data.customer"); got.get("data.0.customer.id") != "cus_qa01" || got.get("url") != path {
		t.Errorf("listed: %s", got.Body)
	}
	const other = "404 resource_missing subscription Customer cus_qa02 does not have a subscription with ID "
	for _, line := range []string{"GET", "POST", "DELETE"} {
		r.refused(line+" /v1/customers/cus_qa02/subscriptions/"+id, other+id)
		r.refused(line+" /v1/customers/cus_qa02/subscriptions/sub_none", other+"sub_none")
	}
	r.refused("GET /v1/customers/cus_none/subscriptions", "404 resource_missing customer No such customer: 'cus_none'")
	r.refused("POST "+path+" items[0][price]=price_qa_m customer=cus_qa02", "400 parameter_unknown customer Received unknown parameter: customer")
	r.refused("POST "+path, "400 parameter_missing items Missing required param: items.")
	r.ok("POST /v1/coupons id=HALF percent_off=50 duration=forever")
	r.in("2024-06-20", "POST "+path+"/"+id+" coupon=HALF")
	if got := r.ok("GET " + path + "/" + id + "/discount"); got.get("source.coupon") != "HALF" {
		t.Errorf("the discount: %s", got.Body)
	}
	r.ok("DELETE " + path + "/" + id + "/discount")
	r.refused("GET "+path+"/"+id+"/discount", "404 resource_missing - No active discount for subscription: "+id)
	if got := r.ok("DELETE " + path + "/" + id + " prorate=true"); got.get("status") != "canceled" {
		t.Errorf("canceled: %s", got.Body)
	}
	r.refused("DELETE "+path+"/"+id, "404 resource_missing id No such subscription: '"+id+"'")
	if got := r.ok("GET " + path); got.get("data") != "[]" {
		t.Errorf("listed: %s", got.Body)
	}
}

func TestCancelRefund(t *testing.T) {
	r := newRig(t, qaBase)
	id := r.ok("POST /v1/refunds charge=ch_qa01 amount=5").get("id")
	r.refused("POST /v1/refunds/"+id+"/cancel", "400 - - Refund "+id+" cannot be canceled because it has a status of succeeded. Only a refund with a status of requires_action may be canceled.")
	r.refused("POST /v1/refunds/re_none/cancel", "404 resource_missing id No such refund: 're_none'")
}
