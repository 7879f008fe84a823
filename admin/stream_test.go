package admin_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"worlds/admin"
)

// must is a request of a twin that must be answered 200.
func (r *rig) must(secret, method, path, form string) answer {
	r.t.Helper()
	a := r.stripe(secret, method, path, form)
	if a.status != 200 {
		r.t.Fatalf("%s %s: %d %s", method, path, a.status, a.body)
	}
	return a
}

// message is one server-sent event.
type message struct{ id, event, data string }

// reader is one subscriber of a stream.
type reader struct {
	t      *testing.T
	body   *bufio.Scanner
	cancel context.CancelFunc
}

// listen opens a stream; last is the id of the last message seen, "" for none.
func (r *rig) listen(path, token, last string) *reader {
	r.t.Helper()
	ctx, cancel := context.WithCancel(r.t.Context())
	req, err := http.NewRequestWithContext(ctx, "GET", r.http.URL+path, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	res, err := r.client.Do(req)
	if err != nil || res.StatusCode != 200 {
		r.t.Fatal(res, err)
	}
	s := bufio.NewScanner(res.Body)
	s.Buffer(nil, 4<<20)
	return &reader{t: r.t, body: s, cancel: func() { cancel(); res.Body.Close() }}
}

// next is the next message; ok is false once the connection has ended.
func (r *reader) next() (m message, ok bool) {
	for r.body.Scan() {
		line := r.body.Text()
		name, value, _ := strings.Cut(line, ": ")
		switch name {
		case "id":
			m.id = value
		case "event":
			m.event = value
		case "data":
			m.data = value
		case "":
			if m.id != "" {
				return m, true
			}
		}
	}
	return m, false
}

// await is next for a message that must come.
func (r *reader) await() message {
	r.t.Helper()
	watch := time.AfterFunc(10*time.Second, r.cancel)
	defer watch.Stop()
	m, ok := r.next()
	if !ok {
		r.t.Fatal("the stream ended")
	}
	return m
}

func TestStreamPositions(t *testing.T) {
	r := newRig(t, admin.Options{Open: true})
	w := r.create(`{"seed":"saas-billing-small"}`)
	journal := "/admin/worlds/" + w.ID + "/stream/journal"
	for _, name := range []string{"A", "B", "C"} {
		r.must(w.Keys[0].Secret, "POST", "/v1/customers", "name="+name)
	}
	for _, row := range []struct{ query, last, want string }{
		{"", "", "1-1 entry"},
		{"?after=2", "", "1-3 entry"},
		{"?after=1-2", "", "1-3 entry"},
		{"?after=1-1", "1-2", "1-3 entry"},
		{"?after=1-2", "1-1", "1-3 entry"},
		{"?after=0", "1-2", "1-3 entry"},
		{"?actor=admin", "", "1-5 entry"},
		{"", "7-1", "1-0 reset"}, // a life that this world has not had
	} {
		s := r.listen(journal+row.query, w.AdminToken, row.last)
		if row.query == "?actor=admin" {
			r.must(w.Keys[0].Secret, "POST", "/v1/customers", "name=D")
			r.want(201, "", "POST", "/admin/worlds/"+w.ID+"/marks", w.AdminToken, `{"name":"m"}`)
		}
		if m := s.await(); m.id+" "+m.event != row.want {
			t.Errorf("%q after %q begins with %s %s, want %s", row.query, row.last, m.id, m.event, row.want)
		}
		s.cancel()
	}
	events := "/admin/worlds/" + w.ID + "/stream/events"
	second := r.want(200, "", "GET", "/admin/worlds/"+w.ID+"/events?after=1&limit=1", w.AdminToken, "").body
	_, object, _ := strings.Cut(string(second), `"id":"cus_`)
	object = "cus_" + object[:strings.IndexByte(object, '"')]
	for _, row := range []struct{ query, want string }{
		{"", "1-1 event"},
		{"?after=1", "1-2 event"},
		{"?object=" + object, "1-2 event"},
		{"?type=customer.*", "1-1 event"},
		{"?type=nothing.*", ""},
	} {
		s := r.listen(events+row.query, w.AdminToken, "")
		if row.want == "" {
			time.AfterFunc(streamWait, s.cancel)
			if m, ok := s.next(); ok {
				t.Errorf("%q got %v", row.query, m)
			}
			continue
		}
		if m := s.await(); m.id+" "+m.event != row.want {
			t.Errorf("%q begins with %s %s, want %s", row.query, m.id, m.event, row.want)
		}
		s.cancel()
	}
	for _, bad := range []string{"x", "1-", "-1", "1-2-3", "1-99999999999999999999"} {
		r.want(400, "invalid-parameter", "GET", journal+"?after="+bad, w.AdminToken, "")
	}
	r.want(400, "unknown-parameter", "GET", journal+"?type=x", w.AdminToken, "")
}

// Over broken connections, restarts and resets a subscriber sees every number of
// every life once, in order: up to where it was when the life ended, and the last
// life to its end.
func TestStreamSeesEverythingOnce(t *testing.T) {
	r := newRig(t, admin.Options{Open: true})
	w := r.create(`{"seed":"saas-billing-small"}`)
	path := "/admin/worlds/" + w.ID
	random := rand.New(rand.NewPCG(1, 2))
	life, number := 1, 0 // the last seen
	last := "1-0"
	var s *reader
	// take reads until that position, breaking the connection off now and then.
	take := func(toLife, toNumber int) {
		t.Helper()
		for life < toLife || number < toNumber {
			if s == nil {
				s = r.listen(path+"/stream/journal", w.AdminToken, last)
			}
			m := s.await()
			head, tail, _ := strings.Cut(m.id, "-")
			inc, _ := strconv.Atoi(head)
			seq, _ := strconv.Atoi(tail)
			switch {
			case m.event == "reset" && inc > life && seq == 0:
			case m.event == "entry" && inc == life && seq == number+1:
			default:
				t.Fatalf("after %d-%d came %s %s", life, number, m.event, m.id)
			}
			life, number, last = inc, seq, m.id
			if random.IntN(4) == 0 {
				s.cancel()
				s = nil
			}
		}
	}
	seq, inc := 0, 1
	for round := range 60 {
		for range random.IntN(4) {
			if random.IntN(2) == 0 {
				r.must(w.Keys[0].Secret, "GET", "/v1/customers", "limit=1")
			} else {
				r.must(w.Keys[0].Secret, "POST", "/v1/customers", fmt.Sprintf("name=N%d", round))
			}
			seq++
		}
		switch random.IntN(10) {
		case 0:
			r.want(200, "", "POST", path+"/reset", w.AdminToken, "")
			seq, inc = 0, inc+1
		case 1:
			if s != nil {
				s.cancel()
				s = nil
			}
			r.restart()
		case 2, 3, 4:
			take(inc, seq)
		}
	}
	take(inc, seq)
	if s != nil {
		s.cancel()
	}
}

// A reader that takes nothing holds up neither the world nor the server's end.
func TestStreamOfASlowReader(t *testing.T) {
	r := newRig(t, admin.Options{Open: true})
	w := r.create(`{"seed":"saas-billing-small"}`)
	stalled := r.begin("GET", "/admin/worlds/"+w.ID+"/stream/journal", w.AdminToken)
	defer stalled.Body.Close()
	for i := range 50 {
		r.must(w.Keys[0].Secret, "POST", "/v1/customers", fmt.Sprintf("name=N%d&description=%s", i, strings.Repeat("x", 300)))
	}
	r.admin.EndStreams()
	if n, err := drain(stalled.Body); err != nil || n == 0 {
		t.Errorf("the stream ended with %v after %d bytes", err, n)
	}
	r.admin.EndStreams() // once more is nothing
}
