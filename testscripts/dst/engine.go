package dst

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing/iotest"

	"worlds/admin"
	"worlds/journal/store"
	"worlds/testscripts"
	"worlds/twin/serve"
	"worlds/twin/world"
)

// engine is a whole server in this process without a socket: requests go through its
// handler, deliveries through its network. Its runs come one after the other, each
// on worlds of its own.
type engine struct {
	dir     string
	store   *store.Store
	host    *world.Host
	admin   *admin.Server
	handler http.Handler
	net     *network
	spare   []bytes.Buffer // in which answers were gathered
}

// baseURL is what the server takes for its address.
const baseURL = "http://127.0.0.1:7357"

// openEngine starts a server on a temporary folder, which close removes.
func openEngine(hook world.Hook) (*engine, error) {
	dir, err := os.MkdirTemp(memory(), "worlds-dst-")
	if err != nil {
		return nil, err
	}
	e := &engine{dir: dir, net: &network{}}
	logger := slog.New(slog.DiscardHandler)
	if e.store, err = store.Open(dir, store.Options{Durability: store.Relaxed, Logger: logger}); err != nil {
		return nil, err
	}
	e.host = world.NewHost(e.store, world.Options{Catalogs: testscripts.Catalogs(), Logger: logger, Hook: hook})
	if e.admin, err = admin.New(e.host, admin.Options{Open: true, BaseURL: baseURL, Logger: logger, Webhooks: e.net}); err != nil {
		return nil, err
	}
	router := serve.NewRouter()
	serve.NewShell(e.admin.Resolve, logger).Mount(router, e.host.Catalogs())
	e.admin.Mount(router)
	e.handler = router
	return e, nil
}

// memory is a folder in memory where the system has one, "" otherwise: what is simulated
// here is no disk.
func memory() string {
	const shared = "/dev/shm"
	if info, err := os.Stat(shared); err == nil && info.IsDir() && os.Getenv("TMPDIR") == "" {
		return shared
	}
	return ""
}

func (e *engine) close() error {
	e.admin.Close()
	err := e.store.Close()
	if gone := os.RemoveAll(e.dir); err == nil {
		err = gone
	}
	return err
}

// How the body of a request comes, beside at once.
const (
	wirePieces = "pieces" // in chunks of one byte, without a length
	wireCut    = "cut"    // it breaks off in the middle
)

// request is one HTTP request.
type request struct {
	method, path string
	query        string
	body         string
	header       http.Header
	wire         string // how the body comes
	// between, if not nil, is called once, when the first bytes of the answer come.
	between func()
}

// response is what came of it. cut says that the connection was cut instead.
type response struct {
	status int
	header http.Header
	body   []byte
	cut    bool
}

// call sends a request through the server's handler.
func (e *engine) call(r request) (out response) {
	req := r.http(context.Background())
	w := &answerWriter{header: http.Header{}, between: r.between}
	if n := len(e.spare); n > 0 { // growing one anew costs more than most requests
		w.body, e.spare = e.spare[n-1], e.spare[:n-1]
	}
	defer func() {
		w.body.Reset()
		e.spare = append(e.spare, w.body)
		switch p := recover(); p {
		case nil:
		case http.ErrAbortHandler:
			out = response{cut: true}
		default:
			panic(p)
		}
	}()
	e.handler.ServeHTTP(w, req)
	return response{status: w.status, header: w.header, body: bytes.Clone(w.body.Bytes())}
}

func (r *request) http(ctx context.Context) *http.Request {
	header := r.header
	if header == nil {
		header = http.Header{}
	}
	req := &http.Request{Method: r.method, URL: &url.URL{Scheme: "http", Host: "127.0.0.1:7357", Path: r.path, RawQuery: r.query},
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Host: "127.0.0.1:7357", Header: header, Body: http.NoBody, RequestURI: r.path}
	if r.body != "" {
		req.Body, req.ContentLength = io.NopCloser(strings.NewReader(r.body)), int64(len(r.body))
		switch r.wire {
		case wirePieces:
			req.Body, req.ContentLength, req.TransferEncoding = io.NopCloser(iotest.OneByteReader(strings.NewReader(r.body))), -1, []string{"chunked"}
		case wireCut: // as the HTTP server says it, when the connection ends in the middle
			half := strings.NewReader(r.body[:len(r.body)/2])
			req.Body = io.NopCloser(io.MultiReader(half, iotest.ErrReader(io.ErrUnexpectedEOF)))
		}
	}
	return req.WithContext(ctx)
}

// answerWriter gathers an answer.
type answerWriter struct {
	header  http.Header
	status  int
	body    bytes.Buffer
	between func()
}

func (w *answerWriter) Header() http.Header { return w.header }

func (w *answerWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

func (w *answerWriter) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if between := w.between; between != nil {
		w.between = nil
		between()
	}
	return w.body.Write(b)
}
