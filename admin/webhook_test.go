package admin_test

import (
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"testing"

	"worlds/admin"
)

// TestBeginWithEverything: one call makes a world with keys that expire, an
// endpoint and fault rules; a wrong one of them makes no world.
func TestBeginWithEverything(t *testing.T) {
	r := newRig(t, admin.Options{Open: true})
	const path = "/admin/worlds"
	for _, row := range []struct{ body, code, at string }{
		{`{"seed":"saas-billing-small","endpoint":{"url":"http://192.0.2.1/"}}`, "endpoint-forbidden", "$.endpoint.url"},
		{`{"seed":"saas-billing-small","endpoint":{"url":"http://127.0.0.1:1/","enabled_events":["*","a b"]}}`, "invalid-endpoint", "$.endpoint.enabled_events[1]"},
		{`{"seed":"saas-billing-small","endpoint":{"url":"http://127.0.0.1:1/","api_version":"new"}}`, "invalid-endpoint", "$.endpoint.api_version"},
		{`{"seed":"saas-billing-small","endpoint":{"url":"http://me:pw@127.0.0.1:1/"}}`, "invalid-endpoint", "$.endpoint.url"},
		{`{"seed":"saas-billing-small","endpoint":{"url":"http://127.0.0.1:1/","secret":"a b c d e f"}}`, "invalid-secret", "$.endpoint.secret"},
		{`{"seed":"saas-billing-small","scenarios":[{"effect":{"close":1}},{"effect":{"explode":1}}]}`, "invalid-rule", "$.scenarios[1].effect.explode"},
		{`{"seed":"saas-billing-small","scenarios":[{"match":{"key":"key:2"},"effect":{"close":1}}]}`, "invalid-rule", "$.scenarios[0].match.key"},
		{`{"seed":"saas-billing-small","scenarios":[{"id":"a","effect":{"close":1}},{"id":"a","effect":{"close":1}}]}`, "rule-exists", "$.scenarios[1].id"},
		{`{"seed":"saas-billing-small","keys":[{"expires_after":-1}]}`, "invalid-key", ""},
	} {
		a := r.call("POST", path, "", row.body)
		var p admin.Problem
		if err := json.Unmarshal(a.body, &p); err != nil || p.Code != row.code || p.Path != row.at {
			t.Errorf("%s\n%d %s", row.body, a.status, a.body)
		}
	}
	if list := r.want(200, `"worlds":[]`, "GET", path, "", ""); list.status != 200 {
		t.Error("a refused call made a world")
	}
	made := r.create(`{"seed":"saas-billing-small","keys":[{"label":"short","secret":"sk_test_short_lived","expires_after":2}],
		"endpoint":{"url":"http://127.0.0.1:1/","auto_deliver":false},
		"scenarios":[{"id":"first","match":{"api":"stripe","key":"short"},"count":1,"effect":{"answer":{"status":503}}}]}`)
	if made.Endpoint == nil || !strings.HasPrefix(made.Endpoint.Secret, "whsec_") || made.Endpoint.AutoDeliver {
		t.Errorf("the endpoint is %+v", made.Endpoint)
	}
	secret := made.Endpoint.Secret
	for i, want := range []int{503, 200, 401} {
		if i == 1 {
			r.restart() // counts and endpoints are in the journal
		}
		if a := r.stripe("sk_test_short_lived", "GET", "/v1/customers", ""); a.status != want {
			t.Errorf("request %d: %d %s", i+1, a.status, a.body)
		}
	}
	at := path + "/" + made.ID + "/webhooks/endpoint"
	if a := r.want(200, `"auto_deliver":false`, "GET", at, made.AdminToken, ""); strings.Contains(string(a.body), "whsec_") {
		t.Error("the secret is shown again")
	}
	r.want(200, secret, "PUT", at, made.AdminToken, `{"url":"http://127.0.0.1:2/"}`) // it is kept
	r.want(204, "", "DELETE", at, made.AdminToken, "")
	r.want(404, "no-endpoint", "GET", at, made.AdminToken, "")
}

