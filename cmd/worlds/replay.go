package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"sync"

	"worlds/admin"
	"worlds/testscripts/invariant"
	"worlds/twin/heap"
	"worlds/twin/world"
)

type replayCmd struct {
	target
	offline
	output
	Args []string `arg:"" optional:"" name:"world" help:"World, by id or name; with --diff, two exported journals." predictor:"world"`
	Mode string   `enum:"fold,re-decide" default:"re-decide" help:"fold: prove the chain and fold the facts. re-decide: execute every command again from the seed; facts and replies must come out the same (default)."`
	To   string   `placeholder:"MARK|N" help:"Replay up to this entry only."`
	Diff bool     `help:"Compare two exported journals instead: the first entry that differs, and where."`
}

// Run makes a world again and compares. It ends with exit code 1 at the first entry
// that differs.
func (c *replayCmd) Run(ctx context.Context, t *terminal) error {
	switch {
	case c.Diff && (len(c.Args) != 2 || c.given() || c.To != ""):
		return usage("--diff: it takes two exported journals, and neither --data, --file nor --to")
	case c.Diff:
		return diffJournals(t, c.Args[0], c.Args[1], c.JSON)
	case len(c.Args) > 1:
		return usage("<world>: one at a time")
	case len(c.Args) == 1:
		c.use(c.Args[0])
	}
	if c.given() {
		list, done, err := c.histories(t, c.World)
		if err != nil {
			return err
		}
		defer func() { _ = done() }()
		return replayAll(t, list, replaying{mode: world.Mode(c.Mode), to: c.To, judge: true}, c.print)
	}
	w, err := c.open(ctx)
	if err != nil {
		return err
	}
	var report admin.LiveReport
	body := map[string]string{"mode": c.Mode}
	if c.To != "" {
		body["to"] = c.To
	}
	if err := w.post(ctx, w.path("/replay"), body, &report); err != nil {
		return err
	}
	found, err := c.judgeLive(ctx, w)
	if err != nil {
		return err
	}
	return c.print(t, w.id, &judged{report, found})
}

// judgeLive holds the journal of a live world to the invariants.
func (c *replayCmd) judgeLive(ctx context.Context, w *remote) ([]invariant.Violation, error) {
	res, err := w.do(ctx, http.MethodGet, w.path("/journal/export"), nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	h, err := (&lineReader{path: "the export", in: bufio.NewReaderSize(res.Body, 1<<20)}).history()
	if err != nil {
		return nil, coded(exitServer, err)
	}
	r, err := h.judge(replaying{mode: world.Fold, to: c.To, judge: true}, nil)
	if err != nil {
		return nil, err
	}
	return r.Violations, nil
}

// replaying is how histories are replayed.
type replaying struct {
	mode  world.Mode
	to    string // up to this position, "" for all
	judge bool   // hold them to the invariants too
}

// judged is the report of a replay, and which invariants do not hold.
type judged struct {
	admin.LiveReport
	Violations []invariant.Violation `json:"violations,omitempty"`
}

// replayAll replays histories side by side and prints their reports in order. Its
// error is the worst of theirs.
func replayAll(t *terminal, list []*history, how replaying, show func(*terminal, string, *judged) error) error {
	heap.Settle()
	p := t.progress("entries")
	var mu sync.Mutex
	total := int64(0)
	type result struct {
		report *judged
		err    error
	}
	results := make([]chan result, len(list))
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, h := range list {
		results[i] = make(chan result, 1)
		go func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			seen := int64(0)
			report, err := h.judge(how, func(n int64) {
				mu.Lock()
				defer mu.Unlock()
				total, seen = total+n-seen, n
				p.at(total)
			})
			results[i] <- result{report, err}
		}()
	}
	var worst error
	for i, h := range list {
		r := <-results[i]
		mu.Lock()
		p.end()
		mu.Unlock()
		if r.err == nil {
			r.err = show(t, h.name, r.report)
		} else if len(list) > 1 {
			t.say("worlds: %s", r.err) // and on to the others
		}
		if worst == nil || exitCode(r.err) > exitCode(worst) {
			worst = r.err
		}
	}
	return worst
}

