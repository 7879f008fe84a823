package sim

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"worlds/journal"
	"worlds/journal/canon"
	"worlds/testscripts"
	"worlds/twin"
	"worlds/twin/world"
)

// withholding hides the next change from the next reads.
type withholding struct {
	writer string
	world  *world.World
	seq    int64 // of the hidden change, 0 until it has come
	left   int
}

// Fences.
const (
	fenceOn    = "on"
	fenceCount = "count"
)

// changes takes down what an entry changed.
func (p *play) changes(pl *place, it *item, writer string, at *world.Passing, t taken) {
	if !at.Answer.Changed {
		return
	}
	seq := int64(at.Answer.Seq)
	pl.changes = append(pl.changes, changeBy{seq: seq, writer: it.writer, types: append(t.events, it.title, opText(at, p.rows))})
	if h := p.hidden; h != nil && h.seq == 0 && at.Command.API != "admin" {
		h.seq, h.world = seq, at.World
		p.warn("%s's #%d is withheld from the next reads", writer, seq)
	}
}

// readStale lets a read be answered from before a change that is withheld.
func (p *play) readStale(it *item, req *http.Request) {
	h := p.hidden
	if h == nil || h.seq == 0 || h.left == 0 || !it.agent || req.Method != http.MethodGet || it.world != h.world || !answersTo(it.writer, h.writer) {
		return
	}
	h.left--
	it.stale = h.seq
	req.Header.Set("Worlds-At", strconv.FormatInt(h.seq-1, 10))
	if h.left == 0 {
		p.hidden = nil
	}
}

// fenced is the verdict of the fence over a write that is about to take its place.
func (p *play) fenced(it *item) error {
	if p.fence == "" || it.at.Command == nil || it.at.Command.Method == http.MethodGet {
		return nil
	}
	seen, read := p.seen[it.writer]
	if !read {
		return nil
	}
	if list := p.short[it.writer]; p.fence == fenceCount && list != "" {
		it.refused = &PreconditionFailedError{Writer: it.writer, Seen: seen, Short: list}
		return it.refused
	}
	pl := p.sched.place(it.at.World)
	for i := len(pl.changes) - 1; i >= 0 && pl.changes[i].seq > seen; i-- {
		if by := pl.changes[i]; by.writer != it.writer {
			it.refused = &PreconditionFailedError{Writer: it.writer, Seen: seen, Newest: by.seq, By: by.writer}
			return it.refused
		}
	}
	return nil
}

// readShort notes which list a writer has read only in part; reading it from the
// start, or to its end, makes that good.
func (p *play) readShort(it *item) {
	method, path := splitRoute(it.title)
	if method != http.MethodGet || it.answer.Status >= firstRefusal {
		return
	}
	list, _, _ := strings.Cut(path, "?")
	more, _ := it.answer.Holds(".has_more", "true")
	switch {
	case more:
		p.short[it.writer] = list
	case p.short[it.writer] == list:
		delete(p.short, it.writer)
	}
}

// orderInject enqueues a fault. It stands at one point, so that it is for the order
// of the permits when it happens.
func orderInject(p *play, _ *testscript.TestScript, args []string) error {
	if p.rig.World() == nil {
		return errors.New("there is no world; begin with: world new SEED")
	}
	if len(args) != 1 {
		return usage("inject drain|disk")
	}
	var happen func(context.Context, *world.World) error
	switch args[0] {
	case "drain":
		happen = func(context.Context, *world.World) error {
			p.loseClaims()
			return nil
		}
	case "disk":
		happen = p.failDisk
	default:
		return usage("inject drain|disk")
	}
	w := p.rig.World()
	cmd := &twin.Command{Actor: faultWriter, API: "admin", Op: args[0]}
	p.sched.enqueue(&item{writer: faultWriter, title: "inject " + args[0], world: w, due: p.sched.place(w).now,
		run: func(ctx context.Context) (testscripts.Answer, error) {
			if err := seam(ctx, &world.Passing{Point: world.Produced, World: w, Command: cmd}); err != nil {
				return testscripts.Answer{}, err
			}
			return testscripts.Answer{}, happen(context.Background(), w)
		}})
	return nil
}

// failDisk lets the next write of the journal fail. What was answered before is
// written first.
func (p *play) failDisk(ctx context.Context, w *world.World) error {
	_, err := w.View(ctx)
	p.stage.struck.Store(true)
	p.stage.failing.Store(true)
	p.warn("the next write of the journal fails")
	return err
}

// mendDisk ends what failDisk began, once everything that waits to be written was
// tried.
func (p *play) mendDisk() {
	if !p.stage.struck.Load() {
		return
	}
	for _, pl := range p.sched.places {
		if pl.world == nil {
			continue
		}
		if _, err := pl.world.View(context.Background()); err != nil {
			p.warn("what was answered is lost: %v", err)
		}
	}
	p.stage.failing.Store(false)
}

// oneLife holds an operation to the life of its world in which it began: what a
// reset has overtaken must not be executed after it.
func (p *play) oneLife(pl *place, it *item, at *world.Passing) {
	switch {
	case it.writer == scriptWriter, it.writer == faultWriter:
	case at.Point == world.Claimed, at.Point == world.Produced && it.row == 0:
		it.life = pl.life
	case at.Point == world.Committed && at.Answer != nil && it.life != pl.life:
		p.violate(pl.name, Violation{ID: LifeBegun, Seq: int64(at.Answer.Seq), Detail: it.writer + " " + opText(at, p.rows) + " was executed after the reset that it began before"})
	}
}

// answered is a change that somebody was told of.
type answered struct {
	seq   journal.Seq
	what  string
	facts string
}

func joined(facts []canon.Raw) string {
	var out strings.Builder
	for _, f := range facts {
		out.Write(f)
	}
	return out.String()
}

// acknowledged holds the journal of a world to the answers that were given about it.
func (p *play) acknowledged(pl *place, name string, entries []*journal.Entry) {
	for _, a := range pl.answered {
		facts := ""
		if i := slices.IndexFunc(entries, func(e *journal.Entry) bool { return e.Seq == a.seq }); i >= 0 {
			if frame, err := journal.ParseBody(entries[i].Body); err == nil {
				facts = joined(frame.Facts)
			}
		}
		if facts != a.facts {
			p.violate(name, Violation{ID: LogAcknowledged, Seq: int64(a.seq), Detail: a.what + " was answered, and the journal does not have it"})
		}
	}
}
