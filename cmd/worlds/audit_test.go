package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"worlds/journal"
)

// write writes a file of a test.
func write(t *testing.T, path string, data string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestBranches goes back, tries another way, and compares the two.
func TestBranches(t *testing.T) {
	clean(t)
	dir, out := t.TempDir(), t.TempDir()
	s := start(t, dir, "--seed", "empty", "--forks-max", "1")
	s.customers(t, 3)
	must(t, "mark", "three")
	s.customers(t, 1)
	trunk, branch := filepath.Join(out, "trunk.jsonl"), filepath.Join(out, "branch.jsonl.zst")
	must(t, "journal", "export", "--out", trunk)
	made := must(t, "world", "fork", "--at", "three", "--key", "k", "--name", "other")
	if !strings.Contains(made, "at 4") || !strings.Contains(made, "API key") {
		t.Error(made)
	}
	if got := must(t, "world", "show"); !strings.Contains(got, "other") {
		t.Errorf("the branch is not the current world: %s", got)
	}
	if again := must(t, "world", "fork", "default", "--at", "three", "--key", "k"); strings.Contains(again, "API key") || !strings.Contains(again, "other") {
		t.Errorf("the same key again: %s", again)
	}
	must(t, "mark", "elsewhere")
	must(t, "journal", "export", "--out", strings.TrimSuffix(branch, ".zst"))
	for _, row := range []struct{ args, holds string }{
		{"replay", "equal, 5 entries"},
		{"replay --to 2", "equal, 2 entries"},
		{"replay --to three", "equal, 4 entries"},
		{"replay --to #0 --mode fold", "equal, 0 entries"},
		{"replay --file " + trunk + " --to three", "equal, 4 entries by re-decide"},
		{"replay --file " + trunk + " --to #2 --mode fold", "equal, 2 entries by fold"},
		{"replay --diff " + trunk + " " + trunk, "equal, 5 entries"},
	} {
		if got := must(t, strings.Fields(row.args)...); !strings.Contains(got, row.holds) {
			t.Errorf("worlds %s: no %q in\n%s", row.args, row.holds, got)
		}
	}
	plain := strings.TrimSuffix(branch, ".zst")
	got := worlds(t, "replay", "--diff", trunk, plain)
	if got.code != exitNo || !strings.Contains(got.stdout, "entry 5 differs") && !strings.Contains(got.stdout, "entry 4 differs") {
		t.Errorf("%+v", got)
	}
	var d struct {
		Equal   bool
		Seq     int
		Changes []struct{ Part, Recorded, Replayed string }
	}
	if err := json.Unmarshal([]byte(worlds(t, "replay", "--json", "--diff", trunk, plain).stdout), &d); err != nil || d.Equal || d.Seq == 0 {
		t.Errorf("%v: %+v", err, d)
	}
	short := write(t, filepath.Join(out, "short.jsonl"), strings.Join(strings.SplitAfter(readFile(t, trunk), "\n")[:3], ""))
	if got := worlds(t, "replay", "--diff", short, trunk); got.code != exitNo || !strings.Contains(got.stdout, "entry 3 differs: "+short+" ends before it") {
		t.Errorf("%+v", got)
	}
	for _, row := range []struct {
		args string
		code int
		word string
	}{
		{"replay --to 99", exitServer, "no-such-entry"},
		{"replay --to nobody", exitServer, "no-such-mark"},
		{"replay --diff " + trunk, exitUsage, "--diff"},
		{"replay --diff --to 1 " + trunk + " " + trunk, exitUsage, "--diff"},
		{"replay a b", exitUsage, "one at a time"},
		{"world fork --at 99", exitServer, "no-such-entry"},
		{"world fork default --key another", exitServer, "too-many-forks"},
	} {
		worlds(t, strings.Fields(row.args)...).refuses(t, row.code, row.word)
	}
	for _, to := range []string{"99", "nobody"} {
		if got := worlds(t, "replay", "--file", trunk, "--to", to); got.code != exitNo || !strings.Contains(got.stdout, ": short") {
			t.Errorf("%+v", got)
		}
	}
	list := write(t, filepath.Join(out, "list.json"), `[{"method":"POST","path":"/v1/customers","body":"name=Eve"},{"advance_seconds":60}]`)
	first := must(t, "world", "simulate", list, "--world", "default", "--at", "three")
	if !strings.Contains(first, `1  200  {`) || !strings.Contains(first, "1 created, 0 updated, 0 deleted") || first != must(t, "world", "simulate", list, "--world", "default", "--at", "three") {
		t.Error(first)
	}
	worlds(t, "world", "simulate", trunk).refuses(t, exitUsage, "not JSON")
	s.stop(t)
	got = worlds(t, "replay", "--data", dir)
	if got.code != exitDone || strings.Count(got.stdout, "equal, 5 entries") != 2 {
		t.Errorf("the folder replayed whole: %+v", got)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// ends is what a replay of the present world says.
func ends(t *testing.T, args ...string) string {
	t.Helper()
	got := must(t, append([]string{"replay"}, args...)...)
	_, after, _ := strings.Cut(got, ": ")
	return after
}

// TestImport brings a run, and a branch of it, to another server, where it goes on
// as it would have.
func TestImport(t *testing.T) {
	clean(t)
	out := t.TempDir()
	run, branch := filepath.Join(out, "run.jsonl"), filepath.Join(out, "branch.jsonl")
	s := start(t, t.TempDir(), "--seed", "saas-billing-small")
	s.customers(t, 3)
	must(t, "journal", "export", "--out", run)
	want := ends(t)
	must(t, "world", "fork", "--at", "2")
	must(t, "mark", "aside")
	must(t, "journal", "export", "--out", branch)
	wantBranch := ends(t)
	s.stop(t)

	dir := t.TempDir()
	s = start(t, dir)
	for range 2 { // the same run twice is two worlds
		if got := must(t, "journal", "import", "--url", s.URL, run); !strings.Contains(got, "API key") {
			t.Error(got)
		}
		if got := ends(t); got != want {
			t.Errorf("imported it ends in %s, want %s", got, want)
		}
	}
	must(t, "journal", "import", "--url", s.URL, branch, "--name", "branch")
	if got := ends(t); got != wantBranch {
		t.Errorf("the branch ends in %s, want %s", got, wantBranch)
	}
	must(t, "mark", "on")
	must(t, "world", "reset", "branch")
	if got := ends(t, "branch"); !strings.Contains(got, "2 entries") {
		t.Errorf("the branch was reset to %s", got)
	}
	again := filepath.Join(out, "again.jsonl")
	must(t, "journal", "export", "--out", again)
	lines := strings.SplitAfter(readFile(t, run), "\n")
	for _, row := range []struct{ name, data, word string }{
		{"empty", "", "empty"},
		{"headless", lines[1], "genesis"},
		{"cut", readFile(t, run)[:len(readFile(t, run))-9], "cut short"},
		{"gap", lines[0] + lines[1] + lines[3], "chain"},
		{"forged reply", forged(lines, `"status":200`, `"status":201`), "journal-refused"},
		{"not JSON", lines[0] + "{}\n", "line 2"},
	} {
		path := write(t, filepath.Join(out, "bad.jsonl"), row.data)
		got := worlds(t, "journal", "import", path)
		if got.code == exitDone || !strings.Contains(got.stderr, row.word) {
			t.Errorf("%s: %+v", row.name, got)
		}
	}
	worlds(t, "journal", "import", run, "--name", "branch").refuses(t, exitServer, "name-taken")
	if got := strings.Count(must(t, "world", "list"), "w_"); got != 3 {
		t.Errorf("%d worlds after refused imports", got)
	}
	s.stop(t)
	if got := must(t, "replay", "--data", dir); strings.Count(got, "equal") != 3 {
		t.Error(got)
	}
}

// forged changes every entry after the genesis, and leaves the hashes.
func forged(lines []string, old, new string) string {
	return lines[0] + strings.ReplaceAll(strings.Join(lines[1:], ""), old, new)
}

// TestBackup takes everything along while it is served.
func TestBackup(t *testing.T) {
	clean(t)
	out := t.TempDir()
	t.Setenv("WORLDS_ROOT_TOKEN", "root-token-0123456789")
	s := start(t, t.TempDir(), "--seed", "saas-billing-small")
	s.customers(t, 3)
	must(t, "world", "fork", "--at", "2", "--name", "branch")
	must(t, "mark", "aside")
	must(t, "world", "reset", "default")
	s.customers(t, 2)
	backup, small := filepath.Join(out, "all.jsonl"), filepath.Join(out, "all.jsonl.zst")
	worlds(t, "journal", "backup", "--out", backup).refuses(t, exitServer, "root token")
	must(t, "journal", "backup", "--token", "root-token-0123456789", "--out", backup)
	must(t, "journal", "backup", "--token", "root-token-0123456789", "--out", small)
	want, wantBranch := ends(t, "default"), ends(t, "branch")
	s.customers(t, 1) // after the backup
	s.stop(t)
	if a, b := len(readFile(t, backup)), len(readFile(t, small)); b*3 > a {
		t.Errorf("compressed %d bytes of %d", b, a)
	}
	for i, file := range []string{backup, small} {
		dir := filepath.Join(out, "restored", string(rune('a'+i)))
		os.Mkdir(filepath.Dir(dir), 0o700)
		must(t, "journal", "restore", file, "--data", dir)
		s := start(t, dir, "--seed", "saas-billing-small")
		if got := ends(t, "default"); got != want {
			t.Errorf("restored it ends in %s, want %s", got, want)
		}
		if got := ends(t, "branch"); got != wantBranch {
			t.Errorf("the branch ends in %s, want %s", got, wantBranch)
		}
		s.customers(t, 1) // with the key it had
		s.stop(t)
		must(t, "journal", "compact", "--data", dir)
		if got := must(t, "journal", "verify", "--data", dir); strings.Count(got, "the chain holds") != 2 {
			t.Error(got)
		}
		worlds(t, "journal", "restore", file, "--data", dir).refuses(t, exitUsage, "something in it")
	}
	whole := readFile(t, backup)
	lines := strings.SplitAfter(whole, "\n")
	nowhere := filepath.Join(out, "nowhere")
	for name, data := range map[string]string{
		"cut":       whole[:len(whole)-1],
		"no end":    strings.Join(lines[:len(lines)-2], ""),
		"a line":    strings.Join(append(append([]string{}, lines[:2]...), lines[3:]...), ""),
		"a byte":    strings.Replace(whole, "Number+0", "Number+9", 1),
		"a request": strings.Replace(whole, `"method":"POST"`, `"method":"post"`, 1),
		"nothing":   "",
	} {
		if data == whole {
			t.Errorf("%s changed nothing", name)
		}
		worlds(t, "journal", "restore", write(t, filepath.Join(out, "bad"), data), "--data", nowhere).refuses(t, exitDamaged, "line ")
	}
	if _, err := os.Stat(nowhere); err == nil {
		t.Error("a restore that failed left its folder")
	}
}

// TestSalvage brings back what is whole in a damaged folder.
func TestSalvage(t *testing.T) {
	clean(t)
	dir, out := t.TempDir(), t.TempDir()
	s := start(t, dir, "--seed", "saas-billing-small")
	s.customers(t, 3)
	want := ends(t)
	must(t, "world", "fork", "--at", "2", "--name", "branch")
	must(t, "mark", "aside")
	wantBranch := ends(t)
	must(t, "world", "create", "--seed", "empty", "--name", "victim")
	must(t, "mark", "here-is-the-victim")
	s.stop(t)
	files, err := filepath.Glob(filepath.Join(dir, "tail", "*"))
	if err != nil {
		t.Fatal(err)
	}
	shelf := filepath.Join(dir, shelfFile)
	for _, path := range append(files, shelf) { // what has been moved to the shelf is still in the tail
		write(t, path, strings.ReplaceAll(readFile(t, path), "here-is-the-victim", "here-is-the-damage"))
	}
	damaged := readFile(t, shelf)
	got := worlds(t, "journal", "salvage", "--data", dir, "--out", out)
	if got.code != exitNo || strings.Count(got.stdout, "entries in") != 2 || strings.Count(got.stdout, "lost: ") != 1 {
		t.Fatalf("%+v", got)
	}
	if readFile(t, shelf) != damaged {
		t.Error("salvaging changed the folder")
	}
	s = start(t, t.TempDir())
	defer s.stop(t)
	found := map[string]bool{}
	for _, m := range regexp.MustCompile(`in (\S+\.jsonl)`).FindAllStringSubmatch(got.stdout, -1) {
		must(t, "journal", "import", "--url", s.URL, m[1])
		found[ends(t)] = true
	}
	if !found[want] || !found[wantBranch] {
		t.Errorf("brought back %v, want %q and %q", found, want, wantBranch)
	}
	worlds(t, "journal", "salvage", "--data", filepath.Join(out, "nowhere"), "--out", out).refuses(t, exitUsage, "--data")
}

// TestEndUnderLoad ends a server at work, with a live stream open: it is gone soon,
// and what it answered is there.
func TestEndUnderLoad(t *testing.T) {
	clean(t)
	dir := t.TempDir()
	s := start(t, dir, "--seed", "empty")
	req, err := http.NewRequestWithContext(t.Context(), "GET", s.URL+"/admin/worlds/"+s.World+"/stream/journal", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.AdminToken)
	stream, err := http.DefaultClient.Do(req)
	if err != nil || stream.StatusCode != http.StatusOK {
		t.Fatal(err, stream)
	}
	defer stream.Body.Close()
	streamed := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, stream.Body)
		streamed <- err
	}()
	const clients = 8
	var made, unknown atomic.Int64
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			for {
				req, _ := http.NewRequest("POST", s.URL+"/v1/customers", strings.NewReader("name=Ann"))
				req.SetBasicAuth(s.Key, "")
				res, err := http.DefaultClient.Do(req)
				if err != nil {
					if !errors.Is(err, syscall.ECONNREFUSED) {
						unknown.Add(1)
					}
					return
				}
				if res.Body.Close(); res.StatusCode == http.StatusOK {
					made.Add(1)
				}
			}
		})
	}
	for made.Load() < 100 {
		time.Sleep(time.Millisecond)
	}
	begin := time.Now()
	s.stop(t)
	// A connection that never sent a byte is waited for 5 s, by net/http.
	if took := time.Since(begin); took >= drainBound {
		t.Errorf("it took %v to end", took)
	}
	wg.Wait()
	if err := <-streamed; err != nil {
		t.Errorf("the stream ended with %v", err)
	}
	var entries int64
	got := must(t, "replay", "--data", dir)
	if _, err := fmt.Sscanf(got[strings.Index(got, "equal, "):], "equal, %d entries", &entries); err != nil {
		t.Fatal(err, got)
	}
	if entries < made.Load() || entries > made.Load()+unknown.Load() {
		t.Errorf("%d entries; %d were acknowledged, of %d nobody knows", entries, made.Load(), unknown.Load())
	}
}

