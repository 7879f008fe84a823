package sim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"worlds/journal"
	"worlds/testscripts"
	"worlds/twin/world"
)

// Violation is one place where what must be true of any run is not. No scenario can
// expect one.
type Violation struct {
	World  string `json:"world,omitempty"`
	ID     string `json:"id"` // of the invariant, or replay.…
	Seq    int64  `json:"seq,omitempty"`
	Object string `json:"object,omitempty"`
	Detail string `json:"detail"`
}

func (v Violation) String() string {
	words := []string{v.ID}
	if v.Seq > 0 {
		words = append(words, fmt.Sprintf("#%d", v.Seq))
	}
	if v.Object != "" {
		words = append(words, v.Object)
	}
	return strings.Join(append(words, v.Detail), " ")
}

// The ways in which a cold start from the journal can fail.
const (
	ReplayDiverged = "replay.diverged"         // it cannot follow its own history
	ReplayShort    = "replay.short"            // it ends before the history does
	ReplayResponse = "replay.response-differs" // a request is answered otherwise
	ReplayStatus   = "replay.status-differs"   // with another status
	ReplayState    = "replay.state-differs"    // it ends in another state
	ReplayEntry    = "replay.entry-differs"    // it makes another entry
	ReplayVersion  = "replay.version-refused"  // it is of other rules
	ReplayBudget   = "replay.budget"           // it takes too long
)

// What a play itself holds the server to.
const (
	LifeBegun       = "reset.life-begun" // what began before a reset is not executed after it
	LogDurable      = "log.durable"      // nobody is answered before a sync
	LogAcknowledged = "log.acknowledged" // what was answered stands in the journal
)

// end is called when the script is over, or has stopped.
func (p *play) end(r *testscripts.Rig, failed bool) error {
	p.rig, p.fatal = r, failed
	if r.Server() == nil {
		p.result.Outcome = p.outcome()
		return nil
	}
	p.comeToRest(failed)
	p.mendDisk()
	p.closeStreams()
	p.result.Pending = p.pending()
	p.result.Outcome = p.outcome()
	if !p.unwind() {
		p.problem("what was under way has not come to its end: %s", standingText(p.sched.standings()))
		return nil
	}
	p.judge()
	return nil
}

// comeToRest lets go who is still held and takes what is left.
func (p *play) comeToRest(failed bool) {
	for _, it := range slices.Clone(p.sched.items) {
		if it.hold == nil {
			continue
		}
		if !failed {
			p.problem("the script ended while %s was held at %s (%s)", it.writer, it.at.Point, it.title)
		}
		p.sched.unhold(it)
	}
	for _, w := range p.watches {
		if w.hit != nil {
			continue
		}
		if failed {
			p.problem("the script never finished: waiting for %s %s", w.handle, w.target())
		} else {
			p.problem("armed and never reached: %s", strings.TrimSpace(w.handle+" "+w.target()))
		}
	}
	p.watches = nil
	if p.sched.stopped == nil {
		if err := p.sched.settle(); err != nil && p.sched.stopped == nil {
			p.problem("%v", err)
		}
	}
}

// unwind lets everything go and waits for it.
func (p *play) unwind() bool {
	if len(p.sched.items) == 0 && p.sched.stopped == nil {
		return true
	}
	p.sched.release()
	return p.sched.joined()
}

func (p *play) outcome() string {
	switch {
	case isBudget(p.sched.stopped):
		return Exceeded
	case p.fatal:
		return Failed
	case len(p.result.Pending) > 0:
		return Stalled
	}
	return Settled
}

