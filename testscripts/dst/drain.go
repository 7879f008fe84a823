package dst

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"worlds/journal"
	"worlds/journal/canon"
	"worlds/projection"
	"worlds/testscripts/dst/model"
	"worlds/twin/world"
)

// drainMax is in how many passes a world must come to rest once nothing fails.
const drainMax = 24

// drain heals everything that was broken and lets every world come to rest.
func (r *run) drain() *Failure {
	r.post.heal()
	for _, s := range r.spaces {
		for _, rule := range s.view.State.Rules() {
			op := r.gen.act(s, "DELETE", "/scenarios/"+rule.ID, "")
			op.Route = "DELETE /scenarios/{rule}"
			if f := r.apply(&op); f != nil {
				return f
			}
		}
		if f := r.rest(s); f != nil {
			return f
		}
	}
	return nil
}

// rest flushes until nothing is on its way, moving the clock to where the next attempt
// is due.
func (r *run) rest(s *space) *Failure {
	for range drainMax {
		op := r.gen.act(s, "POST", "/webhooks/flush", "")
		if f := r.apply(&op); f != nil {
			return f
		}
		due, n := waiting(s)
		if n == 0 {
			return nil
		}
		r.count("passes", 1)
		if due > s.view.State.Now() {
			op = r.gen.act(s, "POST", "/clock/advance", `{"to":`+strconv.FormatInt(due, 10)+`}`)
			if f := r.apply(&op); f != nil {
				return f
			}
		}
	}
	due, n := waiting(s)
	return failed("liveness.quiesce", "world %d did not quiesce in %d passes: %d deliveries wait, the last for %d", s.index, drainMax, n, due)
}

// waiting counts the deliveries that can still be made, and says until when the
// longest of them waits.
func waiting(s *space) (due int64, n int) {
	st := s.view.State
	for _, d := range st.PendingDeliveries() {
		if row := st.Get("stripe.webhook_endpoint", d.Endpoint); row != nil && textOf(row.Body, "status") == "disabled" {
			continue // its rows wait until it is enabled
		}
		due = max(due, d.Due)
		n++
	}
	return due, n
}

// agree holds every world, at rest, to what all its readers must agree on.
func (r *run) agree() *Failure {
	var f *Failure
	if r.metrics.Digest, f = r.digest(); f != nil {
		return f
	}
	for _, s := range r.spaces {
		for _, law := range [...]func(*run, *space) *Failure{
			(*run).books, (*run).replays, (*run).dumps, (*run).consumers, (*run).delivered, (*run).exports, (*run).retained, (*run).searched,
		} {
			if f := law(r, s); f != nil {
				f.Detail = fmt.Sprintf("world %d: %s", s.index, f.Detail)
				return f
			}
		}
	}
	return nil
}

// books: the rows are those of a second fold, the references resolve, the sums balance.
func (r *run) books(s *space) *Failure {
	return s.judgeRows()
}

// history is the entries of a world's life, of which each is read once.
func (s *space) history() ([]*journal.Entry, error) {
	add := func(e *journal.Entry) error {
		kept := *e
		s.past = append(s.past, &kept)
		return nil
	}
	n := len(s.past)
	if n > 0 && s.pastInc == s.view.Inc {
		err := s.world.EntriesOf(s.view, s.past[n-1].Seq+1, s.view.Seq, add)
		return s.past, err
	}
	s.past, s.pastInc = nil, s.view.Inc
	err := s.world.History(s.view, add)
	return s.past, err
}

// replays: a fold of the journal, or its re-decision, ends in the live state; the
// worlds of a run take turns.
func (r *run) replays(s *space) *Failure {
	entries, err := s.history()
	if err != nil {
		return failed("journal.history", "%v", err)
	}
	g, err := s.world.Genesis()
	if err != nil {
		return failed("journal.history", "%v", err)
	}
	want := world.DumpHash(s.view.State)
	mode, property := world.Redecide, "replay.re-decide"
	if (r.seed+uint64(s.index))%2 == 0 {
		mode, property = world.Fold, "replay.fold"
	}
	report, _ := world.Replay(mode, g, each(entries), s.engine.host.Catalogs(), nil)
	switch {
	case !report.Valid:
		return failed(property, "%s at #%d: %s %v", report.Failure, report.Seq, report.Detail, report.Changes)
	case report.DumpHash != want, report.Head != s.view.Hash.String():
		return failed(property, "the replay ends elsewhere")
	}
	return nil
}

