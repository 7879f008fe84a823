package stripe_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestDunningSettings: the seed says on which days after the first failure a
// payment is tried again, and what becomes of a subscription that none has paid.
func TestDunningSettings(t *testing.T) {
	boundary := date("2026-02-28T10:00")
	for _, row := range []struct {
		settings string
		tries    string // days after the boundary
		end      string // status after the last try
		later    string // statuses of the invoices after the next boundary, newest first
	}{
		{`{}`, "0 3 5 7", "canceled", "open"},
		{`{"retry_days":[1,2,10]}`, "0 1 2 10", "canceled", "open"},
		{`{"retry_days":[]}`, "0", "canceled", "open"},
		{`{"retry_days":[2],"exhausted":"unpaid"}`, "0 2", "unpaid", "draft open"},
		{`{"retry_days":[2],"exhausted":"past_due"}`, "0 2", "past_due", "open open"},
		{`{"retry_days":[],"exhausted":"unpaid"}`, "0", "unpaid", "draft open"},
	} {
		t.Run(row.settings, func(t *testing.T) {
			r := newRig(t, strings.Replace(fmt.Sprintf(clockSeed, `{"id":"sub_late","customer":"cus_late","price":"price_m"}`),
				`"test_clocks":true`, `"dunning":`+row.settings, 1))
			defer r.money()
			r.until(boundary + 20*86400)
			var tries []string
			for _, at := range strings.Fields(r.do("GET /v1/events type=charge.failed").each("created")) {
				var unix int64
				fmt.Sscan(at, &unix)
				tries = append([]string{fmt.Sprint((unix - boundary) / 86400)}, tries...)
			}
			if got := strings.Join(tries, " "); got != row.tries {
				t.Errorf("tried on the days %s, want %s", got, row.tries)
			}
			sub := r.do("GET /v1/subscriptions/sub_late")
			if sub.get("status") != row.end {
				t.Errorf("%s after the last try, want %s", sub.get("status"), row.end)
			}
			r.until(date("2026-03-31T10:00"))
			if got := r.do("GET /v1/invoices subscription=sub_late").each("status"); got != row.later {
				t.Errorf("invoices %s, want %s", got, row.later)
			}
			if row.end != "canceled" {
				r.ok("POST /v1/payment_methods/pm_card_visa/attach customer=cus_late")
				latest := r.do("GET /v1/subscriptions/sub_late").get("latest_invoice")
				r.ok("POST /v1/invoices/" + latest + "/pay payment_method=pm_card_visa")
				if s := r.do("GET /v1/subscriptions/sub_late").get("status"); s != "active" {
					t.Errorf("%s after the latest invoice was paid", s)
				}
			}
		})
	}
}
