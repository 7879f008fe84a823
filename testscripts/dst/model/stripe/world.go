package stripe

import (
	"worlds/journal/canon"
)

// World is what a world holds, in canonical bytes at rest. Bytes are shared, and must
// not change.
type World struct {
	Now    int64
	Tables map[string][]Row // by name, without the API's: in the order of creation
	Events []canon.Raw      // of this API, oldest first
	Keys   []canon.Raw      // the records of idempotency, of all APIs
}

// Row is one object at rest.
type Row struct {
	ID   string
	Body canon.Raw
}

// ReadWorld takes a dump apart.
func ReadWorld(dump []byte) *World {
	w := &World{Tables: map[string][]Row{}}
	for name, part := range canon.Members(dump) {
		switch name {
		case "clock":
			w.Now, _ = canon.Int(part)
		case "events":
			for raw := range canon.Elements(part) {
				if api, _ := canon.Get(raw, "api"); string(api) == `"stripe"` {
					w.Events = append(w.Events, raw)
				}
			}
		case "idempotency":
			for raw := range canon.Elements(part) {
				w.Keys = append(w.Keys, raw)
			}
		case "objects":
			for table, list := range canon.Members(part) {
				w.readTable(table, list)
			}
		}
	}
	return w
}

func (w *World) readTable(name string, list canon.Raw) {
	const api = "stripe."
	if len(name) < len(api) || name[:len(api)] != api {
		return
	}
	for raw := range canon.Elements(list) {
		text, _ := canon.Get(raw, "id")
		id, _ := canon.Unquote(text)
		w.Tables[name[len(api):]] = append(w.Tables[name[len(api):]], Row{id, raw})
	}
}
