package stripe_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"worlds/testscripts/dst/model"
)

// How many random histories, and how long: WORLDS_MODEL_SEEDS and WORLDS_MODEL_ROUNDS
// say more.
func bound(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

func TestRandomHistories(t *testing.T) {
	seeds, rounds, base := bound("WORLDS_MODEL_SEEDS", 12), bound("WORLDS_MODEL_ROUNDS", 60), bound("WORLDS_MODEL_BASE", 1)
	for n := base; n < base+seeds; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			p := newPair(t, seedText)
			d := dice{rand.New(rand.NewPCG(uint64(n), 7)), p}
			for range rounds {
				act := acts[d.IntN(len(acts))]
				act(d)
			}
		})
	}
}

func TestTally(t *testing.T) {
	t.Logf("known %d, no opinion %d, lost %d", tally.known, tally.unknown, tally.lost)
	for why, n := range tally.why {
		t.Logf("%5d %s", n, why)
	}
}

const seedText = `{"name":"model","version":1,"epoch":1767225600,"data":{
 "customers":[{"id":"cus_one","name":"Ada Example","email":"ada@example.com"},{"id":"cus_two","name":"Bo Example","email":"bo@example.com"},
  {"id":"cus_bare","payment_method":null},{"id":"cus_fails","payment_method":"pm_card_chargeCustomerFail","name":"F"}],
 "products":[{"id":"prod_one","name":"Pro"}],
 "prices":[{"id":"price_m","product":"prod_one","unit_amount":2000,"recurring":{"interval":"month","interval_count":1}},
           {"id":"price_2w","product":"prod_one","unit_amount":700,"recurring":{"interval":"week","interval_count":2}},
           {"id":"price_big","product":"prod_one","unit_amount":5033,"recurring":{"interval":"month"}},
           {"id":"price_once","product":"prod_one","unit_amount":1999}],
 "invoices":[
  {"id":"in_paid","customer":"cus_one","status":"paid","created_offset":86400,"lines":[{"description":"Pro","amount":4000,"price":"price_m"}],"charges":[{"id":"ch_one"},{"id":"ch_two"}]},
  {"id":"in_open","customer":"cus_two","status":"open","created_offset":7200,"lines":[{"description":"Setup","amount":1500}]},
  {"id":"in_draft","customer":"cus_two","status":"draft","created_offset":3600,"lines":[{"description":"Draft","amount":900}]}],
 "subscriptions":[{"id":"sub_one","customer":"cus_one","price":"price_m","created_offset":864000}],
 "disputes":[{"id":"dp_one","charge":"ch_two"}]}}`

