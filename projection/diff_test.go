package projection_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"worlds/journal/canon"
	"worlds/projection"
)

// textOf is a diff's text, which is the same in one piece and in many.
func textOf(d *projection.Diff) string {
	text := string(d.Append(nil))
	var pieces bytes.Buffer
	if err := d.WriteMembers(&pieces); err != nil || "{"+pieces.String()+"}" != text {
		panic(fmt.Sprintf("%v: in pieces {%s}, in one %s", err, &pieces, text))
	}
	return text
}

// A large diff is never gathered whole, and ends with its reader.
func TestDiffInPieces(t *testing.T) {
	base, s := projection.New(), projection.New()
	for i := range 5000 {
		s.Apply(&projection.Put{Table: "t", ID: fmt.Sprintf("t_%d", i), Body: canon.Raw(fmt.Sprintf(`{"a":"%0300d"}`, i))}, uint64(i+1))
	}
	w := &pieces{}
	for _, d := range []*projection.Diff{projection.Compare(base, s), projection.Compare(s, base)} {
		whole := textOf(d)
		*w = pieces{}
		if err := d.WriteMembers(w); err != nil || w.sum != len(whole)-len("{}") || w.largest > len(whole)/10 {
			t.Errorf("%d bytes, %v: %d were written, up to %d at once", len(whole), err, w.sum, w.largest)
		}
		*w = pieces{left: 3}
		if err := d.WriteMembers(w); !errors.Is(err, io.ErrClosedPipe) || w.sum > len(whole)/2 {
			t.Errorf("a reader that goes: %v, %d bytes", err, w.sum)
		}
	}
}

// pieces counts what is written; it fails after so many writes, 0 for never.
type pieces struct{ sum, largest, left int }

func (p *pieces) Write(b []byte) (int, error) {
	if p.left--; p.left == 0 {
		return 0, io.ErrClosedPipe
	}
	p.sum, p.largest = p.sum+len(b), max(p.largest, len(b))
	return len(b), nil
}

func TestDiffText(t *testing.T) {
	put := func(table, id, body string) projection.Fact {
		return &projection.Put{Table: table, ID: id, Body: canon.Raw(body)}
	}
	base := projection.New()
	for _, f := range []projection.Fact{
		&projection.Clock{Now: 100},
		put("b", "stays", `{"n":1}`), put("b", "changes", `{"n":1}`), put("b", "goes", `{"n":1}`),
		put("c", "first", `{}`), put("c", "second", `{}`), put("b", "comes back", `{"n":1}`),
		put("b", "rewritten", `{"n":1}`), put("a", "whole table goes", `{}`),
		&projection.Event{ID: "evt_old", Ref: projection.NoRef},
	} {
		base.Apply(f, 1)
	}
	s := base.Copy()
	for _, f := range []projection.Fact{
		&projection.Clock{Now: 160},
		put("b", "changes", `{"n":2}`), &projection.Delete{Table: "b", ID: "goes"}, put("b", "new", `{"n":3}`),
		put("b", "rewritten", `{"n":1}`), put("aa", "a new table", `{}`), put("b", "born and gone", `{}`),
		&projection.Delete{Table: "b", ID: "born and gone"}, &projection.Delete{Table: "c", ID: "second"},
		&projection.Delete{Table: "c", ID: "first"}, &projection.Delete{Table: "b", ID: "comes back"},
		put("b", "comes back", `{"n":4}`), &projection.Delete{Table: "a", ID: "whole table goes"},
		&projection.Event{
			ID: "evt_new", API: "stripe", Type: "x.updated", Created: 160, Ref: projection.NoRef,
			Meta: canon.Raw(`{"m":1}`), Object: canon.Raw(`{"n":2}`),
		},
	} {
		s.Apply(f, 2)
	}
	want := `{"clock":{"from":100,"to":160},"created":[` +
		`{"after":{},"id":"a new table","table":"aa"},` +
		`{"after":{"n":3},"id":"new","table":"b"}` +
		`],"deleted":[` +
		`{"before":{},"id":"whole table goes","table":"a"},` +
		`{"before":{"n":1},"id":"goes","table":"b"},` +
		`{"before":{},"id":"first","table":"c"},` +
		`{"before":{},"id":"second","table":"c"}` +
		`],"events":[` +
		`{"api":"stripe","created":160,"id":"evt_new","meta":{"m":1},"object":{"n":2},"type":"x.updated"}` +
		`],"updated":[` +
		`{"after":{"n":2},"before":{"n":1},"id":"changes","table":"b"},` +
		`{"after":{"n":4},"before":{"n":1},"id":"comes back","table":"b"}` +
		`]}`
	if got := textOf(projection.Compare(base, s)); got != want {
		t.Errorf("diff\n got %s\nwant %s", got, want)
	}
	const nothing = `{"clock":{"from":100,"to":100},"created":[],"deleted":[],"events":[],"updated":[]}`
	if got := textOf(projection.Compare(base, base)); got != nothing {
		t.Errorf("diff of a state and itself: %s", got)
	}
	if got, want := textOf(projection.Compare(nil, base)), textOf(projection.Compare(projection.New(), base)); got != want {
		t.Errorf("nil is not empty:\n%s\n%s", got, want)
	}
	if d := projection.Compare(base, nil); len(d.Deleted) != 8 || len(d.Created)+len(d.Updated)+len(d.Events) != 0 {
		t.Errorf("diff to nothing: %s", textOf(d))
	}
}

