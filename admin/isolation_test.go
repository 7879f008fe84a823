package admin_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"worlds/admin"
	"worlds/journal/canon"
)

// What one world's key, token or login makes, no other's reaches: over twins and
// admin, forks and imports of the same run among them, where ids are equal.
func TestWorldsDoNotMeet(t *testing.T) {
	r := newRig(t, admin.Options{Open: true, RootToken: root})
	first := r.create(`{"seed":"empty"}`)
	r.must(first.Keys[0].Secret, "POST", "/v1/customers", "name=Shared")
	export := string(r.want(200, "", "GET", "/admin/worlds/"+first.ID+"/journal/export", first.AdminToken, "").body)
	var imported admin.CreatedWorld
	if err := json.Unmarshal(r.want(201, "", "POST", "/admin/import", "", export).body, &imported); err != nil {
		t.Fatal(err)
	}
	worlds := []admin.CreatedWorld{first, r.create(`{"seed":"empty"}`), r.fork(first, `{}`), r.fork(first, `{"at":"0"}`), imported}
	names := map[string]map[string]bool{} // by world
	for round := range 3 {
		for i, w := range worlds {
			mine := fmt.Sprintf("Own-%d-%d", i, round)
			body := r.must(w.Keys[0].Secret, "POST", "/v1/customers", "name="+mine).body
			raw, _ := canon.Get(canon.Raw(mustCanon(t, body)), "id")
			id, _ := canon.Unquote(raw)
			if names[w.ID] == nil {
				names[w.ID] = map[string]bool{}
			}
			names[w.ID][mine] = true
			for j, other := range worlds {
				if j == i {
					continue
				}
				// an equal id may be there, but not this object
				if a := r.stripe(other.Keys[0].Secret, "GET", "/v1/customers/"+id, ""); strings.Contains(string(a.body), mine) {
					t.Errorf("world %d shows %s of world %d", j, mine, i)
				}
				if a := r.call("GET", "/admin/worlds/"+w.ID+"/dump", other.AdminToken, ""); a.status != 401 {
					t.Errorf("the token of world %d opens world %d: %d", j, i, a.status)
				}
			}
		}
	}
	for i, w := range worlds {
		dump := string(r.want(200, "", "GET", "/admin/worlds/"+w.ID+"/dump", w.AdminToken, "").body)
		for j := range worlds {
			if got := strings.Contains(dump, fmt.Sprintf("Own-%d-", j)); got != (i == j) {
				t.Errorf("the dump of world %d holds what world %d made: %v", i, j, got)
			}
		}
	}
	r.want(204, "", "DELETE", "/admin/worlds/"+first.ID, first.AdminToken, "")
	if a := r.stripe(first.Keys[0].Secret, "GET", "/v1/customers", ""); a.status != 401 {
		t.Errorf("the key of a deleted world: %d", a.status)
	}
	r.must(worlds[2].Keys[0].Secret, "GET", "/v1/customers", "")
}

func mustCanon(t *testing.T, body []byte) []byte {
	t.Helper()
	out, err := canon.Canonicalize(body)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Connections that say nothing, or say it slowly, hold up nobody else.
func TestSlowCallers(t *testing.T) {
	r := newRig(t, admin.Options{Open: true})
	w := r.create(`{"seed":"empty"}`)
	for i := range 200 {
		c, err := net.Dial("tcp", strings.TrimPrefix(r.http.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		begun := []string{"", "POST", "POST /v1/customers HTTP/1.1\r\nHost: w\r\n",
			"POST /v1/customers HTTP/1.1\r\nHost: w\r\nAuthorization: Bearer " + w.Keys[0].Secret + "\r\nContent-Length: 100\r\n\r\nname="}[i%4]
		if _, err := io.WriteString(c, begun); err != nil {
			t.Fatal(err)
		}
	}
	begin := time.Now()
	for range 20 {
		r.must(w.Keys[0].Secret, "POST", "/v1/customers", "name=Ann")
	}
	r.want(200, `"seq":0`, "POST", "/admin/worlds/"+w.ID+"/reset", w.AdminToken, "")
	if took := time.Since(begin); took > 4*time.Second { // a reset would wait 5 s for a request that had begun
		t.Errorf("20 requests and a reset beside 200 idle connections took %v", took)
	}
}

// Bodies of the admin API have bounds: in size, in depth, in what they may be.
func TestAdminBodies(t *testing.T) {
	r := newRig(t, admin.Options{Open: true})
	w := r.create(`{"seed":"empty"}`)
	deep := `{"seed":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`
	for _, row := range []row{
		{413, "too-large", "POST", "/admin/worlds", "", `{"seed":"` + strings.Repeat("x", 41<<20) + `"}`},
		{400, "nested deeper than", "POST", "/admin/worlds", "", deep},
		{400, "invalid-json", "POST", "/admin/worlds/W/marks", w.AdminToken, `{"name":1e400}`},
		{400, "invalid-json", "POST", "/admin/worlds/W/marks", w.AdminToken, "{\"name\":\"\xff\"}"},
		{400, "invalid-json", "POST", "/admin/worlds/W/fork", w.AdminToken, `{"at":"0","at":"1"}`},
		{400, "invalid-json", "POST", "/admin/worlds/W/simulate", w.AdminToken, `{"commands":[{"method":"GET","path":"/v1","extra":1}]}`},
		{400, "invalid-secret", "POST", "/admin/worlds/W/keys", w.AdminToken, `{"secret":"` + strings.Repeat("x", 201) + `"}`},
	} {
		r.want(row.status, row.want, row.method, strings.Replace(row.path, "/W", "/"+w.ID, 1), row.token, row.body)
	}
}
