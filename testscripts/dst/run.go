package dst

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"worlds/twin"
)

// run is one simulation.
type run struct {
	ctx      context.Context
	cfg      Config
	seed     uint64
	rand     *Rand
	luck     swarm
	engine   *engine
	post     *post
	spaces   []*space
	gen      *generator
	phase    string
	metrics  Metrics
	coverage *Coverage
	history  []Op
	depth    int                          // of operations in the middle of others
	round    int                          // of the schedule
	done     map[string]bool              // routes that had a success in the setup
	out      io.Writer                    // of WORLDS_DST_DEBUG
	told     func(*space, *step) *Failure // of every step; a property more
}

// Result is what came of one run.
type Result struct {
	Seed     uint64
	Metrics  Metrics
	Failure  *Failure // nil: nothing was found
	History  []Op     // everything that was done
	Coverage *Coverage
	Idle     error // the run passed, and has done too little to count
}

// one does the run of a seed on an engine. A panic is a failure like another.
func one(ctx context.Context, e *engine, cfg Config, seed uint64, out io.Writer) (result *Result) {
	r := newRun(ctx, e, cfg, seed, out)
	result = &Result{Seed: seed, Coverage: r.coverage}
	defer func() {
		if p := recover(); p != nil {
			result.Failure = failed("harness.panic", "%v\n%s", p, debug.Stack())
		}
		r.end(result)
	}()
	if result.Failure = r.setup(); result.Failure != nil {
		return result
	}
	if result.Failure = r.schedule(); result.Failure == nil {
		result.Failure = r.finish()
	}
	return result
}

// finish lets the worlds come to rest and judges what they then are.
func (r *run) finish() *Failure {
	r.phase = phaseDrain
	if f := r.drain(); f != nil {
		return f
	}
	if f := r.agree(); f != nil {
		return f
	}
	return r.laws()
}

func newRun(ctx context.Context, e *engine, cfg Config, seed uint64, out io.Writer) *run {
	r := &run{ctx: ctx, cfg: cfg, seed: seed, rand: NewRand(seed), engine: e, phase: phaseSetup, coverage: NewCoverage(), done: map[string]bool{}, out: out}
	r.luck = drawSwarm(r.rand.Fork("swarm"))
	r.gen = &generator{rand: r.rand.Fork("operations"), luck: r.luck, used: map[int][]Op{}, courses: map[int]*course{}, keep: r.judged(),
		skip: func() { r.count(countSkipped, 1) }}
	r.metrics = Metrics{Seed: seed, Rounds: cfg.Rounds, Profile: cfg.profile(seed), Width: cfg.Width, Delivery: cfg.Delivery, Rules: twin.Rules,
		Topology: "worlds apart", Swarm: r.luck, Counters: map[string]int64{}, Routes: map[string]int64{}}
	return r
}

// end writes what the run came to.
func (r *run) end(result *Result) {
	r.engine.net.use(nil)
	result.History = r.history
	r.metrics.Result = "pass"
	switch {
	case result.Failure != nil:
		r.metrics.Result = result.Failure.Property
		r.count(countOracle, 1)
	default:
		result.Idle = r.metrics.gates(mandatory(), r.done)
	}
	r.metrics.judge()
	result.Metrics = r.metrics
}

// setup makes the worlds and, where the profile says so, populates them.
func (r *run) setup() *Failure {
	if f := r.worlds(); f != nil {
		return f
	}
	if r.metrics.Profile == Populated {
		for _, s := range r.spaces {
			if f := r.populate(s); f != nil {
				return f
			}
		}
	}
	return nil
}

func (r *run) worlds() *Failure {
	r.post = newPost(r.seed, r.luck)
	r.engine.net.use(r.post)
	for i := range r.cfg.Width {
		doc, err := seedOf(r.metrics.Profile, r.seed, i)
		if err != nil {
			return failed("harness.seed", "%v", err)
		}
		s, err := newSpace(r.engine, i, doc, r.post)
		if err != nil {
			return failed("harness.world", "%v", err)
		}
		s.asked = r.cfg.Models
		if s.theory, err = theories(doc, s.asked); err != nil {
			return failed("harness.model", "%v", err)
		}
		r.metrics.Seeds = append(r.metrics.Seeds, s.info.Seed.Hash)
		r.spaces = append(r.spaces, s)
	}
	return r.meet()
}

