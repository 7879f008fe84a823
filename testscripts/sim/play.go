package sim

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"worlds/journal/store"
	"worlds/testscripts"
	"worlds/twin/world"
)

// Options are for Play and Explore.
type Options struct {
	// Fence, if not nil, is the fence of every scenario, whatever the scenario says.
	Fence *bool
	// Verbose shows attempts on their way in the trace of the result. What scripts see
	// of the trace is the same.
	Verbose bool
	// Update rewrites the golden files in the scenarios.
	Update bool
	// Schedule is an order of permits to follow, "" for the usual one.
	Schedule string
	// Durability is that of the server's journal.
	Durability store.Durability
	// Memory keeps the journal in memory, and not in a folder.
	Memory bool
	// Path is where the worlds command is, for scenarios that run it.
	Path string
	// Wrap stands between the requests and the server; nil for none.
	Wrap func(testscript.T) func(http.Handler) http.Handler
	// Limits replace those that are not 0.
	Limits Limits
	// Judge, if not nil, adds what a world must hold to beside the invariants. It is
	// called at the end of a play, with the world at rest.
	Judge func(name string, w *world.World) []Violation

	stage  *stage
	choose func(*sched) func([]*item) int
	light  bool // judge by the invariants and the replay alone
	bare   bool // do not judge: only the journals' ends are looked at
	orders map[string]order
}

// Limits bound a scenario, the most specific first.
type Limits struct {
	Hold       time.Duration // one permit
	Deliveries int           // attempts
	Logical    time.Duration // from where the clock began
	Wall       time.Duration // the whole scenario
}

// The usual limits.
var usual = Limits{Hold: 5 * time.Second, Deliveries: 200, Logical: 366 * 24 * time.Hour, Wall: 60 * time.Second}

func (l *Limits) fill(with Limits) {
	if with.Hold > 0 {
		l.Hold = with.Hold
	}
	if with.Deliveries > 0 {
		l.Deliveries = with.Deliveries
	}
	if with.Logical > 0 {
		l.Logical = with.Logical
	}
	if with.Wall > 0 {
		l.Wall = with.Wall
	}
}

// Outcomes of a play.
const (
	Settled  = "settled"         // nothing is left to do
	Stalled  = "stalled"         // something waits that will not come
	Exceeded = "budget-exceeded" // a limit ran out
	Failed   = "error"           // the script did not come to its end
)

// Rejection is a request, an operation or an outcome that was refused.
type Rejection struct {
	Writer string `json:"writer"`
	What   string `json:"what"`
	Status int64  `json:"status,omitempty"`
	Code   string `json:"code,omitempty"`
	Text   string `json:"text,omitempty"`
	Seq    int64  `json:"seq,omitempty"`
}

// Final is how a world stood at the end.
type Final struct {
	World    string `json:"world"`
	Seq      int64  `json:"seq"`
	Head     string `json:"head"`
	DumpHash string `json:"dump_hash"`
	fork     bool   // its head also says which number its parent has in the journal
}

// Result is what came of a play. Problems are the scenario's own: a check that does
// not hold, a script that stops; Violations are of what must be true of any run;
// Rejections are what was refused, which is no fault.
type Result struct {
	ID         string            `json:"id"`
	Name       string            `json:"name"`
	Passed     bool              `json:"passed"`
	Outcome    string            `json:"outcome"`
	Expected   string            `json:"expected"`
	Bug        string            `json:"bug,omitempty"`
	Problems   []string          `json:"problems"`
	Violations []Violation       `json:"violations"`
	Rejections []Rejection       `json:"rejections"`
	Pending    []string          `json:"pending"`
	Replay     string            `json:"replay"` // ok, MISMATCH, skipped, not-run
	Trace      []Line            `json:"trace"`
	Writers    []string          `json:"writers"`
	Worlds     []Final           `json:"worlds"`
	Entries    int64             `json:"entries"`
	Events     int               `json:"events"`
	Deliveries int               `json:"deliveries"`
	Calls      int               `json:"calls"` // points passed
	VirtualMS  int64             `json:"virtual_ms"`
	WallMS     int64             `json:"wall_ms"`
	Schedule   string            `json:"schedule,omitempty"`
	Log        string            `json:"log,omitempty"`        // of the script, when it failed
	Conditions []string          `json:"conditions,omitempty"` // fence, withhold
	Reds       int               `json:"reds"`
	Expects    int               `json:"expected_reds"`
	Writing    map[string]string `json:"letters,omitempty"` // who the letters of the schedule are
	taken      []choice
}

