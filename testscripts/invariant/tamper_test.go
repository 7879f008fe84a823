package invariant_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"worlds/journal"
	"worlds/journal/canon"
	"worlds/projection"
	"worlds/testscripts/invariant"
	"worlds/twin"
)

// tampers breaks each invariant once: the change that is made to the story's
// history, or to its rows.
var tampers = []struct {
	id   string
	make func(h *history)           // then all links and hashes are made anew
	raw  func(h *history)           // after that
	rows func(h *history) canon.Raw // a fact that only the rows have
	call func(h *history, c *invariant.Checker) []invariant.Violation
}{
	{id: "log.dense-seq", make: func(h *history) {
		for _, e := range h.entries[8:] {
			e.Seq++
		}
	}},
	{id: "log.append-order", raw: func(h *history) { h.relink(9, journal.Hash{1}) }},
	{id: "log.one-incarnation", raw: func(h *history) { h.relink(9, h.genesis.Hash) }},
	{id: "log.hash-chain", raw: func(h *history) {
		h.entries[9].Hash[0] ^= 1
		h.relink(11, h.entries[9].Hash)
	}},
	{id: "log.genesis", raw: func(h *history) { h.genesis.Seq = 1 }},
	{id: "log.time-monotonic", make: func(h *history) {
		h.edit(29, func(f *journal.Frame) { f.At, f.Facts = 7, []canon.Raw{canon.Raw(`["clock",7]`)} })
		h.entries = h.entries[:29]
	}},
	{id: "log.writer-known", make: func(h *history) { h.command(6, `"actor":"admin"`, `"actor":"deliverer"`) }},
	{id: "entry.command-hash", make: func(h *history) { h.command(6, `"actor":"admin","api":"admin"`, `"api":"admin","actor":"admin"`) }},
	{id: "entry.frames-ordered", make: func(h *history) {
		h.edit(1, func(f *journal.Frame) { f.Facts[2], f.Facts[3] = f.Facts[3], f.Facts[2] })
	}},
	{id: "entry.response-recorded", make: func(h *history) {
		h.edit(10, func(f *journal.Frame) { f.Reply = replaced(f.Reply, `"request":"req_`, `"request":"req_0`) })
	}},
	{id: "rows.equal-fold", rows: func(h *history) canon.Raw {
		return canon.Raw(`["put","zendesk.user","2",[],0,` + string(h.row("zendesk.user", "1")) + `]`)
	}},
	{id: "rows.no-orphan", rows: func(*history) canon.Raw { return canon.Raw(`["put","stripe.refund","re_none",[],0,{}]`) }},
	{id: "rows.refs-resolve", make: func(h *history) {
		h.swap(4, `["put","stripe.refund"`, `"balance_transaction":"txn_`, `"balance_transaction":"txn_0`)
	}},
	{id: "rows.unique", make: func(h *history) {
		old := text(h.row("stripe.invoice", "in_old"), "number")
		for seq, number := 20, text(h.row("stripe.invoice", h.invoice()), "number"); seq <= 22; seq++ {
			h.everywhere(seq, `"`+number+`"`, `"`+old+`"`)
		}
	}},
	{id: "events.seq-order", make: func(h *history) {
		a, b := h.eventOf(4, 0), h.eventOf(4, 1)
		h.swap(4, `["event","`+a, a, "evt_x")
		h.swap(4, `["event","`+b, b, a)
		h.swap(4, `["event","evt_x`, "evt_x", b)
	}},
	{id: "events.id-derivation", make: func(h *history) { h.swap(1, `["event","evt_`, "evt_", "evt_0") }},
	{id: "events.payload-is-row-at-seq", make: func(h *history) {
		h.edit(5, func(f *journal.Frame) {
			i := slices.IndexFunc(f.Facts, func(fact canon.Raw) bool { return bytes.Contains(fact, []byte(`"invoice.paid"`)) })
			f.Facts[i] = append(f.Facts[i][:bytes.LastIndexByte(f.Facts[i], ',')], `,6]`...)
		})
	}},
	{id: "ids.unique", make: func(h *history) { h.swap(28, `["event"`, h.eventOf(28, 0), h.eventOf(4, 0)) }},
	{id: "ids.counter-equals-mints", make: func(h *history) {
		h.swap(28, `["minted"`, `]`, `0]`) // ten times as many
		h.entries = h.entries[:28]
	}},
	{id: "ids.never-below-seed-floor", make: func(h *history) { h.swap(15, `["counter","zendesk.ticket"`, "1002", "1000") }},
	{id: "image.before-equals-prior", make: func(h *history) { h.swap(13, `["event"`, `{"description":null}`, `{"description":"two"}`) }},
	{id: "image.range-contiguous", call: func(h *history, c *invariant.Checker) []invariant.Violation {
		return c.Past(2, h.machine.State)
	}},
	{id: "idem.one-record-per-key", make: func(h *history) {
		h.command(28, `"idem":"ik_2"`, `"idem":"ik_1"`)
		h.swap(28, `["idem"`, "ik_2", "ik_1")
	}},
	{id: "idem.replay-verbatim", make: func(h *history) {
		h.edit(2, func(f *journal.Frame) { f.Reply = replaced(f.Reply, `"sha256":"`, `"sha256":"0`) })
	}},
	{id: "idem.validation-stores-nothing", make: func(h *history) {
		h.command(27, `"method"`, `"idem":"ik_9","method"`)
		h.edit(27, func(f *journal.Frame) {
			f.Facts = append(f.Facts, canon.Raw(fmt.Sprintf(`["idem","ik_9","stripe","DELETE /v1/customers/cus_dana/discount","f",%q,"v",404,{}]`,
				text(f.Reply, "request"))))
		})
	}},
	{id: "delivery.event-exists", make: func(h *history) { h.swap(3, `["delivery",1`, "evt_", "evt_0") }},
	{id: "delivery.attempt-increments", make: func(h *history) { h.swap(8, `["delivery"`, `"pending",1,`, `"pending",2,`) }},
	{id: "delivery.backoff-60·2^(n-1)", make: func(h *history) { h.swap(8, `["delivery"`, `"pending",1,1`, `"pending",1,2`) }},
	{id: "delivery.terminal-once", make: func(h *history) {
		h.add(`{"actor":"deliverer","api":"admin","args":{"attempt":2,"delivery":2,"outcome":"200"},"op":"deliver"}`,
			replaced(h.fact(9, `["delivery"`), `"delivered",1,`, `"delivered",2,`))
	}},
	{id: "delivery.creation-order-first-attempts", make: func(h *history) {
		h.entries[7].Body, h.entries[8].Body = h.entries[8].Body, h.entries[7].Body
	}},
	{id: "clock.only-advance-or-tick", make: func(h *history) {
		h.edit(30, func(f *journal.Frame) {
			f.At++
			f.Facts = append(f.Facts, canon.Raw(fmt.Sprintf(`["clock",%d]`, f.At)))
		})
	}},
	{id: "clock.boundary-timestamps", make: func(h *history) {
		last := h.eventOf(7, 8)
		h.swap(7, `["event","`+last, `,1769904000,`, `,1769904001,`)
	}},
	{id: "clock.plans-ahead", make: func(h *history) { h.swap(13, `["put","stripe.customer"`, `],0,{`, `],1769904000,{`) }},
	{id: "money.charge≥refunded", make: func(h *history) {
		h.swap(28, `["put","stripe.charge"`, `"amount_refunded":600`, `"amount_refunded":500`)
	}},
	{id: "money.invoice-totals", make: func(h *history) {
		h.swap(22, `["put","stripe.invoice"`, `"post_payment_credit_notes_amount":100`, `"post_payment_credit_notes_amount":90`)
	}},
	{id: "money.credit-notes", make: func(h *history) {
		h.swap(22, `["put","stripe.credit_note"`, `"subtotal":100`, `"subtotal":90`)
		h.swap(22, `["event"`, `"subtotal":100,"subtotal_ex`, `"subtotal":90,"subtotal_ex`)
	}},
	{id: "money.balance", make: func(h *history) { h.swap(22, `["put","stripe.customer"`, `"balance":-100`, `"balance":-90`) }},
	{id: "money.net", make: func(h *history) { h.swap(3, `["put","stripe.balance_transaction"`, `"net":2`, `"net":1`) }},
	{id: "money.currency-consistent", make: func(h *history) { h.swap(4, `["put","stripe.refund"`, `"currency":"usd"`, `"currency":"eur"`) }},
	{id: "sub.periods-contiguous", make: func(h *history) {
		h.swap(7, `["put","stripe.subscription"`, `"current_period_start":1769904000`, `"current_period_start":1769904001`)
	}},
	{id: "sub.cap-1000", make: func(h *history) { h.renewTooOften() }},
	{id: "ticket.audit-per-change", make: func(h *history) { h.swap(16, `["put","zendesk.audit"`, `"ticket_id":1001`, `"ticket_id":1002`) }},
	{id: "ticket.closed-final", make: func(h *history) {
		h.add(`{"actor":"admin","api":"admin","args":{"seconds":0},"op":"advance"}`,
			replaced(h.fact(17, `["put","zendesk.audit"`), `["put","zendesk.audit","`, `["put","zendesk.audit","9`),
			replaced(h.fact(17, `["put","zendesk.ticket"`), `"status":"closed"`, `"status":"open"`))
	}},
	{id: "object.created-once", make: func(h *history) { h.swap(13, `["event"`, `"customer.updated"`, `"customer.created"`) }},
	{id: "object.update-after-create", make: func(h *history) { h.swap(1, `["event"`, `"customer.created"`, `"customer.updated"`) }},
	{id: "object.legal-transition", make: func(h *history) {
		h.swap(16, `["put","zendesk.ticket"`, `"status":"solved"`, `"status":"new"`)
		h.swap(17, `["event"`, `"status":"solved"`, `"status":"new"`)
	}},
	{id: "object.terminal-final", make: func(h *history) {
		h.swap(28, `["put","stripe.charge"`, `"customer":"cus_dana"`, `"customer":"`+h.gus()+`"`)
	}},
	{id: "endpoint.no-send-after-removal", make: func(h *history) {
		h.edit(26, func(f *journal.Frame) {
			f.Facts = slices.DeleteFunc(f.Facts, func(fact canon.Raw) bool { return bytes.HasPrefix(fact, []byte(`["delivery"`)) })
		})
		now := h.frame(30).At
		h.add(`{"actor":"deliverer","api":"admin","args":{"attempt":2,"delivery":4,"outcome":"500"},"op":"deliver"}`,
			replaced(h.fact(14, `["delivery"`), `"pending",1,1769904160`, fmt.Sprintf(`"pending",2,%d`, now+120)))
	}},
	{id: "retry.one-open-per-event", make: func(h *history) {
		for _, seq := range []int{3, 9} {
			h.swap(seq, `["delivery",2`, h.eventOf(3, 1), h.eventOf(3, 0))
		}
	}},
	{id: "due-time.never-rewritten", make: func(h *history) {
		h.edit(6, func(f *journal.Frame) {
			f.Facts = append(f.Facts, replaced(h.fact(3, `["delivery",1`), `"pending",0,0`, `"pending",0,5`))
		})
	}},
	{id: "key.use-count", make: func(h *history) { h.swap(25, `["counter","key.uses.short"`, "1]", "2]") }},
	{id: "refusal.changes-nothing", make: func(h *history) {
		h.edit(27, func(f *journal.Frame) { f.Facts = append(f.Facts, h.same("zendesk.user", "2")) })
	}},
	{id: "read.changes-nothing", make: func(h *history) {
		h.edit(30, func(f *journal.Frame) { f.Facts = append(f.Facts, h.same("zendesk.user", "2")) })
	}},
	{id: "reset.equals-fresh", call: func(h *history, _ *invariant.Checker) []invariant.Violation {
		fresh := newHistory(h.t, document)
		if err := fresh.machine.State.Fold(0, []canon.Raw{canon.Raw(`["minted",3]`)}); err != nil {
			h.t.Fatal(err)
		}
		return invariant.New(&h.genesis).Reset(invariant.Life{Hash: h.genesis.Hash, State: fresh.machine.State})
	}},
	{id: "reset.nothing-held", call: func(h *history, _ *invariant.Checker) []invariant.Violation {
		fresh := newHistory(h.t, document)
		return invariant.New(&h.genesis).Reset(invariant.Life{Hash: h.genesis.Hash, State: fresh.machine.State, InFlight: 1})
	}},
}