// meet asks each help desk who the principal is: a model learns ids from answers.
func (r *run) meet() *Failure {
	for _, s := range r.spaces {
		op := Op{N: -1, Space: s.index, API: apiZendesk, Method: "GET", Path: "/api/v2/users/me", Route: "GET /api/v2/users/me", Aim: aimSound}
		if f := r.step(s, &op); f != nil {
			f.Op = &op
			return f
		}
	}
	return nil
}

// schedule does the rounds: in each, one operation on every world, in an order of the
// seed's, and what the adversary has in mind.
func (r *run) schedule() *Failure {
	r.phase = phaseScheduled
	turns := r.rand.Fork("turns")
	for range r.cfg.Rounds {
		for _, i := range turns.Perm(len(r.spaces)) {
			for _, op := range r.turn(r.spaces[i]) {
				if f := r.chain(r.spaces[i], &op); f != nil {
					return f
				}
			}
		}
		r.post.round()
		r.round++
	}
	if r.cfg.Rounds < longRounds {
		return nil
	}
	return r.makeUp()
}

// makeUpMax is how often it is tried to make up for what luck left out. An attempt to
// deliver ends well more often than not, and rules act seldom.
const makeUpMax = 40

// makeUp does what every long run must have done, where luck has left it out: see gates.
func (r *run) makeUp() *Failure {
	for n := range makeUpMax {
		s := r.spaces[n%len(r.spaces)]
		ops := r.leftOut(s)
		if len(ops) == 0 {
			return nil
		}
		r.post.fall(s.mark, operatorBox, 0)
		for i := range ops {
			if f := r.apply(&ops[i]); f != nil {
				return f
			}
		}
	}
	return nil
}

// leftOut is what a world can do about what the run has not done yet.
func (r *run) leftOut(s *space) (ops []Op) {
	g := r.gen
	lacks := func(name string) bool { return r.metrics.counted(phaseScheduled, name) == 0 }
	change := func() Op { return (&story{g: g, s: s}).op("stripe POST /v1/customers", "name={mark}") }
	for _, act := range []struct{ count, name string }{{countPages, actPages}, {countCuts, actDump}} {
		if lacks(act.count) {
			op := g.own(s, act.name, 0)
			op.Inject = []Op{change()}
			ops = append(ops, op)
		}
	}
	if lacks(countRepeated) {
		ops = append(ops, change(), g.act(s, "POST", "/webhooks/flush", ""), g.resend(s))
	}
	if r.cfg.Delivery == Delta && lacks(countPartial) {
		ops = append(ops, g.own(s, actDelta, 1), change(), g.own(s, actDelta, 1))
	}
	return ops
}

// chain does an operation and, where it began a job, looks at the job: until somebody
// has, nobody knows the ids of what it made.
func (r *run) chain(s *space, op *Op) *Failure {
	if f := r.apply(op); f != nil {
		return f
	}
	for k, m := range s.made[op.N] {
		if m.table != "zendesk.job" {
			continue
		}
		look := Op{N: r.gen.number(), Space: s.index, API: apiZendesk, Method: "GET", Route: "GET /api/v2/job_statuses/{id}",
			Path: "/api/v2/job_statuses/" + symbol(op.N, k), Aim: aimSound}
		return r.apply(&look)
	}
	return nil
}

// turn is what happens to one world in one round.
func (r *run) turn(s *space) []Op {
	g := r.gen
	var ops []Op
	if g.rand.Of(r.luck.Down) {
		ops = append(ops, g.own(s, actDown, 1+g.rand.N(downMax)))
	}
	if g.rand.Of(r.luck.Inject) {
		op := g.own(s, pick(g.rand, cuts), 0)
		for range 2 + g.rand.N(2) {
			inner := g.request(s)
			inner.Space = s.index
			op.Inject = append(op.Inject, inner)
		}
		ops = append(ops, op)
	} else {
		ops = append(ops, g.next(s))
	}
	if g.rand.Of(r.luck.Resend) {
		ops = append(ops, g.resend(s))
	}
	if g.rand.Of(r.luck.Flush) {
		ops = append(ops, g.act(s, "POST", "/webhooks/flush", ""))
	}
	if g.rand.Of(r.luck.Poll) {
		name := actFull
		if r.cfg.Delivery == Delta {
			name = actDelta
		}
		ops = append(ops, g.own(s, name, pick(g.rand, []int{1, 3, 1000})))
	}
	return ops
}

