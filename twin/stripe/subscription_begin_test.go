package stripe_test

import "testing"

// What a new subscription bills that is not simply a period from now on: it is made at
// 10:00 on 31 January 2026.
func TestSubscriptionBegins(t *testing.T) {
	const begin, whole = "POST /v1/subscriptions customer=cus_ada items[0][price]=price_m ", " expand[]=latest_invoice"
	const config = begin + "billing_cycle_anchor_config[day_of_month]="
	const after = "GET /v1/account"
	const back = begin + "backdate_start_date=$now-40 "
	for _, row := range []struct {
		name, want, ends string // the last invoice, and when the present period ends
		steps            []string
	}{
		{"the next 15th", "Remaining time on Pro after 31 Jan 2026 967; subscription_create 967", "2026-02-15 10:00", []string{config + "15"}},
		{"today is the 31st", "1 × Pro (at $20.00 / month) 2000; subscription_create 2000", "2026-02-28 10:00", []string{config + "31"}},
		{"the hour of the 31st is gone", "Remaining time on Pro after 31 Jan 2026 1970; subscription_create 1970", "2026-02-28 00:00",
			[]string{config + "31 billing_cycle_anchor_config[hour]=0"}},
		{"and comes back", "1 × Pro (at $20.00 / month) 2000; subscription_cycle 2000", "2026-03-31 00:00",
			[]string{config + "31 billing_cycle_anchor_config[hour]=0", "+30", after}},
		{"a month and a minute", "Remaining time on Pro after 31 Jan 2026 63; subscription_create 63", "2026-02-01 09:30",
			[]string{config + "1 billing_cycle_anchor_config[hour]=9 billing_cycle_anchor_config[minute]=30 billing_cycle_anchor_config[month]=2"}},
		{"a trial before the anchor", "Free trial for 1 × Pro 0; subscription_create 0", "2026-02-07 10:00", []string{begin + "billing_cycle_anchor=$now+21 trial_period_days=7"}},
		{"its end", "Remaining time on Pro after 07 Feb 2026 903; subscription_cycle 903", "2026-02-21 10:00",
			[]string{begin + "billing_cycle_anchor=$now+21 trial_period_days=7", "+7", after}},
		{"and the anchor", "1 × Pro (at $20.00 / month) 2000; subscription_cycle 2000", "2026-03-21 10:00",
			[]string{begin + "billing_cycle_anchor=$now+21 trial_period_days=7", "+22", after}},
		{"free until the anchor", "Free trial for 1 × Pro 0; subscription_create 0", "2026-02-21 10:00",
			[]string{begin + "billing_cycle_anchor=$now+21 trial_period_days=7 proration_behavior=none", "+7", after}},
		{"and no longer", "1 × Pro (at $20.00 / month) 2000; subscription_cycle 2000", "2026-03-21 10:00",
			[]string{begin + "billing_cycle_anchor=$now+21 trial_period_days=7 proration_behavior=none", "+22", after}},
		{"a calendar beside a trial", "Remaining time on Pro after 07 Feb 2026 1571; subscription_cycle 1571", "2026-03-01 10:00",
			[]string{config + "1 trial_period_days=7", "+7", after}},
		{"backdated", "Time on Pro from 22 Dec 2025 until 31 Dec 2025 580; 1 × Pro (at $20.00 / month) 2000; 1 × Pro (at $20.00 / month) 2000; subscription_create 4580",
			"2026-02-28 10:00", []string{back}},
		{"backdated, classic", "Time on Pro from 22 Dec 2025 until 31 Jan 2026 2580; 1 × Pro (at $20.00 / month) 2000; subscription_create 4580",
			"2026-02-28 10:00", []string{back + "billing_mode[type]=classic"}},
		{"backdated for nothing", "1 × Pro (at $20.00 / month) 2000; subscription_create 2000", "2026-02-28 10:00", []string{back + "proration_behavior=none"}},
		{"backdated, to an anchor", "Time on Pro from 22 Dec 2025 until 14 Jan 2026 1483; 1 × Pro (at $20.00 / month) 2000; subscription_create 3483",
			"2026-02-14 10:00", []string{back + "billing_cycle_anchor=$now+14"}},
		{"backdated within the period", "Remaining time on Pro after 21 Jan 2026 1548; subscription_create 1548",
			"2026-02-14 10:00", []string{begin + "backdate_start_date=$now-10 billing_cycle_anchor=$now+14"}},
		{"backdated, classic, to an anchor", "Time on Pro from 22 Dec 2025 until 14 Feb 2026 3483; subscription_create 3483",
			"2026-02-14 10:00", []string{back + "billing_cycle_anchor=$now+14 billing_mode[type]=classic"}},
		{"backdated, with a trial", "Time on Pro from 22 Dec 2025 until 07 Jan 2026 1032; Time on Pro from 07 Jan 2026 until 31 Jan 2026 1548; Free trial for 1 × Pro 0; subscription_create 2580",
			"2026-02-07 10:00", []string{back + "trial_period_days=7"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := clockRig(t, "")
			r.script(row.steps...)
			a := r.ok(r.fill("GET /v1/subscriptions/$sub") + whole)
			if got := a.bill("latest_invoice"); got != row.want {
				t.Errorf("\n got %s\nwant %s\n%s", got, row.want, r.text.String())
			}
			if got := day(a.int("items.data.0.current_period_end")); got != row.ends+":00" {
				t.Errorf("the period ends %s, want %s", got, row.ends)
			}
		})
	}
}