func each(list []*journal.Entry) world.Entries {
	return func(yield func(*journal.Entry, error) bool) {
		for _, e := range list {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// dumps: the dump is that of the state, under its hash, and the models have the same.
func (r *run) dumps(s *space) *Failure {
	answer := s.get("/dump", nil, nil)
	dump, want := bytes.TrimSpace(answer.body), world.DumpHash(s.view.State)
	if answer.status != 200 || answer.header.Get("Worlds-Dump-SHA256") != want {
		return failed("dump.hash", "the dump is answered %d with the hash %s, not %s", answer.status, answer.header.Get("Worlds-Dump-SHA256"), want)
	}
	if sum := sha256.Sum256(dump); hex.EncodeToString(sum[:]) != want {
		return failed("dump.hash", "the dump under the hash %s has %x", want, sum)
	}
	for _, o := range r.spaces {
		if o != s && containsMark(answer.body, o.mark) {
			return failed("worlds.apart", "the dump holds a text of world %d", o.index)
		}
	}
	for _, api := range models {
		r.count(countWorlds+api, 1)
		m := s.theory[api]
		if m == nil {
			continue
		}
		diffs, known := m.graph(dump)
		if len(diffs) > 0 {
			return failed("model.graph", "%s: %v", api, diffs)
		}
		if known {
			r.count(countWhole+api, 1)
		}
	}
	return nil
}

// consumers: what the consumers gathered is what the world's event log holds.
func (r *run) consumers(s *space) *Failure {
	if f := s.delta.follow(1<<30, nil); f != nil {
		return f
	}
	n := 0
	for e := range s.view.State.OldestEvents(0) {
		if n >= len(s.delta.seen) || s.delta.seen[n] != e.ID {
			return failed("consumer.delta", "event %d of the consumer is not %s; it has %d", n, e.ID, len(s.delta.seen))
		}
		n++
	}
	if n != len(s.delta.seen) {
		return failed("consumer.delta", "the consumer has %d events, and there are %d", len(s.delta.seen), n)
	}
	return r.relist(s, nil)
}

// delivered: every event that was to be delivered has come, every attempt that was
// made stands in the ledger, and an event came with the same bytes each time.
func (r *run) delivered(s *space) *Failure {
	s.post.mu.Lock()
	defer s.post.mu.Unlock()
	for _, name := range []string{operatorBox, agentBox} {
		b := s.post.boxes[s.mark+"/"+name]
		if b == nil {
			continue
		}
		for _, l := range b.letters {
			if l.answer == endChanged {
				return failed("delivery.same-bytes", "event %s came to %s with other bytes: %s", l.event, name, s.post.changed)
			}
		}
	}
	for d := range s.view.State.OldestDeliveries(0) {
		if f := s.ledgered(d); f != nil {
			return f
		}
	}
	return nil
}

// ledgered holds one row of the delivery ledger to what its listener saw. The caller
// holds the post's lock.
func (s *space) ledgered(d *projection.Delivery) *Failure {
	name := operatorBox
	if d.Endpoint != "endpoint:1" {
		name = agentBox
	}
	b := s.post.box(s.mark + "/" + name)
	switch {
	case d.Status == projection.Delivered && !b.read[d.Event]:
		return failed("delivery.phantom", "the ledger says that %s was delivered to %s, which never got it", d.Event, d.Endpoint)
	case d.Status == projection.Pending && name == operatorBox:
		return failed("delivery.at-least-once", "%s still waits for %s", d.Event, d.Endpoint)
	case d.Attempts > 0 && d.Status == projection.Delivered && b.tries[d.Event] == 0:
		return failed("delivery.phantom", "the ledger counts attempts of %s that nobody made", d.Event)
	}
	return nil
}

// exports: a world exported as a seed and made again exports as the same. The worlds
// take turns.
func (r *run) exports(s *space) *Failure {
	if uint64(s.index) != r.seed/2%uint64(len(r.spaces)) {
		return nil
	}
	first := s.get("/export-seed", nil, nil)
	if first.status != 200 {
		return failed("export.refused", "%d %s", first.status, first.body)
	}
	canonical, err := canon.Canonicalize(first.body)
	if err != nil {
		return failed("export.refused", "%v", err)
	}
	doc, _ := canon.Get(canonical, "seed")
	again, f := r.reexport(s, doc)
	if f != nil {
		return f
	}
	if string(again) != string(doc) {
		one, _ := model.Parse(doc)
		two, _ := model.Parse(again)
		return failed("export.round-trip", "%v", model.Compare(one, two, model.NewNames(nil)))
	}
	return nil
}

// searched: what is searched in an order comes in it.
func (r *run) searched(s *space) *Failure {
	var last int64
	answer := s.send(&Op{API: apiZendesk, Method: http.MethodGet, Path: "/api/v2/search",
		Params: []pair{{Name: "query", Value: "type:ticket"}, {Name: "sort_by", Value: "created_at"}, {Name: "sort_order", Value: "asc"}}})
	found, err := model.Parse(answer.body)
	if answer.status != http.StatusOK || err != nil {
		return failed("search.refused", "%d %s", answer.status, answer.body)
	}
	for _, t := range found.Get("results").List {
		at, err := time.Parse(time.RFC3339, t.Get("created_at").Text)
		if err != nil || at.Unix() < last {
			return failed("search.order", "sorted by created_at, upwards, %s comes behind %d", t.Get("created_at"), last)
		}
		last = at.Unix()
	}
	if err := s.refresh(); err != nil {
		return failed("worlds.view", "%v", err)
	}
	return nil
}

// view reads a world that the harness made by the way.
func viewOf(w *world.World) (world.View, error) { return w.View(context.Background()) }
