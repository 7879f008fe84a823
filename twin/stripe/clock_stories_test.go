package stripe_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// script runs steps and tells the story of each: "+N" moves the clock by N days,
// "@DATE" to an instant; anything else is a request, in which $sub, $item, $in,
// $pm and $clock stand for the newest subscription, its first item, the newest
// invoice, payment method and test clock, and $now+N for a moment so many days away.
func (r *rig) script(steps ...string) {
	r.t.Helper()
	for _, step := range steps {
		switch {
		case step[0] == '+':
			days, err := strconv.ParseFloat(step[1:], 64)
			if err != nil {
				r.t.Fatal(err)
			}
			r.by(days)
			r.story(step + " days: " + day(r.machine.State.Now()))
		case step[0] == '@':
			r.until(date(step[1:]))
			r.story(step)
		default:
			a := r.do(r.fill(step))
			if a.Status != 200 {
				step += " → " + a.refusal()
			}
			r.story("> " + step)
		}
	}
}

func (r *rig) fill(step string) string {
	if strings.Contains(step, "$item") {
		rows := r.rows("stripe.subscription")
		step = strings.ReplaceAll(step, "$item", rows[len(rows)-1].get("items.data.0.id"))
	}
	for name, table := range map[string]string{
		"$sub": "stripe.subscription", "$in": "stripe.invoice", "$pm": "stripe.payment_method", "$clock": "stripe.test_clock",
	} {
		if strings.Contains(step, name) {
			rows := r.rows(table)
			step = strings.ReplaceAll(step, name, rows[len(rows)-1].get("id"))
		}
	}
	for {
		before, rest, ok := strings.Cut(step, "$now")
		if !ok {
			return step
		}
		days, end := 0.0, 0
		if strings.HasPrefix(rest, "+") || strings.HasPrefix(rest, "-") {
			for end = 1; end < len(rest) && (rest[end] == '.' || rest[end] >= '0' && rest[end] <= '9'); end++ {
			}
			days, _ = strconv.ParseFloat(rest[:end], 64)
		}
		step = before + fmt.Sprint(r.machine.State.Now()+int64(days*86400)) + rest[end:]
	}
}