// A coupon of a backdated subscription is used up from the subscription's start on.
func TestBackdatedDiscount(t *testing.T) {
	r := clockRig(t, "")
	r.ok("POST /v1/coupons id=two percent_off=50 duration=repeating duration_in_months=2")
	s := r.ok(r.fill("POST /v1/subscriptions customer=cus_ada items[0][price]=price_m backdate_start_date=$now-62 discounts[0][coupon]=two expand[]=discounts expand[]=latest_invoice"))
	if got, want := s.get("discounts.0.start")+" "+s.get("discounts.0.end"), s.get("start_date")+" 1769767200"; got != want {
		t.Errorf("the discount is from %s, want %s", got, want)
	}
	if got := s.int("latest_invoice.total"); got*2 != s.int("latest_invoice.subtotal") {
		t.Errorf("the first invoice comes to %d of %d", got, s.int("latest_invoice.subtotal"))
	}
	r.by(28)
	r.script("GET /v1/account")
	if got := r.ok("GET /v1/subscriptions/" + s.get("id") + " expand[]=latest_invoice"); got.get("latest_invoice.total") != "2000" || got.get("discounts") != "[]" {
		t.Errorf("the second: %s", got.Body)
	}
}

func TestSubscriptionBeginsRefusals(t *testing.T) {
	r := clockRig(t, "")
	const begin = "POST /v1/subscriptions customer=cus_ada items[0][price]="
	for _, row := range [...][2]string{
		{"price_m backdate_start_date=$now", "400 - backdate_start_date Invalid timestamp: must be an integer Unix timestamp in the past."},
		{"price_d backdate_start_date=$now-251", "400 - backdate_start_date A subscription cannot be backdated so far that its first invoice has more than 250 lines."},
		{"price_2w billing_cycle_anchor_config[day_of_month]=1", "400 - billing_cycle_anchor_config `billing_cycle_anchor_config` can only be used with prices that recur monthly or yearly."},
		{"price_m billing_cycle_anchor_config[hour]=1", "400 parameter_missing billing_cycle_anchor_config[day_of_month] Missing required param: billing_cycle_anchor_config[day_of_month]."},
		{"price_m billing_cycle_anchor_config[day_of_month]=32", "400 parameter_invalid_integer billing_cycle_anchor_config[day_of_month] This value must be less than or equal to 31."},
		{"price_m billing_cycle_anchor=$now+3 billing_cycle_anchor_config[day_of_month]=1", "400 - billing_cycle_anchor_config You may only specify one of these parameters: billing_cycle_anchor, billing_cycle_anchor_config."},
		{"price_m billing_cycle_anchor_config[day_of_month]=1 billing_cycle_anchor_config[month]=5", "400 - billing_cycle_anchor_config billing_cycle_anchor cannot be later than next natural billing date (1772272800) for plan"},
		{"price_m billing_cycle_anchor=$now+3 trial_period_days=7", "400 subscription_update_trial_after_billing_cycle_anchor billing_cycle_anchor The billing_cycle_anchor cannot be earlier than the trial_end."},
		{"price_m billing_cycle_anchor=$now+60 trial_period_days=7", "400 - billing_cycle_anchor billing_cycle_anchor cannot be later than next natural billing date (1772877600) for plan"},
	} {
		r.refused(r.fill(begin+row[0]), row[1])
	}
	if a := r.ok(r.fill(begin + "price_d backdate_start_date=$now-250 proration_behavior=none")); a.get("start_date") != "1748253600" {
		t.Errorf("%s", a.Body)
	}
}

