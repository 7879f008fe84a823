package testscripts_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"worlds/testscripts"
)

// A file that is no scenario does not pass for one that holds.
func TestFilesThatAreNoScenario(t *testing.T) {
	for name, row := range map[string][2]string{
		"empty":              {"", "no command"},
		"comments":           {"# nothing\n\n  # yet\n", "no command"},
		"files only":         {"-- seed.json --\n{}\n", "no command"},
		"a byte-order mark":  {"\ufeffworld new empty\n", "byte-order mark"},
		"an unknown command": {"wrold new empty\n", "unknown command"},
	} {
		file := filepath.Join(t.TempDir(), "x.txtar")
		if err := os.WriteFile(file, []byte(row[0]), 0o600); err != nil {
			t.Fatal(err)
		}
		if log, ok := testscripts.RunFile(file, false, testscripts.Options{}); ok || !strings.Contains(log, row[1]) {
			t.Errorf("%s: passed %v: %s", name, ok, log)
		}
	}
	if log, ok := testscripts.RunFile(filepath.Join(t.TempDir(), "none.txtar"), false, testscripts.Options{}); ok || !strings.Contains(log, "none.txtar") {
		t.Errorf("a file that is not there: passed %v: %s", ok, log)
	}
}
