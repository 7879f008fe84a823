package admin_test

import (
	"fmt"
	"testing"

	"worlds/admin"
)

// Whatever a world answered once, it answers again with ?at, and reading the past
// changes nothing.
func TestThePast(t *testing.T) {
	r := newRig(t, admin.Options{Open: true})
	w := r.create(`{"seed":"saas-billing-small"}`)
	path := "/admin/worlds/" + w.ID
	reads := []string{"", "/clock", "/dump", "/dump/hash", "/marks", "/events", "/requests", "/journal", "/webhooks/deliveries", "/scenarios"}
	var then []map[string]string // by position
	look := func(at int) map[string]string {
		seen := map[string]string{}
		for _, read := range reads {
			query := ""
			if at >= 0 {
				query = fmt.Sprintf("?at=%d", at)
			}
			a := r.want(200, "", "GET", path+read+query, w.AdminToken, "")
			seen[read] = string(a.body) + a.header.Get("Worlds-Dump-SHA256") + a.header.Get("Worlds-Seq")
		}
		return seen
	}
	then = append(then, look(-1))
	for _, step := range []func(){
		func() { r.must(w.Keys[0].Secret, "POST", "/v1/customers", "name=Ann") },
		func() { r.want(201, "", "POST", path+"/marks", w.AdminToken, `{"name":"m"}`) },
		func() { r.must(w.Keys[0].Secret, "GET", "/v1/customers", "") },
		func() { r.want(200, "", "POST", path+"/clock/advance", w.AdminToken, `{"days":1}`) },
		func() {
			r.want(201, "", "POST", path+"/scenarios", w.AdminToken, `{"id":"storm","match":{"path":"/v1/refunds"},"effect":{"answer":{"status":503}}}`)
		},
		func() { r.must(w.Keys[0].Secret, "DELETE", "/v1/customers/cus_seed0001", "") },
	} {
		step()
		then = append(then, look(-1))
	}
	check := func() {
		t.Helper()
		for at, want := range then {
			got := look(at)
			for _, read := range reads {
				if got[read] != want[read] {
					t.Errorf("%s at %d: %.300s\nwas %.300s", read, at, got[read], want[read])
				}
			}
		}
	}
	check()
	r.restart()
	check()
	f := r.fork(w, `{"at":"3"}`)
	path, w = "/admin/worlds/"+f.ID, f
	then = then[:3]
	for _, seen := range then {
		delete(seen, "") // the fork is another world with the same past
	}
	reads = reads[1:]
	check()
	for _, row := range []struct {
		status           int
		want, path, body string
	}{
		{404, "no-such-entry", "/dump?at=4", ""},
		{404, "no-such-mark", "/dump?at=nobody", ""},
		{404, "no-such-mark", "/dump?at=", ""},
		{200, "", "/dump?at=m", ""},
		{200, "", "/dump?at=%232", ""},
		{400, "unknown-parameter", "/dump?att=1", ""},
		{400, "unknown-parameter", "/clock?until=1", ""},
	} {
		r.want(row.status, row.want, "GET", path+row.path, w.AdminToken, "")
	}
	r.want(400, "unknown-parameter", "POST", path+"/reset?at=1", w.AdminToken, "")
}