// pending names what waits and will not come by itself.
func (p *play) pending() []string {
	var out []string
	for _, it := range p.sched.items {
		out = append(out, it.standing().String())
	}
	if len(out) > 0 || p.sched.stopped != nil {
		return out
	}
	for _, pl := range p.sched.places {
		if pl.gone {
			continue
		}
		for _, d := range p.sched.dues(pl) {
			text := fmt.Sprintf("delivery %s %s to %s", pl.names.text(d.Event), d.Type, pl.names.text(d.Endpoint))
			switch {
			case d.At > pl.now:
				text += " due " + offset((d.At-pl.epoch)*secondMS)
			case d.Now:
				text += " due, and nobody delivers"
			default:
				text += " held back"
			}
			out = append(out, text)
		}
		if v, err := pl.world.View(context.Background()); err == nil {
			if n := v.State.CountDue(v.State.Now()); n > 0 {
				out = append(out, fmt.Sprintf("renewals_pending %d", n))
			}
		}
	}
	return out
}

// judge holds the worlds to what must be true of any run.
func (p *play) judge() {
	names, worlds := p.rig.Worlds()
	p.result.Replay = "ok"
	for i, w := range worlds {
		if err := p.judgeWorld(names[i], w); err != nil {
			p.problem("world %s cannot be judged: %v", names[i], err)
		}
	}
	if p.opt.light || p.opt.bare || len(p.result.Violations) > 0 || p.fatal {
		return
	}
	for i, w := range worlds {
		reset := func(ctx context.Context) error { return p.rig.Reset(ctx, names[i]) }
		if err := testscripts.Law(w, p.rig.Server().Host.Catalogs(), reset); err != nil {
			p.violate(names[i], Violation{ID: "law", Detail: err.Error()})
		}
	}
}

func (p *play) violate(name string, v Violation) {
	if len(p.sched.places) > 1 {
		v.World = name
	}
	for _, pl := range p.sched.places {
		if pl.name == name {
			v.Object, v.Detail = pl.names.text(v.Object), pl.names.text(v.Detail)
		}
	}
	p.result.Violations = append(p.result.Violations, v)
}

func (p *play) judgeWorld(name string, w *world.World) error {
	v, err := w.View(context.Background())
	if err != nil {
		return err
	}
	p.result.Worlds = append(p.result.Worlds, Final{World: name, Seq: int64(v.Seq), Head: v.Hash.String(), DumpHash: world.DumpHash(v.State), fork: w.Base() != nil})
	p.result.Entries += int64(v.Seq)
	if p.opt.bare {
		return nil
	}
	var entries []*journal.Entry
	err = w.History(v, func(e *journal.Entry) error {
		kept := *e
		entries = append(entries, &kept)
		return nil
	})
	if err != nil {
		return err
	}
	p.acknowledged(p.sched.place(w), name, entries)
	for _, rule := range v.State.Rules() {
		if rule.Acted == 0 {
			p.problem("the fault rule %s of world %s never acted", rule.ID, name)
		}
	}
	g, err := w.Genesis()
	if err != nil {
		return err
	}
	found, err := testscripts.Invariants(context.Background(), w, g, v, entries)
	if err != nil {
		return err
	}
	for _, one := range found {
		p.violate(name, Violation{ID: one.ID, Seq: one.Seq, Object: one.Object, Detail: one.Detail})
	}
	if p.opt.Judge != nil {
		for _, one := range p.opt.Judge(name, w) {
			p.violate(name, one)
		}
	}
	for _, mode := range []world.Mode{world.Fold, world.Redecide} {
		report, _ := world.Replay(mode, g, p.budgeted(entries), p.rig.Server().Host.Catalogs(), nil)
		if bad := replayed(report, v, w); bad != nil {
			p.result.Replay = "MISMATCH"
			p.violate(name, *bad)
		}
	}
	return nil
}

// errReplayBudget ends a replay that takes too long.
var errReplayBudget = errors.New("the replay took longer than a scenario may")

