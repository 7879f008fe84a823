package testscripts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A rule is to act in the world that it was made for; a fork from before that has it
// too, unacted. One that acts nowhere fails, and nothing says PASS under it.
func TestRulesOfForks(t *testing.T) {
	const script = "world new empty\nfault add '{\"id\":\"once\",\"effect\":{\"answer\":{\"status\":500}},\"count\":1}'\nmark before\n%sfork b before\nfork c\n"
	act := "! stripe POST /v1/customers name=a\n"
	for acts, want := range map[string]bool{act: true, "": false} {
		file := filepath.Join(t.TempDir(), "s.txtar")
		if err := os.WriteFile(file, []byte(strings.Replace(script, "%s", acts, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		log, ok := RunFile(file, false, Options{})
		if ok != want || !ok && (!strings.Contains(log, "fault rules that never acted: [once]") || strings.Contains(log, "PASS")) {
			t.Errorf("%q: %v\n%s", acts, ok, log)
		}
	}
}
