package invariant

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// record judges what is kept under an idempotency key.
func (c *Checker) record(f *fact) {
	s := &c.step
	reply, _ := c.body(f, 7)
	r := &record{f.text(0), f.text(1), f.text(2), f.text(3), f.text(4), f.text(5), f.number(6), reply}
	name := r.key + " of " + r.api
	if c.fold.records[name] != nil {
		c.fail("idem.one-record-per-key", r.key, "it was used for %s, and again for %s", c.fold.records[name].target, r.target)
	}
	c.fold.records[name] = r
	switch {
	case r.key != s.command.idem || r.request != s.reply.request || r.target != s.command.method+" "+s.command.path || r.api != s.command.api:
		c.fail("idem.one-record-per-key", r.key, "what is kept is not of this request")
	case r.status != s.reply.status:
		c.fail("idem.replay-verbatim", r.key, "kept with status %d, answered with %d", r.status, s.reply.status)
	}
	if why := c.unkept(r); why != "" {
		c.fail("idem.validation-stores-nothing", r.key, "%s is kept", why)
	}
}

// notKept are the codes of refusals that come before the endpoint decides.
var notKept = map[string]bool{
	"parameter_unknown": true, "idempotency_key_in_use": true, "parameter_invalid_integer": true, "url_invalid": true,
}

// unkept says why an answer is none that is kept, "" if it is.
func (c *Checker) unkept(r *record) string {
	s := &c.step
	switch {
	case s.command.method != "POST":
		return "the answer to a " + s.command.method
	case s.reply.rule != "":
		return "the answer of a fault rule"
	case s.reply.replayed != "":
		return "an answer that was kept already"
	case r.status == 501 || r.status == 401 || r.status == 429:
		return fmt.Sprintf("an answer with status %d", r.status)
	case notKept[text(member(r.reply, "error"), "code")]:
		return "a refusal of the parameters"
	}
	return ""
}

// idempotency judges an answer that was given before, and how keys are called.
func (c *Checker) idempotency(side []byte) {
	s := &c.step
	if len(side) > 0 && !c.seed.rawKeys {
		alias, known := c.aliases[string(side)]
		if !known {
			alias = fmt.Sprintf("ik_%d", len(c.aliases)+1)
			c.aliases[string(side)] = s.command.idem
		}
		if alias != s.command.idem {
			c.fail("idem.one-record-per-key", s.command.idem, "the key is called %s", alias)
		}
	}
	if s.reply.replayed == "" {
		return
	}
	r := c.fold.records[s.command.idem+" of "+s.command.api]
	if r == nil {
		c.fail("idem.replay-verbatim", s.command.idem, "an answer of request %s, of which nothing is kept", s.reply.replayed)
		return
	}
	sum := sha256.Sum256(r.reply)
	switch {
	case r.request != s.reply.replayed || r.status != s.reply.status:
		c.fail("idem.replay-verbatim", r.key, "request %s was answered %d, the repeat as %s with %d", r.request, r.status, s.reply.replayed, s.reply.status)
	case r.target != s.command.method+" "+s.command.path || r.api != s.command.api:
		c.fail("idem.replay-verbatim", r.key, "the key was used for %s", r.target)
	case !isNull(r.reply) && s.reply.sha256 != hex.EncodeToString(sum[:]):
		c.fail("idem.replay-verbatim", r.key, "the answer is not the one that is kept")
	}
	for i := range s.facts {
		if k := s.facts[i].kind; c.seed.tick == 0 && (k == "put" || k == "event" || k == "delete") {
			c.fail("idem.replay-verbatim", r.key, "a repeat has a fact %s", k)
		}
	}
}
