package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"worlds/journal"
	"worlds/journal/canon"
)

// TestJourney does the main job with nothing but the command and an agent's
// requests: refund a duplicate, look at it from every side, prove it, reset.
func TestJourney(t *testing.T) {
	clean(t)
	dir := t.TempDir()
	s := start(t, dir, "--seed", "saas-billing-small")
	fresh := must(t, "world", "dump", "--hash")
	if got := must(t, "mark", "before"); got != "mark before is at 1\n" {
		t.Error(got)
	}
	if code, body := s.stripe(t, "POST", "/v1/refunds", "charge=ch_seed0104&reason=duplicate"); code != 200 {
		t.Fatal(code, body)
	}
	for _, row := range []struct{ args, holds string }{
		{"world list", defaultWorld},
		{"world show", "saas-billing-small"},
		{"world show --secrets", s.AdminToken},
		{"world show default --secrets --json", s.Key},
		{"key list --secrets", s.Key},
		{"clock show", "manual"},
		{"mark list", "before  1"},
		{"world diff before", "amount_refunded: 0 → 4000"},
		{"world diff before", "+ stripe.refund re_"},
		{"world diff 0 before", "from 0 to before (1)"},
		{"events", "charge.refunded"},
		{"events --json --limit 1", `"number":1`},
		{"requests", "/v1/refunds"},
		{"journal cat", `mark {"name":"before"}`},
		{"journal cat --after 1", "POST /v1/refunds"},
		{"journal cat --entry 0", `"op": "genesis"`},
		{"journal cat --entry 2 --json", `"body":"charge=ch_seed0104`},
		{"journal verify", "the chain holds, 2 entries"},
		{"replay", "equal, 2 entries by re-decide"},
		{"replay default --mode fold", "equal, 2 entries by fold"},
	} {
		if got := must(t, strings.Fields(row.args)...); !strings.Contains(got, row.holds) {
			t.Errorf("worlds %s: no %q in\n%s", row.args, row.holds, got)
		}
	}
	live := must(t, "replay", "--json")
	out := filepath.Join(t.TempDir(), "run.jsonl")
	must(t, "journal", "export", "--out", out)
	exported, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if got := must(t, "journal", "export"); got != string(exported) {
		t.Error("the export to stdout is another")
	}
	entries := must(t, "journal", "cat", "--json")
	s.stop(t)

	t.Run("folder", func(t *testing.T) {
		if got := must(t, "journal", "export", "--data", dir); got != string(exported) {
			t.Error("the export of the folder is another")
		}
		samePlace(t, live, must(t, "replay", "--data", dir, "--json"))
		if got := must(t, "journal", "cat", "--data", dir, "--json"); got != entries {
			t.Errorf("entries:\n%s\nwant\n%s", got, entries)
		}
	})
	t.Run("file", func(t *testing.T) {
		t.Setenv(contextEnv, filepath.Join(t.TempDir(), "elsewhere.json"))
		samePlace(t, live, must(t, "replay", "--file", out, "--json"))
		if got := must(t, "journal", "cat", "--file", out, "--json"); got != entries {
			t.Errorf("entries:\n%s\nwant\n%s", got, entries)
		}
		if got := worldsIn(t, string(exported), "journal", "verify", "--file", "-"); got.code != exitDone {
			t.Errorf("%+v", got)
		}
	})
	t.Run("reset", func(t *testing.T) {
		s := start(t, dir, "--seed", "saas-billing-small")
		defer s.stop(t)
		must(t, "world", "reset")
		if got := must(t, "world", "dump", "--hash"); got != fresh {
			t.Errorf("after the reset %s, want %s", got, fresh)
		}
		if got := must(t, "journal", "verify"); !strings.Contains(got, "0 entries") {
			t.Error(got)
		}
	})
}

// samePlace checks that two reports end in the same head and the same state.
func samePlace(t *testing.T, a, b string) {
	t.Helper()
	ends := func(text string) (end struct {
		Valid    bool
		Head     string
		DumpHash string `json:"dump_hash"`
	}) {
		if err := json.Unmarshal([]byte(text), &end); err != nil {
			t.Fatal(err, text)
		}
		return end
	}
	if x, y := ends(a), ends(b); x != y || !x.Valid {
		t.Errorf("%+v and %+v", x, y)
	}
}

