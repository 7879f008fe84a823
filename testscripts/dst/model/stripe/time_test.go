package stripe_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"worlds/seed"
	"worlds/testscripts/dst/model"
)

// timedActs are what may be done to a subscription, or what belongs to it, before time goes
// on. $sub, $item, $cus and $in are the ids of it, its item, its customer and its latest
// invoice; $pm is the newest payment method.
var timedActs = []string{
	"POST /v1/subscriptions/$sub cancel_at_period_end=true",
	"POST /v1/subscriptions/$sub cancel_at_period_end=false",
	"POST /v1/subscriptions/$sub cancel_at=1768100000",
	"POST /v1/subscriptions/$sub cancel_at=1769000000",
	"POST /v1/subscriptions/$sub pause_collection[behavior]=void",
	"POST /v1/subscriptions/$sub pause_collection[behavior]=keep_as_draft&pause_collection[resumes_at]=1768000000",
	"POST /v1/subscriptions/$sub pause_collection[behavior]=mark_uncollectible&pause_collection[resumes_at]=1769904000",
	"POST /v1/subscriptions/$sub items[0][id]=$item&items[0][quantity]=3",
	"POST /v1/subscriptions/$sub items[0][id]=$item&items[0][quantity]=3&proration_behavior=always_invoice",
	"POST /v1/subscriptions/$sub items[0][id]=$item&items[0][quantity]=2&proration_behavior=always_invoice&payment_behavior=default_incomplete",
	"POST /v1/subscriptions/$sub items[0][id]=$item&items[0][price]=price_edge_2w&payment_behavior=default_incomplete",
	"POST /v1/subscriptions/$sub items[0][id]=$item&items[0][price]=price_edge_2w&payment_behavior=error_if_incomplete",
	"POST /v1/subscriptions/$sub items[0][id]=$item&items[0][price]=price_edge_3y",
	"POST /v1/subscriptions/$sub billing_cycle_anchor=now&proration_behavior=none",
	"POST /v1/subscriptions/$sub trial_settings[end_behavior][missing_payment_method]=pause",
	"POST /v1/subscriptions/$sub trial_settings[end_behavior][missing_payment_method]=cancel",
	"POST /v1/subscriptions/$sub default_payment_method=",
	"DELETE /v1/subscriptions/$sub ",
	"DELETE /v1/subscriptions/$sub prorate=true",
	"DELETE /v1/subscriptions/$sub invoice_now=true",
	"DELETE /v1/subscriptions/$sub prorate=true&invoice_now=true",
	"POST /v1/subscriptions/$sub/resume ",
	"POST /v1/subscriptions/$sub/resume billing_cycle_anchor=unchanged",
	"POST /v1/subscriptions customer=$cus&items[0][price]=price_edge_2w&trial_period_days=2&cancel_at_period_end=true",
	"POST /v1/subscriptions customer=$cus&items[0][price]=price_edge_2w&payment_behavior=default_incomplete",
	"POST /v1/subscriptions customer=$cus&items[0][price]=price_edge_2w&collection_method=send_invoice&days_until_due=2",
	"POST /v1/invoices/$in/pay ",
	"POST /v1/invoices/$in/pay payment_method=pm_card_visa",
	"POST /v1/invoices/$in/pay paid_out_of_band=true",
	"POST /v1/invoices/$in/void ",
	"POST /v1/invoices/$in/mark_uncollectible ",
	"POST /v1/credit_notes invoice=$in&amount=5",
	"POST /v1/invoiceitems customer=$cus&currency=usd&amount=700",
	"POST /v1/invoiceitems customer=$cus&currency=usd&amount=-2500",
	"POST /v1/customers/$cus balance=-500",
	"POST /v1/customers/$cus balance=1500",
	"POST /v1/customers/$cus invoice_settings[default_payment_method]=",
	"POST /v1/payment_methods/pm_card_authenticationRequired/attach customer=$cus",
	"POST /v1/payment_methods/pm_card_chargeCustomerFail/attach customer=$cus",
	"POST /v1/payment_methods/pm_card_visa/attach customer=$cus",
	"POST /v1/customers/$cus invoice_settings[default_payment_method]=$pm",
	"DELETE /v1/customers/$cus ",
}

// TestWhatTimeMakesOfActs does two acts to each subscription of a seed that has them in
// all states, the first in turn and the second by lot, on days that are drawn, and sees
// what time makes of them.
func TestWhatTimeMakesOfActs(t *testing.T) {
	doc, err := seed.Lookup("billing-edges")
	if err != nil {
		t.Fatal(err)
	}
	base := bound("WORLDS_MODEL_BASE", 0)
	for n := base; n < base+bound("WORLDS_MODEL_SEEDS", 3); n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			p, r := newPair(t, string(doc.Canonical)), rand.New(rand.NewPCG(uint64(n), 0))
			p.pass(int64(r.IntN(9)))
			for turn := range 2 {
				for sub := 1; sub <= subscriptions; sub++ {
					which := n*subscriptions + sub
					if turn == 1 {
						which = r.IntN(len(timedActs))
					}
					p.act(timedActs[which%len(timedActs)], sub)
				}
				p.pass(int64(r.IntN(4)))
			}
			p.pass(1, 3, 10, 40)
		})
	}
}

// subscriptions is how many the seed has, numbered from 1.
const subscriptions = 34

// pass lets days go by.
func (p *pair) pass(days ...int64) {
	p.t.Helper()
	for _, n := range days {
		p.advance(p.model.Now() + n*86400)
	}
}

// act does an act to the subscription of a number, if there is what it needs.
func (p *pair) act(line string, number int) {
	p.t.Helper()
	id := fmt.Sprintf("sub_edge%04d", number)
	_, body := p.send(model.Op{API: "stripe", Method: "GET", Path: "/v1/subscriptions/" + id})
	v, err := model.Parse(body)
	if err != nil {
		p.t.Fatal(err)
	}
	names := map[string]string{"$sub": id, "$cus": fmt.Sprintf("cus_edge%04d", number), "$in": v.Get("latest_invoice").Text,
		"$item": v.Get("items").Get("data").List[0].Get("id").Text, "$pm": "pm_none"}
	if pms := p.ids["payment_method"]; len(pms) > 0 {
		names["$pm"] = pms[len(pms)-1]
	}
	for name, id := range names {
		if strings.Contains(line, name) && id == "" {
			return
		}
		line = strings.ReplaceAll(line, name, id)
	}
	method, rest, _ := strings.Cut(line, " ")
	path, form, _ := strings.Cut(rest, " ")
	p.do(method, path, form, "")
}
