package dst

import (
	"net/http"
	"strconv"
	"strings"

	"worlds/journal/canon"
	"worlds/projection"
	"worlds/twin/world"
)

// step is one operation on a twin or of the operator, with what came of it.
type step struct {
	op     Op // as it was sent
	answer response
	before world.View
	after  world.View
	diff   *projection.Diff
	rule   string // the fault rule that answered it
	logged bool   // it has an entry
}

// check holds one step to what must be true right after every operation.
func (r *run) check(s *space, t *step) *Failure {
	for _, law := range [...]func(*run, *space, *step) *Failure{
		(*run).noFault, (*run).oneEntry, (*run).refusedNothing, (*run).readNothing, (*run).eventsAdvance, (*run).rowsHold, (*run).others,
	} {
		if f := law(r, s, t); f != nil {
			return f
		}
	}
	return nil
}

// noFault: the server never fails by itself.
func (r *run) noFault(_ *space, t *step) *Failure {
	switch {
	case t.answer.cut && t.rule == "":
		return failed("answer.cut", "the connection was cut, and no rule says so")
	case t.answer.status >= 500 && t.answer.status != http.StatusNotImplemented && t.rule == "":
		r.count(countUnexpected, 1)
		return failed("answer.unexpected-5xx", "%d %s", t.answer.status, t.answer.body)
	case t.answer.status == 0 && !t.answer.cut:
		return failed("answer.none", "there is no answer")
	}
	return nil
}

// oneEntry: a request is one entry, or two when it waited.
func (r *run) oneEntry(_ *space, t *step) *Failure {
	if t.before.Inc != t.after.Inc {
		return nil
	}
	n := t.after.Seq - t.before.Seq
	switch {
	case t.op.API == apiAdmin:
		return nil
	case t.op.Wire == wireCut && n > 0 && t.answer.status != http.StatusUnauthorized:
		return failed("journal.half-request", "a request whose body broke off was executed: %d %s", t.answer.status, t.answer.body)
	case n > 2: // one waited by rule
		return failed("journal.one-entry", "a request made %d entries", n)
	case n == 0 && t.answer.status < 400:
		return failed("journal.one-entry", "a request that was answered %d is in no entry", t.answer.status)
	}
	return nil
}

// keeps are the refusals that leave something behind, by the API's own contract: a
// charge that was declined is there, and what it belongs to knows of it.
func keeps(t *step) bool { return t.answer.status == http.StatusPaymentRequired }

// refusedNothing: what was refused changed nothing but what the contract says.
func (r *run) refusedNothing(_ *space, t *step) *Failure {
	if t.answer.status < 400 || keeps(t) || t.before.Inc != t.after.Inc {
		return nil
	}
	return unchanged("refusal.changed", t)
}

// readNothing: what only reads leaves the dump as it was.
func (r *run) readNothing(_ *space, t *step) *Failure {
	if t.op.Method != http.MethodGet {
		return nil
	}
	return unchanged("read.changed", t)
}

// unchanged: the step left rows, events, clock and counters alone. Rules count, and
// so do keys that expire.
func unchanged(property string, t *step) *Failure {
	d := t.diff
	for _, list := range [][]projection.Change{d.Created, d.Updated, d.Deleted} {
		for _, c := range list {
			if strings.HasPrefix(c.Table, apiStripe) || strings.HasPrefix(c.Table, apiZendesk) {
				return failed(property, "%d %s, and %s %s: %s → %s", t.answer.status, t.answer.body, c.Table, c.ID, c.Before, c.After)
			}
		}
	}
	switch {
	case len(d.Events) > 0:
		return failed(property, "%d, and an event %s", t.answer.status, d.Events[0].Type)
	case d.FromClock != d.ToClock:
		return failed(property, "%d, and the clock moved from %d to %d", t.answer.status, d.FromClock, d.ToClock)
	case t.before.State.Minted() != t.after.State.Minted():
		return failed(property, "%d, and ids were used up", t.answer.status)
	case t.before.State.Deliveries() != t.after.State.Deliveries() && t.op.API != apiAdmin:
		return failed(property, "%d, and a delivery was made", t.answer.status)
	}
	return nil
}

