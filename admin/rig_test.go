package admin_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"worlds/admin"
	"worlds/journal/canon"
	"worlds/journal/store"
	"worlds/twin"
	"worlds/twin/serve"
	"worlds/twin/stripe"
	"worlds/twin/world"
)

// rig is a server with its twins. Every answer of the admin API is held against
// the OpenAPI document.
type rig struct {
	t       *testing.T
	dir     string
	opt     admin.Options
	hook    func(store.Point) error // of the journal, nil for none
	doc     *document
	journal *store.Store
	host    *world.Host
	admin   *admin.Server
	http    *httptest.Server
	client  *http.Client
}

// root is the root token of the rigs that have one.
const root = "root-token-0123456789"

func newRig(t *testing.T, opt admin.Options) *rig {
	t.Helper()
	r := &rig{t: t, dir: t.TempDir(), opt: opt, doc: parseDocument(t)}
	r.open()
	t.Cleanup(r.close)
	return r
}

func (r *rig) open() {
	r.t.Helper()
	var err error
	if r.journal, err = store.Open(r.dir, store.Options{Hook: r.hook}); err != nil {
		r.t.Fatal(err)
	}
	r.host = world.NewHost(r.journal, world.Options{Catalogs: []*twin.Catalog{stripe.Catalog()}})
	if r.admin, err = admin.New(r.host, r.opt); err != nil {
		r.t.Fatal(err)
	}
	router := serve.NewRouter()
	shell := serve.NewShell(r.admin.Resolve, discard)
	shell.Mount(router, r.host.Catalogs())
	r.admin.Mount(router)
	r.http = httptest.NewServer(router)
	r.client = &http.Client{
		Transport:     &http.Transport{},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

func (r *rig) close() {
	r.client.CloseIdleConnections()
	r.http.Close()
	r.journal.Close()
}

func (r *rig) restart() {
	r.t.Helper()
	r.close()
	r.open()
}

// streamWait is how long a call waits for the first piece of a stream.
const streamWait = 200 * time.Millisecond

// answer is what a call got.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// call sends a request; token "" sends none. The answer is judged.
func (r *rig) call(method, path, token, body string) answer {
	r.t.Helper()
	ctx, cancel := context.WithCancel(r.t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, r.http.URL+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := r.client.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	a := answer{status: res.StatusCode, header: res.Header}
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		chunk := make([]byte, 64<<10)
		time.AfterFunc(streamWait, cancel)
		n, _ := res.Body.Read(chunk) // a stream has no end; the first piece will do
		a.body = chunk[:n]
	} else if a.body, err = io.ReadAll(res.Body); err != nil {
		r.t.Fatalf("%s %s: %s, %d bytes of %d: %v", method, path, res.Status, len(a.body), res.ContentLength, err)
	}
	r.doc.judge(r.t, method, path, a)
	return a
}

// want is call for an answer of that status that holds text.
func (r *rig) want(status int, text, method, path, token, body string) answer {
	r.t.Helper()
	a := r.call(method, path, token, body)
	if a.status != status || !bytes.Contains(a.body, []byte(text)) {
		r.t.Errorf("%s %s %.200s: %d %.600s; want %d with %q", method, path, body, a.status, a.body, status, text)
	}
	return a
}

// create makes a world of a seed, given as JSON.
func (r *rig) create(body string) admin.CreatedWorld {
	r.t.Helper()
	var w admin.CreatedWorld
	a := r.want(201, "", "POST", "/admin/worlds", r.opt.RootToken, body)
	if err := json.Unmarshal(a.body, &w); err != nil {
		r.t.Fatalf("%v: %s", err, a.body)
	}
	return w
}

// stripe sends a request of a twin.
func (r *rig) stripe(secret, method, path, form string) answer {
	r.t.Helper()
	req, err := http.NewRequest(method, r.http.URL+path, strings.NewReader(form))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+secret)
	res, err := r.client.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return answer{status: res.StatusCode, header: res.Header, body: body}
}

// document is the OpenAPI document as a judge of answers.
type document struct {
	mu         sync.Mutex
	operations map[string]operation // by "METHOD /path/{with}/names"
	schemas    *jsonschema.Compiler
	succeeded  map[string]bool
}

// operation is what the judge needs of an OpenAPI operation.
type operation struct {
	OperationID string `json:"operationId"`
	Summary     string
	Security    []map[string][]string
	Parameters  []struct {
		In, Name string
		Required bool
	}
	RequestBody *struct{ Content map[string]media }
	Responses   map[string]struct {
		Description string
		Content     map[string]media
	}
}

type media struct {
	Schema struct {
		Ref string `json:"$ref"`
	}
}

const documentURL = "worlds:openapi.json"

func parseDocument(t *testing.T) *document {
	t.Helper()
	d := &document{operations: map[string]operation{}, schemas: jsonschema.NewCompiler(), succeeded: map[string]bool{}}
	var doc struct {
		Paths map[string]map[string]operation
	}
	if err := json.Unmarshal(admin.OpenAPI(), &doc); err != nil {
		t.Fatal(err)
	}
	for path, methods := range doc.Paths {
		for method, op := range methods {
			d.operations[strings.ToUpper(method)+" "+path] = op
		}
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(admin.OpenAPI()))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.schemas.AddResource(documentURL, value); err != nil {
		t.Fatal(err)
	}
	return d
}

// find is the operation of a request; a literal segment goes before a name.
func (d *document) find(method, path string) (string, bool) {
	path, _, _ = strings.Cut(path, "?")
	segments, best, most := strings.Split(path, "/"), "", -1
	for key := range d.operations {
		m, pattern, _ := strings.Cut(key, " ")
		parts := strings.Split(pattern, "/")
		if m != method || len(parts) != len(segments) {
			continue
		}
		literal := 0
		for i, part := range parts {
			if part == segments[i] {
				literal++
			} else if !strings.HasPrefix(part, "{") {
				literal = -1
				break
			}
		}
		if literal > most {
			best, most = key, literal
		}
	}
	return best, most >= 0
}

// judge holds an answer against the document.
func (d *document) judge(t *testing.T, method, path string, a answer) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	fail := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%s %s: "+format, append([]any{method, path}, args...)...)
	}
	if a.status >= 300 && a.status < 400 || a.header.Get("Location") != "" {
		fail("a redirect: %d", a.status)
	}
	if a.status >= 400 {
		d.problem(fail, a)
		return
	}
	key, ok := d.find(method, path)
	if !ok {
		fail("%d of a route that the document does not have", a.status)
		return
	}
	op := d.operations[key]
	response, ok := op.Responses[http3(a.status)]
	if !ok {
		fail("%d is not in the document", a.status)
		return
	}
	d.succeeded[key] = true
	if len(response.Content) == 0 {
		if len(a.body) > 0 {
			fail("a body where the document has none: %q", a.body)
		}
		return
	}
	kind, _, _ := strings.Cut(a.header.Get("Content-Type"), ";")
	m, ok := response.Content[kind]
	if !ok {
		fail("the content type is %q", kind)
		return
	}
	if kind == "application/json" {
		d.validate(fail, m.Schema.Ref, a.body)
	}
}

