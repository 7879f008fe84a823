package arch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

func complaints(m module) []string { return append(checkImports(m), checkSource(m)...) }

// Each archive in testdata/rules describes a module with planted offences; its
// last file, "want", has the complaints, one a line; WORLDS_UPDATE=1 rewrites it.
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
			if os.Getenv("WORLDS_UPDATE") != "" {
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
	body := func(lines int) string { return strings.Repeat("\t_ = 0\n", lines) }
	grown := func(lines int) module {
		return module{files: []file{
			{"seed/doc.go", []byte("// Package seed is planted.\npackage seed\n")},
			{"seed/long.go", []byte("package seed\n\nfunc long() {\n" + body(lines) + "}\n")},
		}}
	}
	for _, row := range []struct {
		name  string
		lines int
		want  string
	}{
		{"a function at the limit", maxFuncLines - 2, ""},
		{"a function over the limit", maxFuncLines - 1, "seed/long.go:3: func long has 71 lines, more than 70; split it into steps that have names"},
		{"a file over the limit", maxFileLines - 3, "seed/long.go:1: 901 lines, more than 900; split the file by what it is about\n" +
			"seed/long.go:3: func long has 899 lines, more than 70; split it into steps that have names"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := strings.Join(complaints(grown(row.lines)), "\n"); got != row.want {
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
