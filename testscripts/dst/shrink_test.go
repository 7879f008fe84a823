package dst

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"worlds/testscripts"
)

// noRefunds is a property that does not hold: no refund is ever made.
func noRefunds(_ *space, t *step) *Failure {
	for _, c := range t.diff.Created {
		if c.Table == "stripe.refund" {
			f := failed("test.no-refunds", "%s was made", c.ID)
			f.Expect = []string{"json .status failed"}
			return f
		}
	}
	return nil
}

// TestShrinkFindsTheStory shrinks a long history to what makes a refund, and plays it
// as a scenario, which fails where the history did and nowhere else.
func TestShrinkFindsTheStory(t *testing.T) {
	cfg := small
	cfg.Profile, cfg.Base, cfg.Models = Populated, 12, "none"
	e, err := openEngine(nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	r := newRun(ctx, e, cfg, cfg.Base, nil)
	r.told = noRefunds
	failure := r.setup()
	r.engine.net.use(nil)
	if failure == nil || failure.Property != "test.no-refunds" {
		t.Fatalf("the setup makes no refund: %v", failure)
	}
	if err := e.close(); err != nil {
		t.Fatal(err)
	}
	whole := &Result{Seed: cfg.Base, Failure: failure, History: r.history}
	story, failure, err := shrink(ctx, cfg, whole, noRefunds)
	if err != nil || failure == nil {
		t.Fatalf("%v %v", failure, err)
	}
	ops := story.Ops
	if len(ops) > 2 || !strings.HasSuffix(ops[len(ops)-1].Route, "/v1/refunds") {
		t.Errorf("%d operations shrank to %d: %v", len(whole.History), len(ops), ops)
	}
	text, err := Script(ctx, cfg, cfg.Base, story, failure)
	if err != nil {
		t.Fatal(err)
	}
	if failed := play(t, text); failed != 1 {
		t.Errorf("the scenario does not fail:\n%s", text)
	}
	if failed := play(t, strings.Replace(text, "json .status failed\n", "", 1)); failed != 0 {
		t.Errorf("the scenario fails without what it expects:\n%s", text)
	}
}

// play runs a scenario and returns how many failed.
func play(t *testing.T, text string) int {
	t.Helper()
	file := filepath.Join(t.TempDir(), "story.txtar")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	failed, err := testscripts.RunFiles(context.Background(), []string{file}, &out, false, testscripts.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if failed > 0 {
		t.Logf("%s", out.String())
	}
	return failed
}
