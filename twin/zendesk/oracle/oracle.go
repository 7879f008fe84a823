package oracle

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

//go:embed schemas.json
var source string

// schemas holds the compiled definitions, each compiled when first asked for.
type schemas struct {
	mu       sync.Mutex
	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema
}

var book = sync.OnceValue(func() *schemas {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(source))
	if err != nil {
		panic(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("zendesk.json", doc); err != nil {
		panic(err)
	}
	return &schemas{compiler: c, compiled: map[string]*jsonschema.Schema{}}
})

func (s *schemas) get(name string) *jsonschema.Schema {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.compiled[name] == nil {
		s.compiled[name] = s.compiler.MustCompile("zendesk.json#/$defs/" + strings.ReplaceAll(name, " ", "%20"))
	}
	return s.compiled[name]
}

// Known reports whether a route ("GET /api/v2/tickets/{id}") has a schema.
func Known(route string) bool {
	_, ok := routes[route]
	return ok
}

// Object checks a body against one definition.
func Object(definition string, body []byte) error {
	var value any
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(body)))
	if err != nil {
		return err
	}
	return book().get(definition).Validate(value)
}

// Response checks an answer: of what route matches the path, or of an error.
func Response(method, path string, status int, body []byte) error {
	if status >= 400 {
		return Object("error", body)
	}
	if method == http.MethodPatch {
		method = http.MethodPut
	}
	definition, ok := find(method, strings.TrimSuffix(path, ".json"))
	switch {
	case !ok:
		return fmt.Errorf("no route answers %s %s", method, path)
	case definition == nothing && (status != http.StatusNoContent || len(body) > 0):
		return fmt.Errorf("status %d with %d bytes, want 204 with none", status, len(body))
	case definition == nothing:
		return nil
	}
	return Object(definition, body)
}

// find is the definition of the route that a path takes: the one with the most
// words of its own.
func find(method, path string) (definition string, ok bool) {
	best := -1
	words := strings.Split(path, "/")
	for route, d := range routes {
		m, pattern, _ := strings.Cut(route, " ")
		if m != method {
			continue
		}
		if n := fits(strings.Split(pattern, "/"), words); n > best {
			best, definition, ok = n, d, true
		}
	}
	return definition, ok
}

// fits is how many words of a pattern a path has literally, -1 if it does not fit.
func fits(pattern, words []string) int {
	if len(pattern) != len(words) {
		return -1
	}
	n := 0
	for i, p := range pattern {
		switch {
		case strings.HasPrefix(p, "{"):
		case p != words[i]:
			return -1
		default:
			n++
		}
	}
	return n
}

// Wrap judges every answer below /api/v2 that a handler gives.
func Wrap(t testing.TB, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/api/v2/") {
			h.ServeHTTP(w, r)
			return
		}
		path := r.URL.Path
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		if err := judge(r.Method, path, rec); err != nil {
			t.Errorf("%s %s → %d\n%v\n%.2000s", r.Method, r.URL.RequestURI(), rec.Code, err, rec.Body.Bytes())
		}
		for name, values := range rec.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(rec.Code)
		w.Write(rec.Body.Bytes())
	})
}

func judge(method, path string, rec *httptest.ResponseRecorder) error {
	header := rec.Header()
	retry := header.Get("Retry-After")
	for _, name := range []string{"X-Rate-Limit", "X-Rate-Limit-Remaining", "X-Request-Id", "X-Zendesk-Api-Version"} {
		if header.Get(name) == "" {
			return fmt.Errorf("there is no header %s", name)
		}
	}
	switch {
	case retry != "" && rec.Code != http.StatusTooManyRequests:
		return fmt.Errorf("Retry-After on a %d makes node-zendesk take it for an error", rec.Code)
	case rec.Code == http.StatusTooManyRequests:
		return nil // a text
	case rec.Code == http.StatusCreated && !strings.HasPrefix(header.Get("Location"), "http") && !strings.HasSuffix(strings.TrimSuffix(path, ".json"), "/tags"):
		return fmt.Errorf("a 201 without a Location")
	case rec.Code != http.StatusNoContent && !json.Valid(rec.Body.Bytes()):
		return fmt.Errorf("no JSON")
	}
	return Response(method, path, rec.Code, rec.Body.Bytes())
}
