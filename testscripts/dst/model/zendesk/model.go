package zendesk

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"worlds/testscripts/dst/model"
)

// record is one object as it is shown; n is its place in the order of ids.
type record struct {
	n  int
	id string
	v  model.Value
}

func (r *record) get(name string) model.Value { return r.v.Get(name) }

// text is a member's text: a string, an id, "" for null.
func (r *record) text(name string) string { return r.v.Get(name).Text }

func (r *record) is(name string) bool { return r.v.Get(name).Kind == model.True }

func (r *record) set(pairs ...any) { r.v = r.v.With(pairs...) }

// ticket is a record with what hangs on it.
type ticket struct {
	record
	comments, audits []*record
	firstPublic      bool  // whether the first comment was, when it was made
	solved           int64 // when it was last solved, 0 if it is not
	fence            int64 // no sweep closes it up to here: it was restored then
	deleted          int64
	deletedBy        string
}

// Model is one help desk. It starts at New and follows what it is told.
type Model struct {
	seed  []byte
	names *model.Names
	desk
	cursors map[string]cursor // by the tokens that the twin gave out
	page    *page             // of the last Do, for the token in its answer
	unsure  bool              // the last Do named an id that may be one no answer has shown
	loose   bool              // the order of the tickets in the next answer is not published
}

// desk is what a reset resets.
type desk struct {
	now       int64
	principal string
	closure   *closure
	count     map[string]int // ids given, by kind
	floor     map[string]int64
	users     []*record
	groups    []*record
	orgs      []*record
	inGroup   []*record // group memberships
	inOrg     []*record // organization memberships
	tickets   []*ticket
	jobs      []*record // as they are once done
	idem      map[string]answered
}

type closure struct {
	After  int64  `json:"after_hours"`
	Phase  int64  `json:"sweep_phase_seconds"`
	Author number `json:"author_id"`
}

// answered is what a request with an idempotency key came to.
type answered struct {
	request string
	want    model.Expect
}

// New makes the model of a fresh world from its seed document.
func New(seed []byte) (*Model, error) {
	m := &Model{seed: slices.Clone(seed), cursors: map[string]cursor{}}
	m.names = model.NewNames(m.fits)
	return m, m.Reset()
}

// Reset brings the model back to the seed. The names of before are forgotten.
func (m *Model) Reset() error {
	m.names, m.cursors = model.NewNames(m.fits), map[string]cursor{}
	m.desk = desk{count: map[string]int{}, floor: map[string]int64{}, idem: map[string]answered{}}
	return m.load(m.seed)
}

// fits reports whether a text can be an id of a kind: above the seed's highest.
func (m *Model) fits(kind, id string) bool {
	if kind == kindJob {
		hex, ok := strings.CutPrefix(id, "V3-")
		return ok && len(hex) == 32 && strings.Trim(hex, "0123456789abcdef") == ""
	}
	n, err := strconv.ParseInt(id, 10, 64)
	return err == nil && n > m.floor[kind] && n < 1<<53
}

// The kinds of ids. Comments and the events of audits are numbered together.
const (
	kindUser    = "user"
	kindGroup   = "group"
	kindOrg     = "organization"
	kindInGroup = "group_membership"
	kindInOrg   = "organization_membership"
	kindTicket  = "ticket"
	kindLine    = "line"
	kindAudit   = "audit"
	kindJob     = "job"
)

// mint gives the next id of a kind.
func (m *Model) mint(kind string) (int, string) {
	m.count[kind]++
	n := m.count[kind]
	return int(m.floor[kind]) + n, model.Symbol(kind, n)
}

// id is an id as a number.
func id(text string) model.Value {
	if text == "" {
		return model.Nil
	}
	return model.Decimal(text)
}

func stamp(at int64) model.Value {
	return model.Str(time.Unix(at, 0).UTC().Format(time.RFC3339))
}

func link(kind, id string) model.Value {
	return model.Str(origin + "/api/v2/" + kind + "/" + id + ".json")
}

// origin stands for the address of the server.
const origin = "${origin}"

// Advance tells the model that the clock was moved to a later moment.
func (m *Model) Advance(to int64) {
	for {
		t, at := m.nextClosing()
		if t == nil || at > to {
			break
		}
		m.now = at
		m.close(t)
	}
	m.now = to
}

// nextClosing is the ticket that a sweep closes next, and when.
func (m *Model) nextClosing() (next *ticket, at int64) {
	if m.closure == nil {
		return nil, 0
	}
	for _, t := range m.tickets {
		if t.deleted != 0 || t.text("status") != "solved" {
			continue
		}
		due := max(t.solved+m.closure.After*3600, t.fence)
		due += ((m.closure.Phase-due)%3600 + 3600) % 3600
		if next == nil || due < at {
			next, at = t, due
		}
	}
	return next, at
}

func (m *Model) close(t *ticket) {
	old := t.v
	t.set("status", "closed", "updated_at", stamp(m.now), "generated_timestamp", m.now)
	t.solved = 0
	m.audit(t, old, string(m.closure.Author), "rule", nil)
}

// Check compares an answer with its prediction.
func (m *Model) Check(want model.Expect, status int, body []byte) []model.Diff {
	if !want.Known {
		return nil
	}
	if status != want.Status {
		return []model.Diff{{Path: "status", Got: fmt.Sprintf("%d %s", status, body), Want: strconv.Itoa(want.Status) + " " + want.Type + " " + want.Param}}
	}
	if status == 204 {
		if len(body) > 0 {
			return []model.Diff{{Path: "", Got: string(body), Want: "no body"}}
		}
		return nil
	}
	got, err := model.Parse(body)
	if err != nil {
		return []model.Diff{{Path: "", Got: string(body), Want: "JSON: " + err.Error()}}
	}
	if want.Type == recordInvalid {
		return checkFaults(want, got)
	}
	got = canonical(got)
	if m.loose {
		got = got.With("tickets", byID(got.Get("tickets").List))
	}
	diffs := model.Compare(want.Body, got, m.names)
	if m.page != nil && len(diffs) == 0 {
		m.page.learn(m.cursors, got)
	}
	return diffs
}

