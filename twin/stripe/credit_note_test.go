package stripe_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestCreditNotes: of what is owed, of what was paid, of both; and taken back.
func TestCreditNotes(t *testing.T) {
	r := newRig(t, billing())
	r.ok("POST /v1/coupons id=HALF percent_off=50")
	inv := r.ok("POST /v1/invoices customer=cus_ada discounts[0][coupon]=HALF").get("id")
	a := r.ok("POST /v1/invoices/" + inv + "/add_lines lines[0][amount]=1001 lines[0][description]=Work lines[1][amount]=500 lines[1][description]=Parts")
	first, second := a.get("lines.data.0.id"), a.get("lines.data.1.id")
	r.ok("POST /v1/invoices/" + inv + "/finalize")
	r.events()
	note := func(rest string) answer { return r.tell("POST /v1/credit_notes invoice=" + inv + " " + rest) }
	r.tell("GET /v1/credit_notes/preview invoice=" + inv + " lines[0][type]=invoice_line_item lines[0][invoice_line_item]=" + second)
	one := note("lines[0][type]=invoice_line_item lines[0][invoice_line_item]=" + second + " reason=order_change memo=Sorry")
	r.tell("POST /v1/credit_notes/" + one.get("id") + "/void")
	note("lines[0][type]=custom_line_item lines[0][description]=Late lines[0][unit_amount]=100 metadata[a]=b")
	r.tell("POST /v1/invoices/" + inv + "/pay")
	note("lines[0][type]=invoice_line_item lines[0][invoice_line_item]=" + first + " lines[0][amount]=400 refund_amount=201")
	note("amount=50 credit_amount=50")
	note("amount=30 out_of_band_amount=30")
	r.tell("GET /v1/credit_notes?invoice=" + inv + "&expand[]=data.refunds.refund&limit=2")
	r.tell("GET /v1/invoices/" + inv)
	r.golden("credit_notes")
}

// TestCreditNotePaysInvoice: a note of all that is owed makes the invoice paid, and
// nothing is charged any more.
func TestCreditNotePaysInvoice(t *testing.T) {
	r := newRig(t, billing())
	sub := r.ok("POST /v1/subscriptions customer=cus_cy items[0][price]=price_m")
	inv := sub.get("latest_invoice")
	r.events()
	a := r.ok("POST /v1/credit_notes invoice=" + inv + " amount=2000")
	if a.get("type") != "pre_payment" || a.get("pre_payment_amount") != "2000" {
		t.Errorf("%s of %s", a.get("type"), a.get("pre_payment_amount"))
	}
	b := r.ok("GET /v1/invoices/" + inv + "?expand[]=payments")
	if b.get("status") != "paid" || b.get("amount_due") != "0" || b.get("amount_paid") != "0" || b.get("payments.data.0.status") != "canceled" {
		t.Errorf("%s", b.Body)
	}
	if got := r.ok("GET /v1/subscriptions/" + sub.get("id")).get("status"); got != "active" {
		t.Errorf("the subscription is %s", got)
	}
	var types []string
	for line := range strings.Lines(r.events()) {
		types = append(types, strings.Fields(line)[0])
	}
	const want = "invoice.updated invoice.paid invoice.payment_succeeded customer.subscription.updated payment_intent.canceled credit_note.created"
	if got := strings.Join(types, " "); got != want {
		t.Errorf("events %s\nwant %s", got, want)
	}
}

// TestCreditNoteLowersPayment: what is charged after a note is what it left.
func TestCreditNoteLowersPayment(t *testing.T) {
	r := newRig(t, billing())
	inv := r.ok("POST /v1/subscriptions customer=cus_cy items[0][price]=price_m").get("latest_invoice")
	r.ok("POST /v1/credit_notes invoice=" + inv + " amount=700")
	a := r.ok("POST /v1/invoices/" + inv + "/pay payment_method=pm_card_visa expand[]=payments.data.payment.payment_intent")
	if got := a.get("amount_paid") + " " + a.get("payments.data.0.amount_paid") + " " + a.get("payments.data.0.payment.payment_intent.amount_received"); got != "1300 1300 1300" {
		t.Errorf("paid %s", got)
	}
}

// TestCreditNoteLinksRefund: a refund made by itself counts once, linked or not.
func TestCreditNoteLinksRefund(t *testing.T) {
	r := newRig(t, qaBase)
	refund := r.ok("POST /v1/refunds charge=ch_qa01 amount=1500").get("id")
	r.refused("POST /v1/credit_notes invoice=in_qa01 amount=2501 refund_amount=2500 out_of_band_amount=1",
		"400 - amount The credit note amount ($25.01) is greater than the creditable amount of the invoice ($25.00).")
	r.ok("POST /v1/credit_notes invoice=in_qa01 amount=1000 refunds[0][refund]=" + refund + " refunds[0][amount_refunded]=1000")
	r.refused("POST /v1/credit_notes invoice=in_qa01 amount=1000 refunds[0][refund]="+refund+" refunds[0][amount_refunded]=1000",
		"400 - refunds[0][amount_refunded] The refund "+refund+" has only $5.00 left that no credit note explains.")
	r.ok("POST /v1/credit_notes invoice=in_qa01 amount=3000 refund_amount=2500 refunds[0][refund]=" + refund)
	a := r.ok("GET /v1/charges/ch_qa01")
	if a.get("amount_refunded") != "4000" || a.get("refunded") != "true" {
		t.Errorf("refunded %s", a.get("amount_refunded"))
	}
	if got := r.ok("GET /v1/credit_notes").each("number"); got != r.number("in_qa01")+"-CN-02 "+r.number("in_qa01")+"-CN-01" {
		t.Errorf("numbers %s", got)
	}
}

