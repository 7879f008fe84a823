package stripe_test

import (
	"fmt"
	"strings"
	"testing"

	"worlds/journal/canon"
	"worlds/projection"
	"worlds/twin"
	"worlds/twin/stripe"
)

// rule adds a fault rule.
func (r *rig) rule(spec string) {
	r.t.Helper()
	src, err := canon.Canonicalize([]byte(spec))
	if err != nil {
		r.t.Fatal(err)
	}
	if out := r.operate("scenario.add", src); out.Status != 200 {
		r.t.Fatalf("%s: %s", spec, out.Body)
	}
}

// hooked does a request under an endpoint of the operator's that wants everything.
func (r *rig) hooked(line string) {
	r.t.Helper()
	words := strings.Fields(line)
	cmd := twin.Command{Actor: "key:1", API: stripe.Name, Method: words[0], Path: words[1], Body: strings.Join(words[2:], "&"),
		Hooks: twin.HookText("", []string{"*"})}
	out := r.machine.Execute(uint64(len(r.ran))+1, &cmd)
	r.ran = append(r.ran, ran{cmd, out})
	if out.Status != 200 {
		r.t.Fatalf("%s: %s", line, out.Body)
	}
}

// ledger is the delivery ledger, one row a line.
func (r *rig) ledger() string {
	var b strings.Builder
	for d := range r.machine.State.OldestDeliveries(0) {
		e := r.machine.State.EventByID(d.Event)
		fmt.Fprintf(&b, "%d %s %s %s attempts=%d due=%d turn=%d %s\n", d.Number, e.Type, d.Endpoint, d.Status, d.Attempts, d.Due, d.Turn, d.Outcome)
	}
	return b.String()
}

// TestWhenRulesAct is the arithmetic of from, every and count: which of twelve
// requests are answered by the rule.
func TestWhenRulesAct(t *testing.T) {
	for _, row := range []struct{ when, want string }{
		{``, "XXXXXXXXXXXX"},
		{`"from":4,`, "...XXXXXXXXX"},
		{`"count":2,`, "XX.........."},
		{`"from":4,"count":3,`, "...XXX......"},
		{`"every":3,`, "X..X..X..X.."},
		{`"from":2,"every":4,"count":2,`, ".X...X......"},
	} {
		r := newRig(t, qaBase)
		r.rule(`{"id":"r","match":{"method":"GET","path":"/v1/customers/*"},` + row.when + `"effect":{"answer":{"status":503}}}`)
		got := ""
		for range 12 {
			r.do("GET /v1/customers")  // another path
			r.do("GET /v1/nothing/at") // no route
			if r.do("GET /v1/customers/cus_qa01").Status == 503 {
				got += "X"
			} else {
				got += "."
			}
		}
		if got != row.want {
			t.Errorf("%s: %s, want %s", row.when, got, row.want)
		}
		if f := r.machine.State.Rule("r"); f.Matched != 12 || f.Acted != int64(strings.Count(row.want, "X")) {
			t.Errorf("%s: matched %d acted %d", row.when, f.Matched, f.Acted)
		}
	}
}

func TestRulePaths(t *testing.T) {
	for _, row := range []struct {
		glob string
		want string // of the requests below, which match
	}{
		{"/v1/customers", "X..."},
		{"/v1/customers/*", ".X.."},
		{"/v1/customers/{id}", ".X.."},
		{"/v1/customers/cus_*1", ".X.."},
		{"/v1/customers/cus_qa02", "...."},
		{"/v1/*", "X..."},
		{"/v1/**", "XXXX"},
		{"/v1/customers/**", ".XX."},
		{"/v1/*/*/balance_transactions", "..X."},
		{"/**", "XXXX"},
		{"/v1/c*s/*", ".X.X"},
	} {
		r := newRig(t, qaBase)
		r.rule(`{"match":{"path":"` + row.glob + `"},"effect":{"answer":{"status":503}}}`)
		got := ""
		for _, path := range []string{"/v1/customers", "/v1/customers/cus_qa01", "/v1/customers/cus_qa01/balance_transactions", "/v1/charges/ch_qa01"} {
			if r.do("GET "+path).Status == 503 {
				got += "X"
			} else {
				got += "."
			}
		}
		if got != row.want {
			t.Errorf("%s: %s, want %s", row.glob, got, row.want)
		}
	}
}

