package dst

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"worlds/journal"
	"worlds/journal/canon"
	"worlds/projection"
	"worlds/seed"
	"worlds/testscripts/dst/model"
	stripemodel "worlds/testscripts/dst/model/stripe"
	zendeskmodel "worlds/testscripts/dst/model/zendesk"
	"worlds/testscripts/invariant"
)

// theory is a model of a twin: a second opinion on what it must answer.
type theory interface {
	// judge predicts an answer and compares it, or says why it has no opinion. before is
	// the world before the request.
	judge(op model.Op, before holding, status int, body []byte) (diffs []model.Diff, unknown string)
	// knows says beforehand, by what a request says, whether judge will have one.
	knows(op model.Op) bool
	// graph compares a whole world; known is false if the model has lost it.
	graph(dump []byte) (diffs []model.Diff, known bool)
	advance(to int64)
	// adopt takes the world as it is after a change that the model has no opinion of,
	// and compares what it was before it. ok is false if the model cannot.
	adopt(before, after holding) (diffs []model.Diff, ok bool)
	// lost reports whether the model no longer knows what the world is like.
	lost() bool
	// seen tells of an idempotency key of a request that judge is not told of.
	seen(key string)
}

// holding reads what a world holds, when it is asked for.
type holding func() *stripemodel.World

type stripeTheory struct{ m *stripemodel.Model }

func (t stripeTheory) judge(op model.Op, before holding, status int, body []byte) ([]model.Diff, string) {
	if t.m.Strange(op) {
		if diffs := t.m.CheckDump(before()); len(diffs) > 0 {
			return diffs, ""
		}
	}
	want := t.m.Do(op)
	if !want.Known {
		return nil, want.Why
	}
	return t.m.Check(want, status, body, op), ""
}

func (t stripeTheory) knows(op model.Op) bool { return t.m.Knows(op) }

func (t stripeTheory) graph(dump []byte) ([]model.Diff, bool) {
	return t.m.CheckDump(stripemodel.ReadWorld(dump)), t.m.Lost() == ""
}

func (t stripeTheory) advance(to int64) { t.m.Advance(to) }

func (t stripeTheory) lost() bool { return t.m.Lost() != "" }

func (t stripeTheory) adopt(before, after holding) (diffs []model.Diff, ok bool) {
	if !t.lost() {
		diffs = t.m.CheckDump(before())
	}
	if len(diffs) == 0 {
		t.m.Adopt(after())
	}
	return diffs, true
}

func (t stripeTheory) seen(key string) { t.m.Seen(key) }

type zendeskTheory struct{ m *zendeskmodel.Model }

func (t zendeskTheory) judge(op model.Op, _ holding, status int, body []byte) ([]model.Diff, string) {
	want := t.m.Do(op)
	if !want.Known {
		return nil, want.Why
	}
	return t.m.Check(want, status, body), ""
}

func (t zendeskTheory) knows(op model.Op) bool { return t.m.Knows(op) }

func (t zendeskTheory) advance(to int64) { t.m.Advance(to) }
func (t zendeskTheory) seen(string)      {}
func (t zendeskTheory) lost() bool       { return false }

func (t zendeskTheory) graph(dump []byte) ([]model.Diff, bool) {
	return t.m.CheckDump(deskOf(dump)), true
}

// deskOf is what of a dump the help desk's model looks at: its tables, and the clock.
func deskOf(dump []byte) []byte {
	var b bytes.Buffer
	clock, _ := canon.Get(dump, "clock")
	objects, _ := canon.Get(dump, "objects")
	fmt.Fprintf(&b, `{"clock":%s,"objects":{`, clock)
	for table, rows := range canon.Members(objects) {
		if strings.HasPrefix(table, apiZendesk+".") {
			fmt.Fprintf(&b, `"%s":%s,`, table, rows)
		}
	}
	return append(bytes.TrimSuffix(b.Bytes(), []byte{','}), "}}"...)
}

func (t zendeskTheory) adopt(_, _ holding) ([]model.Diff, bool) { return nil, false }

// theories are the models of the twins that were asked for, by API, for a world of a
// seed.
func theories(doc *seed.Seed, asked string) (map[string]theory, error) {
	out := map[string]theory{}
	if strings.Contains(asked, apiStripe) {
		m, err := stripemodel.New(doc.Canonical)
		if err != nil {
			return nil, err
		}
		out[apiStripe] = stripeTheory{m}
	}
	if strings.Contains(asked, apiZendesk) {
		m, err := zendeskmodel.New(doc.Canonical)
		if err != nil {
			return nil, err
		}
		out[apiZendesk] = zendeskTheory{m}
	}
	return out, nil
}

