package dst

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"worlds/projection"
)

// reader is a consumer that goes on behind the last event it worked on.
type reader struct {
	s    *space
	at   string   // id of the last event worked on, as the stream gives it
	seen []string // event ids, in the order in which it worked on them
}

func newReader(s *space) *reader { return &reader{s: s} }

// streamWait bounds how long a stream may be silent while there is something to say.
const streamWait = 10 * time.Second

// streamed is one event of a stream.
type streamed struct{ at, name, data string }

// wire is the answer of a stream as it comes.
type wire struct {
	header http.Header
	mu     sync.Mutex
	came   *sync.Cond
	buf    []byte
	ended  bool
}

func newWire() *wire {
	w := &wire{header: http.Header{}}
	w.came = sync.NewCond(&w.mu)
	return w
}

func (w *wire) Header() http.Header              { return w.header }
func (w *wire) WriteHeader(int)                  {}
func (w *wire) Flush()                           {}
func (w *wire) SetWriteDeadline(time.Time) error { return nil }

func (w *wire) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.buf = append(w.buf, b...)
	w.came.Broadcast()
	return len(b), nil
}

func (w *wire) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	w.came.Broadcast()
}

// next waits for one whole event.
func (w *wire) next() (streamed, bool) {
	timer := time.AfterFunc(streamWait, w.end) //worlds:boundary how long a stream may be silent
	defer timer.Stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		if block, rest, ok := bytes.Cut(w.buf, []byte("\n\n")); ok {
			w.buf = rest
			if e := parseStreamed(string(block)); e.name != "" {
				return e, true
			}
			continue
		}
		if w.ended {
			return streamed{}, false
		}
		w.came.Wait()
	}
}

func parseStreamed(block string) (e streamed) {
	for _, line := range strings.Split(block, "\n") {
		name, value, _ := strings.Cut(line, ": ")
		switch name {
		case "id":
			e.at = value
		case "event":
			e.name = value
		case "data":
			e.data = value
		}
	}
	return e
}

// follow reads the stream from where the reader stands up to the world's last event,
// of which it works on at most some; between is called after the first.
func (d *reader) follow(most int, between func() *Failure) *Failure {
	s := d.s
	want := s.view.State.Events()
	number := numberOf(d.at)
	if number >= want {
		if between == nil {
			return nil
		}
		if f := between(); f != nil {
			return f
		}
		want, between = s.view.State.Events(), nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	w, done := newWire(), make(chan struct{})
	r := request{method: http.MethodGet, path: "/admin/worlds/" + s.info.ID + "/stream/events",
		header: http.Header{"Authorization": {"Bearer " + s.info.AdminToken}}}
	if d.at != "" {
		r.header.Set("Last-Event-ID", d.at)
	}
	go func() {
		defer close(done)
		s.engine.handler.ServeHTTP(w, r.http(ctx))
		w.end()
	}()
	defer func() {
		cancel()
		<-done
	}()
	for n := 0; number < want && n < most; n++ {
		e, ok := w.next()
		if !ok {
			return failed("stream.gap", "behind %q the stream is silent at event %d of %d", d.at, number, want)
		}
		if f := d.work(e, number+1); f != nil {
			return f
		}
		number++
		if n == 0 && between != nil {
			if f := between(); f != nil {
				return f
			}
			want = s.view.State.Events()
		}
	}
	return nil
}

// numberOf is the number in a stream's position.
func numberOf(at string) uint64 {
	_, tail, _ := strings.Cut(at, "-")
	n, _ := strconv.ParseUint(tail, 10, 64)
	return n
}

// work takes one event of the stream.
func (d *reader) work(e streamed, number uint64) *Failure {
	row := eventAt(d.s.view.State, number)
	want := fmt.Sprintf("%d-%d", d.s.view.Inc, number)
	switch {
	case e.name != "event" || e.at != want:
		return failed("stream.order", "the stream sent %s %s where event %s comes", e.name, e.at, want)
	case row == nil:
		return failed("stream.phantom", "the stream sent event %s, which the world does not have", e.at)
	}
	var told struct {
		Event struct {
			ID json.RawMessage `json:"id"`
		} `json:"event"`
	}
	if err := json.Unmarshal([]byte(e.data), &told); err != nil || !strings.Contains(string(told.Event.ID), row.ID) {
		return failed("stream.content", "event %s is %s, and the stream sent %s", e.at, row.ID, e.data)
	}
	d.at = e.at
	d.seen = append(d.seen, row.ID)
	return nil
}

// eventAt is the event of a number.
func eventAt(st *projection.State, number uint64) *projection.EventRow {
	for e := range st.OldestEvents(number - 1) {
		return e
	}
	return nil
}
