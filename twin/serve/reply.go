package serve

import (
	"bufio"
	"errors"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// reply is the http.ResponseWriter of a lane. It keeps what it is given until the
// handler has returned, and sends that in one piece.
type reply struct {
	lane     *lane
	header   http.Header
	status   int    // 0 until it is known
	out      []byte // room for the head, then the body
	buffer   *[]byte
	hijacked bool
	last     bool // the connection is closed after it
}

// headRoom is what the head of an answer needs, as a rule.
const headRoom = 1 << 10

var replies = newBuffers()

func (w *reply) begin() {
	if w.header == nil {
		w.header = http.Header{}
	}
	clear(w.header)
	w.buffer = replies.Get().(*[]byte)
	w.out = slices.Grow((*w.buffer)[:0], headRoom)[:headRoom]
	w.status, w.last = 0, false
}

// end gives the buffer back.
func (w *reply) end() {
	if cap(w.out) <= bufferKeepMax {
		*w.buffer = w.out[:0]
		replies.Put(w.buffer)
	}
	w.buffer, w.out = nil, nil
}

// Header implements http.ResponseWriter.
func (w *reply) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *reply) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

// Write implements http.ResponseWriter.
func (w *reply) Write(p []byte) (int, error) {
	if w.hijacked {
		return 0, http.ErrHijacked
	}
	w.WriteHeader(http.StatusOK)
	if !bodied(w.status) {
		return 0, http.ErrBodyNotAllowed
	}
	w.out = append(w.out, p...)
	return len(p), nil
}

// bodied reports whether an answer of this status has a body.
func bodied(status int) bool {
	return status >= 200 && status != http.StatusNoContent && status != http.StatusNotModified
}

// Hijack implements http.Hijacker.
func (w *reply) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	if w.hijacked {
		return nil, nil, http.ErrHijacked
	}
	if w.status != 0 {
		return nil, nil, errors.New("the answer has begun")
	}
	w.hijacked = true
	c := w.lane.conn
	_ = c.SetReadDeadline(time.Time{})
	return c, bufio.NewReadWriter(bufio.NewReader(c), bufio.NewWriter(c)), nil
}

// send writes the answer to the connection.
func (w *reply) send() error {
	w.WriteHeader(http.StatusOK)
	body := w.out[headRoom:]
	w.header.Del("Content-Length")
	var room [headRoom]byte
	head := append(room[:0], "HTTP/1.1 "...)
	head = strconv.AppendInt(head, int64(w.status), 10)
	head = append(append(append(head, ' '), http.StatusText(w.status)...), "\r\n"...)
	head = w.appendHeader(head)
	if bodied(w.status) {
		head = append(head, "Content-Length: "...)
		head = append(strconv.AppendInt(head, int64(len(body)), 10), "\r\n"...)
	}
	if w.header["Date"] == nil {
		head = append(append(append(head, "Date: "...), date()...), "\r\n"...)
	}
	w.last = w.last || w.lane.server.ending.Load()
	if w.last {
		head = append(head, "Connection: close\r\n"...)
	}
	head = append(head, "\r\n"...)
	all := w.out
	if len(head) <= headRoom {
		all = all[headRoom-len(head):]
		copy(all, head)
	} else {
		all = append(head, body...)
	}
	_, err := w.lane.conn.Write(all)
	return err
}

// appendHeader appends what the handler set, by name. Its Connection is for send to
// write.
func (w *reply) appendHeader(dst []byte) []byte {
	var room [16]string
	names := room[:0]
	for name := range w.header {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		for _, value := range w.header[name] {
			if name == "Connection" {
				w.last = w.last || strings.EqualFold(value, "close")
				continue
			}
			dst = append(append(append(dst, name...), ": "...), oneLine.Replace(value)...)
			dst = append(dst, "\r\n"...)
		}
	}
	return dst
}

// oneLine keeps a value from being read as several.
var oneLine = strings.NewReplacer("\r", " ", "\n", " ")

// dated is a second as a Date header shows it.
type dated struct {
	unix int64
	text string
}

var lastDate atomic.Pointer[dated]

// date is now, for a Date header.
func date() string {
	now := time.Now()
	d := lastDate.Load()
	if d == nil || d.unix != now.Unix() {
		d = &dated{now.Unix(), now.UTC().Format(http.TimeFormat)}
		lastDate.Store(d)
	}
	return d.text
}
