package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// A short bench has a cell for every job, under every load, and none is idle.
func TestBench(t *testing.T) {
	out := must(t, "bench", "--worlds", "2", "--clients", "1,2", "--seconds", "0.02", "--rounds", "1", "--durability", "relaxed", "--json")
	var r benchReport
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	if want := 2 * len(benchJobs()); len(r.Cells) != want {
		t.Fatalf("%d cells, not %d", len(r.Cells), want)
	}
	for _, c := range r.Cells {
		if c.PerSecond <= 0 || c.Floor <= 0 || c.P50Micros <= 0 || c.P99Micros < c.P50Micros {
			t.Errorf("%+v", c)
		}
	}
}

// The check ends in one state whatever the order in which the worlds ran.
func TestBenchCheck(t *testing.T) {
	if out := must(t, "bench", "--worlds", "8", "--check"); !strings.HasPrefix(out, "8 worlds, one state\n") {
		t.Fatal(out)
	}
}
