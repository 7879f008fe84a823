package projection

import (
	"cmp"
	"iter"
	"slices"
	"strconv"

	"worlds/journal/canon"
)

// The states of a delivery.
const (
	Pending   = "pending"   // an attempt is to come
	Delivered = "delivered" // an attempt was answered with success
	Failed    = "failed"    // no attempt is to come
)

// Delivery makes or replaces the row Number (from 1) of the delivery ledger: one
// event on its way to one endpoint. Version is the API version the event is
// rendered in, Attempts how often it was tried, Due the logical second the next
// attempt waits for (0: none), Turn its place in the order of its endpoint (0:
// held back), Outcome how the last attempt went.
type Delivery struct {
	Number   int64
	Event    string
	Endpoint string
	Version  string
	Status   string
	Attempts int64
	Due      int64
	Turn     int64
	Outcome  string
}

func (f *Delivery) body() canon.Raw { return nil }

// Append implements Fact:
// ["delivery",number,event,endpoint,version,status,attempts,due,turn,outcome].
func (f *Delivery) Append(dst []byte) []byte {
	dst = append(canon.AppendInt(append(appendHead(dst, "delivery"), ','), f.Number), ',')
	dst = canon.AppendString(dst, f.Event)
	dst = canon.AppendString(append(dst, ','), f.Endpoint)
	dst = canon.AppendString(append(dst, ','), f.Version)
	dst = canon.AppendString(append(dst, ','), f.Status)
	dst = canon.AppendInt(append(dst, ','), f.Attempts)
	dst = canon.AppendInt(append(dst, ','), f.Due)
	dst = canon.AppendInt(append(dst, ','), f.Turn)
	return append(canon.AppendString(append(dst, ','), f.Outcome), ']')
}

func (f *Delivery) parse(r *reader) {
	f.Number, f.Event, f.Endpoint, f.Version, f.Status = r.number(), r.text(), r.text(), r.text(), r.text()
	f.Attempts, f.Due, f.Turn, f.Outcome = r.number(), r.number(), r.number(), r.text()
	if r.err == nil && f.Number <= 0 {
		r.fail("not a number from 1 on")
	}
}

// ledger is the deliveries of a State, and which of them are pending.
type ledger struct {
	rows    ordered[Delivery]
	pending ordered[Delivery]
}

func (l *ledger) set(o *owner, d *Delivery) {
	n := uint64(d.Number)
	l.rows.set(o, n, d)
	if d.Status == Pending {
		l.pending.set(o, n, d)
	} else {
		l.pending.delete(o, n)
	}
}

func (f *Delivery) apply(s *State, _ uint64) {
	kept := *f
	old := s.ledger.rows.get(uint64(f.Number))
	s.ledger.set(s.owner, &kept)
	if !s.recording {
		return
	}
	s.record(undo{back: func(s *State, _ *undo) {
		if old != nil {
			s.ledger.set(s.owner, old)
			return
		}
		s.ledger.rows.delete(s.owner, uint64(kept.Number))
		s.ledger.pending.delete(s.owner, uint64(kept.Number))
	}})
}

// Deliveries is the number of rows in the delivery ledger; they are numbered from
// 1 on without a gap.
func (s *State) Deliveries() int64 { return int64(s.ledger.rows.size) }

// Delivery returns a row of the delivery ledger, nil if there is none.
func (s *State) Delivery(number int64) *Delivery {
	if number <= 0 {
		return nil
	}
	return s.ledger.rows.get(uint64(number))
}

// OldestDeliveries yields the ledger forwards, from above number after. The State
// must not change meanwhile.
func (s *State) OldestDeliveries(after uint64) iter.Seq[*Delivery] {
	return func(yield func(*Delivery) bool) {
		if after+1 != 0 {
			s.ledger.rows.ascend(after+1, func(_ uint64, d *Delivery) bool { return yield(d) })
		}
	}
}

// HasDeliveries reports whether there is any delivery, done or not.
func (s *State) HasDeliveries() bool { return s.ledger.rows.size > 0 }

// HasPending reports whether any delivery is pending.
func (s *State) HasPending() bool { return s.ledger.pending.size > 0 }

// PendingDeliveries lists the pending rows in the order of their turns, those held
// back last.
func (s *State) PendingDeliveries() []*Delivery {
	out := make([]*Delivery, 0, s.ledger.pending.size)
	s.ledger.pending.ascend(0, func(_ uint64, d *Delivery) bool {
		out = append(out, d)
		return true
	})
	slices.SortStableFunc(out, func(a, b *Delivery) int {
		if held := cmp.Compare(boolInt(a.Turn == 0), boolInt(b.Turn == 0)); held != 0 {
			return held
		}
		return cmp.Compare(a.Turn, b.Turn)
	})
	return out
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// appendDump appends the row as it stands in a dump.
func (f *Delivery) appendDump(dst []byte) []byte {
	dst = canon.AppendInt(append(dst, `{"attempts":`...), f.Attempts)
	dst = canon.AppendInt(append(dst, `,"due":`...), f.Due)
	dst = canon.AppendString(append(dst, `,"endpoint":`...), f.Endpoint)
	dst = canon.AppendString(append(dst, `,"event":`...), f.Event)
	dst = canon.AppendInt(append(dst, `,"number":`...), f.Number)
	dst = canon.AppendString(append(dst, `,"outcome":`...), f.Outcome)
	dst = canon.AppendString(append(dst, `,"status":`...), f.Status)
	dst = canon.AppendInt(append(dst, `,"turn":`...), f.Turn)
	dst = canon.AppendString(append(dst, `,"version":`...), f.Version)
	return append(dst, '}')
}

// delivery compares two images of one row, either of which may be nil.
func (d *Diff) delivery(was, is *Delivery) {
	const table = "webhook.delivery"
	switch {
	case is == nil:
		d.Deleted = append(d.Deleted, Change{Table: table, ID: was.id(), Before: was.appendDump(nil)})
	case was == nil:
		d.Created = append(d.Created, Change{Table: table, ID: is.id(), After: is.appendDump(nil)})
	case *was != *is:
		d.Updated = append(d.Updated, Change{Table: table, ID: is.id(), Before: was.appendDump(nil), After: is.appendDump(nil)})
	}
}

func (f *Delivery) id() string { return strconv.FormatInt(f.Number, 10) }
