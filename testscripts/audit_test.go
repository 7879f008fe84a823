package testscripts_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every test that docs/audit.md names is there.
func TestNamedTestsExist(t *testing.T) {
	text, err := os.ReadFile("../docs/audit.md")
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Z]\w+)\(`)
	err = filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, m := range declared.FindAllSubmatch(source, -1) {
			there[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`\b(?:Test|Fuzz)[A-Z]\w+`).FindAllString(string(text), -1)
	if len(names) < 50 {
		t.Errorf("only %d tests are named", len(names))
	}
	for _, name := range names {
		if !there[name] {
			t.Errorf("docs/audit.md names %s, which is not there", name)
		}
	}
}
