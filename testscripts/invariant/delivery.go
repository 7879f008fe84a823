package invariant

import (
	"strings"

	"worlds/journal/canon"
)

// The states of a delivery, and the law of its attempts.
const (
	statusPending   = "pending"
	statusDelivered = "delivered"
	statusFailed    = "failed"

	attemptsMax = 16
	backoffBase = 60
	clockMax    = 253402300799
)

// operatorEndpoint is the endpoint that no row of the world is for.
const operatorEndpoint = "endpoint:1"

// deliver judges a row of the ledger.
func (c *Checker) deliver(f *fact) {
	d := &delivery{number: f.number(0), event: f.text(1), endpoint: f.text(2), version: f.text(3), status: f.text(4),
		attempts: f.number(5), due: f.number(6), turn: f.number(7), outcome: f.text(8)}
	var was *delivery
	if n := d.number; n >= 1 && n <= int64(len(c.fold.deliveries)) {
		was = c.fold.deliveries[n-1]
	} else if n != int64(len(c.fold.deliveries))+1 {
		c.fail("log.dense-seq", d.name(), "the ledger has %d rows", len(c.fold.deliveries))
		return
	}
	if was == nil {
		d.again = c.step.command.op == "resend"
		c.enqueued(d)
	} else {
		d.again = was.again
		c.attempted(was, d)
	}
	c.fold.deliver(d)
}

func (d *delivery) name() string { return "delivery " + string(canon.AppendInt(nil, d.number)) }

// enqueued judges a new row.
func (c *Checker) enqueued(d *delivery) {
	if c.fold.eventByID[d.event] == nil {
		c.fail("delivery.event-exists", d.name(), "there is no event %s", d.event)
	}
	if d.status != statusPending || d.attempts != 0 || d.outcome != "" {
		c.fail("delivery.attempt-increments", d.name(), "it begins as %s after %d attempts", d.status, d.attempts)
	}
	if c.fold.open[attempt{d.event, d.endpoint}] > 0 && c.step.command.op != "resend" && !c.doubled() {
		c.fail("retry.one-open-per-event", d.name(), "event %s is on its way to %s already", d.event, d.endpoint)
	}
	if d.endpoint != operatorEndpoint && !c.takes(d.endpoint) {
		c.fail("endpoint.no-send-after-removal", d.name(), "there is no endpoint %s", d.endpoint)
	}
}

// doubled reports whether the entry has a fault rule that doubles deliveries.
func (c *Checker) doubled() bool {
	for _, r := range c.fold.rules {
		if string(member(r.spec, "effect", "duplicate")) == "true" {
			return true
		}
	}
	return false
}

// takes reports whether an endpoint that a request made is there and enabled.
func (c *Checker) takes(endpoint string) bool {
	r := c.fold.get("stripe.webhook_endpoint", endpoint)
	return r != nil && text(r.body, "status") == "enabled"
}

// attempted judges what became of a row.
func (c *Checker) attempted(was, d *delivery) {
	cmd := &c.step.command
	switch {
	case was.status != statusPending:
		c.fail("delivery.terminal-once", d.name(), "it was %s", was.status)
		return
	case was.event != d.event || was.endpoint != d.endpoint || was.version != d.version:
		c.fail("delivery.event-exists", d.name(), "it was of event %s to %s", was.event, was.endpoint)
	case d.outcome == "deleted":
		if d.status != statusFailed || d.attempts != was.attempts {
			c.fail("delivery.attempt-increments", d.name(), "the endpoint is gone, the row %s after %d attempts", d.status, d.attempts)
		}
		return
	case cmd.op != "deliver":
		if d.attempts != was.attempts || d.status != was.status {
			c.fail("delivery.attempt-increments", d.name(), "%d attempts became %d without an attempt", was.attempts, d.attempts)
		}
		if d.due != was.due {
			c.fail("due-time.never-rewritten", d.name(), "it was due at %d, and is at %d", was.due, d.due)
		}
		return
	}
	c.outcome(was, d)
}

// outcome judges an attempt.
func (c *Checker) outcome(was, d *delivery) {
	args, now := c.step.command.args, c.fold.clock
	if d.attempts != was.attempts+1 || number(args, "attempt") != d.attempts || number(args, "delivery") != d.number ||
		text(args, "outcome") != d.outcome {
		c.fail("delivery.attempt-increments", d.name(), "attempt %d of it became %d", was.attempts+1, d.attempts)
	}
	if was.due > now {
		c.fail("due-time.never-rewritten", d.name(), "it was due at %d, and tried at %d", was.due, now)
	}
	if d.endpoint != operatorEndpoint && !c.takes(d.endpoint) && d.outcome != "dropped" {
		c.fail("endpoint.no-send-after-removal", d.name(), "it was sent to %s, which is gone", d.endpoint)
	}
	success := strings.HasPrefix(d.outcome, "2")
	due := min(now+backoffBase<<min(was.attempts, attemptsMax), clockMax)
	switch {
	case success && (d.status != statusDelivered || d.due != 0):
		c.fail("delivery.terminal-once", d.name(), "answered %s, it is %s", d.outcome, d.status)
	case success:
	case d.attempts >= attemptsMax && (d.status != statusFailed || d.due != 0):
		c.fail("delivery.terminal-once", d.name(), "after %d attempts it is %s", d.attempts, d.status)
	case d.attempts < attemptsMax && d.status != statusPending:
		c.fail("delivery.terminal-once", d.name(), "after %d attempts it is %s", d.attempts, d.status)
	case d.attempts < attemptsMax && d.due != due:
		c.fail("delivery.backoff-60·2^(n-1)", d.name(), "after attempt %d at %d it is due at %d, not %d", d.attempts, now, d.due, due)
	}
	if was.attempts == 0 {
		c.firstInTurn(was)
	}
}

// firstInTurn checks that first attempts to an endpoint are made in the order of
// their turns; those that a rule delays or holds back wait for theirs, and an event
// that is sent once more goes at once.
func (c *Checker) firstInTurn(d *delivery) {
	if d.turn == 0 || d.again {
		return
	}
	for _, n := range c.fold.untried[d.endpoint] {
		o := c.fold.deliveries[n-1]
		if n >= d.number {
			return
		}
		if o.turn != 0 && o.turn < d.turn && o.due <= c.fold.clock && o.due <= d.due && !o.again {
			c.fail("delivery.creation-order-first-attempts", d.name(), "it was tried before %s", o.name())
			return
		}
	}
}
