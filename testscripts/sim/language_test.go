package sim

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"worlds/admin"
	"worlds/seed"
	"worlds/testscripts"
	"worlds/twin"
	"worlds/twin/world"
)

// played plays a script that stands in a test.
func played(t *testing.T, script string, opt Options) *Result {
	t.Helper()
	sc, err := Parse("here", []byte(script))
	if err != nil {
		t.Fatal(err)
	}
	return Play(context.Background(), sc, opt)
}

// Problems, violations and rejections are three things, and none is taken for
// another.
func TestAFailedCheckIsAProblemAndTheScriptGoesOn(t *testing.T) {
	r := played(t, `
world new empty
stripe POST /v1/customers name=Ann
check 'the name is Ben' json .name Ben
check 'the name is not Ben' not json .name Ben
! stripe POST /v1/customers nme=Ann
`, Options{})
	if !slices.Equal(r.Problems, []string{"check: the name is Ben (Ann)"}) || len(r.Violations) > 0 || len(r.Rejections) != 1 || r.Rejections[0].Code != "parameter_unknown" {
		t.Errorf("%q %v %+v", r.Problems, r.Violations, r.Rejections)
	}
	if r.Outcome != Settled || r.Passed || r.Reds != 1 {
		t.Errorf("%s %v %d", r.Outcome, r.Passed, r.Reds)
	}
}

func TestABrokenScriptIsNotTheServersFault(t *testing.T) {
	r := played(t, "world new empty\nhook start\nkey:1 stripe POST /v1/customers name=Ann\nhold key:1 committed\narm key:2 committed\nnonsense\n", Options{})
	if r.Outcome != Failed || len(r.Violations) > 0 || r.Replay != "ok" {
		t.Errorf("%s %v %s", r.Outcome, r.Violations, r.Replay)
	}
	if len(r.Problems) != 2 || r.Problems[0] != "the script never finished: waiting for key:2 committed" || !strings.HasPrefix(r.Problems[1], `line 6: unknown command "nonsense"`) {
		t.Errorf("%q", r.Problems)
	}
}

func TestAScriptMustNotEndWhileItHoldsSomebody(t *testing.T) {
	r := played(t, "world new empty\nkey:1 stripe POST /v1/customers name=Ann\nhold key:1 committed\narm key:1 recorded\n", Options{})
	want := []string{"the script ended while key:1 was held at committed (POST /v1/customers)", "armed and never reached: key:1 recorded"}
	if !slices.Equal(r.Problems, want) || r.Outcome != Settled {
		t.Errorf("%s %q", r.Outcome, r.Problems)
	}
}

// What waits and will not come is named, and an outcome that was not expected is a
// problem.
func TestAStallIsNamed(t *testing.T) {
	const script = `
world new saas-billing-small
hook start
hook answer 500
key:1 stripe POST /v1/customers name=Ann
settle
`
	r := played(t, script, Options{})
	if r.Outcome != Stalled || !slices.Equal(r.Pending, []string{"delivery evt@1 customer.created to endpoint:1 due +1.0m"}) ||
		!slices.Equal(r.Problems, []string{"the outcome is stalled, not settled: delivery evt@1 customer.created to endpoint:1 due +1.0m"}) {
		t.Errorf("%s %q %q", r.Outcome, r.Pending, r.Problems)
	}
	if r = played(t, script+"expect outcome stalled\n", Options{}); !r.Passed {
		t.Errorf("%q", r.Problems)
	}
}

func TestABudgetIsAnOutcome(t *testing.T) {
	const script = `
world new saas-billing-small
budget max-deliveries=2
hook start
hook answer 500
key:1 stripe POST /v1/customers name=Ann
! run
`
	r := played(t, script+"expect outcome budget-exceeded\n", Options{})
	if r.Outcome != Exceeded || !r.Passed {
		t.Errorf("%s %q", r.Outcome, r.Problems)
	}
	if r = played(t, script, Options{}); r.Passed || r.Problems[0] != "max-deliveries: more than 2 attempts were made" {
		t.Errorf("%q", r.Problems)
	}
	if r = played(t, "world new empty\n", Options{Limits: Limits{Wall: time.Nanosecond}}); r.Outcome == Exceeded {
		t.Error("a scenario without items has run out of time")
	}
}

// There is no way to expect a violation: no command takes one, and a judge's word
// stands against every script.
func TestAViolationCannotBeExpected(t *testing.T) {
	judge := func(string, *world.World) []Violation { return []Violation{{ID: "rule.planted", Detail: "planted"}} }
	for _, line := range []string{"", "expect violations 1\n", "expect outcome error\n"} {
		if r := played(t, "world new empty\n"+line, Options{Judge: judge}); r.Passed || len(r.Violations) != 1 {
			t.Errorf("%q: %v", line, r.Violations)
		}
	}
}

