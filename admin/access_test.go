package admin_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"worlds/admin"
	"worlds/journal"
	"worlds/twin"
	"worlds/twin/stripe"
	"worlds/twin/world"
)

// Who may call what: every route of the document, every kind of token, open and
// not. A refusal of access is 401 and changes nothing.
func TestAccess(t *testing.T) {
	for _, opt := range []admin.Options{{Open: true}, {Open: true, RootToken: root}, {RootToken: root}} {
		name := "closed, root"
		if opt.Open {
			name = "open"
			if opt.RootToken != "" {
				name = "open, root"
			}
		}
		t.Run(name, func(t *testing.T) {
			r := newRig(t, opt)
			w, other := r.create(`{"seed":"empty"}`), r.create(`{"seed":"empty"}`)
			tokens := map[string]string{
				"none": "", "wrong": "wadm_wrong", "key": w.Keys[0].Secret, "other": other.AdminToken, "own": w.AdminToken, "root": root,
			}
			for key, op := range r.doc.operations {
				method, path, _ := strings.Cut(key, " ")
				onWorld := strings.HasPrefix(path, "/admin/worlds/{world}")
				path = strings.NewReplacer("{world}", w.ID, "{seq}", "0", "{label}", "nope", "{hash}", "nope").Replace(path)
				for who, token := range tokens {
					admitted := len(op.Security) == 0 || // anyone
						who == "root" && opt.RootToken != "" ||
						onWorld && who == "own" ||
						!onWorld && opt.Open
					if admitted && method != "GET" {
						continue // it would do it
					}
					a := r.call(method, path, token, "")
					if (a.status == 401) == admitted {
						t.Errorf("%s %s with the token %s: %d %s", method, path, who, a.status, a.body)
					}
				}
			}
			if v := r.want(200, "", "GET", "/admin/worlds/"+w.ID, w.AdminToken, ""); !bytes.Contains(v.body, []byte(`"seq":0`)) {
				t.Errorf("something was done: %s", v.body)
			}
			// That a world does not exist is told to those who may list worlds.
			unknown := r.call("GET", "/admin/worlds/nope", "wadm_wrong", "")
			if want := map[bool]int{true: 404, false: 401}[opt.Open]; unknown.status != want {
				t.Errorf("a world that is not there: %d %s", unknown.status, unknown.body)
			}
		})
	}
}

func TestTokensInOtherSpellings(t *testing.T) {
	r := newRig(t, admin.Options{Open: true})
	w := r.create(`{"seed":"empty"}`)
	for _, row := range []struct {
		header string
		status int
	}{
		{"Bearer " + w.AdminToken, 200}, {"bearer " + w.AdminToken, 200}, {"Bearer   " + w.AdminToken, 200},
		{w.AdminToken, 401}, {"Basic " + w.AdminToken, 401}, {"Bearer", 401}, {"Bearer ", 401},
		{"Bearer " + strings.ToLower(w.AdminToken), 401}, {"Bearer " + w.AdminToken + "x", 401},
	} {
		if got := r.withHeader("GET", "/admin/worlds/"+w.ID, row.header); got != row.status {
			t.Errorf("Authorization %q: %d, want %d", row.header, got, row.status)
		}
	}
}

