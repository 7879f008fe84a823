package world_test

import (
	"context"
	"strings"
	"testing"

	"worlds/journal"
	"worlds/journal/canon"
	"worlds/journal/store"
	"worlds/projection"
	"worlds/seed"
)

// unbillableSeed is a world on an automatic clock, whose every request is a month.
const unbillableSeed = `{"name":"unbillable","version":1,"epoch":1767225600,"clock_mode":"auto","auto_tick_seconds":2678400,"data":{
	"customers":[{"id":"cus_a"}],
	"products":[{"id":"prod_a","name":"A"}],
	"prices":[{"id":"price_m","product":"prod_a","unit_amount":2000,"recurring":{"interval":"month"}}],
	"subscriptions":[{"id":"sub_a","customer":"cus_a","price":"price_m","created_offset":86400}]}}`

// TestResetFreesAutomaticClock: with a renewal that cannot be billed, which only a
// journal can hold that was written by others, every request on an automatic clock is
// answered 500 and logged, also after a restart; a reset ends that.
func TestResetFreesAutomaticClock(t *testing.T) {
	r := newRig(t, "saas-billing-small", func(r *rig) {
		s, err := seed.Parse([]byte(unbillableSeed))
		if err != nil {
			t.Fatal(err)
		}
		r.seed = s
	})
	row := r.view().State.Get("stripe.subscription", "sub_a")
	body := strings.NewReplacer(`"currency":"usd"`, `"currency":"eur"`, `"unit_amount":2000`, `"unit_amount":-2000`,
		`"unit_amount_decimal":"2000"`, `"unit_amount_decimal":"-2000"`).Replace(string(row.Body))
	plantFacts(t, r, &projection.Put{Table: "stripe.subscription", ID: row.ID, Terms: row.Terms, Due: row.Due, Body: canon.Raw(body)})
	before := r.view()
	for _, line := range [][3]string{
		{"GET", "/v1/customers", ""},
		{"POST", "/v1/customers", "name=A"},
		{"POST", "/v1/subscriptions/sub_a", "cancel_at_period_end=true"},
		{"GET", "/v1/subscriptions/sub_a", ""},
	} {
		a := r.do(line[0], line[1], line[2], "")
		if a.Status != 500 || !strings.Contains(string(a.Body), `"type":"api_error"`) {
			t.Errorf("%s %s → %d %s", line[0], line[1], a.Status, a.Body)
		}
		if line[0] == "GET" {
			r.restart()
		}
	}
	after := r.view()
	if after.Seq != before.Seq+4 || after.State.Logged() != before.State.Logged()+4 {
		t.Errorf("%d entries and %d requests logged of 4", after.Seq-before.Seq, after.State.Logged()-before.State.Logged())
	}
	if after.State.Now() != before.State.Now() {
		t.Errorf("the clock went to %d", after.State.Now())
	}
	r.reset()
	if a := r.do("GET", "/v1/subscriptions/sub_a", "", ""); a.Status != 200 || !strings.Contains(string(a.Body), `"currency":"usd"`) {
		t.Errorf("after the reset → %d %s", a.Status, a.Body)
	}
	r.ok("POST", "/v1/customers", "name=A", "")
	if n := r.view().State.Now(); n != 1767225600+2*2678400 {
		t.Errorf("two requests after the reset the clock stands at %d", n)
	}
	r.replay()
}

// plantFacts appends an entry with facts that nobody decided, and loads the world anew.
func plantFacts(t *testing.T, r *rig, facts ...projection.Fact) {
	t.Helper()
	v := r.view()
	head, _ := r.journal.Head(r.world.ID)
	frame := journal.Frame{At: v.State.Now(), Command: canon.Raw(`{"op":"planted"}`), Reply: canon.Raw(`null`)}
	for _, f := range facts {
		frame.Facts = append(frame.Facts, f.Append(nil))
	}
	e := journal.Entry{Seq: v.Seq + 1, Prev: v.Hash, Body: frame.AppendBody(nil)}
	e.Hash = journal.Link(e.Prev, e.Seq, e.Body)
	ticket, err := r.journal.Append(store.Record{World: r.world.ID, Inc: head.Inc, Entry: e})
	if err == nil {
		err = ticket.Wait()
	}
	if err != nil {
		t.Fatal(err)
	}
	r.restart()
	if _, err := r.world.View(context.Background()); err != nil {
		t.Fatal(err)
	}
}
