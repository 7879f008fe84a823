package zendesk_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"worlds/admin"
	"worlds/testscripts"
	"worlds/testscripts/dst/model"
	"worlds/testscripts/dst/model/zendesk"
)

// desk is a help desk with everything but tickets.
const desk = `{"name":"oracle-desk","version":1,"epoch":1767225600,"clock_mode":"manual","data":{},
"zendesk":{"version":1,"principal_id":1,
"users":[{"id":1,"name":"Ada","email":"ada@desk.example","role":"admin","default_group_id":31},
{"id":2,"name":"Bo","email":"bo@desk.example","role":"agent","default_group_id":31},
{"id":3,"name":"Cy","email":"cy@desk.example","role":"agent","default_group_id":32},
{"id":4,"name":"Di","email":"di@home.example","organization_id":41},{"id":5,"name":"Ed","email":"ed@home.example","external_id":"crm-5","phone":"1","tags":["B","a"],"created_at":"2025-01-01T00:00:00Z"}],
"groups":[{"id":31,"name":"First","default":true},{"id":32,"name":"Second"}],
"group_memberships":[{"id":51,"user_id":1,"group_id":31,"default":true},{"id":52,"user_id":2,"group_id":31,"default":true},
{"id":53,"user_id":2,"group_id":32},{"id":54,"user_id":3,"group_id":32,"default":true}],
"organizations":[{"id":41,"name":"Acme"},{"id":42,"name":"Bolt"}],
"organization_memberships":[{"id":61,"user_id":4,"organization_id":41,"default":true}],
"lifecycle":{"closure":{"after_hours":2,"sweep_phase_seconds":1800,"author_id":1}}}}`

// Random histories of the help desk are answered as the model says, and leave what
// it says. WORLDS_MODEL_SEEDS and WORLDS_MODEL_BASE search further.
func TestModel(t *testing.T) {
	seeds, base, ops := number(t, "WORLDS_MODEL_SEEDS", 12), number(t, "WORLDS_MODEL_BASE", 1), number(t, "WORLDS_MODEL_OPS", 150)
	server, err := testscripts.StartServer(testscripts.ServerOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Stop() }()
	paths := map[string]int{}
	for n := range seeds {
		t.Run(fmt.Sprintf("seed-%d", base+n), func(t *testing.T) {
			document := desk
			if n%6 == 5 {
				document = `{"name":"bare","version":1,"epoch":1767225600,"clock_mode":"manual","data":{}}`
			}
			h := newHistory(t, server.URL, document, uint64(base+n))
			h.paths = paths
			h.play(ops)
		})
	}
	t.Logf("%d histories of %d operations", seeds, ops)
	for _, must := range []string{"POST tickets 201", "POST tickets 422", "PUT tickets 200", "PUT tickets 409", "PUT tickets 404", "DELETE tickets 204",
		"POST tickets merge 200", "PUT tickets update_many 200", "PUT deleted_tickets restore 200", "POST tickets 400", "POST tickets 403", "POST users 422",
		"swept", "replayed", "followed", "POST tickets follow-up 201"} {
		if paths[must] == 0 && seeds >= 12 {
			t.Errorf("no history came to %s: %v", must, paths)
		}
	}
}

func number(t *testing.T, name string, otherwise int) int {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s is %q", name, text)
	}
	return n
}

// history is one world that the twin and the model live through.
type history struct {
	t     *testing.T
	url   string
	info  admin.CreatedWorld
	model *zendesk.Model
	r     *rand.Rand
	told  []string // what was asked so far
	ids   map[string][]string
	next  []string // links to further pages
	idem  []model.Op
	clock int64
	paths map[string]int
}

func newHistory(t *testing.T, url, document string, seed uint64) *history {
	h := &history{t: t, url: url, r: rand.New(rand.NewPCG(seed, 0)), paths: map[string]int{}}
	status, text := h.send("POST", "/admin/worlds", []byte(`{"seed":`+document+`}`), http.Header{})
	if status != 201 {
		t.Fatalf("create: %d %s", status, text)
	}
	if err := json.Unmarshal(text, &h.info); err != nil {
		t.Fatal(err)
	}
	var err error
	if h.model, err = zendesk.New([]byte(document)); err != nil {
		t.Fatal(err)
	}
	h.ids = map[string][]string{}
	h.clock = 1767225600
	dump := h.dump()
	if diffs := h.model.CheckDump(dump); len(diffs) > 0 {
		h.fail(fmt.Sprintf("the fresh world: %v", diffs))
	}
	h.learn(dump)
	return h
}