// A new writer, a new rule and a new fault reach from the script to the result.
func TestTheSimulationCanBeExtended(t *testing.T) {
	down := ""
	r := played(t, `
world new saas-billing-small
hook start
outage
robot
settle
expect outcome stalled
`, Options{
		orders: map[string]order{
			"robot": func(p *play, _ *testscript.TestScript, _ []string) error {
				_, err := p.request("key:robot", []string{"stripe", "POST", "/v1/customers", "name=Robot"})
				return err
			},
			"outage": func(p *play, ts *testscript.TestScript, _ []string) error {
				down = "until the clock moves"
				p.warn("nobody listens %s", down)
				p.rig.Run(ts, false, []string{"hook", "answer", "down"})
				return nil
			},
		},
		Judge: func(name string, w *world.World) []Violation {
			v, err := w.View(context.Background())
			if err != nil || v.State.Deliveries() != 1 {
				return nil
			}
			return []Violation{{ID: "rule.no-deliveries", Detail: name + " delivers"}}
		},
	})
	if !slices.Contains(r.Writers, "key:robot") || down == "" || len(r.Violations) != 1 || r.Violations[0].ID != "rule.no-deliveries" || r.Deliveries != 1 {
		t.Errorf("%v %v %d %q", r.Writers, r.Violations, r.Deliveries, r.Problems)
	}
}

// The script's own requests are never held, never matched and in no history.
func TestTheScriptIsNoWriter(t *testing.T) {
	r := played(t, `
world new empty
arm any committed
stripe POST /v1/customers name=Ann
key:1 stripe POST /v1/customers name=Ben
await any
release any
`, Options{})
	if !r.Passed || !slices.Equal(r.Writers, []string{"key:1"}) {
		t.Errorf("%v %q", r.Writers, r.Problems)
	}
}

func TestAScenarioMayHaveSeveralWorlds(t *testing.T) {
	r := played(t, `
world new empty one
key:1 stripe POST /v1/customers name=Ann
world new empty two
key:2 stripe POST /v1/customers name=Ben
settle
`, Options{})
	if !r.Passed || len(r.Worlds) != 2 || !strings.Contains(renderTrace(r.Trace, false), "[two]") {
		t.Errorf("%+v %q\n%s", r.Worlds, r.Problems, renderTrace(r.Trace, false))
	}
}

func TestAStreamIsReadToThePresentAndAbortedAtTheEnd(t *testing.T) {
	r := played(t, `
world new empty
stream live events
key:1 stripe POST /v1/customers name=Ann
settle
streamed live
stdout '^1-1 event$'
stream log journal
streamed log
stdout '^1-1 entry$'
`, Options{})
	if !r.Passed || !slices.ContainsFunc(r.Trace, func(l Line) bool { return l.Text == "2 readers of streams were open at the end" }) {
		t.Errorf("%q\n%s", r.Problems, renderTrace(r.Trace, false))
	}
}

// A fence that counts sees a list that was read only in part, which one that looks
// at the newest change does not.
func TestAFenceThatCountsSeesAListReadInPart(t *testing.T) {
	const script = `
world new saas-billing-small
fence %s
key:1 stripe GET /v1/customers limit=1
answer key:1
key:1 stripe POST /v1/customers name=Ann
answer key:1
`
	if r := played(t, fmt.Sprintf(script, "on"), Options{}); len(r.Rejections) != 0 || !r.Passed {
		t.Errorf("%+v %q", r.Rejections, r.Problems)
	}
	r := played(t, fmt.Sprintf(script, "count"), Options{})
	if len(r.Rejections) != 1 || r.Rejections[0].Text != "precondition failed: key:1 has read /v1/customers only in part" || !r.Passed {
		t.Errorf("%+v %q", r.Rejections, r.Problems)
	}
	off := false
	if r := played(t, fmt.Sprintf(script, "count"), Options{Fence: &off}); len(r.Rejections) != 0 {
		t.Errorf("run-wide off: %+v", r.Rejections)
	}
}

// A writer that has read nothing is never fenced; what it has read up to the newest
// change passes.
func TestAFenceLetsPassWhoIsUpToDate(t *testing.T) {
	on := true
	r := played(t, `
world new empty
key:1 stripe POST /v1/customers name=Ann
key:2 stripe POST /v1/customers name=Ben
settle
key:2 stripe GET /v1/customers
key:2 stripe POST /v1/customers name=Cay
settle
`, Options{Fence: &on})
	if len(r.Rejections) != 0 || !r.Passed {
		t.Errorf("%+v %q", r.Rejections, r.Problems)
	}
}

