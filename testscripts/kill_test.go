package testscripts_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"worlds/admin"
	"worlds/journal"
	"worlds/journal/canon"
	"worlds/projection"
	"worlds/testscripts"
	"worlds/testscripts/invariant"
	"worlds/twin/stripe/oracle"
	"worlds/twin/world"
)

// A killed server: 8 clients write, the process gets SIGKILL, another one takes
// over the folder, which lives through killsAFolder of them.
const (
	killsAFolder = 5
	killClients  = 8
	killWorlds   = 3
	startLimit   = 5 * time.Second
)

func TestKill(t *testing.T) {
	rounds := killRounds
	if text := os.Getenv("WORLDS_KILL_ROUNDS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 2 {
			t.Fatalf("WORLDS_KILL_ROUNDS is %q", text)
		}
		rounds = n
	}
	for i, durability := range []string{"sync", "relaxed"} {
		t.Run(durability, func(t *testing.T) {
			total := killed{}
			for left := (rounds + 1 - i) / 2; left > 0; left -= killsAFolder {
				n := min(left, killsAFolder)
				t.Run("folder", func(t *testing.T) { killFolder(t, durability, n, &total) })
			}
			t.Logf("%d kills, %d changes acknowledged, %d in flight, of those %d happened; slowest start %v",
				total.kills, total.acked, total.unknown, total.happened, total.slowest)
			if total.acked == 0 || total.unknown == 0 {
				t.Error("no kill hit the server at work")
			}
		})
	}
}

// killed counts over all folders of a durability.
type killed struct {
	kills, acked, unknown, happened int
	slowest                         time.Duration
}

// killFolder kills one folder's server n times under load.
func killFolder(t *testing.T, durability string, n int, total *killed) {
	f := &folder{t: t, dir: t.TempDir(), durability: durability, total: total}
	f.start()
	defer f.kill()
	for range killWorlds {
		f.worlds = append(f.worlds, f.create())
	}
	restless := &restlessWorld{killedWorld: f.create()}
	for range n {
		f.load(200*time.Millisecond+rand.N(1300*time.Millisecond), restless)
		f.start()
		f.checkRestless(restless)
		for _, w := range f.worlds {
			f.check(w)
		}
	}
}

// folder is one data folder, the server process on it, and what was acknowledged.
type folder struct {
	t          *testing.T
	dir        string
	durability string
	total      *killed
	process    *exec.Cmd
	stderr     bytes.Buffer
	url        string
	worlds     []*killedWorld
}

// killedWorld is the test's own ledger of a world.
type killedWorld struct {
	info    admin.CreatedWorld
	charges []string
	checked int // of acked, by earlier checks

	mu      sync.Mutex
	acked   []*attempt
	unknown []*attempt // sent, and the server died before it answered
}

// attempt is one POST of a client.
type attempt struct {
	path, form, key string
	id              string // of what it made, "" while unknown
}

// start starts a server on the folder and waits until it serves.
func (f *folder) start() {
	f.t.Helper()
	began := time.Now()
	cmd := exec.Command(filepath.Join(bin, "worlds"), "serve", "--data", filepath.Join(f.dir, "data"), "--listen", "127.0.0.1:0",
		"--durability", f.durability, "--json")
	cmd.Env = append(os.Environ(), "WORLDS_CONTEXT="+filepath.Join(f.dir, "context.json"))
	f.stderr.Reset()
	cmd.Stderr = &f.stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		f.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
	f.process = cmd
	line, err := bufio.NewReader(out).ReadBytes('\n')
	var ready struct{ URL string }
	if err == nil {
		err = json.Unmarshal(line, &ready)
	}
	if err != nil {
		f.kill()
		f.t.Fatalf("the server did not start: %v\n%s", err, f.stderr.String())
	}
	f.url = ready.URL
	took := time.Since(began)
	if f.total.slowest = max(f.total.slowest, took); took > startLimit {
		f.t.Errorf("the start took %v", took)
	}
}

// kill sends SIGKILL to the server this test started.
func (f *folder) kill() {
	_ = f.process.Process.Kill() // it may be dead
	_ = f.process.Wait()
}

// create makes a world and learns the charges that can be refunded.
func (f *folder) create() *killedWorld {
	f.t.Helper()
	w := &killedWorld{}
	text, status := f.send(http.DefaultClient, "POST", "/admin/worlds", `{"seed":"saas-billing-small"}`, http.Header{})
	if status != http.StatusCreated {
		f.t.Fatalf("create: %d %s", status, text)
	}
	if err := json.Unmarshal(text, &w.info); err != nil {
		f.t.Fatal(err)
	}
	var list struct {
		Data []struct {
			ID             string
			Amount         int64
			AmountRefunded int64 `json:"amount_refunded"`
			Paid           bool
		}
	}
	text, status = f.send(http.DefaultClient, "GET", "/v1/charges?limit=100", "", w.auth())
	if err := json.Unmarshal(text, &list); err != nil || status != http.StatusOK {
		f.t.Fatalf("charges: %d %s", status, text)
	}
	for _, c := range list.Data {
		if c.Paid && c.AmountRefunded == 0 && c.Amount >= 1000 {
			w.charges = append(w.charges, c.ID)
		}
	}
	return w
}