func (h *history) send(method, target string, body []byte, header http.Header) (int, []byte) {
	req, err := http.NewRequest(method, h.url+target, bytes.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	req.Header = header
	if body != nil {
		header.Set("Content-Type", "application/json")
	}
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

func (h *history) admin(method, path string, body []byte) []byte {
	status, text := h.send(method, "/admin/worlds/"+h.info.ID+path, body, http.Header{"Authorization": {"Bearer " + h.info.AdminToken}})
	if status != 200 {
		h.fail(fmt.Sprintf("%s %s: %d %s", method, path, status, text))
	}
	return text
}

func (h *history) dump() []byte { return h.admin("GET", "/dump", nil) }

// learn collects the ids that a dump shows.
func (h *history) learn(dump []byte) {
	var whole struct {
		Objects map[string][]struct{ ID json.RawMessage }
	}
	if err := json.Unmarshal(dump, &whole); err != nil {
		h.t.Fatal(err)
	}
	for table, rows := range whole.Objects {
		var list []string
		for _, r := range rows {
			list = append(list, strings.Trim(string(r.ID), `"`))
		}
		h.ids[strings.TrimPrefix(table, "zendesk.")] = list
	}
}

func (h *history) fail(why string) {
	h.t.Helper()
	from := max(0, len(h.told)-25)
	h.t.Fatalf("after %d operations: %s\n%s", len(h.told), why, strings.Join(h.told[from:], "\n"))
}

func (h *history) play(ops int) {
	for n := range ops {
		if h.r.IntN(12) == 0 {
			h.advance()
		} else {
			h.ask(h.op())
		}
		if n%5 == 4 || n == ops-1 {
			dump := h.dump()
			if diffs := h.model.CheckDump(dump); len(diffs) > 0 {
				h.fail(fmt.Sprintf("the dump: %v", diffs))
			}
			h.learn(dump)
		}
	}
}

func (h *history) advance() {
	by := []int64{1, 60, 1799, 3600, 7200, 10800}[h.r.IntN(6)]
	text := h.admin("POST", "/clock/advance", fmt.Appendf(nil, `{"seconds":%d}`, by))
	h.told = append(h.told, fmt.Sprintf("advance %d: %s", by, text))
	if !bytes.Contains(text, []byte(`"fired":0`)) {
		h.paths["swept"]++
	}
	h.clock += by
	h.model.Advance(h.clock)
}

// ask sends an operation and holds the answer to the model's.
func (h *history) ask(op model.Op) {
	header := http.Header{}
	header.Set("Authorization", "Bearer "+h.info.Zendesk.OAuthToken)
	if op.As != "" {
		header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(op.As+"/token:"+h.info.Zendesk.APIToken)))
	}
	if op.Idem != "" {
		header.Set("Idempotency-Key", op.Idem)
	}
	target := op.Path
	for i, p := range op.Params {
		target += map[bool]string{true: "?", false: "&"}[i == 0] + url.QueryEscape(p.Name) + "=" + url.QueryEscape(p.Value)
	}
	want := h.model.Do(op)
	status, body := h.send(op.Method, target, op.Body, header)
	h.told = append(h.told, fmt.Sprintf("%s %s %s %s %s → %d %.300s", op.Method, target, op.As, op.Idem, op.Body, status, body))
	if !want.Known {
		if status < 400 {
			h.fail("no prediction: " + want.Why)
		}
		return // 999 might have been an id
	}
	if diffs := h.model.Check(want, status, body); len(diffs) > 0 {
		h.fail(fmt.Sprintf("the answer: %v\n%s", diffs, body))
	}
	h.count(op, want, status)
	if op.Idem != "" && !want.Replayed {
		h.idem = append(h.idem, op)
	}
	var page struct {
		Links struct{ Next, Prev string }
		Next  string `json:"next_page"`
	}
	_ = json.Unmarshal(body, &page) // not every answer is a page
	for _, link := range []string{page.Links.Next, page.Links.Prev, page.Next} {
		if link != "" {
			h.next = append(h.next, strings.TrimPrefix(link, h.url))
		}
	}
}

func (h *history) count(op model.Op, want model.Expect, status int) {
	words := slices.DeleteFunc(strings.Split(strings.TrimSuffix(strings.TrimPrefix(op.Path, "/api/v2/"), ".json"), "/"), func(w string) bool {
		return strings.Trim(w, "0123456789") == "" || strings.HasPrefix(w, "V3-")
	})
	h.paths[fmt.Sprintf("%s %s %d", op.Method, strings.Join(words, " "), status)]++
	if want.Replayed {
		h.paths["replayed"]++
	}
	if bytes.Contains(op.Body, []byte("followup")) {
		h.paths[fmt.Sprintf("POST tickets follow-up %d", status)]++
	}
}
