package testscripts_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"worlds/admin"
	"worlds/seed"
	"worlds/testscripts"
	"worlds/twin/webhook"
)

// hooked is a world on a server, with the operator's and the agent's side of it.
type hooked struct {
	t          *testing.T
	url        string
	world      string
	token, key string
}

// hookedServer starts a server in this process with a world.
func hookedServer(t *testing.T) (*testscripts.Server, *hooked) {
	t.Helper()
	server, err := testscripts.StartServer(testscripts.ServerOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	return server, newHooked(t, server)
}

func newHooked(t *testing.T, server *testscripts.Server) *hooked {
	t.Helper()
	doc, err := seed.Lookup("saas-billing-small")
	if err != nil {
		t.Fatal(err)
	}
	made, err := server.Admin.Create(doc, admin.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return &hooked{t: t, url: server.URL, world: made.ID, token: made.AdminToken, key: made.Keys[0].Secret}
}

// send sends one request and returns status and body.
func (h *hooked) send(method, path, token, media, body string) (int, []byte) {
	h.t.Helper()
	req, err := http.NewRequest(method, h.url+path, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", media)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return res.StatusCode, text
}

// admin calls the admin API on the world; out, if not nil, gets the answer.
func (h *hooked) admin(method, path, body string, out any) {
	h.t.Helper()
	status, text := h.send(method, "/admin/worlds/"+h.world+path, h.token, "application/json", body)
	if status >= 300 {
		h.t.Fatalf("%s %s: %d %s", method, path, status, text)
	}
	if out != nil {
		if err := json.Unmarshal(text, out); err != nil {
			h.t.Fatal(err)
		}
	}
}

func (h *hooked) stripe(method, path, form string) (int, []byte) {
	h.t.Helper()
	return h.send(method, path, h.key, "application/x-www-form-urlencoded", form)
}

func (h *hooked) customer(email string) {
	h.t.Helper()
	if status, text := h.stripe("POST", "/v1/customers", "email="+email); status != 200 {
		h.t.Fatalf("%d %s", status, text)
	}
}

func (h *hooked) endpoint(url string, auto bool) {
	h.t.Helper()
	h.admin("PUT", "/webhooks/endpoint", fmt.Sprintf(`{"url":%q,"auto_deliver":%v}`, url, auto), nil)
}

func (h *hooked) agentEndpoint(url string) {
	h.t.Helper()
	if status, text := h.stripe("POST", "/v1/webhook_endpoints", "enabled_events[]=*&url="+url); status != 200 {
		h.t.Fatalf("%d %s", status, text)
	}
}

// dump is the hash of the world's state and its head.
func (h *hooked) dump() (sum, head string) {
	var d struct{ SHA256, Head string }
	h.admin("GET", "/dump/hash", "", &d)
	return d.SHA256, d.Head
}

func (h *hooked) ledger() string {
	_, text := h.send("GET", "/admin/worlds/"+h.world+"/webhooks/deliveries?limit=1000", h.token, "", "")
	return string(text)
}

func newListener(t *testing.T, words ...string) *testscripts.Listener {
	t.Helper()
	l, err := testscripts.StartListener(words...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

// eventually waits until so many deliveries have come.
func eventually(t *testing.T, l *testscripts.Listener, n int, within time.Duration) {
	t.Helper()
	deadline := time.Now().Add(within)
	for len(l.Received()) < n {
		if time.Now().After(deadline) {
			t.Fatalf("after %v %d of %d deliveries have come", within, len(l.Received()), n)
		}
		time.Sleep(time.Millisecond)
	}
}

// TestSlowListenerHoldsUpNobody: one endpoint never answers, one is well. Calls of
// the agent are quick, the well one gets everything, in order, and at the end no
// goroutine is left over.
func TestSlowListenerHoldsUpNobody(t *testing.T) {
	before := runtime.NumGoroutine()
	server, err := testscripts.StartServer(testscripts.ServerOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	h := newHooked(t, server)
	dead, well := newListener(t, testscripts.AnswerHang), newListener(t)
	h.agentEndpoint(dead.URL)
	h.endpoint(well.URL, true)
	const customers = 20
	for i := range customers {
		began := time.Now()
		h.customer(fmt.Sprintf("%d@slow.example", i))
		if took := time.Since(began); took > time.Second {
			t.Errorf("a call took %v", took)
		}
	}
	eventually(t, well, customers, 4*time.Second)
	began := time.Now()
	var batch webhook.Batch
	h.admin("POST", "/webhooks/flush", "", &batch)
	if took := time.Since(began); took > webhook.FlushTimeout+2*time.Second {
		t.Errorf("the flush took %v", took)
	}
	if batch.Unreached == 0 {
		t.Error("the flush reached every row of an endpoint that does not answer")
	}
	if n := len(well.Received()); n != customers {
		t.Errorf("the well endpoint got %d deliveries", n)
	}
	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
	dead.Close()
	http.DefaultClient.CloseIdleConnections()
	deadline := time.Now().Add(3 * time.Second)
	for runtime.NumGoroutine() > before+3 && time.Now().Before(deadline) {
		time.Sleep(10 * time.Millisecond)
	}
	if n := runtime.NumGoroutine(); n > before+3 {
		stacks := make([]byte, 1<<20)
		t.Errorf("%d goroutines, %d before\n%s", n, before, stacks[:runtime.Stack(stacks, true)])
	}
}

// script is what an agent does in the tests of equality: two requests with
// events, an advance with many, and retries between.
func (h *hooked) script(deliver func()) {
	h.customer("a@equal.example")
	deliver()
	if status, text := h.stripe("POST", "/v1/subscriptions", "customer=cus_seed0001&items[0][price]=price_seed_pro_m"); status != 200 {
		h.t.Fatalf("%d %s", status, text)
	}
	deliver()
	h.admin("POST", "/clock/advance", `{"days":33}`, nil)
	deliver()
	h.customer("b@equal.example")
	deliver()
}

// TestEqualRuns: with listeners that do the same each time, two flushed runs end
// in one ledger, one dump and one head; a run that delivers by itself ends, at
// rest, in the same ledger and dump.
func TestEqualRuns(t *testing.T) {
	type end struct{ ledger, dump, head string }
	run := func(auto bool) end {
		_, h := hookedServer(t)
		first, second := newListener(t, "500", "200"), newListener(t, "200", testscripts.AnswerReset, "200", "503", "200")
		h.endpoint(first.URL, auto)
		h.agentEndpoint("http://127.0.0.1:1/nobody")
		h.agentEndpoint(second.URL)
		h.script(func() {
			path := "/webhooks/flush"
			if auto {
				path = "/quiesce"
			}
			h.admin("POST", path, "", nil)
		})
		e := end{ledger: h.ledger()}
		e.dump, e.head = h.dump()
		return e
	}
	// The endpoints' addresses are state of a world that an agent made them in: a
	// script must name the same ones. Only the last of the listeners is compared.
	one := run(false)
	two, alone := run(false), run(true)
	if one.ledger != two.ledger || one.ledger != alone.ledger {
		t.Errorf("ledgers differ:\n%s\n%s\n%s", one.ledger, two.ledger, alone.ledger)
	}
	if n := strings.Count(one.ledger, `"delivered"`); n < 20 {
		t.Errorf("only %d rows delivered: %s", n, one.ledger)
	}
}

// TestEqualRunsOfOneEndpoint is TestEqualRuns with the operator's endpoint only,
// whose address is no part of the world: dumps and heads are equal too.
func TestEqualRunsOfOneEndpoint(t *testing.T) {
	var dumps, heads []string
	for _, auto := range []bool{false, false, true} {
		_, h := hookedServer(t)
		l := newListener(t, "500", "200", testscripts.AnswerReset, "200")
		h.endpoint(l.URL, auto)
		h.script(func() {
			path := "/webhooks/flush"
			if auto {
				path = "/quiesce"
			}
			h.admin("POST", path, "", nil)
		})
		dump, head := h.dump()
		dumps, heads = append(dumps, dump), append(heads, head)
	}
	if dumps[0] != dumps[1] || dumps[0] != dumps[2] {
		t.Errorf("the dumps differ: %v", dumps)
	}
	if heads[0] != heads[1] {
		t.Errorf("the heads of two flushed runs differ: %v", heads)
	}
}

// TestResetDuringDelivery: a delivery that is on its way at a reset says nothing
// about the row of the same number in the reset world.
func TestResetDuringDelivery(t *testing.T) {
	_, h := hookedServer(t)
	l := newListener(t, testscripts.AnswerHang, "200")
	h.endpoint(l.URL, true)
	h.customer("a@reset.example")
	eventually(t, l, 1, 2*time.Second)
	h.admin("POST", "/reset", "", nil)
	fresh, _ := h.dump()
	h.customer("a@reset.example")
	eventually(t, l, 2, 2*time.Second)
	var rest webhook.Rest
	h.admin("POST", "/quiesce", "", &rest)
	time.Sleep(webhook.AttemptTimeout) // the old attempt has ended by now
	var list struct {
		Deliveries []struct {
			Status, Outcome string
			Attempts        int
		}
	}
	h.admin("GET", "/webhooks/deliveries", "", &list)
	if len(list.Deliveries) != 1 || list.Deliveries[0].Status != "delivered" || list.Deliveries[0].Attempts != 1 || list.Deliveries[0].Outcome != "200" {
		t.Errorf("the ledger of the reset world: %+v", list)
	}
	h.admin("POST", "/reset", "", nil)
	if again, _ := h.dump(); again != fresh {
		t.Error("two resets end in two worlds")
	}
}

// TestResetDuringLatency: a reset waits for a request that a rule holds up, but not
// for ever; the one that outlives the wait is refused, and not executed.
func TestResetDuringLatency(t *testing.T) {
	for _, row := range []struct {
		name      string
		latency   int
		status    int
		customers bool
	}{
		{"within the bound", 1500, 200, true},
		{"beyond the bound", 6500, 500, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			_, h := hookedServer(t)
			h.admin("POST", "/scenarios", fmt.Sprintf(`{"id":"slow","count":1,"match":{"method":"POST"},"effect":{"latency_ms":%d}}`, row.latency), nil)
			type answer struct {
				status int
				text   []byte
			}
			done := make(chan answer)
			go func() {
				status, text := h.stripe("POST", "/v1/customers", "email=late@reset.example")
				done <- answer{status, text}
			}()
			deadline := time.Now().Add(5 * time.Second)
			for entries := 0; entries < 2 && time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
				var j struct{ Head struct{ Seq int } }
				h.admin("GET", "/journal", "", &j)
				entries = j.Head.Seq
			}
			began := time.Now()
			h.admin("POST", "/reset", "", nil)
			if took := time.Since(began); took > 7*time.Second {
				t.Errorf("the reset took %v", took)
			}
			a := <-done
			if a.status != row.status {
				t.Errorf("the request was answered %d %s", a.status, a.text)
			}
			if a.status == 500 && !strings.Contains(string(a.text), "reset") {
				t.Errorf("the refusal does not name the reset: %s", a.text)
			}
			_, list := h.stripe("GET", "/v1/customers?email=late@reset.example", "")
			if bytes.Contains(list, []byte("late@reset")) {
				t.Errorf("the reset world shows a trace: %s", list)
			}
			var log struct{ Requests []any }
			h.admin("GET", "/requests", "", &log)
			if len(log.Requests) != 1 {
				t.Errorf("the reset world has %d requests in its log", len(log.Requests))
			}
		})
	}
}

// process is a built server on a folder.
type process struct {
	*hooked
	cmd *exec.Cmd
}

func startProcess(t *testing.T, dir string) *process {
	t.Helper()
	cmd := exec.Command(filepath.Join(bin, "worlds"), "serve", "--data", dir, "--listen", "127.0.0.1:0", "--seed", "saas-billing-small",
		"--key", "sk_test_killed_hook", "--json")
	cmd.Env = append(cmd.Environ(), "WORLDS_CONTEXT="+filepath.Join(dir, "context.json"))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &process{hooked: &hooked{t: t, key: "sk_test_killed_hook"}, cmd: cmd}
	t.Cleanup(p.kill)
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var ready struct {
		URL, World string
		AdminToken string `json:"admin_token"`
	}
	if err := json.Unmarshal(line, &ready); err != nil {
		t.Fatal(err)
	}
	p.url, p.world, p.token = ready.URL, ready.World, ready.AdminToken
	return p
}

func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// TestKilledBetweenSendAndRecord: a server dies after a delivery was taken and
// before it knew. The next one delivers the same event again, and only then says
// so.
func TestKilledBetweenSendAndRecord(t *testing.T) {
	dir := t.TempDir()
	l := newListener(t, testscripts.AnswerHang, "200")
	p := startProcess(t, dir)
	p.endpoint(l.URL, true)
	p.customer("a@killed.example")
	eventually(t, l, 1, 3*time.Second)
	p.kill()
	p = startProcess(t, dir)
	if ledger := p.ledger(); !strings.Contains(ledger, `"pending"`) || !strings.Contains(ledger, `"attempts":0`) {
		t.Fatalf("after the restart: %s", ledger)
	}
	var rest webhook.Rest
	p.admin("POST", "/quiesce", "", &rest)
	if ledger := p.ledger(); !strings.Contains(ledger, `"delivered"`) || !strings.Contains(ledger, `"attempts":1`) {
		t.Errorf("at rest: %s", ledger)
	}
	got := l.Received()
	if len(got) != 2 || got[0].ID != got[1].ID || !bytes.Equal(got[0].Body, got[1].Body) {
		t.Errorf("%d deliveries came", len(got))
	}
}

// TestParallelTwins: thirty requests with one key make one customer and one event.
func TestParallelTwins(t *testing.T) {
	_, h := hookedServer(t)
	l := newListener(t)
	h.endpoint(l.URL, true)
	const twins = 30
	statuses := make(chan int, twins)
	for range twins {
		go func() {
			req, err := http.NewRequest("POST", h.url+"/v1/customers", strings.NewReader("email=p@twins.example"))
			if err != nil {
				statuses <- 0
				return
			}
			req.SetBasicAuth(h.key, "")
			req.Header.Set("Idempotency-Key", "k3")
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				statuses <- 0
				return
			}
			res.Body.Close()
			statuses <- res.StatusCode
		}()
	}
	for range twins {
		if status := <-statuses; status != 200 {
			t.Errorf("a twin was answered %d", status)
		}
	}
	var rest webhook.Rest
	h.admin("POST", "/quiesce", "", &rest)
	if _, list := h.stripe("GET", "/v1/customers?email=p@twins.example", ""); bytes.Count(list, []byte(`"object": "customer"`)) != 1 {
		t.Errorf("the customers: %s", list)
	}
	if n := len(l.Received()); n != 1 {
		t.Errorf("%d deliveries", n)
	}
}

// TestSignatureTime: by the wall's clock unless the endpoint says by the world's.
func TestSignatureTime(t *testing.T) {
	_, h := hookedServer(t)
	l := newListener(t)
	var clock struct{ Clock int64 }
	h.admin("GET", "/clock", "", &clock)
	for i, mode := range []string{"wall", "logical"} {
		h.admin("PUT", "/webhooks/endpoint", fmt.Sprintf(`{"url":%q,"auto_deliver":false,"signature_time":%q}`, l.URL, mode), nil)
		h.customer("a@time.example")
		before := time.Now().Unix()
		h.admin("POST", "/webhooks/flush", "", nil)
		var at int64
		if _, err := fmt.Sscanf(l.Received()[i].Signature, "t=%d,v1=", &at); err != nil {
			t.Fatal(err)
		}
		if mode == "logical" && at != clock.Clock || mode == "wall" && (at < before || at > time.Now().Unix()) {
			t.Errorf("%s: signed at %d; the world's clock is at %d", mode, at, clock.Clock)
		}
	}
}

// TestIdleRuleFailsItsScenario: who thinks a failure is tested must have had it.
func TestIdleRuleFailsItsScenario(t *testing.T) {
	file := filepath.Join(t.TempDir(), "idle.txtar")
	script := "world new saas-billing-small\nfault add '{\"id\":\"never\",\"from\":9,\"effect\":{\"close\":1}}'\nstripe GET /v1/customers\n"
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	failed, err := testscripts.RunFiles(t.Context(), []string{file}, &out, false, testscripts.Options{})
	if err != nil || failed != 1 || !strings.Contains(out.String(), "fault rules that never acted: [never]") {
		t.Errorf("%d failed, %v\n%s", failed, err, out.String())
	}
}