func (r *rig) number(invoice string) string { return r.ok("GET /v1/invoices/" + invoice).get("number") }

// TestCreditNoteManyLines: the first ten lines are in the note, all at its route.
func TestCreditNoteManyLines(t *testing.T) {
	r := newRig(t, qaBase)
	line := "POST /v1/credit_notes invoice=in_qa01 out_of_band_amount=78"
	for i := range 12 {
		line += fmt.Sprintf(" lines[%d][type]=custom_line_item lines[%d][description]=L%d lines[%d][unit_amount]=%d", i, i, i, i, i+1)
	}
	a := r.ok(line)
	if a.get("lines.has_more") != "true" || a.get("lines.data.9.description") != "L9" || a.get("lines.data.10") != "" {
		t.Errorf("%s", a.get("lines"))
	}
	b := r.ok("GET /v1/credit_notes/" + a.get("id") + "/lines?limit=5&starting_after=" + a.get("lines.data.8.id"))
	if got := b.each("description"); got != "L9 L10 L11" {
		t.Errorf("then %s", got)
	}
	preview := strings.Replace(strings.Replace(line, "POST /v1/credit_notes", "GET /v1/credit_notes/preview/lines", 1), "in_qa01", "in_qa01 limit=3", 1)
	if got := r.ok(preview).each("description"); got != "L0 L1 L2" {
		t.Errorf("previewed %s", got)
	}
}

func TestCreditNoteRefusals(t *testing.T) {
	r := newRig(t, qaBase)
	line := r.ok("GET /v1/invoices/in_qa01").get("lines.data.0.id")
	open := r.ok("POST /v1/credit_notes invoice=in_qa02 amount=100").get("id")
	paid := r.ok("POST /v1/credit_notes invoice=in_qa01 amount=100 out_of_band_amount=100").get("id")
	const note = "POST /v1/credit_notes invoice=in_qa01 "
	for _, row := range [][2]string{
		{"POST /v1/credit_notes", "400 parameter_missing invoice Missing required param: invoice."},
		{"POST /v1/credit_notes invoice=in_no amount=1", "400 resource_missing invoice No such invoice: 'in_no'"},
		{note, "400 parameter_missing amount One of the following params should be provided for this request: amount, lines or shipping_cost."},
		{note + "amount=0", "400 parameter_invalid_integer amount Invalid positive integer"},
		{note + "amount=5 lines[0][type]=custom_line_item", "400 - lines You may only specify one of these parameters: amount, lines."},
		{note + "amount=5", "400 - - The sum of credit amount, refund amount and out of band amount ($0.00) must equal the post payment credit note amount ($0.05)."},
		{note + "amount=5 refund_amount=3 credit_amount=3", "400 - - The sum of credit amount, refund amount and out of band amount ($0.06) must equal the post payment credit note amount ($0.05)."},
		{note + "amount=3901 refund_amount=3901", "400 - amount The credit note amount ($39.01) is greater than the creditable amount of the invoice ($39.00)."},
		{"POST /v1/credit_notes invoice=in_qa03 amount=5", "400 - invoice You can only create credit notes for finalized invoices that are open, paid or uncollectible. This invoice is draft."},
		{note + "lines[0][type]=custom_line_item lines[0][unit_amount]=5", "400 parameter_missing lines[0][description] Missing required param: lines[0][description]."},
		{note + "lines[0][type]=custom_line_item lines[0][description]=a", "400 parameter_missing lines[0][unit_amount] Missing required param: lines[0][unit_amount]."},
		{note + "lines[0][type]=invoice_line_item", "400 parameter_missing lines[0][invoice_line_item] Missing required param: lines[0][invoice_line_item]."},
		{note + "lines[0][type]=invoice_line_item lines[0][invoice_line_item]=il_no", "400 resource_missing lines[0][invoice_line_item] No such invoice line item: 'il_no'"},
		{note + "lines[0][type]=invoice_line_item lines[0][quantity]=2 lines[0][invoice_line_item]=" + line, "400 - lines[0][invoice_line_item] The invoice line item " + line + " has only $40.00 left to credit."},
		{note + "amount=5 shipping_cost[shipping_rate]=shr_1", "501 - shipping_cost This twin does not serve the parameter shipping_cost of POST /v1/credit_notes. The world is unchanged."},
		{note + "amount=5 refunds[0][refund]=re_no", "400 resource_missing refunds[0][refund] No such refund: 're_no'"},
		{"POST /v1/credit_notes invoice=in_qa04 amount=99 credit_amount=99", "400 - - You cannot combine currencies on a single customer. This customer has had a subscription, coupon, or invoice item with currency usd"},
		{"GET /v1/credit_notes/cn_no", "404 resource_missing id No such credit note: 'cn_no'"},
		{"POST /v1/credit_notes/cn_no/void", "404 resource_missing id No such credit note: 'cn_no'"},
		{"POST /v1/credit_notes/" + paid + "/void", "400 - - You can only void issued pre-payment credit notes of open invoices."},
		{"GET /v1/credit_notes/cn_no/lines", "404 resource_missing id No such credit note: 'cn_no'"},
		{"GET /v1/credit_notes?customer=cus_no", "400 resource_missing customer No such customer: 'cus_no'"},
	} {
		r.refused(row[0], row[1])
	}
	r.ok("POST /v1/credit_notes/" + open + "/void")
	r.refused("POST /v1/credit_notes/"+open+"/void", "400 - - You can only void issued pre-payment credit notes of open invoices.")
	r.ok("POST /v1/credit_notes/" + open + " memo=x metadata[a]=b")
}
