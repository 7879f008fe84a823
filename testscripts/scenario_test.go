package testscripts_test

import (
	"flag"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"worlds/testscripts"
	"worlds/twin/stripe/oracle"
	desk "worlds/twin/zendesk/oracle"
)

var update = flag.Bool("update", false, "rewrite the expected files of the scenarios")

// bin is where TestMain built the worlds command.
var bin string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(testMain(m))
}

func testMain(m *testing.M) int {
	dir, err := os.MkdirTemp("", "worlds-bin")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	build := exec.Command("go", "build", "-o", filepath.Join(dir, "worlds"), "worlds/cmd/worlds")
	if out, err := build.CombinedOutput(); err != nil {
		panic(string(out))
	}
	bin = dir
	return m.Run()
}

// TestScenarios runs every scenario file, with a judge of every Stripe answer.
func TestScenarios(t *testing.T) {
	testscript.Run(t, testscripts.Params(".", nil, testscripts.Options{
		Update: *update, Path: bin,
		Wrap: func(testscript.T) func(http.Handler) http.Handler {
			return func(h http.Handler) http.Handler { return desk.Wrap(t, oracle.Wrap(t, h)) }
		},
	}))
}

// TestScenariosUnloaded runs the scenarios with more to them than requests and
// answers on servers that take their worlds out of memory all the time.
func TestScenariosUnloaded(t *testing.T) {
	var files []string
	for _, pattern := range []string{"webhook_*", "fork_*", "diff_*", "fault_*", "clock_t*", "zendesk_*"} {
		found, err := filepath.Glob(pattern + ".txtar")
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v, %d files", pattern, err, len(found))
		}
		files = append(files, found...)
	}
	files = slices.DeleteFunc(files, func(f string) bool {
		return f == "webhook_gives_up.txtar" // thousands of attempts, and a load before each
	})
	var mu sync.Mutex
	running := map[string]func(){} // by folder: a scenario may start its server anew
	kept := t.TempDir()            // the servers end after the scenarios, whose folders are gone by then
	testscript.Run(t, testscripts.Params("", files, testscripts.Options{
		Path: bin,
		Start: func(opt testscripts.ServerOptions) (*testscripts.Server, error) {
			mu.Lock()
			stop := running[opt.Dir]
			mu.Unlock()
			if stop != nil {
				stop()
			}
			own := opt
			own.Dir = filepath.Join(kept, filepath.Base(filepath.Dir(opt.Dir)))
			s, err := testscripts.StartServer(own)
			if err != nil {
				return nil, err
			}
			still := unloading(s.Host)
			stop = sync.OnceFunc(func() {
				still()
				if err := s.Stop(); err != nil {
					t.Error(err)
				}
			})
			t.Cleanup(stop)
			mu.Lock()
			running[opt.Dir] = stop
			mu.Unlock()
			return s, nil
		},
	}))
}
