package sim

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"

	"worlds/journal/store"
	"worlds/testscripts"
	"worlds/twin/world"
)

// stage is a server on no network, on which one scenario is played at a time.
type stage struct {
	server *testscripts.Server
	shared bool   // it outlives a scenario
	dir    string // of a shared server
	memory *store.Memory

	synced  atomic.Int64 // batches of the journal that reached the disk
	failing atomic.Bool  // the next write of the journal fails
	struck  atomic.Bool  // one was to fail

	mu        sync.Mutex
	listeners map[string]*testscripts.Listener // by host and port
}

// start starts the server, or starts it again on the same folder.
func (st *stage) start(opt testscripts.ServerOptions, memory bool) (*testscripts.Server, error) {
	if st.shared && st.server != nil {
		return st.server, nil
	}
	if err := st.stop(); err != nil {
		return nil, err
	}
	if st.shared {
		opt.Dir = st.dir
	}
	opt.Offline, opt.Hook, opt.Webhooks = true, seam, st
	opt.Queue = func(*world.World) {} // the scheduler looks for itself
	opt.StoreHook = st.disk
	if memory && st.memory == nil {
		st.memory = store.NewMemory()
	}
	opt.Memory = st.memory
	var err error
	st.server, err = testscripts.StartServer(opt)
	return st.server, err
}

// errDisk is what a journal gets whose disk fails.
var errDisk = errors.New("the disk is full")

// disk counts what the journal has synced, and fails when it is to.
func (st *stage) disk(at store.Point) error {
	switch at {
	case store.PointWrite:
		if st.failing.CompareAndSwap(true, false) {
			return errDisk
		}
	case store.PointSynced:
		st.synced.Add(1)
	}
	return nil
}

func (st *stage) stop() error {
	st.failing.Store(false)
	st.struck.Store(false)
	s := st.server
	st.server = nil
	if s == nil {
		return nil
	}
	return s.Stop()
}

// clear forgets the listeners of the scenario before.
func (st *stage) clear() {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.listeners = map[string]*testscripts.Listener{}
}

// firstPort is the first port of listeners that are not there.
const firstPort = 9001

// listen makes a listener that only this server reaches.
func (st *stage) listen() (*testscripts.Listener, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	host := "127.0.0.1:" + strconv.Itoa(firstPort+len(st.listeners))
	l := testscripts.NewListener("http://" + host + "/hook")
	st.listeners[host] = l
	return l, nil
}

// RoundTrip takes deliveries to their listeners. It implements http.RoundTripper.
func (st *stage) RoundTrip(req *http.Request) (*http.Response, error) {
	st.mu.Lock()
	l := st.listeners[req.URL.Host]
	st.mu.Unlock()
	if l == nil {
		return nil, syscall.ECONNREFUSED
	}
	return l.RoundTrip(req)
}

// transport takes the requests of a scenario to the server.
type transport struct{ play *play }

// RoundTrip runs the handler in the caller's goroutine. It implements
// http.RoundTripper.
func (t transport) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	it := itemOf(ctx)
	if it == nil {
		it = t.play.script
		ctx = it.context()
	}
	in := req.Clone(ctx)
	in.RequestURI, in.RemoteAddr = req.URL.RequestURI(), "127.0.0.1:1"
	if in.Body == nil {
		in.Body = http.NoBody
	}
	t.play.readStale(it, in)
	rec := &recorder{header: http.Header{}}
	if !rec.serve(t.play.stage.server.Handler, in) {
		return nil, errCut
	}
	if it.refused != nil {
		rec = &recorder{header: http.Header{"Content-Type": {"application/json"}}, status: http.StatusPreconditionFailed}
		rec.body.WriteString(`{"error":{"code":"precondition_failed","message":` + strconv.Quote(it.refused.Error()) + `,"type":"invalid_request_error"}}`)
	}
	return &http.Response{
		StatusCode: rec.status, Header: rec.header, Request: req, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: io.NopCloser(&rec.body), ContentLength: int64(rec.body.Len()),
	}, nil
}

// errCut is what a client gets whose connection was cut.
var errCut = errors.New("the connection was cut")

// recorder is a response in memory.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// serve returns false when the handler cut the connection.
func (r *recorder) serve(h http.Handler, req *http.Request) (whole bool) {
	defer func() {
		if p := recover(); p != nil {
			if err, ok := p.(error); !ok || !errors.Is(err, http.ErrAbortHandler) {
				panic(p)
			}
		}
	}()
	h.ServeHTTP(r, req)
	r.WriteHeader(http.StatusOK)
	return true
}

// Header implements http.ResponseWriter.
func (r *recorder) Header() http.Header { return r.header }

// WriteHeader implements http.ResponseWriter.
func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
}

// Write implements http.ResponseWriter.
func (r *recorder) Write(p []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	return r.body.Write(p)
}

// Flush implements http.Flusher.
func (r *recorder) Flush() {}

// exploring is the durability of servers whose folders nobody keeps.
const exploring = store.Relaxed
