package dst

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"time"

	"worlds/projection"
)

// perform does an act of the harness itself.
func (r *run) perform(s *space, op *Op) *Failure {
	switch op.Route {
	case actDown:
		s.post.fall(s.mark, operatorBox, op.Count)
		r.count("listener.down", 1)
	case actFull:
		return r.relist(s, op.Inject)
	case actDelta:
		return r.poll(s, op.Count)
	case actCross:
		return r.cross(s)
	case actTwoSSE:
		return s.delta.follow(1<<30, func() *Failure { return r.inject(op.Inject, "cut") })
	case actPages:
		return r.relist(s, op.Inject)
	case actDump:
		return r.cut(s, op, "/dump")
	case actDiff:
		return r.cut(s, op, "/diff")
	case actExport:
		return r.cut(s, op, "/journal/export")
	}
	return nil
}

// inject does operations in the middle of another.
func (r *run) inject(ops []Op, kind string) *Failure {
	if len(ops) > 0 {
		r.count("interleavings."+kind, 1)
	}
	for i := range ops {
		committed := r.metrics.Counters[r.phase+"."+countCommitted]
		if f := r.apply(&ops[i]); f != nil {
			return f
		}
		r.count(interleaved+kind, int(r.metrics.Counters[r.phase+"."+countCommitted]-committed))
	}
	return nil
}

// poll lets the delta consumer go on: by the stream, for so many events at most, after
// which it breaks off and will come back behind the last it worked on.
func (r *run) poll(s *space, most int) *Failure {
	before, behind := len(s.delta.seen), s.view.State.Events()-numberOf(s.delta.at)
	f := s.delta.follow(most, nil)
	fresh := len(s.delta.seen) - before
	r.count("polls", 1)
	r.count("polls.delivered", fresh)
	switch {
	case fresh == 0:
		r.count("polls.empty", 1)
	case before > 0 && uint64(fresh) < s.view.State.Events():
		r.count(countPartial, 1)
	}
	if f == nil && uint64(fresh) < min(behind, uint64(most)) {
		return failed("stream.gap", "a poll got %d of %d events", fresh, behind)
	}
	return f
}

// Sizes of the pages in which everything is listed: small at first, for there to be
// pages that something can happen between.
const (
	relistFirst = 7
	relistLater = 100
)

// relist lists everything, page by page, newest first; operations happen after the
// first page. What was there at the beginning and is not deleted comes exactly once.
func (r *run) relist(s *space, inject []Op) *Failure {
	at := s.view.State
	var got []string
	after := ""
	for page := 0; ; page++ {
		limit := relistFirst
		if page > 1 {
			limit = relistLater
		}
		params := []pair{{Name: "limit", Value: strconv.Itoa(limit)}}
		if after != "" {
			params = append(params, pair{Name: "starting_after", Value: after})
		}
		answer := s.send(&Op{API: apiStripe, Method: http.MethodGet, Path: "/v1/events", Params: params})
		ids, more, ok := idsOf(answer.body)
		if err := s.refresh(); err != nil {
			return failed("worlds.view", "%v", err)
		}
		if answer.status >= 400 || answer.cut {
			if ruled(at, s.view.State) || len(at.Rules()) > 0 {
				r.count("polls.faulted", 1)
				return nil
			}
			return failed("list.refused", "page %d of the events was answered %d %s", page, answer.status, answer.body)
		}
		if !ok {
			return failed("list.unreadable", "%s", answer.body)
		}
		got = append(got, ids...)
		if page == 0 {
			if f := r.inject(inject, "page"); f != nil {
				return f
			}
		}
		if !more || len(ids) == 0 {
			break
		}
		if after = ids[len(ids)-1]; s.view.State.EventByID(after) == nil {
			return nil // the world was reset between two pages
		}
	}
	r.count("polls.full", 1)
	return listed(at, got)
}

