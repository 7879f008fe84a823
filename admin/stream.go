package admin

import (
	"errors"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"worlds/journal"
	"worlds/journal/canon"
	"worlds/journal/mutant"
	"worlds/projection"
	"worlds/twin"
	"worlds/twin/world"
)

// Limits of a stream.
const (
	streamHeartbeat  = 15 * time.Second // a comment, so that both ends see a dead connection
	streamWriteLimit = 10 * time.Second // a reader that takes longer is dropped; it can resume
)

// stream is one subscriber. Its ids are <incarnation>-<number>: whoever comes back
// with the last one it saw goes on behind it, without gap or duplicate. A reset
// shows as an event "reset"; the numbers then begin again.
type stream struct {
	c     *call
	ctl   *http.ResponseController
	inc   uint64
	after uint64
	buf   []byte
}

var errDropped = errors.New("the reader is gone or too slow")

// startStream reads where the subscriber left off and begins the answer.
func (c *call) startStream() (*stream, error) {
	s := &stream{c: c, ctl: http.NewResponseController(c.w)}
	for _, at := range []string{c.r.Header.Get("Last-Event-ID"), c.r.URL.Query().Get("after")} {
		if at == "" {
			continue
		}
		inc, number, ok := parsePosition(at)
		if !ok {
			return nil, problem(http.StatusBadRequest, "invalid-parameter",
				"a position in a stream is <incarnation>-<number> or <number>, not %q", at).at("?after")
		}
		if inc > s.inc || inc == s.inc && number > s.after {
			if s.inc, s.after = inc, number; mutant.Is("stream-skips") {
				s.after++
			}
		}
	}
	c.serve()
	h := c.w.Header()
	h.Set("Content-Type", eventStream)
	h.Set("Cache-Control", "no-store")
	c.w.WriteHeader(http.StatusOK)
	return s, s.ctl.Flush()
}

func parsePosition(text string) (inc, number uint64, ok bool) {
	head, tail, dashed := strings.Cut(text, "-")
	if !dashed {
		head, tail = "0", text
	}
	inc, err1 := strconv.ParseUint(head, 10, 53)
	number, err2 := strconv.ParseUint(tail, 10, 53)
	return inc, number, err1 == nil && err2 == nil
}

// run sends what is new whenever the world changes, until the reader goes. fresh
// appends what lies behind s.after.
func (s *stream) run(fresh func(world.View) error) error {
	beat := time.NewTicker(streamHeartbeat) //worlds:boundary how often a quiet stream shows that it lives
	defer beat.Stop()
	for {
		changed := s.c.world.Changed()
		v, err := s.c.world.View(s.c.r.Context())
		if err != nil {
			return nil // the world or the reader is gone
		}
		if inc := uint64(v.Inc); inc != s.inc {
			if s.inc != 0 {
				s.event(inc, 0, "reset", canon.Raw(`{}`))
				s.after = 0
			}
			s.inc = inc
		}
		switch err := fresh(v); {
		case errors.Is(err, world.ErrReset):
			continue // the reset is what comes next
		case err != nil:
			return nil
		}
		if s.flush() != nil {
			return nil
		}
		select {
		case <-changed:
		case <-beat.C:
			s.buf = append(s.buf, ": alive\n\n"...)
		case <-s.c.r.Context().Done():
			return nil
		case <-s.c.s.ending:
			return nil // it can resume once the server is back
		}
	}
}

// event appends one event to what will be sent.
func (s *stream) event(inc, number uint64, name string, data canon.Raw) {
	s.buf = append(s.buf, "id: "...)
	s.buf = append(strconv.AppendUint(s.buf, inc, 10), '-')
	s.buf = strconv.AppendUint(s.buf, number, 10)
	s.buf = append(append(s.buf, "\nevent: "...), name...)
	s.buf = append(append(s.buf, "\ndata: "...), data...)
	s.buf = append(s.buf, "\n\n"...)
}

// streamChunkBytes is how much is gathered before it is sent.
const streamChunkBytes = 64 << 10

// next moves the position on and sends once enough has gathered.
func (s *stream) next(number uint64) error {
	if s.after = number; mutant.Is("stream-repeats") {
		s.after--
	}
	if len(s.buf) < streamChunkBytes {
		return nil
	}
	return s.flush()
}

func (s *stream) flush() error {
	if len(s.buf) == 0 {
		return nil
	}
	_ = s.ctl.SetWriteDeadline(time.Now().Add(streamWriteLimit)) //worlds:boundary how long a reader may take
	_, err := s.c.w.Write(s.buf)
	s.buf = s.buf[:0]
	if err == nil {
		err = s.ctl.Flush()
	}
	if err != nil {
		return errDropped
	}
	return nil
}

// streamEvents sends the event log of the world as it grows.
func streamEvents(c *call) error {
	if err := c.checkFilters(); err != nil {
		return err
	}
	s, err := c.startStream()
	if err != nil {
		return err
	}
	q := c.r.URL.Query()
	wants := func(e *projection.EventRow) bool {
		if api := q.Get("api"); api != "" && api != e.API {
			return false
		}
		if object := q.Get("object"); object != "" {
			raw, _ := canon.Get(e.Object, "id")
			if id, _ := canon.Unquote(raw); id != object {
				return false
			}
		}
		pattern := q.Get("type")
		ok, _ := path.Match(pattern, e.Type)
		return pattern == "" || ok
	}
	return s.run(func(v world.View) error {
		for e := range v.State.OldestEvents(s.after) {
			if wants(e) {
				s.event(s.inc, e.Number, "event", c.appendEvent(nil, e))
			}
			if err := s.next(e.Number); err != nil {
				return err
			}
		}
		return nil
	})
}

// checkFilters refuses what no event ever is, of which the stream would be silent.
func (c *call) checkFilters() error {
	q := c.r.URL.Query()
	known := func(catalog *twin.Catalog) bool { return catalog.Name == q.Get("api") }
	if q.Has("api") && !slices.ContainsFunc(c.s.host.Catalogs(), known) {
		return problem(http.StatusBadRequest, "invalid-parameter", "there is no API %q", q.Get("api")).at("?api")
	}
	if _, err := path.Match(q.Get("type"), ""); err != nil {
		return problem(http.StatusBadRequest, "invalid-parameter", "%q is not a pattern", q.Get("type")).at("?type")
	}
	return nil
}

// streamJournal sends the entries of the world as they become durable.
func streamJournal(c *call) error {
	s, err := c.startStream()
	if err != nil {
		return err
	}
	actor := c.r.URL.Query().Get("actor")
	return s.run(func(v world.View) error {
		if journal.Seq(s.after) >= v.Seq {
			return nil
		}
		return c.world.EntriesOf(v, journal.Seq(s.after)+1, v.Seq, func(e *journal.Entry) error {
			if actor == "" || actorOf(e) == actor {
				s.event(s.inc, uint64(e.Seq), "entry", appendEntry(nil, e))
			}
			return s.next(uint64(e.Seq))
		})
	})
}

// actorOf is who an entry's command came from.
func actorOf(e *journal.Entry) string {
	frame, err := journal.ParseBody(e.Body)
	if err != nil {
		return ""
	}
	raw, _ := canon.Get(frame.Command, "actor")
	actor, _ := canon.Unquote(raw)
	return actor
}
