package serve

import (
	"bytes"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"strconv"

	"worlds/twin"
)

// NewListener returns a listener whose connections answer in JSON what net/http
// refuses by itself, before any handler: a request it cannot read, headers over
// the limit. Such a request has no path yet, so they are worded by one API.
func NewListener(l net.Listener, c *twin.Catalog) net.Listener {
	return &listener{Listener: l, catalog: c}
}

type listener struct {
	net.Listener
	catalog *twin.Catalog
}

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &conn{Conn: c, catalog: l.catalog}, nil
}

// conn is a connection of a listener. It also sees to it that a large answer goes out
// in one piece: net/http writes the first 4 KiB of it by themselves.
type conn struct {
	net.Conn
	catalog *twin.Catalog
	expect  int    // what is written is held until it is more than so many bytes
	held    []byte // room is kept
	pieces  net.Buffers
	two     [2][]byte // room of pieces
}

// connKey finds the conn of a request in its context.
type connKey struct{}

// withConn is for http.Server.ConnContext.
func withConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// secure reports whether a request came over TLS, which a conn hides from net/http.
func secure(r *http.Request) bool {
	c, ok := r.Context().Value(connKey{}).(*conn)
	if ok {
		_, ok = c.Conn.(*tls.Conn)
	}
	return ok || r.TLS != nil
}

// hold says that an answer with a body of n bytes is about to be written.
func hold(r *http.Request, n int) {
	if n < heldBytesMin || r.Method == http.MethodHead {
		return
	}
	if c, ok := r.Context().Value(connKey{}).(*conn); ok {
		c.expect = n
	}
}

// heldBytesMin is what net/http collects before it writes.
const heldBytesMin = 4 << 10

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
		return c.write(p)
	}
	if _, err := c.Conn.Write(c.reworded(p[:end])); err != nil {
		return 0, err
	}
	return len(p), nil
}

// write writes what is held and p, or holds p too.
func (c *conn) write(p []byte) (int, error) {
	if c.expect >= len(c.held)+len(p) {
		c.held = append(c.held, p...)
		return len(p), nil
	}
	c.expect = 0
	if len(c.held) == 0 {
		return c.Conn.Write(p)
	}
	c.two = [2][]byte{c.held, p}
	c.pieces = c.two[:]
	_, err := c.pieces.WriteTo(c.Conn)
	c.two, c.held = [2][]byte{}, c.held[:0]
	if err != nil {
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
