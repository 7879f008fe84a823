package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"
)

// The planted packages bear the real packages' names, so that the real lists
// apply to them. Each offence carries its diagnostic in a want comment; a line
// without one must pass.
func TestPlantedOffences(t *testing.T) {
	for _, pkg := range []string{
		"worlds/admin",
		"worlds/cmd/worlds",
		"worlds/journal/canon",
		"worlds/journal/store",
		"worlds/projection",
		"worlds/twin/serve",
		"worlds/twin/stripe",
		"worlds/twin/world",
	} {
		t.Run(pkg, func(t *testing.T) {
			analysistest.Run(t, analysistest.TestData(), analyzer, pkg)
		})
	}
}

// Go vet itself must be able to run the tool, name the place and fail; the
// package has a test, because vet then compiles it under another name.
func TestUnderGoVet(t *testing.T) {
	tool := filepath.Join(t.TempDir(), "detvet")
	if out, err := exec.Command("go", "build", "-o", tool, ".").CombinedOutput(); err != nil {
		t.Fatalf("building: %v\n%s", err, out)
	}
	module := t.TempDir()
	write(t, filepath.Join(module, "go.mod"), "module worlds\n\ngo 1.26\n")
	write(t, filepath.Join(module, "journal", "clock.go"),
		"package journal\n\nimport t \"time\"\n\nfunc Now() int64 { return t.Now().Unix() }\n")
	write(t, filepath.Join(module, "journal", "clock_test.go"),
		"package journal\n\nimport \"testing\"\n\nfunc TestNow(t *testing.T) { Now() }\n")

	var out bytes.Buffer
	vet := exec.Command("go", "vet", "-vettool="+tool, "./...")
	vet.Dir, vet.Stdout, vet.Stderr = module, &out, &out
	var exit *exec.ExitError
	if err := vet.Run(); !errors.As(err, &exit) {
		t.Fatalf("go vet passed a planted clock read: %v\n%s", err, &out)
	}
	const want = "journal/clock.go:5:29: time.Now in pure package worlds/journal: use tx.Now(), the world's clock\n"
	if got := out.String(); strings.Count(got, want) == 0 {
		t.Errorf("go vet printed\n%s\nwant a line ending in\n%s", got, want)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