// models lists a space's models, in an order that stays.
func (s *space) models() []theory {
	var out []theory
	for _, api := range models {
		if m := s.theory[api]; m != nil {
			out = append(out, m)
		}
	}
	return out
}

// strayEvery is in which share of the runs requests are made that a model has no
// opinion of. After a write of that kind it knows the world no longer, and is
// silent for the rest of the run; so the other runs leave them out.
const strayEvery = 4

// judged reports whether a run keeps to what the models know. That is drawn, and not
// every fourth seed: profiles and deliveries go by the seeds' order.
func (r *run) judged() bool { return r.rand.Fork("strays").N(strayEvery) != 0 }

// foreign reports whether a write is one that would silence its model.
func (s *space) foreign(op *Op) bool {
	m := s.theory[op.API]
	if m == nil || op.Method == "GET" {
		return false
	}
	t := &step{op: s.resolved(*op)}
	return t.beyondModels() || !m.knows(t.op.told()) || s.secret(&t.op)
}

// predict asks the models what a request must have been answered. What a fault rule
// answered, or never reached the world, is none of theirs.
func (r *run) predict(s *space, t *step) *Failure {
	s.tell(t)
	if t.op.API != apiAdmin && t.logged && t.rule == "" {
		r.count(countAnswers+t.op.API, 1)
	}
	m := s.theory[t.op.API]
	if m == nil || t.rule != "" || !t.logged || t.expired() || t.beyondModels() {
		return nil
	}
	diffs, unknown := m.judge(t.op.told(), s.holding(t.before.State), t.answer.status, t.answer.body)
	switch {
	case unknown != "", len(diffs) > 0 && s.secret(&t.op):
		if unknown == "" {
			r.count("forgiven."+t.op.API, 1)
		}
		return r.catchUp(s, t, m)
	case len(diffs) == 0:
		r.count(countJudged+t.op.API, 1)
		s.shown(t.answer.body)
		return nil
	}
	f := failed("model.answer", "%v\n%d %s", diffs, t.answer.status, t.answer.body)
	f.Expect = expected(diffs)
	return f
}

// catchUp lets a model catch up with a change that it has no opinion of, or gives the
// model up.
func (r *run) catchUp(s *space, t *step, m theory) *Failure {
	if !m.lost() && (t.op.Method == "GET" || unchanged("", t) == nil) {
		return nil
	}
	diffs, ok := m.adopt(s.holding(t.before.State), s.holding(t.after.State))
	switch {
	case len(diffs) > 0:
		return failed("model.graph", "before this request: %v", diffs)
	case ok:
		r.count("model_adopted."+t.op.API, 1)
	default: // it knows the world no longer
		r.count("model_lost."+t.op.API, 1)
		delete(s.theory, t.op.API)
	}
	return nil
}

// holding reads a state as Stripe's model does. Rows share their bytes with it, so that
// what has stayed since the model looked last costs nothing to compare.
func (s *space) holding(st *projection.State) holding {
	return func() *stripemodel.World {
		w := &stripemodel.World{Now: st.Now(), Tables: map[string][]stripemodel.Row{}, Events: s.logged.of(st)}
		for _, name := range st.Tables() {
			table, ok := strings.CutPrefix(name, apiStripe+".")
			if !ok {
				continue
			}
			rows := make([]stripemodel.Row, 0, st.Len(name))
			for row := range st.Oldest(name, 0) {
				rows = append(rows, stripemodel.Row{ID: row.ID, Body: row.Body})
			}
			w.Tables[table] = rows
		}
		for f := range st.Idems() {
			w.Keys = append(w.Keys, f.AppendDump(nil))
		}
		return w
	}
}

// eventLog is Stripe's events of a world's life as they stand in a dump, each written
// once.
type eventLog struct {
	raws    []canon.Raw
	numbers []uint64 // of all events
	upTo    uint64   // the last event that was looked at
}

// of is the events of a state of that life.
func (l *eventLog) of(st *projection.State) []canon.Raw {
	for e := range st.OldestEvents(l.upTo) {
		if l.upTo = e.Number; e.API == apiStripe {
			l.raws, l.numbers = append(l.raws, e.AppendDump(nil)), append(l.numbers, e.Number)
		}
	}
	n, _ := slices.BinarySearch(l.numbers, st.Events()+1)
	return l.raws[:n:n]
}

