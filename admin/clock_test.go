package admin_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"worlds/admin"
)

// dailySeed bills three customers every day.
const dailySeed = `{"name":"daily","version":1,"epoch":1767225600,"data":{"customers":[{"id":"cus_a"},{"id":"cus_b"},{"id":"cus_c"}],
 "products":[{"id":"prod_a","name":"A"}],"prices":[{"id":"price_d","product":"prod_a","unit_amount":100,"recurring":{"interval":"day"}}],
 "subscriptions":[{"id":"sub_a","customer":"cus_a","price":"price_d"},{"id":"sub_b","customer":"cus_b","price":"price_d"},{"id":"sub_c","customer":"cus_c","price":"price_d"}]}}`

// streamAdvance asks for an advance of so many days as a stream and calls seen
// with each event until it returns false.
func (r *rig) streamAdvance(w admin.CreatedWorld, days int, seen func(event, data string) bool) {
	r.t.Helper()
	ctx, cancel := context.WithCancel(r.t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "POST", r.http.URL+"/admin/worlds/"+w.ID+"/clock/advance", strings.NewReader(fmt.Sprintf(`{"days":%d}`, days)))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+w.AdminToken)
	req.Header.Set("Accept", "text/event-stream")
	res, err := r.client.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	event := ""
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch name {
		case "event":
			event = value
		case "data":
			if !seen(event, value) {
				return
			}
		}
	}
}

func (r *rig) clock(w admin.CreatedWorld) (info admin.ClockInfo) {
	r.t.Helper()
	a := r.want(200, "", "GET", "/admin/worlds/"+w.ID+"/clock", w.AdminToken, "")
	if err := json.Unmarshal(a.body, &info); err != nil {
		r.t.Fatal(err)
	}
	return info
}

// TestAdvanceStream: progress rises, the end is the answer itself, and a refusal
// comes as a problem.
func TestAdvanceStream(t *testing.T) {
	r := newRig(t, admin.Options{RootToken: root})
	w := r.create(`{"seed":` + dailySeed + `}`)
	var events []string
	last := int64(0)
	r.streamAdvance(w, 100, func(event, data string) bool {
		if len(events) == 0 || events[len(events)-1] != event {
			events = append(events, event)
		}
		var step struct{ Fired, At, Renewals int64 }
		if err := json.Unmarshal([]byte(data), &step); err != nil || step.Fired <= last && event == "progress" || event == "done" && step.Renewals != 300 {
			t.Errorf("%s: %s after %d", event, data, last)
		}
		last = step.Fired
		return true
	})
	if n := len(events); n == 0 || events[n-1] != "done" || n > 2 {
		t.Errorf("events %v", events)
	}
	r.streamAdvance(w, -1, func(event, data string) bool {
		t.Errorf("%s: %s", event, data)
		return true
	})
}

// TestAdvanceAbandoned: a client that goes away before the end leaves the clock
// where it was, with nothing journaled, and the next one finds it so.
func TestAdvanceAbandoned(t *testing.T) {
	r := newRig(t, admin.Options{RootToken: root})
	w := r.create(`{"seed":` + dailySeed + `}`)
	before := r.want(200, "", "GET", "/admin/worlds/"+w.ID, w.AdminToken, "")
	told := 0
	r.streamAdvance(w, 800, func(event, _ string) bool {
		told++
		return event != "progress"
	})
	if told != 1 {
		t.Fatalf("%d events before it left", told)
	}
	if now := r.clock(w); now.Clock != 1767225600 || now.Pending != 0 {
		t.Errorf("the clock stands at %d", now.Clock)
	}
	if after := r.want(200, "", "GET", "/admin/worlds/"+w.ID, w.AdminToken, ""); string(after.body) != string(before.body) {
		t.Errorf("before %s\nafter %s", before.body, after.body)
	}
	r.want(200, `"renewals":3,`, "POST", "/admin/worlds/"+w.ID+"/clock/advance", w.AdminToken, `{"days":1}`)
}

// TestAdvancePending: what is left after a bound is counted, by the advance and by
// the clock, until the next one.
func TestAdvancePending(t *testing.T) {
	r := newRig(t, admin.Options{RootToken: root})
	w := r.create(`{"seed":` + dailySeed + `}`)
	path := "/admin/worlds/" + w.ID + "/clock/advance"
	a := r.want(200, `"renewals_pending":3`, "POST", path, w.AdminToken, `{"days":1200}`)
	if now := r.clock(w); now.Pending != 3 || now.Clock != 1767225600+1200*86400 {
		t.Errorf("clock %+v after %s", now, a.body)
	}
	for r.clock(w).Pending > 0 {
		r.want(200, `"from":1870905600`, "POST", path, w.AdminToken, `{"seconds":0}`)
	}
}

// A world may have another clock_mode than its seed: it is then a world of the seed
// that says so, with that one's hash.
func TestClockMode(t *testing.T) {
	r := newRig(t, admin.Options{Open: true})
	plain := r.create(`{"seed":` + dailySeed + `}`)
	same := r.create(`{"seed":` + dailySeed + `,"clock_mode":"manual"}`)
	auto := r.create(`{"seed":` + dailySeed + `,"clock_mode":"auto"}`)
	said := r.create(`{"seed":` + strings.Replace(dailySeed, `"version":1`, `"version":1,"clock_mode":"auto"`, 1) + `}`)
	if plain.Seed.Hash != same.Seed.Hash || auto.Seed.Hash == plain.Seed.Hash || auto.Seed.Hash != said.Seed.Hash {
		t.Errorf("%s %s %s %s", plain.Seed.Hash, same.Seed.Hash, auto.Seed.Hash, said.Seed.Hash)
	}
	r.want(200, `"auto_tick_seconds":1`, "GET", "/admin/worlds/"+auto.ID+"/clock", auto.AdminToken, "")
	r.want(400, "invalid-clock-mode", "POST", "/admin/worlds", "", `{"seed":`+dailySeed+`,"clock_mode":"sometimes"}`)
}
