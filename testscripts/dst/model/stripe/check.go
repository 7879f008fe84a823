package stripe

import (
	"bytes"
	"fmt"
	"slices"

	"worlds/journal/canon"
	"worlds/testscripts/dst/model"
)

// Check compares an answer, as JSON text, with what Do predicted.
func (m *Model) Check(want model.Expect, status int, body []byte, op model.Op) []model.Diff {
	if !want.Known {
		if (status < 400 || status == 402) && op.Method != "GET" && (op.API == "" || op.API == "stripe") && m.lost == "" {
			m.lost = op.Method + " " + op.Path + ": " + want.Why
		}
		return nil
	}
	got, err := model.Parse(body)
	if err != nil {
		return []model.Diff{{Path: "body", Got: string(body), Want: "JSON: " + err.Error()}}
	}
	if status != want.Status {
		return []model.Diff{{Path: "status", Got: fmt.Sprintf("%d %s", status, got.Get("error").String()),
			Want: fmt.Sprintf("%d %s %s %s", want.Status, want.Type, want.Code, want.Param)}}
	}
	if status < 400 {
		return model.Compare(want.Body, got, m.names)
	}
	if !want.Ghost {
		return m.checkError(want, got.Get("error"))
	}
	var diffs []model.Diff
	m.names.Try(func() { diffs = m.checkError(want, got.Get("error")) })
	return diffs
}

// checkError compares an error with what Do predicted.
func (m *Model) checkError(want model.Expect, e model.Value) (diffs []model.Diff) {
	for _, part := range []struct{ name, text string }{{"type", want.Type}, {"code", want.Code}, {"param", want.Param}} {
		v := model.Value{}
		if part.text != "" {
			v = model.Str(part.text)
		}
		for _, d := range model.Compare(v, e.Get(part.name), m.names) {
			d.Path = "error." + part.name
			diffs = append(diffs, d)
		}
	}
	for _, more := range want.Body.Members {
		diffs = append(diffs, model.Compare(model.Obj(more.Name, more.Value), model.Obj(more.Name, e.Get(more.Name)), m.names)...)
	}
	return diffs
}

// checkedDump is what the last dump held and was found right: it need not be read
// again while it stays as it is.
type checkedDump struct {
	rows   map[string]checkedRow // by table and id
	events []canon.Raw
}

type checkedRow struct {
	raw   canon.Raw
	value model.Value // that it was read as
}

func newCheckedDump() checkedDump { return checkedDump{rows: map[string]checkedRow{}} }

// CheckDump compares a whole world with the model.
func (m *Model) CheckDump(w *World) (diffs []model.Diff) {
	if m.lost != "" {
		return nil
	}
	if w.Now != m.now {
		diffs = append(diffs, model.Diff{Path: "clock", Got: fmt.Sprint(w.Now), Want: fmt.Sprint(m.now)})
	}
	for _, s := range m.tables {
		diffs = append(diffs, m.checkTable(s, w.Tables[s.name])...)
	}
	diffs = append(diffs, m.checkEvents(w.Events)...)
	return append(diffs, m.checkKeys(w.Keys)...)
}

func (m *Model) checkTable(s shelf, rows []Row) (diffs []model.Diff) {
	order := s.order()
	if len(rows) != len(order) {
		return []model.Diff{{Path: s.name, Got: fmt.Sprintf("%d objects, the last %s", len(rows), last(rows)),
			Want: fmt.Sprintf("%d objects: %v", len(order), order)}}
	}
	for i, id := range order {
		key := s.name + "/" + id
		if !s.dirty[id] && bytes.Equal(m.checked.rows[key].raw, rows[i].Body) {
			continue
		}
		got, err := model.Parse(rows[i].Body)
		if err != nil {
			return append(diffs, model.Diff{Path: key, Got: err.Error(), Want: "JSON"})
		}
		found := model.Compare(m.stored(s, id), got, m.names)
		for _, d := range found {
			d.Path = fmt.Sprintf("%s[%d]%s", s.name, i, d.Path)
			diffs = append(diffs, d)
		}
		if len(found) == 0 {
			delete(s.dirty, id)
			m.checked.rows[key] = checkedRow{rows[i].Body, got}
		}
	}
	return diffs
}

