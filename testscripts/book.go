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
			case "stripe.customer":
				b.balance()
			case "stripe.credit_note":
				b.creditNote()
			}
			b.reference("customer", "stripe.customer")
			b.reference("payment_intent", "stripe.payment_intent")
			b.reference("latest_charge", "stripe.charge")
			if table != "stripe.invoice_item" && table != "stripe.discount" { // which outlive a deleted draft
				b.reference("invoice", "stripe.invoice")
			}
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
	b.lines()
	notes := b.notes()
	b.equal("pre_payment_credit_notes_amount", b.int("pre_payment_credit_notes_amount"), notes[0])
	b.equal("post_payment_credit_notes_amount", b.int("post_payment_credit_notes_amount"), notes[1])
	if status != "draft" {
		b.equal("amount_due = total + starting_balance - ending_balance - pre-payment credit notes",
			due, b.int("total")+b.int("starting_balance")-b.int("ending_balance")-notes[0])
	}
}

// lines checks the sums of an invoice: those of its lines make the subtotal, and
// what the discounts take off makes the total.
func (b *book) lines() {
	var amounts, before, off, count int64
	add := func(line canon.Raw) {
		amounts, before, count = amounts+number(line, "amount"), before+number(line, "subtotal"), count+1
	}
	list, _ := canon.Get(b.row.Body, "lines")
	data, _ := canon.Get(list, "data")
	for line := range canon.Elements(data) {
		add(line)
	}
	for row := range b.st.OldestWith("stripe.line", "invoice="+b.row.ID, 0) {
		add(row.Body)
	}
	discounts, _ := canon.Get(b.row.Body, "total_discount_amounts")
	for d := range canon.Elements(discounts) {
		off += number(d, "amount")
	}
	b.equal("subtotal = the lines", b.int("subtotal"), amounts)
	b.equal("total = the lines before discounts, less the discounts", b.int("total"), before-off)
	b.equal("lines.total_count", number(list, "total_count"), count)
}

// notes are what the credit notes of an invoice take off before and after payment.
// All of them together take back no more than its total, but for refunds, which the
// charges bound.
func (b *book) notes() (sums [2]int64) {
	var free int64
	for row := range b.st.OldestWith("stripe.credit_note", "invoice="+b.row.ID, 0) {
		if status, _ := canon.Get(row.Body, "status"); string(status) == `"void"` {
			continue
		}
		sums[0] += number(row.Body, "pre_payment_amount")
		sums[1] += number(row.Body, "post_payment_amount")
		free += number(row.Body, "total")
		refunds, _ := canon.Get(row.Body, "refunds")
		for r := range canon.Elements(refunds) {
			free -= number(r, "amount_refunded")
		}
	}
	if free > max(b.int("total"), 0) {
		b.fail("credit notes of %d for a total of %d", free, b.int("total"))
	}
	return sums
}

// creditNote checks that a note accounts for all that it takes back.
func (b *book) creditNote() {
	given := b.int("out_of_band_amount")
	refunds, _ := canon.Get(b.row.Body, "refunds")
	for r := range canon.Elements(refunds) {
		given += number(r, "amount_refunded")
	}
	if row := b.st.Get("stripe.customer_balance_transaction", b.text("customer_balance_transaction")); row != nil {
		given -= number(row.Body, "amount")
	}
	b.equal("post_payment_amount = what was given", b.int("post_payment_amount"), given)
	b.equal("total = pre_payment_amount + post_payment_amount", b.int("total"), b.int("pre_payment_amount")+b.int("post_payment_amount"))
	b.equal("total = subtotal - discount_amount", b.int("total"), b.int("subtotal")-b.int("discount_amount"))
}

// balance checks that a customer's balance is the sum of its movements.
func (b *book) balance() {
	if b.row.Terms == nil { // deleted
		return
	}
	var sum int64
	for row := range b.st.OldestWith("stripe.customer_balance_transaction", "customer="+b.row.ID, 0) {
		sum += number(row.Body, "amount")
	}
	b.equal("balance = its movements", b.int("balance"), sum)
}

// number is an integer member of an object, 0 when it is null or absent.
func number(object canon.Raw, name string) int64 {
	raw, _ := canon.Get(object, name)
	n, _ := canon.Int(raw)
	return n
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