// A folder is replayed as a file of the same journal is, over more pieces than one
// that it is read in.
func TestReplayOfAFolder(t *testing.T) {
	clean(t)
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "run.jsonl")
	s := start(t, dir, "--seed", "saas-billing-small")
	s.customers(t, 600)
	must(t, "journal", "export", "--out", file)
	s.stop(t)
	for _, mode := range []string{"fold", "re-decide"} {
		want := strings.SplitN(must(t, "replay", "--file", file, "--mode", mode), "\n", 4)
		got := strings.SplitN(must(t, "replay", "--data", dir, "--mode", mode), "\n", 4)
		if !strings.Contains(got[0], "equal, 600 entries") || got[1] != want[1] || got[2] != want[2] {
			t.Errorf("%s: the folder %q, the file %q", mode, got, want)
		}
	}
}

// TestReplayNamesViolations forges a history that folds and whose hashes are right,
// and expects the invariant that it breaks.
func TestReplayNamesViolations(t *testing.T) {
	clean(t)
	entries := journalOf(t)
	forged := write(t, filepath.Join(t.TempDir(), "forged.jsonl"), string(forge(t, entries, 1, func(f *journal.Frame) {
		for i := range f.Facts {
			f.Facts[i] = replaced(f.Facts[i], `"customer.created"`, `"customer.updated"`)
		}
	})))
	for mode, want := range map[string]string{"fold": "equal by fold, but for the invariants: 1 violations", "re-decide": "facts-differ at entry 1"} {
		got := worlds(t, "replay", "--file", forged, "--mode", mode)
		if got.code != exitNo || !strings.Contains(got.stdout, want) || !strings.Contains(got.stdout, "object.update-after-create at #1: stripe.customer cus_") {
			t.Errorf("%s: %+v", mode, got)
		}
	}
	var r struct {
		Valid      bool
		Violations []struct{ ID, Object string }
	}
	got := worlds(t, "replay", "--json", "--file", forged, "--mode", "fold")
	if err := json.Unmarshal([]byte(got.stdout), &r); err != nil || got.code != exitNo || !r.Valid || len(r.Violations) != 1 ||
		r.Violations[0].ID != "object.update-after-create" {
		t.Errorf("%v: %+v", err, got)
	}
}
