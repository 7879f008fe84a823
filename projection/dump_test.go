package projection_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"worlds/journal/canon"
	"worlds/projection"
)

func TestDumpText(t *testing.T) {
	s := projection.New()
	const empty = `{"clock":0,"counters":{},"deliveries":[],"events":[],"idempotency":[],"marks":[],"minted":0,"objects":{},"rules":[]}`
	if got := dumpOf(s); got != empty {
		t.Errorf("empty dump %s", got)
	}
	for seq, f := range []projection.Fact{
		&projection.Clock{Now: 1_700_000_000},
		&projection.Put{Table: "b.t", ID: "z", Terms: []string{"x"}, Due: 3, Body: canon.Raw(`{"id":"z"}`)},
		&projection.Put{Table: "b.t", ID: "a", Body: canon.Raw(`{"id":"a"}`)},
		&projection.Put{Table: "a.t", ID: "q", Body: canon.Raw(`{"id":"q"}`)},
		&projection.Put{Table: "emptied", ID: "q", Body: canon.Raw(`{}`)},
		&projection.Put{Table: "b.t", ID: "z", Body: canon.Raw(`{"id":"z","v":2}`)},
		&projection.Delete{Table: "emptied", ID: "q"},
		&projection.Counter{Name: "y", Value: 2}, &projection.Counter{Name: "x\n", Value: -1},
		&projection.Mark{Name: "z first"}, &projection.Mark{Name: "a second"},
		&projection.Minted{Count: 4}, &projection.Log{Count: 99},
		&projection.Rule{ID: "z", Spec: canon.Raw(`{"effect":{}}`)}, &projection.Rule{ID: "gone", Spec: canon.Raw(`{}`)},
		&projection.Rule{ID: "a", Spec: canon.Raw(`{}`)}, &projection.Rule{ID: "gone"},
		&projection.Rule{ID: "z", Matched: 3, Acted: 1, Spec: canon.Raw(`{"effect":{}}`)},
		&projection.Delivery{Number: 1, Event: "evt_1", Endpoint: "endpoint:1", Version: "v", Status: projection.Pending, Turn: 1},
		&projection.Delivery{Number: 2, Event: "evt_2", Endpoint: "endpoint:1", Version: "v", Status: projection.Pending, Turn: 2},
		&projection.Delivery{
			Number: 1, Event: "evt_1", Endpoint: "endpoint:1", Version: "v", Status: projection.Delivered, Attempts: 1, Turn: 1, Outcome: "200",
		},
		&projection.Idem{Key: "ik_2", Ref: projection.NoRef, Status: 402, Reply: canon.Raw(`{"error":{}}`)},
		&projection.Idem{
			Key: "ik_1", API: "stripe", Target: "POST /v1/customers", Fingerprint: "00ff", Request: "req_1",
			Version: "2026-08-26.dahlia", Status: 200, Reply: canon.Raw(`{"id":"q"}`),
		},
		&projection.Event{
			ID: "evt_2", API: "stripe", Type: "x.created", Created: 5, Meta: canon.Raw(`{"m":1}`), Object: canon.Raw(`{"id":"z"}`),
		},
		&projection.Event{ID: "evt_1", API: "stripe", Type: "x.deleted", Created: 6},
	} {
		s.Apply(f, uint64(seq))
	}
	want := `{"clock":1700000000,"counters":{"x\n":-1,"y":2},"deliveries":[` +
		`{"attempts":1,"due":0,"endpoint":"endpoint:1","event":"evt_1","number":1,"outcome":"200","status":"delivered","turn":1,"version":"v"},` +
		`{"attempts":0,"due":0,"endpoint":"endpoint:1","event":"evt_2","number":2,"outcome":"","status":"pending","turn":2,"version":"v"}` +
		`],"events":[` +
		`{"api":"stripe","created":5,"id":"evt_2","meta":{"m":1},"object":{"id":"z"},"type":"x.created"},` +
		`{"api":"stripe","created":6,"id":"evt_1","meta":null,"object":null,"type":"x.deleted"}` +
		`],"idempotency":[` +
		`{"api":"stripe","fingerprint":"00ff","key":"ik_1","reply":{"id":"q"},"request":"req_1","status":200,` +
		`"target":"POST /v1/customers","version":"2026-08-26.dahlia"},` +
		`{"api":"","fingerprint":"","key":"ik_2","reply":{"error":{}},"request":"","status":402,"target":"","version":""}` +
		`],"marks":["z first","a second"],"minted":4,"objects":{` +
		`"a.t":[{"id":"q"}],"b.t":[{"id":"z","v":2},{"id":"a"}]},"rules":[` +
		`{"acted":1,"id":"z","matched":3,"rule":{"effect":{}}},{"acted":0,"id":"a","matched":0,"rule":{}}]}`
	if got := dumpOf(s); got != want {
		t.Errorf("dump\n got %s\nwant %s", got, want)
	}
	if err := canon.Valid([]byte(want)); err != nil {
		t.Error(err)
	}
}

var errFull = errors.New("no room")

// narrow accepts so many writes and notes how large they were.
type narrow struct {
	bytes.Buffer
	left  int
	calls int
	most  int
}

func (w *narrow) Write(p []byte) (int, error) {
	w.calls++
	w.most = max(w.most, len(p))
	if w.left--; w.left < 0 {
		return 0, errFull
	}
	return w.Buffer.Write(p)
}

// TestDumpIsWrittenInChunks: a dump is never whole in memory, and stops at the
// first error of the writer, wherever that comes.
func TestDumpIsWrittenInChunks(t *testing.T) {
	const n = 1_000
	s := folded(t, customerEntries(n))
	for i := range n {
		s.Apply(&projection.Counter{Name: strings.Repeat("n", 100) + customerID(i), Value: 1}, 0)
	}
	whole := &narrow{left: 1 << 30}
	if err := s.WriteDump(whole); err != nil {
		t.Fatal(err)
	}
	if whole.most > 80<<10 || whole.calls < 10 {
		t.Errorf("%d writes of up to %d bytes", whole.calls, whole.most)
	}
	if err := canon.Valid(whole.Bytes()); err != nil {
		t.Fatal(err)
	}
	for left := range whole.calls {
		w := &narrow{left: left}
		if err := s.WriteDump(w); !errors.Is(err, errFull) {
			t.Fatalf("after %d writes: %v", left, err)
		}
		if w.calls != left+1 {
			t.Fatalf("%d writes after the one that failed", w.calls-left-1)
		}
		if !bytes.HasPrefix(whole.Bytes(), w.Bytes()) {
			t.Fatalf("after %d writes: another text", left)
		}
	}
}
