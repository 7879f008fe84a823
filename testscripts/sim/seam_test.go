package sim

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"worlds/admin"
	"worlds/seed"
	"worlds/testscripts"
	"worlds/twin/world"
)

// passages counts which points each request passes. A request is told by its
// context.
type passages struct {
	mu     sync.Mutex
	seen   []world.Point
	refuse world.Point // the next time
}

func (p *passages) hook(_ context.Context, at *world.Passing) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen = append(p.seen, at.Point)
	if p.refuse == at.Point {
		p.refuse = ""
		return errors.New("refused at the seam")
	}
	return nil
}

func (p *passages) take() []world.Point {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := p.seen
	p.seen = nil
	return out
}

// seamRig is a server whose seam is listened to, with a world.
type seamRig struct {
	t      *testing.T
	server *testscripts.Server
	at     *passages
	made   *admin.CreatedWorld
}

func newSeamRig(t *testing.T) *seamRig {
	t.Helper()
	r := &seamRig{t: t, at: &passages{}}
	listener := testscripts.NewListener("http://127.0.0.1:9001/hook")
	var err error
	r.server, err = testscripts.StartServer(testscripts.ServerOptions{
		Dir: t.TempDir(), Offline: true, Hook: r.at.hook, Webhooks: listener, Queue: func(*world.World) {}, Durability: exploring,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.server.Stop(); err != nil {
			t.Error(err)
		}
	})
	doc, err := seed.Lookup("saas-billing-small")
	if err != nil {
		t.Fatal(err)
	}
	if r.made, err = r.server.Admin.Create(doc, admin.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	return r
}

// send sends a request and returns the points it passed.
func (r *seamRig) send(method, path, auth, media, body string) (int, []world.Point) {
	r.t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), method, r.server.URL+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Authorization", auth)
	if body != "" {
		req.Header.Set("Content-Type", media)
	}
	req.RequestURI = path
	r.at.take()
	rec := &recorder{header: http.Header{}}
	rec.serve(r.server.Handler, req)
	return rec.status, r.at.take()
}

var segment = regexp.MustCompile(`\{[^}]*\}`)

// Every route of every twin passes the seam, whatever it answers: nothing reaches the
// store beside it.
func TestEveryRoutePassesTheSeam(t *testing.T) {
	r := newSeamRig(t)
	want := []world.Point{world.Produced, world.Decided, world.Committed, world.Served}
	routes := 0
	for _, c := range r.server.Host.Catalogs() {
		auth, media := "Bearer "+r.made.Keys[0].Secret, "application/x-www-form-urlencoded"
		if c.JSON {
			auth, media = "Bearer "+r.made.Zendesk.OAuthToken, "application/json"
		}
		for _, route := range c.Routes() {
			routes++
			status, got := r.send(route.Method, segment.ReplaceAllString(route.Pattern, "1"), auth, media, "")
			if !slices.Equal(got, want) {
				t.Errorf("%s %s answers %d and passes %v", route.Method, route.Pattern, status, got)
			}
		}
	}
	if routes < 100 {
		t.Errorf("there are only %d routes", routes)
	}
}

// bodies are what the operator's routes that change something are sent. A route that
// is not here fails the test: it is new.
var bodies = map[string]string{
	"POST /admin/worlds/{world}/clock/advance":       `{"seconds":1}`,
	"POST /admin/worlds/{world}/marks":               `{"name":"m"}`,
	"POST /admin/worlds/{world}/verify":              "read",
	"POST /admin/worlds/{world}/replay":              "read",
	"POST /admin/worlds/{world}/simulate":            "read",
	"POST /admin/worlds/{world}/fork":                `{}`,
	"POST /admin/worlds/{world}/keys":                `{"label":"key:9"}`,
	"DELETE /admin/worlds/{world}/keys/{label}":      "",
	"PUT /admin/worlds/{world}/webhooks/endpoint":    `{"url":"http://127.0.0.1:9001/hook"}`,
	"DELETE /admin/worlds/{world}/webhooks/endpoint": "",
	"POST /admin/worlds/{world}/webhooks/flush":      "attempts",
	"POST /admin/worlds/{world}/webhooks/resend":     `{"event":"evt_1"}`,
	"POST /admin/worlds/{world}/quiesce":             "attempts",
	"POST /admin/worlds/{world}/scenarios":           `{"match":{"api":"stripe"},"effect":{"latency_ms":1}}`,
	"DELETE /admin/worlds/{world}/scenarios/{rule}":  "",
	"POST /admin/worlds/{world}/reset":               "",
	"DELETE /admin/worlds/{world}":                   "",
}

