package invariant

import (
	"bytes"
	"strconv"
	"strings"

	"worlds/journal/canon"
)

// apply folds fact i and judges what only the state before it can tell.
func (c *Checker) apply(i int, f *fact) {
	switch f.kind {
	case "put":
		c.put(i, f)
	case "delete":
		if r := c.fold.remove(c.seq, f.text(0), f.text(1)); r != nil {
			c.step.changed = append(c.step.changed, r)
			c.removed(r)
		}
	case "event":
		c.event(f)
	case "idem":
		c.record(f)
	case "clock":
		c.clock(f.number(0))
	case "minted":
		c.fold.minted = f.number(0)
	case "counter":
		c.counter(f.text(0), f.number(1))
	case "mark":
		c.mark(f.text(0))
	case "log":
		if n := f.number(0); n != c.fold.logged+1 {
			c.fail("log.append-order", "", "request number %d follows number %d", n, c.fold.logged)
		}
		c.fold.logged = f.number(0)
	case "delivery":
		c.deliver(f)
	case "rule":
		c.fold.setRule(&rule{f.text(0), f.number(1), f.number(2), f.part[3]})
	}
}

func (c *Checker) mark(name string) {
	if _, ok := c.fold.marks[name]; ok {
		c.fail("entry.frames-ordered", "mark "+name, "the name was taken")
	}
	c.fold.marks[name] = mark{name, c.seq}
}

func (c *Checker) put(i int, f *fact) {
	table, id := f.text(0), f.text(1)
	known := c.fold.known[id]
	r := c.fold.put(c.seq, table, id, f.texts(2), f.number(3), f.part[4])
	c.step.puts[i] = r
	c.step.changed = append(c.step.changed, r)
	if !r.was.there() {
		c.born(r, known)
	} else {
		c.moved(r)
	}
	if own := text(r.body, "id"); own != "" && own != id && table != "stripe.deadline" {
		c.failRow("rows.equal-fold", r, "the object calls itself %s", own)
	}
}

// chosen are the tables whose ids are not made: callers choose them, or they are
// those of another object.
var chosen = map[string]bool{
	"stripe.coupon": true, "stripe.coupon_deleted": true, "stripe.coupon_reach": true, "stripe.coupon_currency": true, "stripe.payment_link_items": true, "stripe.product": true, "stripe.price": true,
	"stripe.spent_payment_method": true, "stripe.deadline": true, "stripe.event_links": true, "zendesk.life": true, "zendesk.job": true,
	"zendesk.account": true,
}

// born judges a row that was not there.
func (c *Checker) born(r *row, known bool) {
	if chosen[r.table] {
		return
	}
	if strings.HasPrefix(r.table, "zendesk.") {
		n, err := strconv.ParseInt(r.id, 10, 64)
		switch floor := c.floors[r.table]; {
		case err != nil:
			c.failRow("ids.never-below-seed-floor", r, "its id is no number")
		case r.was != nil:
			c.failRow("ids.unique", r, "an id is used again")
		case n <= floor:
			c.failRow("ids.never-below-seed-floor", r, "ids of its kind have reached %d", floor)
		}
		c.floors[r.table] = max(n, c.floors[r.table])
		return
	}
	switch digits := afterPrefix(r.id); {
	case known || c.fold.eventByID[r.id] != nil:
		c.failRow("ids.unique", r, "an id is used again")
	case !c.isMint(digits):
		c.step.strange++
		c.failRow("ids.counter-equals-mints", r, "no id that this entry minted")
	}
}

// raise keeps the highest number that the seed gives to a table.
func (c *Checker) raise(r *row) {
	if n, err := strconv.ParseInt(r.id, 10, 64); err == nil {
		c.floors[r.table] = max(n, c.floors[r.table])
	}
}

func afterPrefix(id string) string {
	return id[strings.LastIndexByte(id, '_')+1:]
}

