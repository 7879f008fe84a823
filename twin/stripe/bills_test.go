package stripe_test

import "fmt"

// bills checks what must hold of invoices, their lines, discounts and credit notes
// in any state; every rig does it at the end.
func (r *rig) bills() {
	r.t.Helper()
	pre, post, taken := map[string]int64{}, map[string]int64{}, map[string]int64{}
	explained := map[string]int64{} // refunds that credit notes explain, by invoice
	for _, n := range r.rows("stripe.credit_note") {
		if n.get("status") == "void" {
			continue
		}
		id := n.get("invoice")
		pre[id] += n.int("pre_payment_amount")
		post[id] += n.int("post_payment_amount")
		taken[id] += n.int("total")
		explained[id] += r.note(n)
	}
	for _, inv := range r.rows("stripe.invoice") {
		id := inv.get("id")
		fault := func(format string, args ...any) {
			r.t.Errorf("%s (%s): %s", id, inv.get("status"), fmt.Sprintf(format, args...))
		}
		var amounts, before, off int64
		off += inv.eachInt("total_discount_amounts", "amount")
		lines := r.lines(inv)
		shares := map[string]int64{}
		for _, l := range lines {
			amounts += l.int("amount")
			before += l.int("subtotal")
			r.line(inv, l, shares)
		}
		if amounts != inv.int("subtotal") || before-off != inv.int("total") || int64(len(lines)) != inv.int("lines.total_count") {
			fault("%d lines of %d, %d before discounts of %d: subtotal %d, total %d", len(lines), amounts, before, off, inv.int("subtotal"), inv.int("total"))
		}
		for i := range inv.count("total_discount_amounts") {
			at := fmt.Sprintf("total_discount_amounts.%d.", i)
			if shares[inv.get(at+"discount")] != inv.int(at+"amount") {
				fault("%s takes %s off, from the lines %d", inv.get(at+"discount"), inv.get(at+"amount"), shares[inv.get(at+"discount")])
			}
		}
		if inv.get("status") != "draft" {
			due := inv.int("total") + inv.int("starting_balance") - inv.int("ending_balance") - pre[id]
			if due != inv.int("amount_due") {
				fault("due %d, should be %d", inv.int("amount_due"), due)
			}
		}
		if pre[id] != inv.int("pre_payment_credit_notes_amount") || post[id] != inv.int("post_payment_credit_notes_amount") {
			fault("credit notes of %d and %d", pre[id], post[id])
		}
		if free := taken[id] - explained[id]; taken[id] > 0 && free > inv.int("total") {
			fault("credited %d of %d", free, inv.int("total"))
		}
	}
}

// note checks one credit note and returns how much of refunds it explains.
func (r *rig) note(n answer) (refunded int64) {
	r.t.Helper()
	var sum, off int64
	for i := range n.count("lines.data") {
		sum += n.int(fmt.Sprintf("lines.data.%d.amount", i))
		off += n.int(fmt.Sprintf("lines.data.%d.discount_amount", i))
	}
	for row := range r.machine.State.OldestWith("stripe.credit_note_line", "credit_note="+n.get("id"), 0) {
		sum += answer{Body: row.Body}.int("line.amount")
		off += answer{Body: row.Body}.int("line.discount_amount")
	}
	refunded = n.eachInt("refunds", "amount_refunded")
	given := refunded + n.int("out_of_band_amount")
	if row := r.machine.State.Get("stripe.customer_balance_transaction", n.get("customer_balance_transaction")); row != nil {
		given -= answer{Body: row.Body}.int("amount")
	}
	if sum != n.int("subtotal") || sum-off != n.int("total") || n.int("pre_payment_amount")+n.int("post_payment_amount") != n.int("total") || given != n.int("post_payment_amount") {
		r.t.Errorf("%s: lines of %d less %d, gave %d: %s", n.get("id"), sum, off, given, n.Body)
	}
	return refunded
}

// lines are all lines of an invoice.
func (r *rig) lines(inv answer) (out []answer) {
	for i := range inv.count("lines.data") {
		out = append(out, answer{Body: []byte(inv.get(fmt.Sprintf("lines.data.%d", i)))})
	}
	for row := range r.machine.State.OldestWith("stripe.line", "invoice="+inv.get("id"), 0) {
		out = append(out, answer{Body: row.Body})
	}
	return out
}

// line checks one line and adds its discounts to shares.
func (r *rig) line(inv, l answer, shares map[string]int64) {
	r.t.Helper()
	own := l.int("subtotal")
	for i := range l.count("discount_amounts") {
		at := fmt.Sprintf("discount_amounts.%d.", i)
		shares[l.get(at+"discount")] += l.int(at + "amount")
		for j := range l.count("discounts") {
			if l.get(fmt.Sprintf("discounts.%d", j)) == l.get(at+"discount") {
				own -= l.int(at + "amount")
			}
		}
		if a := l.int(at + "amount"); a < 0 || a > 0 && a > l.int("subtotal") {
			r.t.Errorf("%s of %s: %d off %d", l.get("id"), inv.get("id"), a, l.int("subtotal"))
		}
	}
	if own != l.int("amount") {
		r.t.Errorf("%s of %s: %d after its own discounts, its amount is %d", l.get("id"), inv.get("id"), own, l.int("amount"))
	}
	if it := l.get("parent.invoice_item_details.invoice_item"); it != "" {
		row := r.machine.State.Get("stripe.invoice_item", it)
		if row == nil || (answer{Body: row.Body}).get("invoice") != inv.get("id") || (answer{Body: row.Body}).int("amount") != l.int("subtotal") {
			r.t.Errorf("%s of %s does not say what %s says", l.get("id"), inv.get("id"), it)
		}
	}
}

// count is how many elements the array at path has.
func (a answer) count(path string) (n int) {
	for a.get(fmt.Sprintf("%s.%d", path, n)) != "" {
		n++
	}
	return n
}

// eachInt adds up a member of the elements of the array at path.
func (a answer) eachInt(path, member string) (sum int64) {
	for i := range a.count(path) {
		sum += a.int(fmt.Sprintf("%s.%d.%s", path, i, member))
	}
	return sum
}
