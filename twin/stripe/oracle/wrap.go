package oracle

import (
	"bytes"
	"net/http"
	"os"
	"strings"
	"testing"
)

// Wrap returns h with every answer under /v1/ judged: schema, laws and layout
// by the document of the version that is asked for, Content-Type and Request-Id
// besides. Where an older document cannot be had its answers are passed on as they
// are, which is a fault if WORLDS_FORCE_SDK says that everything is there. A fault is reported with t.Errorf before the client sees the answer,
// which is passed on unchanged. The server must be closed before the test ends. A
// handler that takes the connection over, or panics, is left alone.
func Wrap(t testing.TB, h http.Handler) http.Handler {
	return wrap(t, h, func(r *http.Request) *Oracle {
		o, err := Of(r.Header.Get("Stripe-Version"))
		if err != nil && os.Getenv("WORLDS_FORCE_SDK") != "" {
			t.Errorf("%s %s: %v", r.Method, r.URL.Path, err)
		}
		return o
	})
}

// Wrap is the function of that name with this document as the judge. What it does
// not know, and events, which are in the account's version, the Default judges.
func (o *Oracle) Wrap(t testing.TB, h http.Handler) http.Handler {
	return wrap(t, h, func(*http.Request) *Oracle { return o })
}

func wrap(t testing.TB, h http.Handler, judges func(*http.Request) *Oracle) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/v1/") {
			h.ServeHTTP(w, r)
			return
		}
		line := r.Method + " " + r.URL.RequestURI()
		path := r.URL.EscapedPath() // an id may hold a slash
		rec := &recorder{ResponseWriter: w}
		h.ServeHTTP(rec, r)
		if rec.status == 0 && rec.taken {
			return
		}
		if rec.status == 0 {
			rec.status = http.StatusOK
		}
		if judge := judges(r); judge != nil && r.Method != http.MethodHead {
			if !judge.Knows(r.Method, path) || strings.HasPrefix(path, "/v1/events") {
				judge = Default()
			}
			for _, err := range judge.answer(r.Method, path, rec) {
				t.Errorf("%s → %d\n%v\n%s", line, rec.status, err, excerpt(rec.body.Bytes()))
			}
		}
		w.WriteHeader(rec.status)
		w.Write(rec.body.Bytes())
	})
}

// answer judges a recorded answer as a whole.
func (o *Oracle) answer(method, path string, rec *recorder) []error {
	var found faults
	if got := rec.Header().Get("Content-Type"); got != "application/json" {
		found = append(found, fault{"Content-Type", "got " + got + ", want application/json"})
	}
	if got := rec.Header().Get("Request-Id"); !strings.HasPrefix(got, "req_") {
		found = append(found, fault{"Request-Id", "got \"" + got + "\", want req_…"})
	}
	var all []error
	for _, err := range []error{
		found.err(),
		o.Response(method, path, rec.status, rec.body.Bytes()),
		o.Layout(rec.body.Bytes()),
	} {
		if err != nil {
			all = append(all, err)
		}
	}
	return all
}

const excerptBytesMax = 2000

func excerpt(body []byte) []byte {
	if len(body) > excerptBytesMax {
		return append(bytes.Clone(body[:excerptBytesMax]), "…"...)
	}
	return body
}

// recorder holds an answer back until it has been judged.
type recorder struct {
	http.ResponseWriter
	status int
	taken  bool // the handler asked for the connection itself
	body   bytes.Buffer
}

// WriteHeader keeps the first status.
func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
}

// Write keeps the bytes.
func (r *recorder) Write(p []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	return r.body.Write(p)
}

// Unwrap serves http.ResponseController, by which a handler hijacks.
func (r *recorder) Unwrap() http.ResponseWriter {
	r.taken = true
	return r.ResponseWriter
}
