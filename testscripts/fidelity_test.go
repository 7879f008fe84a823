package testscripts_test

import (
	"os"
	"testing"

	"worlds/testscripts"
	"worlds/twin"
)

// docs/fidelity.md says what the route tables say.
func TestFidelity(t *testing.T) {
	const path = "../docs/fidelity.md"
	want := twin.FidelityText(testscripts.Catalogs())
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/fidelity.md is not what the route tables say; -update writes it")
	}
}

// Every route has a judgement, and of every Stripe route it is known how it is
// shown to be right.
func TestFidelityIsWhole(t *testing.T) {
	for _, c := range testscripts.Catalogs() {
		for _, r := range c.Fidelity().Routes {
			if c.Cover != nil && (r.Tier < 1 || r.Tier > 3 || len(r.Proof) == 0) {
				t.Errorf("%s %s: tier %d, proof %v", r.Method, r.Path, r.Tier, r.Proof)
			}
		}
	}
}