// The registry is the fold of the server's own stream: a restart changes nothing.
func TestRegistrySurvivesARestart(t *testing.T) {
	r := newRig(t, admin.Options{Open: true})
	a := r.create(`{"seed":"empty","name":"a","keys":[{"label":"x"},{}]}`)
	b := r.create(`{"seed":"saas-billing-small"}`)
	gone := r.create(`{"seed":"empty","name":"gone"}`)
	var added admin.KeyInfo
	if err := json.Unmarshal(r.want(201, "", "POST", "/admin/worlds/a/keys", a.AdminToken, `{"label":"added"}`).body, &added); err != nil {
		t.Fatal(err)
	}
	r.want(204, "", "DELETE", "/admin/worlds/a/keys/x", a.AdminToken, "")
	r.want(204, "", "DELETE", "/admin/worlds/gone", gone.AdminToken, "")
	r.want(201, "", "POST", "/admin/seeds", "", inline(`{"id":"cus_2","name":"B","email":"b@example.com"}`))
	r.stripe(b.Keys[0].Secret, "POST", "/v1/customers", "name=Ann")
	look := func() string {
		return string(r.want(200, "", "GET", "/admin/worlds", "", "").body) + string(r.want(200, "", "GET", "/admin/seeds", "", "").body) +
			string(r.want(200, "", "GET", "/admin/worlds/"+b.ID, b.AdminToken, "").body)
	}
	before := look()
	for range 2 {
		r.restart()
		if after := look(); after != before {
			t.Errorf("before\n%s\nafter\n%s", before, after)
		}
		for secret, status := range map[string]int{
			a.Keys[0].Secret: 401, a.Keys[1].Secret: 200, added.Secret: 200, b.Keys[0].Secret: 200, gone.Keys[0].Secret: 401,
		} {
			if got := r.stripe(secret, "GET", "/v1/customers", ""); got.status != status {
				t.Errorf("key %s: %d, want %d", secret, got.status, status)
			}
		}
		before = look() // the requests just made are in b's journal
	}
	if c := r.create(`{"seed":"empty","name":"gone"}`); c.ID == gone.ID {
		t.Error("an id was given twice")
	}
}

// A key that is added while its world is being deleted must not keep the server
// from starting again.
func TestKeyOfADeletedWorld(t *testing.T) {
	r := newRig(t, admin.Options{Open: true})
	for _, late := range []string{
		`{"keys":[{"digest":"00","label":"late"}],"op":"key.add","world":9}`,
		`{"keys":[{"digest":"","label":"late"}],"op":"key.remove","world":9}`,
		`{"op":"delete","world":9}`,
		`{"op":"reset","world":9}`,
	} {
		if err := r.host.Record([]byte(late)); err != nil {
			t.Fatal(err)
		}
	}
	r.restart()
	r.create(`{"seed":"empty"}`)
}

// No secret is ever written to the data folder; what is not secret is, which
// shows that the search can find something.
func TestSecretsAreNotWritten(t *testing.T) {
	r := newRig(t, admin.Options{RootToken: root, Open: true})
	w := r.create(`{"seed":"empty","name":"findable-name","admin_token":"findable-token","keys":[{"secret":"findable-secret"},{}]}`)
	k := r.want(201, "", "POST", "/admin/worlds/"+w.ID+"/keys", w.AdminToken, `{"label":"findable-label"}`)
	var key admin.KeyInfo
	if err := json.Unmarshal(k.body, &key); err != nil {
		t.Fatal(err)
	}
	r.stripe("findable-secret", "POST", "/v1/customers", "name=findable-customer")
	r.stripe("unknown-secret-1", "POST", "/v1/customers", "name=unknown")
	r.stripe(key.Secret, "GET", "/v1/customers", "")
	r.restart() // all of it is on the shelf as well
	secrets := []string{root, w.AdminToken, w.Keys[0].Secret, w.Keys[1].Secret, key.Secret, "unknown-secret-1"}
	found := map[string]bool{}
	err := filepath.WalkDir(r.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		for _, s := range secrets {
			if bytes.Contains(text, []byte(s)) {
				t.Errorf("%s holds the secret %s", d.Name(), s)
			}
		}
		for _, s := range []string{"findable-name", "findable-label", "findable-customer", w.ID} {
			found[s] = found[s] || bytes.Contains(text, []byte(s))
		}
		return err
	})
	if err != nil || len(found) != 4 {
		t.Fatal(err, found)
	}
	for s, there := range found {
		if !there {
			t.Errorf("the search does not find %s", s)
		}
	}
}

