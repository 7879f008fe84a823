package stripe_test

import (
	"fmt"
	"strings"
	"testing"
)

// outline is what of an invoice a preview promises: sums and lines.
func (a answer) outline() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s: subtotal %s, total %s, due %s, balance %s→%s\n", a.get("billing_reason"), a.get("subtotal"), a.get("total"),
		a.get("amount_due"), a.get("starting_balance"), a.get("ending_balance"))
	for i := 0; a.get(fmt.Sprintf("lines.data.%d.id", i)) != ""; i++ {
		at := fmt.Sprintf("lines.data.%d.", i)
		fmt.Fprintf(&out, "  %s: %s, off %s [%s, %s)\n", a.get(at+"description"), a.get(at+"amount"),
			a.get(at+"discount_amounts.0.amount"), a.get(at+"period.start"), a.get(at+"period.end"))
	}
	return out.String()
}

// TestPreviewComesTrue: a preview changes nothing, and what it shows is what then
// is billed.
func TestPreviewComesTrue(t *testing.T) {
	for _, row := range []struct {
		name, details, request string
		days                   float64 // until the invoice is there
		reason                 string  // of the invoice, which the preview does not know
	}{
		{"renewal", "", "", 31, "subscription_cycle"},
		{"upgrade later", "[items][0][id]=ITEM PRE[items][0][price]=price_m2", "items[0][id]=ITEM items[0][price]=price_m2", 31, "subscription_cycle"},
		{"upgrade now", "[items][0][id]=ITEM PRE[items][0][quantity]=3 PRE[proration_behavior]=always_invoice",
			"items[0][id]=ITEM items[0][quantity]=3 proration_behavior=always_invoice", 0, "subscription_update"},
		{"another rhythm", "[items][0][id]=ITEM PRE[items][0][price]=price_2w", "items[0][id]=ITEM items[0][price]=price_2w", 0, "subscription_update"},
		{"a new anchor", "[billing_cycle_anchor]=now PRE[proration_behavior]=none", "billing_cycle_anchor=now proration_behavior=none", 0, "subscription_update"},
		{"one more", "[items][0][price]=price_m2 PRE[items][0][quantity]=2", "items[0][price]=price_m2 items[0][quantity]=2", 31, "subscription_cycle"},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := newRig(t, billing())
			r.ok("DELETE /v1/subscriptions/sub_ada")
			r.ok("POST /v1/customers/cus_ada/balance_transactions currency=usd amount=-333")
			r.ok("POST /v1/coupons id=TENTH percent_off=10 duration=forever")
			sub := r.ok("POST /v1/subscriptions customer=cus_ada items[0][price]=price_m discounts[0][coupon]=TENTH")
			r.ok("POST /v1/invoiceitems customer=cus_ada amount=250 currency=usd description=Extra")
			r.by(7)
			names := strings.NewReplacer("ITEM", sub.get("items.data.0.id"), "PRE", "subscription_details")
			line := "POST /v1/invoices/create_preview subscription=" + sub.get("id")
			if row.details != "" {
				line += " subscription_details" + names.Replace(row.details)
			}
			before := r.dump()
			preview := r.ok(line)
			if r.dump() != before {
				t.Errorf("a preview changed the world")
			}
			if !strings.HasPrefix(preview.get("id"), "upcoming_in_") || preview.get("number") != "null" || preview.get("status") != "draft" {
				t.Errorf("%s, number %s, %s", preview.get("id"), preview.get("number"), preview.get("status"))
			}
			if row.request != "" {
				r.ok("POST /v1/subscriptions/" + sub.get("id") + " " + names.Replace(row.request))
			}
			r.by(row.days)
			latest := r.ok("GET /v1/subscriptions/" + sub.get("id")).get("latest_invoice")
			want := strings.Replace(r.ok("GET /v1/invoices/"+latest).outline(), row.reason, preview.get("billing_reason"), 1)
			if got := preview.outline(); got != want {
				t.Errorf("previewed %sbilled %s", got, want)
			}
		})
	}
}

// TestPreviews: what else can be previewed.
func TestPreviews(t *testing.T) {
	r := newRig(t, billing())
	sub := r.ok("GET /v1/subscriptions/sub_ada").get("items.data.0.id")
	for _, line := range []string{
		"customer=cus_ada",
		"customer=cus_ada discounts[0][coupon]=OFF",
		"customer=cus_ada invoice_items[0][amount]=-700 invoice_items[0][description]=Rebate",
		"customer=cus_ada invoice_items[0][price]=price_once invoice_items[0][quantity]=3",
		"subscription=sub_ada subscription_details[cancel_now]=true",
		"subscription=sub_ada subscription_details[items][0][id]=" + sub + " subscription_details[items][0][price]=price_m2 subscription_details[proration_date]=1767700800",
		"customer=cus_bo subscription_details[items][0][price]=price_m subscription_details[items][0][quantity]=2",
		"customer=cus_bo invoice_items[0][amount]=500",
	} {
		if strings.Contains(line, "OFF") {
			r.ok("POST /v1/coupons id=OFF amount_off=333 currency=usd")
		}
		a := r.do("POST /v1/invoices/create_preview " + line)
		fmt.Fprintf(&r.text, "> %s\n%d %s\n", line, a.Status, a.outline())
	}
	r.refused("POST /v1/invoices/create_preview subscription=sub_ada subscription_details[cancel_at_period_end]=true",
		"404 invoice_upcoming_none - No upcoming invoices for customer: cus_ada")
	r.golden("previews")
}
