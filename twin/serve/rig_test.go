package serve_test

import (
	"bufio"
	"bytes"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"worlds/journal/canon"
	"worlds/journal/store"
	"worlds/seed"
	"worlds/twin"
	"worlds/twin/serve"
	"worlds/twin/stripe"
	"worlds/twin/stripe/oracle"
	"worlds/twin/world"
)

// secret is the API key of the rig's world.
const secret = "sk_test_0123456789abcdef"

// rig is a server with one world, on a port of its own. Every answer is judged.
type rig struct {
	t     testing.TB
	addr  string
	world *world.World
	log   *logged

	mu       sync.Mutex
	observed []int
}

// logged keeps what the server logs.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func newRig(t testing.TB, hook world.Hook, disk func(store.Point) error) *rig {
	t.Helper()
	return newRigOf(t, hook, store.Options{Hook: disk})
}

// newRigAt is newRig with a durability.
func newRigAt(t testing.TB, level store.Durability) *rig {
	t.Helper()
	return newRigOf(t, nil, store.Options{Durability: level})
}

func newRigOf(t testing.TB, hook world.Hook, opt store.Options) *rig {
	t.Helper()
	journal, err := store.Open(t.TempDir(), opt)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, log: &logged{}}
	log := slog.New(slog.NewTextHandler(r.log, nil))
	catalog := stripe.Catalog()
	host := world.NewHost(journal, world.Options{Catalogs: []*twin.Catalog{catalog}, Hook: hook, Logger: log})
	doc, err := seed.Lookup("saas-billing-small")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := host.Publish(doc); err != nil {
		t.Fatal(err)
	}
	if err := host.Create(1, canon.Raw(`{"op":"create"}`)); err != nil {
		t.Fatal(err)
	}
	r.world = host.Attach(1, doc.Hash.String(), twin.Rules)
	shell := serve.NewShell(func(_, s string) (world.Origin, bool) {
		return world.Origin{World: r.world, Actor: "key:1"}, s == secret
	}, log)
	shell.Observe = func(_ string, status int) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.observed = append(r.observed, status)
	}
	router := serve.NewRouter()
	shell.Mount(router, host.Catalogs())
	var handler http.Handler = router
	if test, ok := t.(*testing.T); ok {
		handler = oracle.Wrap(test, router)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r.addr = l.Addr().String()
	server := serve.NewServer(handler)
	server.ErrorLog = slog.NewLogLogger(log.Handler(), slog.LevelError)
	done := make(chan error)
	go func() { done <- server.Serve(serve.NewListener(l, catalog)) }()
	t.Cleanup(func() {
		server.Close()
		<-done
		journal.Close()
	})
	return r
}

// raw sends bytes as they are and reads one answer.
func (r *rig) raw(request string) (*http.Response, []byte) {
	r.t.Helper()
	c, err := net.Dial("tcp", r.addr)
	if err != nil {
		r.t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	go func() { _, _ = io.WriteString(c, request) }() // a server that refuses early does not read it all
	method, _, _ := strings.Cut(request, " ")
	res, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: method})
	if err != nil {
		r.t.Fatalf("%.100q: %v", request, err)
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Fatalf("%.100q: %v", request, err)
	}
	return res, body
}

// send sends "METHOD target" with header lines and a body.
func (r *rig) send(line, headers, body string) (*http.Response, []byte) {
	r.t.Helper()
	return r.raw(line + " HTTP/1.1\r\nHost: worlds\r\n" + headers + "\r\n" + body)
}

// form are the headers of an ordinary request with a form.
func form(body string) string {
	return authorized + "Content-Type: application/x-www-form-urlencoded\r\n" + length(body)
}

func (r *rig) dump() string {
	r.t.Helper()
	v, err := r.world.View(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	return world.DumpHash(v.State)
}
