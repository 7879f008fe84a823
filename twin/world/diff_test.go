package world_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"worlds/journal"
	"worlds/journal/canon"
	"worlds/journal/store"
	"worlds/projection"
)

// holdings is what a dump holds of rows, rules, deliveries and events.
type holdings struct {
	Objects    map[string][]json.RawMessage
	Deliveries []json.RawMessage
	Rules      []json.RawMessage
	Events     []json.RawMessage
}

func holdingsOf(t fatal, st *projection.State) *holdings {
	t.Helper()
	var dump bytes.Buffer
	if err := st.WriteDump(&dump); err != nil {
		t.Fatalf("%v", err)
	}
	h := &holdings{}
	if err := json.Unmarshal(dump.Bytes(), h); err != nil {
		t.Fatalf("%v", err)
	}
	return h
}

// apply does to the rows what a diff says; each before-image must be there.
func (h *holdings) apply(t fatal, d *projection.Diff) {
	t.Helper()
	find := func(c projection.Change) int {
		i := slices.IndexFunc(h.Objects[c.Table], func(row json.RawMessage) bool { return bytes.Equal(row, c.Before) })
		if i < 0 {
			t.Fatalf("%s %s: what it was before is not there: %s", c.Table, c.ID, c.Before)
		}
		return i
	}
	for _, c := range d.Updated {
		h.Objects[c.Table][find(c)] = json.RawMessage(c.After)
	}
	for _, c := range d.Deleted {
		i := find(c)
		if h.Objects[c.Table] = slices.Delete(h.Objects[c.Table], i, i+1); len(h.Objects[c.Table]) == 0 {
			delete(h.Objects, c.Table)
		}
	}
	for _, c := range d.Created {
		h.Objects[c.Table] = append(h.Objects[c.Table], json.RawMessage(c.After))
	}
}

// What changed between two positions, applied to the first, gives the second.
func TestDiffApplied(t *testing.T) {
	outer := t
	rapid.Check(t, func(t *rapid.T) {
		r := newRig(outer, "saas-billing-small", func(r *rig) {
			r.store = store.Options{Durability: store.Relaxed, SegmentBytes: 64 << 10}
		})
		defer r.journal.Close()
		for n := range rapid.IntRange(1, 12).Draw(t, "operations") {
			r.send(step(t, n))
		}
		v := r.view()
		from := rapid.IntRange(0, int(v.Seq)).Draw(t, "from")
		to := rapid.IntRange(from, int(v.Seq)).Draw(t, "to")
		a, err := r.world.Replayed(v, journal.Seq(from))
		if err != nil {
			t.Fatal(err)
		}
		b, err := r.world.Replayed(v, journal.Seq(to))
		if err != nil {
			t.Fatal(err)
		}
		d := projection.Compare(a, b)
		got, want := holdingsOf(t, a), holdingsOf(t, b)
		got.apply(t, d)
		x, _ := json.Marshal(got.Objects)
		y, _ := json.Marshal(want.Objects)
		if !bytes.Equal(x, y) {
			t.Fatalf("from %d to %d: the diff applied gives\n%s\nwant\n%s", from, to, x, y)
		}
		if len(got.Events)+len(d.Events) != len(want.Events) || d.FromClock != a.Now() || d.ToClock != b.Now() {
			t.Fatalf("from %d to %d: %d events and %d new, want %d; clocks %d to %d", from, to, len(got.Events), len(d.Events), len(want.Events), d.FromClock, d.ToClock)
		}
		again, err := canon.Canonicalize(d.Append(nil))
		if err != nil || !bytes.Equal(again, d.Append(nil)) {
			t.Fatalf("the diff is not canonical: %v", err)
		}
	})
}