// TestInjectedAnswersLeaveNothing: no record under the key, no tick, no id, no
// change but the counts.
func TestInjectedAnswersLeaveNothing(t *testing.T) {
	r := newRig(t, strings.Replace(qaBase, `"clock_mode":"manual"`, `"clock_mode":"auto","auto_tick_seconds":7`, 1))
	r.rule(`{"id":"r","count":1,"effect":{"answer":{"status":500}}}`)
	now, minted := r.machine.State.Now(), r.machine.State.Minted()
	if a := r.doKey("ik_1", "POST /v1/customers email=a@b.example"); a.Status != 500 {
		t.Fatal(a.Status)
	}
	st := r.machine.State
	if st.Now() != now || st.Minted() != minted || st.Idem("stripe", "ik_1") != nil {
		t.Errorf("clock %d to %d, minted %d to %d, record %v", now, st.Now(), minted, st.Minted(), st.Idem("stripe", "ik_1"))
	}
	if a := r.doKey("ik_1", "POST /v1/customers email=a@b.example"); a.Status != 200 || st.Now() != now+7 {
		t.Errorf("%d at %d", a.Status, st.Now())
	}
}

// TestCloseCountsKeysOnce: attempts with one key are one match; without a key each
// is its own.
func TestCloseCountsKeysOnce(t *testing.T) {
	r := newRig(t, qaBase)
	r.rule(`{"id":"cut","match":{"method":"POST"},"from":2,"count":1,"effect":{"close":2}}`)
	got := ""
	for _, key := range []string{"ik_1", "ik_1", "ik_1", "ik_2", "ik_2", "ik_2", "ik_2", "ik_3", ""} {
		cmd := twin.Command{Actor: "key:1", API: stripe.Name, Method: "POST", Path: "/v1/customers", Idem: key}
		out := r.machine.Execute(uint64(len(r.ran))+1, &cmd)
		r.ran = append(r.ran, ran{cmd, out})
		if out.Close {
			got += "X"
		} else {
			got += "."
		}
	}
	if got != "...XX...." {
		t.Error(got)
	}
	if f := r.machine.State.Rule("cut"); f.Matched != 4 || f.Acted != 1 {
		t.Errorf("matched %d acted %d", f.Matched, f.Acted)
	}
}

// TestDeliverRefusals: an outcome is taken down once, in turn, and only when it can
// be true.
func TestDeliverRefusals(t *testing.T) {
	r := newRig(t, qaBase)
	r.hooked("POST /v1/customers email=a@b.example")
	r.rule(`{"id":"drop","effect":{"drop_every_nth":3}}`)
	for _, row := range []struct {
		delivery, attempt int64
		outcome, want     string
	}{
		{2, 1, "200", "no-such-delivery"},
		{1, 2, "200", "delivery-settled"},
		{1, 0, "200", "delivery-settled"},
		{1, 1, "99", "invalid-outcome"},
		{1, 1, "0200", "invalid-outcome"},
		{1, 1, "600", "invalid-outcome"},
		{1, 1, "127.0.0.1 refused", "invalid-outcome"},
		{1, 1, "", "invalid-outcome"},
		{1, 1, "dropped", "invalid-outcome"}, // it is the third that is dropped
		{1, 1, "500", ""},
		{1, 1, "200", "delivery-settled"},
		{1, 2, "200", "not-due"},
	} {
		out := r.operate("deliver", twin.DeliverArgs(row.delivery, row.attempt, row.outcome))
		code, _ := canon.Get(out.Body, "code")
		if got, _ := canon.Unquote(code); got != row.want {
			t.Errorf("%+v: %s", row, out.Body)
		}
	}
	r.operate("advance", twin.AdvanceBy(60))
	r.operate("deliver", twin.DeliverArgs(1, 2, "timeout"))
	r.operate("advance", twin.AdvanceBy(120))
	if out := r.operate("deliver", twin.DeliverArgs(1, 3, "200")); out.Status == 200 {
		t.Errorf("the third attempt went through: %s", out.Body)
	}
	r.operate("deliver", twin.DeliverArgs(1, 3, "dropped"))
	r.operate("advance", twin.AdvanceBy(240))
	r.operate("deliver", twin.DeliverArgs(1, 4, "204"))
	if got := r.ledger(); got != "1 customer.created endpoint:1 delivered attempts=4 due=0 turn=1 204\n" {
		t.Error(got)
	}
	if out := r.operate("deliver", twin.DeliverArgs(1, 5, "200")); out.Status == 200 {
		t.Error("a delivered row was tried again")
	}
}

