package stripe_test

import (
	"fmt"
	"strings"
	"testing"
)

// billingSeed is a world for invoices and subscriptions: Ada pays with a card that
// works, Bo has none, Cy's is declined.
const billingSeed = `{"name":"billing","version":1,"epoch":1767225600,"clock_mode":"manual","data":{
 "customers":[{"id":"cus_ada","name":"Ada","email":"ada@example.com"},{"id":"cus_bo","payment_method":null},
              {"id":"cus_cy","payment_method":"pm_card_chargeCustomerFail"}],
 "products":[{"id":"prod_pro","name":"Pro"}],
 "prices":[{"id":"price_m","product":"prod_pro","unit_amount":2000,"recurring":{"interval":"month"}},
           {"id":"price_m2","product":"prod_pro","unit_amount":3000,"recurring":{"interval":"month"}},
           {"id":"price_2w","product":"prod_pro","unit_amount":700,"recurring":{"interval":"week","interval_count":2}},
           {"id":"price_free","product":"prod_pro","unit_amount":0,"recurring":{"interval":"month"}},
           {"id":"price_eur","product":"prod_pro","unit_amount":2000,"currency":"eur","recurring":{"interval":"month"}},
           {"id":"price_old","product":"prod_pro","unit_amount":2000,"active":false,"recurring":{"interval":"month"}},
           {"id":"price_once","product":"prod_pro","unit_amount":500}],
 "invoices":[%s],
 "subscriptions":[{"id":"sub_ada","customer":"cus_ada","price":"price_m","created_offset":864000}]}}`

func billing(invoices ...string) string {
	return strings.Replace(billingSeed, "%s", strings.Join(invoices, ","), 1)
}

func seededInvoice(id, customer, status, rest string) string {
	return fmt.Sprintf(`{"id":"%s","customer":"%s","status":"%s","lines":[{"description":"Work","amount":1500}]%s}`,
		id, customer, status, rest)
}

func TestInvoiceLife(t *testing.T) {
	for _, row := range []struct{ name, script string }{
		{"invoice_pay", "POST /v1/invoices/in_draft/finalize\nPOST /v1/invoices/in_draft/pay expand[]=payments.data.payment.payment_intent\nGET /v1/invoice_payments?invoice=in_draft"},
		{"invoice_void", "POST /v1/invoices/in_draft/finalize\nGET /v1/invoices/in_draft?expand[]=confirmation_secret\nPOST /v1/invoices/in_draft/void\nGET /v1/invoice_payments?invoice=in_draft"},
		{"invoice_decline", "POST /v1/invoices/in_cy/pay\nGET /v1/invoices/in_cy\nPOST /v1/invoices/in_cy/pay payment_method=pm_card_visa"},
		{"invoice_create", "POST /v1/invoices customer=cus_bo collection_method=send_invoice days_until_due=30 description=Work metadata[a]=1\n" +
			"POST /v1/invoices customer=cus_bo auto_advance=true"},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := newRig(t, billing(seededInvoice("in_draft", "cus_ada", "draft", ""), seededInvoice("in_cy", "cus_cy", "open", "")))
			for line := range strings.Lines(row.script) {
				r.tell(strings.TrimSpace(line))
			}
			r.golden(row.name)
		})
	}
}

func TestSubscriptionLife(t *testing.T) {
	for _, row := range []struct{ name, script string }{
		{"subscription_create", "POST /v1/subscriptions customer=cus_ada items[0][price]=price_m2 items[0][quantity]=3 metadata[team]=a expand[]=latest_invoice"},
		{"subscription_incomplete", "POST /v1/subscriptions customer=cus_cy items[0][price]=price_m"},
		{"subscription_update", "POST /v1/subscriptions/sub_ada cancel_at_period_end=true cancellation_details[feedback]=too_expensive\n" +
			"POST /v1/subscriptions/sub_ada cancel_at_period_end=false\nDELETE /v1/subscriptions/sub_ada cancellation_details[comment]=bye"},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := newRig(t, billing())
			for line := range strings.Lines(row.script) {
				r.tell(strings.TrimSpace(line))
			}
			r.golden(row.name)
		})
	}
}