// problem checks a refusal: RFC 9457, its members in agreement with each other.
func (d *document) problem(fail func(string, ...any), a answer) {
	if got := a.header.Get("Content-Type"); got != "application/problem+json" {
		fail("a refusal of type %q: %.200s", got, a.body)
		return
	}
	d.validate(fail, "#/components/schemas/Problem", a.body)
	var p admin.Problem
	if err := json.Unmarshal(a.body, &p); err != nil {
		fail("%v", err)
	}
	if int(p.Status) != a.status || p.Type != "urn:worlds:problem:"+p.Code || p.Title != http.StatusText(a.status) || p.Detail == "" {
		fail("%d with the problem %+v", a.status, p)
	}
	if (a.status == 401) != (a.header.Get("WWW-Authenticate") != "") {
		fail("%d with WWW-Authenticate %q", a.status, a.header.Get("WWW-Authenticate"))
	}
}

func (d *document) validate(fail func(string, ...any), ref string, body []byte) {
	schema, err := d.schemas.Compile(documentURL + ref)
	if err != nil {
		fail("%v", err)
		return
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err == nil {
		err = schema.Validate(value)
	}
	if err != nil {
		fail("%v\n%.500s", err, body)
	}
	if _, err := canon.Canonicalize(body); err != nil {
		fail("%v: %.200s", err, body)
	}
}

// withHeader sends a request with that Authorization header and returns the status.
func (r *rig) withHeader(method, path, authorization string) int {
	r.t.Helper()
	req, err := http.NewRequest(method, r.http.URL+path, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Authorization", authorization)
	res, err := r.client.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	_, _ = drain(res.Body)
	return res.StatusCode
}

// begin sends a request and leaves its answer to be read.
func (r *rig) begin(method, path, token string) *http.Response {
	r.t.Helper()
	req, err := http.NewRequest(method, r.http.URL+path, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := r.client.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	return res
}

func drain(body io.Reader) (int64, error) { return io.Copy(io.Discard, body) }
