package main

import (
	"os"
	"path/filepath"
	"testing"

	"worlds/seed"
)

func TestSeedGen(t *testing.T) {
	clean(t)
	must(t, "seed", "gen", "--check")
	for _, name := range seed.Names() {
		want, _ := seed.Source(name)
		if got := must(t, "seed", "gen", name); got != string(want) {
			t.Errorf("%s is generated in another way", name)
		}
	}
	path := filepath.Join(t.TempDir(), "x.json")
	must(t, "seed", "gen", "empty", "--out", path)
	if got, _ := os.ReadFile(path); string(got) != must(t, "seed", "show", "empty") {
		t.Errorf("%s", got)
	}
	for _, args := range [][]string{{"seed", "gen"}, {"seed", "gen", "nope"}} {
		if got := worlds(t, args...); got.code != exitUsage || got.stdout != "" {
			t.Errorf("%v: %+v", args, got)
		}
	}
}
