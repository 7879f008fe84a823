package arch

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// The archive testdata/lint.txtar is a small module with planted offences,
// named like ours so that our configuration applies. Its file "want" lists,
// sorted, what golangci-lint must say, as "file:line: linter".
func TestLintConfig(t *testing.T) {
	linter, err := exec.LookPath("golangci-lint")
	if err != nil {
		if os.Getenv("WORLDS_FORCE_SDK") != "" {
			t.Fatal(err)
		}
		t.Skip("golangci-lint is not installed")
	}
	archive, err := txtar.ParseFile("testdata/lint.txtar")
	if err != nil {
		t.Fatal(err)
	}
	config, err := os.ReadFile(filepath.Join(root, ".golangci.yml"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var want string
	for _, f := range append(archive.Files, txtar.File{Name: ".golangci.yml", Data: config}) {
		if f.Name == "want" {
			want = string(f.Data)
			continue
		}
		name := filepath.Join(dir, f.Name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, f.Data, 0o644)); err != nil {
			t.Fatal(err)
		}
	}

	var stderr bytes.Buffer
	lint := exec.Command(linter, "run", "--allow-parallel-runners", "--show-stats=false", "--output.text.print-issued-lines=false", "./...")
	lint.Dir, lint.Stderr = dir, &stderr
	lint.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	out, err := lint.Output()
	if err == nil {
		t.Fatalf("golangci-lint passed planted offences\n%s", &stderr)
	}
	if got := summary(string(out)); got != want {
		t.Errorf("golangci-lint printed\n%s%s\ngot\n%s\nwant\n%s", out, &stderr, got, want)
	}
}

// summary sorts the lines "file:line:column: message (linter)", each shortened
// to "file:line: linter".
func summary(out string) string {
	var short []string
	for line := range strings.Lines(out) {
		parts := strings.SplitN(line, ":", 3)
		open := strings.LastIndex(line, "(")
		if len(parts) < 3 || open < 0 {
			continue
		}
		short = append(short, parts[0]+":"+parts[1]+": "+strings.Trim(line[open:], "()\n")+"\n")
	}
	slices.Sort(short)
	return strings.Join(short, "")
}