// tell lets the models know what they are not asked about: that the clock moved, and
// that an idempotency key was used.
func (s *space) tell(t *step) {
	if t.before.Inc == t.after.Inc && t.diff.FromClock != t.diff.ToClock {
		for api, m := range s.theory {
			if api != t.op.API { // a test clock of its own moves it by itself
				m.advance(t.diff.ToClock)
				if m.lost() {
					m.adopt(nil, s.holding(t.after.State))
				}
			}
		}
	}
	if t.logged && t.op.Idem != "" && t.op.Method != "GET" {
		for _, m := range s.models() {
			m.seen(t.op.Idem)
		}
	}
}

// beyondModels: how bad a text is, and in which order lists are sorted on request, no
// model says.
func (t *step) beyondModels() bool {
	if _, err := canon.Canonicalize([]byte(t.op.Body)); t.op.Body != "" && (err != nil || t.op.API == apiStripe) {
		return true
	}
	for _, p := range t.op.Params {
		if t.op.API == apiZendesk && (strings.HasPrefix(p.Name, "sort_") || strings.HasPrefix(p.Name, "page[")) {
			return true
		}
	}
	return false
}

// ids are what in an answer, or in a request, can be the id of an object.
var ids = regexp.MustCompile(`\b[a-z]+_[0-9A-Za-z_]{6,}|\b[1-9][0-9]*\b`)

// shown notes the ids that a text told the models: an answer, or the seed.
func (s *space) shown(text []byte) {
	for _, id := range ids.FindAll(text, -1) {
		s.told[string(id)] = true
	}
}

// secret reports whether a request names an object by an id that no answer has shown: a
// model takes it for one of something missing.
func (s *space) secret(op *Op) bool {
	text := op.Path + " " + op.Body
	for _, p := range op.Params {
		if len(s.theory) > 0 && (op.API == apiStripe || p.Name == "ids") {
			text += " " + p.Value
		}
	}
	for _, id := range ids.FindAllString(text, -1) {
		if known := op.API == apiStripe && !strings.Contains(id, "_"); !known && id != gone && !s.told[id] && s.holds(op.API, id) {
			return true
		}
	}
	return false
}

// holds reports whether some row of a twin has an id.
func (s *space) holds(api, id string) bool {
	for _, table := range sortedKeys(tables) {
		if name := tables[table]; strings.HasPrefix(name, api) && s.view.State.Get(name, id) != nil {
			return true
		}
	}
	return false
}

// expected are the commands of a scenario that say what a model wants; what holds the
// symbol of an id, or is no plain value, no command can say.
func expected(diffs []model.Diff) (out []string) {
	for _, d := range diffs {
		want := d.Want
		if text, err := strconv.Unquote(want); err == nil {
			want = text
		}
		switch {
		case strings.ContainsAny(want, "⟨{[(\n'"):
		case d.Path == "status":
			code, _, _ := strings.Cut(want, " ")
			out = append(out, "status "+code)
		case strings.HasPrefix(d.Path, "."):
			out = append(out, "json "+d.Path+" "+quote(want))
		}
	}
	return out
}

// expired reports whether the key of a step had run out, which is the operator's doing.
func (t *step) expired() bool {
	return t.answer.status == 401 && errorCode(t.answer.body) == "api_key_expired"
}

// told is the operation in the models' words.
func (o *Op) told() model.Op {
	return model.Op{API: o.API, Method: o.Method, Path: strings.TrimSuffix(o.Path, ".json"), Params: o.Params,
		Body: []byte(o.Body), Idem: o.Idem, Key: o.Key, As: o.As, Version: o.Version}
}

// judge holds the entries that the world has made since the last time to the
// invariants, one by one.
func (s *space) judge() *Failure {
	if s.checker == nil {
		g, err := s.world.Genesis()
		if err != nil {
			return failed("journal.history", "%v", err)
		}
		s.checker, s.judged = invariant.New(&g.Entry), 0
	}
	var found []invariant.Violation
	s.rule = ""
	err := s.world.EntriesOf(s.view, s.judged+1, s.view.Seq, func(e *journal.Entry) error {
		kept := *e
		found = append(found, s.checker.Next(&kept)...)
		frame, err := journal.ParseBody(e.Body)
		s.rule = textOf(frame.Reply, "rule")
		return err
	})
	s.judged = s.view.Seq
	if err != nil {
		return failed("journal.history", "%v", err)
	}
	return violated(found)
}

func violated(found []invariant.Violation) *Failure {
	if len(found) == 0 {
		return nil
	}
	return failed(found[0].ID, "%v", found)
}

// judgeRows compares the world's rows with the second fold of its entries, and checks
// every object.
func (s *space) judgeRows() *Failure {
	if f := s.judge(); f != nil {
		return f
	}
	return violated(append(s.checker.Rows(s.view.State), s.checker.Objects()...))
}
