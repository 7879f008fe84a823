package testscripts

import (
	"fmt"

	"worlds/journal/canon"
	"worlds/projection"
)

// Book checks the sums of money in a state and the references between objects,
// and returns what does not add up. It reads the stored objects as any reader of
// a dump would, and shares no code with the twins.
func Book(st *projection.State) []string {
	b := &book{st: st}
	for _, table := range st.Tables() {
		for row := range st.Oldest(table, 0) {
			b.row = row
			switch table {
			case "stripe.invoice":
				b.invoice()
			case "stripe.charge":
				b.charge()
			case "stripe.balance_transaction":
				b.equal("net = amount - fee", b.int("net"), b.int("amount")-b.int("fee"))
			case "stripe.refund":
				b.reference("charge", "stripe.charge")
			}
			b.reference("customer", "stripe.customer")
			b.reference("payment_intent", "stripe.payment_intent")
			b.reference("latest_charge", "stripe.charge")
			b.reference("invoice", "stripe.invoice")
		}
	}
	b.refunds()
	return b.faults
}

type book struct {
	st     *projection.State
	row    *projection.Row
	faults []string
}

func (b *book) fail(format string, args ...any) {
	b.faults = append(b.faults, b.row.ID+": "+fmt.Sprintf(format, args...))
}

func (b *book) int(name string) int64 {
	raw, _ := canon.Get(b.row.Body, name)
	n, _ := canon.Int(raw)
	return n
}

func (b *book) text(name string) string {
	raw, _ := canon.Get(b.row.Body, name)
	s, _ := canon.Unquote(raw)
	return s
}

func (b *book) equal(law string, got, want int64) {
	if got != want {
		b.fail("%s: %d, not %d", law, got, want)
	}
}

// reference checks that an id the row names is there.
func (b *book) reference(name, table string) {
	if id := b.text(name); id != "" && b.st.Get(table, id) == nil {
		b.fail("%s %s is not there", name, id)
	}
}

func (b *book) invoice() {
	due, paid := b.int("amount_due"), b.int("amount_paid")
	remaining := b.int("amount_remaining")
	status := b.text("status")
	if remaining < 0 || paid < 0 || due < 0 {
		b.fail("amounts below zero: due %d, paid %d, remaining %d", due, paid, remaining)
	}
	b.equal("amount_remaining = amount_due - amount_paid", remaining, due-paid)
	transitions, _ := canon.Get(b.row.Body, "status_transitions")
	at, _ := canon.Get(transitions, "paid_at")
	if (status == "paid") != (string(at) != "null") {
		b.fail("status %s with paid_at %s", status, at)
	}
	if (status == "draft") != (b.text("number") == "") {
		b.fail("status %s with number %q", status, b.text("number"))
	}
}

func (b *book) charge() {
	amount, refunded := b.int("amount"), b.int("amount_refunded")
	if refunded < 0 || refunded > amount {
		b.fail("refunded %d of %d", refunded, amount)
	}
	whole, _ := canon.Get(b.row.Body, "refunded")
	if (refunded == amount && amount > 0) != (string(whole) == "true") {
		b.fail("refunded %d of %d with refunded %s", refunded, amount, whole)
	}
}

// refunds checks that no charge has more refunds than amount_refunded says.
// Refunds from before the world began are part of the latter only.
func (b *book) refunds() {
	sums := map[string]int64{}
	for row := range b.st.Oldest("stripe.refund", 0) {
		b.row = row
		if s := b.text("status"); s == "succeeded" || s == "pending" {
			sums[b.text("charge")] += b.int("amount")
		}
	}
	for row := range b.st.Oldest("stripe.charge", 0) {
		b.row = row
		if sums[row.ID] > b.int("amount_refunded") {
			b.fail("refunds of %d with amount_refunded %d", sums[row.ID], b.int("amount_refunded"))
		}
	}
}