func last(rows []Row) string {
	if len(rows) == 0 {
		return "none"
	}
	return string(rows[len(rows)-1].Body)
}

// stored is an object as the dump has it, where that is not how the API shows it.
func (m *Model) stored(s shelf, id string) model.Value {
	v := s.body(id)
	switch s.name {
	case "balance_transaction":
		v = v.With("status", model.Any) // the API works it out when it is shown
	case "coupon":
		v = v.With("valid", model.Any)
	}
	return atRest(v)
}

// atRest is a value as bytes at rest have it: fractions are texts there.
func atRest(v model.Value) model.Value {
	if p := v.Get("percent_off"); p.Kind == model.Number {
		return v.With("percent_off", p.Text)
	}
	if data := v.Get("data"); data.Kind == model.Array {
		list := slices.Clone(data.List)
		for i := range list {
			list[i] = atRest(list[i])
		}
		return v.With("data", list)
	}
	return v
}

func (m *Model) checkEvents(log []canon.Raw) (diffs []model.Diff) {
	known := true
	for i, raw := range log {
		switch {
		case i < len(m.checked.events):
			if !bytes.Equal(m.checked.events[i], raw) {
				diffs = append(diffs, model.Diff{Path: fmt.Sprintf("events[%d]", i), Got: string(raw), Want: string(m.checked.events[i])})
			}
			continue
		case i >= len(m.events):
			return append(diffs, model.Diff{Path: fmt.Sprintf("events[%d]", i), Got: string(raw), Want: "no event"})
		}
		got, err := model.Parse(raw)
		if err != nil {
			return append(diffs, model.Diff{Path: "events", Got: err.Error(), Want: "JSON"})
		}
		for _, d := range model.Compare(loggedBody(m.events[i]), got, m.names) {
			d.Path = fmt.Sprintf("events[%d] %s%s", i, m.events[i].kind, d.Path)
			diffs, known = append(diffs, d), false
		}
		if known {
			m.checked.events = append(m.checked.events, raw)
		}
	}
	if n := len(log); n < len(m.events) {
		diffs = append(diffs, model.Diff{Path: fmt.Sprintf("events[%d]", n), Got: "no event", Want: loggedBody(m.events[n]).String()})
	}
	return diffs
}

// loggedBody is an event as the dump has it.
func loggedBody(e event) model.Value {
	meta := model.Obj("api_version", apiVersion, "pending_webhooks", model.Any,
		"request", model.Obj("id", model.Opt(e.request.id), "idempotency_key", model.Opt(e.request.key)))
	if e.previous.Kind != model.Absent {
		meta = meta.With("previous_attributes", e.previous)
	}
	return model.Obj("api", "stripe", "created", e.created, "id", e.id, "meta", meta, "object", atRest(e.object), "type", e.kind)
}

func (m *Model) checkKeys(list []canon.Raw) (diffs []model.Diff) {
	byAlias := map[string]*answered{}
	for _, a := range m.keys {
		byAlias[a.alias] = a
	}
	for _, raw := range list {
		got, err := model.Parse(raw)
		if err != nil {
			return append(diffs, model.Diff{Path: "idempotency", Got: err.Error(), Want: "JSON"})
		}
		if got.Get("api").Text != "stripe" {
			continue
		}
		alias := got.Get("key").Text
		a := byAlias[alias]
		if a == nil {
			diffs = append(diffs, model.Diff{Path: "idempotency." + alias, Got: string(raw), Want: "no record"})
			continue
		}
		delete(byAlias, alias)
		if a.unsure {
			continue
		}
		reply := atRest(a.want.Body)
		if a.want.Status >= 400 {
			reply = model.Any
		}
		found := model.Compare(model.Obj("api", "stripe", "fingerprint", model.Any, "key", alias, "reply", reply,
			"request", a.request, "status", a.want.Status, "target", a.target, "version", apiVersion), got, m.names)
		for _, d := range found {
			d.Path = "idempotency." + alias + d.Path
			diffs = append(diffs, d)
		}
	}
	for alias, a := range byAlias {
		if a.unsure {
			continue
		}
		diffs = append(diffs, model.Diff{Path: "idempotency." + alias, Got: "no record", Want: "a record"})
	}
	return diffs
}
