package stripe_test

import (
	"fmt"
	"strings"
	"testing"

	"worlds/projection"
	"worlds/seed"
	"worlds/twin"
	"worlds/twin/stripe"
)

// TestWhatTicks: on an automatic clock, of every route: what the pipeline turns
// away before the tick leaves the clock, whatever comes later has ticked once.
// Either way the request is logged.
func TestWhatTicks(t *testing.T) {
	r := newRig(t, qaAuto(7))
	check := func(cmd twin.Command, ticks bool) {
		t.Helper()
		clock, logged := r.machine.State.Now(), r.machine.State.Logged()
		cmd.Actor, cmd.API = "key:1", stripe.Name
		out := r.machine.Execute(uint64(len(r.ran))+1, &cmd)
		r.ran = append(r.ran, ran{cmd, out})
		if moved := r.machine.State.Now() - clock; moved != 0 && !ticks || moved != 7 && ticks {
			t.Errorf("%s %s?%s %s → %d: the clock moved by %d", cmd.Method, cmd.Path, cmd.Query, cmd.Body, out.Status, moved)
		}
		if r.machine.State.Logged() != logged+1 {
			t.Errorf("%s %s: logged %d times", cmd.Method, cmd.Path, r.machine.State.Logged()-logged)
		}
	}
	with := func(route *twin.Route, form string) twin.Command {
		cmd := twin.Command{Method: route.Method}
		for seg := range strings.SplitSeq(route.Pattern[1:], "/") {
			if strings.HasPrefix(seg, "{") {
				seg = "none"
			}
			cmd.Path += "/" + seg
		}
		if route.Method == "GET" {
			cmd.Query = form
		} else {
			cmd.Body = form
		}
		return cmd
	}
	for _, route := range stripe.Catalog().Routes() {
		check(with(route, ""), true)
		check(with(route, "zz[top]=1"), false)
		check(with(route, "a=%zz"), false)
		keyed := with(route, "")
		if keyed.Idem = "ik_1"; route.Method != "GET" {
			check(keyed, true)
		}
		keyed.Idem, keyed.Version = "", "yesterday"
		check(keyed, false)
		keyed.Version, keyed.Header = "", "Stripe-Account"
		check(keyed, false)
	}
	check(twin.Command{Method: "GET", Path: "/v1/nothing"}, false)
	check(twin.Command{Method: "PUT", Path: "/v1/customers"}, false)
	check(twin.Command{Method: "POST", Path: "/v1/customers", Body: "name=A", Idem: "ik_2"}, true)
	check(twin.Command{Method: "POST", Path: "/v1/customers", Body: "name=A", Idem: "ik_2"}, true) // replayed
	check(twin.Command{Method: "POST", Path: "/v1/customers", Body: "name=B", Idem: "ik_2"}, true) // refused
	check(twin.Command{Method: "GET", Path: "/v1/customers", Query: "limit=0"}, true)
	check(twin.Command{Method: "POST", Path: "/v1/refunds", Body: "charge=ch_qa01&amount=x"}, true)
	check(twin.Command{Method: "POST", Path: "/v1/refunds", Body: "charge=ch_qa01&amount=999999"}, true)
}

// TestTickRenews: the tick comes before the handler, so that a request sees what
// fell due in its own tick; and the events of time name no request.
func TestTickRenews(t *testing.T) {
	auto := strings.Replace(fmt.Sprintf(clockSeed, `{"id":"sub_a","customer":"cus_ada","price":"price_m"}`),
		`"clock_mode":"manual"`, `"clock_mode":"auto","auto_tick_seconds":2419200`, 1)
	r := newRig(t, auto)
	if n := r.do("GET /v1/invoices").each("created"); n != "1772272800" {
		t.Errorf("invoices made at %q", n)
	}
	r.ok("POST /v1/customers name=A")
	for _, e := range strings.Split(r.do("GET /v1/events limit=100").each("request.id"), " ") {
		if e != "null" && e == "" {
			t.Errorf("an event without request")
		}
	}
	if got := r.do("GET /v1/events type=customer.subscription.updated").each("request.id"); strings.Trim(got, "nul ") != "" {
		t.Errorf("a renewal's events name the request %s", got)
	}
}