// play is one play of a scenario.
type play struct {
	sc     *Scenario
	opt    Options
	limits Limits
	stage  *stage
	rig    *testscripts.Rig
	sched  *sched
	script *item
	began  time.Time
	starts int // of the server

	opening sync.Once

	ordinal   int
	history   []passing
	overflown bool
	watches   []*watch
	marks     map[string]int // ordinals up to which handles are no longer asked about
	during    []*item
	writers   []string
	rows      map[int64]string // rows of ledgers, as traces show them
	seen      map[string]int64 // the position a writer has read up to
	short     map[string]string
	fence     string // "", "on", "count"
	hidden    *withholding
	streams   map[string]*stream

	trace    []Line
	fatal    bool
	expected string
	hashes   []string // expected dump hashes
	result   Result
}

// Play plays a scenario once. It is for any number of goroutines.
func Play(ctx context.Context, sc *Scenario, opt Options) *Result {
	p := newPlay(sc, opt)
	if p.stage == nil {
		p.stage = &stage{}
		defer func() { _ = p.stage.stop() }()
	}
	p.stage.clear()
	if opt.choose != nil {
		p.sched.choose = opt.choose(p.sched)
	} else if opt.Schedule != "" {
		p.sched.choose = p.follow(opt.Schedule)
	}
	if opt.Fence != nil && *opt.Fence {
		p.fence = fenceOn
	}
	p.result = Result{ID: sc.ID, Name: sc.Name, Replay: "not-run", Expects: sc.Reds}
	if opt.Schedule != "" {
		p.result.Expects = 0 // what the book declares is not of this order
	}
	file, clean, err := p.file()
	if err != nil {
		p.problem("%v", err)
		return p.finishResult("", false)
	}
	defer clean()
	dog := p.watchdog(ctx)
	log, ok := testscripts.RunFile(file, opt.Verbose, testscripts.Options{
		Update: opt.Update, Path: opt.Path, Wrap: opt.Wrap, Commands: p.commands(), Start: p.start, Transport: transport{p}, Listen: p.stage.listen, Judge: p.end,
	})
	dog()
	if p.stage.struck.Load() {
		_ = p.stage.stop() // its journal has failed
	}
	return p.finishResult(log, ok)
}

func newPlay(sc *Scenario, opt Options) *play {
	p := &play{
		sc: sc, opt: opt, limits: usual, stage: opt.stage, began: now(), expected: Settled,
		marks: map[string]int{}, rows: map[int64]string{}, seen: map[string]int64{}, short: map[string]string{}, streams: map[string]*stream{},
	}
	p.limits.fill(opt.Limits)
	p.sched = newSched(p)
	p.script = &item{sched: p.sched, writer: scriptWriter, title: "script"}
	return p
}

// file is where the scenario is on disk; one that is explored goes without its
// golden trace, which is that of the usual order.
func (p *play) file() (file string, clean func(), err error) {
	if p.sc.File != "" && p.sched.choose == nil {
		return p.sc.File, func() {}, nil
	}
	dir, err := os.MkdirTemp("", "worlds-sim")
	if err != nil {
		return "", nil, err
	}
	text := p.sc.text
	if p.sched.choose != nil {
		text = withoutGolden(text)
	}
	file = filepath.Join(dir, p.sc.ID+".txtar")
	return file, func() { _ = os.RemoveAll(dir) }, os.WriteFile(file, text, 0o600)
}

// withoutGolden takes out the lines that compare the trace.
func withoutGolden(text []byte) []byte {
	var out []string
	lines := strings.Split(string(text), "\n")
	for i := 0; i < len(lines); i++ {
		if strings.TrimSpace(lines[i]) == "trace" {
			if i+1 < len(lines) && strings.HasPrefix(lines[i+1], "cmp stdout") {
				i++
			}
			continue
		}
		out = append(out, lines[i])
	}
	return []byte(strings.Join(out, "\n"))
}