// canonical brings into one form what may differ: addresses, and the order of the
// events of an audit.
func canonical(v model.Value) model.Value {
	switch v.Kind {
	case model.String:
		if strings.HasPrefix(v.Text, "http://") {
			if at := strings.Index(v.Text, "/api/v2/"); at > 0 {
				return model.Str(origin + v.Text[at:])
			}
		}
	case model.Array:
		list := make([]model.Value, len(v.List))
		for i, e := range v.List {
			list[i] = canonical(e)
		}
		return model.Seq(list...)
	case model.Object:
		out := model.Value{Kind: model.Object}
		for _, e := range v.Members {
			c := canonical(e.Value)
			if e.Name == "events" && c.Kind == model.Array {
				sortEvents(c.List)
			}
			out.Members = append(out.Members, model.Member{Name: e.Name, Value: c})
		}
		if list := out.Get("results").List; len(list) > 0 && list[0].Get("result_type").Kind != model.Absent {
			return sortResults(out)
		}
		return out
	}
	return v
}

// sortEvents puts the comment first and then the fields by name.
func sortEvents(events []model.Value) {
	slices.SortStableFunc(events, func(a, b model.Value) int {
		return strings.Compare(eventKey(a), eventKey(b))
	})
}

func eventKey(e model.Value) string {
	if e.Get("type").Text == "Comment" {
		return ""
	}
	return "." + e.Get("field_name").Text
}

// CheckDump compares the whole world, and that ids are dense.
func (m *Model) CheckDump(dump []byte) []model.Diff {
	var whole struct {
		Clock   int64
		Objects map[string]json.RawMessage
	}
	if err := json.Unmarshal(dump, &whole); err != nil {
		return []model.Diff{{Path: "dump", Got: err.Error(), Want: "JSON"}}
	}
	var diffs []model.Diff
	if whole.Clock != m.now {
		diffs = append(diffs, model.Diff{Path: "clock", Got: strconv.FormatInt(whole.Clock, 10), Want: strconv.FormatInt(m.now, 10)})
	}
	for _, t := range m.tables() {
		text := whole.Objects["zendesk."+t.name]
		if text == nil {
			text = []byte("[]")
		}
		got, err := model.Parse(text)
		if err != nil {
			return append(diffs, model.Diff{Path: t.name, Got: err.Error(), Want: "JSON"})
		}
		got = canonical(got)
		slices.SortStableFunc(got.List, func(a, b model.Value) int { return m.place(t.kind, a) - m.place(t.kind, b) })
		for _, d := range model.Compare(model.Seq(t.rows...), got, m.names) {
			d.Path = t.name + d.Path
			diffs = append(diffs, d)
		}
	}
	return append(diffs, m.checkDense()...)
}

// place orders what a dump holds as the model does.
func (m *Model) place(kind string, v model.Value) int {
	if kind != kindJob {
		n, _ := v.Get("id").Number()
		return int(n)
	}
	for i, j := range m.jobs {
		if m.names.Symbol(kindJob, v.Get("id").Text) == j.id {
			return i
		}
	}
	return len(m.jobs)
}

// checkDense checks that the ids of a kind have no gaps.
func (m *Model) checkDense() (diffs []model.Diff) {
	for kind, count := range m.count {
		base := int64(-1)
		for n := 1; n <= count && kind != kindJob && kind != kindLine; n++ {
			text, ok := m.names.ID(model.Symbol(kind, n))
			if !ok {
				continue
			}
			got, _ := strconv.ParseInt(text, 10, 64)
			if base < 0 {
				base = got - int64(n)
			}
			if got != base+int64(n) {
				diffs = append(diffs, model.Diff{Path: kind, Got: text, Want: strconv.FormatInt(base+int64(n), 10)})
			}
		}
	}
	return diffs
}

// dumped is one table of the dump.
type dumped struct {
	name, kind string
	rows       []model.Value
}

func (m *Model) tables() []dumped {
	tables := []dumped{
		{"user", kindUser, values(m.users)}, {"group", kindGroup, values(m.groups)}, {"organization", kindOrg, values(m.orgs)},
		{"group_membership", kindInGroup, values(m.inGroup)}, {"organization_membership", kindInOrg, values(m.inOrg)}, {"job", kindJob, values(m.jobs)},
	}
	var tickets, audits []model.Value
	var comments []*record
	for _, t := range m.tickets {
		v := m.showTicket(t)
		if t.deleted != 0 {
			v = v.With("status", "deleted")
		}
		tickets = append(tickets, v)
		comments = append(comments, t.comments...)
	}
	slices.SortFunc(comments, func(a, b *record) int { return a.n - b.n })
	for _, a := range m.allAudits() {
		audits = append(audits, a.v)
	}
	return append(tables, dumped{"ticket", kindTicket, tickets}, dumped{"comment", kindLine, values(comments)}, dumped{"audit", kindAudit, audits})
}

func (m *Model) allAudits() (all []*record) {
	for _, t := range m.tickets {
		all = append(all, t.audits...)
	}
	slices.SortFunc(all, func(a, b *record) int { return a.n - b.n })
	return all
}

func values(rows []*record) []model.Value {
	list := make([]model.Value, len(rows))
	for i, r := range rows {
		list[i] = r.v
	}
	return list
}