// listed: a list of events is what there was when its first page was read.
func listed(at *projection.State, got []string) *Failure {
	var want []string
	for e := range at.NewestEvents(0) {
		if e.API == apiStripe {
			want = append(want, e.ID)
		}
	}
	if len(got) != len(want) {
		return failed("list.complete", "the pages hold %d events, and there were %d", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			return failed("list.order", "event %d of the pages is %s, and ought to be %s", i, got[i], want[i])
		}
	}
	return nil
}

// idsOf reads the ids of a page as the renderer writes it: two blanks a level, so that
// those of its elements stand at six. Parsing would cost more than all the rest.
func idsOf(body []byte) (ids []string, more, ok bool) {
	if !bytes.Contains(body, []byte("\n  \"object\": \"list\"")) {
		return nil, false, false
	}
	before := []byte("\n      \"id\": \"")
	for rest := body; ; {
		_, after, found := bytes.Cut(rest, before)
		if !found {
			return ids, bytes.Contains(body, []byte("\n  \"has_more\": true")), true
		}
		id, behind, _ := bytes.Cut(after, []byte{'"'})
		ids, rest = append(ids, string(id)), behind
	}
}

// writeWait bounds how long a write may wait for a reader that is slow.
const writeWait = 10 * time.Second

// cut reads something long while operations happen in its middle: it must be what it
// would have been had they happened after it, and hold none of them up.
func (r *run) cut(s *space, op *Op, path string) *Failure {
	var params []pair
	if path == "/diff" {
		params = []pair{{Name: "from", Value: "0"}, {Name: "to", Value: strconv.FormatUint(uint64(s.view.Seq), 10)}}
	}
	plain := s.get(path, params, nil)
	var inside *Failure
	late := false
	cut := s.get(path, params, func() {
		done := make(chan struct{})
		go func() {
			defer close(done)
			inside = r.inject(op.Inject, "cut")
		}()
		timer := time.NewTimer(writeWait) //worlds:boundary how long a write may be held up
		defer timer.Stop()
		select {
		case <-done:
		case <-timer.C:
			late = true
			<-done
		}
	})
	switch {
	case inside != nil:
		return inside
	case late:
		return failed("reader.holds-up", "a write waited for a slow reader of %s", path)
	case cut.status != plain.status || !bytes.Equal(cut.body, plain.body):
		return failed("capture.consistent", "%s with writes in its middle is not what it was without: %d bytes, and %d", path, len(cut.body), len(plain.body))
	}
	r.count("captures", 1)
	return nil
}

// get reads something of the operator's API.
func (s *space) get(path string, params []pair, between func()) response {
	return s.engine.call(request{method: http.MethodGet, path: "/admin/worlds/" + s.info.ID + path, query: formOf(params),
		header: http.Header{"Authorization": {"Bearer " + s.info.AdminToken}}, between: between})
}

// cross tries the credentials of one world on the others: they open nothing, and
// change nothing.
func (r *run) cross(s *space) *Failure {
	for _, o := range r.spaces {
		if o == s {
			continue
		}
		answer := s.engine.call(request{method: http.MethodGet, path: "/admin/worlds/" + o.info.ID + "/dump",
			header: http.Header{"Authorization": {"Bearer " + s.info.AdminToken}}})
		if answer.status != http.StatusUnauthorized {
			return failed("worlds.apart", "the token of world %d opens world %d: %d", s.index, o.index, answer.status)
		}
		v, err := o.world.View(r.ctx)
		if err != nil || v.Seq != o.view.Seq {
			return failed("worlds.apart", "a refused reader moved world %d: %v", o.index, err)
		}
	}
	r.count("cross", 1)
	return nil
}

// refresh reads the world again after reads that are not judged.
func (s *space) refresh() (err error) {
	s.view, err = s.world.View(context.Background())
	return err
}

// ruled reports whether a fault rule acted between two states.
func ruled(before, after *projection.State) bool {
	acted := map[string]int64{}
	for _, rule := range before.Rules() {
		acted[rule.ID] = rule.Acted
	}
	for _, rule := range after.Rules() {
		if rule.Acted > acted[rule.ID] {
			return true
		}
	}
	return false
}