// judge walks the history, up to a position if one is named, and may hold it to the
// invariants too. What cannot be read is an error, what differs is in the report.
func (h *history) judge(how replaying, progress func(int64)) (*judged, error) {
	entries := h.entries
	if how.to != "" {
		entries = world.Until(entries, how.to)
	}
	if !how.judge {
		report, _ := world.Replay(how.mode, h.genesis, entries, catalogs(), progress)
		return &judged{LiveReport: admin.LiveReport{Report: *report}}, h.failed
	}
	c := invariant.New(&h.genesis.Entry)
	report, st := world.Replay(how.mode, h.genesis, c.Watch(entries), catalogs(), progress)
	if report.Valid {
		c.Rows(st)
		c.Objects()
	}
	return &judged{admin.LiveReport{Report: *report}, c.Found()}, h.failed
}

func (c *replayCmd) print(t *terminal, name string, r *judged) error {
	switch {
	case c.JSON:
		return printReport(t, name, r)
	case !r.Valid:
		return printDivergence(t, name, r)
	case len(r.Violations) > 0:
		fmt.Fprintf(t.out, "%s: equal by %s, but for the invariants: %d violations\n", name, r.Mode, len(r.Violations))
		printViolations(t.out, r.Violations)
		return &answered{exitNo}
	}
	if _, err := fmt.Fprintf(t.out, "%s: equal, %d entries by %s\nhead %s\ndump %s\n", name, r.Entries, r.Mode, r.Head, r.DumpHash); err != nil {
		return err
	}
	if c.File != "" && c.To == "" {
		_, err := fmt.Fprintf(t.out, "up to entry %d; nothing in the file says that this is the end: compare the head with one kept elsewhere\n", r.Entries)
		return err
	}
	return nil
}

// printReport prints a report for programs; there is a live side only where a live
// world was held against it.
func printReport(t *terminal, name string, r *judged) error {
	var err error
	if r.LiveHead == "" {
		err = t.json(struct {
			World string `json:"world"`
			world.Report
			Violations []invariant.Violation `json:"violations,omitempty"`
		}{name, r.Report, r.Violations})
	} else {
		err = t.json(struct {
			World string `json:"world"`
			*judged
		}{name, r})
	}
	switch {
	case err != nil || r.Valid && len(r.Violations) == 0:
		return err
	case r.Valid:
		return &answered{exitNo}
	}
	return &answered{reportCode(&r.LiveReport)}
}

// printDivergence prints the first entry that differs, and how, and the invariants
// that do not hold.
func printDivergence(t *terminal, name string, r *judged) error {
	printDifferences(t.out, name, &r.LiveReport)
	printViolations(t.out, r.Violations)
	return &answered{reportCode(&r.LiveReport)}
}

// violationsMax is how many violations people are shown.
const violationsMax = 20

func printViolations(out io.Writer, found []invariant.Violation) {
	for i, v := range found {
		if i == violationsMax {
			fmt.Fprintf(out, "  and %d more; --json has them all\n", len(found)-i)
			return
		}
		fmt.Fprintf(out, "  %s\n", plain(fmt.Sprint(v)))
	}
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
		fmt.Fprintf(out, ": %s", plain(r.Detail))
	}
	fmt.Fprintln(out)
	for i, f := range r.Faults {
		if i > 0 {
			fmt.Fprintf(out, "  and at entry %d: %s\n", f.Seq, plain(f.Reason))
		}
	}
	for _, d := range r.Changes {
		fmt.Fprintf(out, "  %s\n    recorded  %s\n    replayed  %s\n", plain(d.Part), plain(string(d.Recorded)), plain(string(d.Replayed)))
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