// eventsAdvance: events are numbered without a gap, and say which entry made them.
func (r *run) eventsAdvance(_ *space, t *step) *Failure {
	if t.before.Inc != t.after.Inc {
		return nil
	}
	n := t.before.State.Events()
	for _, e := range t.diff.Events {
		if n++; e.Number != n {
			return failed("events.dense", "event %s is number %d, not %d", e.ID, e.Number, n)
		}
		if e.Seq <= uint64(t.before.Seq) || e.Seq > uint64(t.after.Seq) {
			return failed("events.entry", "event %s says that entry %d made it", e.ID, e.Seq)
		}
		if found := t.after.State.EventByID(e.ID); found == nil || found.Number != e.Number {
			return failed("events.unique", "event %s cannot be found by its id", e.ID)
		}
	}
	if n != t.after.State.Events() {
		return failed("events.dense", "there are %d events, not %d", t.after.State.Events(), n)
	}
	return nil
}

// rowsHold: every row that the step touched is alone with what must be unique, and
// carries the mark of no other space. References are the invariants' to check.
func (r *run) rowsHold(s *space, t *step) *Failure {
	if t.before.Inc != t.after.Inc {
		s.sole = map[string]string{}
	}
	for _, list := range [][]projection.Change{t.diff.Deleted, t.diff.Updated} {
		for i := range list {
			delete(s.sole, soleBy(list[i].Table, list[i].Before))
		}
	}
	for _, list := range [][]projection.Change{t.diff.Created, t.diff.Updated} {
		for i := range list {
			if f := r.row(s, &list[i]); f != nil {
				return f
			}
		}
	}
	return nil
}

func (r *run) row(s *space, c *projection.Change) *Failure {
	for _, other := range r.spaces {
		if other != s && strings.Contains(string(c.After), other.mark) {
			return failed("worlds.apart", "%s %s of world %d holds a text of world %d: %s", c.Table, c.ID, s.index, other.index, c.After)
		}
	}
	key := soleBy(c.Table, c.After)
	if id, ok := s.sole[key]; ok && key != "" {
		return failed("rows.unique", "%s %s and %s are both %s", c.Table, c.ID, id, key)
	}
	s.sole[key] = c.ID
	return nil
}

// soleBy is what no two rows of a table may share, "" where a row has nothing of the
// kind: what is null, and what is deleted, releases what it had.
func soleBy(table string, body canon.Raw) string {
	members := unique[table]
	if members == nil || textOf(body, "deleted") == "true" || table == "zendesk.user" && textOf(body, "active") == "false" {
		return ""
	}
	key := table
	for _, m := range members {
		value := textOf(body, m)
		if value == "" || value == "null" || value == "false" {
			return ""
		}
		key += " " + m + "=" + value
	}
	return key
}

// others: an operation on one world changes nothing in another.
func (r *run) others(s *space, _ *step) *Failure {
	for _, o := range r.spaces {
		if o == s {
			continue
		}
		v, err := o.world.View(r.ctx)
		if err != nil {
			return failed("worlds.apart", "world %d: %v", o.index, err)
		}
		if v.Seq != o.view.Seq || v.Hash != o.view.Hash || v.Inc != o.view.Inc {
			return failed("worlds.apart", "an operation on world %d moved world %d from entry %d to %d", s.index, o.index, o.view.Seq, v.Seq)
		}
	}
	return nil
}

// unique is what no two rows of a table may share.
var unique = map[string][]string{
	"stripe.invoice":                  {"number"},
	"stripe.promotion_code":           {"code", "active"},
	"stripe.price":                    {"lookup_key"},
	"zendesk.group_membership":        {"user_id", "group_id"},
	"zendesk.organization_membership": {"user_id", "organization_id"},
	"zendesk.user":                    {"email"},
	"zendesk.organization":            {"name"},
}

// statusOf is the outcome class of an answer: its status, and the code of a refusal.
func statusOf(a *response) string {
	if a.cut {
		return "cut"
	}
	text := strconv.Itoa(a.status)
	if a.status < 400 {
		return text
	}
	if code := errorCode(a.body); code != "" {
		text += " " + code
	}
	return text
}
