package stripe_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"worlds/admin"
	"worlds/journal/store"
	"worlds/seed"
	"worlds/testscripts"
	"worlds/testscripts/dst/model"
	"worlds/testscripts/dst/model/stripe"
)

// server is the twin that the model is compared with.
var server *testscripts.Server

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "model")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	if server, err = testscripts.StartServer(testscripts.ServerOptions{Dir: dir, Durability: store.Relaxed}); err != nil {
		panic(err)
	}
	defer func() { _ = server.Stop() }()
	return m.Run()
}

// pair is a world and its model.
type pair struct {
	t     *testing.T
	info  *admin.CreatedWorld
	model *stripe.Model
	dump  []byte
	ids   map[string][]string // by table
	log   []string

	adopted int
}

func newPair(t *testing.T, seedText string) *pair {
	t.Helper()
	doc, err := seed.Parse([]byte(seedText))
	if err != nil {
		t.Fatal(err)
	}
	info, err := server.Admin.Create(doc, admin.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := stripe.New([]byte(seedText))
	if err != nil {
		t.Fatal(err)
	}
	p := &pair{t: t, info: info, model: m, log: []string{"the seed"}}
	p.check()
	return p
}

// do sends a request and judges the answer and the world; idem may be "".
func (p *pair) do(method, path, form, idem string) (status int, body []byte) {
	p.t.Helper()
	p.log = append(p.log, fmt.Sprintf("%s %s %s %s", method, path, form, idem))
	op := model.Op{API: "stripe", Method: method, Path: path, Params: pairs(form), Idem: idem}
	want := p.model.Do(op)
	status, body = p.send(op)
	p.judge(p.model.Check(want, status, body, op), string(body))
	p.count(want)
	if !want.Known {
		p.log[len(p.log)-1] += " (no opinion: " + want.Why + ")"
	}
	p.check()
	return status, body
}

// tally counts how the requests of all histories went.
var tally struct {
	known, unknown, lost int
	why                  map[string]int
}

func (p *pair) count(want model.Expect) {
	if tally.why == nil {
		tally.why = map[string]int{}
	}
	switch {
	case want.Known:
		tally.known++
	case strings.HasPrefix(want.Why, "lost"):
		tally.lost++
	default:
		tally.unknown++
		tally.why[want.Why]++
	}
}

// advance moves the clock.
func (p *pair) advance(to int64) {
	p.t.Helper()
	if p.model.Lost() != "" {
		return
	}
	p.log = append(p.log, fmt.Sprintf("advance to %d (by %d)", to, to-p.model.Now()))
	p.model.Advance(to)
	p.admin("POST", "/clock/advance", fmt.Sprintf(`{"to":%d}`, to))
	p.check()
}

// check compares the whole world.
func (p *pair) check() {
	p.t.Helper()
	p.dump = p.admin("GET", "/dump", "")
	if p.model.Lost() != "" {
		p.model.Adopt(stripe.ReadWorld(p.dump))
		p.adopted++
	}
	p.judge(p.model.CheckDump(stripe.ReadWorld(p.dump)), "")
	var d struct {
		Objects map[string][]struct{ ID any }
	}
	if err := json.Unmarshal(p.dump, &d); err != nil {
		p.t.Fatal(err)
	}
	p.ids = map[string][]string{}
	for table, rows := range d.Objects {
		for _, r := range rows {
			p.ids[strings.TrimPrefix(table, "stripe.")] = append(p.ids[strings.TrimPrefix(table, "stripe.")], fmt.Sprint(r.ID))
		}
	}
}

func (p *pair) judge(diffs []model.Diff, body string) {
	p.t.Helper()
	if len(diffs) == 0 {
		return
	}
	var b strings.Builder
	for _, d := range diffs[:min(len(diffs), 12)] {
		fmt.Fprintf(&b, "  %s\n", d)
	}
	p.t.Fatalf("the model and the twin differ at %s:\n%sanswered %.500s\nafter\n  %s", p.log[len(p.log)-1], b.String(), body, strings.Join(p.log, "\n  "))
}

func pairs(form string) (list []model.Pair) {
	if form == "" {
		return nil
	}
	for _, word := range strings.Split(form, "&") {
		name, value, _ := strings.Cut(word, "=")
		list = append(list, model.Pair{Name: name, Value: value})
	}
	return list
}

var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4}}

func (p *pair) send(op model.Op) (int, []byte) {
	p.t.Helper()
	var form []string
	for _, pair := range op.Params {
		form = append(form, pair.Name+"="+url.QueryEscape(pair.Value))
	}
	target, body := server.URL+op.Path, ""
	if op.Method == "POST" {
		body = strings.Join(form, "&")
	} else if len(form) > 0 {
		target += "?" + strings.Join(form, "&")
	}
	header := http.Header{"Authorization": {"Bearer " + p.info.Keys[0].Secret}, "Content-Type": {"application/x-www-form-urlencoded"}}
	if op.Idem != "" {
		header.Set("Idempotency-Key", op.Idem)
	}
	return fetch(p.t, op.Method, target, body, header)
}

func (p *pair) admin(method, path, body string) []byte {
	p.t.Helper()
	status, answer := fetch(p.t, method, server.URL+"/admin/worlds/"+p.info.ID+path, body,
		http.Header{"Authorization": {"Bearer " + p.info.AdminToken}, "Content-Type": {"application/json"}})
	if status >= 300 {
		p.t.Fatalf("%s %s: %d %s", method, path, status, answer)
	}
	return answer
}

func fetch(t *testing.T, method, target, body string, header http.Header) (int, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, target, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = header
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, bytes.TrimSpace(text)
}

// dice draws what a random history does.
type dice struct {
	*rand.Rand
	p *pair
}

// of draws one of some words.
func (d dice) of(words ...string) string { return words[d.IntN(len(words))] }

// id draws an id of a table, the later ones more often; now and then one of nothing.
func (d dice) id(table, prefix string) string {
	ids := d.p.ids[table]
	if len(ids) == 0 || d.IntN(40) == 0 {
		return prefix + "_nothing"
	}
	if d.IntN(2) == 0 {
		return ids[len(ids)-1-d.IntN(min(len(ids), 3))]
	}
	return ids[d.IntN(len(ids))]
}

// some joins a random part of some parameters.
func (d dice) some(words ...string) string {
	words = slices.DeleteFunc(words, func(string) bool { return d.IntN(3) > 0 })
	return strings.Join(words, "&")
}

// with joins parameters that must be there and others that may.
func with(words ...string) string {
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), "&")
}
