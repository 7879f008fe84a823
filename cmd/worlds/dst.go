package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"worlds/testscripts/dst"
)

type dstCmd struct {
	Run  dstRunCmd  `cmd:"" default:"withargs" help:"Simulate histories that nobody wrote, and check what must hold (the default)."`
	Soak dstSoakCmd `cmd:"" help:"Simulate until a time comes, and keep files of it."`
}

// dstFlags are what a run is determined by. What is left out is the environment's
// (WORLDS_DST_SEEDS and the like), or usual.
type dstFlags struct {
	Seeds    int    `help:"How many runs (8)."`
	SeedBase uint64 `help:"Seed of the first run (the time of day)."`
	Rounds   int    `help:"Rounds of a run (40)."`
	Profile  string `help:"sparse, populated or mixed."`
	Width    int    `help:"Worlds of a run (2)."`
	Delivery string `help:"How events are consumed: full or delta."`
	Models   string `help:"The twins to hold against a model: stripe,zendesk, or none."`
	Debug    string `help:"Print operations that touch these kinds or ids, or evt:TYPE; joined by commas."`
}

// config is the flags over the environment.
func (f *dstFlags) config() (dst.Config, error) {
	c, err := dst.FromEnv()
	if err != nil {
		return c, usage("%w", err)
	}
	for _, n := range []struct {
		from int
		into *int
	}{{f.Seeds, &c.Seeds}, {f.Rounds, &c.Rounds}, {f.Width, &c.Width}} {
		if n.from != 0 {
			*n.into = n.from
		}
	}
	for _, s := range []struct {
		from string
		into *string
	}{{f.Profile, &c.Profile}, {f.Delivery, &c.Delivery}, {f.Models, &c.Models}, {f.Debug, &c.Debug}} {
		if s.from != "" {
			*s.into = s.from
		}
	}
	if f.SeedBase != 0 {
		c.Base = f.SeedBase
	}
	if err := c.Check(); err != nil {
		return c, usage("%w", err)
	}
	return c, nil
}

type dstRunCmd struct {
	dstFlags
	Coverage bool   `help:"Print what was reached, and what never was."`
	Scenario string `placeholder:"FOLDER" help:"Write the smallest history that fails like each failure as a scenario file." predictor:"folder"`
}

// Run simulates.
func (c *dstRunCmd) Run(ctx context.Context, t *terminal) error {
	cfg, err := c.config()
	if err != nil {
		return err
	}
	sweep, err := dst.Run(ctx, cfg, t.out)
	if err != nil {
		return err
	}
	if c.Coverage {
		sweep.Coverage.Report(t.out)
	}
	if c.Scenario != "" {
		for _, failed := range sweep.Failed {
			if err := writeScenario(ctx, t.out, cfg, c.Scenario, failed); err != nil {
				return err
			}
		}
	}
	if n := len(sweep.Failed) + len(sweep.Idle); n > 0 {
		return coded(exitNo, fmt.Errorf("%d of %d runs failed", n, sweep.Runs))
	}
	if sweep.Blind != nil {
		return coded(exitNo, sweep.Blind)
	}
	return ctx.Err()
}

// writeScenario shrinks a failure and writes it.
func writeScenario(ctx context.Context, out io.Writer, cfg dst.Config, folder string, failed *dst.Result) error {
	story, failure, err := dst.Shrink(ctx, cfg, failed)
	if err != nil {
		return err
	}
	text, err := dst.Script(ctx, cfg, failed.Seed, story, failure)
	if err != nil {
		return err
	}
	file := filepath.Join(folder, fmt.Sprintf("dst_%d.txtar", failed.Seed))
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	fmt.Fprintf(out, "seed %d: %d operations shrank to %d: %s\n", failed.Seed, len(failed.History), story.Len(), file)
	return os.WriteFile(file, []byte(text), 0o644)
}

type dstSoakCmd struct {
	dstFlags
	Until   string        `required:"" help:"When it ends: a span such as 8h, or a moment such as 2026-01-02T15:04:05Z."`
	Dir     string        `default:"worlds-dst" help:"Where its files go." predictor:"folder"`
	Timeout time.Duration `default:"10m" help:"What one run may take."`
	Crash   string        `placeholder:"FILE" help:"The test binary of testscripts/dst/crash, which kills servers between the runs." predictor:"file"`
}

// Exit codes of a soak, beside 1 for failures found.
const (
	exitTimeout  = 3 // a run took too long
	exitHopeless = 4 // three runs in a row failed fast
)

// Run soaks.
func (c *dstSoakCmd) Run(ctx context.Context, t *terminal) error {
	cfg, err := c.config()
	if err != nil {
		return err
	}
	until, err := time.Parse(time.RFC3339, c.Until)
	if span, bad := time.ParseDuration(c.Until); bad == nil {
		until, err = time.Now().Add(span), nil
	}
	if err != nil {
		return usage("--until is a span such as 8h or a moment such as 2026-01-02T15:04:05Z, not %q", c.Until)
	}
	soak := dst.Soak{Config: cfg, Dir: c.Dir, Until: until, Timeout: c.Timeout, Crash: c.Crash}
	all, err := soak.Run(ctx, t.out)
	if err != nil {
		return err
	}
	fmt.Fprintf(t.out, "%d runs, %d failed\n", all.Runs, all.Failed)
	switch {
	case all.Hopeless:
		return coded(exitHopeless, fmt.Errorf("three runs in a row failed fast: see %s", c.Dir))
	case all.TimedOut:
		return coded(exitTimeout, fmt.Errorf("a run took longer than %s: see %s", c.Timeout, c.Dir))
	case all.Failed > 0:
		return coded(exitNo, fmt.Errorf("%d of %d runs failed: see %s", all.Failed, all.Runs, c.Dir))
	}
	return nil
}