// TestClockStories tells what happens and when, one golden file a story.
func TestClockStories(t *testing.T) {
	const trial14 = " items[0][price]=price_m trial_period_days=14"
	const setup = "add_invoice_items[0][price_data][currency]=usd add_invoice_items[0][price_data][product]=prod_pro add_invoice_items[0][price_data][unit_amount]=1500"
	for _, row := range []struct {
		name, subscriptions string
		steps               []string
	}{
		{"trial_paid", "", []string{"POST /v1/subscriptions customer=cus_ada" + trial14, "+10.9", "+0.1", "+3", "+28"}},
		{"trial_short", "", []string{"POST /v1/subscriptions customer=cus_ada items[0][price]=price_m trial_end=$now+2", "+2"}},
		{"trial_cut", "", []string{"POST /v1/subscriptions customer=cus_ada" + trial14, "+1", "POST /v1/subscriptions/$sub trial_end=now", "POST /v1/subscriptions/$sub trial_end=now", "+20"}},
		{"trial_moved", "", []string{"POST /v1/subscriptions customer=cus_ada" + trial14, "POST /v1/subscriptions/$sub trial_end=$now+4", "+1", "POST /v1/subscriptions/$sub trial_end=$now+20", "+16", "+1", "+3", "POST /v1/subscriptions/$sub trial_end=$now+3"}},
		{"trial_cancel", "", []string{"POST /v1/subscriptions customer=cus_poor" + trial14 + " trial_settings[end_behavior][missing_payment_method]=cancel", "+14", "+60"}},
		{"trial_invoice", "", []string{"POST /v1/subscriptions customer=cus_poor" + trial14, "+14", "+3", "POST /v1/invoices/$in/pay payment_method=pm_card_visa"}},
		{"trial_pause_resume", "", []string{"POST /v1/subscriptions customer=cus_poor" + trial14 + " trial_settings[end_behavior][missing_payment_method]=pause", "+14", "+60",
			"POST /v1/subscriptions/$sub/resume", "POST /v1/payment_methods/pm_card_visa/attach customer=cus_poor",
			"POST /v1/customers/cus_poor invoice_settings[default_payment_method]=$pm", "POST /v1/subscriptions/$sub/resume", "POST /v1/subscriptions/$sub/resume", "+31"}},
		{"trial_seeded", `{"id":"sub_t","customer":"cus_ada","price":"price_m","trial_end":1770372000}`, []string{"+2.9", "+0.2", "+4"}},
		{"trial_canceled_at_end", "", []string{"POST /v1/subscriptions customer=cus_ada" + trial14 + " cancel_at_period_end=true", "+14"}},
		{"trial_declined", "", []string{"POST /v1/subscriptions customer=cus_late" + trial14, "+14"}},
		{"incomplete_expires", "", []string{"POST /v1/subscriptions customer=cus_late items[0][price]=price_m", "+0.95", "+0.01", "+40"}},
		{"incomplete_paid", "", []string{"POST /v1/subscriptions customer=cus_poor items[0][price]=price_m payment_behavior=default_incomplete", "+0.5", "POST /v1/invoices/$in/pay payment_method=pm_card_visa", "+1"}},
		{"dunning_recovers", `{"id":"sub_late","customer":"cus_late","price":"price_m"}`, []string{"@2026-02-28T10:00", "+2", "POST /v1/payment_methods/pm_card_visa/attach customer=cus_late",
			"POST /v1/customers/cus_late invoice_settings[default_payment_method]=$pm", "+1", "+22", "+6"}},
		{"dunning_paid_by_hand", `{"id":"sub_late","customer":"cus_late","price":"price_m"}`, []string{"@2026-02-28T10:00", "+1", "POST /v1/invoices/$in/pay", "POST /v1/invoices/$in/pay payment_method=pm_card_visa", "+6"}},
		{"dunning_hard_new_card", `{"id":"sub_auth","customer":"cus_auth","price":"price_m"}`, []string{"@2026-02-28T10:00", "+3", "POST /v1/payment_methods/pm_card_visa/attach customer=cus_auth",
			"POST /v1/customers/cus_auth invoice_settings[default_payment_method]=$pm", "+2"}},
		{"pause_draft", `{"id":"sub_a","customer":"cus_ada","price":"price_m"}`, []string{"POST /v1/subscriptions/sub_a pause_collection[behavior]=keep_as_draft", "@2026-02-28T10:00", "POST /v1/subscriptions/sub_a pause_collection=", "@2026-03-31T10:00"}},
		{"pause_void", `{"id":"sub_a","customer":"cus_ada","price":"price_m"}`, []string{"POST /v1/subscriptions/sub_a pause_collection[behavior]=void pause_collection[resumes_at]=$now+40", "@2026-02-28T10:00", "@2026-03-31T10:00"}},
		{"pause_uncollectible", `{"id":"sub_a","customer":"cus_ada","price":"price_m"}`, []string{"POST /v1/subscriptions/sub_a pause_collection[behavior]=mark_uncollectible pause_collection[resumes_at]=1772272800", "@2026-02-28T09:00", "@2026-02-28T10:00"}},
		{"cancel_at", `{"id":"sub_a","customer":"cus_ada","price":"price_m"}`, []string{"POST /v1/subscriptions/sub_a cancel_at=$now+40", "@2026-02-28T10:00", "+20"}},
		{"cancel_at_created", "", []string{"POST /v1/subscriptions customer=cus_ada items[0][price]=price_2w cancel_at=$now", "POST /v1/subscriptions customer=cus_ada items[0][price]=price_2w cancel_at=$now+20 cancel_at_period_end=true",
			"POST /v1/subscriptions customer=cus_ada items[0][price]=price_2w cancel_at=$now+20", "+30"}},
		{"unpaid_seeded", `{"id":"sub_a","customer":"cus_ada","price":"price_m","status":"unpaid"}`, []string{"@2026-02-28T10:00", "POST /v1/invoices/$in/pay", "@2026-03-31T10:00"}},
		{"statuses_seeded", `{"id":"sub_p","customer":"cus_ada","price":"price_m","status":"past_due"},{"id":"sub_i","customer":"cus_ada","price":"price_m","status":"incomplete"},
			{"id":"sub_z","customer":"cus_ada","price":"price_m","status":"paused"},{"id":"sub_c","customer":"cus_ada","price":"price_m","status":"canceled"}`, []string{"+27", "@2026-02-28T10:00"}},
		{"trial_begun", "", []string{"POST /v1/subscriptions customer=cus_ada items[0][price]=price_m", "+7", "POST /v1/subscriptions/$sub trial_end=$now+10", "+7", "+3", "POST /v1/subscriptions/$sub trial_end=$now+5 proration_behavior=none", "+6",
			"POST /v1/subscriptions/$sub trial_end=$now", "POST /v1/subscriptions/$sub trial_end=$now+800", "POST /v1/subscriptions/$sub trial_end=$now+1 billing_cycle_anchor=now"}},
		{"anchor", "", []string{"POST /v1/subscriptions customer=cus_ada items[0][price]=price_m billing_cycle_anchor=$now+14", "+14", "+28",
			"POST /v1/subscriptions customer=cus_ada items[0][price]=price_2w billing_cycle_anchor=$now", "POST /v1/subscriptions customer=cus_ada items[0][price]=price_2w billing_cycle_anchor=$now+14.1",
			"POST /v1/subscriptions customer=cus_ada items[0][price]=price_2w billing_cycle_anchor=$now+3 trial_period_days=2"}},
		{"anchor_free", "", []string{"POST /v1/subscriptions customer=cus_ada items[0][price]=price_m billing_cycle_anchor=$now+14 proration_behavior=none", "+14"}},
		{"anchor_declined", "", []string{"POST /v1/subscriptions customer=cus_late items[0][price]=price_m billing_cycle_anchor=$now+14", "POST /v1/invoices/$in/pay payment_method=pm_card_visa", "+14"}},
		{"added_with_trial", "", []string{"POST /v1/subscriptions customer=cus_ada " + setup + trial14, "POST /v1/subscriptions customer=cus_late " + setup + trial14,
			"POST /v1/invoices/$in/pay payment_method=pm_card_visa", "+12", "POST /v1/subscriptions customer=cus_poor payment_behavior=default_incomplete " + setup + trial14}},
		{"pending_applied", "", []string{"POST /v1/subscriptions customer=cus_ada items[0][price]=price_m", "POST /v1/payment_methods/pm_card_chargeCustomerFail/attach customer=cus_ada",
			"POST /v1/subscriptions/$sub default_payment_method=$pm", "+7",
			"POST /v1/subscriptions/$sub items[0][id]=$item items[0][quantity]=3 proration_behavior=always_invoice payment_behavior=pending_if_incomplete",
			"POST /v1/invoices/$in/pay", "POST /v1/invoices/$in/pay payment_method=pm_card_visa", "+30"}},
		{"pending_expires", "", []string{"POST /v1/subscriptions customer=cus_ada items[0][price]=price_m", "POST /v1/payment_methods/pm_card_chargeCustomerFail/attach customer=cus_ada",
			"POST /v1/subscriptions/$sub default_payment_method=$pm", "+7",
			"POST /v1/subscriptions/$sub billing_cycle_anchor=now proration_behavior=none payment_behavior=pending_if_incomplete", "+0.95", "+0.1",
			"POST /v1/subscriptions/$sub items[0][id]=$item items[0][quantity]=2 proration_behavior=always_invoice payment_behavior=pending_if_incomplete"}},
		{"pending_given_up", "", []string{"POST /v1/subscriptions customer=cus_ada items[0][price]=price_m", "POST /v1/payment_methods/pm_card_chargeCustomerFail/attach customer=cus_ada",
			"POST /v1/subscriptions/$sub default_payment_method=$pm", "+1",
			"POST /v1/subscriptions/$sub items[0][id]=$item items[0][quantity]=2 proration_behavior=always_invoice payment_behavior=pending_if_incomplete", "POST /v1/invoices/$in/void",
			"POST /v1/subscriptions/$sub items[0][id]=$item items[0][quantity]=2 proration_behavior=always_invoice payment_behavior=pending_if_incomplete",
			"POST /v1/subscriptions/$sub items[0][id]=$item items[0][quantity]=4",
			"POST /v1/subscriptions/$sub items[0][id]=$item items[0][quantity]=9 proration_behavior=always_invoice payment_behavior=pending_if_incomplete", "DELETE /v1/subscriptions/$sub", "+2"}},
		{"resume_unchanged", "", []string{"POST /v1/subscriptions customer=cus_poor" + trial14 + " trial_settings[end_behavior][missing_payment_method]=pause", "+14", "+40",
			"POST /v1/subscriptions/$sub/resume billing_cycle_anchor=unchanged proration_behavior=always_invoice", "POST /v1/subscriptions/$sub/resume billing_cycle_anchor=unchanged proration_date=1",
			"POST /v1/subscriptions/$sub/resume billing_cycle_anchor=unchanged", "POST /v1/payment_methods/pm_card_visa/attach customer=cus_poor",
			"POST /v1/customers/cus_poor invoice_settings[default_payment_method]=$pm", "+30"}},
		{"draft_advances", "", []string{"POST /v1/invoices customer=cus_ada auto_advance=true", "+0.1", "POST /v1/invoices customer=cus_ada", "+1", "POST /v1/invoices/$in auto_advance=true", "+0.1"}},
		{"finalized_by_hand", "", []string{"POST /v1/invoiceitems customer=cus_ada amount=900 currency=usd", "POST /v1/invoices customer=cus_ada auto_advance=true pending_invoice_items_behavior=include",
			"POST /v1/invoices/$in/finalize", "+0.04", "+0.01"}},
		{"manual_dunning", "", []string{"POST /v1/invoiceitems customer=cus_late amount=900 currency=usd", "POST /v1/invoices customer=cus_late auto_advance=true pending_invoice_items_behavior=include",
			"+0.1", "+9", "POST /v1/invoices/$in/mark_uncollectible"}},
		{"manual_sent", "", []string{"POST /v1/invoiceitems customer=cus_ada amount=900 currency=usd",
			"POST /v1/invoices customer=cus_ada collection_method=send_invoice days_until_due=3 pending_invoice_items_behavior=include", "POST /v1/invoices/$in/finalize", "+2", "+2",
			"POST /v1/invoices/$in/pay paid_out_of_band=true"}},
		{"pending_items", `{"id":"sub_a","customer":"cus_ada","price":"price_m"}`, []string{"POST /v1/invoiceitems customer=cus_ada amount=-900 currency=usd", "POST /v1/invoiceitems customer=cus_ada amount=-2900 currency=usd",
			"@2026-02-28T10:00", "@2026-03-31T10:00"}},
		{"customer_deleted", "", []string{"POST /v1/subscriptions customer=cus_ada items[0][price]=price_m", "POST /v1/invoices customer=cus_ada auto_advance=true", "DELETE /v1/customers/cus_ada", "+60"}},
		{"test_clock", "", []string{"POST /v1/test_helpers/test_clocks frozen_time=$now+1", "POST /v1/test_helpers/test_clocks frozen_time=$now name=mine",
			"POST /v1/customers test_clock=clock_none", "POST /v1/customers test_clock=$clock", "POST /v1/test_helpers/test_clocks/$clock/advance frozen_time=$now+800",
			"POST /v1/test_helpers/test_clocks/$clock/advance frozen_time=$now+1", "POST /v1/test_helpers/test_clocks/$clock/advance frozen_time=$now",
			"POST /v1/subscriptions customer=cus_ada items[0][price]=price_m", "POST /v1/test_helpers/test_clocks/$clock/advance frozen_time=$now+29",
			"GET /v1/test_helpers/test_clocks/$clock", "GET /v1/test_helpers/test_clocks", "DELETE /v1/test_helpers/test_clocks/$clock", "GET /v1/test_helpers/test_clocks/clock_none"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := clockRig(t, row.subscriptions)
			r.script(row.steps...)
			r.golden("clock_" + row.name)
		})
	}
}
