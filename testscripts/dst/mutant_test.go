//go:build mutant

package dst

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"worlds/journal/mutant"
)

// mutantNames is a variable that says which bugs TestMutants hunts (those that no kept
// story shows).
const mutantNames = "WORLDS_DST_MUTANTS"

// TestMutants plays the kept story of each bug: with the bug it must fail as it did,
// and without it must not fail. With -update it first hunts the bugs that no story
// shows, by up to 200 seeds, and keeps the smallest story that it finds.
func TestMutants(t *testing.T) {
	defer mutant.Set("")
	kills := readKills(t)
	if *update {
		kills = huntAll(t, kills)
	}
	for _, k := range kills {
		t.Run(k.Mutant, func(t *testing.T) {
			if property := k.shows(t, ""); property != "" {
				t.Errorf("the story fails without the bug: %s", property)
			}
			if property := k.shows(t, k.Mutant); property != k.Property {
				t.Errorf("the story shows %q, not %q", property, k.Property)
			}
		})
	}
}

// config is that of the run which found a bug.
func (k *kill) config() Config {
	return Config{Seeds: 1, Base: k.Seed, Rounds: RoundsUsual, Profile: k.Profile, Width: WidthLeast, Delivery: k.Delivery, Models: Models}
}

// shows plays the story with a bug and returns the property that fails.
func (k *kill) shows(t *testing.T, name string) (property string) {
	t.Helper()
	on(t, name, func(e *engine) {
		f, _ := perform(t.Context(), e, k.config(), k.Seed, k.Story, true, nil)
		if f != nil {
			property = f.Property
		}
	})
	return property
}

// on does something with a server that has a bug, or none.
func on(t *testing.T, name string, do func(*engine)) {
	t.Helper()
	mutant.Set(name)
	e, err := openEngine(nil)
	if err != nil {
		t.Fatal(err)
	}
	do(e)
	_ = e.close() // the server may have a bug on purpose
}

// huntAll hunts what no story kills, or those that are named.
func huntAll(t *testing.T, kills []kill) []kill {
	t.Helper()
	names := os.Getenv(mutantNames)
	for _, m := range mutant.All() {
		at := slices.IndexFunc(kills, func(k kill) bool { return k.Mutant == m.Name })
		if elsewhere[m.Name] != "" || names == "" && at >= 0 || names != "" && !slices.Contains(strings.Split(names, ","), m.Name) {
			continue
		}
		k := hunt(t, m.Name)
		if k == nil {
			continue
		}
		if at >= 0 {
			kills = slices.Delete(kills, at, at+1)
		}
		kills = append(kills, *k)
		slices.SortFunc(kills, func(a, b kill) int { return cmp.Compare(a.Mutant, b.Mutant) })
		keepKills(t, kills)
	}
	return kills
}

func keepKills(t *testing.T, kills []kill) {
	t.Helper()
	var b bytes.Buffer
	for i := range kills {
		if err := json.NewEncoder(&b).Encode(&kills[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(killsFile, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// enough is a story that need not be smaller, and huntShrinks how many are made small
// in the hope of one.
const (
	enough      = 6
	huntShrinks = 3
)

// hunt looks for a seed that finds a bug, and a small story of it. Sparse runs come
// first: they are quick, and shrink quickly.
func hunt(t *testing.T, name string) (best *kill) {
	t.Helper()
	reached, shrinks := int64(0), 0
	for n := 0; n < huntSeeds && shrinks < huntShrinks; n++ {
		k := &kill{Mutant: name, Seed: uint64(n + 1), Profile: Sparse, Delivery: rotation[n%len(rotation)].delivery}
		if n >= huntSeeds/2 {
			k.Profile = Populated
		}
		var result *Result
		on(t, name, func(e *engine) { result = one(t.Context(), e, k.config(), k.Seed, nil) })
		reached += mutant.Reached()
		if result.Failure == nil || k.sound(t) != "" { // nothing was found, or what fails without the bug, too
			continue
		}
		shrinks++
		mutant.Set(name)
		var err error
		if k.Story, _, err = Shrink(t.Context(), k.config(), result); err != nil {
			t.Fatal(err)
		}
		k.Property, k.Whole = result.Failure.Property, len(result.History)
		if k.shows(t, "") != "" || k.shows(t, name) != k.Property {
			continue // without all that is left out, it is another story
		}
		if best == nil || k.Story.Len() < best.Story.Len() {
			best = k
		}
		if best.Story.Len() <= enough {
			break
		}
	}
	switch {
	case best == nil:
		t.Errorf("%s is not found by %d seeds; its site was passed %d times", name, huntSeeds, reached)
	default:
		t.Logf("%s: seed %d, %s, %s: %s, %d operations shrank to %d", name, best.Seed, best.Profile, best.Delivery, best.Property, best.Whole, best.Story.Len())
	}
	return best
}

// without is how runs end without a bug, by their configuration.
var without = map[Config]string{}

// sound does a run without a bug, once, and returns what failed.
func (k *kill) sound(t *testing.T) string {
	t.Helper()
	property, done := without[k.config()]
	if !done {
		on(t, "", func(e *engine) {
			if f := one(context.Background(), e, k.config(), k.Seed, nil).Failure; f != nil {
				property = f.Property
			}
		})
		without[k.config()] = property
	}
	return property
}
