package twin_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"worlds/journal/canon"
	"worlds/projection"
	"worlds/twin"
)

// An alarm rings at its time, then every so many seconds. Its name says what is
// wrong with it.
type alarm struct {
	At     int64  `json:"at"`
	Every  int64  `json:"every"` // 0: once
	ID     string `json:"id"`
	Name   string `json:"name"`
	Object string `json:"object"`
	Pad    string `json:"pad"`
	Rung   int64  `json:"rung"`
}

var alarms = twin.Resource[alarm]{
	Kind: twin.Kind{Table: "toy.alarm", Object: "alarm", Prefix: "alm", Digits: 8},
	Key:  func(a *alarm) string { return a.ID },
	Due:  func(a *alarm) int64 { return a.At },
}

func alarmCatalog() *twin.Catalog {
	d := toyDialect()
	d.TickRefused = func(why string) *twin.Error { return plainly(500, "no tick: %s", why) }
	return twin.NewCatalog("toy", d, twin.Wire{}, twin.API{
		Kind: alarms.Kind, Fire: ring,
		Routes: []twin.Route{
			twin.On("POST /alarms", setAlarm), twin.On("GET /alarms/{id}", showAlarm), twin.On("POST /alarms/{id}/sleep", sleep),
		},
	})
}

type setAlarmParams struct {
	At    twin.Opt[int64]  `param:"at"`
	Every twin.Opt[int64]  `param:"every"`
	Name  twin.Opt[string] `param:"name"`
}

func setAlarm(tx *twin.Tx, p *setAlarmParams) (twin.Doc, *twin.Error) {
	return alarms.Put(tx, &alarm{ID: alarms.NewID(tx), Object: "alarm", At: p.At.V, Every: p.Every.V, Name: p.Name.V}), nil
}

type alarmPath struct {
	ID string `path:"id"`
}

func showAlarm(tx *twin.Tx, p *alarmPath) (twin.Doc, *twin.Error) {
	doc, _ := alarms.Doc(tx, p.ID)
	return doc, nil
}

type sleepParams struct {
	ID string          `path:"id"`
	To twin.Opt[int64] `param:"to"`
}

// sleep moves the clock within a request, and tells when the request came.
func sleep(tx *twin.Tx, p *sleepParams) (twin.Doc, *twin.Error) {
	tx.Emit("sleep.began", twin.Doc{Body: canon.Raw(`{}`)}, nil)
	done, err := tx.Advance(twin.Time(p.To.V))
	if err != nil {
		return twin.Doc{}, plainly(400, "no sleep: %v", err)
	}
	tx.Emit("sleep.ended", twin.Doc{Body: canon.Raw(`{}`)}, nil)
	return twin.Doc{Body: canon.Marshal(done)}, nil
}

func ring(tx *twin.Tx, id string) error {
	old, _ := alarms.Get(tx, id)
	a := *old
	a.Rung++
	switch {
	case a.Name == "broken" && a.Rung == 3:
		return errors.New("the bell is off")
	case a.Name == "panics":
		panic("on purpose")
	case a.Name == "stuck":
		return nil
	case a.Name == "fat":
		a.Pad = strings.Repeat("x", 100_000)
		a.At += a.Every
	case a.Every > 0:
		a.At += a.Every
	default:
		a.At = 0
	}
	doc := alarms.Put(tx, &a)
	tx.Emit("alarm.rang "+a.Name+tx.Request(), doc, nil)
	if a.Name == "mother" && a.Rung == 1 {
		child := &alarm{ID: alarms.NewID(tx), Object: "alarm", At: int64(tx.Now()), Name: "child"}
		alarms.Put(tx, child)
	}
	tx.Renewed()
	return nil
}

func clockWorld(t testing.TB, tick int64, alarms ...string) *world {
	t.Helper()
	w := &world{t: t, machine: twin.NewMachine(projection.New(), twin.Spec{SeedHash: toySeedHash, AutoTickSeconds: tick}, alarmCatalog())}
	w.machine.State.Apply(&projection.Clock{Now: 1000}, 0)
	spec := w.machine.Spec
	w.machine.Spec.AutoTickSeconds = 0
	for _, form := range alarms {
		if out := w.do("", "POST /alarms "+form); out.Status != 200 {
			t.Fatalf("%s: %s", form, said(out))
		}
	}
	w.machine.Spec = spec
	return w
}

func (w *world) advance(args canon.Raw) twin.Outcome {
	return w.run(&twin.Command{Actor: "admin", API: "admin", Op: "advance", Args: args})
}

