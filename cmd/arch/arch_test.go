package arch

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write the complaints into testdata/rules")

func complaints(m module) []string { return append(checkImports(m), checkSource(m)...) }

// Each archive in testdata/rules describes a module with planted offences; its
// last file, "want", has the complaints, one a line; -update rewrites it.
func TestRules(t *testing.T) {
	archives, err := filepath.Glob("testdata/rules/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("testdata/rules: %v, %d archives", err, len(archives))
	}
	for _, name := range archives {
		t.Run(filepath.Base(name), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			want := &archive.Files[len(archive.Files)-1]
			if want.Name != "want" {
				t.Fatal("the last file must be want")
			}
			var got strings.Builder
			for _, c := range complaints(describedModule(archive)) {
				got.WriteString(c + "\n")
			}
			if *update {
				want.Data = []byte(got.String())
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(want.Data), got.String()); diff != "" {
				t.Errorf("complaints (-want +got):\n%s", diff)
			}
		})
	}
}

// Sizes are counted, so their offences are grown rather than written out.
func TestSizeLimits(t *testing.T) {
	grown := func(name, before, line string, lines int, after string) module {
		return module{files: []file{
			{"seed/doc.go", []byte("// Package seed is planted.\npackage seed\n")},
			{name, []byte("package seed\n\nfunc long() {\n" + before + strings.Repeat(line, lines) + after + "}\n")},
		}}
	}
	const statement, row = "\t_ = 0\n", "\t\t0,\n"
	for _, row := range []struct {
		name   string
		module module
		want   string
	}{
		{"a function at the limit",
			grown("seed/long.go", "", statement, 68, ""), ""},
		{"a function over the limit",
			grown("seed/long.go", "", statement, 69, ""),
			"seed/long.go:3: func long has 71 lines, more than 70; split it into steps that have names"},
		{"a table of rows",
			grown("seed/long.go", "\t_ = []int{\n", row, 100, "\t}\n"),
			"seed/long.go:3: func long has 104 lines, more than 70; split it into steps that have names"},
		{"a table of rows in a test",
			grown("seed/long_test.go", "\t_ = []int{\n", row, 100, "\t}\n"), ""},
		{"a test over the limit",
			grown("seed/long_test.go", "", statement, 69, ""),
			"seed/long_test.go:3: func long has 71 lines, more than 70; split it into steps that have names"},
		{"a file over the limit",
			grown("seed/long_test.go", "\t_ = []int{\n", row, 895, "\t}\n"),
			"seed/long_test.go:1: 901 lines, more than 900; split the file by what it is about"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := strings.Join(complaints(row.module), "\n"); got != row.want {
				t.Errorf("got  %s\nwant %s", got, row.want)
			}
		})
	}
}

func TestThisModule(t *testing.T) {
	m, err := loadModule(root)
	if err != nil {
		t.Fatal(err)
	}
	if own := m.own(); len(own) == 0 || len(m.files) == 0 {
		t.Fatalf("go list sees %d packages and %d files: the rules would pass on nothing", len(own), len(m.files))
	}
	for _, c := range complaints(m) {
		t.Error(c)
	}
}
