package admin_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"worlds/admin"
)

// Everything at once on a few worlds: requests, marks, diffs, exports, resets,
// forks and their deletion, keys. Whatever wins, every answer is one the document
// has, none is a fault of ours, every world that is left proves itself, and a
// restart finds the same worlds.
func TestEverythingAtOnce(t *testing.T) {
	r := newRig(t, admin.Options{Open: true, Logger: slog.New(faults{slog.DiscardHandler, t})})
	worlds := &crowd{}
	for range 3 {
		worlds.add(r.create(`{"seed":"empty"}`))
	}
	padding := strings.Repeat("x", 300) // so that an export is more than one piece
	acts := map[string]func(w admin.CreatedWorld){
		"create": func(w admin.CreatedWorld) {
			r.stripe(w.Keys[0].Secret, "POST", "/v1/customers", fmt.Sprintf("name=%d&description=%s", rand.N(1000), padding))
		},
		"read": func(w admin.CreatedWorld) { r.stripe(w.Keys[0].Secret, "GET", "/v1/customers?limit=3", "") },
		"mark": func(w admin.CreatedWorld) {
			r.quiet("POST", w, "/marks", fmt.Sprintf(`{"name":"m%d"}`, rand.N(1_000_000)))
		},
		"diff": func(w admin.CreatedWorld) { r.quiet("GET", w, fmt.Sprintf("/diff?from=%d", rand.N(5)), "") },
		"export": func(w admin.CreatedWorld) {
			res := r.begin("GET", "/admin/worlds/"+w.ID+"/journal/export", w.AdminToken)
			defer res.Body.Close()
			// A reset or a deletion cuts it; anything else that does is logged as a fault.
			if _, err := drain(res.Body); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Error(err)
			}
			if res.StatusCode >= http.StatusInternalServerError {
				t.Error(res.Status)
			}
		},
		"journal": func(w admin.CreatedWorld) { r.quiet("GET", w, "/journal?limit=50", "") },
		"dump":    func(w admin.CreatedWorld) { r.quiet("GET", w, "/dump", "") },
		"verify":  func(w admin.CreatedWorld) { r.quiet("POST", w, "/verify", "") },
		"reset":   func(w admin.CreatedWorld) { r.quiet("POST", w, "/reset", "") },
		"key":     func(w admin.CreatedWorld) { r.quiet("POST", w, "/keys", "") },
		"fork": func(w admin.CreatedWorld) {
			if a := r.quiet("POST", w, "/fork", ""); a.status == 201 && worlds.size() < 12 {
				var f admin.CreatedWorld
				if err := json.Unmarshal(a.body, &f); err == nil {
					worlds.add(f)
				}
			}
		},
		"delete": func(w admin.CreatedWorld) {
			if worlds.size() > 6 && worlds.take(w.ID) {
				r.quiet("DELETE", w, "", "")
			}
		},
	}
	var names []string
	for name := range acts {
		names = append(names, name)
	}
	slices.Sort(names)
	names = append(names, "create", "create", "create", "read")
	var stop atomic.Bool
	var running sync.WaitGroup
	for range 8 {
		running.Go(func() {
			for !stop.Load() {
				acts[names[rand.N(len(names))]](worlds.any())
			}
		})
	}
	time.Sleep(1500 * time.Millisecond)
	stop.Store(true)
	running.Wait()
	before := r.settled()
	r.restart()
	if after := r.settled(); after != before {
		t.Errorf("before the restart\n%s\nafter\n%s", before, after)
	}
	for _, w := range worlds.list {
		for _, mode := range []string{"fold", "re-decide"} {
			if a := r.call("POST", "/admin/worlds/"+w.ID+"/replay", w.AdminToken, `{"mode":"`+mode+`"}`); a.status != 404 && !strings.Contains(string(a.body), `"valid":true`) {
				t.Errorf("%s of %s: %d %s", mode, w.ID, a.status, a.body)
			}
		}
	}
}

// faults fails a test for what a server logs as a fault of its own.
type faults struct {
	slog.Handler
	t *testing.T
}

// Enabled implements slog.Handler.
func (f faults) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelError }

// Handle implements slog.Handler.
func (f faults) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		f.t.Errorf("logged: %s: %s", r.Message, a)
		return true
	})
	return nil
}

// quiet is call for an operation that may lose against another: it may be refused,
// but not fail.
func (r *rig) quiet(method string, w admin.CreatedWorld, path, body string) answer {
	a := r.call(method, "/admin/worlds/"+w.ID+path, w.AdminToken, body)
	if a.status >= http.StatusInternalServerError {
		r.t.Errorf("%s %s: %d %s", method, path, a.status, a.body)
	}
	return a
}

// settled is the list of worlds with where each stands.
func (r *rig) settled() string {
	r.t.Helper()
	var out strings.Builder
	for _, w := range r.admin.Worlds() {
		found, err := r.admin.World(w.ID)
		if err != nil {
			r.t.Fatal(err)
		}
		v, err := found.View(r.t.Context())
		if err != nil {
			r.t.Fatalf("world %s: %v", w.ID, err)
		}
		fmt.Fprintf(&out, "%s %d %s keys %d\n", w.ID, v.Seq, v.Hash, len(w.Keys))
	}
	return out.String()
}

// crowd is the worlds that are left.
type crowd struct {
	mu   sync.Mutex
	list []admin.CreatedWorld
}

func (c *crowd) add(w admin.CreatedWorld) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = append(c.list, w)
}

func (c *crowd) size() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.list)
}

func (c *crowd) any() admin.CreatedWorld {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.list[rand.N(len(c.list))]
}

// take removes a world; false if another was quicker.
func (c *crowd) take(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := slices.IndexFunc(c.list, func(w admin.CreatedWorld) bool { return w.ID == id })
	if at >= 0 {
		c.list = slices.Delete(c.list, at, at+1)
	}
	return at >= 0
}

// A world that begins anew while it is proved says nothing of its journal: the proof is
// refused, and does not fail.
func TestResetWhileProving(t *testing.T) {
	r := newRig(t, admin.Options{Open: true})
	w := r.create(`{"seed":"empty"}`)
	var stop atomic.Bool
	var running sync.WaitGroup
	for _, path := range []string{"/verify", "/replay", "/verify", "/replay"} {
		running.Go(func() {
			for !stop.Load() {
				a := r.call("POST", "/admin/worlds/"+w.ID+path, w.AdminToken, "")
				proved := a.status == 200 && strings.Contains(string(a.body), `"valid":true`)
				if !proved && !(a.status == 409 && strings.Contains(string(a.body), `"code":"reset"`)) {
					t.Errorf("%s: %d %s", path, a.status, a.body)
					return
				}
			}
		})
	}
	for range 100 {
		for range 3 {
			r.stripe(w.Keys[0].Secret, "POST", "/v1/customers", "name=a")
		}
		r.quiet("POST", w, "/reset", "")
	}
	stop.Store(true)
	running.Wait()
}
