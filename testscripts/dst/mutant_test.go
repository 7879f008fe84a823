//go:build dst && mutant

package dst

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"worlds/journal/mutant"
)

// Variables of TestMutants: at most how many seeds, and which mutants (all).
const (
	mutantSeeds = "WORLDS_DST_MUTANT_SEEDS"
	mutantNames = "WORLDS_DST_MUTANTS"
)

// TestMutants plants one bug after the other and says by which seed and property it was
// found, and how small its history became. It fails for those that were reached and
// not found.
func TestMutants(t *testing.T) {
	seeds := 200
	if text := os.Getenv(mutantSeeds); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		seeds = n
	}
	for _, m := range mutant.All() {
		if names := os.Getenv(mutantNames); names != "" && !strings.Contains(","+names+",", ","+m.Name+",") {
			continue
		}
		hunt(t, m, seeds)
	}
	mutant.Set("")
}

func hunt(t *testing.T, m mutant.Mutant, seeds int) {
	cfg, err := FromEnv()
	if err != nil {
		t.Fatal(err)
	}
	cfg.Seeds, cfg.Base = 1, 1
	reached := int64(0)
	for n := range seeds {
		turn := rotation[n%len(rotation)]
		if turn.profile = Sparse; n >= seeds/2 { // what takes longer, and shrinks slower, comes last
			turn.profile = Populated
		}
		cfg.Base, cfg.Profile, cfg.Delivery = uint64(n+1), turn.profile, turn.delivery
		if sound(t, cfg) != "" {
			continue // it fails without the bug
		}
		result := with(t, m.Name, cfg)
		reached += mutant.Reached()
		if result.Failure == nil {
			continue
		}
		mutant.Set(m.Name)
		ops, _, err := Shrink(context.Background(), cfg, result)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("| `%s` | %s | %d, %s, %s | `%s` | %d |\n", m.Name, m.Family, cfg.Base, turn.profile, turn.delivery, result.Failure.Property, len(ops))
		return
	}
	if reached == 0 {
		fmt.Printf("| `%s` | %s | never reached | | |\n", m.Name, m.Family)
		return
	}
	fmt.Printf("| `%s` | %s | not found | | |\n", m.Name, m.Family)
	t.Errorf("%s was reached and not found by %d seeds", m.Name, seeds)
}

// without is how runs end without a bug, by their configuration.
var without = map[Config]string{}

// sound does a run without a bug, once, and returns what failed.
func sound(t *testing.T, cfg Config) string {
	t.Helper()
	property, done := without[cfg]
	if !done {
		if result := with(t, "", cfg); result.Failure != nil {
			property = result.Failure.Property
		}
		without[cfg] = property
	}
	return property
}

// with does a run with a mutant on.
func with(t *testing.T, name string, cfg Config) *Result {
	t.Helper()
	mutant.Set(name)
	e, err := openEngine(nil)
	if err != nil {
		t.Fatal(err)
	}
	result := one(context.Background(), e, cfg, cfg.Base, nil)
	_ = e.close() // the server may have a bug on purpose
	return result
}