// start starts the server of the scenario, or starts it again.
func (p *play) start(opt testscripts.ServerOptions) (*testscripts.Server, error) {
	p.starts++
	if p.starts > 1 && (p.stage.shared || len(p.sched.items) > 0) {
		return nil, fmt.Errorf("a server is not started again while something is under way or its journal is shared: %s", standingText(p.sched.standings()))
	}
	opt.Durability = p.opt.Durability
	p.sched.places = nil
	return p.stage.start(opt, p.opt.Memory)
}

// grace is how much longer than the wall budget the watchdog waits.
const grace = 250 * time.Millisecond

// watchdog lets everything go when the scenario takes too long, or ctx ends; the
// function it returns ends it.
func (p *play) watchdog(ctx context.Context) func() {
	over := make(chan struct{})
	timer := bound(p.limits.Wall + grace)
	go func() {
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		case <-over:
			return
		}
		p.sched.release()
	}()
	return func() { close(over) }
}

// within checks the budgets that are not of one permit.
func (p *play) within() error {
	switch l := p.limits; {
	case since(p.began) > l.Wall:
		return &BudgetError{Budget: "max-wall", Limit: l.Wall.String(), Where: standingText(p.sched.standings())}
	case p.sched.attempts > l.Deliveries:
		return &BudgetError{Budget: "max-deliveries", Limit: fmt.Sprint(l.Deliveries)}
	}
	for _, pl := range p.sched.places {
		if span := time.Duration(pl.now-pl.epoch) * time.Second; span > p.limits.Logical {
			return &BudgetError{Budget: "max-logical", Limit: p.limits.Logical.String()}
		}
	}
	return nil
}

func (p *play) problem(format string, args ...any) {
	p.result.Problems = append(p.result.Problems, fmt.Sprintf(format, args...))
}

func (p *play) reject(r Rejection) { p.result.Rejections = append(p.result.Rejections, r) }

// nameWorlds gives the worlds of the scheduler their names.
func (p *play) nameWorlds() {
	if p.rig == nil || !slices.ContainsFunc(p.sched.places, func(pl *place) bool { return pl.name == "" }) {
		return
	}
	names, worlds := p.rig.Worlds()
	for _, pl := range p.sched.places {
		if i := slices.Index(worlds, pl.world); i >= 0 {
			pl.name = names[i]
		}
	}
}

// finished takes down what an ended item leaves.
func (p *play) finished(it *item) {
	if it.row > 0 || it.world == nil {
		return
	}
	status := int64(it.answer.Status)
	switch {
	case it.refused != nil:
		p.reject(Rejection{Writer: it.writer, What: it.title, Status: status, Code: "precondition_failed", Text: it.refused.Error()})
		p.line(Line{Writer: it.writer, Kind: KindRefused, Text: it.title + " " + it.refused.Error()}, it.world)
	case it.err != nil:
		p.reject(Rejection{Writer: it.writer, What: it.title, Text: errText(it.err), Seq: it.seq})
		p.line(Line{Writer: it.writer, Kind: KindRefused, Text: it.title + " " + errText(it.err)}, it.world)
	case status >= firstRefusal:
		code := codeOf(it.answer.Body)
		p.reject(Rejection{Writer: it.writer, What: it.title, Status: status, Code: code, Seq: it.seq})
		if it.seq == 0 {
			p.line(Line{Writer: it.writer, Kind: KindRefused, Text: fmt.Sprintf("%s %d %s", it.title, status, code)}, it.world)
		}
	}
	p.readShort(it)
	if it.fork != "" && status == http.StatusCreated {
		if err := p.rig.Adopt(it.fork, it.answer); err != nil {
			p.problem("the fork cannot be found: %v", err)
		}
	}
}

// errText is an error of a request without where it went.
func errText(err error) string {
	text := err.Error()
	if i := strings.LastIndex(text, "\": "); i >= 0 {
		text = text[i+len("\": "):]
	}
	return text
}