// TestWorlds makes and ends worlds on a server.
func TestWorlds(t *testing.T) {
	clean(t)
	s := start(t, t.TempDir())
	defer s.stop(t)
	t.Setenv("WORLDS_URL", s.URL)
	one := must(t, "world", "create", "--seed", "empty", "--name", "one", "--key", "bot=sk_test_of_bot", "--key", "sk_test_second")
	if !regexp.MustCompile(`(?m)^world +w_\w{12}$`).MatchString(one) || !strings.Contains(one, "sk_test_of_bot") {
		t.Error(one)
	}
	source := filepath.Join(t.TempDir(), "shop.json")
	os.WriteFile(source, []byte(`{"name":"shop","version":1,"epoch":1767225600}`), 0o600)
	must(t, "world", "create", "--seed", source, "--name", "two", "--admin-token", "token-of-two")
	if got := must(t, "world", "list"); !regexp.MustCompile(`two .*\*`).MatchString(got) {
		t.Errorf("the newest is not the current one:\n%s", got)
	}
	if got := must(t, "world", "show", "two", "--secrets"); !strings.Contains(got, "token-of-two") || !strings.Contains(got, "shop") {
		t.Error(got)
	}
	if got := must(t, "key", "list", "--world", "one"); got != "KEY    SECRET\nbot    -\nkey:2  -\n" {
		t.Errorf("%q", got)
	}
	must(t, "key", "add", "--world", "one", "--label", "third", "--secret", "sk_test_third")
	must(t, "key", "rm", "--world", "one", "bot")
	if got := must(t, "key", "list", "--world", "one", "--secrets"); got != "KEY    SECRET\nkey:2  sk_test_second\nthird  sk_test_third\n" {
		t.Errorf("%q", got)
	}
	must(t, "mark", "here")
	worlds(t, "mark", "here").refuses(t, exitServer, "mark-exists")
	worlds(t, "world", "create", "--seed", "empty", "--name", "one").refuses(t, exitServer, "$.name")
	worlds(t, "key", "add", "--secret", "x").refuses(t, exitUsage, "invalid-secret")
	worlds(t, "world", "create", "--seed", "acme.jsn").refuses(t, exitServer, "--seed acme.jsn", "no-such-seed", "a slash or ends in .json")
	worldsIn(t, `{"name":1}`, "world", "create", "--seed", "-").only(t, exitNo, "$.name")
	worlds(t, "world", "show", "two", "--token", "wrong").refuses(t, exitServer, "unauthorized")
	worlds(t, "world", "diff", "nowhere").refuses(t, exitServer, "no-such-mark", "nowhere")
	must(t, "world", "delete", "two")
	worlds(t, "world", "show").refuses(t, exitUsage, "--world", "one")
	r, err := recall()
	if err != nil || len(r.Worlds) != 1 {
		t.Errorf("remembered: %+v %v", r, err)
	}
}

// only is refuses for errors of several lines.
func (o outcome) only(t *testing.T, code int, word string) {
	t.Helper()
	if o.code != code || o.stdout != "" || !strings.Contains(o.stderr, word) {
		t.Fatalf("%+v, want exit %d and %q", o, code, word)
	}
}

// journalOf makes an exported journal of three customers.
func journalOf(t *testing.T) []journal.Entry {
	t.Helper()
	s := start(t, t.TempDir(), "--seed", "empty")
	s.customers(t, 3)
	text := must(t, "journal", "export")
	s.stop(t)
	var entries []journal.Entry
	for line := range strings.Lines(text) {
		e, err := journal.ParseLine([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, e)
	}
	return entries
}

// forge changes one entry's frame and chains the rest anew, as if it had happened
// so.
func forge(t *testing.T, entries []journal.Entry, at int, change func(*journal.Frame)) []byte {
	t.Helper()
	var out []byte
	var prev journal.Hash
	for i, e := range entries {
		frame, err := journal.ParseBody(e.Body)
		if err != nil {
			t.Fatal(err)
		}
		if i == at {
			change(&frame)
		}
		e.Body = frame.AppendBody(nil)
		e.Prev = prev
		e.Hash = journal.Link(e.Prev, e.Seq, e.Body)
		prev = e.Hash
		out = journal.AppendLine(out, &e)
	}
	return out
}

func replaced(v canon.Raw, old, new string) canon.Raw {
	return canon.Raw(bytes.ReplaceAll(v, []byte(old), []byte(new)))
}

// TestDivergence: what replay and verify say of journals that are not right.
func TestDivergence(t *testing.T) {
	clean(t)
	entries := journalOf(t)
	same := func(*journal.Frame) {}
	whole := forge(t, entries, 0, same)
	for _, row := range []struct {
		name           string
		text           []byte
		verify, replay int
		says           string // what replay prints
	}{
		{"right", whole, exitDone, exitDone, "equal, 3 entries"},
		{"another fact", forge(t, entries, 2, func(f *journal.Frame) {
			for i := range f.Facts {
				f.Facts[i] = replaced(f.Facts[i], "Number 1", "Number 7")
			}
		}), exitDone, exitNo, "facts-differ at entry 2"},
		{"another answer", forge(t, entries, 3, func(f *journal.Frame) { f.Reply = replaced(f.Reply, `"status":200`, `"status":201`) }),
			exitDone, exitNo, "reply.status\n    recorded  201\n    replayed  200"},
		{"another clock", forge(t, entries, 1, func(f *journal.Frame) { f.At++ }), exitNo, exitNo, "clock-differs at entry 1"},
		{"changed and not chained", bytes.Replace(whole, []byte("name=Number+1"), []byte("name=Number+7"), 1), exitNo, exitNo, "hash-differs"},
		{"one left out", cutLine(whole, 2), exitNo, exitNo, "not-contiguous"},
		{"other rules", forge(t, entries, 0, func(f *journal.Frame) { f.Command = replaced(f.Command, `"rules":5`, `"rules":999`) }),
			exitDone, exitVersion, "999"},
	} {
		t.Run(row.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "j.jsonl")
			os.WriteFile(path, row.text, 0o600)
			if got := worlds(t, "journal", "verify", "--file", path); got.code != row.verify || got.stdout == "" || got.stderr != "" {
				t.Errorf("verify: %+v, want exit %d", got, row.verify)
			}
			got := worlds(t, "replay", "--file", path)
			if got.code != row.replay || got.stderr != "" || !strings.Contains(got.stdout, row.says) {
				t.Errorf("replay: %+v, want exit %d and %q", got, row.replay, row.says)
			}
			var report struct{ Valid bool }
			got = worlds(t, "replay", "--file", path, "--json")
			if err := json.Unmarshal([]byte(got.stdout), &report); err != nil || got.code != row.replay || report.Valid != (row.replay == exitDone) {
				t.Errorf("replay --json: %+v %v", got, err)
			}
		})
	}
}

