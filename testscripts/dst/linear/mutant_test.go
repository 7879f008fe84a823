//go:build mutant

package linear_test

import (
	"errors"
	"testing"

	"worlds/journal/mutant"
	"worlds/testscripts/dst/linear"
)

// seedsOfMutant is how many seeds a planted bug may live through.
const seedsOfMutant = 20

// Bugs that are planted in the server are seen in what it answers.
func TestMutants(t *testing.T) {
	defer mutant.Set("")
	for _, name := range []string{"lost-update", "stale-idempotency", "refund-counted-twice", "balance-moves-twice"} {
		t.Run(name, func(t *testing.T) {
			mutant.Set("")
			server := serve(t, nil)
			mutant.Set(name)
			for seed := range uint64(seedsOfMutant) {
				_, err := linear.Run(t.Context(), linear.Config{Seed: seed, Calls: 120, Dir: t.TempDir(), Server: func() string { return server.URL }})
				if errors.Is(err, linear.ErrImpossible) {
					t.Logf("killed by seed %d: %v", seed, err)
					return
				}
			}
			t.Errorf("it lives; its site was passed %d times", mutant.Reached())
		})
	}
}
