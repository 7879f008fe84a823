package serve

import (
	"bytes"
	"net"
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

type conn struct {
	net.Conn
	catalog *twin.Catalog
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
