package admin_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"worlds/admin"
)

// fork branches a world, which must work.
func (r *rig) fork(w admin.CreatedWorld, body string) admin.CreatedWorld {
	r.t.Helper()
	var f admin.CreatedWorld
	a := r.want(201, "", "POST", "/admin/worlds/"+w.ID+"/fork", w.AdminToken, body)
	if err := json.Unmarshal(a.body, &f); err != nil {
		r.t.Fatalf("%v: %s", err, a.body)
	}
	return f
}

// dumpHash is the hash of a world's dump.
func (r *rig) dumpHash(w admin.CreatedWorld) string {
	r.t.Helper()
	var h admin.DumpHash
	a := r.want(200, "", "GET", "/admin/worlds/"+w.ID+"/dump/hash", w.AdminToken, "")
	if err := json.Unmarshal(a.body, &h); err != nil {
		r.t.Fatal(err)
	}
	return h.SHA256
}

// A fork has its parent's labels with secrets of its own, no endpoint, the clock of
// the position, and says where it comes from, after a restart too.
func TestForkIsAWorldOfItsOwn(t *testing.T) {
	r := newRig(t, admin.Options{Open: true})
	w := r.create(`{"seed":"saas-billing-small","name":"main","keys":[{"label":"agent","expires_after":3},{"label":"other"}],"endpoint":{"url":"http://127.0.0.1:9/"}}`)
	before := r.dumpHash(w)
	r.want(200, "", "POST", "/admin/worlds/"+w.ID+"/clock/advance", w.AdminToken, `{"days":1}`)
	r.must(w.Keys[0].Secret, "POST", "/v1/customers", "name=Ann")
	early := r.fork(w, `{"at":"0","name":"early"}`)
	late := r.fork(w, `{"name":"late"}`)
	middle := r.fork(w, `{"at":"#1"}`)
	if early.Clock != w.Clock || late.Clock != w.Clock+86400 || middle.Clock != late.Clock {
		t.Errorf("clocks %d, %d and %d; the world had %d", early.Clock, middle.Clock, late.Clock, w.Clock)
	}
	if got := r.dumpHash(early); got != before {
		t.Errorf("a fork at 0 has the dump %s, the world began with %s", got, before)
	}
	seen := map[string]bool{w.AdminToken: true, w.Keys[0].Secret: true, w.Keys[1].Secret: true}
	for range 2 {
		for _, f := range []admin.CreatedWorld{early, middle, late} {
			var labels []string
			for _, k := range f.Keys {
				labels = append(labels, k.Label)
			}
			if fmt.Sprint(labels) != "[agent other]" {
				t.Errorf("the fork's keys are %v", labels)
			}
			r.want(401, "", "GET", "/admin/worlds/"+f.ID, w.AdminToken, "")
			r.want(404, "no-endpoint", "GET", "/admin/worlds/"+f.ID+"/webhooks/endpoint", f.AdminToken, "")
			r.want(200, `"parent":"`+w.ID+`"`, "GET", "/admin/worlds/"+f.ID, f.AdminToken, "")
		}
		r.restart()
	}
	for _, f := range []admin.CreatedWorld{early, middle, late} {
		for _, secret := range []string{f.AdminToken, f.Keys[0].Secret, f.Keys[1].Secret} {
			if seen[secret] {
				t.Error("two worlds share a secret")
			}
			seen[secret] = true
		}
	}
	// the parent used one of the key's three requests before the fork
	for i, want := range []int{200, 200, 401} {
		if a := r.stripe(late.Keys[0].Secret, "GET", "/v1/customers", ""); a.status != want {
			t.Errorf("request %d of the fork's expiring key: %d, want %d", i+1, a.status, want)
		}
	}
}

