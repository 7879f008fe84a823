package mutant_test

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"worlds/journal/mutant"
	"worlds/testscripts/invariant"
)

const root = "../.."

var site = regexp.MustCompile(`mutant\.Is\(("?[^)]*"?)\)`)

// TestEveryMutantHasOneSite: each name of the catalog stands at one place in the
// product, and nothing else is asked for.
func TestEveryMutantHasOneSite(t *testing.T) {
	sites := map[string][]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == "mutant" || strings.HasPrefix(d.Name(), ".") && path != root):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		for _, m := range site.FindAllSubmatch(text, -1) {
			sites[string(m[1])] = append(sites[string(m[1])], path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mutant.All() {
		name := `"` + m.Name + `"`
		if len(sites[name]) != 1 {
			t.Errorf("%s has %d sites: %v", m.Name, len(sites[name]), sites[name])
		}
		if m.Family == "" || m.Breaks == "" {
			t.Errorf("%s does not say what it breaks", m.Name)
		}
		delete(sites, name)
	}
	for name, where := range sites {
		t.Errorf("%v ask for %s, which the catalog does not have", where, name)
	}
}

// beyond are the families of what is no invariant: worlds that know of each other,
// streams, and what only a second model of the API sees.
var beyond = []string{"isolation", "stream", "model"}

// TestEveryFamilyHasAMutant: each family of the invariants, and each beyond them, is
// broken by some mutant, and no mutant is of another.
func TestEveryFamilyHasAMutant(t *testing.T) {
	families := map[string]bool{}
	for _, i := range invariant.Invariants() {
		family, _, _ := strings.Cut(i.ID, ".")
		families[family] = false
	}
	for _, family := range beyond {
		families[family] = false
	}
	for _, m := range mutant.All() {
		if _, ok := families[m.Family]; !ok {
			t.Errorf("%s is of %s, and there is no such family", m.Name, m.Family)
		}
		families[m.Family] = true
	}
	for family, has := range families {
		if !has {
			t.Errorf("no mutant breaks %s", family)
		}
	}
}

// TestNothingIsLeft builds the product as it is shipped and finds no mutant's name in
// it.
func TestNothingIsLeft(t *testing.T) {
	file := filepath.Join(t.TempDir(), "worlds")
	build := exec.Command("go", "build", "-o", file, "worlds/cmd/worlds")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	binary, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mutant.All() {
		if bytes.Contains(binary, []byte(m.Name)) {
			t.Errorf("%s is in the program", m.Name)
		}
	}
}

// BenchmarkSite shows what a site costs: with it and without it the loop takes the
// same time in an ordinary build.
func BenchmarkSite(b *testing.B) {
	b.Run("without", func(b *testing.B) {
		n := 0
		for b.Loop() {
			n++
		}
		_ = n
	})
	b.Run("with", func(b *testing.B) {
		n := 0
		for b.Loop() {
			if n++; mutant.Is("lost-update") {
				n++
			}
		}
		_ = n
	})
}