// Every operation of the operator's that changes a world passes the seam, and every
// answer about one is served there, reads too.
func TestEveryOperationPassesTheSeam(t *testing.T) {
	r := newSeamRig(t)
	auth := "Bearer " + r.made.AdminToken
	req, _ := http.NewRequest("GET", r.server.URL+"/admin/openapi.json", http.NoBody)
	rec := &recorder{header: http.Header{}}
	rec.serve(r.server.Handler, req)
	var doc struct{ Paths map[string]map[string]any }
	if err := json.Unmarshal(rec.body.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	var writes, reads []string
	for path, methods := range doc.Paths {
		for method := range methods {
			name := strings.ToUpper(method) + " " + path
			switch {
			case !strings.HasPrefix(path, "/admin/worlds/{world}"), strings.Contains(path, "/stream/"):
			case method == "get":
				reads = append(reads, path)
			case name != "DELETE /admin/worlds/{world}":
				writes = append(writes, name)
			}
		}
	}
	fill := func(path string) string {
		path = strings.Replace(path, "{world}", r.made.ID, 1)
		path = strings.Replace(path, "{label}", "key:1", 1)
		return segment.ReplaceAllString(path, "1")
	}
	slices.Sort(writes)
	for _, name := range append(writes, "DELETE /admin/worlds/{world}") {
		body, known := bodies[name]
		if !known {
			t.Errorf("%s is new: say what it is sent", name)
			continue
		}
		method, path, _ := strings.Cut(name, " ")
		want := []world.Point{world.Produced, world.Committed, world.Served}
		switch body {
		case "read":
			want, body = []world.Point{world.Served}, ""
			if strings.HasSuffix(path, "/simulate") {
				body = `{"commands":[]}`
			}
		case "attempts":
			want, body = []world.Point{world.Served}, ""
		}
		status, got := r.send(method, fill(path), auth, "application/json", body)
		if refused := status >= firstRefusal; refused && (slices.Contains(got, world.Committed) || slices.Equal(got, []world.Point{world.Produced})) {
			want = got // refused on the way, behind the seam
		}
		for _, p := range want {
			if !slices.Contains(got, p) {
				t.Errorf("%s answers %d and passes %v, not %s", name, status, got, p)
			}
		}
	}
	r = newSeamRig(t)
	auth = "Bearer " + r.made.AdminToken
	for _, path := range reads {
		status, got := r.send("GET", fill(path), auth, "", "")
		if status < firstRefusal && !slices.Equal(got, []world.Point{world.Served}) {
			t.Errorf("GET %s answers %d and passes %v", path, status, got)
		}
	}
}

// An attempt to deliver passes its points in their order, and those of the operation
// that takes its outcome down.
func TestAttemptsPassTheSeam(t *testing.T) {
	r := newSeamRig(t)
	auth := "Bearer " + r.made.AdminToken
	r.send("PUT", "/admin/worlds/"+r.made.ID+"/webhooks/endpoint", auth, "application/json", `{"url":"http://127.0.0.1:9001/hook"}`)
	r.send("POST", "/v1/customers", "Bearer "+r.made.Keys[0].Secret, "application/x-www-form-urlencoded", "name=Ann")
	_, got := r.send("POST", "/admin/worlds/"+r.made.ID+"/webhooks/flush", auth, "", "")
	want := []world.Point{world.Claimed, world.Sent, world.Answered, world.Produced, world.Decided, world.Committed, world.Recorded, world.Served}
	if !slices.Equal(got, want) {
		t.Errorf("an attempt passes %v", got)
	}
}

// The seam refuses at Produced without a trace, and keeps from being appended at
// Decided: the world stands where it stood, and goes on.
func TestTheSeamRefuses(t *testing.T) {
	for _, point := range []world.Point{world.Produced, world.Decided} {
		r := newSeamRig(t)
		w, err := r.server.Admin.World(r.made.ID)
		if err != nil {
			t.Fatal(err)
		}
		key, media := "Bearer "+r.made.Keys[0].Secret, "application/x-www-form-urlencoded"
		before, err := w.View(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		r.at.mu.Lock()
		r.at.refuse = point
		r.at.mu.Unlock()
		if status, _ := r.send("POST", "/v1/customers", key, media, "name=Refused"); status != http.StatusInternalServerError {
			t.Errorf("%s: the refused request answers %d", point, status)
		}
		after, err := w.View(context.Background())
		if err != nil || after.Seq != before.Seq || world.DumpHash(after.State) != world.DumpHash(before.State) {
			t.Errorf("%s: the refused request left a trace: #%d, before #%d, %v", point, after.Seq, before.Seq, err)
		}
		if status, _ := r.send("POST", "/v1/customers", key, media, "name=Later"); status != http.StatusOK {
			t.Errorf("%s: behind it: %d", point, status)
		}
	}
}