// TestNeverToItself: a world does not send its events to the server it is on.
func TestNeverToItself(t *testing.T) {
	r := newRig(t, admin.Options{Open: true, WebhookHosts: []string{"*"}})
	r.admin.SetBaseURL(r.http.URL)
	made := r.create(`{"seed":"saas-billing-small","endpoint":{"url":"` + r.http.URL + `/admin/worlds","auto_deliver":false}}`)
	r.stripe(made.Keys[0].Secret, "POST", "/v1/customers", "email=a@self.example")
	r.want(200, `"outcome":"forbidden"`, "POST", "/admin/worlds/"+made.ID+"/webhooks/flush", made.AdminToken, "")
	var list struct{ Worlds []any }
	if err := json.Unmarshal(r.call("GET", "/admin/worlds", "", "").body, &list); err != nil || len(list.Worlds) != 1 {
		t.Errorf("%v, %d worlds", err, len(list.Worlds))
	}
}

// TestDoubtfulEndpoints: an endpoint to which nothing may arrive is set, with a warning.
func TestDoubtfulEndpoints(t *testing.T) {
	r := newRig(t, admin.Options{Open: true, WebhookHosts: []string{"listed.example"}})
	r.admin.SetBaseURL(r.http.URL)
	w := r.create(`{"seed":"empty"}`)
	port := r.http.URL[strings.LastIndex(r.http.URL, ":"):]
	for url, says := range map[string]string{
		"http://127.0.0.1:1/":             "",
		"http://localhost:1/":             "",
		"http://listed.example/":          "",
		"http://other.example/":           "--webhook-allow other.example",
		r.http.URL + "/hook":              "the server itself",
		"http://localhost" + port + "/":   "the server itself",
		"http://[::1]" + port + "/health": "the server itself",
	} {
		var e admin.EndpointInfo
		a := r.want(200, "", "PUT", "/admin/worlds/"+w.ID+"/webhooks/endpoint", w.AdminToken, `{"url":"`+url+`"}`)
		if err := json.Unmarshal(a.body, &e); err != nil || !strings.Contains(e.Warning, says) || (e.Warning == "") != (says == "") {
			t.Errorf("%s: %v %q", url, err, e.Warning)
		}
	}
}

// TestRequestIsFoundByItsID: the id that an answer carried finds its line.
func TestRequestIsFoundByItsID(t *testing.T) {
	r := newRig(t, admin.Options{Open: true})
	made := r.create(`{"seed":"saas-billing-small","scenarios":[{"id":"second","match":{"api":"stripe"},"from":2,"count":1,"effect":{"answer":{"status":500}}}]}`)
	r.stripe(made.Keys[0].Secret, "GET", "/v1/customers", "")
	req, err := http.NewRequest("GET", r.http.URL+"/v1/customers/cus_seed0001", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+made.Keys[0].Secret)
	res, err := r.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	a := r.call("GET", "/admin/worlds/"+made.ID+"/requests?request="+res.Header.Get("Request-Id"), made.AdminToken, "")
	var log struct{ Requests []admin.RequestInfo }
	if err := json.Unmarshal(a.body, &log); err != nil || len(log.Requests) != 1 {
		t.Fatalf("%v: %s", err, a.body)
	}
	got := log.Requests[0]
	if got.Route != "/v1/customers/{id}" || got.Rule != "second" || got.Why != "it was match number 2 of the rule" || got.Status != 500 || got.Seq == 0 {
		t.Errorf("%+v", got)
	}
}

// TestListedHosts: what the server was started with is where it sends.
func TestListedHosts(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, row := range []struct {
		hosts []string
		url   string
		code  int
	}{
		{nil, "http://203.0.113.5/", 403},
		{[]string{"203.0.113.5"}, "http://203.0.113.5/", 201},
		{[]string{"203.0.113.5:80"}, "http://203.0.113.5:81/", 403},
		{[]string{"*"}, "http://203.0.113.5/", 201},
		{nil, "http://127.9.9.9/", 201},
		{nil, "http://somewhere.example/", 201}, // its address is looked up when sending
	} {
		r := newRig(t, admin.Options{Open: true, WebhookHosts: row.hosts})
		if a := r.call("POST", "/admin/worlds", "", `{"seed":"saas-billing-small","endpoint":{"url":"`+row.url+`"}}`); a.status != row.code {
			t.Errorf("%v to %s: %d %s", row.hosts, row.url, a.status, a.body)
		}
	}
}
