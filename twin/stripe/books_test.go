package stripe_test

import (
	"fmt"
	"strings"
)

// books checks what must hold of balances, charges, refunds, disputes, intents and
// balance transactions in any state; every rig does it at the end.
func (r *rig) books() {
	r.t.Helper()
	r.bills()
	r.ledgers()
	r.intents()
	b := r.entries()
	refunded := map[string]int64{}
	for _, inv := range r.seed.Document.Data.Invoices {
		for _, ch := range inv.Charges {
			refunded[ch.ID] = ch.AmountRefunded
		}
	}
	for _, re := range r.rows("stripe.refund") {
		if re.get("status") != "failed" {
			refunded[re.get("charge")] += re.int("amount")
		}
		got := b.plain[re.get("id")] + b.failed[re.get("id")]
		switch {
		case re.get("status") == "failed" && got == 0: // given back, and come back
		case re.get("balance_transaction") == "null" && got == 0: // held, and let go
		case got != -re.int("amount"):
			r.t.Errorf("%s of %d is booked as %d", re.get("id"), re.int("amount"), got)
		}
		delete(b.plain, re.get("id"))
	}
	for _, ch := range r.rows("stripe.charge") {
		r.booked(ch, refunded[ch.get("id")], b.plain)
		delete(b.plain, ch.get("id"))
	}
	for _, d := range r.rows("stripe.dispute") {
		want := -d.int("amount")
		if strings.HasPrefix(d.get("status"), "warning_") || d.get("status") == "won" {
			want = 0
		}
		if b.disputed[d.get("id")] != want {
			r.t.Errorf("%s (%s) of %d is booked as %d", d.get("id"), d.get("status"), d.int("amount"), b.disputed[d.get("id")])
		}
		delete(b.disputed, d.get("id"))
	}
	for source := range b.disputed {
		r.t.Errorf("%s is booked and does not exist", source)
	}
	for source := range b.plain {
		r.t.Errorf("%s is booked and does not exist", source)
	}
}

// booking is what the account's balance was moved by, by what moved it.
type booking struct{ plain, failed, disputed map[string]int64 }

// entries reads the balance transactions and checks each.
func (r *rig) entries() booking {
	b := booking{map[string]int64{}, map[string]int64{}, map[string]int64{}}
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
		switch source := e.get("source"); {
		case source == "null": // of a refund before the world began
		case e.get("type") == "refund_failure":
			b.failed[source] = e.int("amount")
		case e.get("type") == "adjustment":
			b.disputed[source] += e.int("amount")
		default:
			if _, twice := b.plain[source]; twice {
				r.t.Errorf("%s is booked twice", source)
			}
			b.plain[source] = e.int("amount")
		}
	}
	return b
}

// ledgers checks that the rows of each customer's balance explain it.
func (r *rig) ledgers() {
	sums := map[string]int64{}
	for _, b := range r.rows("stripe.customer_balance_transaction") {
		sums[b.get("customer")] += b.int("amount")
		if b.int("ending_balance") != sums[b.get("customer")] {
			r.t.Errorf("%s: ends at %s, the rows so far at %d", b.get("id"), b.get("ending_balance"), sums[b.get("customer")])
		}
	}
	for _, c := range r.rows("stripe.customer") {
		if c.get("deleted") == "" && c.int("balance") != sums[c.get("id")] {
			r.t.Errorf("%s: a balance of %s, explained by %d", c.get("id"), c.get("balance"), sums[c.get("id")])
		}
	}
}

// intents checks what payment intents say of their charges.
func (r *rig) intents() {
	for _, pi := range r.rows("stripe.payment_intent") {
		latest := pi.get("latest_charge")
		row := r.machine.State.Get("stripe.charge", latest)
		switch {
		case latest != "null" && (row == nil || answer{Body: row.Body}.get("payment_intent") != pi.get("id")):
			r.t.Errorf("%s: its latest charge is %s", pi.get("id"), latest)
		case pi.get("status") == "succeeded" && pi.get("capture_method") != "manual" && pi.int("amount_received") != pi.int("amount"),
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
	captured := ch.get("captured") == "true"
	if got, booked := entries[ch.get("id")]; booked != captured || captured && got != ch.int("amount_captured") || booked != (ch.get("balance_transaction") != "null") {
		r.t.Errorf("%s (%s) of %d is booked as %d", ch.get("id"), ch.get("status"), amount, got)
	}
	if (ch.get("paid") == "true") != paid || captured && !paid || (ch.get("failure_code") == "null") != paid || captured != (ch.int("amount_captured") > 0) {
		r.t.Errorf("%s is %s", ch.get("id"), ch.Body)
	}
}
