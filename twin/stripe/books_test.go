package stripe_test

import "fmt"

// books checks what must hold of charges, refunds, intents and balance
// transactions in any state; every rig does it at the end.
func (r *rig) books() {
	r.t.Helper()
	refunded := map[string]int64{}
	for _, inv := range r.seed.Document.Data.Invoices {
		for _, ch := range inv.Charges {
			refunded[ch.ID] = ch.AmountRefunded
		}
	}
	ledger := map[string]int64{}
	for _, b := range r.rows("stripe.customer_balance_transaction") {
		ledger[b.get("customer")] += b.int("amount")
		if b.int("ending_balance") != ledger[b.get("customer")] {
			r.t.Errorf("%s: ends at %s, the rows so far at %d", b.get("id"), b.get("ending_balance"), ledger[b.get("customer")])
		}
	}
	for _, c := range r.rows("stripe.customer") {
		if c.get("deleted") == "" && c.int("balance") != ledger[c.get("id")] {
			r.t.Errorf("%s: a balance of %s, explained by %d", c.get("id"), c.get("balance"), ledger[c.get("id")])
		}
	}
	entries := map[string]int64{}
	for _, e := range r.rows("stripe.balance_transaction") {
		if e.int("net") != e.int("amount")-e.int("fee") {
			r.t.Errorf("%s: net %d of %d less %d", e.get("id"), e.int("net"), e.int("amount"), e.int("fee"))
		}
		var fees int64
		for i := 0; e.get(fmt.Sprintf("fee_details.%d.amount", i)) != ""; i++ {
			fees += e.int(fmt.Sprintf("fee_details.%d.amount", i))
		}
		if fees != e.int("fee") {
			r.t.Errorf("%s: fees of %d explain a fee of %d", e.get("id"), fees, e.int("fee"))
		}
		if _, twice := entries[e.get("source")]; twice {
			r.t.Errorf("%s is booked twice", e.get("source"))
		}
		entries[e.get("source")] = e.int("amount")
	}
	for _, re := range r.rows("stripe.refund") {
		refunded[re.get("charge")] += re.int("amount")
		if got := entries[re.get("id")]; got != -re.int("amount") || got == 0 {
			r.t.Errorf("%s of %d is booked as %d", re.get("id"), re.int("amount"), got)
		}
		delete(entries, re.get("id"))
	}
	for _, ch := range r.rows("stripe.charge") {
		r.booked(ch, refunded[ch.get("id")], entries)
		delete(entries, ch.get("id"))
	}
	for source := range entries {
		r.t.Errorf("%s is booked and does not exist", source)
	}
	for _, pi := range r.rows("stripe.payment_intent") {
		latest := pi.get("latest_charge")
		row := r.machine.State.Get("stripe.charge", latest)
		switch {
		case latest != "null" && (row == nil || answer{Body: row.Body}.get("payment_intent") != pi.get("id")):
			r.t.Errorf("%s: its latest charge is %s", pi.get("id"), latest)
		case pi.get("status") == "succeeded" && pi.int("amount_received") != pi.int("amount"),
			pi.get("status") != "succeeded" && pi.int("amount_received") != 0:
			r.t.Errorf("%s (%s): received %d of %d", pi.get("id"), pi.get("status"), pi.int("amount_received"), pi.int("amount"))
		}
	}
}

// booked checks one charge against what was refunded of it and the balance.
func (r *rig) booked(ch answer, refunded int64, entries map[string]int64) {
	r.t.Helper()
	amount, paid := ch.int("amount"), ch.get("status") == "succeeded"
	if ch.int("amount_refunded") != refunded || refunded > amount || (ch.get("refunded") == "true") != (refunded == amount) {
		r.t.Errorf("%s of %d: %d refunded (%s), refunds of %d", ch.get("id"), amount, ch.int("amount_refunded"), ch.get("refunded"), refunded)
	}
	if got, booked := entries[ch.get("id")]; booked != paid || paid && got != amount || booked != (ch.get("balance_transaction") != "null") {
		r.t.Errorf("%s (%s) of %d is booked as %d", ch.get("id"), ch.get("status"), amount, got)
	}
	if (ch.get("paid") == "true") != paid || (ch.get("captured") == "true") != paid || (ch.get("failure_code") == "null") != paid {
		r.t.Errorf("%s is %s", ch.get("id"), ch.Body)
	}
}