// mints derives the ids that the entry says it minted.
func (c *Checker) mints() {
	s := &c.step
	after := s.minted
	for i := range s.facts {
		if s.facts[i].kind == "minted" {
			after = s.facts[i].number(0)
		}
	}
	if after < s.minted {
		c.fail("ids.counter-equals-mints", "", "ids minted went back from %d to %d", s.minted, after)
	}
	s.mints = make(map[string]int64, max(after-s.minted, 0))
	for n := s.minted + 1; n <= after; n++ {
		s.mints[mintedDigits(c.seed.hash, n)[:idKey]] = n
	}
}

// idKey is how many digits tell minted ids apart; the shortest ids have as many.
const idKey = 8

func (c *Checker) isMint(digits string) bool { return c.numberOf(digits) > 0 }

// numberOf is which of the entry's mints digits are cut from, 0 for none.
func (c *Checker) numberOf(digits string) int64 {
	if len(digits) < idKey {
		return 0
	}
	n := c.step.mints[digits[:idKey]]
	if n == 0 || !strings.HasPrefix(mintedDigits(c.seed.hash, n), digits) {
		return 0
	}
	return n
}

// counters checks that every id minted is one that the entry shows.
func (c *Checker) counters() {
	s := &c.step
	if len(s.mints) == 0 {
		return
	}
	for _, r := range s.changed {
		delete(s.mints, key(afterPrefix(r.id)))
	}
	for _, e := range c.fold.events[s.events:] {
		delete(s.mints, key(afterPrefix(e.id)))
	}
	for i := range s.facts {
		if len(s.mints) == 0 {
			return
		}
		if s.facts[i].kind == "put" || s.facts[i].kind == "event" {
			for _, part := range s.facts[i].part {
				c.show(part)
			}
		}
	}
	for digits := range s.mints {
		if c.typed(strings.ToUpper(digits)) {
			delete(s.mints, digits)
		}
	}
	if len(s.mints) > s.strange {
		c.fail("ids.counter-equals-mints", "", "%d ids were minted that are nowhere", len(s.mints))
	}
}

// typed reports whether the entry shows a word that people can type, which ids of
// coupons and promotion codes are.
func (c *Checker) typed(word string) bool {
	for _, r := range c.step.changed {
		if bytes.Contains(r.body, []byte(`"`+word+`"`)) {
			return true
		}
	}
	return false
}

func key(digits string) string { return digits[:min(len(digits), idKey)] }

// show takes out of the mints the ids of what is embedded in a body.
func (c *Checker) show(body canon.Raw) {
	const name = `id":"`
	for {
		i := bytes.Index(body, []byte(name))
		if i < 0 {
			return
		}
		body = body[i+len(name):]
		end := bytes.IndexByte(body, '"')
		if end < 0 {
			return
		}
		delete(c.step.mints, key(afterPrefix(string(body[:end]))))
	}
}

// event judges a new line of the event log.
func (c *Checker) event(f *fact) {
	s := &c.step
	object, ref := c.body(f, 5)
	e := &event{id: f.text(0), api: f.text(1), kind: f.text(2), seq: c.seq, created: f.number(3), meta: f.part[4], object: object}
	if c.fold.eventByID[e.id] != nil || c.fold.known[e.id] {
		c.fail("ids.unique", e.id, "an id is used again")
	}
	switch n := c.numberOf(afterPrefix(e.id)); {
	case c.fold.eventByID[e.id] != nil || c.fold.known[e.id]:
		s.strange++
	case n == 0:
		s.strange++
		c.fail("events.id-derivation", e.id, "the id is not one that this entry minted")
	case n <= s.used:
		c.fail("events.seq-order", e.id, "its id is number %d, an earlier event's %d", n, s.used)
	default:
		s.used = n
	}
	if e.created > c.afterClock() {
		c.fail("events.seq-order", e.id, "it was made at %d, the clock stands at %d", e.created, c.afterClock())
	}
	if n := len(c.fold.events); n > 0 && c.fold.events[n-1].created > e.created && e.created >= s.clock && c.fold.events[n-1].seq == c.seq {
		c.fail("events.seq-order", e.id, "it was made at %d, the event before at %d", e.created, c.fold.events[n-1].created)
	}
	var r *row
	if ref >= 0 {
		r = s.puts[ref]
	}
	c.payload(e, r)
	c.previous(e, r)
	c.story(e)
	c.fold.events = append(c.fold.events, e)
	c.fold.eventByID[e.id] = e
}

