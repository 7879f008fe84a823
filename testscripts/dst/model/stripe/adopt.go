package stripe

import (
	"bytes"
	"slices"
	"strings"

	"worlds/journal/canon"
	"worlds/testscripts/dst/model"
)

// Adopt takes a world as it is: after a change that the model has no opinion of, or
// when it is lost. What the model holds already and the world has alike stays as it
// is; the rest is read. An object that the model cannot tell back from what it read of
// it is opaque.
func (m *Model) Adopt(w *World) {
	m.undo, m.lost, m.request = nil, "", requestInfo{}
	m.now = w.Now
	m.hints = m.readHints(w)
	for _, id := range m.coupons.order {
		k := *m.coupons.rows[id]
		m.gone[id] = &k
	}
	for _, s := range m.tables {
		s.adopt(w.Tables[s.name])
	}
	for id := range m.coupons.rows {
		delete(m.gone, id)
	}
	m.placeNew()
	m.linkPayments()
	m.takeHints()
	for turn, more := 0, true; turn < 2 && more; turn++ { // what shows an opaque object is opaque
		more = false
		for _, s := range m.tables {
			more = s.settle() || more
		}
	}
	m.adoptEvents(w.Events)
	m.adoptKeys(w.Keys)
	m.undo = nil
}

// hints are what the tables say that the API does not show.
type hints struct {
	spent     map[string]bool
	deadlines map[string]int64 // by what:of
	taxed     map[string]bool  // customers with tax ids, which their invoices show
}

func (m *Model) readHints(w *World) hints {
	h := hints{spent: map[string]bool{}, deadlines: map[string]int64{}, taxed: map[string]bool{}}
	for _, row := range w.Tables["tax_id"] {
		v, _ := model.Parse(row.Body)
		h.taxed[m.symbolOf(v.Get("customer").Text)] = true
	}
	for _, row := range w.Tables["spent_payment_method"] {
		v, _ := model.Parse(row.Body)
		h.spent[m.symbolOf(v.Get("id").Text)] = true
	}
	for _, row := range w.Tables["deadline"] {
		v, _ := model.Parse(row.Body)
		what, _, _ := strings.Cut(v.Get("id").Text, ":")
		h.deadlines[what+":"+m.symbolOf(v.Get("of").Text)], _ = v.Get("at").Number()
	}
	return h
}

// takeHints takes what time has done and objects do not show.
func (m *Model) takeHints() {
	for _, id := range m.invoices.order {
		if old := m.invoices.rows[id]; old.status == "open" && old.dueDate != 0 {
			in := *old
			in.overdue = m.hints.deadlines["due_date:"+id] == 0
			m.invoices.rows[id] = &in
		}
	}
	for _, id := range m.customers.order {
		if m.hints.taxed[id] {
			m.customers.hide(id)
		}
	}
	for _, id := range m.subs.order {
		s := *m.subs.rows[id]
		s.warnAt = m.hints.deadlines["trial_will_end:"+id]
		m.subs.rows[id] = &s
	}
	for _, id := range m.refunds.order {
		r := *m.refunds.rows[id]
		r.settles = m.hints.deadlines["refund_outcome:"+id]
		m.refunds.rows[id] = &r
	}
	for _, id := range m.methods.order {
		p := *m.methods.rows[id]
		p.spent = m.hints.spent[id]
		m.methods.rows[id] = &p
	}
}

// adopt takes a table's rows. Those that are not read again are as they were found
// right before.
func (t *table[T]) adopt(rows []Row) {
	old := t.rows
	t.rows, t.order, t.read = map[string]*T{}, nil, map[string]model.Value{}
	opaque := t.opaque
	t.opaque = map[string]model.Value{}
	for _, at := range rows {
		id := t.m.symbolOf(at.ID)
		t.order = append(t.order, id)
		before, was := old[id], opaque[id]
		if before != nil && was.Kind == model.Absent && !t.dirty[id] && bytes.Equal(t.m.checked.rows[t.name+"/"+id].raw, at.Body) {
			t.rows[id] = before
			continue
		}
		v, _ := model.Parse(at.Body)
		v = awake(v)
		t.read[id] = v
		row := new(T)
		if before != nil {
			*row = *before
		}
		t.rows[id] = row
		func() { // what cannot be read stays opaque
			defer func() { _ = recover() }()
			t.from(&source{m: t.m, id: id, v: v, known: before != nil}, row)
		}()
		t.dirty[id] = true
	}
}

// settle makes opaque what the model shows otherwise than it is, and says whether there
// is such a thing.
func (t *table[T]) settle() (more bool) {
	for _, id := range t.order {
		if t.opaque[id].Kind != model.Absent {
			continue
		}
		v, read := t.read[id]
		if !read { // found right before: all that matters is that it can still be shown
			v = awake(t.m.checked.rows[t.name+"/"+id].value)
		}
		if !t.shows(id, v) {
			t.opaque[id], more = v, true
		}
	}
	return more
}

// hide makes an object opaque.
func (t *table[T]) hide(id string) {
	v, read := t.read[id]
	if !read {
		v = awake(t.m.checked.rows[t.name+"/"+id].value)
	}
	t.opaque[id] = v
}

