//go:build dst

package dst

import (
	"context"
	"os"
	"testing"
)

// TestSweep does what the environment asks for: see FromEnv.
func TestSweep(t *testing.T) {
	cfg, err := FromEnv()
	if err != nil {
		t.Fatal(err)
	}
	sweep, err := Run(context.Background(), cfg, os.Stdout)
	if err != nil {
		t.Fatal(err)
	}
	if len(sweep.Failed)+len(sweep.Idle) > 0 {
		t.Errorf("%d of %d runs failed, %d were idle", len(sweep.Failed), sweep.Runs, len(sweep.Idle))
	}
	if sweep.Blind != nil {
		t.Error(sweep.Blind)
	}
}
