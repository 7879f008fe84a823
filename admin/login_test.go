package admin_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"worlds/admin"
	"worlds/journal/store"
	"worlds/twin"
	"worlds/twin/serve"
	"worlds/twin/stripe"
	"worlds/twin/world"
	"worlds/twin/zendesk"
)

// A world's help desk has credentials of its own: they open nothing else, they
// are shown once and kept as digests, and they survive a restart.
func TestLogin(t *testing.T) {
	dir := t.TempDir()
	open := func() (*admin.Server, *httptest.Server, func()) {
		journal, err := store.Open(dir, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		host := world.NewHost(journal, world.Options{Catalogs: []*twin.Catalog{stripe.Catalog(), zendesk.Catalog()}})
		operator, err := admin.New(host, admin.Options{Open: true})
		if err != nil {
			t.Fatal(err)
		}
		router := serve.NewRouter()
		operator.Mount(router)
		server := httptest.NewServer(router)
		return operator, server, func() { server.Close(); journal.Close() }
	}
	operator, server, stop := open()
	create := func(zendesk string) (int, admin.CreatedWorld) {
		res, err := http.Post(server.URL+"/admin/worlds", "application/json", strings.NewReader(`{"seed":"empty"`+zendesk+`}`))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		var made admin.CreatedWorld
		json.NewDecoder(res.Body).Decode(&made)
		return res.StatusCode, made
	}
	status, made := create("")
	login := made.Zendesk
	if status != 201 || login == nil || login.Email != "agent@support.example" || len(login.APIToken) < 20 || login.APIToken == login.OAuthToken {
		t.Fatalf("%d %+v", status, login)
	}
	if len(made.Keys) != 1 {
		t.Errorf("keys %+v", made.Keys)
	}
	check := func() {
		for _, row := range []struct {
			api, secret, actor string
		}{
			{"zendesk", login.APIToken, "zendesk:api_token"}, {"zendesk", login.OAuthToken, "zendesk:oauth_token"}, {"stripe", login.APIToken, ""},
			{"zendesk", made.Keys[0].Secret, "key:1"}, {"stripe", made.Keys[0].Secret, "key:1"}, {"zendesk", "nothing", ""},
		} {
			if o, ok := operator.Resolve(row.api, row.secret); ok != (row.actor != "") || o.Actor != row.actor {
				t.Errorf("%s by %s is %q", row.api, row.secret, o.Actor)
			}
		}
	}
	check()
	for _, row := range []struct {
		zendesk string
		status  int
	}{
		{`,"zendesk":{"api_token":"my-own-token","oauth_token":"my-other-token"}`, 201},
		{`,"zendesk":{"api_token":"my-own-token"}`, 409},
		{`,"zendesk":{"api_token":"same-token-twice","oauth_token":"same-token-twice"}`, 409},
		{`,"zendesk":{"api_token":"short"}`, 400},
	} {
		if status, _ := create(row.zendesk); status != row.status {
			t.Errorf("%s is answered %d, want %d", row.zendesk, status, row.status)
		}
	}
	stop()
	operator, server, stop = open()
	defer stop()
	check()
}
