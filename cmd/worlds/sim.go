package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"worlds/testscripts/sim"
)

type simCmd struct {
	Filters     []string `arg:"" optional:"" name:"filter" help:"Play the scenarios whose id or name has this in it, or the one whose id this is; all by default."`
	Dir         string   `placeholder:"DIR" help:"Folder of scenarios with a book.txt; the built-in book by default." predictor:"folder"`
	Verbose     bool     `short:"v" help:"Print the trace of every scenario, attempts on their way in it."`
	Color       bool     `help:"Print in colour, whatever stdout is." xor:"color"`
	NoColor     bool     `help:"Print without colour." xor:"color"`
	Fence       bool     `help:"Fence every scenario." xor:"fence"`
	NoFence     bool     `help:"Fence no scenario." xor:"fence"`
	ReportOnly  bool     `help:"End with 0 whatever comes of it."`
	SummaryFile string   `placeholder:"FILE" help:"Write a summary, as Markdown."`
	DetailFile  string   `placeholder:"FILE" help:"Write the traces."`
	Title       string   `default:"Simulation" placeholder:"TEXT" help:"Title of the summary."`
	Schedule    string   `placeholder:"S" help:"Play in this order of permits, as an exploration printed it."`
	Explore     bool     `help:"Play the scenarios that leave the order open in every order."`
	Seed        uint64   `placeholder:"N" help:"Of the random orders of an exploration."`
	Max         int      `placeholder:"N" help:"Try at most so many orders of a scenario."`
	output
}

// Help is the long help of the verb.
func (*simCmd) Help() string {
	return "Scenarios say which race happens. How they are written and read: docs/simulation.md."
}

// Run plays scenarios; it ends with 1 when one has other reds than its book declares.
func (c *simCmd) Run(ctx context.Context, t *terminal) error {
	book, err := sim.Book()
	if c.Dir != "" {
		book, err = sim.LoadBook(c.Dir)
	}
	if err != nil {
		return coded(exitUsage, err)
	}
	picked, err := sim.Select(book, c.Filters)
	if err != nil {
		return coded(exitUsage, err)
	}
	if c.Schedule != "" && len(picked) != 1 {
		return usage("--schedule: it is of one scenario, and %d match", len(picked))
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	opt := sim.Options{Verbose: c.Verbose, Schedule: c.Schedule, Path: filepath.Dir(program)}
	if c.Fence || c.NoFence {
		opt.Fence = &c.Fence
	}
	if c.Explore {
		return c.explore(ctx, t, picked, opt)
	}
	return c.play(ctx, t, picked, opt)
}

func (c *simCmd) play(ctx context.Context, t *terminal, picked []*sim.Scenario, opt sim.Options) error {
	var results []*sim.Result
	detail := ""
	other := 0
	for _, sc := range picked {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		r := sim.Play(ctx, sc, opt)
		results = append(results, r)
		detail += sim.Render(r, false) + "\n"
		if r.Reds != r.Expects { // known reds stay red, and one that is mended shows, too
			other++
		}
		if !c.JSON {
			c.show(t, r)
		}
	}
	if c.JSON {
		if err := t.json(results); err != nil {
			return err
		}
	} else {
		fmt.Fprintln(t.out, sim.Footer(results))
	}
	err := errors.Join(keep(c.SummaryFile, sim.Markdown(c.Title, results)), keep(c.DetailFile, detail))
	if err == nil && other > 0 && !c.ReportOnly {
		err = &answered{exitNo}
	}
	return err
}

// show prints a play: its lines when asked for, or when it is red.
func (c *simCmd) show(t *terminal, r *sim.Result) {
	if c.Verbose || !r.Passed {
		fmt.Fprintln(t.out, sim.Render(r, c.coloured(t)))
		return
	}
	fmt.Fprintf(t.out, "ok   %s\n", sim.Header(r, true))
}

func (c *simCmd) explore(ctx context.Context, t *terminal, picked []*sim.Scenario, opt sim.Options) error {
	failed, directed := 0, 0
	explorations := []*sim.Exploration{}
	for _, sc := range picked {
		began := time.Now()
		x, err := sim.Explore(ctx, sc, sim.ExploreOptions{Options: opt, Seed: c.Seed, Max: c.Max})
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, sim.ErrDirected) && len(picked) > 1:
			directed++
			continue
		case err != nil:
			return coded(exitUsage, err)
		}
		explorations = append(explorations, x)
		if !x.Passed() {
			failed++
		}
		if !c.JSON {
			fmt.Fprintf(t.out, "%s     in %s\n", sim.RenderExploration(x, c.Dir, c.coloured(t)), time.Since(began).Round(time.Millisecond))
		}
	}
	switch {
	case len(explorations) == 0:
		return usage("none of the scenarios leaves the order open")
	case c.JSON:
		if err := t.json(explorations); err != nil {
			return err
		}
	case directed > 0:
		fmt.Fprintf(t.out, "%d scenario(s) say themselves who goes when, and were not explored\n", directed)
	}
	if failed > 0 && !c.ReportOnly {
		return &answered{exitNo}
	}
	return nil
}

// coloured reports whether to print in colour: on a terminal, unless NO_COLOR or a
// flag says otherwise.
func (c *simCmd) coloured(t *terminal) bool {
	switch {
	case c.Color:
		return true
	case c.NoColor, os.Getenv("NO_COLOR") != "":
		return false
	}
	f, ok := t.out.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

func keep(file, text string) error {
	if file == "" {
		return nil
	}
	return os.WriteFile(file, []byte(text), 0o600)
}