func (w *killedWorld) auth() http.Header {
	return http.Header{"Authorization": {"Bearer " + w.info.Keys[0].Secret}}
}

// send sends one request; status is 0 when no whole answer came.
func (f *folder) send(c *http.Client, method, path, body string, h http.Header) ([]byte, int) {
	req, err := http.NewRequest(method, f.url+path, strings.NewReader(body))
	if err != nil {
		f.t.Error(err)
		return nil, 0
	}
	req.Header = h
	if body != "" && !strings.HasPrefix(body, "{") {
		h.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	res, err := c.Do(req)
	if err != nil {
		return nil, 0
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, 0
	}
	if res.Header.Get("Idempotent-Replayed") != "" {
		return text, replayed
	}
	return text, res.StatusCode
}

// replayed stands for the status of a stored answer.
const replayed = -1

// load lets the clients work for a while and kills the server under them.
func (f *folder) load(d time.Duration, restless *restlessWorld) {
	var clients sync.WaitGroup
	clients.Go(func() { f.rest(restless) })
	for n := range killClients {
		clients.Go(func() { f.client(n) })
	}
	time.Sleep(d)
	f.kill()
	clients.Wait()
	f.total.kills++
}

// client creates customers and refunds until the server is gone.
func (f *folder) client(n int) {
	c := &http.Client{Transport: &http.Transport{}}
	defer c.CloseIdleConnections()
	r := rand.New(rand.NewPCG(uint64(n), uint64(f.total.kills)))
	for i := 0; ; i++ {
		w := f.worlds[r.IntN(len(f.worlds))]
		a := &attempt{key: fmt.Sprintf("retry-%016x", rand.Uint64())}
		if r.IntN(2) == 0 {
			a.path, a.form = "/v1/customers", url.Values{"name": {fmt.Sprintf("c%d-%d-%d", f.total.kills, n, i)}}.Encode()
		} else {
			a.path, a.form = "/v1/refunds", "amount=1&charge="+w.charges[r.IntN(len(w.charges))]
		}
		text, status := f.post(c, w, a)
		w.mu.Lock()
		switch status {
		case http.StatusOK:
			w.acked = append(w.acked, a)
		case 0:
			w.unknown = append(w.unknown, a)
		default:
			f.t.Errorf("%s %s: %d %s", a.path, a.form, status, text)
		}
		w.mu.Unlock()
		if status != http.StatusOK {
			return
		}
	}
}

// restlessWorld is reset again and again by one client, which knows what it holds:
// the customers since the last reset, or what the request in flight makes of them.
type restlessWorld struct {
	*killedWorld
	names, next []string
}

// rest creates a few customers and resets, until the server is gone.
func (f *folder) rest(w *restlessWorld) {
	c := &http.Client{Transport: &http.Transport{}}
	defer c.CloseIdleConnections()
	for i := 0; ; i++ {
		status := 0
		if i%5 == 4 {
			w.next = nil
			_, status = f.send(c, "POST", "/admin/worlds/"+w.info.ID+"/reset", "", http.Header{"Authorization": {"Bearer " + w.info.AdminToken}})
		} else {
			name := fmt.Sprintf("r%d-%d", f.total.kills, i)
			w.next = append(slices.Clone(w.names), name)
			_, status = f.send(c, "POST", "/v1/customers", "name="+name, w.auth())
		}
		if status != http.StatusOK {
			if status != 0 {
				f.t.Errorf("the restless world answered %d", status)
			}
			return
		}
		w.names = w.next
	}
}

// checkRestless checks that the last request happened or did not, and nothing else.
func (f *folder) checkRestless(w *restlessWorld) {
	f.t.Helper()
	var there []string
	for row := range f.replayed(w.killedWorld, world.Fold, world.Redecide).Oldest("stripe.customer", 0) {
		raw, _ := canon.Get(row.Body, "name")
		if name, _ := canon.Unquote(raw); strings.HasPrefix(name, "r") && !strings.Contains(row.ID, "_seed") {
			there = append(there, name)
		}
	}
	if !slices.Equal(there, w.names) && !slices.Equal(there, w.next) {
		f.t.Errorf("the restless world has %v; acknowledged %v, in flight %v", there, w.names, w.next)
	}
	w.names = there
}

// post sends an attempt with its key and keeps the id of what it made.
func (f *folder) post(c *http.Client, w *killedWorld, a *attempt) ([]byte, int) {
	h := w.auth()
	h.Set("Idempotency-Key", a.key)
	text, status := f.send(c, "POST", a.path, a.form, h)
	if status == http.StatusOK || status == replayed {
		raw, _ := canon.Get(mustCanonical(f.t, text), "id")
		id, ok := canon.Unquote(raw)
		if !ok || a.id != "" && a.id != id {
			f.t.Errorf("%s with key %s made %s, now %s", a.path, a.key, a.id, id)
		}
		a.id = id
	}
	return text, status
}

func mustCanonical(t *testing.T, text []byte) canon.Raw {
	t.Helper()
	raw, err := canon.Canonicalize(text)
	if err != nil {
		t.Errorf("not JSON: %v: %.200s", err, text)
	}
	return raw
}

// check holds a world to the ledger after a restart.
func (f *folder) check(w *killedWorld) {
	f.t.Helper()
	st := f.replayed(w, world.Fold, world.Redecide)
	f.whole(st)
	made := created(st)
	for _, a := range w.acked {
		if !made[a.id] {
			f.t.Errorf("%s %s was answered with %s, which is not there", a.path, a.form, a.id)
		}
	}
	if n := len(made); n < len(w.acked) || n > len(w.acked)+len(w.unknown) {
		f.t.Errorf("%d objects are there; %d acknowledged, %d in flight", n, len(w.acked), len(w.unknown))
	}
	f.total.happened += len(made) - len(w.acked)
	f.retry(w)
	f.total.acked += len(w.acked) - w.checked
	w.checked = len(w.acked)
	again := created(f.replayed(w, world.Fold))
	if len(again) != len(w.acked) {
		f.t.Errorf("after the retries %d objects are there, of %d attempts", len(again), len(w.acked))
	}
}

// retry sends again what was in flight and something that was answered, each with
// its own key: everything has happened exactly once.
func (f *folder) retry(w *killedWorld) {
	for _, a := range w.unknown {
		text, status := f.post(http.DefaultClient, w, a)
		if status != http.StatusOK && status != replayed {
			f.t.Errorf("retry of %s %s: %d %s", a.path, a.form, status, text)
		}
		if err := oracle.Default().Response("POST", a.path, http.StatusOK, text); err != nil {
			f.t.Error(err)
		}
	}
	f.total.unknown += len(w.unknown)
	w.acked, w.unknown = append(w.acked, w.unknown...), nil
	if len(w.acked) > 0 {
		last := w.acked[len(w.acked)-1]
		if text, status := f.post(http.DefaultClient, w, last); status != replayed {
			f.t.Errorf("an answered %s was executed again: %d %s", last.path, status, text)
		}
	}
}

// replayed exports the journal and re-makes the world from it, and compares with
// what the server says of itself. That a re-decision agrees also says that ids went
// on without gap or repeat.
func (f *folder) replayed(w *killedWorld, modes ...world.Mode) *projection.State {
	f.t.Helper()
	h := http.Header{"Authorization": {"Bearer " + w.info.AdminToken}}
	base := "/admin/worlds/" + w.info.ID
	var live admin.DumpHash
	text, _ := f.send(http.DefaultClient, "GET", base+"/dump/hash", "", h)
	if err := json.Unmarshal(text, &live); err != nil {
		f.t.Fatalf("dump/hash: %v: %s", err, text)
	}
	text, status := f.send(http.DefaultClient, "GET", base+"/journal/export", "", h)
	if status != http.StatusOK {
		f.t.Fatalf("export: %d %s", status, text)
	}
	g, entries := parseExport(f.t, text)
	var st *projection.State
	for _, mode := range modes {
		report, end := world.Replay(mode, g, entries, testscripts.Catalogs(), nil)
		if !report.Valid || report.DumpHash != live.SHA256 || report.Head != live.Head || report.Entries != live.Seq {
			f.t.Fatalf("%s: %+v, live %+v", mode, report, live)
		}
		st = end
	}
	return st
}

// parseExport reads an exported journal.
func parseExport(t *testing.T, text []byte) (*world.Genesis, world.Entries) {
	t.Helper()
	var list []*journal.Entry
	for line := range bytes.Lines(text) {
		e, err := journal.ParseLine(line)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, &e)
	}
	g, err := world.ParseGenesis(list[0].Body)
	if err != nil {
		t.Fatal(err)
	}
	return g, func(yield func(*journal.Entry, error) bool) {
		for _, e := range list[1:] {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// created are the ids of the customers and refunds that this test made.
func created(st *projection.State) map[string]bool {
	made := map[string]bool{}
	for e := range st.OldestEvents(0) {
		if e.Type == "customer.created" || e.Type == "refund.created" {
			raw, _ := canon.Get(e.Object, "id")
			id, _ := canon.Unquote(raw)
			made[id] = true
		}
	}
	return made
}

// whole checks that nothing is half there: no object without its event, no event
// without its object, no sum that does not add up.
func (f *folder) whole(st *projection.State) {
	f.t.Helper()
	if faults := invariant.Objects(st); len(faults) > 0 {
		f.t.Errorf("the books: %v", faults)
	}
	made := created(st)
	for _, table := range []string{"stripe.customer", "stripe.refund"} {
		for row := range st.Oldest(table, 0) {
			if strings.Contains(row.ID, "_seed") {
				continue
			}
			if !made[row.ID] {
				f.t.Errorf("%s has no event", row.ID)
			}
			delete(made, row.ID)
		}
	}
	for id := range made {
		f.t.Errorf("%s has an event and is not there", id)
	}
	kinds := map[string]int{}
	for e := range st.OldestEvents(0) {
		kinds[e.Type]++
	}
	if kinds["refund.created"] != kinds["charge.refunded"] {
		f.t.Errorf("half a refund: %v", kinds)
	}
}
