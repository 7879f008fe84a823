package testscripts_test

import (
	"flag"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"worlds/journal"
	"worlds/journal/store"
	"worlds/testscripts"
	"worlds/twin/world"
)

// Scenarios come to the same journals, byte for byte, on disk and in memory. These
// are those in which the journal itself is at work: forks, resets, keys, retries.
func TestScenariosInMemory(t *testing.T) {
	var files []string
	for _, pattern := range []string{"fork_*", "reset_*", "idempotency_*", "diff_*", "webhook_re*", "zendesk_*", "fault_k*", "clock_year*"} {
		found, err := filepath.Glob(pattern + ".txtar")
		if err != nil || len(found) == 0 {
			t.Fatal(pattern, err)
		}
		files = append(files, found...)
	}
	var heads [2]map[string]journal.Hash
	for i, memory := range []bool{false, true} {
		heads[i] = map[string]journal.Hash{}
		var mu sync.Mutex
		opt := testscripts.Options{Path: bin}
		if memory {
			opt.Start = startInMemory(t)
		}
		opt.Keep = func(name string, g *world.Genesis, entries []*journal.Entry) {
			mu.Lock()
			defer mu.Unlock()
			heads[i][name] = g.Entry.Hash
			if n := len(entries); n > 0 {
				heads[i][name] = entries[n-1].Hash
			}
		}
		opt.Wrap = func(testscript.T) func(http.Handler) http.Handler {
			return func(h http.Handler) http.Handler { return h }
		}
		t.Run(map[bool]string{false: "disk", true: "memory"}[memory], func(t *testing.T) {
			testscript.Run(t, testscripts.Params("", files, opt))
		})
	}
	if strings.Contains(flag.Lookup("test.run").Value.String(), "/") { // some are left out, not the same ones on both
		maps.DeleteFunc(heads[0], func(name string, _ journal.Hash) bool { return heads[1][name] == journal.Hash{} })
		maps.DeleteFunc(heads[1], func(name string, _ journal.Hash) bool { return heads[0][name] == journal.Hash{} })
	} else if len(heads[0]) < len(files)/2 {
		t.Errorf("only %d of %d scenarios have a world", len(heads[0]), len(files))
	}
	if !maps.Equal(heads[0], heads[1]) {
		t.Errorf("%d worlds on disk, %d in memory", len(heads[0]), len(heads[1]))
		for _, name := range slices.Sorted(maps.Keys(heads[0])) {
			if heads[0][name] != heads[1][name] {
				t.Errorf("%s ends at %s on disk, at %s in memory", name, heads[0][name], heads[1][name])
			}
		}
	}
}

// startInMemory starts servers whose journals outlive a restart by the folder that
// they would have had.
func startInMemory(t *testing.T) func(testscripts.ServerOptions) (*testscripts.Server, error) {
	var mu sync.Mutex
	journals := map[string]*store.Memory{}
	return func(o testscripts.ServerOptions) (*testscripts.Server, error) {
		mu.Lock()
		defer mu.Unlock()
		if journals[o.Dir] == nil {
			journals[o.Dir] = store.NewMemory()
		}
		o.Memory = journals[o.Dir]
		server, err := testscripts.StartServer(o)
		if err == nil {
			t.Cleanup(func() { _ = server.Stop() })
		}
		return server, err
	}
}
