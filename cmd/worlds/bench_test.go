package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// quickly are the flags of the shortest bench there is.
func quickly(flags ...string) []string {
	return append([]string{"bench", "--seconds", "0.02", "--rounds", "1", "--objects", "20,40,60", "--worlds", "2"}, flags...)
}

// A short bench has a cell for every job and server under every load, none of them
// idle, and a figure for everything that targets ask for.
func TestBench(t *testing.T) {
	clean(t)
	t.Setenv(asProgram, "1") // its servers are this program again
	out := must(t, quickly("--clients", "1,2", "--targets", "--json")...)
	var r benchReport
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	if want := 2 * 3 * len(benchJobs()); len(r.Cells) != want {
		t.Errorf("%d cells, not %d", len(r.Cells), want)
	}
	for _, c := range r.Cells {
		if c.PerSecond <= 0 || c.P50Micros <= 0 || c.P99Micros < c.P50Micros || c.RSSBytes <= 0 || len(c.Times) != 2 || c.Refused > 0 ||
			c.Server != "floor" && c.Allocs <= 0 {
			t.Errorf("%+v", c)
		}
	}
	for _, f := range r.Figures {
		// Of so few the memory may shrink meanwhile, and the processor's time be none.
		if vague := strings.Contains(f.Name, " over one") || strings.HasPrefix(f.Name, "memory") || strings.Contains(f.Name, "processor"); f.Value <= 0 && !vague {
			t.Errorf("%+v", f)
		}
	}
	sizes := strings.NewReplacer("1000 worlds", "2 worlds", "100000", "60", "10000", "40")
	for _, target := range benchTargets() {
		if strings.Contains(target.name, "sqlite") || strings.Contains(target.name, " client") {
			continue // of other servers, or of another load
		}
		name, _, _ := strings.Cut(sizes.Replace(target.name), ", ms")
		name, _, _ = strings.Cut(name, ", MiB")
		name, _, _ = strings.Cut(name, ", KiB")
		name, _, _ = strings.Cut(name, ", entries")
		if _, ok := r.figure(name); !ok {
			t.Errorf("there is no figure %q", name)
		}
	}
}

// Another server takes its turn beside, and an earlier report stands beside the new.
func TestBenchBeside(t *testing.T) {
	clean(t)
	t.Setenv(asProgram, "1")
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/dump" || r.Method == "POST" {
			fmt.Fprint(w, `{"id":"cus_1"}`)
			return
		}
		w.(http.Flusher).Flush() // in chunks, then
		fmt.Fprint(w, `{"data":[]}`)
	}))
	defer other.Close()
	flags := quickly("--part", "requests,dump", "--clients", "1", "--durability", "sync", "--job", "create", "--job", "list 10",
		"--beside", "other="+other.URL+fmt.Sprintf("#%d", os.Getpid()))
	earlier := filepath.Join(t.TempDir(), "earlier.json")
	if err := os.WriteFile(earlier, []byte(must(t, append(flags, "--json")...)), 0o644); err != nil {
		t.Fatal(err)
	}
	got := must(t, append(flags, "--compare", earlier)...)
	for _, want := range []string{"x other", "x floor then", "dump of 40 customers, x other"} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %q in\n%s", want, got)
		}
	}
	worlds(t, "bench", "--beside", "other="+other.URL+"/path").refuses(t, exitUsage, "--beside")
	worlds(t, "bench", "--compare", "nowhere.json").refuses(t, exitUsage, "--compare")
	worlds(t, "bench", "--job", "dance").refuses(t, exitUsage, "--job")
}

// The check ends in one state whatever the order in which the worlds ran.
func TestBenchCheck(t *testing.T) {
	clean(t)
	t.Setenv(asProgram, "1")
	if out := must(t, "bench", "--worlds", "8", "--check"); !strings.HasPrefix(out, "8 worlds, one state\n") {
		t.Fatal(out)
	}
}

// The comparison's own files can be read by what runs them.
func TestComparison(t *testing.T) {
	folder := filepath.Join("..", "..", "testscripts", "bench")
	for _, check := range [][]string{{"bash", "-n", "compare"}, {"node", "--check", "standin.mjs"}} {
		if _, err := exec.LookPath(check[0]); err != nil && os.Getenv("WORLDS_FORCE_SDK") == "" {
			t.Skipf("%s is not installed", check[0])
		}
		cmd := exec.Command(check[0], check[1:]...)
		cmd.Dir = folder
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %v\n%s", check, err, out)
		}
	}
}

// A server that does not start ends the bench with what is the matter.
func TestBenchWithoutAServer(t *testing.T) {
	clean(t)
	t.Setenv(asProgram, "1")
	if got := worlds(t, quickly("--profile", filepath.Join(t.TempDir(), "nowhere", "f"))...); got.code == exitDone || got.stderr == "" {
		t.Errorf("%+v", got)
	}
}
