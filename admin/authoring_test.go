package admin_test

import (
	"strings"
	"testing"

	"worlds/admin"
)

// A server without authoring makes worlds of what it has, and takes nothing new.
func TestNoAuthoring(t *testing.T) {
	r := newRig(t, admin.Options{Open: true})
	published := r.create(`{"seed":` + inline(`{"id":"cus_1"}`) + `}`).Seed.Hash
	r.want(201, published, "POST", "/admin/seeds", "", inline(`{"id":"cus_1"}`))
	known := r.create(`{"seed":"saas-billing-small"}`)
	export := func(r *rig, w admin.CreatedWorld) string {
		return string(r.want(200, "", "GET", "/admin/worlds/"+w.ID+"/journal/export", w.AdminToken, "").body)
	}
	other := newRig(t, admin.Options{Open: true})
	foreign := export(other, other.create(`{"seed":`+inline(`{"id":"cus_3"}`)+`}`))
	run := export(r, known)
	r.opt.NoAuthoring = true
	r.restart()
	r.want(403, "authoring-off", "POST", "/admin/import", "", foreign)
	r.want(201, "", "POST", "/admin/import", "", run)
	r.want(403, "authoring-off", "POST", "/admin/seeds", "", inline(`{"id":"cus_2"}`))
	r.want(403, "authoring-off", "POST", "/admin/worlds", "", `{"seed":`+inline(`{"id":"cus_2"}`)+`}`)
	r.create(`{"seed":"empty"}`)
	r.create(`{"seed":"` + published + `"}`)
	r.want(200, `"published"`, "GET", "/admin/seeds", "", "")
	r.want(200, `"cus_1"`, "GET", "/admin/seeds/"+published, "", "")
}

// Publishing the same document again, whatever its spelling, is the same seed.
func TestPublishedSeedsAreKnownByTheirHash(t *testing.T) {
	r := newRig(t, admin.Options{Open: true})
	first := r.want(201, "", "POST", "/admin/seeds", "", `{"name":"x","version":1,"epoch":1767225600}`)
	again := r.want(201, "", "POST", "/admin/seeds", "", `{ "epoch":1767225600, "version":1, "name":"\u0078" }`)
	if string(first.body) != string(again.body) {
		t.Errorf("%s\n%s", first.body, again.body)
	}
	r.want(201, "", "POST", "/admin/seeds", "", `{"name":"x","version":2,"epoch":1767225600}`)
	list := r.want(200, "", "GET", "/admin/seeds", "", "")
	if n := strings.Count(string(list.body), `"published"`); n != 2 {
		t.Errorf("%d published: %s", n, list.body)
	}
}
