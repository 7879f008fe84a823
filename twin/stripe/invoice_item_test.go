package stripe_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestInvoiceItems: items wait, are swept onto the next invoice, and can be changed
// until it is final.
func TestInvoiceItems(t *testing.T) {
	r := newRig(t, billing())
	r.ok("POST /v1/coupons id=FIVE amount_off=500 currency=usd")
	r.events()
	one := r.tell("POST /v1/invoiceitems customer=cus_ada amount=1500 currency=usd description=Setup metadata[a]=b").get("id")
	two := r.tell("POST /v1/invoiceitems customer=cus_ada pricing[price]=price_once quantity=3 period[start]=1767225600 period[end]=1767312000 discounts[0][coupon]=FIVE").get("id")
	r.tell("POST /v1/invoiceitems customer=cus_ada price_data[currency]=usd price_data[product]=prod_pro price_data[unit_amount]=75")
	r.tell("POST /v1/invoiceitems/" + two + " quantity=4")
	inv := r.tell("POST /v1/invoices customer=cus_ada pending_invoice_items_behavior=include").get("id")
	r.tell("POST /v1/invoiceitems/" + one + " amount=1600 description=Setting+up")
	r.tell("DELETE /v1/invoiceitems/" + one)
	r.tell("POST /v1/invoiceitems customer=cus_ada amount=-100 currency=usd invoice=" + inv)
	r.tell("POST /v1/invoices/" + inv + "/finalize")
	const held = "400 - - This invoice item is attached to the invoice %s and cannot be changed in this way."
	r.refused("POST /v1/invoiceitems/"+two+" description=x", fmt.Sprintf(held, inv))
	r.refused("DELETE /v1/invoiceitems/"+two, fmt.Sprintf(held, inv))
	r.golden("invoice_items")
	for query, want := range map[string]string{"pending=true": "", "pending=false": "-100 75 2000", "invoice=" + inv + "&limit=1": "-100", "customer=cus_bo": ""} {
		if got := r.ok("GET /v1/invoiceitems?" + query).each("amount"); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
}

// TestDraftLines: lines of a draft are added, changed, removed, put back; twelve of
// them go over the page.
func TestDraftLines(t *testing.T) {
	r := newRig(t, billing())
	waiting := r.ok("POST /v1/invoiceitems customer=cus_ada amount=70 currency=usd description=Waiting").get("id")
	inv := r.ok("POST /v1/invoices customer=cus_ada").get("id")
	amounts := func() string {
		a := r.ok("GET /v1/invoices/" + inv + "/lines?limit=100")
		return a.each("amount") + " = " + r.ok("GET /v1/invoices/"+inv).get("total")
	}
	line := "POST /v1/invoices/" + inv + "/add_lines lines[0][invoice_item]=" + waiting
	for i := 1; i < 12; i++ {
		line += fmt.Sprintf(" lines[%d][amount]=%d lines[%d][description]=L%d", i, i, i, i)
	}
	r.ok(line)
	if got := amounts(); got != "70 1 2 3 4 5 6 7 8 9 10 11 = 136" {
		t.Errorf("added: %s", got)
	}
	ids := strings.Fields(r.ok("GET /v1/invoices/" + inv + "/lines?limit=100").each("id"))
	r.ok("POST /v1/invoices/" + inv + "/update_lines lines[0][id]=" + ids[1] + " lines[0][amount]=100 lines[1][id]=" + ids[11] + " lines[1][pricing][price]=price_once invoice_metadata[a]=b")
	if got := r.ok("POST /v1/invoices/" + inv + "/lines/" + ids[10] + " amount=-10 description=Off").get("discountable"); got != "false" {
		t.Errorf("a negative line is discountable: %s", got)
	}
	if got := amounts(); got != "70 100 2 3 4 5 6 7 8 9 -10 500 = 704" {
		t.Errorf("changed: %s", got)
	}
	r.ok("POST /v1/invoices/" + inv + "/remove_lines lines[0][id]=" + ids[0] + " lines[0][behavior]=unassign lines[1][id]=" + ids[11] + " lines[1][behavior]=delete")
	if got := amounts(); got != "100 2 3 4 5 6 7 8 9 -10 = 134" {
		t.Errorf("removed: %s", got)
	}
	if got := r.ok("GET /v1/invoiceitems?pending=true").each("amount"); got != "70" {
		t.Errorf("waiting: %s", got)
	}
	if got := r.ok("GET /v1/invoices/" + inv).get("lines.has_more"); got != "false" {
		t.Errorf("has_more %s", got)
	}
	r.ok("DELETE /v1/invoices/" + inv)
	if got := r.ok("GET /v1/invoiceitems?pending=true").each("amount"); got != "70" {
		t.Errorf("waiting after the draft is deleted: %s", got)
	}
}

// TestSweptByRenewal: what waits rides the next invoice of a subscription, and what
// belongs to another one does not.
func TestSweptByRenewal(t *testing.T) {
	r := newRig(t, billing())
	other := r.ok("POST /v1/subscriptions customer=cus_ada items[0][price]=price_m2").get("id")
	r.ok("POST /v1/invoiceitems customer=cus_ada amount=11 currency=usd description=Anybody's")
	r.ok("POST /v1/invoiceitems customer=cus_ada amount=22 currency=usd description=Mine subscription=sub_ada")
	r.ok("POST /v1/invoiceitems customer=cus_ada amount=33 currency=usd description=Other subscription=" + other)
	r.ok("POST /v1/invoiceitems customer=cus_bo amount=44 currency=usd description=Bo's")
	r.until(1769040000) // sub_ada renews
	latest := r.ok("GET /v1/subscriptions/sub_ada").get("latest_invoice")
	if got := r.ok("GET /v1/invoices/" + latest + "/lines").each("amount"); got != "22 11 2000" {
		t.Errorf("billed %s", got)
	}
	inv := r.ok("POST /v1/invoices customer=cus_ada subscription=" + other)
	if got := inv.get("lines.data.0.amount") + " " + inv.get("total") + " " + inv.get("parent.subscription_details.subscription"); got != "33 33 "+other {
		t.Errorf("billed by hand: %s", got)
	}
}

func TestInvoiceItemRefusals(t *testing.T) {
	r := newRig(t, billing())
	final := r.ok("POST /v1/invoices customer=cus_ada").get("id")
	r.ok("POST /v1/invoices/" + final + "/add_lines lines[0][amount]=100")
	il := r.ok("GET /v1/invoices/" + final).get("lines.data.0.id")
	r.ok("POST /v1/invoices/" + final + "/finalize")
	draft := r.ok("POST /v1/invoices customer=cus_ada").get("id")
	const item = "POST /v1/invoiceitems customer=cus_ada "
	const add = "/add_lines lines[0]"
	for _, row := range [][2]string{
		{"POST /v1/invoiceitems amount=1 currency=usd", "400 parameter_missing customer Missing required param: customer."},
		{"POST /v1/invoiceitems customer=cus_no amount=1 currency=usd", "400 resource_missing customer No such customer: 'cus_no'"},
		{item, "400 parameter_missing amount Missing required param: amount."},
		{item + "amount=1", "400 parameter_missing currency Missing required param: currency."},
		{item + "amount=1.5 currency=usd", "400 parameter_invalid_integer amount Invalid integer: 1.5"},
		{item + "amount=1 currency=eur", "400 - - You cannot combine currencies on a single customer. This customer has had a subscription, coupon, or invoice item with currency usd"},
		{item + "amount=1 currency=usd pricing[price]=price_once", "400 - pricing You may only specify one of these parameters: amount, pricing."},
		{item + "amount=1 currency=usd quantity=2", "400 - quantity You may only specify one of these parameters: amount, quantity."},
		{item + "pricing[price]=price_m", "400 - pricing[price] The price specified is set to `type=recurring` but this field only accepts prices with `type=one_time`."},
		{item + "pricing[price]=price_no", "400 resource_missing pricing[price] No such price: 'price_no'"},
		{item + "pricing[price]=price_once currency=eur", "400 - pricing[price] The price specified only supports other currencies. This doesn't match the expected currency: `eur`."},
		{item + "price_data[currency]=usd price_data[product]=prod_pro price_data[unit_amount]=-1", "400 parameter_invalid_integer price_data[unit_amount] This value must be greater than or equal to 0."},
		{item + "amount=1 currency=usd invoice=in_no", "400 resource_missing invoice No such invoice: 'in_no'"},
		{item + "amount=1 currency=usd invoice=" + final, "400 invoice_not_editable - This invoice is no longer editable."},
		{item + "amount=1 currency=usd subscription=sub_no", "400 resource_missing subscription No such subscription: 'sub_no'"},
		{item + "amount=1 currency=usd period[start]=5 period[end]=4", "400 - period[end] Invalid period: the end is before the start."},
		{item + "unit_amount_decimal=1.5 currency=usd", "501 - unit_amount_decimal This twin does not serve the parameter unit_amount_decimal of POST /v1/invoiceitems. The world is unchanged."},
		{"GET /v1/invoiceitems/ii_no", "404 resource_missing invoiceitem No such invoice item: 'ii_no'"},
		{"POST /v1/invoices/in_no" + add + "[amount]=1", "404 resource_missing invoice No such invoice: 'in_no'"},
		{"POST /v1/invoices/" + final + add + "[amount]=1", "400 invoice_not_editable - This invoice is no longer editable."},
		{"POST /v1/invoices/" + draft + add + "[description]=a", "400 parameter_missing lines[0][amount] Missing required param: lines[0][amount]."},
		{"POST /v1/invoices/" + draft + add + "[invoice_item]=ii_no", "400 resource_missing lines[0][invoice_item] No such invoice item: 'ii_no'"},
		{"POST /v1/invoices/" + draft + "/update_lines lines[0][id]=" + il + " lines[0][amount]=1", "400 resource_missing lines[0][id] No such invoice line item: '" + il + "'"},
		{"POST /v1/invoices/" + final + "/lines/" + il + " amount=1", "400 invoice_not_editable - This invoice is no longer editable."},
		{"POST /v1/invoices/" + draft + "/lines/il_no amount=1", "404 resource_missing line_item_id No such invoice line item: 'il_no'"},
		{"POST /v1/invoices/" + draft + "/remove_lines lines[0][id]=il_no lines[0][behavior]=delete", "400 resource_missing lines[0][id] No such invoice line item: 'il_no'"},
		{"POST /v1/invoices/" + final + "/send", "400 - - You can only manually send an invoice if its `collection_method` is `send_invoice`."},
	} {
		r.refused(row[0], row[1])
	}
}

// TestSendInvoice: a draft is finalized and sent, an open one sent again.
func TestSendInvoice(t *testing.T) {
	r := newRig(t, billing())
	inv := r.ok("POST /v1/invoices customer=cus_bo collection_method=send_invoice days_until_due=3").get("id")
	r.ok("POST /v1/invoices/" + inv + "/add_lines lines[0][amount]=900")
	r.events()
	for range 2 {
		if got := r.ok("POST /v1/invoices/" + inv + "/send").get("status"); got != "open" {
			t.Errorf("status %s", got)
		}
	}
	if got := r.events(); got != fmt.Sprintf("invoice.finalized %s\ninvoice.sent %s\ninvoice.sent %s\n", inv, inv, inv) {
		t.Errorf("events %s", got)
	}
}
