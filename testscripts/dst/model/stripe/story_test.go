package stripe_test

import (
	"strconv"
	"strings"
	"testing"
)

const storySeed = `{"name":"stories","version":1,"epoch":1767225600,"data":{
 "customers":[{"id":"cus_a","payment_method":"pm_card_visa"},{"id":"cus_fails","payment_method":"pm_card_chargeCustomerFail"},{"id":"cus_poor","payment_method":null}],
 "products":[{"id":"prod_a","name":"Pro"}],
 "prices":[{"id":"price_m","product":"prod_a","unit_amount":2000,"recurring":{"interval":"month"}},
  {"id":"price_y","product":"prod_a","unit_amount":20000,"recurring":{"interval":"year"}}]}}`

// Each of these the model and the twin once saw differently; $table is the
// newest object of a table.
var stories = map[string][]string{
	"an ended subscription of a customer that is gone": {
		"POST /v1/subscriptions customer=cus_a&items[0][price]=price_m&trial_period_days=30",
		"DELETE /v1/customers/cus_a ",
		"POST /v1/subscriptions/$subscription ",
		"POST /v1/subscriptions/$subscription metadata[why]=left&cancellation_details[comment]=moved",
	},
	"an end at a moment that gives way to the period's": {
		"POST /v1/subscriptions customer=cus_a&items[0][price]=price_m&cancel_at=1767400000",
		"POST /v1/subscriptions/$subscription cancel_at=&cancel_at_period_end=true",
		"POST /v1/subscriptions/$subscription cancel_at=&cancel_at_period_end=true",
		"POST /v1/subscriptions/$subscription cancel_at=",
	},
	"a change that waits for its payment": {
		"POST /v1/subscriptions customer=cus_a&items[0][price]=price_m",
		"POST /v1/subscriptions/$subscription items[0][id]=$subscription_item&items[0][price]=price_y&payment_behavior=default_incomplete",
		"advance 40", "POST /v1/invoices/$invoice/pay ",
	},
	"a change that waits and costs nothing": {
		"POST /v1/subscriptions customer=cus_a&items[0][price]=price_y",
		"POST /v1/subscriptions/$subscription items[0][id]=$subscription_item&items[0][price]=price_m&payment_behavior=default_incomplete",
		"advance 40",
	},
	"an invoice that is sent is not tried by time": {
		"POST /v1/invoices customer=cus_fails&collection_method=send_invoice&days_until_due=30&auto_advance=true",
		"POST /v1/invoiceitems customer=cus_fails&amount=2000&currency=usd&invoice=$invoice",
		"POST /v1/invoices/$invoice/pay ", "advance 10",
	},
	"a card that refused for good, and another that did after it": {
		"POST /v1/payment_methods/pm_card_authenticationRequired/attach customer=cus_poor",
		"POST /v1/customers/cus_poor invoice_settings[default_payment_method]=$payment_method",
		"POST /v1/invoices customer=cus_poor",
		"POST /v1/invoiceitems customer=cus_poor&amount=2000&currency=usd&invoice=$invoice",
		"POST /v1/invoices/$invoice/finalize auto_advance=true", "advance 1",
		"POST /v1/payment_intents/$payment_intent/confirm payment_method=pm_card_chargeDeclined", "advance 9",
	},
	"a card that refused for good when it was asked to": {
		"POST /v1/payment_methods/pm_card_authenticationRequired/attach customer=cus_poor",
		"POST /v1/invoices customer=cus_poor&auto_advance=true&default_payment_method=$payment_method",
		"POST /v1/invoiceitems customer=cus_poor&amount=2000&currency=usd&invoice=$invoice",
		"POST /v1/invoices/$invoice/pay ", "advance 9",
	},
	"the end of a period that is over": {
		"POST /v1/subscriptions customer=cus_poor&items[0][price]=price_m&trial_period_days=3&trial_settings[end_behavior][missing_payment_method]=pause",
		"advance 5", "POST /v1/subscriptions/$subscription cancel_at_period_end=true", "advance 1",
	},
	"an end before the first payment could come": {
		"POST /v1/subscriptions customer=cus_fails&items[0][price]=price_m&cancel_at=1767232800", "advance 1",
	},
	"a pause of an incomplete subscription": {
		"POST /v1/subscriptions customer=cus_fails&items[0][price]=price_m",
		"POST /v1/subscriptions/$subscription pause_collection[behavior]=void&pause_collection[resumes_at]=1767232800", "advance 2",
	},
	"an end at the moment at which its pause ends": {
		"POST /v1/subscriptions customer=cus_a&items[0][price]=price_m&cancel_at=1767744000",
		"POST /v1/subscriptions/$subscription pause_collection[behavior]=void&pause_collection[resumes_at]=1767744000", "advance 9",
	},
	"a renewal at the moment at which its pause ends": {
		"POST /v1/subscriptions customer=cus_a&items[0][price]=price_m",
		"POST /v1/subscriptions/$subscription pause_collection[behavior]=keep_as_draft&pause_collection[resumes_at]=1769904000", "advance 40",
	},
	"a trial that ends with its end planned and a pause": {
		"POST /v1/subscriptions customer=cus_poor&items[0][price]=price_m&trial_period_days=3&trial_settings[end_behavior][missing_payment_method]=pause",
		"POST /v1/subscriptions/$subscription pause_collection[behavior]=void&pause_collection[resumes_at]=1767744000", "advance 9",
	},
	"a card that is gone before the next try": {
		"POST /v1/invoices customer=cus_fails&auto_advance=true",
		"POST /v1/invoiceitems customer=cus_fails&amount=2000&currency=usd&invoice=$invoice",
		"advance 1", "POST /v1/customers/cus_fails invoice_settings[default_payment_method]=", "advance 20",
	},
	"a customer who goes before the next try": {
		"POST /v1/invoices customer=cus_fails&auto_advance=true",
		"POST /v1/invoiceitems customer=cus_fails&amount=2000&currency=usd&invoice=$invoice",
		"advance 1", "DELETE /v1/customers/cus_fails ", "advance 20",
	},
	"a subscription that nobody pays, ended and paid": {
		"POST /v1/subscriptions customer=cus_a&items[0][price]=price_m",
		"POST /v1/payment_methods/pm_card_chargeCustomerFail/attach customer=cus_a",
		"POST /v1/subscriptions/$subscription default_payment_method=$payment_method",
		"advance 33", "POST /v1/subscriptions/$subscription cancel_at_period_end=true", "advance 40",
	},
	"a credit note on an invoice that time would try": {
		"POST /v1/invoices customer=cus_fails&auto_advance=true",
		"POST /v1/invoiceitems customer=cus_fails&amount=2000&currency=usd&invoice=$invoice",
		"advance 1", "POST /v1/credit_notes invoice=$invoice&amount=1990", "advance 4",
		"POST /v1/credit_notes invoice=$invoice&amount=10", "advance 10",
	},
	"a trial that nothing pays for, with an end planned for later": {
		"POST /v1/subscriptions customer=cus_poor&items[0][price]=price_m&trial_period_days=3&cancel_at=1769817600&trial_settings[end_behavior][missing_payment_method]=cancel",
		"advance 5",
	},
	"a customer who is behind, and an invoice that a pause gives up": {
		"POST /v1/subscriptions customer=cus_a&items[0][price]=price_m",
		"POST /v1/subscriptions/$subscription pause_collection[behavior]=mark_uncollectible",
		"POST /v1/invoices customer=cus_a&collection_method=send_invoice&days_until_due=1",
		"POST /v1/invoiceitems customer=cus_a&amount=2000&currency=usd&invoice=$invoice",
		"POST /v1/invoices/$invoice/finalize ", "advance 40",
	},
	"an end planned for when it is paused": {
		"POST /v1/subscriptions customer=cus_poor&items[0][price]=price_m&trial_period_days=3&cancel_at=1767830400&trial_settings[end_behavior][missing_payment_method]=pause",
		"advance 5", "advance 5",
	},
}