// TestBackoff: 60 s × 2^(n-1) after attempt n, sixteen attempts in all.
func TestBackoff(t *testing.T) {
	r := newRig(t, qaBase)
	r.hooked("POST /v1/customers email=a@b.example")
	st := r.machine.State
	for attempt := int64(1); attempt <= twin.AttemptsMax; attempt++ {
		now := st.Now()
		r.operate("deliver", twin.DeliverArgs(1, attempt, "500"))
		d := st.Delivery(1)
		if attempt == twin.AttemptsMax {
			if d.Status != projection.Failed || d.Due != 0 {
				t.Errorf("after the last attempt: %+v", d)
			}
			return
		}
		if want := now + 60<<(attempt-1); d.Due != want || d.Status != projection.Pending {
			t.Fatalf("after attempt %d: %+v, want due %d", attempt, d, want)
		}
		r.operate("advance", twin.AdvanceTo(d.Due))
	}
}

// TestDroppingForesees: what a drain is told beforehand is what is decided after.
func TestDroppingForesees(t *testing.T) {
	r := newRig(t, qaBase)
	r.rule(`{"id":"third","effect":{"drop_every_nth":3}}`)
	r.rule(`{"id":"fourth","match":{"event":"customer.*"},"count":1,"effect":{"drop_every_nth":4}}`)
	const n = 12
	for range n {
		r.hooked("POST /v1/customers email=a@b.example")
	}
	dropping := twin.Dropping(r.machine.State, twin.EndpointLabel)
	got := ""
	for i := int64(1); i <= n; i++ {
		outcome := "200"
		if dropping(r.machine.State.Delivery(i).Event) {
			outcome = "dropped"
			got += "X"
		} else {
			got += "."
		}
		if out := r.operate("deliver", twin.DeliverArgs(i, 1, outcome)); out.Status != 200 {
			t.Errorf("row %d as %s: %s", i, outcome, out.Body)
		}
	}
	if got != "..XX.X..X..X" {
		t.Error(got)
	}
}

// TestReorderSwapsPairs: every event held back is overtaken by the next one only.
func TestReorderSwapsPairs(t *testing.T) {
	r := newRig(t, qaBase)
	r.rule(`{"id":"swap","effect":{"reorder":true}}`)
	for range 5 {
		r.hooked("POST /v1/customers email=a@b.example")
	}
	var turns []string
	for _, d := range r.machine.State.PendingDeliveries() {
		turns = append(turns, fmt.Sprint(d.Number))
	}
	if got := strings.Join(turns, " "); got != "2 1 4 3 5" {
		t.Error(got)
	}
	if d := r.machine.State.Delivery(5); d.Turn != 0 {
		t.Errorf("the last one is not held back: %+v", d)
	}
}

// TestRolledBackEventsLeaveNoDelivery: what a refusal takes back was never on its
// way.
func TestRolledBackEventsLeaveNoDelivery(t *testing.T) {
	r := newRig(t, qaBase)
	cmd := twin.Command{Actor: "key:1", API: stripe.Name, Method: "POST", Path: "/v1/customers", Hooks: twin.HookText("", []string{"*"}),
		Body: "email=a@b.example&expand[]=nothing"}
	out := r.machine.Execute(1, &cmd)
	r.ran = append(r.ran, ran{cmd, out})
	if got := r.ledger(); out.Status != 400 || got != "" {
		t.Errorf("%d %s", out.Status, got)
	}
}