// The same key gives the same fork, wherever in the world's past it lies, until the
// world begins anew.
func TestForkKeys(t *testing.T) {
	r := newRig(t, admin.Options{Open: true, ForksMax: 4})
	w := r.create(`{"seed":"saas-billing-small"}`)
	r.must(w.Keys[0].Secret, "POST", "/v1/customers", "name=Ann")
	f := r.fork(w, `{"key":"k"}`)
	r.must(f.Keys[0].Secret, "POST", "/v1/customers", "name=Bob")
	for _, row := range []struct {
		of   admin.CreatedWorld
		body string
		id   string
	}{
		{w, `{"key":"k"}`, f.ID},
		{w, `{"key":"k","at":"1"}`, f.ID},
		{f, `{"key":"inherited","at":"0"}`, r.fork(f, `{"key":"inherited","at":"0"}`).ID},
		{f, `{"key":"point","at":"1"}`, r.fork(f, `{"key":"point","at":"1"}`).ID},
		{f, `{"key":"head"}`, r.fork(f, `{"key":"head"}`).ID},
	} {
		r.want(200, `"id":"`+row.id+`"`, "POST", "/admin/worlds/"+row.of.ID+"/fork", row.of.AdminToken, row.body)
	}
	r.want(409, "fork-exists", "POST", "/admin/worlds/"+w.ID+"/fork", w.AdminToken, `{"key":"k","at":"0"}`)
	r.want(400, "invalid-key", "POST", "/admin/worlds/"+w.ID+"/fork", w.AdminToken, `{"key":"`+strings.Repeat("k", 129)+`"}`)
	r.want(200, "", "POST", "/admin/worlds/"+w.ID+"/reset", w.AdminToken, "")
	anew := r.fork(w, `{"key":"k"}`)
	r.want(200, `"id":"`+anew.ID+`"`, "POST", "/admin/worlds/"+w.ID+"/fork", w.AdminToken, `{"key":"k"}`)
	r.fork(w, `{"key":"3"}`)
	r.fork(w, `{"key":"4"}`)
	r.want(409, "too-many-forks", "POST", "/admin/worlds/"+w.ID+"/fork", w.AdminToken, `{"key":"5"}`)
	r.want(204, "", "DELETE", "/admin/worlds/"+anew.ID, anew.AdminToken, "")
	r.fork(w, `{"key":"5"}`)
}

// Entries that only forks read go with the last of them, and the count of worlds
// is right after a restart.
func TestForksGiveUpWhatNobodyReads(t *testing.T) {
	r := newRig(t, admin.Options{Open: true})
	w := r.create(`{"seed":"saas-billing-small"}`)
	r.must(w.Keys[0].Secret, "POST", "/v1/customers", "name=Ann")
	f := r.fork(w, `{}`)
	r.must(f.Keys[0].Secret, "POST", "/v1/customers", "name=Bob")
	g := r.fork(f, `{}`)
	streams := func(want int) {
		t.Helper()
		if got := len(r.journal.Worlds()); got != want {
			t.Errorf("the journal has %d streams, want %d", got, want)
		}
	}
	streams(4)
	r.want(200, `"seq":0`, "POST", "/admin/worlds/"+w.ID+"/reset", w.AdminToken, "")
	streams(5) // the world goes on elsewhere
	r.want(204, "", "DELETE", "/admin/worlds/"+f.ID, f.AdminToken, "")
	streams(5) // the fork of the fork reads it
	r.restart()
	r.must(g.Keys[0].Secret, "POST", "/v1/customers", "name=Cid")
	r.want(200, `"valid":true`, "POST", "/admin/worlds/"+g.ID+"/replay", g.AdminToken, "")
	r.want(204, "", "DELETE", "/admin/worlds/"+g.ID, g.AdminToken, "")
	streams(2)
	r.want(204, "", "DELETE", "/admin/worlds/"+w.ID, w.AdminToken, "")
	streams(1)
	r.restart()
	r.want(200, "worlds_worlds 0", "GET", "/metrics", "", "")
}