// unbillable is a world with a subscription that no request can build: its
// renewal is a credit of euros to a customer whose balance is in dollars.
func unbillable(t *testing.T, mode string) *twin.Machine {
	t.Helper()
	document := strings.Replace(fmt.Sprintf(clockSeed, `{"id":"sub_a","customer":"cus_ada","price":"price_m"}`),
		`"clock_mode":"manual"`, mode, 1)
	document = strings.Replace(document, `"prices":[`, `"prices":[{"id":"price_eur","product":"prod_pro","unit_amount":3000,"currency":"eur","recurring":{"interval":"month"}},`, 1)
	s, err := seed.Parse([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	m := freshMachine(t, s)
	row := m.State.Get("stripe.subscription", "sub_a")
	body := strings.NewReplacer(`"currency":"usd"`, `"currency":"eur"`, `"unit_amount":2000`, `"unit_amount":-2000`, `"unit_amount_decimal":"2000"`, `"unit_amount_decimal":"-2000"`).Replace(string(row.Body))
	m.State.Apply(&projection.Put{Table: "stripe.subscription", ID: "sub_a", Terms: row.Terms, Due: row.Due, Body: []byte(body)}, 0)
	return m
}

// request executes "METHOD /path form" on a machine without a rig.
func request(m *twin.Machine, line string) answer {
	words := strings.Fields(line)
	cmd := &twin.Command{Actor: "key:1", API: stripe.Name, Method: words[0], Path: words[1]}
	if cmd.Method == "POST" {
		cmd.Body = strings.Join(words[2:], "&")
	}
	out := m.Execute(1, cmd)
	return answer{out.Status, out.Body}
}

func advanceTo(m *twin.Machine, to int64) answer {
	out := m.Execute(1, &twin.Command{Actor: "admin", API: "admin", Op: "advance", Args: twin.AdvanceTo(to)})
	return answer{out.Status, out.Body}
}

// TestUnbillableRenewal: it rolls an advance back, whole; a positive line in the
// invoice's currency or a cancellation at the end of the period frees the next
// one. On an automatic clock no request is reached any more.
func TestUnbillableRenewal(t *testing.T) {
	boundary := date("2026-02-28T10:00")
	for _, row := range []struct{ name, cure, status string }{
		{"positive line", "POST /v1/subscriptions/sub_a items[0][price]=price_eur proration_behavior=none", "active"},
		{"cancel", "POST /v1/subscriptions/sub_a cancel_at_period_end=true", "canceled"},
	} {
		t.Run(row.name, func(t *testing.T) {
			m := unbillable(t, `"clock_mode":"manual"`)
			before := dumpOf(t, m.State)
			a := advanceTo(m, boundary)
			if a.Status != 409 || a.get("code") != "advance-refused" || !strings.Contains(a.get("detail"), "sub_a") {
				t.Errorf("advance → %d %s", a.Status, a.Body)
			}
			if dumpOf(t, m.State) != before {
				t.Errorf("the refused advance left traces")
			}
			if a := advanceTo(m, boundary-1); a.Status != 200 {
				t.Errorf("up to the boundary → %d %s", a.Status, a.Body)
			}
			if a := request(m, row.cure); a.Status != 200 {
				t.Fatalf("%s → %d %s", row.cure, a.Status, a.Body)
			}
			if a := advanceTo(m, boundary); a.Status != 200 {
				t.Errorf("freed → %d %s", a.Status, a.Body)
			}
			if s := request(m, "GET /v1/subscriptions/sub_a").get("status"); s != row.status {
				t.Errorf("the subscription is %s", s)
			}
		})
	}
	t.Run("auto", func(t *testing.T) {
		m := unbillable(t, fmt.Sprintf(`"clock_mode":"auto","auto_tick_seconds":%d`, boundary-1769853600))
		before := dumpOf(t, m.State)
		for i, line := range []string{"GET /v1/customers", "POST /v1/customers name=A", "POST /v1/subscriptions/sub_a cancel_at_period_end=true"} {
			a := request(m, line)
			if a.Status != 500 || a.get("error.type") != "api_error" {
				t.Errorf("%s → %d %s", line, a.Status, a.Body)
			}
			if m.State.Logged() != int64(i+1) {
				t.Errorf("%s was not logged", line)
			}
		}
		if dumpOf(t, m.State) != before {
			t.Errorf("the refused ticks left traces")
		}
		if a := request(m, "GET /v1/nothing"); a.Status != 404 {
			t.Errorf("an unknown path → %d", a.Status)
		}
	})
}