// A restart of the server in the middle of a scenario changes nothing of its worlds.
func TestAScenarioMayRestartItsServer(t *testing.T) {
	r := played(t, "world new empty\nkey:1 stripe POST /v1/customers name=Ann\nsettle\nrestart\nkey:1 stripe POST /v1/customers name=Ben\nsettle\n", Options{})
	if !r.Passed || r.Entries != 2 {
		t.Errorf("%d %q", r.Entries, r.Problems)
	}
	r = played(t, "world new empty\nkey:1 stripe POST /v1/customers name=Ann\nrestart\n", Options{})
	if r.Passed || !strings.Contains(r.Problems[0], "while something is under way") {
		t.Errorf("%q", r.Problems)
	}
}

// The result is one JSON document that names what it holds.
func TestAResultIsJSON(t *testing.T) {
	r := played(t, "world new empty\nkey:1 stripe POST /v1/customers name=Ann\nsettle\n", Options{})
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back map[string]any
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"id", "name", "passed", "outcome", "problems", "violations", "rejections", "pending", "replay", "trace", "writers",
		"worlds", "entries", "events", "deliveries", "calls", "virtual_ms", "wall_ms", "reds", "expected_reds"} {
		if _, ok := back[name]; !ok {
			t.Errorf("the result has no %s", name)
		}
	}
}

// Many books at once end in the same traces and the same hashes, whatever journal
// they are on.
func TestManyBooksAtOnceAreTheSame(t *testing.T) {
	book, err := LoadBook("book")
	if err != nil {
		t.Fatal(err)
	}
	one := func(durable bool) string {
		var out strings.Builder
		st := &stage{shared: true, dir: t.TempDir()}
		for _, sc := range book {
			opt := Options{light: true, stage: st}
			if !durable {
				opt.bare, opt.Durability = true, exploring
			}
			r := Play(context.Background(), sc, opt)
			out.WriteString(Header(r, false) + "\n" + renderTrace(r.Trace, false) + heads(r) + strings.Join(r.Problems, "\n"))
		}
		if err := st.stop(); err != nil {
			t.Error(err)
		}
		return out.String()
	}
	want := one(true)
	const books, abreast = booksAtOnce, 4
	var running sync.WaitGroup
	turn := make(chan struct{}, abreast)
	for range books {
		running.Go(func() {
			turn <- struct{}{}
			defer func() { <-turn }()
			if got := one(false); got != want {
				t.Errorf("another book:\n%s\nthe first:\n%s", got, want)
			}
		})
	}
	running.Wait()
}

