package projection_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"worlds/journal/canon"
	"worlds/projection"
)

// The texts that random facts are made of: few, so that they meet, and nasty.
// twins is two texts that one hash stands for.
var (
	twins  = []string{"cus_000000000001", projection.Collide("cus_000000000001")}
	ids    = append([]string{"", "a", "b", "a\x00", `q"\`, "ö😀", "c1", "c2", "c3"}, twins...)
	tables = []string{"", "t", "t\x00a", "\uFB33", "😀"}
	terms  = append([]string{"", "x=1", "x=1\x00", "x=1\x00\x00\x00\x00\x00\x00\x00\x00\x01", "a\x00x=1", "y"}, twins...)
	names  = append([]string{"", "n", "n\n", "\uFB33", "😀"}, twins...)
	bodies = []canon.Raw{canon.Raw(`{}`), canon.Raw(`{"a":1}`), canon.Raw(`{"a":[],"b":"]}"}`), canon.Raw(`null`), canon.Raw(`{"id":"x\"]"}`)}
)

// pick draws one of list; rapid.SampledFrom would name each of them in a log.
func pick[T any](t *rapid.T, list []T) T { return list[rapid.IntRange(0, len(list)-1).Draw(t, "pick")] }

// drawFact draws a fact that may stand behind prior.
func drawFact(t *rapid.T, prior []projection.Fact) projection.Fact {
	small := rapid.Int64Range(-3, 9)
	switch kind := rapid.IntRange(0, 15).Draw(t, "kind"); kind {
	default:
		due := small.Draw(t, "due")
		return &projection.Put{
			Table: pick(t, tables), ID: pick(t, ids), Due: due, Body: pick(t, bodies),
			Terms: rapid.SliceOfN(rapid.SampledFrom(terms), 0, 3).Draw(t, "terms"),
		}
	case 6, 7:
		return &projection.Delete{Table: pick(t, tables), ID: pick(t, ids)}
	case 8:
		f := &projection.Event{ID: pick(t, ids), API: pick(t, names), Type: "t", Created: small.Draw(t, "created"), Meta: pick(t, bodies)}
		f.Ref, f.Object = drawBody(t, prior)
		return f
	case 9:
		f := &projection.Idem{Key: pick(t, names), API: "a", Target: "POST /", Status: small.Draw(t, "status")}
		f.Ref, f.Reply = drawBody(t, prior)
		return f
	case 10:
		return &projection.Counter{Name: pick(t, names), Value: small.Draw(t, "value")}
	case 11:
		return &projection.Mark{Name: pick(t, names)}
	case 12:
		return &projection.Clock{Now: small.Draw(t, "now")}
	case 14:
		return &projection.Delivery{
			Number: rapid.Int64Range(1, 70).Draw(t, "number"), Event: pick(t, ids), Endpoint: pick(t, names),
			Status: pick(t, []string{projection.Pending, projection.Delivered, projection.Failed}),
			Due:    small.Draw(t, "due"), Turn: rapid.Int64Range(0, 9).Draw(t, "turn"),
		}
	case 15:
		return &projection.Rule{ID: pick(t, names), Matched: small.Draw(t, "matched"), Spec: pick(t, bodies)}
	case 13:
		if n := small.Draw(t, "count"); n%2 == 0 {
			return &projection.Log{Count: n}
		} else {
			return &projection.Minted{Count: n}
		}
	}
}

func drawBody(t *rapid.T, prior []projection.Fact) (int, canon.Raw) {
	for i, f := range prior {
		if put, ok := f.(*projection.Put); ok && rapid.Bool().Draw(t, "refer") {
			return i, put.Body
		}
	}
	return projection.NoRef, pick(t, bodies)
}

func drawEntry(t *rapid.T) []projection.Fact {
	var facts []projection.Fact
	for range rapid.IntRange(0, 5).Draw(t, "facts") {
		facts = append(facts, drawFact(t, facts))
	}
	return facts
}

// model is a State as maps and lists, with nothing clever in it.
type model struct {
	rows                  []projection.Row // in creation order; Terms and so on as in the Put
	table                 []string         // of each row
	ords                  uint64
	events                []projection.EventRow
	idems                 map[string]projection.Idem
	deliveries            map[int64]projection.Delivery
	rules                 []projection.Rule
	marks                 map[string]uint64
	counters              map[string]int64
	clock, minted, logged int64
}

func newModel() *model {
	return &model{idems: map[string]projection.Idem{}, marks: map[string]uint64{}, counters: map[string]int64{},
		deliveries: map[int64]projection.Delivery{}}
}

func (m *model) clone() *model {
	c := *m
	c.rows, c.table, c.events = slices.Clone(m.rows), slices.Clone(m.table), slices.Clone(m.events)
	c.idems, c.marks, c.counters = maps.Clone(m.idems), maps.Clone(m.marks), maps.Clone(m.counters)
	c.deliveries, c.rules = maps.Clone(m.deliveries), slices.Clone(m.rules)
	return &c
}

func (m *model) find(table, id string) int {
	for i, r := range m.rows {
		if m.table[i] == table && r.ID == id {
			return i
		}
	}
	return -1
}

func (m *model) apply(f projection.Fact, seq uint64) {
	switch f := f.(type) {
	case *projection.Put:
		row := projection.Row{ID: f.ID, Seq: seq, Terms: f.Terms, Due: f.Due, Body: f.Body}
		if i := m.find(f.Table, f.ID); i >= 0 {
			row.Ord = m.rows[i].Ord
			m.rows[i] = row
			return
		}
		m.ords++
		row.Ord = m.ords
		m.rows, m.table = append(m.rows, row), append(m.table, f.Table)
	case *projection.Delete:
		if i := m.find(f.Table, f.ID); i >= 0 {
			m.rows, m.table = slices.Delete(m.rows, i, i+1), slices.Delete(m.table, i, i+1)
		}
	case *projection.Event:
		m.events = append(m.events, projection.EventRow{Number: uint64(len(m.events)) + 1, Seq: seq, Event: *f})
	case *projection.Idem:
		m.idems[f.Key] = *f
	case *projection.Mark:
		m.marks[f.Name] = seq
	case *projection.Counter:
		m.counters[f.Name] = f.Value
	case *projection.Clock:
		m.clock = f.Now
	case *projection.Minted:
		m.minted = f.Count
	case *projection.Log:
		m.logged = f.Count
	case *projection.Delivery:
		m.deliveries[f.Number] = *f
	case *projection.Rule:
		i := slices.IndexFunc(m.rules, func(r projection.Rule) bool { return r.ID == f.ID })
		switch {
		case string(f.Spec) != "null" && i < 0:
			m.rules = append(m.rules, *f)
		case string(f.Spec) != "null":
			m.rules[i] = *f
		case i >= 0:
			m.rules = slices.Delete(m.rules, i, i+1)
		}
	}
}

// list is the rows of table that carry term ("*" = all), oldest first.
func (m *model) list(table, term string) []projection.Row {
	var out []projection.Row
	for i, r := range m.rows {
		if m.table[i] == table && (term == "*" || slices.Contains(r.Terms, term)) {
			out = append(out, r)
		}
	}
	return out
}

func (m *model) dump() string {
	var objects, events, idems, counters []string
	for _, table := range slices.SortedFunc(slices.Values(m.table), canon.CompareKeys) {
		var rows []string
		for _, r := range m.list(table, "*") {
			rows = append(rows, string(r.Body))
		}
		if text := fmt.Sprintf("%s:[%s]", quote(table), strings.Join(rows, ",")); !slices.Contains(objects, text) {
			objects = append(objects, text)
		}
	}
	for _, e := range m.events {
		events = append(events, eventText(&e))
	}
	for _, key := range slices.Sorted(maps.Keys(m.idems)) {
		f := m.idems[key]
		idems = append(idems, fmt.Sprintf(
			`{"api":%s,"fingerprint":%s,"key":%s,"reply":%s,"request":%s,"status":%d,"target":%s,"version":%s}`,
			quote(f.API), quote(f.Fingerprint), quote(f.Key), f.Reply, quote(f.Request), f.Status, quote(f.Target), quote(f.Version)))
	}
	for _, name := range slices.SortedFunc(maps.Keys(m.counters), canon.CompareKeys) {
		counters = append(counters, fmt.Sprintf("%s:%d", quote(name), m.counters[name]))
	}
	marks := m.markNames()
	for i := range marks {
		marks[i] = quote(marks[i])
	}
	return fmt.Sprintf(`{"clock":%d,"counters":{%s},"deliveries":[%s],"events":[%s],"idempotency":[%s],"marks":[%s],`+
		`"minted":%d,"objects":{%s},"rules":[%s]}`,
		m.clock, strings.Join(counters, ","), strings.Join(m.deliveryTexts(), ","), strings.Join(events, ","), strings.Join(idems, ","),
		strings.Join(marks, ","), m.minted, strings.Join(objects, ","), strings.Join(m.ruleTexts(), ","))
}

func (m *model) deliveryTexts() (out []string) {
	for _, n := range slices.Sorted(maps.Keys(m.deliveries)) {
		f := m.deliveries[n]
		out = append(out, fmt.Sprintf(
			`{"attempts":%d,"due":%d,"endpoint":%s,"event":%s,"number":%d,"outcome":%s,"status":%s,"turn":%d,"version":%s}`,
			f.Attempts, f.Due, quote(f.Endpoint), quote(f.Event), f.Number, quote(f.Outcome), quote(f.Status), f.Turn, quote(f.Version)))
	}
	return out
}

func (m *model) ruleTexts() (out []string) {
	for _, f := range m.rules {
		out = append(out, fmt.Sprintf(`{"acted":%d,"id":%s,"matched":%d,"rule":%s}`, f.Acted, quote(f.ID), f.Matched, f.Spec))
	}
	return out
}

func (m *model) markNames() []string {
	marks := slices.Sorted(maps.Keys(m.marks))
	slices.SortStableFunc(marks, func(a, b string) int { return int(m.marks[a]) - int(m.marks[b]) })
	return marks
}

func quote(s string) string { return string(canon.AppendString(nil, s)) }

func eventText(e *projection.EventRow) string {
	return fmt.Sprintf(`{"api":%s,"created":%d,"id":%s,"meta":%s,"object":%s,"type":%s}`,
		quote(e.API), e.Created, quote(e.ID), e.Meta, e.Object, quote(e.Type))
}

// view is everything that the methods of a State show, as lines of text.
type view struct{ strings.Builder }

func (v *view) line(format string, args ...any) { fmt.Fprintf(v, format+"\n", args...) }

func (v *view) row(r *projection.Row) {
	if r == nil {
		v.line("  no row")
		return
	}
	v.line("  %d %q at %d: %q due %d %s", r.Ord, r.ID, r.Seq, r.Terms, r.Due, r.Body)
}

func dumpOf(s *projection.State) string {
	var text strings.Builder
	if err := s.WriteDump(&text); err != nil {
		panic(err)
	}
	return text.String()
}

// bounds are the list positions that a view asks for.
var bounds = []uint64{0, 1, 2, 5, 70, ^uint64(0)}

func viewOf(s *projection.State) string {
	v := new(view)
	v.line("%s", dumpOf(s))
	v.line("now %d minted %d logged %d events %d tables %q", s.Now(), s.Minted(), s.Logged(), s.Events(), s.Tables())
	for _, table := range tables {
		for _, id := range ids {
			v.row(s.Get(table, id))
		}
		v.line("table %q: %d", table, s.Len(table))
		for _, at := range bounds {
			v.line(" newest before %d, oldest after", at)
			for r := range s.Newest(table, at) {
				v.row(r)
			}
			for r := range s.Oldest(table, at) {
				v.row(r)
			}
			for _, term := range terms {
				v.line(" with %q", term)
				for r := range s.NewestWith(table, term, at) {
					v.row(r)
				}
				for r := range s.OldestWith(table, term, at) {
					v.row(r)
				}
			}
		}
	}
	for _, at := range bounds {
		v.line(" events before and after %d", at)
		for e := range s.NewestEvents(at) {
			v.line("  %d at %d %s", e.Number, e.Seq, eventText(e))
		}
		for e := range s.OldestEvents(at) {
			v.line("  %d at %d", e.Number, e.Seq)
		}
	}
	for _, id := range ids {
		if e := s.EventByID(id); e != nil {
			v.line("event %q is %d", id, e.Number)
		}
	}
	for _, name := range names {
		v.line("counter %q %d", name, s.Counter(name))
		if f := s.Idem("a", name); f != nil {
			v.line("idem %q %d %s", name, f.Status, f.Reply)
		}
		if m := s.Mark(name); m != nil {
			v.line("mark %q at %d", m.Name, m.Seq)
		}
	}
	for _, m := range s.Marks() {
		v.line("mark %q", m.Name)
	}
	v.line("due: %v", dueOrder(s))
	v.line("deliveries %d", s.Deliveries())
	for _, f := range s.PendingDeliveries() {
		v.line("pending %d", f.Number)
	}
	return v.String()
}

// dueOrder takes the rows out of a copy of s as time would.
func dueOrder(s *projection.State) (out []string) {
	s = s.Copy()
	for {
		d, ok := s.NextDue(8)
		if !ok {
			return out
		}
		out = append(out, fmt.Sprintf("%d %q %q", d.At, d.Table, d.ID))
		s.Apply(&projection.Delete{Table: d.Table, ID: d.ID}, 0)
	}
}

func (m *model) view() string {
	v := new(view)
	v.line("%s", m.dump())
	held := slices.Compact(slices.Sorted(slices.Values(m.table)))
	v.line("now %d minted %d logged %d events %d tables %q", m.clock, m.minted, m.logged, len(m.events), held)
	for _, table := range tables {
		for _, id := range ids {
			if i := m.find(table, id); i >= 0 {
				v.row(&m.rows[i])
			} else {
				v.row(nil)
			}
		}
		v.line("table %q: %d", table, len(m.list(table, "*")))
		for _, at := range bounds {
			v.line(" newest before %d, oldest after", at)
			v.page(m.list(table, "*"), at)
			for _, term := range terms {
				v.line(" with %q", term)
				v.page(m.list(table, term), at)
			}
		}
	}
	m.viewEvents(v)
	for _, name := range names {
		v.line("counter %q %d", name, m.counters[name])
		if f, ok := m.idems[name]; ok {
			v.line("idem %q %d %s", name, f.Status, f.Reply)
		}
		if seq, ok := m.marks[name]; ok {
			v.line("mark %q at %d", name, seq)
		}
	}
	for _, name := range m.markNames() {
		v.line("mark %q", name)
	}
	v.line("due: %v", m.dueOrder())
	v.line("deliveries %d", len(m.deliveries))
	for _, n := range m.pending() {
		v.line("pending %d", n)
	}
	return v.String()
}

func (v *view) page(rows []projection.Row, at uint64) {
	for _, r := range slices.Backward(rows) {
		if at == 0 || r.Ord < at {
			v.row(&r)
		}
	}
	for _, r := range rows {
		if r.Ord > at {
			v.row(&r)
		}
	}
}

func (m *model) viewEvents(v *view) {
	for _, at := range bounds {
		v.line(" events before and after %d", at)
		for _, e := range slices.Backward(m.events) {
			if at == 0 || e.Number < at {
				v.line("  %d at %d %s", e.Number, e.Seq, eventText(&e))
			}
		}
		for _, e := range m.events {
			if e.Number > at {
				v.line("  %d at %d", e.Number, e.Seq)
			}
		}
	}
	for _, id := range ids {
		for _, e := range slices.Backward(m.events) {
			if e.ID == id {
				v.line("event %q is %d", id, e.Number)
				break
			}
		}
	}
}

// pending is the numbers of the pending deliveries by turn, turn 0 last.
func (m *model) pending() (out []int64) {
	for _, n := range slices.Sorted(maps.Keys(m.deliveries)) {
		if m.deliveries[n].Status == projection.Pending {
			out = append(out, n)
		}
	}
	turn := func(n int64) int64 { return (m.deliveries[n].Turn + 99) % 100 }
	slices.SortStableFunc(out, func(a, b int64) int { return int(turn(a) - turn(b)) })
	return out
}

func (m *model) dueOrder() (out []string) {
	order := make([]int, 0, len(m.rows))
	for i, r := range m.rows {
		if r.Due != 0 && r.Due <= 8 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(m.rows[a].Due - m.rows[b].Due) })
	for _, i := range order {
		out = append(out, fmt.Sprintf("%d %q %q", m.rows[i].Due, m.table[i], m.rows[i].ID))
	}
	return out
}
