package linear_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"worlds/journal/store"
	"worlds/testscripts"
	"worlds/testscripts/dst/crash"
	"worlds/testscripts/dst/linear"
	"worlds/twin/world"
)

func TestMain(m *testing.M) {
	crash.Child()
	os.Exit(m.Run())
}

func number(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

// What several clients see of a server can have happened in some order.
// WORLDS_LINEAR_SEEDS and WORLDS_LINEAR_BASE search further.
func TestLinear(t *testing.T) {
	base := number("WORLDS_LINEAR_BASE", 1)
	for n := range number("WORLDS_LINEAR_SEEDS", 3) {
		server := serve(t, nil)
		report, err := linear.Run(t.Context(), linear.Config{Seed: uint64(base + n), Dir: t.TempDir(), Server: func() string { return server.URL }})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("seed %d: %+v", base+n, report)
		for kind, calls := range report.Calls {
			if calls < 10 {
				t.Errorf("only %d calls of kind %s", calls, kind)
			}
		}
		if report.Open > 0 {
			t.Errorf("%d calls were not answered", report.Open)
		}
	}
}

func serve(t *testing.T, wrap func(http.Handler) http.Handler) *testscripts.Server {
	t.Helper()
	server, err := testscripts.StartServer(testscripts.ServerOptions{Dir: t.TempDir(), Wrap: wrap, Hook: dawdle})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop() })
	return server
}

// dawdle keeps operations on the way to the lock for a moment, so that they overtake
// each other.
func dawdle(_ context.Context, at *world.Passing) error {
	if at.Point == world.Produced {
		time.Sleep(rand.N(300 * time.Microsecond))
	}
	return nil
}

// So it is when the server is killed meanwhile, again and again: what was answered has
// happened, and what was not has, or has not.
func TestLinearThroughKills(t *testing.T) {
	for _, level := range []store.Durability{store.Sync, store.Relaxed} {
		dir := filepath.Join(t.TempDir(), "data")
		server, err := crash.Start(dir, level)
		if err != nil {
			t.Fatal(err)
		}
		var mu sync.RWMutex
		defer func() { server.Kill() }()
		report, err := linear.Run(t.Context(), linear.Config{
			Seed: uint64(number("WORLDS_LINEAR_BASE", 1)), Calls: 150, Dir: t.TempDir(),
			Server: func() string {
				mu.RLock()
				defer mu.RUnlock()
				return server.URL
			},
			Disturb: func(ctx context.Context) error {
				for n, point := range []string{"committed", "written", "write", "decided", "served", "committed"} {
					if err := server.KillAt(ctx, point, 5+7*n); err != nil {
						return err
					}
					mu.Lock()
					next, err := crash.Start(dir, level)
					if err == nil {
						server = next
					}
					mu.Unlock()
					if err != nil {
						return err
					}
				}
				return nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%+v", report)
		if report.Open == 0 {
			t.Error("no kill hit a call")
		}
	}
}

// Servers that lie are found out, and the picture of what they said is kept.
func TestLiars(t *testing.T) {
	for name, lie := range map[string]func(http.Handler) http.Handler{
		"register": func(h http.Handler) http.Handler { // a write is answered and forgotten
			return on(h, "POST", "/v1/customers/", func(w http.ResponseWriter, r *http.Request, body string) {
				if strings.HasPrefix(body, "description=0") || strings.HasPrefix(body, "description=1") {
					r.Method, body = "GET", ""
				}
				pass(h, w, r, body)
			})
		},
		"balance": func(h http.Handler) http.Handler { // a read is of some time ago
			var mu sync.Mutex
			old := map[string]*httptest.ResponseRecorder{}
			return on(h, "GET", "/v1/customers/cus_", func(w http.ResponseWriter, r *http.Request, _ string) {
				mu.Lock()
				defer mu.Unlock()
				now := httptest.NewRecorder()
				h.ServeHTTP(now, r)
				before := old[r.URL.Path]
				if old[r.URL.Path] = now; before == nil {
					before = now
				}
				w.WriteHeader(before.Code)
				_, _ = w.Write(before.Body.Bytes())
			})
		},
		"key": func(h http.Handler) http.Handler { // a key is not looked at
			return on(h, "POST", "/v1/customers", func(w http.ResponseWriter, r *http.Request, body string) {
				r.Header.Del("Idempotency-Key")
				pass(h, w, r, body)
			})
		},
		"list": func(h http.Handler) http.Handler { // a list shows the newest alone
			return on(h, "GET", "/v1/customers", func(w http.ResponseWriter, r *http.Request, _ string) {
				r.URL.RawQuery = strings.Replace(r.URL.RawQuery, "limit=100", "limit=1", 1)
				h.ServeHTTP(w, r)
			})
		},
		"refunds": func(h http.Handler) http.Handler { // a refund is of half
			return on(h, "POST", "/v1/refunds", func(w http.ResponseWriter, r *http.Request, body string) {
				pass(h, w, r, strings.Replace(body, "amount=1", "amount=", 1))
			})
		},
		"comments": func(h http.Handler) http.Handler { // a comment is said twice
			return on(h, "PUT", "/api/v2/tickets/", func(w http.ResponseWriter, r *http.Request, body string) {
				pass(h, httptest.NewRecorder(), r.Clone(r.Context()), body)
				pass(h, w, r, body)
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			server, dir := serve(t, lie), t.TempDir()
			_, err := linear.Run(t.Context(), linear.Config{Seed: 1, Dir: dir, Server: func() string { return server.URL }})
			if !errors.Is(err, linear.ErrImpossible) || !strings.Contains(err.Error(), name) {
				t.Errorf("it was not found out: %v", err)
			}
			if picture, err := os.ReadFile(filepath.Join(dir, "history-"+name+".html")); err != nil || !bytes.Contains(picture, []byte("<html")) {
				t.Errorf("there is no picture: %v", err)
			}
		})
	}
}

// on lets a lie see the requests of a method below a path.
func on(h http.Handler, method, path string, lie func(w http.ResponseWriter, r *http.Request, body string)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != method || !strings.HasPrefix(r.URL.Path, path) {
			h.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		lie(w, r, string(body))
	})
}

func pass(h http.Handler, w http.ResponseWriter, r *http.Request, body string) {
	r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
	h.ServeHTTP(w, r)
}
