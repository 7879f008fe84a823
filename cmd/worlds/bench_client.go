package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
)

// benchClient is one keep-alive connection. It knows as much of HTTP as the
// measured servers speak, so that it costs little beside them.
type benchClient struct {
	conn   net.Conn
	in     *bufio.Reader
	host   string
	number int          // sets its idempotency keys apart
	spread []benchWorld // the worlds it takes turns in
	world  *benchWorld  // the one whose turn it is
	posts  int
	text   []byte // of a request
	body   []byte // of the last answer, as much as is kept
}

func dialBench(addr string, number int, spread []benchWorld) (*benchClient, error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	c := &benchClient{conn: conn, in: bufio.NewReaderSize(conn, 64<<10), host: addr, number: number, spread: spread}
	c.turn(0)
	return c, nil
}

func (c *benchClient) close() { _ = c.conn.Close() }

// turn moves the client on to its n-th world, so that many worlds are worked in by
// few connections.
func (c *benchClient) turn(n int) {
	if len(c.spread) > 0 {
		c.world = &c.spread[(c.number+n)%len(c.spread)]
	}
}

func (c *benchClient) request(method, path, token string) {
	c.text = append(append(append(c.text[:0], method...), ' '), path...)
	c.text = append(append(c.text, " HTTP/1.1\r\nHost: "...), c.host...)
	if token != "" {
		c.text = append(append(c.text, "\r\nAuthorization: Bearer "...), token...)
	}
}

// get writes a request of a twin's.
func (c *benchClient) get(path string) {
	c.request("GET", path, c.world.key)
	c.text = append(c.text, "\r\n\r\n"...)
}

// post has an idempotency key, as every SDK sends one.
func (c *benchClient) post(path, form string) {
	c.posts++
	c.request("POST", path, c.world.key)
	c.text = append(c.text, "\r\nContent-Type: application/x-www-form-urlencoded\r\nIdempotency-Key: bench-"...)
	c.text = append(strconv.AppendInt(c.text, int64(c.number), 10), '-')
	c.text = strconv.AppendInt(c.text, int64(c.posts), 10)
	c.tail(form)
}

func (c *benchClient) tail(body string) {
	c.text = append(c.text, "\r\nContent-Length: "...)
	c.text = append(strconv.AppendInt(c.text, int64(len(body)), 10), "\r\n\r\n"...)
	c.text = append(c.text, body...)
}

// operate sends one request of an operator's, which must succeed.
func (c *benchClient) operate(method, path, token, body string) error {
	c.request(method, path, token)
	c.tail(body)
	status, err := c.send()
	if err == nil && status/100 != 2 {
		err = fmt.Errorf("%s %s: status %d: %.300s", method, path, status, c.body)
	}
	return err
}

// send sends the request that was written and reads its answer into body.
func (c *benchClient) send() (status int, err error) {
	if _, err := c.conn.Write(c.text); err != nil {
		return 0, err
	}
	c.body = c.body[:0]
	length, chunked := 0, false
	for {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			break
		}
		name, value, _ := bytes.Cut(line, []byte(": "))
		switch {
		case bytes.HasPrefix(line, []byte("HTTP/1.1 ")) && len(line) >= 12:
			if status, err = strconv.Atoi(string(line[9:12])); err != nil {
				return 0, err
			}
		case bytes.EqualFold(name, []byte("Content-Length")):
			if length, err = strconv.Atoi(string(value)); err != nil {
				return 0, err
			}
		case bytes.EqualFold(name, []byte("Transfer-Encoding")):
			chunked = true
		}
	}
	for chunked {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		n, err := strconv.ParseInt(string(bytes.TrimRight(line, "\r\n")), 16, 32)
		if err != nil {
			return 0, err
		}
		if err := c.read(int(n)); err != nil {
			return 0, err
		}
		if _, err := c.in.ReadSlice('\n'); err != nil || n == 0 {
			return status, err
		}
	}
	return status, c.read(length)
}

// bodyKept is how much of a body a client keeps: the memory for a dump would take it
// longer to find than a server takes to make the dump.
const bodyKept = 64 << 10

// read reads n more bytes of a body.
func (c *benchClient) read(n int) error {
	at := len(c.body)
	kept := min(n, bodyKept-at)
	c.body = slices.Grow(c.body, kept)[:at+kept]
	if _, err := io.ReadFull(c.in, c.body[at:]); err != nil {
		return err
	}
	_, err := c.in.Discard(n - kept)
	return err
}
