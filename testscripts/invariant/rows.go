package invariant

import (
	"fmt"
	"slices"
	"strings"

	"worlds/journal"
	"worlds/journal/canon"
	"worlds/projection"
)

// Rows compares the state that a world made of the same entries with the fold.
func (c *Checker) Rows(st *projection.State) []Violation {
	from := len(c.found)
	for _, table := range st.Tables() {
		for r := range st.Oldest(table, 0) {
			if c.fold.get(table, r.ID) == nil {
				c.fail("rows.no-orphan", table+" "+r.ID, "no fact put it")
			}
		}
	}
	for _, table := range c.tables() {
		for _, r := range c.fold.rows(table) {
			c.sameRow(st, r)
		}
	}
	c.sameEvents(st)
	c.sameNumbers(st)
	c.sameLedger(st)
	return c.found[from:]
}

// tables are the names of all tables, in order.
func (c *Checker) tables() []string {
	var out []string
	for table := range c.fold.tables {
		out = append(out, table)
	}
	slices.Sort(out)
	return out
}

const equalFold = "rows.equal-fold"

func (c *Checker) sameRow(st *projection.State, r *row) {
	is := st.Get(r.table, r.id)
	switch {
	case is == nil:
		c.failRow(equalFold, r, "it is not there")
	case !equal(is.Body, r.body):
		c.failRow(equalFold, r, "it is %.120s, and should be %.120s", is.Body, r.body)
	case is.Due != r.due || is.Ord != r.ord || is.Seq != r.seq || !slices.Equal(is.Terms, r.terms):
		c.failRow(equalFold, r, "due %d, order %d, entry %d, terms %q; should be %d, %d, %d, %q",
			is.Due, is.Ord, is.Seq, is.Terms, r.due, r.ord, r.seq, r.terms)
	}
	for _, term := range r.terms {
		if !found(st, r, term) {
			c.failRow(equalFold, r, "it is not found by %s", term)
		}
	}
}

// found reports whether a row is listed under one of its terms, looking from just
// before it.
func found(st *projection.State, r *row, term string) bool {
	for other := range st.OldestWith(r.table, term, r.ord-1) {
		return other.ID == r.id
	}
	return false
}

func (c *Checker) sameEvents(st *projection.State) {
	n := 0
	for e := range st.OldestEvents(0) {
		if n == len(c.fold.events) {
			c.fail("rows.no-orphan", e.ID, "no fact put it into the event log")
			return
		}
		want := c.fold.events[n]
		n++
		if e.Number != uint64(n) || e.Seq != want.seq || e.ID != want.id || e.API != want.api || e.Type != want.kind ||
			e.Created != want.created || !equal(e.Meta, want.meta) || !sameOrNull(e.Object, want.object) {
			c.fail(equalFold, e.ID, "event %d of entry %d is %s %s, and should be %s %s of entry %d", e.Number, e.Seq, e.ID, e.Type, want.id, want.kind, want.seq)
		}
		if st.EventByID(e.ID) == nil {
			c.fail(equalFold, e.ID, "it is not found by its id")
		}
	}
	if n < len(c.fold.events) {
		c.fail(equalFold, c.fold.events[n].id, "the event log ends before it")
	}
}

func sameOrNull(a, b canon.Raw) bool { return equal(a, b) || isNull(a) && isNull(b) }

// sameNumbers compares clock, counters, records and marks.
func (c *Checker) sameNumbers(st *projection.State) {
	f := c.fold
	for _, n := range [...]struct {
		name     string
		is, want int64
	}{{"clock", st.Now(), f.clock}, {"minted", st.Minted(), f.minted}, {"log", st.Logged(), f.logged}} {
		if n.is != n.want {
			c.fail(equalFold, n.name, "it is %d, and should be %d", n.is, n.want)
		}
	}
	for _, name := range sorted(f.counters) {
		if is := st.Counter(name); is != f.counters[name] {
			c.fail(equalFold, "counter "+name, "it is %d, and should be %d", is, f.counters[name])
		}
	}
	for _, key := range sorted(f.records) {
		want := f.records[key]
		is := st.Idem(want.api, want.key)
		if is == nil || is.API != want.api || is.Target != want.target || is.Fingerprint != want.fingerprint ||
			is.Request != want.request || is.Version != want.version || is.Status != want.status || !sameOrNull(is.Reply, want.reply) {
			c.fail(equalFold, "key "+key, "what is kept under it is not what an entry says")
		}
	}
	marks := st.Marks()
	for _, m := range marks {
		if want, ok := f.marks[m.Name]; !ok || want.seq != m.Seq {
			c.fail(equalFold, "mark "+m.Name, "it stands at #%d, and should at #%d", m.Seq, want.seq)
		}
	}
	if len(marks) != len(f.marks) {
		c.fail(equalFold, "marks", "there are %d, and should be %d", len(marks), len(f.marks))
	}
}

// sameLedger compares the deliveries and the fault rules.
func (c *Checker) sameLedger(st *projection.State) {
	if n := st.Deliveries(); n != int64(len(c.fold.deliveries)) {
		c.fail(equalFold, "deliveries", "there are %d, and should be %d", n, len(c.fold.deliveries))
	}
	for _, want := range c.fold.deliveries {
		d := st.Delivery(want.number)
		if d == nil {
			continue
		}
		is := delivery{d.Number, d.Event, d.Endpoint, d.Version, d.Status, d.Outcome, d.Attempts, d.Due, d.Turn, want.again}
		if is != *want {
			c.fail(equalFold, want.name(), "it is %s after %d attempts, and should be %s after %d", d.Status, d.Attempts, want.status, want.attempts)
		}
	}
	rules := st.Rules()
	if len(rules) != len(c.fold.rules) {
		c.fail(equalFold, "rules", "there are %d, and should be %d", len(rules), len(c.fold.rules))
		return
	}
	for i, want := range c.fold.rules {
		if is := rules[i]; is.ID != want.id || is.Matched != want.matched || is.Acted != want.acted || !equal(is.Spec, want.spec) {
			c.fail(equalFold, "rule "+want.id, "it matched %d times and acted %d, and should %d and %d", is.Matched, is.Acted, want.matched, want.acted)
		}
	}
}

