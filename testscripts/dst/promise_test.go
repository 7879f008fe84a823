package dst

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"worlds/testscripts/invariant"
)

// TestFromEnv: what a sweep does is said by variables, and by these defaults.
func TestFromEnv(t *testing.T) {
	for _, name := range []string{"SEEDS", "ROUNDS", "SEED_BASE", "PROFILE", "WIDTH", "DELIVERY", "MODELS", "DEBUG"} {
		t.Setenv(envPrefix+name, "")
	}
	before := uint64(time.Now().Unix())
	usual, err := FromEnv()
	if err != nil || usual.Base < before || usual.Base > uint64(time.Now().Unix()) {
		t.Errorf("the base seed is %d, and the time of day %d (%v)", usual.Base, before, err)
	}
	usual.Base = 0
	if usual != (Config{Seeds: 8, Rounds: 40, Profile: Mixed, Width: 2, Delivery: Full, Models: "stripe,zendesk"}) {
		t.Errorf("by default: %+v", usual)
	}
	for name, value := range map[string]string{"SEEDS": "3", "ROUNDS": "7", "SEED_BASE": "18446744073709551615", "PROFILE": Sparse,
		"WIDTH": "4", "DELIVERY": Delta, "MODELS": "zendesk", "DEBUG": "cus_"} {
		t.Setenv(envPrefix+name, value)
	}
	said, err := FromEnv()
	if want := (Config{3, 1<<64 - 1, 7, Sparse, 4, Delta, "zendesk", "cus_"}); err != nil || said != want {
		t.Errorf("%+v (%v), not %+v", said, err, want)
	}
	t.Setenv(envPrefix+"ROUNDS", "many")
	if _, err := FromEnv(); err == nil {
		t.Error("many rounds are a number")
	}
}

// TestTell: the first two lines of a failure are what it is, and how to have it again.
func TestTell(t *testing.T) {
	cfg := Config{Seeds: 8, Base: 40, Rounds: 9, Profile: Mixed, Width: 3, Delivery: Delta, Models: Models}
	var out strings.Builder
	Tell(&out, cfg, &Result{Seed: 42, Failure: failed("acked.retained", "gone"), Metrics: Metrics{Counters: map[string]int64{}}}, 3)
	lines := strings.Split(out.String(), "\n")
	want := []string{
		"DST property failure (seed 42): acked.retained",
		"Replay: WORLDS_DST_SEEDS=1 WORLDS_DST_SEED_BASE=42 WORLDS_DST_ROUNDS=9 WORLDS_DST_PROFILE=populated WORLDS_DST_WIDTH=3 WORLDS_DST_DELIVERY=delta worlds dst",
		"seed-03 of 8, after 0 operations:", "acked.retained: gone",
	}
	if !slices.Equal(lines[:4], want) || !strings.HasPrefix(lines[4], `WORLDS_DST_METRICS {"seed":0,`) {
		t.Errorf("%s", out.String())
	}
}

// TestAPanicIsAFailure: what panics in a run fails with a name, as a property does.
func TestAPanicIsAFailure(t *testing.T) {
	e, err := openEngine(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.close() }()
	op := Op{N: 1, API: apiStripe, Method: "GET", Path: "/v1/customers", Route: "GET /v1/customers"}
	f, _ := perform(t.Context(), e, small, small.Base, &Story{Ops: []Op{op}}, false, func(*space, *step) *Failure { panic("ouch") })
	if f == nil || f.Property != "harness.panic" || !strings.Contains(f.Detail, "ouch") {
		t.Errorf("%v", f)
	}
}

// TestDebugPrintsWhatTouches: just the operations that touch what is named are printed,
// in order.
func TestDebugPrintsWhatTouches(t *testing.T) {
	e, err := openEngine(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.close() }()
	cfg := small
	cfg.Debug, cfg.Rounds = "price_,evt:product.created", 40
	var out strings.Builder
	one(t.Context(), e, cfg, cfg.Base, &out)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	touched := regexp.MustCompile(`^w[01] entry \d+ #\d+ w[01] \S+ .* → `)
	for _, line := range lines {
		if !touched.MatchString(line) {
			t.Errorf("%q", line)
		}
	}
	if text := out.String(); !strings.Contains(text, "/v1/products") || strings.Contains(text, "/api/v2/") {
		t.Errorf("%s", text)
	}
}

// TestSwarm: runs differ by what they leave out and what they have more of.
func TestSwarm(t *testing.T) {
	drawn := map[string]map[string]bool{}
	for seed := range uint64(100) {
		var luck map[string]json.Number
		text, err := json.Marshal(drawSwarm(NewRand(seed)))
		if err == nil {
			err = json.Unmarshal(text, &luck)
		}
		if err != nil {
			t.Fatal(err)
		}
		for name, n := range luck {
			if drawn[name] == nil {
				drawn[name] = map[string]bool{}
			}
			drawn[name][n.String()] = true
		}
	}
	for name, values := range drawn {
		if len(values) < 3 {
			t.Errorf("%s has only the probabilities %v", name, sortedKeys(values))
		}
		if !usedByHarness(t, "luck."+name) {
			t.Errorf("%s is drawn, and nothing goes by it", name)
		}
	}
}

