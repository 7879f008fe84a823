package main

import (
	"context"
	"fmt"
	"io"

	"worlds/admin"
	"worlds/twin/world"
)

type replayCmd struct {
	target
	offline
	output
	ID   string `arg:"" optional:"" name:"world" help:"World, by id or name." predictor:"world"`
	Mode string `enum:"fold,re-decide" default:"re-decide" help:"fold: prove the chain and fold the facts. re-decide: execute every command again from the seed; facts and replies must come out the same (default)."`
}

// Run makes a world again and compares. It ends with exit code 1 at the first entry
// that differs.
func (c *replayCmd) Run(ctx context.Context, t *terminal) error {
	c.use(c.ID)
	if c.given() {
		h, done, err := c.one(t, c.World)
		if err != nil {
			return err
		}
		defer func() { _ = done() }()
		report, err := h.replay(t, world.Mode(c.Mode))
		if err != nil {
			return err
		}
		return c.print(t, h.name, &admin.LiveReport{Report: *report})
	}
	w, err := c.open()
	if err != nil {
		return err
	}
	var report admin.LiveReport
	if err := w.post(ctx, w.path("/replay"), map[string]string{"mode": c.Mode}, &report); err != nil {
		return err
	}
	return c.print(t, w.id, &report)
}

// replay walks the history. What cannot be read is an error, what differs is in
// the report.
func (h *history) replay(t *terminal, mode world.Mode) (*world.Report, error) {
	p := t.progress("entries")
	defer p.end()
	report, _ := world.Replay(mode, h.genesis, h.entries, catalogs(), p.at)
	return report, h.failed
}

func (c *replayCmd) print(t *terminal, name string, r *admin.LiveReport) error {
	if c.JSON {
		return printReport(t, name, r)
	}
	if !r.Valid {
		return printDivergence(t, name, r)
	}
	_, err := fmt.Fprintf(t.out, "%s: equal, %d entries by %s\nhead %s\ndump %s\n", name, r.Entries, r.Mode, r.Head, r.DumpHash)
	return err
}

// printReport prints a report for programs; there is a live side only where a live
// world was held against it.
func printReport(t *terminal, name string, r *admin.LiveReport) error {
	var err error
	if r.LiveHead == "" {
		err = t.json(struct {
			World string `json:"world"`
			world.Report
		}{name, r.Report})
	} else {
		err = t.json(struct {
			World string `json:"world"`
			*admin.LiveReport
		}{name, r})
	}
	if err != nil || r.Valid {
		return err
	}
	return &answered{reportCode(r)}
}

// printDivergence prints the first entry that differs, and how.
func printDivergence(t *terminal, name string, r *admin.LiveReport) error {
	printDifferences(t.out, name, r)
	return &answered{reportCode(r)}
}

func printDifferences(out io.Writer, name string, r *admin.LiveReport) {
	fmt.Fprintf(out, "%s: %s", name, r.Failure)
	switch {
	case r.Seq > 0:
		fmt.Fprintf(out, " at entry %d", r.Seq)
	case r.Failure == world.FailHead:
		fmt.Fprintf(out, ": the journal ends in %s, the world in %s", r.Head, r.LiveHead)
	case r.Failure == world.FailState:
		fmt.Fprintf(out, ": the journal gives the dump %s, the world %s", r.DumpHash, r.LiveDumpHash)
	}
	if r.Detail != "" {
		fmt.Fprintf(out, ": %s", r.Detail)
	}
	fmt.Fprintln(out)
	for _, d := range r.Changes {
		fmt.Fprintf(out, "  %s\n    recorded  %s\n    replayed  %s\n", d.Part, d.Recorded, d.Replayed)
	}
}

// reportCode is the exit code of a report that is not valid.
func reportCode(r *admin.LiveReport) int {
	switch r.Failure {
	case world.FailRules:
		return exitVersion
	case world.FailFrame:
		return exitDamaged
	}
	return exitNo
}