// afterClock is where the entry leaves the clock.
func (c *Checker) afterClock() int64 {
	for i := len(c.step.facts) - 1; i >= 0; i-- {
		if c.step.facts[i].kind == "clock" {
			return c.step.facts[i].number(0)
		}
	}
	return c.fold.clock
}

// payload checks that an event carries its object as it stood at that moment.
func (c *Checker) payload(e *event, r *row) {
	if r != nil {
		if now := c.fold.last(r.table, r.id); now != r && !equal(now.body, r.body) {
			c.fail("events.payload-is-row-at-seq", e.id, "%s %s has changed since", r.table, r.id)
		}
		return
	}
	table, id := e.about()
	now := c.fold.last(table, id)
	switch {
	case table == "":
	case now == nil:
		c.fail("events.payload-is-row-at-seq", e.id, "there is no %s %s", table, id)
	case !partly(now, e.object, c.step.seq):
		c.fail("events.payload-is-row-at-seq", e.id, "it shows %s %s as it never was", table, id)
	}
}

// partly reports whether what an event shows was true of a row in the entry: every
// member that the row has too must be that of one image, but for those that say
// that it is gone, moves on, or has lines of its own.
func partly(r *row, shown canon.Raw, seq uint64) bool {
	for ; r != nil; r = r.was {
		if r.there() && sameMembers(r.body, shown) {
			return true
		}
		if r.seq < seq {
			return false
		}
	}
	return false
}

// passing are members that an event may show in another way than the row.
var passing = map[string]bool{
	"deleted": true, "status": true, "lines": true, "frozen_time": true, "status_details": true, "end": true,
	"refunded": true, "amount_refunded": true, "refunds": true, "balance_transaction": true, "discount": true, "discounts": true,
}

func sameMembers(row, shown canon.Raw) bool {
	for k, v := range canon.Members(row) {
		if passing[k] {
			continue
		}
		if w, ok := canon.Get(shown, k); ok && !equal(v, w) {
			return false
		}
	}
	return true
}

// tablesOf are the tables whose rows a wire object can be, by its name.
var tablesOf = map[string]string{
	"invoiceitem": "stripe.invoice_item", "test_helpers.test_clock": "stripe.test_clock", "line_item": "stripe.line",
}

// embedded are objects that live in others.
var embedded = map[string]bool{"card": true, "source": true}

// about is the row that an event is about, "" where that cannot be told.
func (e *event) about() (table, id string) {
	if e.api == "zendesk" {
		kind, _, _ := strings.Cut(e.kind, ".")
		return "zendesk." + kind, string(member(e.object, "id"))
	}
	object := text(e.object, "object")
	if object == "" || embedded[object] {
		return "", ""
	}
	table = tablesOf[object]
	if table == "" {
		table = "stripe." + object
	}
	return table, text(e.object, "id")
}

// previous checks that what an event says was there before was there.
func (c *Checker) previous(e *event, r *row) {
	before := member(e.meta, "previous_attributes")
	if e.api == "zendesk" {
		before = member(e.meta, "previous")
	}
	if isNull(before) || r == nil {
		return
	}
	for was := r.was; was != nil; was = was.was {
		if was.there() && wasSo(was.body, before) {
			return
		}
		if was.seq < c.seq {
			break
		}
	}
	c.fail("image.before-equals-prior", e.id, "%s %s was not so before: %.120s", r.table, r.id, before)
}

// wasSo reports whether an image has the members of previous attributes; null
// stands for what was not there, a plain object for some of its members.
func wasSo(image, previous canon.Raw) bool {
	for k, v := range canon.Members(previous) {
		w, ok := canon.Get(image, k)
		switch {
		case isNull(v) && (!ok || isNull(w)):
		case ok && equal(v, w):
		case ok && v[0] == '{' && len(w) > 0 && w[0] == '{' && wasSo(w, v):
		default:
			return false
		}
	}
	return true
}