// TestEachInvariantFires breaks every invariant, and only that, and expects just it
// to be named.
func TestEachInvariantFires(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range tampers {
		seen[c.id] = true
		t.Run(c.id, func(t *testing.T) {
			h := story(t)
			rows := h.machine.State
			if c.make != nil {
				c.make(h)
				h.rechain()
				rows = nil
			}
			if c.raw != nil {
				c.raw(h)
				rows = nil
			}
			if c.rows != nil {
				if err := rows.Fold(uint64(len(h.entries)), []canon.Raw{c.rows(h)}); err != nil {
					t.Fatal(err)
				}
			}
			found := h.check(rows)
			if c.call != nil {
				checker := invariant.New(&h.genesis)
				for _, e := range h.entries {
					checker.Next(e)
				}
				found = append(found, c.call(h, checker)...)
			}
			ids := map[string]bool{}
			for _, v := range found {
				ids[v.ID] = true
			}
			if !maps.Equal(ids, map[string]bool{c.id: true}) {
				t.Errorf("found %v", found)
			}
		})
	}
	for _, i := range invariant.Invariants() {
		if !seen[i.ID] {
			t.Errorf("nothing breaks %s", i.ID)
		}
	}
	if len(seen) != len(invariant.Invariants()) {
		t.Errorf("%d invariants are broken, there are %d", len(seen), len(invariant.Invariants()))
	}
}

