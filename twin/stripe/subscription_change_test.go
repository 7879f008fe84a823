package stripe_test

import (
	"strings"
	"testing"
)

// bill lists the lines of an invoice and what it comes to.
func (a answer) bill(at string) string {
	var out []string
	for i := 0; ; i++ {
		line := at + ".lines.data." + string(rune('0'+i))
		if a.get(line+".id") == "" {
			return strings.Join(append(out, a.get(at+".billing_reason")+" "+a.get(at+".total")), "; ")
		}
		out = append(out, a.get(line+".description")+" "+a.get(line+".amount"))
	}
}

// What the changes of a subscription that begin another period come to: the period of
// 31 days that began at 10:00 on 31 January ends on 28 February.
func TestSubscriptionChangesBilled(t *testing.T) {
	const setup = "add_invoice_items[0][price_data][currency]=usd add_invoice_items[0][price_data][product]=prod_setup add_invoice_items[0][price_data][unit_amount]=1500"
	const begin, whole = "POST /v1/subscriptions customer=cus_ada items[0][price]=price_m ", " expand[]=latest_invoice"
	for _, row := range []struct {
		name, want string
		steps      []string
	}{
		{"half a period to the anchor", "Remaining time on Pro after 31 Jan 2026 903; subscription_create 903", []string{begin + "billing_cycle_anchor=$now+14"}},
		{"a whole one", "1 × Pro (at $20.00 / month) 2000; subscription_create 2000", []string{begin + "billing_cycle_anchor=$now+28"}},
		{"a change before the anchor", "Unused time on Pro after 07 Feb 2026 -452; Remaining time on 2 × Pro after 07 Feb 2026 903; subscription_update 451",
			[]string{begin + "billing_cycle_anchor=$now+14", "+7", "POST /v1/subscriptions/$sub items[0][id]=$item items[0][quantity]=2 proration_behavior=always_invoice"}},
		{"and after it", "2 × Pro (at $20.00 / month) 4000; subscription_cycle 4000",
			[]string{begin + "billing_cycle_anchor=$now+14 items[0][quantity]=2", "+14", "POST /v1/subscriptions/$sub"}},
		{"a trial of a running one", "Unused time on Pro after 07 Feb 2026 -1500; Free trial for 1 × Pro 0; subscription_update -1500",
			[]string{begin, "+7", "POST /v1/subscriptions/$sub trial_end=$now+10"}},
		{"without credit", "Free trial for 1 × Pro 0; subscription_update 0", []string{begin, "+7", "POST /v1/subscriptions/$sub trial_end=$now+10 proration_behavior=none"}},
		{"billed once beside a change", "Unused time on Pro after 14 Feb 2026 -1000; Remaining time on 2 × Pro after 14 Feb 2026 2000; Setup 1500; subscription_update 2500",
			[]string{begin, "+14", "POST /v1/subscriptions/$sub items[0][id]=$item items[0][quantity]=2 proration_behavior=always_invoice " + setup}},
		{"billed once with the next invoice", "Setup 1500; 1 × Pro (at $20.00 / month) 2000; subscription_cycle 3500",
			[]string{begin, "POST /v1/subscriptions/$sub " + setup, "+28", "POST /v1/subscriptions/$sub"}},
		{"billed once with a trial", "Setup 1500; Free trial for 1 × Pro 0; subscription_create 1500", []string{begin + "trial_period_days=7 " + setup}},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := clockRig(t, "")
			r.ok("POST /v1/products id=prod_setup name=Setup")
			r.script(row.steps...)
			sub := r.fill("$sub")
			if got := r.ok("GET /v1/subscriptions/" + sub + whole).bill("latest_invoice"); got != row.want {
				t.Errorf("\n got %s\nwant %s\n%s", got, row.want, r.text.String())
			}
		})
	}
}

// An update that waits changes nothing but that it waits.
func TestPendingUpdate(t *testing.T) {
	r := clockRig(t, "")
	r.script("POST /v1/subscriptions customer=cus_ada items[0][price]=price_m", "POST /v1/payment_methods/pm_card_chargeCustomerFail/attach customer=cus_ada",
		"POST /v1/subscriptions/$sub default_payment_method=$pm")
	a := r.ok(r.fill("POST /v1/subscriptions/$sub items[0][id]=$item items[0][quantity]=3 proration_behavior=always_invoice payment_behavior=pending_if_incomplete expand[]=latest_invoice"))
	for path, want := range map[string]string{
		"status": "active", "quantity": "1", "items.data.0.quantity": "1", "pending_update.subscription_items.0.quantity": "3",
		"pending_update.billing_cycle_anchor": "null", "pending_update.trial_end": "null", "pending_update.expires_at": "1769936400",
		"latest_invoice.status": "open", "latest_invoice.amount_due": "4000", "latest_invoice.auto_advance": "false", "latest_invoice.attempt_count": "1",
	} {
		if got := a.get(path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
	paid := r.ok("POST /v1/invoices/" + a.get("latest_invoice.id") + "/pay payment_method=pm_card_visa")
	if now := r.ok(r.fill("GET /v1/subscriptions/$sub")); paid.get("status") != "paid" || now.get("quantity") != "3" || now.get("pending_update") != "null" {
		t.Errorf("%s", now.Body)
	}
}