// An exported journal proves itself on a machine that never saw the world.
func TestExportReplaysElsewhere(t *testing.T) {
	r := newRig(t, admin.Options{Open: true})
	w := r.create(`{"seed":"saas-billing-small"}`)
	for _, form := range []string{"name=Ann", "name=Bob&email=b@example.com", "nme=x"} {
		r.stripe(w.Keys[0].Secret, "POST", "/v1/customers", form)
	}
	r.want(201, "", "POST", "/admin/worlds/"+w.ID+"/marks", w.AdminToken, `{"name":"m"}`)
	var live admin.DumpHash
	if err := json.Unmarshal(r.want(200, "", "GET", "/admin/worlds/"+w.ID+"/dump/hash", w.AdminToken, "").body, &live); err != nil {
		t.Fatal(err)
	}
	export := r.want(200, "", "GET", "/admin/worlds/"+w.ID+"/journal/export", w.AdminToken, "")
	if got := export.header.Get("Worlds-Head"); got != live.Head {
		t.Errorf("the export says its head is %s, the world %s", got, live.Head)
	}
	var entries []*journal.Entry
	for line := range bytes.Lines(export.body) {
		e, err := journal.ParseLine(line)
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, &e)
	}
	g, err := world.ParseGenesis(entries[0].Body)
	if err != nil {
		t.Fatal(err)
	}
	all := func(yield func(*journal.Entry, error) bool) {
		for _, e := range entries[1:] {
			if !yield(e, nil) {
				return
			}
		}
	}
	for _, mode := range []world.Mode{world.Fold, world.Redecide} {
		report, _ := world.Replay(mode, g, all, []*twin.Catalog{stripe.Catalog()}, nil)
		if !report.Valid || report.DumpHash != live.SHA256 || report.Head != live.Head {
			t.Errorf("%s: %+v, live %+v", mode, report, live)
		}
	}
	// One byte of one entry: it no longer proves itself.
	entries[2] = &journal.Entry{Seq: entries[2].Seq, Prev: entries[2].Prev, Hash: entries[2].Hash,
		Body: bytes.Replace(slices.Clone(entries[2].Body), []byte("Bob"), []byte("Rob"), 1)}
	if report, _ := world.Replay(world.Fold, g, all, nil, nil); report.Valid || report.Failure != world.FailChain || report.Seq != 2 {
		t.Errorf("a changed entry: %+v", report)
	}
}

// An export that cannot be finished ends in an error, not like a whole one: the
// world is reset while a slow reader has half of it.
func TestAnExportCutShortDoesNotLookWhole(t *testing.T) {
	r := newRig(t, admin.Options{Open: true})
	w := r.create(`{"seed":"empty"}`)
	found, err := r.admin.World(w.ID)
	if err != nil {
		t.Fatal(err)
	}
	form := "description=" + strings.Repeat("x", 350)
	for i := range twin.MetadataKeysMax {
		form += "&metadata[" + strings.Repeat("k", i+1) + "]=" + strings.Repeat("v", twin.MetadataValMax)
	}
	form = strings.ReplaceAll(form, "metadata["+strings.Repeat("k", 41), "metadata[x"+strings.Repeat("k", 30))
	for range 400 {
		cmd := twin.Command{Actor: "key:1", API: stripe.Name, Method: "POST", Path: "/v1/customers", Body: form}
		if a, err := found.Do(t.Context(), world.Request{Command: cmd}); err != nil || a.Seq == 0 {
			t.Fatal(a, err)
		}
	}
	whole := len(r.call("GET", "/admin/worlds/"+w.ID+"/journal/export", w.AdminToken, "").body)
	if whole < 20<<20 {
		t.Fatalf("the export has %d bytes, which a connection may swallow whole", whole)
	}
	res := r.begin("GET", "/admin/worlds/"+w.ID+"/journal/export", w.AdminToken)
	defer res.Body.Close()
	if err := found.Reset(t.Context(), world.Plainly([]byte(`{"op":"reset","world":1}`))); err != nil {
		t.Fatal(err)
	}
	if n, err := drain(res.Body); err == nil {
		t.Errorf("%d of %d bytes, and no error", n, whole)
	}
}
