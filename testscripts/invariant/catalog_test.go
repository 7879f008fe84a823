package invariant_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"worlds/testscripts/invariant"
)

var update = flag.Bool("update", false, "rewrite the table in docs/invariants.md")

const (
	page      = "../../docs/invariants.md"
	tableFrom = "| id | what it says | how it is checked |\n|---|---|---|\n"
)

// TestPageListsThemAll compares the table of docs/invariants.md with the catalog.
func TestPageListsThemAll(t *testing.T) {
	var want strings.Builder
	seen := map[string]bool{}
	for _, i := range invariant.Invariants() {
		if seen[i.ID] {
			t.Errorf("%s stands twice", i.ID)
		}
		seen[i.ID] = true
		fmt.Fprintf(&want, "| `%s` | %s | %s |\n", i.ID, i.Says, i.How)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), tableFrom)
	if !ok {
		t.Fatalf("%s has no table", page)
	}
	end := strings.Index(rest, "\n\n") + 1
	if rest[:end] == want.String() {
		return
	}
	if !*update {
		t.Fatalf("the table of %s is not that of the catalog: go test ./testscripts/invariant -update", page)
	}
	if err := os.WriteFile(page, []byte(before+tableFrom+want.String()+rest[end:]), 0o644); err != nil {
		t.Fatal(err)
	}
}
