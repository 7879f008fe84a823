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

// A span that is no whole number is refused in the words of the scenario.
func TestSpans(t *testing.T) {
	for _, span := range []string{"+1.5h", "+h", "+d1", "+1w"} {
		if body, err := AdvanceBody(span); err == nil || !strings.Contains(err.Error(), "want +N") {
			t.Errorf("%s: %s %v", span, body, err)
		}
	}
}
