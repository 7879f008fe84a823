package invariant

import "worlds/journal/canon"

// sums checks the money of what the entry touched, with the sums it is part of.
func (c *Checker) sums() {
	todo := map[*row]bool{}
	for _, r := range c.step.changed {
		for _, one := range [...]*row{c.fold.get(r.table, r.id), c.parent(r)} {
			if one != nil && !todo[one] {
				todo[one] = true
				c.sum(one)
			}
		}
	}
}

// parent is the row whose sums an image is a part of, nil for none.
func (c *Checker) parent(r *row) *row {
	image := r
	if !r.there() {
		image = r.was
	}
	if !image.there() {
		return nil
	}
	switch r.table {
	case "stripe.refund":
		return c.fold.get("stripe.charge", text(image.body, "charge"))
	case "stripe.line", "stripe.credit_note":
		return c.fold.get("stripe.invoice", text(image.body, "invoice"))
	case "stripe.customer_balance_transaction":
		return c.fold.get("stripe.customer", text(image.body, "customer"))
	}
	return nil
}

// sum checks one row.
func (c *Checker) sum(r *row) {
	switch r.table {
	case "stripe.invoice":
		c.invoice(r)
	case "stripe.charge":
		c.charge(r)
	case "stripe.balance_transaction":
		c.equal("money.net", r, "net = amount - fee", number(r.body, "net"), number(r.body, "amount")-number(r.body, "fee"))
	case "stripe.customer":
		c.balance(r)
	case "stripe.credit_note":
		c.creditNote(r)
	}
	c.currency(r)
}

func (c *Checker) equal(id string, r *row, law string, got, want int64) {
	if got != want {
		c.failRow(id, r, "%s: %d, not %d", law, got, want)
	}
}

const invoiceTotals = "money.invoice-totals"

func (c *Checker) invoice(r *row) {
	due, paid, remaining := number(r.body, "amount_due"), number(r.body, "amount_paid"), number(r.body, "amount_remaining")
	status := text(r.body, "status")
	if remaining < 0 || paid < 0 || due < 0 {
		c.failRow(invoiceTotals, r, "amounts below zero: due %d, paid %d, remaining %d", due, paid, remaining)
	}
	c.equal(invoiceTotals, r, "amount_remaining = amount_due - amount_paid", remaining, due-paid)
	at := member(r.body, "status_transitions", "paid_at")
	if (status == "paid") == isNull(at) {
		c.failRow(invoiceTotals, r, "status %s with paid_at %s", status, at)
	}
	if (status == "draft") != (text(r.body, "number") == "") {
		c.failRow(invoiceTotals, r, "status %s with number %q", status, text(r.body, "number"))
	}
	c.lines(r)
	notes := c.notes(r)
	c.equal(invoiceTotals, r, "pre_payment_credit_notes_amount", number(r.body, "pre_payment_credit_notes_amount"), notes[0])
	c.equal(invoiceTotals, r, "post_payment_credit_notes_amount", number(r.body, "post_payment_credit_notes_amount"), notes[1])
	if status != "draft" {
		c.equal(invoiceTotals, r, "amount_due = total + starting_balance - ending_balance - pre-payment credit notes",
			due, number(r.body, "total")+number(r.body, "starting_balance")-number(r.body, "ending_balance")-notes[0])
	}
}

// lines checks the sums of an invoice: those of its lines make the subtotal, and
// what the discounts take off makes the total.
func (c *Checker) lines(r *row) {
	var amounts, before, off, count int64
	add := func(line canon.Raw) {
		amounts, before, count = amounts+number(line, "amount"), before+number(line, "subtotal"), count+1
	}
	list := member(r.body, "lines")
	for line := range canon.Elements(member(list, "data")) {
		add(line)
	}
	for line := range c.fold.of("stripe.line", r.id) {
		add(line.body)
	}
	for d := range canon.Elements(member(r.body, "total_discount_amounts")) {
		off += number(d, "amount")
	}
	c.equal(invoiceTotals, r, "subtotal = the lines", number(r.body, "subtotal"), amounts)
	c.equal(invoiceTotals, r, "total = the lines before discounts, less the discounts", number(r.body, "total"), before-off)
	c.equal(invoiceTotals, r, "lines.total_count", number(list, "total_count"), count)
}

