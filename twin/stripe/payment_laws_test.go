package stripe_test

import (
	"fmt"
	"math/rand"
	"testing"
)

// payer does things with money at random and keeps a book of its own: what each
// charge took, gave back and lost, as the answers say.
type payer struct {
	*rig
	rand    *rand.Rand
	charges map[string]*account
	ids     []string
	intents []string
	credit  int64
}

// account is what the payer knows of a charge.
type account struct{ taken, back, lost, fees int64 }

func (p *payer) pick(list ...string) string { return list[p.rand.Intn(len(list))] }

func (p *payer) card() string {
	return p.pick("visa", "mastercard", "chargeDeclined", "authenticationRequired", "createDispute", "createDisputeInquiry", "pendingRefund", "visa")
}

// fee is what a payment costs, worked out another way than the twin does.
func fee(amount int64) int64 {
	thousandths := amount * 29
	fee := thousandths / 1000
	if thousandths%1000 >= 500 {
		fee++
	}
	return fee + 30
}

// see takes note of a charge.
func (p *payer) see(id, card string) {
	ch := p.ok("GET /v1/charges/" + id)
	if p.charges[id] == nil {
		p.charges[id] = &account{}
		p.ids = append(p.ids, id)
	}
	a := p.charges[id]
	a.taken = ch.int("amount_captured")
	if a.taken > 0 {
		a.fees = fee(a.taken)
	}
	if d := p.ok("GET /v1/disputes charge=" + id); d.get("data.0.status") == "needs_response" {
		a.lost = a.taken + 1500
	}
}

// step does one thing.
func (p *payer) step() {
	amount := 50 + p.rand.Intn(5000)
	switch p.rand.Intn(9) {
	case 0:
		card := p.card()
		a := p.do(fmt.Sprintf("POST /v1/charges amount=%d currency=usd source=tok_%s capture=%s", amount, card, p.pick("true", "false", "true")))
		if a.Status == 200 {
			p.see(a.get("id"), card)
		}
	case 1:
		a := p.do(fmt.Sprintf("POST /v1/payment_intents amount=%d currency=usd capture_method=%s customer=cus_qa01 payment_method=pm_card_%s confirm=%s setup_future_usage=%s",
			amount, p.pick("automatic", "manual"), p.card(), p.pick("true", "false"), p.pick("off_session", "on_session")))
		id := a.get("id") + a.get("error.payment_intent.id")
		p.intents = append(p.intents, id)
		if ch := a.get("latest_charge"); ch != "" && ch != "null" {
			p.see(ch, "")
		}
	case 2, 3:
		if len(p.intents) == 0 {
			return
		}
		verb := p.pick("/confirm payment_method=pm_card_"+p.card(), fmt.Sprintf("/capture amount_to_capture=%d", amount), "/capture", "/cancel", fmt.Sprintf(" amount=%d", amount))
		a := p.do("POST /v1/payment_intents/" + p.pick(p.intents...) + verb)
		if ch := a.get("latest_charge"); ch != "" && ch != "null" {
			p.see(ch, "")
		}
	case 4, 5:
		if len(p.ids) == 0 {
			return
		}
		id := p.pick(p.ids...)
		re := p.do(fmt.Sprintf("POST /v1/refunds charge=%s amount=%d", id, 1+p.rand.Intn(amount)))
		if re.Status == 200 && re.get("balance_transaction") != "null" {
			p.charges[id].back += re.int("amount")
		}
	case 6:
		by := p.rand.Intn(2000) - 1000
		p.ok(fmt.Sprintf("POST %s amount=%d currency=usd", ledger, by))
		p.credit += int64(by)
	case 7:
		p.by(p.rand.Float64())
	case 8:
		d := p.ok("GET /v1/disputes limit=1")
		if d.get("data.0.status") == "needs_response" {
			a := p.ok("POST /v1/disputes/" + d.get("data.0.id") + " evidence[uncategorized_text]=" + p.pick("winning_evidence", "losing_evidence"))
			if a.get("status") == "won" {
				p.charges[a.get("charge")].lost = 1500
			}
		}
	}
}

// Whatever is done with cards, the account has what the answers say it has, and
// the customer the credit that was given.
func TestPaymentsAtRandom(t *testing.T) {
	for seed := range int64(4) {
		p := &payer{rig: newRig(t, qaBase), rand: rand.New(rand.NewSource(seed)), charges: map[string]*account{}}
		for range 250 {
			p.step()
		}
		want := 4000 - fee(4000) // what the seed's customer paid
		for _, a := range p.charges {
			want += a.taken - a.fees - a.back - a.lost
		}
		var got int64
		b := p.ok("GET /v1/balance")
		for i := range 3 {
			for _, half := range []string{"available", "pending"} {
				if at := fmt.Sprintf("%s.%d", half, i); b.get(at+".currency") == "usd" {
					got += b.int(at + ".amount")
				}
			}
		}
		if got != want {
			t.Errorf("seed %d: a balance of %d, the answers add up to %d", seed, got, want)
		}
		if c := p.ok("GET /v1/customers/cus_qa01"); c.int("balance") != p.credit {
			t.Errorf("seed %d: credit of %d, given %d", seed, c.int("balance"), p.credit)
		}
	}
}