// usedByHarness reports whether the harness's own files have a word.
func usedByHarness(t *testing.T, word string) bool {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	whole := regexp.MustCompile(regexp.QuoteMeta(word) + `\b`)
	return slices.ContainsFunc(files, func(name string) bool {
		text, err := os.ReadFile(name)
		return err == nil && !strings.HasSuffix(name, "_test.go") && whole.Match(text)
	})
}

// TestGates: a run that found nothing and did nothing is idle, and what the setup did
// does not make up for it.
func TestGates(t *testing.T) {
	busy := func() *Metrics {
		return &Metrics{Rounds: longRounds, Profile: Populated, Delivery: Delta, Counters: map[string]int64{
			"scheduled.committed": longCommits, "scheduled.interleaved_commits.page": 1, "scheduled.interleaved_commits.cut": 1,
			"scheduled.deliveries": 1, "scheduled.deliveries.repeated": 1, "scheduled.polls.partial": 1}}
	}
	done := map[string]bool{"stripe POST /v1/refunds": true}
	if err := busy().gates([]string{"stripe POST /v1/refunds"}, done); err != nil {
		t.Errorf("a busy run: %v", err)
	}
	for name := range busy().Counters {
		m := busy()
		m.Counters[strings.Replace(name, phaseScheduled, phaseSetup, 1)] = 1000
		m.Counters[name]--
		if err := m.gates(nil, nil); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("without one of %s: %v", name, err)
		}
	}
	if err := busy().gates([]string{"stripe POST /v1/charges"}, done); err == nil {
		t.Error("a mandatory path was not taken, and nobody minds")
	}
}

// TestLuckIsMadeUpFor: a long run does what it must have done, whatever its
// probabilities are.
func TestLuckIsMadeUpFor(t *testing.T) {
	for _, delivery := range []string{Full, Delta} {
		cfg := small
		cfg.Rounds, cfg.Delivery, cfg.Models = longRounds, delivery, "none"
		e, err := openEngine(nil)
		if err != nil {
			t.Fatal(err)
		}
		r := newRun(t.Context(), e, cfg, cfg.Base, nil)
		r.luck = swarm{Fail: 2 * usualFail, Down: 2 * usualDown}
		r.gen.luck = r.luck
		f := r.setup()
		if f == nil {
			f = r.schedule()
		}
		if err := r.metrics.gates(nil, nil); f != nil || err != nil {
			t.Errorf("%s: %v, %v", delivery, f, err)
		}
		r.engine.net.use(nil)
		if err := e.close(); err != nil {
			t.Error(err)
		}
	}
}

// TestBothConsumersOfOneHistory: a history in which the consumer lists everything anew
// and one in which it goes on behind the last event leave the worlds alike.
func TestBothConsumersOfOneHistory(t *testing.T) {
	cfg := small
	cfg.Rounds, cfg.Delivery, cfg.Models = 60, Full, "none"
	history := slices.DeleteFunc(run1(t, cfg).History, func(op Op) bool { // rules and keys count what is read
		return strings.HasPrefix(op.Path, "/scenarios") || strings.HasPrefix(op.Path, "/keys")
	})
	polls := 0
	var ends [2][]string
	for i, act := range []string{actFull, actDelta} {
		ops := slices.Clone(history)
		for k := range ops {
			if ops[k].Route == actFull {
				ops[k].Route = act
				polls++
			}
		}
		e, err := openEngine(nil)
		if err != nil {
			t.Fatal(err)
		}
		f, r := perform(t.Context(), e, cfg, cfg.Base, &Story{Ops: ops}, false, nil)
		if f != nil {
			t.Fatal(f)
		}
		for _, s := range r.spaces {
			ends[i] = append(ends[i], bare(s.view.State))
		}
		_ = e.close()
	}
	for i := range ends[0] {
		if one, two := ends[0][i], ends[1][i]; polls == 0 || one != two {
			t.Errorf("after %d polls world %d differs by who polled: %s", polls, i, firstDifference(one, two))
		}
	}
}

