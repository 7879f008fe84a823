package dst

import (
	"context"
	"fmt"
	"io"

	"worlds/twin/heap"
)

// Sweep is the outcome of several runs.
type Sweep struct {
	Runs     int
	Failed   []*Result
	Idle     []*Result
	Coverage *Coverage
	Judged   map[string]Judged // by API
	Blind    error             // the models judged too little
}

// engineRuns is how many runs share a server before a new one is made.
const engineRuns = 25

// Run does the runs of a Config one after the other and tells of each: its metrics, and
// of a failure what it is and how to have it again. It ends early when ctx does. The
// error is one of the harness.
func Run(ctx context.Context, cfg Config, out io.Writer) (*Sweep, error) {
	if err := cfg.Check(); err != nil {
		return nil, err
	}
	if err := assertSeeded(ctx, cfg); err != nil {
		return nil, err
	}
	heap.Settle()
	sweep := &Sweep{Coverage: NewCoverage(), Judged: map[string]Judged{}}
	var e *engine
	defer func() {
		if e != nil {
			_ = e.close() // the runs have been judged
		}
	}()
	for i := 0; i < cfg.Seeds && ctx.Err() == nil; i++ {
		if i%engineRuns == 0 || len(sweep.Failed) > 0 && sweep.Failed[len(sweep.Failed)-1].Seed == cfg.Base+uint64(i)-1 {
			if e != nil {
				if err := e.close(); err != nil {
					return sweep, err
				}
			}
			var err error
			if e, err = openEngine(nil); err != nil {
				return sweep, err
			}
		}
		result := one(ctx, e, cfg, cfg.Base+uint64(i), out)
		if ctx.Err() != nil { // what was cut short shows nothing
			break
		}
		sweep.Runs++
		sweep.Coverage.Add(result.Coverage)
		sweep.add(result.Metrics.Judged)
		Tell(out, cfg, result, i+1)
		switch {
		case result.Failure != nil:
			sweep.Failed = append(sweep.Failed, result)
		case result.Idle != nil:
			sweep.Idle = append(sweep.Idle, result)
		}
	}
	sweep.hold(cfg.Models, out)
	return sweep, nil
}

// Tell writes what came of a run. A failure's first two lines are what it is and how to
// have it again.
func Tell(out io.Writer, cfg Config, result *Result, position int) {
	switch {
	case result.Failure != nil:
		fmt.Fprintf(out, "DST property failure (seed %d): %s\nReplay: %s\n", result.Seed, result.Failure.Property, cfg.Replay(result.Seed))
		fmt.Fprintf(out, "%s, after %d operations:\n%s\n", name(position, cfg.Seeds), len(result.History), result.Failure)
	case result.Idle != nil:
		fmt.Fprintf(out, "DST property failure (seed %d): %s\nReplay: %s\n%v\n", result.Seed, "harness.idle", cfg.Replay(result.Seed), result.Idle)
	}
	fmt.Fprintln(out, result.Metrics.Line())
}

// name is that of a run: its place, not its seed, so that names stay.
func name(position, of int) string { return fmt.Sprintf("seed-%02d of %d", position, of) }

// assertSeeded fails when something beside the seed determines a run: two dry runs of
// one round must end in the same journal bytes.
func assertSeeded(ctx context.Context, cfg Config) error {
	cfg.Rounds, cfg.Debug = 1, ""
	var digests [2]string
	for i := range digests {
		e, err := openEngine(nil)
		if err != nil {
			return err
		}
		result := one(ctx, e, cfg, cfg.Base, nil)
		if err := e.close(); err != nil {
			return err
		}
		if result.Failure != nil {
			return nil // the sweep itself will say so, with all that belongs to it
		}
		digests[i] = result.Metrics.Digest
	}
	if digests[0] != digests[1] {
		return fmt.Errorf("two runs of seed %d end in different journals: something beside the seed determines them", cfg.Base)
	}
	return nil
}
