package invariant

import (
	"slices"
	"strings"
)

// machine is how the status of one kind of object moves.
type machine struct {
	moves map[string]string // from a status: the statuses after it, parted by spaces
	final string            // statuses that are never left
}

// machines are those of both APIs, by table. A status may always stay.
var machines = map[string]machine{
	"stripe.invoice": {map[string]string{
		"draft": "open paid", "open": "paid void uncollectible", "uncollectible": "paid void",
	}, "paid void"},
	"stripe.subscription": {map[string]string{
		"incomplete": "active trialing incomplete_expired canceled", "trialing": "active past_due unpaid paused canceled",
		"active": "trialing past_due unpaid paused canceled", "past_due": "active trialing unpaid canceled",
		"unpaid": "active trialing past_due canceled", "paused": "active past_due unpaid trialing canceled",
	}, "canceled incomplete_expired"},
	"stripe.payment_intent": {map[string]string{
		"requires_payment_method": "requires_confirmation requires_action processing requires_capture succeeded canceled",
		"requires_confirmation":   "requires_payment_method requires_action processing requires_capture succeeded canceled",
		"requires_action":         "requires_payment_method requires_confirmation processing requires_capture succeeded canceled",
		"processing":              "requires_payment_method requires_capture succeeded canceled",
		"requires_capture":        "succeeded canceled",
	}, "succeeded canceled"},
	"stripe.setup_intent": {map[string]string{
		"requires_payment_method": "requires_confirmation requires_action processing succeeded canceled",
		"requires_confirmation":   "requires_payment_method requires_action processing succeeded canceled",
		"requires_action":         "requires_payment_method requires_confirmation processing succeeded canceled",
		"processing":              "requires_payment_method succeeded canceled",
	}, "succeeded canceled"},
	"stripe.charge": {map[string]string{"pending": "succeeded failed"}, "failed"},
	"stripe.refund": {map[string]string{
		"pending": "requires_action succeeded failed canceled", "requires_action": "pending succeeded failed canceled", "succeeded": "failed",
	}, "failed canceled"},
	"stripe.dispute": {map[string]string{
		"warning_needs_response": "warning_under_review warning_closed needs_response",
		"warning_under_review":   "warning_closed needs_response",
		"needs_response":         "under_review won lost", "under_review": "won lost needs_response",
	}, "won lost warning_closed"},
	"stripe.credit_note":      {map[string]string{"issued": "void"}, "void"},
	"stripe.invoice_payment":  {map[string]string{"open": "paid canceled"}, "paid canceled"},
	"stripe.test_clock":       {map[string]string{"ready": "advancing", "advancing": "ready internal_failure"}, "internal_failure"},
	"stripe.webhook_endpoint": {map[string]string{"enabled": "disabled", "disabled": "enabled"}, ""},
	"zendesk.ticket": {map[string]string{
		"new": "open pending hold solved closed deleted", "open": "pending hold solved closed deleted",
		"pending": "open hold solved closed deleted", "hold": "open pending solved closed deleted",
		"solved": "open pending hold closed deleted", "closed": "deleted",
		"deleted": "new open pending hold solved closed",
	}, ""},
}

// moved judges a row that was there before.
func (c *Checker) moved(r *row) {
	was := r.was
	if table := r.table; table != "zendesk.comment" && table != "zendesk.audit" {
		for _, name := range [...]string{"created", "created_at"} {
			before, after := member(was.body, name), member(r.body, name)
			if !isNull(before) && !isNull(after) && !equal(before, after) {
				c.failRow("object.created-once", r, "it was made at %s, and now at %s", before, after)
			}
		}
	}
	c.period(r)
	m, ok := machines[r.table]
	if !ok {
		return
	}
	from, to := text(was.body, "status"), text(r.body, "status")
	switch {
	case from == to || from == "" || to == "":
	case r.table == "zendesk.ticket" && from == "closed" && to != "deleted":
		c.failRow("ticket.closed-final", r, "it goes from closed to %s", to)
	case slices.Contains(strings.Fields(m.final), from):
		c.failRow("object.terminal-final", r, "it goes from %s to %s", from, to)
	case !slices.Contains(strings.Fields(m.moves[from]), to):
		c.failRow("object.legal-transition", r, "it goes from %s to %s", from, to)
	}
	c.settled(r, from)
}

// frozen are the members that stay once an object is settled.
var frozen = map[string][]string{
	"stripe.invoice":         {"amount_due", "subtotal", "total", "currency", "customer", "number"},
	"stripe.refund":          {"amount", "charge", "currency"},
	"stripe.charge":          {"amount", "currency", "customer", "payment_intent"},
	"stripe.credit_note":     {"amount", "invoice", "total", "currency"},
	"stripe.invoice_payment": {"invoice", "currency"},
	"stripe.payment_intent":  {"amount", "currency"},
}

// settledStatus are the statuses in which frozen members stay, "" for all.
var settledStatus = map[string]string{"stripe.invoice": "paid void", "stripe.payment_intent": "succeeded canceled"}

func (c *Checker) settled(r *row, from string) {
	names := frozen[r.table]
	if only := settledStatus[r.table]; names == nil || only != "" && !slices.Contains(strings.Fields(only), from) {
		return
	}
	for _, name := range names {
		before, after := member(r.was.body, name), member(r.body, name)
		if !isNull(before) && !equal(before, after) {
			c.failRow("object.terminal-final", r, "%s was settled as %s, and is %s", name, before, after)
		}
	}
}

// kept are what no request deletes once it stands.
var kept = map[string]string{
	"stripe.invoice": "draft", "stripe.charge": "-", "stripe.refund": "-", "stripe.payment_intent": "-", "stripe.credit_note": "-",
	"stripe.customer": "-", "stripe.subscription": "-", "stripe.balance_transaction": "-", "stripe.dispute": "-",
	"zendesk.audit": "-", "zendesk.comment": "-",
}

// removed judges a row that is gone.
func (c *Checker) removed(r *row) {
	if only, ok := kept[r.table]; ok && text(r.was.body, "status") != only {
		c.failRow("object.terminal-final", r, "it was deleted while %q", text(r.was.body, "status"))
	}
}
