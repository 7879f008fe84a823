package world_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"worlds/journal"
	"worlds/journal/canon"
	"worlds/journal/store"
	"worlds/seed"
	"worlds/twin"
	"worlds/twin/stripe"
	"worlds/twin/world"
)

// rig is a host over a folder, with one world of a seed.
type rig struct {
	t        testing.TB
	dir      string
	seed     *seed.Seed
	catalogs []*twin.Catalog
	store    store.Options
	hook     world.Hook

	journal *store.Store
	host    *world.Host
	world   *world.World
}

// newRig makes a world of a library seed; change, if not nil, sets the options.
func newRig(t testing.TB, name string, change func(*rig)) *rig {
	t.Helper()
	doc, err := seed.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, dir: t.TempDir(), seed: doc, catalogs: []*twin.Catalog{stripe.Catalog()}}
	if change != nil {
		change(r)
	}
	r.open()
	t.Cleanup(func() { r.journal.Close() })
	if _, err := r.host.Publish(r.seed); err != nil {
		t.Fatal(err)
	}
	if err := r.host.Create(1, admin("create", 1)); err != nil {
		t.Fatal(err)
	}
	r.world = r.attach(1)
	return r
}

func (r *rig) open() {
	r.t.Helper()
	s, err := store.Open(r.dir, r.store)
	if err != nil {
		r.t.Fatal(err)
	}
	r.journal = s
	r.host = world.NewHost(s, world.Options{Catalogs: r.catalogs, Hook: r.hook})
}

func (r *rig) attach(id world.ID) *world.World {
	return r.host.Attach(id, r.seed.Hash.String(), twin.Rules)
}

// restart closes the journal and opens it again.
func (r *rig) restart() {
	r.t.Helper()
	if err := r.journal.Close(); err != nil {
		r.t.Fatal(err)
	}
	r.open()
	r.world = r.attach(1)
}

// admin is a command of the server's own stream.
func admin(op string, id world.ID) canon.Raw {
	return canon.Raw(fmt.Sprintf(`{"op":%q,"world":%d}`, op, id))
}

// request is a request of a key of the world: a form for a POST, a query otherwise.
func request(method, path, form, key string) world.Request {
	cmd := twin.Command{Actor: "key:1", API: stripe.Name, Method: method, Path: path, Query: form}
	if method == "POST" {
		cmd.Query, cmd.Body = "", form
	}
	return world.Request{Command: cmd, IdemKey: key}
}

// mark is the admin operation that names the present position.
func mark(name string) world.Request {
	return world.Request{Command: twin.Command{Actor: "admin", API: "admin", Op: "mark", Args: twin.MarkArgs(name)}}
}

// do executes a request that the world must answer, whatever the answer.
func (r *rig) do(method, path, form, key string) *world.Answer {
	r.t.Helper()
	return r.send(request(method, path, form, key))
}

func (r *rig) send(req world.Request) *world.Answer {
	r.t.Helper()
	a, err := r.world.Do(context.Background(), req)
	if err != nil {
		r.t.Fatalf("%s %s: %v", req.Command.Method, req.Command.Path, err)
	}
	return a
}

// ok is do for an answer of 200; it returns the id in it.
func (r *rig) ok(method, path, form, key string) string {
	r.t.Helper()
	a := r.do(method, path, form, key)
	if a.Status != 200 {
		r.t.Fatalf("%s %s: %d %s", method, path, a.Status, a.Body)
	}
	return idOf(a)
}

func idOf(a *world.Answer) string {
	raw, _ := canon.Get(a.Body, "id")
	id, _ := canon.Unquote(raw)
	return id
}

func (r *rig) view() world.View {
	r.t.Helper()
	v, err := r.world.View(context.Background())
	if err != nil {
		r.t.Fatal(err)
	}
	return v
}

// end is dump hash, head and sequence, for comparing two histories.
func (r *rig) end() string {
	r.t.Helper()
	v := r.view()
	return fmt.Sprintf("%s %s %d", world.DumpHash(v.State), v.Hash, v.Seq)
}

func (r *rig) reset() {
	r.t.Helper()
	if err := r.world.Reset(context.Background(), world.Plainly(admin("reset", 1))); err != nil {
		r.t.Fatal(err)
	}
}

// entries are the world's entries from 1 on.
func (r *rig) entries() world.Entries {
	r.t.Helper()
	var list []*journal.Entry
	err := r.world.Entries(context.Background(), 1, 0, func(e *journal.Entry) error {
		list = append(list, e)
		return nil
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return func(yield func(*journal.Entry, error) bool) {
		for _, e := range list {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// replay re-makes the world and fails the test if the replay does not end where
// the world stands.
func (r *rig) replay() {
	r.t.Helper()
	g, err := r.world.Genesis()
	if err != nil {
		r.t.Fatal(err)
	}
	for _, mode := range []world.Mode{world.Fold, world.Redecide} {
		report, _ := world.Replay(mode, g, r.entries(), r.catalogs, nil)
		got := fmt.Sprintf("%s %s %d", report.DumpHash, report.Head, report.Entries)
		if !report.Valid || got != r.end() {
			r.t.Errorf("%s: %+v, the world stands at %s", mode, report, r.end())
		}
	}
}

// names are the names of the customers, oldest first.
func (r *rig) names() string {
	r.t.Helper()
	var list []string
	for row := range r.view().State.Oldest("stripe.customer", 0) {
		raw, _ := canon.Get(row.Body, "name")
		name, _ := canon.Unquote(raw)
		list = append(list, name)
	}
	return strings.Join(list, " ")
}
