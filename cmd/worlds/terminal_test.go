package main

import (
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Whatever agents write shows as text: none of it moves the cursor, begins a line or
// turns the reading direction of what operators read.
func TestHostileText(t *testing.T) {
	clean(t)
	dir := t.TempDir()
	s := start(t, dir, "--seed", "empty")
	const hostile = "%1b%5b31mRED%0aFAKE%09LINE%c2%9b%e2%80%ae"
	for _, body := range []string{"name=" + hostile, "metadata%5bk%1b%0aFAKE%5d=" + hostile} {
		if code, answer := s.stripe(t, "POST", "/v1/customers", body); code != 200 {
			t.Fatal(answer)
		}
	}
	_, answer := s.stripe(t, "POST", "/v1/customers", "name=Ann")
	var ann struct{ ID string }
	if err := json.Unmarshal([]byte(answer), &ann); err != nil {
		t.Fatal(err)
	}
	must(t, "mark", "before")
	s.stripe(t, "POST", "/v1/customers/"+ann.ID, "metadata%5bk%1b%0aFAKE%5d="+hostile+"&name="+hostile)
	s.stripe(t, "GET", "/v1/customers/"+hostile+"%00", "")
	s.stripe(t, "POST", "/v1/"+hostile+"?"+hostile, hostile+"="+hostile)
	shown := func(args ...string) {
		t.Helper()
		r := worlds(t, args...)
		got := r.stdout + r.stderr
		if got == "" {
			t.Errorf("worlds %s says nothing", strings.Join(args, " "))
		}
		for n, line := range strings.Split(got, "\n") {
			if i := strings.IndexFunc(line, unsightly); i >= 0 || strings.HasPrefix(line, "FAKE") {
				t.Errorf("worlds %s: line %d: %q", strings.Join(args, " "), n+1, line)
			}
		}
	}
	for _, verb := range []string{"requests", "journal cat", "events", "world diff before", "world show", "webhook deliveries", "mark list", "world diff 0"} {
		shown(strings.Fields(verb)...)
	}
	for n := range 8 {
		shown("journal", "cat", "--entry", strconv.Itoa(n))
	}
	commands := filepath.Join(t.TempDir(), "commands.json")
	write(t, commands, `[{"method":"GET","path":"/v1/customers"}]`)
	shown("world", "simulate", commands)
	out := filepath.Join(t.TempDir(), "run.jsonl")
	must(t, "journal", "export", "--out", out)
	shown("replay", "--file", out)
	shown("journal", "cat", "--file", out)
	if got := must(t, "requests"); !strings.Contains(got, `/v1/customers/\x1b[31mRED\nFAKE\tLINE\u009b\u202e\x00`) {
		t.Error(got)
	}
	must(t, "world", "reset")
	s.stripe(t, "POST", "/v1/customers", "name="+hostile+"2")
	other := filepath.Join(t.TempDir(), "other.jsonl")
	must(t, "journal", "export", "--out", other)
	shown("replay", "--diff", out, other)
	s.stop(t)
	shown("journal", "cat", "--data", dir)
}

func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "",
		"Ann Lee, 日本 · café":      "Ann Lee, 日本 · café",
		`back\slash "quoted" 'x'`: `back\slash "quoted" 'x'`,
		"a\nb\tc\r":               `a\nb\tc\r`,
		"\x1b[2J":                 `\x1b[2J`,
		"\x7f\u0085\u2028":        `\x7f\u0085\u2028`,
		"\u202eevil\u2066":        `\u202eevil\u2066`,
		"bad \xff utf8":           "bad \uFFFD utf8",
	} {
		if got := plain(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestCount(t *testing.T) {
	for want, got := range map[string]string{
		"0 events": count(0, "event"), "1 event": count(1, "event"), "2 events": count(int64(2), "event"),
		"0 deliveries": count(0, "delivery"), "1 delivery": count(1, "delivery"), "2 deliveries": count(2, "delivery"),
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
