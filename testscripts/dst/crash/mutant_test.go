//go:build mutant

package crash_test

import (
	"strings"
	"testing"

	"worlds/journal/mutant"
	"worlds/journal/store"
	"worlds/testscripts/dst/crash"
)

// A server that answers before its entry is durable loses what it acknowledged.
func TestMutantEarlyPublish(t *testing.T) {
	t.Setenv(mutant.Variable, "early-publish")
	for seed := range uint64(5) {
		_, err := crash.Run(t.Context(), crash.Config{Seed: seed, Dir: t.TempDir(), Durability: store.Sync})
		if err != nil && strings.Contains(err.Error(), "acknowledged, and not there") {
			t.Logf("killed: %.300v", err)
			return
		}
		if err != nil {
			t.Logf("seed %d: %.300v", seed, err)
		}
	}
	t.Error("it lives")
}