var acts = []func(dice){
	func(d dice) {
		d.p.do("POST", "/v1/customers", d.some("name=Zoë", "email=z@example.com", "metadata[a]=1", "metadata[b]=007", "phone=1", "description=q",
			"payment_method=pm_card_"+d.of("visa", "mastercard", "chargeDeclined", "chargeCustomerFail"), "balance=-500", "foo=1"), d.key())
	},
	func(d dice) {
		d.p.do("POST", "/v1/customers/"+d.id("customer", "cus"), d.some("name="+d.of("A", "B", ""), "email=", "description=d", d.of("metadata[a]=", "metadata[a]=2", "metadata="),
			"balance="+d.of("0", "100", "-300"), "tax_exempt="+d.of("none", "exempt", "what"), "invoice_settings[default_payment_method]="+d.id("payment_method", "pm")), d.key())
	},
	func(d dice) { d.p.do("GET", "/v1/customers/"+d.id("customer", "cus"), "", "") },
	func(d dice) {
		d.p.do("GET", "/v1/"+d.of("customers", "products", "prices", "charges", "refunds", "payment_intents", "disputes", "balance_transactions", "events"),
			d.some("limit="+d.of("1", "2", "100", "0", "101", "x"), "starting_after="+d.of(d.id("customer", "cus"), d.id("charge", "ch")), "ending_before="+d.id("customer", "cus"),
				"created[gte]=1767225600"), "")
	},
	func(d dice) {
		if d.IntN(4) == 0 {
			d.p.do("DELETE", "/v1/customers/"+d.id("customer", "cus"), "", "")
		}
	},
	func(d dice) {
		d.p.do("POST", "/v1/customers/"+d.id("customer", "cus")+"/balance_transactions",
			with("amount="+d.of("-700", "0", "250", "x"), "currency="+d.of("usd", "usd", "eur"), d.some("description=hi")), d.key())
	},
	func(d dice) {
		d.p.do("GET", "/v1/customers/"+d.id("customer", "cus")+"/"+d.of("balance_transactions", "payment_methods"), d.some("limit=2"), "")
	},
	func(d dice) {
		d.p.do("POST", "/v1/products", with(d.of("name=Thing", "name=Thing", ""), d.some("id=thing", "description=x", "active=false", "metadata[k]=v")), d.key())
	},
	func(d dice) {
		d.p.do("POST", "/v1/products/"+d.id("product", "prod"), d.some("name=T2", "description=", "active="+d.of("true", "false"), "metadata[k]="), d.key())
	},
	func(d dice) { d.p.do(d.of("GET", "DELETE"), "/v1/products/"+d.id("product", "prod"), "", "") },
	func(d dice) {
		d.p.do("POST", "/v1/prices", with("currency="+d.of("usd", "eur"), "product="+d.id("product", "prod"), "unit_amount="+d.of("0", "1200", "-1"),
			d.some("nickname=n", "recurring[interval]="+d.of("day", "month", "never"), "metadata[k]=v")), d.key())
	},
	func(d dice) {
		d.p.do("POST", "/v1/prices/"+d.id("price", "price"), d.some("nickname=m", "active="+d.of("true", "false", "maybe"), "metadata[k]=v"), d.key())
	},
	func(d dice) { d.p.do("GET", "/v1/prices/"+d.id("price", "price"), d.some("expand[]=product"), "") },
	func(d dice) {
		d.p.do("POST", "/v1/payment_methods/"+d.of("pm_card_visa", "pm_card_amex", "pm_card_chargeDeclined", d.id("payment_method", "pm"))+"/attach", "customer="+d.id("customer", "cus"), d.key())
	},
	func(d dice) {
		d.p.do("POST", "/v1/payment_methods/"+d.id("payment_method", "pm")+"/detach", "", d.key())
	},
	func(d dice) { d.p.do("GET", "/v1/payment_methods/"+d.id("payment_method", "pm"), "", "") },
	newIntent, newIntent, newIntent,
	func(d dice) {
		d.p.do("POST", "/v1/coupons", with(d.of("percent_off=12.5", "percent_off=33", "amount_off=300&currency=usd", "percent_off=101", ""),
			d.of("duration=once", "duration=forever", "duration=repeating&duration_in_months=3", "duration=repeating", ""), d.some("id=c"+d.of("1", "2", "3"), "name=n", "max_redemptions=2")), d.key())
	},
	func(d dice) {
		d.p.do(d.of("GET", "GET", "GET", "DELETE"), "/v1/coupons/"+d.id("coupon", "co"), "", "")
	},
	func(d dice) {
		d.p.do("POST", "/v1/promotion_codes", with("promotion[type]=coupon", "promotion[coupon]="+d.id("coupon", "co"), d.some("code="+d.of("SPRING", "spring", "X"), "metadata[a]=1")), d.key())
	},
	newItem, newItem, newItem,
	func(d dice) {
		d.p.do(d.of("GET", "GET", "DELETE"), "/v1/invoiceitems/"+d.id("invoice_item", "ii"), "", "")
	},
	func(d dice) {
		d.p.do("POST", "/v1/invoiceitems/"+d.id("invoice_item", "ii"), d.some("amount=77", "description=e", "metadata[a]=1"), d.key())
	},
	newInvoice, newInvoice, newInvoice,
	onInvoice, onInvoice, onInvoice, onInvoice,
	func(d dice) {
		d.p.do("POST", "/v1/invoices/"+d.id("invoice", "in"), d.some("description=d", "metadata[a]="+d.of("1", ""), "auto_advance="+d.of("true", "false"),
			"collection_method=send_invoice&days_until_due=4", "footer=f"), d.key())
	},
	func(d dice) { d.p.do(d.of("GET", "DELETE"), "/v1/invoices/"+d.id("invoice", "in"), "", "") },
	func(d dice) {
		d.p.do("GET", "/v1/invoices/"+d.id("invoice", "in"), d.of("expand[]=payments", "expand[]=customer", "expand[]=payments.data.payment.payment_intent", "expand[]=discounts"), "")
	},
	func(d dice) { d.p.do("GET", "/v1/invoices/"+d.id("invoice", "in")+"/lines", d.some("limit=1"), "") },
	func(d dice) {
		d.p.do("GET", "/v1/invoices", d.of("due_date[lt]=4102444800", "due_date[gte]=0", "due_date=0", "created[lte]=4102444800"), "")
	},
	func(d dice) {
		d.p.do("POST", "/v1/setup_intents", with(d.of("customer="+d.id("customer", "cus"), ""), d.of("", "payment_method=pm_card_visa", "payment_method=pm_card_authenticationRequired", "payment_method="+d.id("payment_method", "pm")),
			d.of("", "confirm=true"), d.some("usage=on_session", "metadata[a]=1", "description=d")), d.key())
	},
	func(d dice) {
		d.p.do("POST", "/v1/setup_intents/"+d.id("setup_intent", "seti")+"/"+d.of("confirm", "cancel"), "", d.key())
	},
	newNote, newNote,
	newSubscription, newSubscription,
	changeSubscription, changeSubscription, changeSubscription,
	func(d dice) {
		d.p.do("DELETE", "/v1/subscriptions/"+d.id("subscription", "sub"), d.some("prorate=true", "invoice_now=true", "cancellation_details[comment]=bye"), "")
	},
	func(d dice) {
		d.p.do("GET", "/v1/subscriptions", d.some("status="+d.of("all", "active", "ended", "canceled"), "limit=2"), "")
	},
	func(d dice) {
		d.p.do("GET", "/v1/subscriptions/"+d.id("subscription", "sub"), d.of("", "expand[]=latest_invoice", "expand[]=customer"), "")
	},
	onward, onward,
	func(d dice) {
		d.p.do("GET", "/v1/"+d.of("invoices", "invoiceitems", "invoice_payments", "credit_notes", "coupons", "promotion_codes"), d.some("limit=2"), "")
	},
	func(d dice) {
		d.p.do("POST", "/v1/credit_notes/"+d.id("credit_note", "cn")+d.of("", "/void"), "", d.key())
	},
	func(d dice) {
		d.p.do("POST", "/v1/payment_intents/"+d.id("payment_intent", "pi")+"/confirm",
			d.some("payment_method=pm_card_"+d.of("visa", "chargeDeclined", "threeDSecure2Required"), "return_url=https://a.example", "off_session=true"), d.key())
	},
	func(d dice) {
		d.p.do("POST", "/v1/payment_intents/"+d.id("payment_intent", "pi")+"/capture", d.some("amount_to_capture="+d.of("100", "99999", "0")), d.key())
	},
	func(d dice) {
		d.p.do("POST", "/v1/payment_intents/"+d.id("payment_intent", "pi")+"/cancel", d.some("cancellation_reason="+d.of("abandoned", "what")), d.key())
	},
	func(d dice) {
		d.p.do("POST", "/v1/payment_intents/"+d.id("payment_intent", "pi"), d.some("amount="+d.of("700", "3", "0"), "description=w", "metadata[a]=1"), d.key())
	},
	func(d dice) {
		d.p.do("GET", "/v1/payment_intents/"+d.id("payment_intent", "pi"), d.of("expand[]=latest_charge", "expand[0]=customer&expand[1]=latest_charge", ""), "")
	},
	newRefund, newRefund, newRefund,
	func(d dice) { d.p.do("GET", "/v1/refunds/"+d.id("refund", "re"), d.some("expand[]=charge"), "") },
	func(d dice) { d.p.do("POST", "/v1/refunds/"+d.id("refund", "re"), d.some("metadata[a]=1"), d.key()) },
	func(d dice) {
		d.p.do("POST", "/v1/charges/"+d.id("charge", "ch"), d.some("description=c", "metadata[a]=1", "fraud_details[user_report]=safe"), d.key())
	},
	func(d dice) {
		d.p.do("GET", "/v1/charges/"+d.id("charge", "ch"), d.of("expand[]=balance_transaction", "expand[]=refunds", ""), "")
	},
	func(d dice) { d.p.do("POST", "/v1/disputes/"+d.id("dispute", "dp")+"/close", "", d.key()) },
	func(d dice) { d.p.do("GET", "/v1/disputes/"+d.id("dispute", "dp"), "", "") },
	func(d dice) { d.p.do("GET", "/v1/balance", "", "") },
}

