package projection

import (
	"bytes"

	"worlds/journal/canon"
)

// Diff is what changed from one State to a later one of the same world.
type Diff struct {
	FromClock, ToClock int64
	Created            []Change
	Updated            []Change
	Deleted            []Change
	Events             []*EventRow
}

// Change is one row that differs. Before is its image in the earlier state (nil
// when created), After in the later one (nil when deleted).
type Change struct {
	Table  string
	ID     string
	Before canon.Raw
	After  canon.Raw
}

// Compare returns what changed between from and to, by table and creation order;
// deleted rows in the order they were created. Rows whose bodies are equal do not
// appear. Either State may be nil, meaning empty.
func Compare(from, to *State) *Diff {
	if from == nil {
		from = New()
	}
	if to == nil {
		to = New()
	}
	d := &Diff{FromClock: from.clock, ToClock: to.clock}
	for _, t := range to.tables {
		base := from.table(t.name)
		t.order.Scan(func(_ uint64, r *Row) bool {
			var prev *Row
			if base != nil {
				prev, _ = base.rows.Get(r.ID)
			}
			switch {
			case prev == nil:
				d.Created = append(d.Created, Change{Table: t.name, ID: r.ID, After: r.Body})
			case prev != r && !bytes.Equal(prev.Body, r.Body):
				d.Updated = append(d.Updated, Change{Table: t.name, ID: r.ID, Before: prev.Body, After: r.Body})
			}
			return true
		})
	}
	for _, t := range from.tables {
		now := to.table(t.name)
		t.order.Scan(func(_ uint64, r *Row) bool {
			if now != nil {
				if _, ok := now.rows.Get(r.ID); ok {
					return true
				}
			}
			d.Deleted = append(d.Deleted, Change{Table: t.name, ID: r.ID, Before: r.Body})
			return true
		})
	}
	for e := range to.OldestEvents(from.Events()) {
		d.Events = append(d.Events, e)
	}
	return d
}

// Append appends the diff as canonical JSON: clock{from,to}, created, deleted,
// updated (each with id, table, before and after as they apply) and events.
func (d *Diff) Append(dst []byte) []byte {
	dst = append(dst, `{"clock":{"from":`...)
	dst = canon.AppendInt(dst, d.FromClock)
	dst = append(dst, `,"to":`...)
	dst = canon.AppendInt(dst, d.ToClock)
	dst = append(dst, `},"created":`...)
	dst = appendChanges(dst, d.Created)
	dst = append(dst, `,"deleted":`...)
	dst = appendChanges(dst, d.Deleted)
	dst = append(dst, `,"events":[`...)
	for i, e := range d.Events {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = e.appendDump(dst)
	}
	dst = append(dst, `],"updated":`...)
	dst = appendChanges(dst, d.Updated)
	return append(dst, '}')
}

func appendChanges(dst []byte, list []Change) []byte {
	dst = append(dst, '[')
	for i, c := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '{')
		if c.After != nil {
			dst = append(append(dst, `"after":`...), c.After...)
			dst = append(dst, ',')
		}
		if c.Before != nil {
			dst = append(append(dst, `"before":`...), c.Before...)
			dst = append(dst, ',')
		}
		dst = append(dst, `"id":`...)
		dst = canon.AppendString(dst, c.ID)
		dst = append(dst, `,"table":`...)
		dst = canon.AppendString(dst, c.Table)
		dst = append(dst, '}')
	}
	return append(dst, ']')
}
