package projection

import (
	"bytes"
	"io"

	"worlds/journal/canon"
	"worlds/journal/mutant"
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

// Compare returns what changed between from and to, by table and creation order
// (the delivery ledger and the fault rules come last, as tables of their own);
// deleted rows in the order they were created. Rows whose bodies are equal do not
// appear. Either State may be nil, meaning empty. What the two share as copies of
// one State costs nothing to compare.
func Compare(from, to *State) *Diff {
	if from == nil {
		from = New()
	}
	if to == nil {
		to = New()
	}
	d := &Diff{FromClock: from.clock, ToClock: to.clock}
	var none table
	a, b := from.tables, to.tables
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].name < b[0].name:
			d.table(a[0].name, a[0], &none)
			a = a[1:]
		case len(a) == 0 || b[0].name < a[0].name:
			d.table(b[0].name, &none, b[0])
			b = b[1:]
		default:
			d.table(b[0].name, a[0], b[0])
			a, b = a[1:], b[1:]
		}
	}
	differ(&from.ledger.rows, &to.ledger.rows, func(was, is *Delivery) {
		d.delivery(was, is)
	})
	d.rules(from, to)
	for e := range to.OldestEvents(from.Events()) {
		d.Events = append(d.Events, e)
	}
	return d
}

// table compares two images of one table. A row's place is its creation order,
// and a row that was deleted and put again has two, so that what became of an id
// is decided by id.
func (d *Diff) table(name string, from, to *table) {
	differ(&from.order, &to.order, func(was, is *Row) {
		if was != nil && to.rows.get(was.ID) == nil && !mutant.Is("diff-forgets") {
			d.Deleted = append(d.Deleted, Change{Table: name, ID: was.ID, Before: was.Body})
		}
		if is == nil {
			return
		}
		switch prev := from.rows.get(is.ID); {
		case prev == nil:
			d.Created = append(d.Created, Change{Table: name, ID: is.ID, After: is.Body})
		case !bytes.Equal(prev.Body, is.Body):
			d.Updated = append(d.Updated, Change{Table: name, ID: is.ID, Before: prev.Body, After: is.Body})
		}
	})
}

// Append appends the diff as canonical JSON: clock{from,to}, created, deleted,
// updated (each with id, table, before and after as they apply) and events.
func (d *Diff) Append(dst []byte) []byte {
	out := dumper{buf: append(dst, '{')}
	d.members(&out)
	return append(out.buf, '}')
}

// WriteMembers writes what Append appends, without the braces and in pieces: a diff
// may be as large as the two states. Errors are those of w.
func (d *Diff) WriteMembers(w io.Writer) error {
	out := newDumper(w)
	d.members(&out)
	out.flush(0)
	return out.err
}

func (d *Diff) members(out *dumper) {
	out.text(`"clock":{"from":`)
	out.buf = canon.AppendInt(out.buf, d.FromClock)
	out.text(`,"to":`)
	out.buf = canon.AppendInt(out.buf, d.ToClock)
	out.text(`},"created":`)
	writeChanges(out, d.Created)
	out.text(`,"deleted":`)
	writeChanges(out, d.Deleted)
	out.text(`,"events":[`)
	first := true
	for _, e := range d.Events {
		out.comma(&first)
		if out.buf = e.AppendDump(out.buf); !out.flush(dumpChunkBytes) {
			return
		}
	}
	out.text(`],"updated":`)
	writeChanges(out, d.Updated)
}

func writeChanges(out *dumper, list []Change) {
	out.text(`[`)
	first := true
	for _, c := range list {
		out.comma(&first)
		out.text(`{`)
		if c.After != nil {
			out.text(`"after":`)
			out.buf = append(append(out.buf, c.After...), ',')
		}
		if c.Before != nil {
			out.text(`"before":`)
			out.buf = append(append(out.buf, c.Before...), ',')
		}
		out.text(`"id":`)
		out.buf = canon.AppendString(out.buf, c.ID)
		out.text(`,"table":`)
		out.buf = append(canon.AppendString(out.buf, c.Table), '}')
		if !out.flush(dumpChunkBytes) {
			return
		}
	}
	out.text(`]`)
}