// rings lists the events: type@created.
func (w *world) rings() string {
	var out []string
	for e := range w.machine.State.OldestEvents(0) {
		out = append(out, fmt.Sprintf("%s@%d", strings.TrimPrefix(e.Type, "alarm.rang "), e.Created))
	}
	return strings.Join(out, " ")
}

// TestAdvanceOrder: what is due fires by due time, then creation, each at its own
// time; what appears on the way takes its place in the queue.
func TestAdvanceOrder(t *testing.T) {
	w := clockWorld(t, 0, "name=b&at=1003&every=5", "name=a&at=1001&every=2", "name=late&at=900", "name=mother&at=1003", "name=never", "name=after&at=1009")
	out := w.advance(twin.AdvanceTo(1008))
	want := "late@900 a@1001 b@1003 a@1003 mother@1003 child@1003 a@1005 a@1007 b@1008"
	if got := w.rings(); got != want {
		t.Errorf("rang %s\nwant %s", got, want)
	}
	if got := said(out); got != `200 {"clock":1008,"events":9,"fired":9,"from":1000,"renewals":9,"renewals_pending":0}` {
		t.Error(got)
	}
	if out := w.advance(twin.AdvanceBy(0)); out.Changed || len(out.Facts) != 0 {
		t.Errorf("standing still changed the world: %s", out.Facts)
	}
}

// TestAdvanceBounds: an advance stops, the whole queue with it, when one object
// has fired a thousand times or all have fired so often together, and the next
// one goes on: the same history comes of it as of many short ones.
func TestAdvanceBounds(t *testing.T) {
	for _, row := range []struct {
		name   string
		alarms []string
		span   int64
		first  string // of the answer
	}{
		{"one object", []string{"name=x&at=1001&every=1", "name=y&at=1002&every=700"}, 3000, `"fired":1002`},
		{"all", []string{"name=x&at=1001&every=1", "name=y&at=1001&every=1", "name=z&at=1001&every=1"}, 2000, `"fired":2500`},
		{"bytes", []string{"name=fat&at=1001&every=1"}, 600, `"fired":420,`},
	} {
		t.Run(row.name, func(t *testing.T) {
			whole, parts := clockWorld(t, 0, row.alarms...), clockWorld(t, 0, row.alarms...)
			out := whole.advance(twin.AdvanceBy(row.span))
			if !strings.Contains(said(out), row.first) || whole.machine.State.Now() != 1000+row.span {
				t.Errorf("first advance: %s", said(out))
			}
			for !strings.Contains(said(out), `"renewals_pending":0`) {
				if pending := whole.machine.State.CountDue(1000 + row.span); !strings.Contains(said(out), fmt.Sprintf(`"renewals_pending":%d}`, pending)) {
					t.Fatalf("%d are due: %s", pending, said(out))
				}
				out = whole.advance(twin.AdvanceBy(0))
			}
			for range row.span / 100 {
				parts.advance(twin.AdvanceBy(100))
			}
			if whole.dump() != parts.dump() {
				t.Errorf("the histories differ")
			}
		})
	}
}

