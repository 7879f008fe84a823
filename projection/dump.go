package projection

import (
	"io"
	"slices"

	"worlds/journal/canon"
)

// dumpChunkBytes is how much of a dump is gathered before it is handed on.
const dumpChunkBytes = 64 << 10

// WriteDump writes the canonical JSON of everything that is world-visible:
// clock, counters, deliveries, events, idempotency, marks, minted, objects (by
// table, in creation order) and rules. The request log and the sequence are not part of it. Errors
// are those of w.
func (s *State) WriteDump(w io.Writer) error {
	d := newDumper(w)
	d.text(`{"clock":`)
	d.buf = canon.AppendInt(d.buf, s.clock)
	d.text(`,"counters":{`)
	first := true
	for _, name := range canonical(s.counters.Keys()) {
		d.comma(&first)
		d.buf = canon.AppendString(d.buf, name)
		d.buf = append(d.buf, ':')
		d.buf = canon.AppendInt(d.buf, s.Counter(name))
		if !d.flush(dumpChunkBytes) {
			return d.err
		}
	}
	d.text(`},"deliveries":[`)
	first = true
	s.ledger.rows.ascend(0, func(_ uint64, f *Delivery) bool {
		d.comma(&first)
		d.buf = f.appendDump(d.buf)
		return d.flush(dumpChunkBytes)
	})
	d.text(`],"events":[`)
	first = true
	s.events.ascend(0, func(_ uint64, e *EventRow) bool {
		d.comma(&first)
		d.buf = e.AppendDump(d.buf)
		return d.flush(dumpChunkBytes)
	})
	d.text(`],"idempotency":[`)
	first = true
	for f := range s.Idems() {
		d.comma(&first)
		d.buf = f.AppendDump(d.buf)
		if !d.flush(dumpChunkBytes) {
			return d.err
		}
	}
	d.text(`],"marks":[`)
	first = true
	for _, m := range s.Marks() {
		d.comma(&first)
		d.buf = canon.AppendString(d.buf, m.Name)
	}
	d.text(`],"minted":`)
	d.buf = canon.AppendInt(d.buf, s.minted)
	d.text(`,"objects":{`)
	d.objects(s)
	d.text(`},"rules":[`)
	first = true
	for _, r := range s.rules {
		d.comma(&first)
		d.buf = r.appendDump(d.buf)
	}
	d.text(`]}`)
	d.flush(0)
	return d.err
}

func (d *dumper) objects(s *State) {
	firstTable := true
	for _, name := range canonical(s.Tables()) {
		t := s.table(name)
		d.comma(&firstTable)
		d.buf = canon.AppendString(d.buf, t.name)
		d.text(`:[`)
		first := true
		t.order.ascend(0, func(_ uint64, r *Row) bool {
			d.comma(&first)
			d.buf = appendRaw(d.buf, r.Body)
			return d.flush(dumpChunkBytes)
		})
		d.text(`]`)
	}
}

// AppendDump appends the event as it stands in a dump.
func (e *EventRow) AppendDump(dst []byte) []byte {
	dst = append(dst, `{"api":`...)
	dst = canon.AppendString(dst, e.API)
	dst = append(dst, `,"created":`...)
	dst = canon.AppendInt(dst, e.Created)
	dst = append(dst, `,"id":`...)
	dst = canon.AppendString(dst, e.ID)
	dst = append(dst, `,"meta":`...)
	dst = appendRaw(dst, e.Meta)
	dst = append(dst, `,"object":`...)
	dst = appendRaw(dst, e.Object)
	dst = append(dst, `,"type":`...)
	dst = canon.AppendString(dst, e.Type)
	return append(dst, '}')
}

// AppendDump appends the record as it stands in a dump.
func (f *Idem) AppendDump(dst []byte) []byte {
	dst = append(dst, `{"api":`...)
	dst = canon.AppendString(dst, f.API)
	dst = append(dst, `,"fingerprint":`...)
	dst = canon.AppendString(dst, f.Fingerprint)
	dst = append(dst, `,"key":`...)
	dst = canon.AppendString(dst, f.Key)
	dst = append(dst, `,"reply":`...)
	dst = appendRaw(dst, f.Reply)
	dst = append(dst, `,"request":`...)
	dst = canon.AppendString(dst, f.Request)
	dst = append(dst, `,"status":`...)
	dst = canon.AppendInt(dst, f.Status)
	dst = append(dst, `,"target":`...)
	dst = canon.AppendString(dst, f.Target)
	dst = append(dst, `,"version":`...)
	dst = canon.AppendString(dst, f.Version)
	return append(dst, '}')
}

// canonical puts keys into the order of the canonical form, which is not that of
// the States' own lists beyond U+FFFF.
func canonical(keys []string) []string {
	slices.SortFunc(keys, canon.CompareKeys)
	return keys
}

// dumper gathers text and hands it on in chunks; the first error sticks.
type dumper struct {
	w   io.Writer // nil gathers all
	buf []byte
	err error
}

// newDumper has room for a chunk and the row that exceeds it.
func newDumper(w io.Writer) dumper {
	return dumper{w: w, buf: make([]byte, 0, dumpChunkBytes+(8<<10))}
}

func (d *dumper) text(s string) { d.buf = append(d.buf, s...) }

func (d *dumper) comma(first *bool) {
	if !*first {
		d.buf = append(d.buf, ',')
	}
	*first = false
}

// flush hands on what was gathered once it exceeds limit; false stops a scan.
func (d *dumper) flush(limit int) bool {
	if d.w != nil && d.err == nil && len(d.buf) > limit {
		_, d.err = d.w.Write(d.buf)
		d.buf = d.buf[:0]
	}
	return d.err == nil
}
