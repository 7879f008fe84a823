package stripe_test

import (
	"strings"
	"testing"

	"worlds/projection"
	"worlds/twin"
	"worlds/twin/stripe"
)

// linked lists the versions whose deliveries the tests of kept links compare: one
// a shape, and the first day of each.
var linked = [...]string{"", stripe.Version, "2025-09-30.clover", "2025-06-30.basil", "2025-03-31.basil", "2024-06-20", "2022-11-15"}

// deliveries renders every event that is in the ledger, as its row has it.
func deliveries(st *projection.State) map[string]string {
	out := map[string]string{}
	deliver := stripe.Catalog().Delivery
	for d := range st.OldestDeliveries(0) {
		e := st.EventByID(d.Event)
		out[d.Version+" "+e.Type+" "+e.ID] = string(deliver(st, e, d.Version))
	}
	return out
}

// sameDeliveries compares what was on its way before with the same rows now.
func sameDeliveries(t *testing.T, was, is map[string]string) {
	t.Helper()
	for row, body := range was {
		if is[row] != body {
			t.Errorf("%s was\n%s\nand is\n%s", row, body, is[row])
		}
	}
}

// What changes after an event changes none of its deliveries, in any version.
func TestDeliveriesStand(t *testing.T) {
	for _, version := range linked {
		t.Run(version, func(t *testing.T) {
			r := newRig(t, qaBase)
			hook := twin.HookText(version, []string{"*"})
			tell := func(line string) answer {
				t.Helper()
				words := strings.Fields(line)
				cmd := twin.Command{Actor: "key:1", API: stripe.Name, Method: words[0], Path: words[1], Body: strings.Join(words[2:], "&"), Hooks: hook}
				out := r.machine.Execute(uint64(len(r.ran))+1, &cmd)
				r.ran = append(r.ran, ran{cmd, out})
				if out.Status != 200 {
					t.Fatalf("%s: %d %s", line, out.Status, out.Body)
				}
				return answer{out.Status, out.Body}
			}
			tell("POST /v1/coupons id=SAVE percent_off=10 duration=forever name=before")
			tell("POST /v1/promotion_codes promotion[type]=coupon promotion[coupon]=SAVE code=ONE")
			tell("POST /v1/subscriptions customer=cus_qa02 items[0][price]=price_qa_m discounts[0][coupon]=SAVE collection_method=send_invoice days_until_due=9")
			tell("POST /v1/invoiceitems customer=cus_qa02 pricing[price]=" + tell("POST /v1/prices currency=usd unit_amount=700 product_data[name]=Extra nickname=before").get("id"))
			tell("POST /v1/invoices/in_qa02 metadata[a]=b")
			tell("POST /v1/invoices/in_qa02/pay")
			first := deliveries(r.machine.State)
			if len(first) < 12 {
				t.Fatalf("only %d deliveries", len(first))
			}

			r.ok("POST /v1/prices/price_qa_m nickname=after")
			r.ok("POST /v1/coupons/SAVE name=after")
			r.ok("DELETE /v1/coupons/SAVE")
			r.ok("DELETE /v1/subscriptions/" + r.ok("GET /v1/subscriptions?customer=cus_qa02").get("data.0.id"))
			r.ok("POST /v1/refunds charge=" + r.ok("GET /v1/charges?customer=cus_qa02").get("data.0.id"))
			sameDeliveries(t, first, deliveries(r.machine.State))
		})
	}
}

// An endpoint that came after an event gets it, when it is sent again, as it is
// then, and always so from there on; one that was there gets it as it was.
func TestResentDeliveriesStand(t *testing.T) {
	r := newRig(t, qaBase)
	r.hooked("POST /v1/invoices/in_qa02 metadata[a]=b")
	event := r.ok("GET /v1/events?type=invoice.updated").get("data.0.id")
	resend := func(version string) {
		t.Helper()
		cmd := twin.Command{Op: "resend", Args: twin.ResendArgs(event, ""), Hooks: twin.HookText(version, []string{"*"})}
		if out := r.machine.Execute(uint64(len(r.ran))+1, &cmd); out.Status != 200 {
			t.Fatalf("%s", out.Body)
		} else {
			r.ran = append(r.ran, ran{cmd, out})
		}
	}
	r.ok("POST /v1/prices/price_qa_m nickname=between")
	resend("2024-06-20")
	first := deliveries(r.machine.State)
	r.ok("POST /v1/invoices/in_qa02/pay")
	r.ok("POST /v1/prices/price_qa_m nickname=after")
	resend("2024-06-20")
	resend("2025-06-30.basil")
	sameDeliveries(t, first, deliveries(r.machine.State))
}
