package dst

import (
	"context"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// coverageFile is what the fixed sweep reaches, and what it does not, with the reasons.
const coverageFile = "testdata/coverage.txt"

// coverageSweep is the sweep that the file is measured by: without models, for nothing
// to be left out for their sake.
var coverageSweep = []Config{
	{Seeds: 120, Base: 1, Rounds: 100, Profile: Sparse, Width: WidthLeast, Delivery: Full, Models: "none"},
	{Seeds: 120, Base: 1001, Rounds: 100, Profile: Sparse, Width: WidthLeast, Delivery: Delta, Models: "none"},
	{Seeds: 20, Base: 2001, Rounds: 100, Profile: Populated, Width: WidthLeast, Delivery: Full, Models: "none"},
	{Seeds: 20, Base: 3001, Rounds: 100, Profile: Populated, Width: WidthLeast, Delivery: Delta, Models: "none"},
}

// covered does the sweep, or so many seeds of each part of it.
func covered(t *testing.T, seeds int) *Coverage {
	t.Helper()
	var wg sync.WaitGroup
	parts := make([]*Sweep, len(coverageSweep))
	for i, cfg := range coverageSweep {
		cfg.Seeds = min(cfg.Seeds, seeds)
		wg.Go(func() {
			sweep, err := Run(context.Background(), cfg, io.Discard)
			if err != nil {
				t.Error(err)
				return
			}
			for _, r := range sweep.Failed {
				t.Errorf("%s\n%v", cfg.Replay(r.Seed), r.Failure)
			}
			parts[i] = sweep
		})
	}
	wg.Wait()
	all := NewCoverage()
	for _, sweep := range parts {
		if sweep != nil {
			all.Add(sweep.Coverage)
		}
	}
	return all
}

// TestCoverageIsListed: the first seeds of the sweep reach nothing that the list does not
// have; the list has each route, and each state of each route's objects, among what is
// reached or among what never is, and there with a reason.
func TestCoverageIsListed(t *testing.T) {
	text, err := os.ReadFile(coverageFile)
	if err != nil {
		t.Fatal(err)
	}
	listed := readCoverage(string(text))
	for triple := range covered(t, 2).Triples {
		if *update {
			listed.Triples[triple] = 1
		} else if listed.Triples[triple] == 0 {
			t.Errorf("%v is reached, and not in %s: write it anew, go test -tags dst ./testscripts/dst -run TestCoverage -update", triple, coverageFile)
		}
	}
	if *update {
		if err := os.WriteFile(coverageFile, []byte(listed.list()), 0o644); err != nil { // the reasons, and what is new
			t.Fatal(err)
		}
		return
	}
	if listed.list() != string(text) {
		t.Errorf("%s is not as the list is written now", coverageFile)
	}
	_, never, _ := strings.Cut(string(text), neverHead)
	if was := strings.TrimSpace(never); was != strings.Join(listed.Never(), "\n") {
		t.Errorf("what is never reached is not what %s says:\n%s", coverageFile, strings.Join(listed.Never(), "\n"))
	}
	for _, line := range listed.Never() {
		if !strings.Contains(line, "(") {
			t.Errorf("%s, and unreachable (routes.go) has no reason", line)
		}
	}
	for name := range unreachable {
		if !slices.ContainsFunc(listed.Never(), func(line string) bool {
			key, _, _ := strings.Cut(strings.Replace(strings.Replace(line, ": no success", "", 1), ": never in state", "", 1), " (")
			return key == name
		}) {
			t.Errorf("%s has a reason never to be reached, and is reached", name)
		}
	}
}

// readCoverage reads what list wrote.
func readCoverage(text string) *Coverage {
	c := NewCoverage()
	reached, _, _ := strings.Cut(text, neverHead)
	route := ""
	for line := range strings.Lines(reached) {
		line = strings.TrimSuffix(line, "\n")
		if rest, ok := strings.CutPrefix(line, "  "); ok {
			state, outcomes, _ := strings.Cut(rest, ": ")
			for _, outcome := range strings.Split(outcomes, ", ") {
				c.Triples[Triple{route, outcome, state}] = 1
			}
			continue
		}
		route = line
	}
	return c
}
