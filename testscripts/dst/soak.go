package dst

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
)

// Soak says how a soak goes on.
type Soak struct {
	Config        // of every run; profile and delivery rotate
	Dir    string // where its files go
	Until  time.Time
	// Timeout is what one run may take. One that takes longer ends the soak: it cannot be
	// stopped.
	Timeout time.Duration
	// Crash is the test binary of testscripts/dst/crash, "" for none: it kills servers
	// between the runs, and its gates are the soak's.
	Crash string

	ran func(runs int) // hears of every run that has ended
}

// Files of a soak, below its folder.
const (
	metricsFile  = "METRICS.jsonl" // one line a run that ended
	runsFile     = "RUNS.tsv"      // a line when a run begins, and one when it ends
	failuresFile = "FAILURES.md"   // what failed, and how to have it again
	treeFile     = "tree.txt"      // what was run
	logsDir      = "runs"          // <run>.log, of those that failed
)

// SoakRuns is what a soak came to.
type SoakRuns struct {
	Runs, Failed int
	TimedOut     bool // a run took too long
	Hopeless     bool // three runs in a row failed fast
	Coverage     *Coverage
}

// Three failures in a row, each within fastFailure, say that it is not the luck of
// seeds: the soak ends.
const (
	fastFailures = 3
	fastFailure  = 10 * time.Second
)

// TimeoutUsual is what a run of a soak may take.
const TimeoutUsual = 10 * time.Minute

// rotation is the configurations that a soak's runs take in turn.
var rotation = [...]struct{ profile, delivery string }{{Populated, Full}, {Sparse, Delta}, {Populated, Delta}, {Sparse, Full}}

// Run runs one seed after the other until the time has come, and writes the files. The
// seed is written before its run begins, so that one which kills the process is known.
func (s *Soak) Run(ctx context.Context, out io.Writer) (*SoakRuns, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(s.Dir, logsDir), 0o755); err != nil {
		return nil, err
	}
	if err := s.add(treeFile, tree()); err != nil {
		return nil, err
	}
	all := &SoakRuns{Coverage: NewCoverage()}
	fast := 0
	for n := 0; ctx.Err() == nil && time.Now().Before(s.Until); n++ { //worlds:boundary how long a soak goes on
		cfg := s.Config
		turn := rotation[n%len(rotation)]
		cfg.Seeds, cfg.Base, cfg.Profile, cfg.Delivery = 1, s.Base+uint64(n), turn.profile, turn.delivery
		id := fmt.Sprintf("%06d-%d", n+1, cfg.Base)
		began := time.Now() //worlds:boundary how long a run took
		if err := s.note(id, cfg, "started"); err != nil {
			return all, err
		}
		result, log := s.one(ctx, cfg)
		all.Runs++
		if result == nil {
			all.TimedOut, all.Failed = true, all.Failed+1
			return all, s.note(id, cfg, "timeout")
		}
		all.Coverage.Add(result.Coverage)
		if err := s.ended(id, cfg, result, log); err != nil {
			return all, err
		}
		if s.ran != nil {
			s.ran(all.Runs)
		}
		if n%crashEvery == crashEvery-1 && s.Crash != "" {
			if err := s.crash(ctx, all, cfg.Base, out); err != nil {
				return all, err
			}
		}
		if result.Failure == nil && result.Idle == nil {
			fast = 0
			continue
		}
		all.Failed++
		fmt.Fprint(out, log)
		if fast++; time.Since(began) > fastFailure { //worlds:boundary as above
			fast = 0
		}
		if fast == fastFailures {
			all.Hopeless = true
			return all, nil
		}
	}
	return all, nil
}

// crashEvery is after how many runs servers are killed.
const crashEvery = 20

