//go:build dst

package dst

import (
	"os"
	"testing"
)

// TestCoverage does the whole sweep: what it reaches is what is listed.
func TestCoverage(t *testing.T) {
	got := covered(t, 1<<30).list()
	if *update {
		if err := os.WriteFile(coverageFile, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(coverageFile); err != nil || string(want) != got {
		t.Errorf("%s is not what is reached (%v): write it with -update", coverageFile, err)
	}
}