// TestDiffAndPast holds diffs and old states that are right, and then wrong ones, to
// the images.
func TestDiffAndPast(t *testing.T) {
	h := story(t)
	checker := invariant.New(&h.genesis)
	begin := newHistory(t, document).machine.State
	middle := begin.Copy()
	for i, e := range h.entries {
		checker.Next(e)
		if i < 6 {
			if err := middle.Fold(uint64(e.Seq), h.frame(i+1).Facts); err != nil {
				t.Fatal(err)
			}
		}
	}
	end := uint64(len(h.entries))
	diff := projection.Compare(middle, h.machine.State)
	found := append(checker.Past(6, middle), checker.Past(0, begin)...)
	found = append(found, checker.Diff(6, end, diff)...)
	found = append(found, checker.Diff(0, 6, projection.Compare(begin, middle))...)
	for _, v := range found {
		t.Error(v)
	}
	for name, c := range map[string]struct {
		want string
		make func(d *projection.Diff)
	}{
		"left out": {"image.range-contiguous", func(d *projection.Diff) { d.Updated = d.Updated[1:] }},
		"twice":    {"image.range-contiguous", func(d *projection.Diff) { d.Updated = append(d.Updated, d.Updated[0]) }},
		"after":    {"image.range-contiguous", func(d *projection.Diff) { d.Updated[0].After = canon.Raw(`{}`) }},
		"before":   {"image.before-equals-prior", func(d *projection.Diff) { d.Updated[0].Before = canon.Raw(`{}`) }},
	} {
		d := projection.Compare(middle, h.machine.State)
		c.make(d)
		if found := checker.Diff(6, end, d); len(found) != 1 || found[0].ID != c.want {
			t.Errorf("%s: found %v", name, found)
		}
	}
}

