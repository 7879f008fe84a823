package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A world that was worked in leaves as a seed, from which the work goes on.
func TestWorldExport(t *testing.T) {
	clean(t)
	s := start(t, t.TempDir(), "--seed", "saas-billing-small")
	if code, body := s.stripe(t, "POST", "/v1/refunds", "charge=ch_seed0104&reason=duplicate"); code != 200 {
		t.Fatal(code, body)
	}
	path := filepath.Join(t.TempDir(), "fork.json")
	got := worlds(t, "world", "export", "--name", "fork", "--out", path)
	if got.code != exitDone || got.stdout != "" || !strings.Contains(got.stderr, "not in the seed: 1 refund objects") {
		t.Fatalf("%+v", got)
	}
	must(t, "seed", "validate", path)
	if text, _ := os.ReadFile(path); !strings.Contains(string(text), `"amount_refunded": 4000`) {
		t.Errorf("%s", text)
	}
	if got := must(t, "world", "export", "default", "--json"); !strings.Contains(got, `"lossy":[{"what":"refund objects","count":1}`) {
		t.Errorf("%.300s", got)
	}
	hash := strings.Fields(must(t, "seed", "publish", path))[3]
	if again := must(t, "seed", "publish", path); !strings.Contains(again, hash) {
		t.Errorf("%s, then %s", hash, again)
	}
	if got := must(t, "seed", "show", hash); !strings.Contains(got, `"name": "fork"`) {
		t.Errorf("%.200s", got)
	}
	must(t, "world", "create", "--seed", path, "--name", "second")
	first, second := must(t, "world", "export", "default"), must(t, "world", "export", "second")
	if first != second {
		t.Error("the export of what was loaded is another")
	}
}

// Where authoring is off, a seed of one's own is refused.
func TestServeWithoutAuthoring(t *testing.T) {
	clean(t)
	start(t, t.TempDir(), "--seed", "empty", "--no-authoring")
	path := filepath.Join(t.TempDir(), "own.json")
	os.WriteFile(path, []byte(`{"name":"own","version":1,"epoch":1767225600}`), 0o600)
	for _, args := range [][]string{{"seed", "publish", path}, {"world", "create", "--seed", path}} {
		if got := worlds(t, args...); got.code != exitServer || !strings.Contains(got.stderr, "authoring-off") {
			t.Errorf("%v: %+v", args, got)
		}
	}
	must(t, "world", "create", "--seed", "saas-billing-small")
}

// All of the format goes out and comes back: settings, an automatic clock, disputes,
// and tickets, which leave as a native help desk.
func TestWorldExportOfEverything(t *testing.T) {
	clean(t)
	start(t, t.TempDir(), "--seed", filepath.Join("..", "..", "seed", "testdata", "full.json"))
	path := filepath.Join(t.TempDir(), "fork.json")
	if got := worlds(t, "world", "export", "default", "--out", path); got.code != exitDone {
		t.Fatalf("%+v", got)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"clock_mode": "auto"`, `"settings": {`, `"disputes": [`, `"zendesk": {`, `"payment_method": null`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the export lacks %s:\n%s", want, text)
		}
	}
	must(t, "world", "create", "--seed", path, "--name", "again")
	if again := must(t, "world", "export", "again"); again != string(text) {
		t.Errorf("the second export differs:\n%s\n%s", text, again)
	}
}