// TestAdvanceAllOrNothing: whatever goes wrong on the way takes all of it back,
// ids included.
func TestAdvanceAllOrNothing(t *testing.T) {
	for _, row := range []struct{ name, alarm, want string }{
		{"refused", "name=broken&at=1002&every=2", `409 {"code":"advance-refused","detail":"the bell is off"}`},
		{"panics", "name=panics&at=1005", `409 {"code":"internal","detail":"the operation failed; nothing was changed"}`},
		{"does not move on", "name=stuck&at=1005", `409 {"code":"internal","detail":"the operation failed; nothing was changed"}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := clockWorld(t, 0, "name=a&at=1001&every=1", "name=mother&at=1001", row.alarm)
			before := w.dump()
			out := w.advance(twin.AdvanceTo(1010))
			if said(out) != row.want || out.Changed || len(out.Facts) != 0 {
				t.Errorf("%s, facts %s", said(out), out.Facts)
			}
			if w.dump() != before {
				t.Errorf("it left traces")
			}
			auto := clockWorld(t, 10, "name=a&at=1001&every=1", "name=mother&at=1001", row.alarm)
			for n := range int64(2) {
				logged := auto.machine.State.Logged()
				out := auto.do("ik_1", "POST /alarms at=1")
				if !strings.HasPrefix(said(out), "500 no tick: ") || out.Changed || auto.machine.State.Logged() != logged+1 {
					t.Errorf("tick %d: %s", n, said(out))
				}
			}
			if auto.dump() != before {
				t.Errorf("the tick left traces")
			}
		})
	}
}

// TestAdvanceRefusals: a clock never goes back, and not beyond its end.
func TestAdvanceRefusals(t *testing.T) {
	w := clockWorld(t, 0)
	const over = `{"code":"invalid-advance"`
	for args, want := range map[string]string{
		`{"seconds":-1}`:               over,
		`{"seconds":9007199254740991}`: over,
		`{"seconds":253402299800}`:     over,
		`{"to":999}`:                   over,
		`{"to":-1}`:                    over,
		`{"to":253402300800}`:          over,
		`{}`:                           `{"code":"invalid-arguments"`,
		`{"seconds":1,"to":1001}`:      `{"code":"invalid-arguments"`,
		`{"days":1}`:                   `{"code":"invalid-arguments"`,
		`{"seconds":"1"}`:              `{"code":"invalid-arguments"`,
	} {
		if out := w.advance(canon.Raw(args)); out.Status != 409 || !strings.HasPrefix(string(out.Body), want) || w.machine.State.Now() != 1000 {
			t.Errorf("%s → %s", args, said(out))
		}
	}
	if out := w.advance(twin.AdvanceTo(twin.ClockMax)); out.Status != 200 {
		t.Errorf("to the end: %s", said(out))
	}
	if out := w.advance(twin.AdvanceBy(1)); out.Status != 409 {
		t.Errorf("beyond it: %s", said(out))
	}
}

// TestAdvanceInterrupted: a long operation tells how far it is, and can be given
// up; then nothing happened, and nothing is to be journaled.
func TestAdvanceInterrupted(t *testing.T) {
	gone := errors.New("gone")
	for _, row := range []struct {
		name string
		tick int64
		do   func(*world) twin.Outcome
	}{
		{"advance", 0, func(w *world) twin.Outcome { return w.advance(twin.AdvanceBy(500)) }},
		{"tick", 500, func(w *world) twin.Outcome { return w.do("ik_1", "POST /alarms at=1") }},
		{"within a request", 0, func(w *world) twin.Outcome { return w.do("ik_1", "POST /alarms/x/sleep to=1500") }},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := clockWorld(t, row.tick, "name=a&at=1001&every=1")
			before, logged := w.dump(), w.machine.State.Logged()
			var steps []int64
			w.machine.Progress = func(fired, at int64) { steps = append(steps, fired, at) }
			w.machine.Interrupt = func() error {
				if len(steps) == 4 {
					return gone
				}
				return nil
			}
			out := row.do(w)
			if !errors.Is(out.Aborted, gone) || out.Facts != nil || fmt.Sprint(steps) != "[32 1032 64 1064]" {
				t.Errorf("aborted %v after %v", out.Aborted, steps)
			}
			if w.dump() != before || w.machine.State.Logged() != logged {
				t.Errorf("it left traces")
			}
			w.machine.Progress, w.machine.Interrupt = nil, nil
			if out := row.do(w); out.Status != 200 || w.machine.State.Now() != 1500 {
				t.Errorf("again: %s", said(out))
			}
		})
	}
}

// TestAdvanceWithinRequest: what time causes names no request; the rest does.
func TestAdvanceWithinRequest(t *testing.T) {
	w := clockWorld(t, 0, "name=a&at=1100&every=1000")
	out := w.do("", "POST /alarms/x/sleep to=1200")
	if got, want := w.rings(), "sleep.began@1000 a@1100 sleep.ended@1200"; got != want {
		t.Errorf("%s, want %s; %s", got, want, said(out))
	}
	broken := clockWorld(t, 0, "name=panics&at=1100")
	before := broken.dump()
	if out := broken.do("", "POST /alarms/x/sleep to=1200"); said(out) != "500 internal" || broken.dump() != before {
		t.Errorf("%s", said(out))
	}
}

// TestTickOnce: an automatic clock ticks once a request, to its end and no
// further.
func TestTickOnce(t *testing.T) {
	w := clockWorld(t, 10, "name=a&at=1010&every=10")
	first := w.do("ik_1", "POST /alarms at=1")
	w.do("ik_1", "POST /alarms at=1") // replayed
	w.do("", "GET /alarms/none")
	w.do("", "POST /nowhere")
	if got := w.rings(); got != "a@1010 @1 a@1020 a@1030" || w.machine.State.Now() != 1030 {
		t.Errorf("clock %d, %s, %s", w.machine.State.Now(), got, said(first))
	}
	end := clockWorld(t, 10)
	end.machine.State.Apply(&projection.Clock{Now: twin.ClockMax - 3}, 0)
	for range 2 {
		if out := end.do("", "POST /alarms at=0"); out.Status != 200 || end.machine.State.Now() != twin.ClockMax {
			t.Errorf("at the end: %s", said(out))
		}
	}
}
