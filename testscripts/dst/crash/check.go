package crash

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"worlds/admin"
	"worlds/journal"
	"worlds/projection"
	"worlds/testscripts"
	"worlds/testscripts/invariant"
	"worlds/twin"
	"worlds/twin/world"
)

// check holds what a server found to the laws, and settles what was under way.
func (r *runner) check(ctx context.Context) error {
	r.hear()
	ids, err := r.listed(ctx)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	left := r.worlds[:0]
	for _, l := range r.worlds {
		known[l.info.ID] = true
		switch there := slices.Contains(ids, l.info.ID); {
		case !there && !l.deleted:
			return fmt.Errorf("world %s is not there", l.info.ID)
		case !there:
			r.report.Completed++
			continue
		case l.deleted:
			r.report.Undone++
			l.deleted = false
		}
		left = append(left, l)
		if err := r.checkWorld(ctx, l); err != nil {
			return fmt.Errorf("world %s: %w", l.info.ID, err)
		}
	}
	r.worlds = left
	for _, id := range ids {
		if known[id] {
			continue
		}
		// Its making was under way, or answered: it is whole, and of no more use.
		r.report.Completed++
		if _, err := r.remade(ctx, id); err != nil {
			return fmt.Errorf("world %s, whose making was under way: %w", id, err)
		}
		if err := r.admin(ctx, "DELETE", "/worlds/"+id, "", nil); err != nil {
			return err
		}
	}
	return nil
}

func (r *runner) checkWorld(ctx context.Context, l *ledger) error {
	st, err := r.remade(ctx, l.info.ID)
	if err != nil {
		return err
	}
	there := created(st)
	l.decide(there)
	if missing := l.missing(there); len(missing) > 0 {
		return fmt.Errorf("acknowledged, and not there: %v", missing)
	}
	if n := len(there); n > len(l.acked)+len(l.unknown) {
		return fmt.Errorf("%d objects were made, by %d requests acknowledged and %d under way", n, len(l.acked), len(l.unknown))
	}
	r.report.Happened += len(there) - len(l.acked)
	r.report.Unknown += len(l.unknown)
	if err := r.again(ctx, l); err != nil {
		return err
	}
	return r.resend(ctx, l)
}

// again asks for what was under way once more, and for something that was answered,
// each with its key: all of it has happened once.
func (r *runner) again(ctx context.Context, l *ledger) error {
	for _, a := range l.unknown {
		if err := r.try(ctx, l, a); err != nil {
			return err
		}
	}
	l.acked, l.unknown = append(l.acked, l.unknown...), nil
	if len(l.acked) == 0 {
		return nil
	}
	if err := r.try(ctx, l, l.acked[r.rand.IntN(len(l.acked))]); err != nil {
		return err
	}
	st, err := r.remade(ctx, l.info.ID)
	if err != nil {
		return err
	}
	if n := len(created(st)); n != len(l.acked) {
		return fmt.Errorf("%d requests have made %d objects", len(l.acked), n)
	}
	return nil
}

// hear notes what was delivered before the server died.
func (r *runner) hear() {
	for _, got := range r.listener.Unseen() {
		for _, l := range r.worlds {
			if strings.HasSuffix(got.Path, l.info.ID) {
				l.note(got)
			}
		}
	}
}

func (l *ledger) note(got testscripts.Received) {
	if l.sent == nil {
		l.sent = map[string][]byte{}
	}
	l.sent[got.ID] = got.Body
}

// resend delivers what is pending, and checks that all of it came.
func (r *runner) resend(ctx context.Context, l *ledger) error {
	var list struct{ Deliveries []twin.DeliveryInfo }
	after := int64(0)
	pending := map[string]bool{}
	for {
		if err := r.admin(ctx, "GET", l.path(fmt.Sprintf("/webhooks/deliveries?limit=1000&after=%d", after)), "", &list); err != nil {
			return err
		}
		for _, d := range list.Deliveries {
			after = d.Number
			if d.Status == projection.Pending {
				pending[d.Event] = true
			}
		}
		if len(list.Deliveries) < 1000 {
			break
		}
		list.Deliveries = nil
	}
	if err := r.admin(ctx, "POST", l.path("/quiesce"), "", nil); err != nil {
		return err
	}
	for _, got := range r.listener.Unseen() {
		if !strings.HasSuffix(got.Path, l.info.ID) {
			return fmt.Errorf("event %s was sent to %s while another world was flushed", got.ID, got.Path)
		}
		if !pending[got.ID] {
			return fmt.Errorf("event %s was sent, and was not pending", got.ID)
		}
		delete(pending, got.ID)
		r.report.Resent++
		if before, ok := l.sent[got.ID]; ok {
			if !bytes.Equal(before, got.Body) {
				return fmt.Errorf("event %s was sent again in other bytes:\n%s\n%s", got.ID, before, got.Body)
			}
			r.report.Repeated++
		}
		l.note(got)
	}
	if len(pending) > 0 {
		return fmt.Errorf("%d deliveries were pending and are not sent: %v", len(pending), pending)
	}
	return nil
}

// remade exports a journal and makes the world again from it, by folding and by
// deciding, and compares with what the server says of itself.
func (r *runner) remade(ctx context.Context, id string) (*projection.State, error) {
	var live admin.DumpHash
	var text []byte
	err := r.admin(ctx, "GET", "/worlds/"+id+"/dump/hash", "", &live)
	if err == nil {
		err = r.admin(ctx, "GET", "/worlds/"+id+"/journal/export", "", &text)
	}
	if err != nil {
		return nil, err
	}
	g, list, err := parse(text)
	if err != nil {
		return nil, err
	}
	var st *projection.State
	for _, mode := range []world.Mode{world.Redecide, world.Fold} {
		report, end := world.Replay(mode, g, each(list), testscripts.Catalogs(), nil)
		if !report.Valid || report.DumpHash != live.SHA256 || report.Head != live.Head || report.Entries != live.Seq {
			return nil, fmt.Errorf("%s: %+v, live %+v", mode, report, live)
		}
		st = end
	}
	violations, err := invariant.Check(&g.Entry, each(list), st)
	if err != nil {
		return nil, err
	}
	if len(violations) > 0 {
		return nil, fmt.Errorf("%d violations: %v", len(violations), violations[0])
	}
	return st, nil
}

func parse(text []byte) (*world.Genesis, []*journal.Entry, error) {
	var list []*journal.Entry
	for line := range bytes.Lines(text) {
		e, err := journal.ParseLine(line)
		if err != nil {
			return nil, nil, err
		}
		list = append(list, &e)
	}
	if len(list) == 0 {
		return nil, nil, errors.New("an empty journal")
	}
	g, err := world.ParseGenesis(list[0].Body)
	return g, list[1:], err
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

// created are the ids of what the clients of a run made.
func created(st *projection.State) map[string]bool {
	made := map[string]bool{}
	for e := range st.OldestEvents(0) {
		var object struct{ ID string }
		if e.Type != "customer.created" && e.Type != "refund.created" || json.Unmarshal(e.Object, &object) != nil {
			continue
		}
		made[object.ID] = true
	}
	return made
}