// cutLine leaves out line n, counted from 0.
func cutLine(text []byte, n int) []byte {
	lines := bytes.SplitAfter(text, []byte("\n"))
	return bytes.Join(append(lines[:n:n], lines[n+1:]...), nil)
}

// An export that ends too early, on a whole line, is not taken for one.
func TestExportShort(t *testing.T) {
	clean(t)
	entries := journalOf(t)
	whole := forge(t, entries, 0, func(*journal.Frame) {})
	short := cutLine(whole, len(entries)-1)
	text := whole
	url := serverOf(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Worlds-Head", entries[len(entries)-1].Hash.String())
		w.Write(text)
	})
	args := []string{"journal", "export", "--world", "w", "--url", url}
	if got := must(t, args...); got != string(whole) {
		t.Errorf("%q", got)
	}
	text = short
	worlds(t, args...).refuses(t, exitServer, entries[len(entries)-1].Hash.String())
}

// TestUnreadable: files that are no journal are damaged, with their place.
func TestUnreadable(t *testing.T) {
	clean(t)
	entries := journalOf(t)
	whole := forge(t, entries, 0, func(*journal.Frame) {})
	for _, row := range []struct {
		name, place string
		text        []byte
	}{
		{"empty", "", nil},
		{"a text", ":1", []byte("hello\n")},
		{"no genesis", ":1", cutLine(whole, 0)},
		{"a genesis of another hash", ":1", bytes.Replace(whole, []byte(`"hash":"`+entries[0].Hash.String()), []byte(`"hash":"`+entries[1].Hash.String()), 1)},
		{"cut in a line", ":4", whole[:len(whole)-10]},
		{"without its last line feed", ":4", whole[:len(whole)-1]},
		{"a line that is none", ":5", append(bytes.Clone(whole), "{}\n"...)},
	} {
		t.Run(row.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "j.jsonl")
			os.WriteFile(path, row.text, 0o600)
			for _, verb := range []string{"journal verify", "replay", "replay --mode fold", "replay --json"} {
				worlds(t, append(strings.Fields(verb), "--file", path)...).refuses(t, exitDamaged, path+row.place)
			}
		})
	}
}

// A folder of several worlds is verified whole; other verbs want to know which.
func TestFolderOfMany(t *testing.T) {
	clean(t)
	dir := t.TempDir()
	s := start(t, dir, "--seed", "empty")
	s.customers(t, 1)
	must(t, "world", "create", "--seed", "empty", "--name", "two")
	s.stop(t)
	got := must(t, "journal", "verify", "--data", dir)
	if strings.Count(got, "the chain holds") != 2 || !strings.Contains(got, "(two)") || !strings.Contains(got, "1 entries") {
		t.Error(got)
	}
	if got := must(t, "replay", "--data", dir); strings.Count(got, "equal, ") != 2 {
		t.Error(got)
	}
	worlds(t, "journal", "export", "--data", dir).refuses(t, exitUsage, "--world", "(two)")
	worlds(t, "replay", "--data", dir, "--world", "three").refuses(t, exitUsage, `"three"`)
	if got := must(t, "replay", "--data", dir, "two"); !strings.Contains(got, "equal, 0 entries") {
		t.Error(got)
	}
}

func TestTestVerb(t *testing.T) {
	clean(t)
	dir := t.TempDir()
	right, wrong := filepath.Join(dir, "right.txtar"), filepath.Join(dir, "wrong.txtar")
	os.WriteFile(right, []byte("world new empty\nstripe POST /v1/customers name=Ada\njson .name Ada\n"), 0o600)
	os.WriteFile(wrong, []byte("world new empty\nstripe POST /v1/customers name=Ada\njson .name Bo\n"), 0o600)
	if got := must(t, "test", right); !strings.Contains(got, "ok") || !strings.Contains(got, right) {
		t.Error(got)
	}
	got := worlds(t, "test", right, wrong)
	if got.code != exitNo || !strings.Contains(got.stdout, "FAIL "+wrong) || !strings.Contains(got.stderr, "1 of 2") {
		t.Errorf("%+v", got)
	}
}
