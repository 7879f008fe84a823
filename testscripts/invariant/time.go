package invariant

import (
	"slices"
	"strings"
)

// clock judges a change of the clock.
func (c *Checker) clock(now int64) {
	s := &c.step
	was := c.fold.clock
	c.fold.clock = now
	advance := s.command.op == "advance" || strings.HasPrefix(s.command.path, "/v1/test_helpers/test_clocks/")
	switch {
	case now < was:
		c.fail("log.time-monotonic", "", "the clock goes back from %d to %d", was, now)
	case !advance && (!s.isRequest() || now != min(was+c.seed.tick, clockMax)):
		c.fail("clock.only-advance-or-tick", "", "%s%s %s moves the clock from %d to %d", s.command.op, s.command.method, s.command.path, was, now)
	}
}

// time checks that the entry stands at the clock, and that what time caused is
// stamped with the moment at which it fell due.
func (c *Checker) time(at int64) {
	s := &c.step
	if at != c.fold.clock {
		c.fail("clock.only-advance-or-tick", "", "the entry stands at %d, the clock at %d", at, c.fold.clock)
	}
	made := c.fold.events[s.events:]
	var dues map[int64]bool
	for _, e := range made {
		if e.created == c.fold.clock || e.created == s.clock && strings.HasPrefix(e.kind, "test_helpers.test_clock.") {
			continue // such a clock says that it moves before it does
		}
		if dues == nil {
			dues = c.dues()
		}
		if e.created > c.fold.clock || !dues[e.created] {
			c.fail("clock.boundary-timestamps", e.id, "%s is stamped %d, when nothing was due", e.kind, e.created)
		}
	}
}

// plans checks that nothing falls due before the request that asks for it. A request
// that touches what was behind already, because an advance stopped, may catch up.
func (c *Checker) plans() {
	s := &c.step
	behind := func(r *row) bool { return r.there() && r.due != 0 && r.due < s.clock }
	if !s.isRequest() || slices.ContainsFunc(s.changed, func(r *row) bool { return behind(r.was) && r.was.seq < r.seq }) {
		return
	}
	for _, r := range s.changed {
		if behind(r) {
			c.failRow("clock.plans-ahead", r, "it falls due at %d, asked for at %d", r.due, s.clock)
		}
	}
}

// dues are the moments at which something that the entry touched was due.
func (c *Checker) dues() map[int64]bool {
	out := map[int64]bool{}
	for _, r := range c.step.changed {
		out[r.due] = true
		if r.was.there() {
			out[r.was.due] = true
		}
	}
	return out
}