// A scenario that holds in some orders only: the exploration finds those, and its
// schedules play them again.
func TestAFoundScheduleIsPlayedAgain(t *testing.T) {
	sc, err := Parse("racy", []byte(`# The first customer is Ann, if nobody overtakes.
world new empty
key:1 stripe POST /v1/customers name=Ann
key:2 stripe POST /v1/customers name=Ben
settle
stripe GET /v1/customers
check 'Ben came last' json .data[0].name Ben
`))
	if err != nil {
		t.Fatal(err)
	}
	x, err := Explore(context.Background(), sc, ExploreOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if x.Schedules != 20 || x.Failed != 10 || x.Orders != 2 || len(x.Unequal) != 0 {
		t.Fatalf("%d schedules, %d failed, %d orders, unequal %v", x.Schedules, x.Failed, x.Orders, x.Unequal)
	}
	for _, f := range x.Failures {
		again := Play(context.Background(), sc, Options{Schedule: f.Schedule})
		if again.Passed || heads(again) != heads(f) || again.Schedule != f.Schedule {
			t.Errorf("the schedule %s does not play again: %s, %q", f.Schedule, again.Schedule, again.Problems)
		}
	}
	r := Play(context.Background(), sc, Options{Schedule: "aab"})
	if !r.Passed || r.Schedule != "aababb" && r.Schedule != "aabab" && len(r.Schedule) != 6 {
		t.Errorf("a short schedule: %s %q", r.Schedule, r.Problems)
	}
	r = Play(context.Background(), sc, Options{Schedule: "aaaz"})
	if r.Passed || !strings.Contains(r.Problems[0], "names z at permit 4, where only b can go") {
		t.Errorf("a foreign schedule: %q", r.Problems)
	}
}

// Above three writers the orders that take a writer off at most twice are tried, and
// some by random priorities.
func TestMoreWritersAreBounded(t *testing.T) {
	sc, err := Parse("four", []byte(`# Four agents.
world new empty
key:1 stripe POST /v1/customers name=a
key:2 stripe POST /v1/customers name=b
key:3 stripe POST /v1/customers name=c
key:4 stripe POST /v1/customers name=d
settle
`))
	if err != nil {
		t.Fatal(err)
	}
	x, err := Explore(context.Background(), sc, ExploreOptions{Max: 300})
	if err != nil {
		t.Fatal(err)
	}
	if x.Strategy != Bounded || x.Random != randomRuns || x.Schedules != 300+randomRuns || !x.Cut || !x.Passed() || x.Orders < 12 {
		t.Errorf("%+v", *x)
	}
}

func TestWhatSaysWhoGoesWhenIsNotExplored(t *testing.T) {
	sc, err := Parse("held", []byte("world new empty\nkey:1 stripe GET /v1/customers\nhold key:1 committed\n"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Explore(context.Background(), sc, ExploreOptions{}); err == nil {
		t.Error("it was explored")
	}
}

func TestABookNamesAllItsFilesAndHasPairsSideBySide(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("a.txtar", "# One.\n")
	put("b.txtar", "# Two\n# lines.\n")
	put("c.txtar", "# Three, behind b.\n")
	for text, want := range map[string]string{
		"a 0\nb 1 pair=c\nc 0 pair=b\n": "",
		"a 0\nb 0\n":                    "book.txt does not have c.txtar",
		"a 0\nb 0\nc 0\na 0\n":          "book.txt: a is there twice",
		"b 0 pair=c\na 0\nc 0\n":        "book.txt: b is not beside its pair c",
		"a\n":                           "book.txt:1: a line is: ID REDS [pair=ID]",
		"a x\n":                         "book.txt:1:",
		"a 0 like=b\n":                  `book.txt:1: "like=b" is not pair=ID`,
		"d 0\n":                         "book.txt:1:",
		"# comment\n\na 0\nb 0\nc 0\n":  "",
		"a 0\nb 0 pair=nowhere\nc 0\n":  "book.txt: b is not beside its pair nowhere",
	} {
		put("book.txt", text)
		book, err := LoadBook(dir)
		if want == "" && (err != nil || len(book) != 3 || book[1].Name != "Two lines") || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v", text, err)
		}
	}
	put("book.txt", "a 0\nb 0\nc 0\n")
	book, err := LoadBook(dir)
	if err != nil {
		t.Fatal(err)
	}
	if picked, err := Select(book, []string{"TWO"}); err != nil || len(picked) != 1 || picked[0].ID != "b" {
		t.Errorf("%v %v", picked, err)
	}
	if picked, err := Select(book, []string{"b"}); err != nil || len(picked) != 1 || picked[0].ID != "b" {
		t.Errorf("%v %v", picked, err)
	}
	if _, err := Select(book, []string{"zzz"}); err == nil || err.Error() != "No scenario matches zzz" {
		t.Errorf("%v", err)
	}
	if _, err := Parse("Not_An_Id", nil); err == nil {
		t.Error("an id of capitals is taken")
	}
}

// What a cold start finds has a name of its own for each way to fail.
func TestAColdStartNamesWhatItFinds(t *testing.T) {
	server, err := testscripts.StartServer(testscripts.ServerOptions{Dir: t.TempDir(), Offline: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Stop() }()
	w, err := coldWorld(server)
	if err != nil {
		t.Fatal(err)
	}
	v, err := w.View(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	good := world.Report{Mode: world.Redecide, Entries: int64(v.Seq), Head: v.Hash.String(), DumpHash: world.DumpHash(v.State)}
	if bad := replayed(&good, v, w); bad != nil {
		t.Errorf("a good replay: %v", bad)
	}
	for want, change := range map[string]func(*world.Report){
		ReplayDiverged: func(r *world.Report) { r.Failure = world.FailChain },
		ReplayShort:    func(r *world.Report) { r.Entries-- },
		ReplayResponse: func(r *world.Report) { r.Failure = world.FailReply },
		ReplayStatus: func(r *world.Report) {
			r.Failure, r.Changes = world.FailReply, []world.Difference{{Part: "reply.status", Recorded: "200", Replayed: "402"}}
		},
		ReplayState:   func(r *world.Report) { r.DumpHash = "other" },
		ReplayEntry:   func(r *world.Report) { r.Head = "other" },
		ReplayVersion: func(r *world.Report) { r.Failure = world.FailRules },
		ReplayBudget:  func(r *world.Report) { r.Failure, r.Detail = world.FailFrame, errReplayBudget.Error() },
	} {
		r := good
		change(&r)
		if bad := replayed(&r, v, w); bad == nil || bad.ID != want {
			t.Errorf("%s: %v", want, bad)
		}
	}
}

// coldWorld is a world with one entry.
func coldWorld(server *testscripts.Server) (*world.World, error) {
	doc, err := seed.Lookup("empty")
	if err != nil {
		return nil, err
	}
	made, err := server.Admin.Create(doc, admin.CreateOptions{})
	if err != nil {
		return nil, err
	}
	w, err := server.Admin.World(made.ID)
	if err != nil {
		return nil, err
	}
	_, err = w.Do(context.Background(), world.Request{Command: twin.Command{Actor: "key:1", API: "stripe", Method: "POST", Path: "/v1/customers"}})
	return w, err
}