func sorted[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// Objects checks every object that the history ends with: references and sums.
func (c *Checker) Objects() []Violation {
	from := len(c.found)
	for _, table := range c.tables() {
		for _, r := range c.fold.rows(table) {
			c.resolve(r)
			c.sum(r)
		}
	}
	return c.found[from:]
}

// Past compares a state that is said to be that after an entry with the images of
// that time: where one range of changes ends, the next begins.
func (c *Checker) Past(seq uint64, st *projection.State) []Violation {
	from := len(c.found)
	const id = "image.range-contiguous"
	for _, table := range c.tables() {
		for _, name := range sorted(c.fold.tables[table]) {
			want, is := c.fold.tables[table][name].at(seq), st.Get(table, name)
			switch {
			case want == nil && is == nil:
			case want == nil:
				c.fail(id, table+" "+name, "it stands in the state after #%d, and was not there", seq)
			case is == nil:
				c.fail(id, table+" "+name, "it is not in the state after #%d", seq)
			case !equal(is.Body, want.body):
				c.fail(id, table+" "+name, "after #%d it was another", seq)
			}
		}
	}
	return c.found[from:]
}

// Diff checks what is said to have changed between two entries: each object once,
// with the image it had at the first as before, and that at the last as after.
func (c *Checker) Diff(first, last uint64, d *projection.Diff) []Violation {
	from := len(c.found)
	told := map[string]bool{}
	for _, list := range [...][]projection.Change{d.Created, d.Updated, d.Deleted} {
		for _, change := range list {
			if strings.HasPrefix(change.Table, "webhook.") || strings.HasPrefix(change.Table, "scenario.") {
				continue // not rows, and without images
			}
			name := change.Table + " " + change.ID
			if told[name] {
				c.fail("image.range-contiguous", name, "the diff tells of it twice")
			}
			told[name] = true
			before, after := c.image(change.Table, change.ID, first), c.image(change.Table, change.ID, last)
			if !equal(change.Before, before) {
				c.fail("image.before-equals-prior", name, "after #%d it was not as the diff says", first)
			}
			if !equal(change.After, after) {
				c.fail("image.range-contiguous", name, "after #%d it was not as the diff says", last)
			}
		}
	}
	for _, table := range c.tables() {
		for _, id := range sorted(c.fold.tables[table]) {
			if name := table + " " + id; !told[name] && !equal(c.image(table, id, first), c.image(table, id, last)) {
				c.fail("image.range-contiguous", name, "it changed between #%d and #%d, and the diff says nothing of it", first, last)
			}
		}
	}
	return c.found[from:]
}

// image is the body of a row after an entry, nil if it was not there.
func (c *Checker) image(table, id string, seq uint64) canon.Raw {
	if r := c.fold.last(table, id).at(seq); r != nil {
		return r.body
	}
	return nil
}

// Life is what a world is after a reset, or when it is new.
type Life struct {
	Seq   journal.Seq
	Hash  journal.Hash
	State *projection.State
	// InFlight is how many requests are under way in it.
	InFlight int
}

// Reset holds a world that was just reset to its genesis (a fork: to its joint, with
// the history up to there): it must be as a fresh one, and hold nothing of the life
// before. c must stand at that point.
func (c *Checker) Reset(now Life) []Violation {
	from := len(c.found)
	const held = "reset.nothing-held"
	f, st := c.fold, now.State
	for _, n := range [...]struct {
		what     string
		is, want int64
	}{
		{"requests in flight", int64(now.InFlight), 0}, {"deliveries", st.Deliveries(), int64(len(f.deliveries))},
		{"fault rules", int64(len(st.Rules())), int64(len(f.rules))}, {"marks", int64(len(st.Marks())), int64(len(f.marks))},
	} {
		if n.is != n.want {
			c.fail(held, "", "there are %d %s, and should be %d", n.is, n.what, n.want)
		}
	}
	if len(c.found) > from {
		return c.found[from:]
	}
	if uint64(now.Seq) != c.seq || now.Hash != journal.Hash(c.head) {
		c.fail("reset.equals-fresh", "", "it ends at #%d in %s, a fresh one at #%d in %s", now.Seq, now.Hash, c.seq, journal.Hash(c.head))
	}
	fresh := len(c.found)
	c.Rows(st)
	if n := len(c.found) - fresh; n > 0 {
		first := c.found[fresh]
		c.found = c.found[:fresh]
		c.fail("reset.equals-fresh", first.Object, "%s", fmt.Sprintf("%d differences, the first: %s", n, first.Detail))
	}
	return c.found[from:]
}

// Objects checks the objects of a state that comes without a history: references
// and sums.
func Objects(st *projection.State) []Violation {
	c := &Checker{fold: newFold()}
	for _, table := range st.Tables() {
		for r := range st.Oldest(table, 0) {
			c.fold.put(0, table, r.ID, r.Terms, r.Due, r.Body)
		}
	}
	return c.Objects()
}