// TestSoak: a soak leaves a line of each run that began and of each that ended, joined
// by the run's name, and takes the configurations in turn.
func TestSoak(t *testing.T) {
	dir := t.TempDir()
	soak := Soak{Config: small, Dir: dir, Timeout: time.Hour}
	soak.Seeds, soak.Models = 1, "none"
	ctx, cancel := context.WithCancel(t.Context())
	soak.Until = time.Now().Add(time.Hour)
	soak.ran = func(runs int) {
		if runs == len(rotation) {
			cancel()
		}
	}
	var out bytes.Buffer
	all, err := soak.Run(ctx, &out)
	if err != nil || all.Runs != len(rotation) || all.Failed > 0 {
		t.Fatalf("%+v %v %s", all, err, out.String())
	}
	runs, metrics := lines(t, filepath.Join(dir, runsFile)), lines(t, filepath.Join(dir, metricsFile))
	if len(runs) != 2*len(rotation) || len(metrics) != len(rotation) {
		t.Fatalf("%d lines of %d runs, and %d of metrics", len(runs), len(rotation), len(metrics))
	}
	for i, turn := range rotation {
		began, ended := strings.Split(runs[2*i], "\t"), strings.Split(runs[2*i+1], "\t")
		var m struct {
			RunID             string
			Profile, Delivery string
		}
		if err := json.Unmarshal([]byte(metrics[i]), &m); err != nil || m.RunID != began[0] || ended[0] != began[0] || began[7] != "started" || ended[7] != "pass" ||
			m.Profile != turn.profile || m.Delivery != turn.delivery {
			t.Errorf("run %d: %v, %v, %s", i, began, ended, metrics[i])
		}
	}
	if text := lines(t, filepath.Join(dir, treeFile)); len(text) == 0 {
		t.Error("what was run is not said")
	}
}

func lines(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

var (
	quoted   = regexp.MustCompile("`([^`]+)`")
	isTest   = regexp.MustCompile(`^Test\w+$`)
	isLaw    = regexp.MustCompile(`^[a-z]+\.[a-z0-9≥-]+$`)
	testName = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
)

// TestEachPromiseIsShown: in the table of the docs each promise names a test that there
// is, or a property that something judges, or says why there is none.
func TestEachPromiseIsShown(t *testing.T) {
	doc, err := os.ReadFile(killsDoc)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(doc), "## Each promise, and its test\n")
	table, _, _ := strings.Cut(rest, "\n## ")
	tests, sources := suites(t)
	for _, i := range invariant.Invariants() {
		sources += `"` + i.ID + `"`
	}
	rows := 0
	for line := range strings.Lines(table) {
		cells := strings.Split(line, " | ")
		if !strings.HasPrefix(line, "| ") || len(cells) < 2 || strings.HasPrefix(line, "| promise") {
			continue
		}
		rows++
		named := strings.Contains(cells[len(cells)-1], "because ")
		for _, m := range quoted.FindAllStringSubmatch(cells[len(cells)-1], -1) {
			switch word := m[1]; {
			case isTest.MatchString(word) && !tests[word]:
				t.Errorf("there is no %s: %s", word, line)
			case isLaw.MatchString(word) && !strings.Contains(sources, `"`+word+`"`):
				t.Errorf("nothing judges %s: %s", word, line)
			case isTest.MatchString(word), isLaw.MatchString(word):
				named = true
			}
		}
		if !named {
			t.Errorf("nothing shows it, and no reason is given: %s", line)
		}
	}
	if rows < 53 {
		t.Errorf("the table has %d promises", rows)
	}
}

// suites are the tests of the suites that show promises, and the harness's source.
func suites(t *testing.T) (tests map[string]bool, sources string) {
	t.Helper()
	tests = map[string]bool{}
	for _, dir := range []string{".", "crash", "linear", "model", "../sim", "../invariant", "..", "../../journal/store", "../../journal/mutant", "../../cmd/worlds"} {
		files, err := fs.Glob(os.DirFS(dir), "*.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(filepath.Join(dir, file))
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range testName.FindAllStringSubmatch(string(text), -1) {
				tests[m[1]] = true
			}
			if dir == "." {
				sources += string(text)
			}
		}
	}
	return tests, sources
}

// TestSoakKills: a soak notes what the kills between its runs came to, as runs.
func TestSoakKills(t *testing.T) {
	for _, c := range []struct {
		program, want string
		failed        int
	}{{"true", "pass", 0}, {"false", "crash", 1}} {
		program, err := exec.LookPath(c.program)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, logsDir), 0o755); err != nil {
			t.Fatal(err)
		}
		soak, all := Soak{Dir: dir, Crash: program}, &SoakRuns{}
		var out strings.Builder
		if err := soak.crash(t.Context(), all, 7, &out); err != nil {
			t.Fatal(err)
		}
		runs := lines(t, filepath.Join(dir, runsFile))
		if all.Runs != 1 || all.Failed != c.failed || len(runs) != 2 || !strings.HasSuffix(runs[1], "\t"+c.want) {
			t.Errorf("%s: %+v %q", c.program, all, runs)
		}
		if failed := c.failed > 0; failed != strings.Contains(out.String(), "Replay: WORLDS_CRASH_SEED=7 go test ./testscripts/dst/crash -run TestCrash") {
			t.Errorf("%s: %s", c.program, out.String())
		}
	}
}
