package testscripts_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"worlds/testscripts"
	"worlds/twin"
	"worlds/twin/stripe/spec"
)

// twin/stripe/proof_cases.txt lists what scenario files ask of Stripe.
func TestCaseProof(t *testing.T) {
	files, err := filepath.Glob("*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	asked := regexp.MustCompile(`(?m)^[!? ]*stripe .*?\b(GET|POST|DELETE) (/v1/[^ ?\n]+)`)
	called := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range asked.FindAllStringSubmatch(string(text), -1) {
			if op, _, ok := spec.Lookup(m[1], strings.TrimSuffix(m[2], "/")); ok {
				called[op.Method+" "+op.Path] = true
			}
		}
	}
	lines := slices.Sorted(maps.Keys(called))
	want := strings.Join(lines, "\n") + "\n"
	const path = "../twin/stripe/proof_cases.txt"
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
		t.Errorf("%s is not what the scenario files ask; -update writes it", path)
	}
}

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
