package serve

import (
	"bytes"
	"errors"
	"net"
	"strconv"
	"sync"

	"worlds/twin"
)

// listener accepts the connections that net/http serves: those that leave their
// lane, and those that never have one.
type listener struct {
	net.Listener
	server *Server
	found  chan accepted
	closed chan struct{}
	once   sync.Once
}

type accepted struct {
	conn net.Conn
	err  error
}

func newListener(l net.Listener, s *Server) net.Listener {
	own := &listener{Listener: l, server: s, found: make(chan accepted), closed: make(chan struct{})}
	go own.accept()
	return own
}

// accept puts each new connection on its way.
func (l *listener) accept() {
	for {
		c, err := l.Listener.Accept()
		if tcp, ok := c.(*net.TCPConn); ok && err == nil {
			go l.run(tcp)
			continue
		}
		if !l.pass(accepted{l.wrap(c, nil), err}) || errors.Is(err, net.ErrClosed) {
			return
		}
	}
}

// run serves a connection in a lane, and passes it on if it leaves that.
func (l *listener) run(c *net.TCPConn) {
	if head, left := newLane(l.server, c).run(); left {
		l.pass(accepted{l.wrap(c, head), nil})
	}
}

func (l *listener) wrap(c net.Conn, head []byte) net.Conn {
	if c == nil {
		return nil
	}
	return &conn{Conn: c, head: head, catalog: l.server.catalogs[0]}
}

// pass gives a connection to net/http, or closes it if that takes no more.
func (l *listener) pass(a accepted) bool {
	select {
	case l.found <- a:
		return true
	case <-l.closed:
		if a.conn != nil {
			_ = a.conn.Close()
		}
		return false
	}
}

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	select {
	case a := <-l.found:
		return a.conn, a.err
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (l *listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// conn answers in JSON what net/http refuses by itself, before any handler: a
// request it cannot read, headers over the limit.
type conn struct {
	net.Conn
	head    []byte // was read before
	catalog *twin.Catalog
}

// Read implements io.Reader.
func (c *conn) Read(p []byte) (int, error) {
	if len(c.head) == 0 {
		return c.Conn.Read(p)
	}
	n := copy(p, c.head)
	c.head = c.head[n:]
	return n, nil
}

// net/http writes its own refusals in one piece: the status line, these headers
// and a sentence.
var (
	refusalStart   = []byte("HTTP/1.1 ")
	refusalHeaders = []byte("\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n")
)

// Write implements io.Writer.
func (c *conn) Write(p []byte) (int, error) {
	end := -1
	if bytes.HasPrefix(p, refusalStart) {
		end = bytes.IndexByte(p, '\r')
	}
	if end < 0 || !bytes.HasPrefix(p[end:], refusalHeaders) {
		return c.Conn.Write(p)
	}
	if _, err := c.Conn.Write(c.reworded(p[:end])); err != nil {
		return 0, err
	}
	return len(p), nil
}

// reworded is a refusal of net/http in the API's shape.
func (c *conn) reworded(line []byte) []byte {
	status, reason, _ := bytes.Cut(line[len(refusalStart):], []byte(" "))
	code, _ := strconv.ParseInt(string(status), 10, 64)
	e := c.catalog.Wire.Transport(code, "The request could not be read: "+text(string(reason))+".")
	body := c.catalog.Wire.Render(nil, e.Body, "")
	out := append(bytes.Clone(line), "\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: "...)
	out = strconv.AppendInt(out, int64(len(body)), 10)
	return append(append(out, "\r\n\r\n"...), body...)
}

// SetLinger sets what closing the connection does with unsent data, where the
// transport knows that.
func (c *conn) SetLinger(seconds int) error {
	if l, ok := c.Conn.(interface{ SetLinger(int) error }); ok {
		return l.SetLinger(seconds)
	}
	return nil
}