// TestDiffByCopyIsDiffByReplay: the states kept at two marks and the states
// replayed up to them give one diff, byte for byte, and it leads from the one to
// the other.
func TestDiffByCopyIsDiffByReplay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t)
		from := rapid.IntRange(0, len(h.entries)).Draw(t, "from")
		to := rapid.IntRange(0, len(h.entries)).Draw(t, "to") // may be the earlier one
		byCopy := projection.Compare(h.states[from], h.states[to])
		for i, d := range []*projection.Diff{
			projection.Compare(h.replay(t, from), h.replay(t, to)),
			projection.Compare(h.replay(t, from), h.states[to]),
			projection.Compare(h.states[from], h.replay(t, to)),
		} {
			if diff := cmp.Diff(textOf(byCopy), textOf(d)); diff != "" {
				t.Fatalf("way %d, %d to %d:\n%s", i, from, to, diff)
			}
		}
		if err := canon.Valid([]byte(textOf(byCopy))); err != nil {
			t.Fatal(err)
		}
		leads(t, h.states[from], h.states[to], byCopy)
	})
}

// contents are the bodies of a State by place.
func contents(s *projection.State) map[string]string {
	all := map[string]string{}
	for _, table := range s.Tables() {
		for r := range s.Oldest(table, 0) {
			all[fmt.Sprintf("%q %q", table, r.ID)] = string(r.Body)
		}
	}
	dump := canon.Raw(dumpOf(s))
	for table, list := range map[string]string{"webhook.delivery": "deliveries", "scenario.rule": "rules"} {
		rows, _ := canon.Get(dump, list)
		for r := range canon.Elements(rows) {
			id, ok := canon.Get(r, "id")
			if !ok {
				number, _ := canon.Get(r, "number")
				id = canon.Raw(quote(string(number)))
			}
			text, _ := canon.Unquote(id)
			all[fmt.Sprintf("%q %q", table, text)] = string(r)
		}
	}
	return all
}

// leads fails unless d, applied to a, gives b, and says nothing idle.
func leads(t *rapid.T, a, b *projection.State, d *projection.Diff) {
	was, is, now := contents(a), contents(b), contents(a)
	if d.FromClock != a.Now() || d.ToClock != b.Now() {
		t.Fatalf("clock %d to %d", d.FromClock, d.ToClock)
	}
	for _, list := range [][]projection.Change{d.Created, d.Updated, d.Deleted} {
		for _, c := range list {
			at := fmt.Sprintf("%q %q", c.Table, c.ID)
			if string(c.Before) != was[at] || string(c.After) != is[at] || string(c.Before) == string(c.After) {
				t.Fatalf("%s: %q to %q", at, c.Before, c.After)
			}
			if now[at] = string(c.After); c.After == nil {
				delete(now, at)
			}
		}
	}
	if diff := cmp.Diff(is, now); diff != "" {
		t.Fatalf("applied:\n%s", diff)
	}
	var events []string
	for e := range b.OldestEvents(a.Events()) {
		events = append(events, e.ID)
	}
	var got []string
	for _, e := range d.Events {
		got = append(got, e.ID)
	}
	if strings.Join(events, "\n") != strings.Join(got, "\n") {
		t.Fatalf("events %q, want %q", got, events)
	}
}
