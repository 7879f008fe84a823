package fromstripe_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"worlds/seed/fromstripe"
)

// recorded answers list endpoints with what an account of an API version answers,
// one object a page.
type recorded map[string][]string

func (rec recorded) serve(t *testing.T) *account {
	t.Helper()
	a := &account{}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		all, ok := rec[r.URL.Path]
		if pi := r.URL.Query().Get("payment_intent"); pi != "" {
			all = rec[r.URL.Path+"?payment_intent="+pi]
		}
		if len(all) == 1 && strings.Count(r.URL.Path, "/") == 3 && !strings.HasSuffix(r.URL.Path, "/lines") {
			fmt.Fprint(w, all[0])
			return
		}
		at := 0
		for i, one := range all {
			if after := r.URL.Query().Get("starting_after"); after != "" && strings.Contains(one, `"id":"`+after+`"`) {
				at = i + 1
			}
		}
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"error":{"type":"invalid_request_error","message":"Unrecognized request URL"}}`)
			return
		}
		fmt.Fprintf(w, `{"object":"list","url":%q,"has_more":%v,"data":[%s]}`, r.URL.Path, at+1 < len(all), strings.Join(all[at:min(at+1, len(all))], ","))
	}))
	t.Cleanup(a.Close)
	return a
}

// What is the same in all versions.
func common(more recorded) recorded {
	rec := recorded{
		"/v1/products":  {`{"id":"prod_NWjs8kKbJWmuuc","object":"product","active":true,"created":1700000000,"name":"Pro","default_price":"price_1","images":[],"metadata":{"a":"b"}}`},
		"/v1/customers": {`{"id":"cus_NffrFeUfNV2Hib","object":"customer","created":1700000100,"name":"Jenny Rosen","email":"jenny@corp.test","phone":null,"metadata":{}}`, `{"id":"cus_gone","object":"customer","deleted":true}`},
		"/v1/prices": {
			`{"id":"price_tiered","object":"price","active":true,"created":1700000002,"product":"prod_NWjs8kKbJWmuuc","currency":"usd","unit_amount":null,"billing_scheme":"tiered","recurring":{"interval":"month","interval_count":1,"usage_type":"metered"}}`,
			`{"id":"price_1MoBy5LkdIwHu7ixZhnattbh","object":"price","active":true,"created":1700000001,"product":{"id":"prod_NWjs8kKbJWmuuc","object":"product"},"currency":"eur","unit_amount":1500,"nickname":null,"recurring":{"interval":"month","interval_count":3,"usage_type":"licensed"}}`},
	}
	for path, objects := range more {
		rec[path] = objects
	}
	return rec
}

const priceObject = `{"id":"price_1MoBy5LkdIwHu7ixZhnattbh","object":"price","product":"prod_NWjs8kKbJWmuuc","currency":"eur","unit_amount":1500}`

// Fields have moved over the years; each is found where it was.
func TestShapesOfOlderVersions(t *testing.T) {
	for name, rec := range map[string]recorded{
		"2025-03-31.basil": common(recorded{
			"/v1/subscriptions": {
				`{"id":"sub_live","object":"subscription","created":1700000300,"customer":"cus_NffrFeUfNV2Hib","status":"active","billing_cycle_anchor":1700000300,"trial_end":null,"cancel_at_period_end":true,"items":{"object":"list","has_more":false,"data":[{"id":"si_1","price":` + priceObject + `,"quantity":4,"current_period_start":1707948300,"current_period_end":1715724300}]}}`,
				`{"id":"sub_ended","object":"subscription","created":1700000200,"customer":"cus_NffrFeUfNV2Hib","status":"canceled","items":{"data":[]}}`},
			"/v1/invoices": {`{"id":"in_paid","object":"invoice","created":1707948300,"customer":"cus_NffrFeUfNV2Hib","status":"paid","currency":"eur","total":7140,
				"lines":{"object":"list","has_more":true,"data":[{"id":"il_1","amount":6000,"quantity":4,"description":"4 × Pro","pricing":{"type":"price_details","price_details":{"price":"price_1MoBy5LkdIwHu7ixZhnattbh","product":"prod_NWjs8kKbJWmuuc"}}}]},
				"payments":{"object":"list","has_more":false,"data":[{"id":"inpay_1","status":"paid","payment":{"type":"payment_intent","payment_intent":"pi_1"}},{"id":"inpay_2","status":"open","payment":{"type":"payment_intent","payment_intent":"pi_0"}}]}}`},
			"/v1/invoices/in_paid/lines": {
				`{"id":"il_1","amount":6000,"quantity":4,"description":"4 × Pro","pricing":{"type":"price_details","price_details":{"price":"price_1MoBy5LkdIwHu7ixZhnattbh"}}}`,
				`{"id":"il_2","amount":0,"quantity":null,"description":null,"pricing":null}`},
			"/v1/charges":                     {`{"id":"ch_alone","object":"charge","created":1700000200,"amount":100,"amount_refunded":0,"captured":true,"paid":true,"status":"succeeded","disputed":false,"payment_intent":"pi_9"}`},
			"/v1/charges?payment_intent=pi_1": {`{"id":"ch_paid","object":"charge","created":1707948301,"amount":7140,"amount_refunded":1000,"captured":true,"paid":true,"status":"succeeded","disputed":true,"payment_intent":"pi_1"}`},
		}),
		"2022-11-15": common(recorded{
			"/v1/subscriptions": {
				`{"id":"sub_live","object":"subscription","created":1700000300,"customer":"cus_NffrFeUfNV2Hib","status":"active","billing_cycle_anchor":1700000300,"trial_end":null,"cancel_at_period_end":true,"current_period_start":1707948300,"current_period_end":1715724300,"items":{"object":"list","has_more":false,"data":[{"id":"si_1","price":` + priceObject + `,"quantity":4}]}}`,
				`{"id":"sub_ended","object":"subscription","created":1700000200,"customer":"cus_NffrFeUfNV2Hib","status":"canceled","items":{"data":[]}}`},
			"/v1/invoices": {`{"id":"in_paid","object":"invoice","created":1707948300,"customer":{"id":"cus_NffrFeUfNV2Hib","object":"customer","name":"Jenny Rosen"},"status":"paid","currency":"eur","total":7140,"charge":"ch_paid",
				"lines":{"object":"list","has_more":true,"data":[{"id":"il_1","amount":6000,"quantity":4,"description":"4 × Pro","price":` + priceObject + `}]}}`},
			"/v1/invoices/in_paid/lines": {
				`{"id":"il_1","amount":6000,"quantity":4,"description":"4 × Pro","price":` + priceObject + `}`,
				`{"id":"il_2","amount":0,"quantity":null,"description":null,"price":null}`},
			"/v1/charges":         {`{"id":"ch_alone","object":"charge","created":1700000200,"amount":100,"amount_refunded":0,"captured":true,"paid":true,"status":"succeeded","disputed":false,"payment_intent":"pi_9","invoice":null}`},
			"/v1/charges/ch_paid": {`{"id":"ch_paid","object":"charge","created":1707948301,"amount":7140,"amount_refunded":1000,"captured":true,"paid":true,"status":"succeeded","disputed":true,"payment_intent":"pi_1","invoice":"in_paid"}`},
		}),
	} {
		t.Run(name, func(t *testing.T) {
			got := rec.serve(t).read(t, 100, fromstripe.Options{})
			d := &got.Seed.Document.Data
			want := []string{
				"customer of 1 invoices 1700000100 name true email true",
				"invoice paid eur 1707948300 [4 × 6000 price_1MoBy5LkdIwHu7ixZhnattbh] [1 × 0 ] [1 × 1140 ] charge 7140-1000",
				"price price_1MoBy5LkdIwHu7ixZhnattbh prod_NWjs8kKbJWmuuc 1500 eur {month 3} true 1700000001",
				"product prod_NWjs8kKbJWmuuc true 1700000000",
				"subscription price_1MoBy5LkdIwHu7ixZhnattbh × 4 1707948300..1715724300 true active anchor 1700000300 trial 0 created 1700000300",
			}
			if have := shape(d, got.Seed.Document.Epoch); strings.Join(have, "\n") != strings.Join(want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(have, "\n"), strings.Join(want, "\n"))
			}
			for _, why := range []string{"it is deleted", "it has no whole unit amount", "its status is canceled", "it pays no invoice"} {
				if !strings.Contains(string(got.Manifest), why) {
					t.Errorf("the manifest does not say %q\n%s", why, got.Manifest)
				}
			}
			if got.Skipped != 4 || got.Seed.Document.Epoch != 1707955200 || strings.Contains(string(got.Manifest), "NWjs8kKbJWmuuc") {
				t.Errorf("skipped %d, epoch %d\n%s", got.Skipped, got.Seed.Document.Epoch, got.Manifest)
			}
			if n := strings.Count(string(got.Manifest), `"ch_`); n != 2 { // the skipped one and the disputed one, under their new ids
				t.Errorf("%d charges in the manifest\n%s", n, got.Manifest)
			}
		})
	}
}