func newIntent(d dice) {
	customer := d.id("customer", "cus")
	d.p.do("POST", "/v1/payment_intents", with("amount="+d.of("1000", "1234", "5000", "49", "0", "100000000"), "currency="+d.of("usd", "usd", "eur", "jpy"),
		d.some("customer="+customer), d.some("capture_method=manual", "description=p", "metadata[a]=1", "off_session=true", "payment_method_types[]=card"),
		d.of("payment_method=pm_card_"+d.of("visa", "visa", "amex", "createDispute", "createDisputeInquiry", "refundFail", "pendingRefund", "chargeDeclinedInsufficientFunds",
			"chargeDeclinedFraudulent", "authenticationRequired"), "payment_method="+d.id("payment_method", "pm"), ""),
		d.of("confirm=true", "confirm=true", "")), d.key())
}

func newRefund(d dice) {
	d.p.do("POST", "/v1/refunds", with(d.of("charge="+d.id("charge", "ch"), "payment_intent="+d.id("payment_intent", "pi"), ""),
		d.some("amount="+d.of("100", "333", "99999", "0", "1.5")), d.some("reason="+d.of("duplicate", "fraudulent", "why"), "metadata[a]=1")), d.key())
}

// key draws an idempotency key; few, so that they are used again.
func (d dice) key() string {
	if d.IntN(4) > 0 {
		return ""
	}
	return "k" + strconv.Itoa(d.IntN(20))
}