// Apply does one operation of a history and judges it; scripted tests take the same
// way as generated ones.
func (r *run) apply(op *Op) *Failure {
	if r.depth == 0 && r.phase != phaseDrain { // what is injected stands in its operation
		op.Round = r.round
		r.history = append(r.history, *op)
	}
	r.depth++
	defer func() { r.depth-- }()
	r.count(countAttempted, 1)
	s := r.spaces[op.Space]
	var f *Failure
	if op.API == apiAct {
		f = r.perform(s, op)
	} else {
		f = r.step(s, op)
	}
	if f != nil && f.Op == nil {
		f.Op = op
	}
	return f
}

// step sends one operation and judges what came of it.
func (r *run) step(s *space, op *Op) *Failure {
	t := &step{op: s.resolved(*op)}
	r.metrics.Routes[op.API+" "+op.Route]++
	attempts, repeats, failures := r.post.tally()
	t.answer = s.send(&t.op)
	now, again, broken := r.post.tally()
	r.count("deliveries", now-attempts)
	r.count(countRepeated, again-repeats)
	r.count("deliveries.failed", broken-failures)
	var err error
	if t.before, t.diff, err = s.look(); err != nil {
		return failed("worlds.view", "%v", err)
	}
	t.after = s.view
	if t.before.Inc != t.after.Inc {
		s.checker = nil
	}
	f := s.judge()
	t.rule, t.logged = s.rule, t.after.Seq > t.before.Seq
	r.account(t)
	r.cover(s, t)
	r.debug(s, t)
	s.follow(t)
	if r.told != nil {
		if f := r.told(s, t); f != nil {
			return f
		}
	}
	if f != nil {
		return f
	}
	if f := r.check(s, t); f != nil {
		return f
	}
	if f := r.predict(s, t); f != nil {
		return f
	}
	if t.before.Inc != t.after.Inc {
		return s.restart()
	}
	s.note(op.N, t.diff, t.after.State)
	r.acknowledge(s, t)
	return nil
}

// account counts what came of a step.
func (r *run) account(t *step) {
	switch {
	case t.answer.cut || t.answer.status >= 400:
		r.count(countRejected, 1)
	case t.after.Hash != t.before.Hash && t.op.Method != "GET":
		r.count(countCommitted, 1)
		if r.phase == phaseSetup {
			r.done[t.op.API+" "+t.op.Route] = true
		}
	}
	if len(t.diff.Events) > 0 {
		r.count("events", len(t.diff.Events))
	}
}

// follow keeps what the harness knows of keys up to date.
func (s *space) follow(t *step) {
	if t.op.API != apiAdmin || t.answer.status >= 300 {
		return
	}
	switch {
	case t.op.Method == "POST" && t.op.Path == "/keys":
		s.keys[member(t.answer.body, "label")] = member(t.answer.body, "secret")
	case t.op.Method == "DELETE" && strings.HasPrefix(t.op.Path, "/keys/"):
		delete(s.keys, strings.TrimPrefix(t.op.Path, "/keys/"))
	case t.op.Path == "/fork":
		s.forks++
	}
}

// digest is what the journals of the run's worlds come to.
func (r *run) digest() (string, *Failure) {
	sum := sha256.New()
	for _, s := range r.spaces {
		answer := s.get("/journal/export", nil, nil)
		if answer.status != 200 {
			return "", failed("journal.export", "%d %s", answer.status, answer.body)
		}
		sum.Write(answer.body)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// debug prints an operation that touches what WORLDS_DST_DEBUG names: an id or the
// beginning of one, or evt: and a type of events.
func (r *run) debug(s *space, t *step) {
	if r.cfg.Debug == "" || r.out == nil {
		return
	}
	for _, word := range strings.Split(r.cfg.Debug, ",") {
		if t.touches(word) {
			fmt.Fprintf(r.out, "w%d entry %d %s → %s\n", s.index, t.after.Seq, &t.op, statusOf(&t.answer))
			return
		}
	}
}

func (t *step) touches(word string) bool {
	if typ, ok := strings.CutPrefix(word, "evt:"); ok {
		for _, e := range t.diff.Events {
			if twin.MatchType(typ, e.Type) {
				return true
			}
		}
		return false
	}
	for _, c := range changesOf(t) {
		if strings.HasPrefix(c.id, word) || strings.HasSuffix(c.table, "."+word) {
			return true
		}
	}
	return strings.Contains(t.op.Path, word)
}