// story checks the order in which events tell of an object: made once, unless it was
// deleted, and before anything else is said of it.
func (c *Checker) story(e *event) {
	table, id := e.about()
	if table == "" {
		return
	}
	name := table + " " + id
	last := e.kind[strings.LastIndexByte(e.kind, '.')+1:]
	if last == "deleted" {
		delete(c.made, name)
	}
	switch {
	case last == "created":
		if c.made[name] {
			c.fail("object.created-once", name, "event %s says again that it was made", e.id)
		}
		if r := c.fold.last(table, id); r != nil && c.firstSeq(r) != c.seq {
			c.fail("object.created-once", name, "it was there since #%d", c.firstSeq(r))
		}
		c.made[name] = true
	case c.fold.last(table, id) == nil:
		c.fail("object.update-after-create", name, "event %s tells of what is not there", e.kind)
	case last == "updated" && !c.made[name] && c.firstSeq(c.fold.last(table, id)) == c.seq:
		c.fail("object.update-after-create", name, "event %s comes before the one that it was made", e.kind)
	}
}

// firstSeq is when an object was made. What had its id before and was deleted is another.
func (c *Checker) firstSeq(r *row) uint64 {
	for r.was != nil && r.was.there() {
		r = r.was
	}
	return r.seq
}

// counter judges a named number; only those that hold something go back.
func (c *Checker) counter(name string, n int64) {
	old := c.fold.counters[name]
	c.fold.counters[name] = n
	switch {
	case strings.HasPrefix(name, "webhook.held."), strings.HasPrefix(name, "fault."):
	case strings.HasPrefix(name, "key.uses."):
		if n != old+1 || c.seq > 0 && name != "key.uses."+c.step.command.actor {
			c.fail("key.use-count", name, "it went from %d to %d in an entry of %s", old, n, c.step.command.actor)
		}
	case n < old:
		c.fail("ids.never-below-seed-floor", name, "it went back from %d to %d", old, n)
	}
}

// uses checks that a key that lasts for some requests counted this one.
func (c *Checker) uses() {
	s := &c.step
	if !s.isRequest() {
		return
	}
	counted := false
	for i := range s.facts {
		counted = counted || s.facts[i].kind == "counter" && strings.HasPrefix(s.facts[i].text(0), "key.uses.")
	}
	limited := s.command.expires > 0
	used := c.fold.counters["key.uses."+s.command.actor]
	switch {
	case limited != counted:
		c.fail("key.use-count", s.command.actor, "a request of a key that lasts for %d was counted: %v", s.command.expires, counted)
	case limited && (used > s.command.expires) != (s.reply.rule == "expires_after"):
		c.fail("key.use-count", s.command.actor, "request %d of %d was answered %d", used, s.command.expires, s.reply.status)
	}
}

// refusals checks that what only looks or is refused changes nothing but what
// counts requests.
func (c *Checker) refusals() {
	s := &c.step
	id := "refusal.changes-nothing"
	switch {
	case !s.isRequest() || c.seed.tick != 0:
		return // an automatic clock moves on, and what is due with it
	case !s.changes():
		id = "read.changes-nothing"
	case s.reply.status < 400 || s.reply.status == statusDeclined:
		return
	}
	for i := range s.facts {
		f := &s.facts[i]
		switch f.kind {
		case "log", "rule", "idem", "clock": // the clock has a law of its own
		case "counter":
			if name := f.text(0); !strings.HasPrefix(name, "key.uses.") && !strings.HasPrefix(name, "fault.") {
				c.fail(id, "", "%s %s answered %d moved %s", s.command.method, s.command.path, s.reply.status, name)
			}
		default:
			c.fail(id, "", "%s %s answered %d has a fact %s", s.command.method, s.command.path, s.reply.status, f.kind)
		}
	}
}

// statusDeclined is the status of a payment that was refused, which is kept.
const statusDeclined = 402