// budgeted yields entries for at most the scenario's wall budget.
func (p *play) budgeted(entries []*journal.Entry) world.Entries {
	began := now()
	return func(yield func(*journal.Entry, error) bool) {
		for _, e := range entries {
			if since(began) > p.limits.Wall {
				yield(nil, errReplayBudget)
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// replayed names what a cold start found, nil if nothing.
func replayed(r *world.Report, live world.View, w *world.World) *Violation {
	bad := &Violation{Seq: r.Seq, Detail: strings.TrimSpace(fmt.Sprintf("%s: %s %s", r.Mode, r.Failure, r.Detail))}
	for _, c := range r.Changes {
		bad.Detail += fmt.Sprintf("; %s was %.80s, is %.80s", c.Part, c.Recorded, c.Replayed)
	}
	switch r.Failure {
	case "":
		switch {
		case w.Base() == nil && r.Entries < int64(live.Seq):
			bad.ID, bad.Detail = ReplayShort, fmt.Sprintf("%s: %d entries of %d", r.Mode, r.Entries, live.Seq)
		case r.DumpHash != world.DumpHash(live.State):
			bad.ID, bad.Detail = ReplayState, string(r.Mode)+": the dump differs from the live one"
		case r.Head != live.Hash.String():
			bad.ID, bad.Detail = ReplayEntry, string(r.Mode)+": the head differs from the live one"
		default:
			return nil
		}
	case world.FailReply:
		bad.ID = ReplayResponse
		if slices.ContainsFunc(r.Changes, func(c world.Difference) bool { return c.Part == "reply.status" }) {
			bad.ID = ReplayStatus
		}
	case world.FailFacts, world.FailHead:
		bad.ID = ReplayEntry
	case world.FailState, world.FailClock:
		bad.ID = ReplayState
	case world.FailRules:
		bad.ID = ReplayVersion
	case world.FailShort:
		bad.ID = ReplayShort
	default:
		bad.ID = ReplayDiverged
		if strings.Contains(r.Detail, errReplayBudget.Error()) {
			bad.ID = ReplayBudget
		}
	}
	return bad
}

// finishResult puts together what came of the play.
func (p *play) finishResult(log string, ok bool) *Result {
	r := &p.result
	if r.Outcome == "" {
		r.Outcome = Failed
	}
	if !ok {
		r.Log = log
		if failure := scriptFailure(log); failure != "" && !isBudget(p.sched.stopped) {
			p.problem("%s", failure)
		}
	}
	if isBudget(p.sched.stopped) && p.expected != Exceeded {
		p.problem("%v", p.sched.stopped)
	}
	if r.Expected = p.expected; r.Outcome != p.expected && r.Outcome != Failed && r.Outcome != Exceeded {
		p.problem("the outcome is %s, not %s%s", r.Outcome, p.expected, because(r.Pending))
	} else if r.Outcome == Failed && len(r.Problems) == 0 {
		p.problem("the script did not come to its end")
	}
	for _, want := range p.hashes {
		if !slices.ContainsFunc(r.Worlds, func(f Final) bool { return f.DumpHash == want }) {
			p.problem("no world ends in the dump %s", want)
		}
	}
	r.Trace, r.Writers, r.Deliveries, r.Calls = p.trace, p.writers, p.sched.attempts, p.ordinal
	for _, pl := range p.sched.places {
		r.Events += pl.events
		r.VirtualMS = max(r.VirtualMS, (pl.now-pl.epoch)*secondMS+p.sched.millis)
	}
	for _, v := range r.Violations {
		p.line(Line{Kind: KindFail, Text: v.String(), Seq: 0}, nil)
	}
	r.Trace = p.trace
	r.WallMS = since(p.began).Milliseconds()
	r.Reds = len(r.Problems) + len(r.Violations)
	r.Passed = r.Reds == 0
	r.taken = p.sched.taken
	if p.sched.choose != nil {
		r.Schedule, r.Writing = p.sched.schedule()
	}
	return r
}

func because(pending []string) string {
	if len(pending) == 0 {
		return ""
	}
	return ": " + strings.Join(pending, "; ")
}

// scriptFailure finds the line at which a script stopped.
func scriptFailure(log string) string {
	at := strings.LastIndex(log, "FAIL: ")
	if at < 0 {
		return strings.TrimSpace(log)
	}
	text := strings.TrimSpace(log[at+len("FAIL: "):])
	if i := strings.LastIndex(text, ".txtar:"); i >= 0 && !strings.Contains(text[:i], "\n") {
		text = "line " + text[i+len(".txtar:"):]
	}
	return text
}