// inEveryStatus is one invoice of Ada in each status, and one of Bo, who cannot
// pay.
func inEveryStatus() string {
	var list []string
	for _, status := range []string{"draft", "open", "paid", "uncollectible", "void"} {
		list = append(list, seededInvoice("in_"+status, "cus_ada", status, ""))
	}
	return billing(append(list, seededInvoice("in_bo", "cus_bo", "open", ""))...)
}

// TestInvoiceMoves is every verb in every status: what is refused changes nothing.
func TestInvoiceMoves(t *testing.T) {
	const (
		notOpen   = "400 - - You can only pass in open invoices. This invoice isn't open."
		finalized = "400 - - This invoice is already finalized, you can't re-finalize a non-draft invoice."
		notDraft  = "400 - - You can only delete draft invoices."
		edited    = "400 - description Finalized invoices can't be updated in this way"
	)
	for _, row := range []struct {
		verb string
		want map[string]string // by status: the refusal, or the status it leads to
	}{
		{"POST /v1/invoices/%s/finalize", map[string]string{"draft": "open", "open": finalized, "paid": finalized, "uncollectible": finalized, "void": finalized}},
		{"POST /v1/invoices/%s/pay", map[string]string{"draft": "paid", "open": "paid", "paid": "400 - - Invoice is already paid", "uncollectible": "paid", "void": notOpen}},
		{"POST /v1/invoices/%s/pay paid_out_of_band=true", map[string]string{"draft": "paid", "open": "paid", "paid": "400 - - Invoice is already paid", "uncollectible": "paid", "void": notOpen}},
		{"POST /v1/invoices/%s/void", map[string]string{"draft": notOpen, "open": "void", "paid": "400 - - Invoices with `paid` payments cannot be voided.", "uncollectible": "void", "void": notOpen}},
		{"POST /v1/invoices/%s/mark_uncollectible", map[string]string{"draft": notOpen, "open": "uncollectible", "paid": notOpen, "uncollectible": "400 - - This invoice has already been marked uncollectible.", "void": notOpen}},
		{"DELETE /v1/invoices/%s", map[string]string{"draft": "", "open": notDraft, "paid": notDraft, "uncollectible": notDraft, "void": notDraft}},
		{"POST /v1/invoices/%s description=x", map[string]string{"draft": "draft", "open": edited, "paid": edited, "uncollectible": edited, "void": edited}},
		{"POST /v1/invoices/%s metadata[a]=1", map[string]string{"draft": "draft", "open": "open", "paid": "paid", "uncollectible": "uncollectible", "void": "void"}},
	} {
		for status, want := range row.want {
			r := newRig(t, inEveryStatus())
			line := fmt.Sprintf(row.verb, "in_"+status)
			if strings.HasPrefix(want, "400") {
				r.refused(line, want)
			} else if got := r.ok(line).get("status"); got != want {
				t.Errorf("%s: status %s, want %s", line, got, want)
			}
		}
	}
}