// relink makes an entry follow another hash, and the rest follow it.
func (h *history) relink(seq int, prev journal.Hash) {
	for _, e := range h.entries[seq-1:] {
		e.Prev, e.Hash = prev, journal.Link(prev, e.Seq, e.Body)
		prev = e.Hash
	}
}

// command changes the command of an entry.
func (h *history) command(seq int, old, now string) {
	h.t.Helper()
	h.edit(seq, func(f *journal.Frame) { f.Command = replaced(f.Command, old, now) })
}

// everywhere replaces a text in all facts of an entry.
func (h *history) everywhere(seq int, old, now string) {
	h.t.Helper()
	h.edit(seq, func(f *journal.Frame) {
		for i, fact := range f.Facts {
			f.Facts[i] = canon.Raw(strings.ReplaceAll(string(fact), old, now))
		}
	})
}

// fact is the first fact of an entry that begins so.
func (h *history) fact(seq int, begins string) canon.Raw {
	h.t.Helper()
	for _, fact := range h.frame(seq).Facts {
		if bytes.HasPrefix(fact, []byte(begins)) {
			return fact
		}
	}
	h.t.Fatalf("#%d has no fact %s…", seq, begins)
	return nil
}

// eventOf is the id of the n-th event of an entry.
func (h *history) eventOf(seq, n int) string {
	h.t.Helper()
	for e := range h.machine.State.OldestEvents(0) {
		if e.Seq == uint64(seq) {
			if n--; n < 0 {
				return e.ID
			}
		}
	}
	h.t.Fatalf("#%d has fewer events", seq)
	return ""
}