// Forks and resets at once: a fork that was made is whole, whatever came between.
func TestForksAmidResets(t *testing.T) {
	r := newRig(t, admin.Options{Open: true})
	w := r.create(`{"seed":"saas-billing-small"}`)
	path := "/admin/worlds/" + w.ID
	var wg sync.WaitGroup
	var made []admin.CreatedWorld
	wg.Go(func() {
		for range 60 {
			r.stripe(w.Keys[0].Secret, "POST", "/v1/customers", "name=Ann")
			if a := r.call("POST", path+"/fork", w.AdminToken, `{}`); a.status == 201 {
				var f admin.CreatedWorld
				if err := json.Unmarshal(a.body, &f); err != nil {
					t.Error(err)
				}
				made = append(made, f)
			} else if a.status != 409 {
				t.Errorf("fork: %d %s", a.status, a.body)
			}
		}
	})
	wg.Go(func() {
		for range 60 {
			if a := r.call("POST", path+"/reset", w.AdminToken, ""); a.status != 200 && a.status != 409 {
				t.Errorf("reset: %d %s", a.status, a.body)
			}
		}
	})
	wg.Wait()
	if len(made) == 0 {
		t.Fatal("no fork was made")
	}
	r.restart()
	for _, f := range made {
		r.must(f.Keys[0].Secret, "POST", "/v1/customers", "name=Bob")
		r.want(200, `"valid":true`, "POST", "/admin/worlds/"+f.ID+"/verify", f.AdminToken, "")
	}
}

// A simulation answers the same whenever it is asked, and moves nothing.
func TestSimulate(t *testing.T) {
	r := newRig(t, admin.Options{Open: true})
	w := r.create(`{"seed":"saas-billing-small"}`)
	path := "/admin/worlds/" + w.ID
	r.must(w.Keys[0].Secret, "POST", "/v1/customers", "name=Ann")
	list := `{"commands":[{"method":"POST","path":"/v1/customers","body":"name=Eve","idempotency_key":"x"},` +
		`{"method":"POST","path":"/v1/customers","body":"name=Eve","idempotency_key":"x"},` +
		`{"advance_seconds":60},{"method":"GET","path":"/v1/customers","query":"limit=1"}]}`
	before := r.want(200, "", "GET", path, w.AdminToken, "").body
	first := r.want(200, `"name":"Eve"`, "POST", path+"/simulate", w.AdminToken, list)
	again := r.want(200, "", "POST", path+"/simulate", w.AdminToken, list)
	if string(first.body) != string(again.body) {
		t.Errorf("the same list gave\n%s\nand\n%s", first.body, again.body)
	}
	if after := r.want(200, "", "GET", path, w.AdminToken, "").body; string(after) != string(before) {
		t.Errorf("a simulation moved the world from %s to %s", before, after)
	}
	var s struct {
		Answers []struct{ Body struct{ ID string } }
		Diff    struct{ Created []struct{ ID string } }
	}
	if err := json.Unmarshal(first.body, &s); err != nil {
		t.Fatal(err)
	}
	if len(s.Answers) != 4 || s.Answers[0].Body.ID != s.Answers[1].Body.ID || len(s.Diff.Created) != 1 {
		t.Errorf("the second request under one key made something: %.500s", first.body)
	}
	real := r.must(w.Keys[0].Secret, "POST", "/v1/customers", "name=Eve")
	if !strings.Contains(string(real.body), s.Answers[0].Body.ID) {
		t.Errorf("done for real it makes %s, simulated %s", real.body, s.Answers[0].Body.ID)
	}
}

// A path of a simulation is read as a server reads it.
func TestSimulatedPaths(t *testing.T) {
	r := newRig(t, admin.Options{Open: true})
	w := r.create(`{"seed":"empty"}`)
	r.must(w.Keys[0].Secret, "POST", "/v1/products", "name=x&id=a%2Fb%20%C3%A9")
	ask := func(path string) string {
		return `{"commands":[{"method":"GET","path":"` + path + `"}]}`
	}
	target := "/admin/worlds/" + w.ID + "/simulate"
	r.want(200, `"id":"a/b é"`, "POST", target, w.AdminToken, ask("/v1/products/a%2Fb%20%C3%A9"))
	r.want(200, "Unrecognized request URL", "POST", target, w.AdminToken, ask("/v1/products/a/b%20%C3%A9"))
	for _, path := range []string{"v1/products", "/v1/products?limit=1", "/v1/products/%zz", "/v1/products/%"} {
		r.want(400, "$.commands[0].path", "POST", target, w.AdminToken, ask(path))
	}
}