// notes are what the credit notes of an invoice take off before and after payment.
// All of them together take back no more than its total, but for refunds, which the
// charges bound.
func (c *Checker) notes(r *row) (sums [2]int64) {
	var free int64
	for note := range c.fold.of("stripe.credit_note", r.id) {
		if text(note.body, "status") == "void" {
			continue
		}
		sums[0] += number(note.body, "pre_payment_amount")
		sums[1] += number(note.body, "post_payment_amount")
		free += number(note.body, "total")
		for refund := range canon.Elements(member(note.body, "refunds")) {
			free -= number(refund, "amount_refunded")
		}
	}
	if total := number(r.body, "total"); free > max(total, 0) {
		c.failRow("money.credit-notes", r, "credit notes of %d for a total of %d", free, total)
	}
	return sums
}

// creditNote checks that a note accounts for all that it takes back.
func (c *Checker) creditNote(r *row) {
	const id = "money.credit-notes"
	given := number(r.body, "out_of_band_amount")
	for refund := range canon.Elements(member(r.body, "refunds")) {
		given += number(refund, "amount_refunded")
	}
	if moved := c.fold.get("stripe.customer_balance_transaction", text(r.body, "customer_balance_transaction")); moved != nil {
		given -= number(moved.body, "amount")
	}
	c.equal(id, r, "post_payment_amount = what was given", number(r.body, "post_payment_amount"), given)
	c.equal(id, r, "total = pre_payment_amount + post_payment_amount", number(r.body, "total"),
		number(r.body, "pre_payment_amount")+number(r.body, "post_payment_amount"))
	c.equal(id, r, "total = subtotal - discount_amount", number(r.body, "total"), number(r.body, "subtotal")-number(r.body, "discount_amount"))
}

// balance checks that a customer's balance is the sum of its movements.
func (c *Checker) balance(r *row) {
	if string(member(r.body, "deleted")) == "true" {
		return
	}
	var sum int64
	for moved := range c.fold.of("stripe.customer_balance_transaction", r.id) {
		sum += number(moved.body, "amount")
	}
	c.equal("money.balance", r, "balance = its movements", number(r.body, "balance"), sum)
}

// charge checks that no more goes back than came in. Refunds from before the world
// began are part of amount_refunded only.
func (c *Checker) charge(r *row) {
	const id = "money.charge≥refunded"
	amount, refunded := number(r.body, "amount"), number(r.body, "amount_refunded")
	whole := string(member(r.body, "refunded"))
	if refunded < 0 || refunded > amount {
		c.failRow(id, r, "refunded %d of %d", refunded, amount)
	}
	if (refunded == amount && amount > 0) != (whole == "true") {
		c.failRow(id, r, "refunded %d of %d with refunded %s", refunded, amount, whole)
	}
	var sum int64
	for refund := range c.fold.of("stripe.refund", r.id) {
		if s := text(refund.body, "status"); s == "succeeded" || s == "pending" || s == "requires_action" {
			sum += number(refund.body, "amount")
		}
	}
	if seeded := c.firstSeq(r) == 0; sum > refunded || !seeded && sum != refunded {
		c.failRow(id, r, "refunds of %d with amount_refunded %d", sum, refunded)
	}
}

// same names, for each table, the members that name an object of the same currency.
var same = map[string]map[string]string{
	"stripe.charge":          {"payment_intent": "stripe.payment_intent"},
	"stripe.refund":          {"charge": "stripe.charge"},
	"stripe.invoice_payment": {"invoice": "stripe.invoice"},
	"stripe.credit_note":     {"invoice": "stripe.invoice"},
	"stripe.dispute":         {"charge": "stripe.charge"},
}

// currency checks that money meets money of its kind only.
func (c *Checker) currency(r *row) {
	const id = "money.currency-consistent"
	own := text(r.body, "currency")
	for name, table := range same[r.table] {
		other := c.fold.get(table, text(r.body, name))
		tried := name == "payment_intent" && text(r.body, "status") == "failed" // an intent may change its currency after that
		if other == nil || tried {
			continue
		}
		if currency := text(other.body, "currency"); currency != own {
			c.failRow(id, r, "it is in %s, its %s in %s", own, name, currency)
		}
	}
	if r.table != "stripe.invoice" {
		return
	}
	for line := range canon.Elements(member(r.body, "lines", "data")) {
		if currency := text(line, "currency"); currency != own {
			c.failRow(id, r, "it is in %s, line %s in %s", own, text(line, "id"), currency)
		}
	}
}