// shows reports whether the model shows an object as it is.
func (t *table[T]) shows(id string, v model.Value) (same bool) {
	defer func() {
		if recover() != nil {
			same = false
		}
	}()
	want := t.body(t.m, t.rows[id])
	switch t.name {
	case "balance_transaction":
		want = want.With("status", model.Any)
	case "coupon":
		want = want.With("valid", model.Any)
	}
	t.m.names.Try(func() { same = len(model.Compare(want, v, t.m.names)) == 0 })
	return same
}

// creation is the order in which one request makes objects of several tables.
var creation = []string{"product", "price", "customer", "payment_method", "coupon", "promotion_code", "discount", "subscription", "invoice_item",
	"invoice", "payment_intent", "invoice_payment", "setup_intent", "charge", "refund", "dispute"}

// placeNew gives the objects that the model did not know their places.
func (m *Model) placeNew() {
	for _, name := range creation {
		for _, s := range m.tables {
			if s.name != name {
				continue
			}
			for _, id := range s.order() {
				if m.places[name+"/"+id] == 0 {
					m.places[name+"/"+id] = m.nextSeq()
				}
			}
		}
	}
}

// linkPayments finds the intents of invoices.
func (m *Model) linkPayments() {
	for _, id := range m.payments.order {
		p := m.payments.rows[id]
		if _, fresh := m.payments.read[id]; !fresh {
			continue
		}
		in, pi := m.invoices.rows[p.invoice], m.intents.rows[p.intent]
		if in == nil || pi == nil {
			continue
		}
		in2, pi2 := *in, *pi
		in2.payment, in2.intent, pi2.invoice = id, p.intent, in.id
		m.invoices.rows[in.id], m.intents.rows[pi.id] = &in2, &pi2
	}
	for _, id := range m.invoices.order {
		if _, fresh := m.invoices.read[id]; fresh {
			m.linkTries(m.invoices.rows[id])
		}
	}
}

// linkTries finds out how often time has tried to collect an invoice that was read,
// or makes it opaque.
func (m *Model) linkTries(in *invoice) {
	in.seq = m.seqOf("invoice", in.id)
	if in.dueSeq == 0 {
		in.dueSeq = m.seqOf("invoice", in.id)
	}
	in.notes = len(m.notes.find(func(n *note) bool { return n.invoice == in.id }))
	if in.status != "open" || in.collection != "charge_automatically" || !in.autoAdvance {
		in.tryAt = 0
		return
	}
	if s := m.subs.rows[in.sub]; s != nil && s.status == "incomplete" && in.reason == "subscription_create" && in.nextAttempt == 0 {
		return
	}
	if in.nextAttempt == 0 && !in.attempted && in.tryAt == 0 { // that it will be tried is known, and no more
		in.tryAt, in.trySeq = in.finalized+tryAfter, m.nextSeq()
	}
	m.invoices.opaque[in.id] = m.invoices.read[in.id] // what time has done, and will, is not shown
}

// Strange reports whether an operation names an id that no answer has told the model
// of, though the world may have it: the model learns it from a dump.
func (m *Model) Strange(op model.Op) bool {
	words := strings.Split(op.Path, "/")
	for _, p := range op.Params {
		words = append(words, p.Value)
	}
	return slices.ContainsFunc(words, func(word string) bool {
		kind, _, ok := strings.Cut(word, "_")
		if !ok || m.minted[kind] == 0 && kind != "du" || m.symbolOf(word) != word {
			return false
		}
		return !slices.ContainsFunc(m.tables, func(s shelf) bool { return s.has(word) })
	})
}

// awake is a value at rest as the API shows it.
func awake(v model.Value) model.Value {
	if p := v.Get("percent_off"); p.Kind == model.String {
		v = v.With("percent_off", model.Decimal(p.Text))
	}
	if data := v.Get("data"); data.Kind == model.Array {
		list := slices.Clone(data.List)
		for i := range list {
			list[i] = awake(list[i])
		}
		v = v.With("data", list)
	}
	return v
}

// adoptEvents takes the events that were not found right before.
func (m *Model) adoptEvents(log []canon.Raw) {
	m.events = m.events[:min(len(m.events), len(m.checked.events))]
	for _, raw := range log[min(len(log), len(m.events)):] {
		v, _ := model.Parse(raw)
		created, _ := v.Get("created").Number()
		request := v.Get("meta").Get("request")
		m.events = append(m.events, event{id: m.symbolOf(v.Get("id").Text), kind: v.Get("type").Text, created: created,
			object: awake(v.Get("object")), previous: v.Get("meta").Get("previous_attributes"),
			request: requestInfo{request.Get("id").Text, request.Get("idempotency_key").Text}})
		m.checked.events = append(m.checked.events, raw)
	}
}

// adoptKeys takes note of idempotency keys whose answers the model does not know.
func (m *Model) adoptKeys(list []canon.Raw) {
	names := map[string]string{}
	for key, alias := range m.aliases {
		names[alias] = key
	}
	for _, raw := range list {
		v, _ := model.Parse(raw)
		alias := v.Get("key").Text
		key := or(names[alias], alias)
		if v.Get("api").Text == "stripe" && m.keys[key] == nil {
			m.keys[key] = &answered{alias: alias, unsure: true}
		}
	}
}
