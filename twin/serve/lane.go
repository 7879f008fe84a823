package serve

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"runtime/debug"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	laneBytes     = 4 << 10  // what a lane reads at a time
	laneBytesMax  = 64 << 10 // a request above it is not plain
	laneBytesKept = 16 << 10 // a larger buffer is not kept
	watchInterval = 50 * time.Millisecond
	// deadlineSlack is how much sooner an idle connection may be closed: so the time
	// is not set anew for every request.
	deadlineSlack = time.Second
)

// lane serves the plain requests of one connection, one after the other. All that
// belongs to a request is used again for the next.
type lane struct {
	server   *Server
	conn     *net.TCPConn
	state    atomic.Int32
	in       []byte // read and not yet served
	deadline time.Time
	began    bool // it has served something

	plain   plain
	body    bytes.Reader
	request *http.Request
	reply   reply
	ctx     context.Context
	cancel  context.CancelFunc
	raw     syscall.RawConn
	watcher *time.Timer
}

// States of a lane.
const (
	laneIdle = iota
	laneBusy
	laneOver
)

func newLane(s *Server, c *net.TCPConn) *lane {
	l := &lane{server: s, conn: c, in: make([]byte, 0, laneBytes)}
	for _, catalog := range s.catalogs {
		l.plain.prefixes = append(l.plain.prefixes, catalog.Wire.Prefix+"/")
	}
	l.plain.header = http.Header{}
	return l
}

// run serves until the connection ends. It returns true if the connection is to be
// net/http's instead, and what it has sent that was not served.
func (l *lane) run() (head []byte, left bool) {
	if !l.server.enter(l) {
		_ = l.conn.Close()
		return nil, false
	}
	defer l.server.leave(l)
	l.ctx, l.cancel = context.WithCancel(context.Background())
	defer l.cancel()
	l.request = (&http.Request{RemoteAddr: l.conn.RemoteAddr().String()}).WithContext(l.ctx)
	l.reply.lane = l
	l.raw, _ = l.conn.SyscallConn()
	l.watcher = time.AfterFunc(watchInterval, l.watch)
	defer l.watcher.Stop()
	for {
		served, err := l.read()
		switch {
		case err != nil:
			_ = l.conn.Close()
			return nil, false
		case served == 0:
			_ = l.conn.SetReadDeadline(time.Time{})
			return l.in, true
		}
		if !l.serve() {
			return nil, false
		}
		l.in = append(l.in[:0], l.in[served:]...)
		if len(l.in) == 0 && cap(l.in) > laneBytesKept {
			l.in = make([]byte, 0, laneBytes)
		}
		l.began = true
	}
}

// errEnding says that the server ends.
var errEnding = errors.New("the server ends")

// read waits for a request and returns how many bytes it has, 0 if it is not plain.
// An error is the end of the connection.
func (l *lane) read() (n int, err error) {
	if len(l.in) == 0 {
		if err := l.await(); err != nil {
			return 0, err
		}
	}
	if !l.state.CompareAndSwap(laneIdle, laneBusy) {
		return 0, errEnding
	}
	head := bytes.Index(l.in, headEnd)
	if head < 0 || !l.plain.parse(l.in[:head]) {
		return 0, nil
	}
	n = head + len(headEnd) + l.plain.length
	if n > laneBytesMax {
		return 0, nil
	}
	for len(l.in) < n {
		_ = l.conn.SetReadDeadline(time.Now().Add(ReadTimeout))
		l.deadline = time.Time{}
		if cap(l.in) < n {
			l.in = append(make([]byte, 0, n), l.in...)
		}
		got, err := l.conn.Read(l.in[len(l.in):cap(l.in)])
		if l.in = l.in[:len(l.in)+got]; err != nil {
			return 0, nil // net/http meets the same, and knows what to say
		}
	}
	l.ready(l.in[n-l.plain.length : n])
	return n, nil
}

var headEnd = []byte("\r\n\r\n")

// await waits for the first bytes of a request.
func (l *lane) await() error {
	patience := IdleTimeout
	if !l.began {
		patience = ReadHeaderTimeout
	}
	if until := time.Now().Add(patience); until.Sub(l.deadline) > deadlineSlack || until.Before(l.deadline) {
		_ = l.conn.SetReadDeadline(until)
		l.deadline = until
	}
	got, err := l.conn.Read(l.in[:cap(l.in)])
	l.in = l.in[:got]
	if got > 0 {
		return nil
	}
	return err
}

// ready makes the http.Request of what was read.
func (l *lane) ready(body []byte) {
	r, p := l.request, &l.plain
	r.Method, r.URL, r.RequestURI, r.Host = p.method, &p.url, p.target, p.host
	r.Proto, r.ProtoMajor, r.ProtoMinor = "HTTP/1.1", 1, 1
	r.Header, r.ContentLength, r.Body = p.header, int64(len(body)), http.NoBody
	if len(body) > 0 {
		l.body.Reset(body)
		r.Body = bodyReader{&l.body}
	}
}

type bodyReader struct{ *bytes.Reader }

// Close implements io.Closer.
func (bodyReader) Close() error { return nil }

// serve lets the handler answer. It returns whether the connection goes on here; if
// not, it is closed or has another owner.
func (l *lane) serve() (again bool) {
	l.reply.begin()
	defer func() {
		p := recover()
		if l.reply.end(); !again && !l.reply.hijacked {
			_ = l.conn.Close()
		}
		if p != nil && p != http.ErrAbortHandler {
			l.logf("http: panic serving %s: %v\n%s", l.request.RemoteAddr, p, debug.Stack())
		}
	}()
	l.watcher.Reset(watchInterval)
	l.server.Handler.ServeHTTP(&l.reply, l.request)
	l.watcher.Stop()
	if l.reply.hijacked || l.reply.send() != nil {
		return false
	}
	// An end that has not seen it idle is seen here.
	return !l.reply.last && l.state.CompareAndSwap(laneBusy, laneIdle) && !l.server.ending.Load()
}

func (l *lane) logf(format string, args ...any) {
	if log := l.server.ErrorLog; log != nil {
		log.Printf(format, args...)
	}
}

// watch looks now and then whether the client of a request that takes long has gone;
// its context is then over.
func (l *lane) watch() {
	if l.state.Load() != laneBusy {
		return
	}
	gone := false
	_ = l.raw.Control(func(fd uintptr) {
		var one [1]byte
		n, _, err := syscall.Recvfrom(int(fd), one[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		gone = err == nil && n == 0 || err == syscall.ECONNRESET
	})
	if gone {
		l.cancel()
		return
	}
	l.watcher.Reset(watchInterval)
}

// endIdle ends the lane, after the request that it serves.
func (l *lane) endIdle() {
	if l.state.CompareAndSwap(laneIdle, laneOver) {
		_ = l.conn.Close()
	}
}

// end ends the lane at once.
func (l *lane) end() {
	l.state.Store(laneOver)
	_ = l.conn.Close()
}