// TestBillingRefusals is one request a line that is refused with nothing changed.
func TestBillingRefusals(t *testing.T) {
	for _, row := range [][2]string{
		{"GET /v1/invoices/in_no", "404 resource_missing invoice No such invoice: 'in_no'"},
		{"POST /v1/invoices/in_no/pay", "404 resource_missing id No such invoice: 'in_no'"},
		{"DELETE /v1/invoices/in_no", "404 resource_missing invoice No such invoice: 'in_no'"},
		{"GET /v1/invoices/in_no/lines", "404 resource_missing invoice No such invoice: 'in_no'"},
		{"GET /v1/invoices?customer=cus_no", "400 resource_missing customer No such customer: 'cus_no'"},
		{"GET /v1/invoices?subscription=sub_no", "400 resource_missing subscription No such subscription: 'sub_no'"},
		{"GET /v1/invoices?status=late", "400 - status Invalid status: must be one of draft, open, void, paid, or uncollectible"},
		{"GET /v1/invoices/in_open/lines?starting_after=il_no", "400 resource_missing starting_after No such line_item: 'il_no'"},
		{"GET /v1/invoices/in_open?expand[]=charge", "400 - expand This property cannot be expanded (charge)."},
		{"POST /v1/invoices", "400 parameter_missing customer Missing required param: customer."},
		{"POST /v1/invoices customer=cus_no", "400 resource_missing customer No such customer: 'cus_no'"},
		{"POST /v1/invoices customer=cus_ada currency=eur", "400 - - You cannot combine currencies on a single customer. This customer has had a subscription, coupon, or invoice item with currency usd"},
		{"POST /v1/invoices customer=cus_ada collection_method=send_invoice", "400 - days_until_due If `collection_method` is `send_invoice`, you must specify `due_date` or `days_until_due`."},
		{"POST /v1/invoices customer=cus_ada days_until_due=3", "400 - days_until_due You can only set `days_until_due` if `collection_method` is `send_invoice`."},
		{"POST /v1/invoices customer=cus_ada collection_method=send_invoice due_date=1", "400 - due_date Invalid timestamp: must be an integer Unix timestamp in the future."},
		{"POST /v1/invoices customer=cus_ada subscription=sub_ada", "400 invoice_no_subscription_line_items - Nothing to invoice for subscription"},
		{"POST /v1/invoices/in_bo/send", "400 - - You can only manually send an invoice if its `collection_method` is `send_invoice`."},
		{"POST /v1/invoices/in_bo/attach_payment payment_intent=pi_1", "501 - - This twin does not serve POST /v1/invoices/in_bo/attach_payment. The world is unchanged."},
		{"POST /v1/invoices/in_bo/pay", "400 - - There is no `default_payment_method` set on this Customer or Invoice. Please set a `default_payment_method`."},
		{"POST /v1/invoices/in_bo/pay payment_method=pm_no", "400 resource_missing payment_method No such PaymentMethod: 'pm_no'"},
		{"GET /v1/invoice_payments/inpay_no", "404 resource_missing invoice_payment No such invoice_payment: 'inpay_no'"},
		{"GET /v1/invoice_payments?payment[payment_intent]=pi_1&payment[type]=payment_intent", "400 resource_missing payment[payment_intent] No such payment_intent: 'pi_1'"},
		{"GET /v1/invoice_payments?payment[payment_intent]=pi_1", "400 parameter_missing payment[type] Missing required param: payment[type]."},
		{"GET /v1/subscriptions/sub_no", "404 resource_missing id No such subscription: 'sub_no'"},
		{"DELETE /v1/subscriptions/sub_no", "404 resource_missing id No such subscription: 'sub_no'"},
		{"GET /v1/subscriptions?price=price_no", "400 resource_missing price No such price: 'price_no'"},
		{"POST /v1/subscriptions customer=cus_ada", "400 parameter_missing items Missing required param: items."},
		{"POST /v1/subscriptions customer=cus_ada items[0][quantity]=2", "400 parameter_missing items[0][price] Missing required param: items[0][price]."},
		{"POST /v1/subscriptions customer=cus_no items[0][price]=price_m", "400 resource_missing customer No such customer: 'cus_no'"},
		{"POST /v1/subscriptions customer=cus_ada items[0][price]=price_no", "400 resource_missing items[0][price] No such price: 'price_no'"},
		{"POST /v1/subscriptions customer=cus_ada items[0][price]=price_once", "400 - items[0][price] The price specified is set to `type=one_time` but this field only accepts prices with `type=recurring`."},
		{"POST /v1/subscriptions customer=cus_ada items[0][price]=price_old", "400 - items[0][price] The price specified is inactive. This field only accepts active prices."},
		{"POST /v1/subscriptions customer=cus_ada items[0][price]=price_m items[1][price]=price_m", "400 - items[1][price] Cannot add multiple subscription items with the same plan: price_m"},
		{"POST /v1/subscriptions customer=cus_ada items[0][price]=price_m items[1][price]=price_2w", "400 - items[1][price] Currency and interval fields must match across all plans on this subscription. Found mismatch in interval field."},
		{"POST /v1/subscriptions customer=cus_ada items[0][price]=price_eur", "400 - - You cannot combine currencies on a single customer. This customer has had a subscription, coupon, or invoice item with currency usd"},
		{"POST /v1/subscriptions customer=cus_bo items[0][price]=price_m", "400 resource_missing - This customer has no attached payment source or default payment method. Please consider adding a default payment method."},
		{"POST /v1/subscriptions customer=cus_bo items[0][price]=price_m collection_method=send_invoice", "400 - days_until_due If `collection_method` is `send_invoice`, you must specify `due_date` or `days_until_due`."},
		{"POST /v1/subscriptions customer=cus_cy items[0][price]=price_m payment_behavior=error_if_incomplete", "402 card_declined - Your card was declined."},
		{"POST /v1/subscriptions customer=cus_ada items[0][price]=price_m billing_cycle_anchor=1999999999", "400 - billing_cycle_anchor billing_cycle_anchor cannot be later than next natural billing date (1769904000) for plan"},
		{"POST /v1/subscriptions/sub_ada cancel_at=1767225600", "400 - cancel_at Invalid timestamp: must be an integer Unix timestamp in the future."},
		{"POST /v1/subscriptions/sub_ada cancel_at=1767999999 cancel_at_period_end=true", "400 - cancel_at_period_end You may only specify one of these parameters: cancel_at, cancel_at_period_end."},
		{"POST /v1/subscriptions/sub_ada default_payment_method=pm_no", "400 resource_missing default_payment_method No such PaymentMethod: 'pm_no'"},
		{"POST /v1/subscriptions/sub_ada items[0][price]=price_2w", "400 - items Currency and interval fields must match across all plans on this subscription. Found mismatch in interval field."},
		{"POST /v1/subscriptions/sub_ada items[0][price]=price_m2 payment_behavior=pending_if_incomplete metadata[a]=1", "400 - metadata When `payment_behavior` is set to `pending_if_incomplete`, you can only update `items`, `billing_cycle_anchor`, `trial_end` and `add_invoice_items`, and say how they are prorated."},
		{"POST /v1/subscription_items subscription=sub_ada price=price_m2 payment_behavior=pending_if_incomplete metadata[a]=1", "400 - metadata When `payment_behavior` is set to `pending_if_incomplete`, you can only update `items`, `billing_cycle_anchor`, `trial_end` and `add_invoice_items`, and say how they are prorated."},
		{"POST /v1/subscriptions/sub_ada items[0][price]=price_m2 proration_date=1", "400 - proration_date Invalid proration date: must be within the current billing period, from 1766361600 to 1769040000."},
		{"POST /v1/subscriptions/sub_ada items[0][id]=si_no", "400 resource_missing items[0][id] No such subscription_item: 'si_no'"},
		{"POST /v1/invoices/create_preview", "400 parameter_missing customer Missing required param: customer."},
		{"POST /v1/invoices/create_preview customer=cus_bo", "404 invoice_upcoming_none - No upcoming invoices for customer: cus_bo"},
		{"POST /v1/invoices/create_preview subscription=sub_no", "400 resource_missing subscription No such subscription: 'sub_no'"},
		{"POST /v1/invoices/create_preview customer=cus_bo subscription=sub_ada", "400 resource_missing subscription No such subscription: 'sub_ada'"},
		{"POST /v1/invoices/create_preview subscription=sub_ada subscription_details[items][0][id]=si_no", "400 resource_missing subscription_details[items][0][id] No such subscription_item: 'si_no'"},
		{"GET /v1/subscription_items", "400 parameter_missing subscription Missing required param: subscription."},
		{"GET /v1/subscription_items/si_no", "404 resource_missing item No such subscription_item: 'si_no'"},
	} {
		newRig(t, inEveryStatus()).refused(row[0], row[1])
	}
}

