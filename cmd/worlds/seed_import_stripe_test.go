package main

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A world is imported as an account would be; nothing that is printed or written
// holds the key, and what fails leaves no file.
func TestSeedImportStripe(t *testing.T) {
	clean(t)
	s := start(t, t.TempDir(), "--seed", "saas-billing-small")
	dir := t.TempDir()
	out := filepath.Join(dir, "shape.json")
	args := []string{"seed", "import", "--from-stripe", "--base-url", s.URL, "--key", s.Key, "--name", "shape", "--out", out}
	with := func(more ...string) outcome { return worlds(t, append(append([]string{}, args...), more...)...) }
	got := with("--limit", "500", "--map", filepath.Join(dir, "map.json"), "--json")
	if got.code != exitDone || !strings.Contains(got.stdout, `"hash":"sha256:`) {
		t.Fatalf("%+v", got)
	}
	first, _ := os.ReadFile(out)
	must(t, "seed", "validate", out)
	if info, err := os.Stat(filepath.Join(dir, "map.json")); err != nil || info.Mode().Perm() != privateMode {
		t.Errorf("the map is readable by others: %v %v", info, err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, path := range files {
		if text, _ := os.ReadFile(path); strings.Contains(string(text), s.Key) {
			t.Errorf("%s holds the key", path)
		}
	}
	if len(files) != 3 || strings.Contains(got.stdout+got.stderr, s.Key) {
		t.Errorf("%v %+v", files, got)
	}
	if again := with("--limit", "500"); again.code != exitDone {
		t.Errorf("%+v", again)
	}
	if second, _ := os.ReadFile(out); string(second) != string(first) {
		t.Error("two imports differ")
	}
	must(t, "world", "create", "--seed", out, "--name", "copy")
	if few := with("--limit", "20"); few.code != exitDone || !strings.Contains(few.stderr, "left out by --limit 20: 24 customers") {
		t.Errorf("%+v", few)
	}
	good, _ := os.ReadFile(out)
	for _, row := range []struct {
		code  int
		holds string
		more  []string
	}{
		{exitServer, "the key is not accepted (401)", []string{"--key", "sk_test_wrong"}},
		{exitServer, "no answer", []string{"--base-url", "http://127.0.0.1:1"}},
		{exitUsage, "cannot be written", []string{"--out", filepath.Join(dir, "no", "such", "folder.json")}},
		{exitUsage, "--limit", []string{"--limit", "0"}},
		{exitUsage, "--base-url", []string{"--base-url", "api.stripe.com"}},
		{exitUsage, "--epoch", []string{"--epoch", "1000000000"}},
		{exitNo, "kebab-case", []string{"--name", "Not Kebab"}},
		{exitUsage, "--from-zendesk", []string{"--from-zendesk"}},
	} {
		got := with(row.more...)
		if got.code != row.code || !strings.Contains(got.stderr, row.holds) || got.stdout != "" || strings.Contains(got.stderr, s.Key) {
			t.Errorf("%v: %+v", row.more, got)
		}
	}
	if now, _ := os.ReadFile(out); string(now) != string(good) {
		t.Error("a failed import changed the file")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Ctrl-C in the middle leaves the file as it was, and nothing beside it.
func TestSeedImportGivenUp(t *testing.T) {
	clean(t)
	ctx, cancel := context.WithCancel(context.Background())
	calls := 0
	account := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if calls++; calls == 3 {
			cancel()
			<-r.Context().Done()
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Write([]byte(`{"object":"list","data":[],"has_more":false}`))
	}))
	defer account.Close()
	dir := t.TempDir()
	out := filepath.Join(dir, "good.json")
	os.WriteFile(out, []byte("good"), 0o600)
	var stdout, stderr bytes.Buffer
	code := runContext(ctx, []string{"seed", "import", "--from-stripe", "--base-url", account.URL, "--key", "rk_test_1", "--out", out},
		strings.NewReader(""), &stdout, &stderr)
	left, _ := os.ReadDir(dir)
	if text, _ := os.ReadFile(out); code == exitDone || string(text) != "good" || len(left) != 1 || stdout.Len() > 0 || strings.Count(stderr.String(), "\n") != 1 {
		t.Errorf("exit %d, %d files, %q %q", code, len(left), stdout.String(), stderr.String())
	}
}
