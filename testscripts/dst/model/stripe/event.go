package stripe

import "worlds/testscripts/dst/model"

// event is one line of the event log.
type event struct {
	id, kind string
	created  int64
	object   model.Value
	previous model.Value // what an update replaced, Absent otherwise
	request  requestInfo
}

// requestInfo is what an event knows of the request that caused it; time's events
// know nothing.
type requestInfo struct{ id, key string }

func (m *Model) emit(kind string, object model.Value) { m.emitChange(kind, object, model.Value{}) }

func (m *Model) emitChange(kind string, object, previous model.Value) {
	m.events = append(m.events, event{m.mint("evt"), kind, m.now, object, previous, m.request})
	m.undo = append(m.undo, func() { m.events = m.events[:len(m.events)-1] })
}

// emitUpdate tells of a change, if there was one.
func (m *Model) emitUpdate(kind string, before, after model.Value) bool {
	previous := replaced(before, after)
	if len(previous.Members) == 0 {
		return false
	}
	m.emitChange(kind, after, previous)
	return true
}

// replaced is the old values of the members that changed; objects by member.
func replaced(before, after model.Value) model.Value {
	previous := model.Obj()
	for _, b := range before.Members {
		a := after.Get(b.Name)
		if a.Equal(b.Value) {
			continue
		}
		old := b.Value
		if old.Kind == model.Object && a.Kind == model.Object && old.Get("object").Text != "list" {
			old = replaced(old, a)
		}
		previous.Members = append(previous.Members, model.Member{Name: b.Name, Value: old})
	}
	for _, a := range after.Members {
		if before.Get(a.Name).Kind == model.Absent {
			previous.Members = append(previous.Members, model.Member{Name: a.Name, Value: model.Nil})
		}
	}
	return previous
}

// eventBody is an event as the API shows it.
func eventBody(e event) model.Value {
	data := model.Obj("object", e.object)
	if e.previous.Kind != model.Absent {
		data = data.With("previous_attributes", e.previous)
	}
	return model.Obj("id", e.id, "object", "event", "api_version", apiVersion, "created", e.created, "data", data,
		"livemode", false, "pending_webhooks", model.Any, "request",
		model.Obj("id", model.Opt(e.request.id), "idempotency_key", model.Opt(e.request.key)), "type", e.kind)
}

// apiVersion is the account's.
const apiVersion = "2026-08-26.dahlia"