func TestCanceledSubscription(t *testing.T) {
	r := newRig(t, billing())
	r.ok("DELETE /v1/subscriptions/sub_ada")
	const fields = "400 invalid_canceled_subscription_fields - A canceled subscription can only update its cancellation_details and metadata."
	r.refused("DELETE /v1/subscriptions/sub_ada", "404 resource_missing id No such subscription: 'sub_ada'")
	r.refused("POST /v1/subscriptions/sub_ada cancel_at_period_end=true", fields)
	r.refused("POST /v1/subscriptions/sub_ada description=x metadata[a]=1", fields)
	if got := r.ok("POST /v1/subscriptions/sub_ada metadata[a]=1 cancellation_details[comment]=late").get("cancellation_details.comment"); got != "late" {
		t.Errorf("comment %q", got)
	}
	for query, want := range map[string]string{"": "", "status=all": "sub_ada", "status=canceled": "sub_ada", "status=ended": "sub_ada", "status=active": ""} {
		if got := r.ok("GET /v1/subscriptions?" + query).each("id"); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

// TestUndoneCancellation: undoing a pending cancellation, and asking again, changes
// nothing else.
func TestUndoneCancellation(t *testing.T) {
	r := newRig(t, billing())
	before := string(r.ok("GET /v1/subscriptions/sub_ada").Body)
	r.ok("POST /v1/subscriptions/sub_ada cancel_at_period_end=true")
	again := string(r.ok("POST /v1/subscriptions/sub_ada cancel_at_period_end=true").Body)
	if at := (answer{Body: []byte(again)}).get("cancel_at"); at != "1769040000" {
		t.Errorf("cancel_at %s, want the period's end", at)
	}
	for range 2 {
		if got := string(r.ok("POST /v1/subscriptions/sub_ada cancel_at_period_end=false").Body); got != before {
			t.Errorf("got %s\nwant %s", got, before)
		}
	}
	if got := strings.Count(r.events(), "customer.subscription.updated"); got != 2 {
		t.Errorf("%d updates, want 2", got)
	}
}

// TestItems changes, adds and removes items without proration, through both
// routes.
func TestItems(t *testing.T) {
	r := newRig(t, billing())
	item := r.ok("GET /v1/subscriptions/sub_ada").get("items.data.0.id")
	for _, row := range []struct{ line, items, events string }{
		{"POST /v1/subscriptions/sub_ada items[0][id]=" + item + " items[0][quantity]=1", "price_m*1", ""},
		{"POST /v1/subscriptions/sub_ada items[0][id]=" + item + " items[0][quantity]=4 proration_behavior=none", "price_m*4", "1"},
		{"POST /v1/subscription_items/" + item + " metadata[seat]=a", "price_m*4", "1"},
		{"POST /v1/subscriptions/sub_ada items[0][price]=price_m2 proration_behavior=none", "price_m*4 price_m2*1", "1"},
		{"POST /v1/subscriptions/sub_ada items[0][id]=" + item + " items[0][deleted]=true proration_behavior=none", "price_m2*1", "1"},
	} {
		r.ok(row.line)
		list := r.ok("GET /v1/subscription_items?subscription=sub_ada")
		var got []string
		for i, price := range strings.Fields(list.each("price.id")) {
			got = append(got, price+"*"+strings.Fields(list.each("quantity"))[i])
		}
		if strings.Join(got, " ") != row.items {
			t.Errorf("%s: items %s, want %s", row.line, got, row.items)
		}
		if n := strings.Count(r.events(), "customer.subscription.updated"); fmt.Sprint(n) != row.events && row.events != "" || n > 0 && row.events == "" {
			t.Errorf("%s: %d events", row.line, n)
		}
	}
	last := r.ok("GET /v1/subscriptions/sub_ada").get("items.data.0.id")
	r.refused("POST /v1/subscriptions/sub_ada items[0][id]="+last+" items[0][deleted]=true proration_behavior=none",
		"400 - items A subscription must have at least one active plan.")
	r.refused("DELETE /v1/subscription_items/"+last, "400 - items A subscription must have at least one active plan.")
	r.refused("POST /v1/subscription_items subscription=sub_ada price=price_2w",
		"400 - price Currency and interval fields must match across all plans on this subscription. Found mismatch in interval field.")
	r.refused("POST /v1/subscription_items subscription=sub_no price=price_m", "400 resource_missing subscription No such subscription: 'sub_no'")
	r.refused("DELETE /v1/subscription_items/si_no", "404 resource_missing item No such subscription_item: 'si_no'")
}

// TestSubscriptionBeginnings is how a new subscription and its invoice stand, by
// what pays.
func TestSubscriptionBeginnings(t *testing.T) {
	for _, row := range []struct{ form, status, invoice string }{
		{"customer=cus_ada items[0][price]=price_m", "active", "paid"},
		{"customer=cus_cy items[0][price]=price_m", "incomplete", "open"},
		{"customer=cus_cy items[0][price]=price_m payment_behavior=allow_incomplete", "incomplete", "open"},
		{"customer=cus_ada items[0][price]=price_m payment_behavior=default_incomplete", "incomplete", "open"},
		{"customer=cus_bo items[0][price]=price_m payment_behavior=default_incomplete", "incomplete", "open"},
		{"customer=cus_bo items[0][price]=price_free", "active", "paid"},
		{"customer=cus_bo items[0][price]=price_free payment_behavior=default_incomplete", "active", "paid"},
		{"customer=cus_bo items[0][price]=price_m items[0][quantity]=0", "active", "paid"},
		{"customer=cus_bo items[0][price]=price_m collection_method=send_invoice days_until_due=7", "active", "open"},
		{"customer=cus_bo items[0][price]=price_eur collection_method=send_invoice days_until_due=7", "active", "open"},
	} {
		r := newRig(t, billing())
		got := r.ok("POST /v1/subscriptions " + row.form + " expand[]=latest_invoice")
		if got.get("status") != row.status || got.get("latest_invoice.status") != row.invoice {
			t.Errorf("%s: %s with an invoice %s, want %s, %s", row.form, got.get("status"), got.get("latest_invoice.status"), row.status, row.invoice)
		}
		first, _, _ := strings.Cut(r.events(), " ")
		if first != "customer.subscription.created" {
			t.Errorf("%s: the first event is %s", row.form, first)
		}
	}
}

// TestIncompleteEnds: paying the first invoice makes the subscription active,
// voiding it ends the subscription.
func TestIncompleteEnds(t *testing.T) {
	for _, row := range []struct{ verb, status, event string }{
		{"pay payment_method=pm_card_visa", "active", "invoice.payment_succeeded"},
		{"void", "incomplete_expired", "payment_intent.canceled"},
	} {
		r := newRig(t, billing())
		sub := r.ok("POST /v1/subscriptions customer=cus_cy items[0][price]=price_m")
		r.events()
		r.ok("POST /v1/invoices/" + sub.get("latest_invoice") + "/" + row.verb)
		lines := strings.Split(strings.TrimSpace(r.events()), "\n")
		last, before := lines[len(lines)-1], lines[len(lines)-2]
		if !strings.HasPrefix(last, "customer.subscription.updated "+sub.get("id")) || !strings.HasPrefix(before, row.event) {
			t.Errorf("%s: the events end %s, %s", row.verb, before, last)
		}
		if got := r.ok("GET /v1/subscriptions/" + sub.get("id")).get("status"); got != row.status {
			t.Errorf("%s: %s, want %s", row.verb, got, row.status)
		}
	}
}

// TestDeletedCustomer: the subscriptions end at once, the invoices stay.
func TestDeletedCustomer(t *testing.T) {
	r := newRig(t, inEveryStatus())
	r.ok("DELETE /v1/customers/cus_ada")
	if got := r.events(); got != "customer.subscription.deleted sub_ada\ncustomer.deleted cus_ada\n" {
		t.Errorf("events %s", got)
	}
	if got := r.ok("GET /v1/invoices/in_paid?expand[]=customer").get("customer.deleted"); got != "true" {
		t.Errorf("the customer of an old invoice: deleted %q", got)
	}
	r.refused("POST /v1/invoices/in_open/pay", "400 resource_missing customer No such customer: 'cus_ada'")
	r.refused("POST /v1/subscriptions customer=cus_ada items[0][price]=price_m", "400 resource_missing customer No such customer: 'cus_ada'")
	r.ok("POST /v1/invoices/in_open/void")
}

// TestSmallSums: what is too little to charge is carried over to the next invoice.
func TestSmallSums(t *testing.T) {
	small := `{"id":"in_small","customer":"cus_ada","status":"%s","lines":[{"description":"Stamp","amount":30}]}`
	for _, status := range []string{"draft", "open"} {
		r := newRig(t, billing(fmt.Sprintf(small, status), seededInvoice("in_next", "cus_ada", "draft", "")))
		a := r.ok("POST /v1/invoices/in_small/pay")
		if a.get("status") != "paid" || a.get("amount_due") != "0" || a.get("ending_balance") != "30" {
			t.Errorf("from %s: %s", status, a.Body)
		}
		a = r.ok("POST /v1/invoices/in_next/finalize")
		if a.get("amount_due") != "1530" || a.get("starting_balance") != "30" || a.get("ending_balance") != "0" {
			t.Errorf("from %s, the next: %s", status, a.Body)
		}
		r.ok("POST /v1/invoices/in_next/void")
		if got := r.ok("GET /v1/customers/cus_ada").get("balance"); got != "30" {
			t.Errorf("from %s: balance %s after the void, want 30", status, got)
		}
	}
}

// TestManyLines: an invoice shows ten of its lines, the others are on the pages
// behind, in one order.
func TestManyLines(t *testing.T) {
	var lines, want []string
	for i := range 25 {
		want = append(want, fmt.Sprintf("L%d", i))
		lines = append(lines, fmt.Sprintf(`{"description":"L%d","amount":%d}`, i, 100+i))
	}
	r := newRig(t, billing(`{"id":"in_long","customer":"cus_ada","status":"draft","lines":[`+strings.Join(lines, ",")+`]}`))
	inv := r.ok("GET /v1/invoices/in_long")
	if inv.get("lines.has_more") != "true" || inv.get("lines.total_count") != "25" || inv.get("lines.data.9.description") != "L9" || inv.get("lines.data.10") != "" {
		t.Errorf("embedded lines: %s", inv.get("lines"))
	}
	if inv.get("total") != "2800" {
		t.Errorf("total %s, want 2800", inv.get("total"))
	}
	var got []string
	cursor, more := "", "true"
	for more == "true" {
		page := r.ok("GET /v1/invoices/in_long/lines?limit=7" + cursor)
		got = append(got, strings.Fields(page.each("description"))...)
		ids := strings.Fields(page.each("id"))
		cursor, more = "&starting_after="+ids[len(ids)-1], page.get("has_more")
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("lines %s", got)
	}
	back := r.ok("GET /v1/invoices/in_long/lines?limit=3&ending_before=" + strings.TrimPrefix(cursor, "&starting_after="))
	if back.each("description") != "L21 L22 L23" || back.get("has_more") != "true" {
		t.Errorf("before the last: %s, more %s", back.each("description"), back.get("has_more"))
	}
	r.ok("DELETE /v1/invoices/in_long")
	if r.machine.State.Len("stripe.line") != 0 {
		t.Errorf("%d lines outlive their invoice", r.machine.State.Len("stripe.line"))
	}
	r.refused("GET /v1/invoices/in_long", "404 resource_missing invoice No such invoice: 'in_long'")
}

// TestPriceIsCurrent: what a subscription shows of a price is what the price shows.
func TestPriceIsCurrent(t *testing.T) {
	r := newRig(t, billing())
	r.ok("POST /v1/prices/price_m nickname=Monthly")
	if got := r.ok("GET /v1/subscriptions/sub_ada").get("items.data.0.price.nickname"); got != "Monthly" {
		t.Errorf("nickname %q", got)
	}
	if got := r.events(); !strings.HasPrefix(got, "price.updated price_m") || strings.Count(got, "\n") != 1 {
		t.Errorf("events %s", got)
	}
}

func TestBillingLists(t *testing.T) {
	r := newRig(t, inEveryStatus())
	for _, row := range [][2]string{
		{"/v1/invoices", "in_bo in_void in_uncollectible in_paid in_open in_draft"},
		{"/v1/invoices?customer=cus_ada&status=open", "in_open"},
		{"/v1/invoices?collection_method=send_invoice", ""},
		{"/v1/invoices?due_date[gte]=1", ""},
		{"/v1/invoices?created=1767225600&limit=2", "in_bo in_void"},
		{"/v1/invoices?subscription=sub_ada", ""},
		{"/v1/invoices?limit=2&ending_before=in_open", "in_uncollectible in_paid"},
		{"/v1/subscriptions?customer=cus_ada&price=price_m", "sub_ada"},
		{"/v1/subscriptions?price=price_m2", ""},
		{"/v1/subscriptions?current_period_end[gt]=1769039999", "sub_ada"},
		{"/v1/subscriptions?current_period_end[gt]=1769040000", ""},
		{"/v1/subscriptions?current_period_start=1766361600&status=active", "sub_ada"},
		{"/v1/invoice_payments?invoice=in_paid", ""},
	} {
		if got := r.ok("GET " + row[0]).each("id"); got != row[1] {
			t.Errorf("%s: %q, want %q", row[0], got, row[1])
		}
	}
	for _, expand := range []string{
		"/v1/invoices?expand[]=data.customer&expand[]=data.payments&expand[]=data.default_payment_method",
		"/v1/subscriptions?expand[]=data.customer&expand[]=data.latest_invoice.payments&expand[]=data.default_payment_method",
		"/v1/customers/cus_ada?expand[]=subscriptions",
		"/v1/subscriptions/sub_ada?expand[]=items.data.price.product",
		"/v1/invoices/in_paid/lines?expand[]=data.pricing.price_details.price",
		"/v1/subscription_items?subscription=sub_ada&expand[]=data.price.product",
	} {
		r.ok("GET " + expand)
	}
}

// TestFinalizeFacts shows what one operation writes: the log line, the customer's
// next number, the invoice with its event, the intent with its event, the link.
func TestFinalizeFacts(t *testing.T) {
	r := newRig(t, billing(seededInvoice("in_draft", "cus_ada", "draft", "")))
	r.ok("POST /v1/invoices/in_draft/finalize")
	r.tellFacts()
	r.golden("invoice_finalize_facts")
}

// TestInvoiceStatusMachine is a support script over one draft and one open
// invoice, each step with its outcome.
func TestInvoiceStatusMachine(t *testing.T) {
	r := newRig(t, qaBase)
	for _, row := range []struct {
		line   string
		status int64
		path   string
		want   string
	}{
		{"POST /v1/invoices/in_qa03/finalize", 200, "status_transitions.finalized_at", "1767225600"},
		{"POST /v1/invoices/in_qa03/finalize", 400, "error.code", ""},
		{"DELETE /v1/invoices/in_qa03", 400, "error.param", ""},
		{"POST /v1/invoices/in_qa03/pay", 200, "amount_remaining", "0"},
		{"POST /v1/invoices/in_qa03/pay", 400, "error.message", "Invoice is already paid"},
		{"POST /v1/invoices/in_qa03/void", 400, "error.type", "invalid_request_error"},
		{"GET /v1/charges?customer=cus_qa02", 200, "data.0.amount", "900"},
		{"GET /v1/charges?customer=cus_qa02", 200, "data.1", ""},
		{"DELETE /v1/invoices/in_qa02", 400, "error.param", ""},
		{"POST /v1/invoices/in_qa02/void", 200, "status_transitions.voided_at", "1767225600"},
		{"POST /v1/invoices/in_qa02/pay", 400, "error.code", ""},
	} {
		before := r.dump()
		a := r.do(row.line)
		if a.Status != row.status || a.get(row.path) != row.want {
			t.Errorf("%s: %d with %s %q, want %d, %q", row.line, a.Status, row.path, a.get(row.path), row.status, row.want)
		}
		if a.Status == 400 && r.dump() != before {
			t.Errorf("%s is refused and changed the world", row.line)
		}
	}
	fresh := r.ok("POST /v1/invoices customer=cus_qa02").get("id")
	if got := r.ok("DELETE /v1/invoices/" + fresh).get("deleted"); got != "true" {
		t.Errorf("deleted %q", got)
	}
	r.refused("GET /v1/invoices/"+fresh, "404 resource_missing invoice No such invoice: '"+fresh+"'")
	r.money()
}