// A subscription whose first invoice is not paid takes nothing that bills it; one that
// is unpaid takes it, and lets its invoices be drafts.
func TestSubscriptionUpdateByStatus(t *testing.T) {
	const incomplete = "400 - - You cannot update a subscription in `incomplete` status in a way that results in a new invoice or invoice items. " +
		"Only minor attributes, like `metadata` or `default_payment_method`, can be updated on such subscriptions."
	r := clockRig(t, `{"id":"sub_u","customer":"cus_ada","price":"price_m","status":"unpaid"}`)
	s := r.ok("POST /v1/subscriptions customer=cus_poor items[0][price]=price_m payment_behavior=default_incomplete")
	sub, item := s.get("id"), s.get("items.data.0.id")
	for _, form := range []string{"trial_end=1770000000", "billing_cycle_anchor=now", "items[0][id]=" + item + " items[0][quantity]=2", "items[0][price]=price_2w items[0][id]=" + item,
		"add_invoice_items[0][price_data][currency]=usd add_invoice_items[0][price_data][product]=prod_pro add_invoice_items[0][price_data][unit_amount]=1500"} {
		r.refused("POST /v1/subscriptions/"+sub+" "+form, incomplete)
	}
	r.refused("POST /v1/subscription_items/"+item+" quantity=3", incomplete)
	r.ok("POST /v1/subscriptions/" + sub + " metadata[a]=b items[0][id]=" + item + " items[0][metadata][c]=d")
	r.refused("POST /v1/subscriptions/sub_u billing_cycle_anchor=now trial_end=1770000000",
		"400 subscription_update_trial_after_billing_cycle_anchor billing_cycle_anchor The billing_cycle_anchor cannot be earlier than the trial_end.")
	again := r.ok("POST /v1/subscriptions/sub_u billing_cycle_anchor=now expand[]=latest_invoice")
	if got := again.get("status") + " " + again.get("latest_invoice.status") + " " + again.get("latest_invoice.auto_advance") + " " + again.get("billing_cycle_anchor"); got != "unpaid draft false 1769853600" {
		t.Errorf("a new cycle of an unpaid one: %s", got)
	}
	trial := r.ok(r.fill("POST /v1/subscriptions/sub_u trial_end=$now+3 expand[]=latest_invoice"))
	if got := trial.get("status") + " " + trial.bill("latest_invoice"); got != "trialing Unused time on Pro after 31 Jan 2026 -2000; Free trial for 1 × Pro 0; subscription_update -2000" {
		t.Errorf("a trial of an unpaid one: %s", got)
	}
	r.refused("POST /v1/subscriptions/sub_u billing_cycle_anchor=now",
		"400 subscription_update_trial_after_billing_cycle_anchor billing_cycle_anchor The billing_cycle_anchor cannot be earlier than the trial_end.")
	if cut := r.ok("POST /v1/subscriptions/sub_u billing_cycle_anchor=now trial_end=now"); cut.get("status")+cut.get("trial_end") != "active1769853600" {
		t.Errorf("a trial cut with a new cycle: %s", cut.Body)
	}
}

// An update that bills at once while collection is paused makes the invoice that the
// pause says.
func TestSubscriptionUpdateWhilePaused(t *testing.T) {
	for behavior, want := range map[string]string{"keep_as_draft": "draft 2000", "void": "void 2000", "mark_uncollectible": "uncollectible 2000"} {
		r := clockRig(t, `{"id":"sub_a","customer":"cus_ada","price":"price_m"}`)
		item := r.ok("POST /v1/subscriptions/sub_a pause_collection[behavior]=" + behavior).get("items.data.0.id")
		a := r.ok("POST /v1/subscriptions/sub_a proration_behavior=always_invoice expand[]=latest_invoice items[0][quantity]=2 items[0][id]=" + item)
		if got := a.get("latest_invoice.status") + " " + a.get("latest_invoice.total"); got != want || a.get("status") != "active" {
			t.Errorf("%s: %s", behavior, got)
		}
	}
}