// crash lets servers be killed at every place, by the seed of the run before, and
// notes it as a run.
func (s *Soak) crash(ctx context.Context, all *SoakRuns, seed uint64, out io.Writer) error {
	id := fmt.Sprintf("crash-%d", seed)
	cfg := Config{Base: seed, Profile: "crash"}
	if err := s.note(id, cfg, "started"); err != nil {
		return err
	}
	kills := exec.CommandContext(ctx, s.Crash, "-test.run", "^TestCrash$", "-test.v")
	kills.Env = append(os.Environ(), "WORLDS_CRASH_SEED="+strconv.FormatUint(seed, 10))
	log, bad := kills.CombinedOutput()
	all.Runs++
	if bad == nil {
		return s.note(id, cfg, "pass")
	}
	if ctx.Err() != nil {
		return nil
	}
	all.Failed++
	fmt.Fprintf(out, "DST property failure (seed %d): crash\nReplay: WORLDS_CRASH_SEED=%d go test ./testscripts/dst/crash -run TestCrash\n%v\n", seed, seed, bad)
	return errors.Join(s.note(id, cfg, "crash"), s.add(filepath.Join(logsDir, id+".log"), string(log)),
		s.add(failuresFile, fmt.Sprintf("## %s: crash\n\n    WORLDS_CRASH_SEED=%d go test ./testscripts/dst/crash -run TestCrash\n\n", id, seed)))
}

// one does a run in time, or returns nil.
func (s *Soak) one(ctx context.Context, cfg Config) (*Result, string) {
	type ended struct {
		result *Result
		log    string
	}
	done := make(chan ended, 1)
	go func() {
		var log bytes.Buffer
		e, err := openEngine(nil)
		if err != nil {
			done <- ended{&Result{Seed: cfg.Base, Failure: failed("harness.engine", "%v", err), Coverage: NewCoverage()}, err.Error()}
			return
		}
		result := one(ctx, e, cfg, cfg.Base, &log)
		if err := e.close(); err != nil && result.Failure == nil {
			result.Failure = failed("harness.engine", "closing: %v", err)
		}
		Tell(&log, cfg, result, 1)
		done <- ended{result, log.String()}
	}()
	timer := time.NewTimer(s.Timeout) //worlds:boundary what a run may take
	defer timer.Stop()
	select {
	case e := <-done:
		return e.result, e.log
	case <-timer.C:
		return nil, ""
	}
}

// ended writes down what came of a run.
func (s *Soak) ended(id string, cfg Config, result *Result, log string) error {
	line, err := json.Marshal(struct {
		RunID string `json:"runId"`
		Metrics
	}{id, result.Metrics})
	if err != nil {
		return err
	}
	if err := s.add(metricsFile, string(line)+"\n"); err != nil {
		return err
	}
	what := result.Metrics.Result
	if result.Idle != nil {
		what = "idle"
	}
	if err := s.note(id, cfg, what); err != nil || what == "pass" {
		return err
	}
	if err := s.add(filepath.Join(logsDir, id+".log"), log+historyOf(result)); err != nil {
		return err
	}
	return s.add(failuresFile, fmt.Sprintf("## %s: %s\n\n    %s\n\n", id, what, cfg.Replay(cfg.Base)))
}

// historyOf is the operations of a run, one a line.
func historyOf(result *Result) string {
	var b strings.Builder
	for i := range result.History {
		b.WriteString(result.History[i].String() + "\n")
	}
	return b.String()
}

func (s *Soak) note(id string, cfg Config, what string) error {
	now := time.Now().UTC().Format(time.RFC3339) //worlds:boundary a log for people
	return s.add(runsFile, fmt.Sprintf("%s\t%s\t%d\t%d\t%s\t%d\t%s\t%s\n", id, now, cfg.Base, cfg.Rounds, cfg.Profile, cfg.Width, cfg.Delivery, what))
}

// add appends to a file of the soak.
func (s *Soak) add(name, text string) error {
	f, err := os.OpenFile(filepath.Join(s.Dir, name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err := f.WriteString(text); err != nil {
		_ = f.Close() // it could not be written anyway
		return err
	}
	return f.Close()
}

// tree says which source is run, as far as the program knows.
func tree() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown\n"
	}
	out := info.GoVersion + "\n"
	for _, setting := range info.Settings {
		if strings.HasPrefix(setting.Key, "vcs.") {
			out += setting.Key + " " + setting.Value + "\n"
		}
	}
	return out
}