// add appends an entry made by hand.
func (h *history) add(command string, facts ...canon.Raw) {
	h.t.Helper()
	f := journal.Frame{At: h.frame(len(h.entries)).At, Command: canon.Raw(command), Facts: facts, Reply: canon.Raw(`{"body":{},"status":200}`)}
	h.entries = append(h.entries, &journal.Entry{Seq: journal.Seq(len(h.entries) + 1), Body: f.AppendBody(nil)})
}

func (h *history) row(table, id string) canon.Raw {
	h.t.Helper()
	r := h.machine.State.Get(table, id)
	if r == nil {
		h.t.Fatalf("there is no %s %s", table, id)
	}
	return r.Body
}

// same is a fact that puts a row as it is.
func (h *history) same(table, id string) canon.Raw {
	h.t.Helper()
	r := h.machine.State.Get(table, id)
	return (&projection.Put{Table: table, ID: id, Terms: r.Terms, Due: r.Due, Body: r.Body}).Append(nil)
}

// invoice is the id of the invoice that the story makes by hand.
func (h *history) invoice() string {
	_, rest, _ := strings.Cut(text(h.frame(20).Command, "path"), "/v1/invoices/")
	id, _, _ := strings.Cut(rest, "/")
	return id
}

// gus is the id of the customer that the story makes.
func (h *history) gus() string { return h.last("stripe.customer") }

func (h *history) last(table string) string {
	for r := range h.machine.State.Newest(table, 0) {
		return r.ID
	}
	h.t.Fatalf("there is no %s", table)
	return ""
}

// renewTooOften renews the subscription again and again within one advance.
func (h *history) renewTooOften() {
	body := string(h.row("stripe.subscription", h.last("stripe.subscription")))
	start, end := twin.Time(1769904000), twin.Time(1772323200)
	var facts []canon.Raw
	id := h.last("stripe.subscription")
	for range 1001 {
		next := end + 1
		body = strings.Replace(body, fmt.Sprintf(`"current_period_end":%d,"current_period_start":%d`, end, start),
			fmt.Sprintf(`"current_period_end":%d,"current_period_start":%d`, next, end), 1)
		start, end = end, next
		facts = append(facts, (&projection.Put{Table: "stripe.subscription", ID: id, Body: canon.Raw(body)}).Append(nil))
	}
	h.add(`{"actor":"admin","api":"admin","args":{"seconds":0},"op":"advance"}`, facts...)
}

func replaced(raw canon.Raw, old, now string) canon.Raw {
	out := strings.Replace(string(raw), old, now, 1)
	if out == string(raw) {
		panic("there is no " + old + " in " + string(raw))
	}
	return canon.Raw(out)
}

func text(object canon.Raw, name string) string {
	raw, _ := canon.Get(object, name)
	s, _ := canon.Unquote(raw)
	return s
}