// TestStoriesOfSweeps plays what sweeps found, against the twin.
func TestStoriesOfSweeps(t *testing.T) {
	for name, story := range stories {
		t.Run(name, func(t *testing.T) {
			p := newPair(t, storySeed)
			for _, line := range story {
				method, rest, _ := strings.Cut(line, " ")
				if days, err := strconv.ParseInt(rest, 10, 64); err == nil {
					p.advance(p.model.Now() + days*86400)
					continue
				}
				path, form, _ := strings.Cut(p.named(rest), " ")
				if status, body := p.do(method, path, form, ""); status >= 400 && status != 402 {
					t.Fatalf("%s: %d %s", line, status, body)
				}
			}
		})
	}
}

// named puts the newest ids in the places of $table.
func (p *pair) named(line string) string {
	if len(p.ids["subscription"]) > 0 {
		_, rest, _ := strings.Cut(string(p.dump), `"id":"si_`)
		item, _, _ := strings.Cut(rest, `"`)
		line = strings.ReplaceAll(line, "$subscription_item", "si_"+item)
	}
	for _, table := range []string{"subscription", "invoice", "payment_intent", "payment_method"} {
		if ids := p.ids[table]; len(ids) > 0 {
			line = strings.ReplaceAll(line, "$"+table, ids[len(ids)-1])
		}
	}
	return line
}