func newItem(d dice) {
	d.p.do("POST", "/v1/invoiceitems", with("customer="+d.id("customer", "cus"), d.of("currency=usd&amount="+d.of("1000", "333", "-150", "20", "0"), "pricing[price]="+d.id("price", "price")+"&quantity=3",
		"currency=eur&amount=5"), d.some("description=i", "metadata[a]=1"), d.of("", "", "discounts[0][coupon]="+d.id("coupon", "co")), d.of("", "invoice="+d.id("invoice", "in"))), d.key())
}

func newInvoice(d dice) {
	d.p.do("POST", "/v1/invoices", with("customer="+d.id("customer", "cus"), d.of("", "pending_invoice_items_behavior=include", "pending_invoice_items_behavior=include"),
		d.some("description=v", "metadata[a]=1", "auto_advance=true", "currency=usd"), d.of("", "", "collection_method=send_invoice&days_until_due=3", "days_until_due=3", "collection_method=send_invoice"),
		d.of("", "", "discounts[0][coupon]="+d.id("coupon", "co"))), d.key())
}

func onInvoice(d dice) {
	action := d.of("finalize", "pay", "pay", "void", "send", "mark_uncollectible")
	form := ""
	if action == "pay" {
		form = d.of("", "payment_method="+d.id("payment_method", "pm"), "paid_out_of_band=true")
	}
	d.p.do("POST", "/v1/invoices/"+d.id("invoice", "in")+"/"+action, form, d.key())
}

func newNote(d dice) {
	d.p.do("POST", "/v1/credit_notes", with("invoice="+d.id("invoice", "in"), "amount="+d.of("100", "300", "5000"), d.of("", "credit_amount=100", "refund_amount=100", "out_of_band_amount=300",
		"refund_amount=100&credit_amount=200"), d.some("reason="+d.of("duplicate", "order_change"), "memo=m")), d.key())
}

func newSubscription(d dice) {
	d.p.do("POST", "/v1/subscriptions", with("customer="+d.id("customer", "cus"), "items[0][price]="+d.of(d.id("price", "price"), "price_m", "price_2w"), d.some("items[0][quantity]="+d.of("2", "0")),
		d.of("", "", "", "items[1][price]=price_big", "trial_period_days=7", "trial_period_days=2", "trial_period_days=1&trial_settings[end_behavior][missing_payment_method]="+d.of("cancel", "pause")), d.of("", "", "payment_behavior=error_if_incomplete", "payment_behavior=default_incomplete"),
		d.of("", "", "", "collection_method=send_invoice&days_until_due=5"), d.some("metadata[a]=1", "description=s"), d.of("", "", "", "discounts[0][coupon]="+d.id("coupon", "co"))), d.key())
}

func changeSubscription(d dice) {
	sub := d.id("subscription", "sub")
	d.p.do("POST", "/v1/subscriptions/"+sub, with(d.of("", "items[0][id]="+d.item(sub)+"&items[0][quantity]="+d.of("1", "3"), "items[0][id]="+d.item(sub)+"&items[0][price]="+d.of("price_m", "price_big", "price_2w"),
		"items[0][price]="+d.of("price_m", "price_big"), "items[0][id]="+d.item(sub)+"&items[0][deleted]=true", "billing_cycle_anchor=now"),
		d.of("", "", "proration_behavior=always_invoice", "proration_behavior=none"), d.of("", "", "", "cancel_at_period_end=true", "cancel_at_period_end=false", "pause_collection[behavior]="+d.of("void", "keep_as_draft", "mark_uncollectible"),
			"pause_collection=", "cancel_at=1769000000", "cancel_at="), d.some("metadata[a]=2", "description=t")), d.key())
}

// item is the first item of a subscription.
func (d dice) item(sub string) string {
	_, body := d.p.send(model.Op{Method: "GET", Path: "/v1/subscriptions/" + sub})
	v, err := model.Parse(body)
	if err != nil {
		d.p.t.Fatal(err)
	}
	if list := v.Get("items").Get("data").List; len(list) > 0 {
		return list[d.IntN(len(list))].Get("id").Text
	}
	return "si_nothing"
}

func onward(d dice) {
	steps := []int64{1, 3600, 3601, 86400, 3 * 86400, 8 * 86400, 32 * 86400}
	d.p.advance(d.p.model.Now() + steps[d.IntN(len(steps))])
}
