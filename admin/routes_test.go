package admin_test

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"worlds/admin"
	"worlds/twin/world"
)

var discard = slog.New(slog.DiscardHandler)

func http3(status int) string { return fmt.Sprint(status) }

// row is one request: who sends it, what, and what must come.
type row struct {
	status       int
	want         string
	method, path string
	token, body  string
}

// Every route, its successes and its refusals. W stands for the world's id.
func TestRoutes(t *testing.T) {
	r := newRig(t, admin.Options{Open: true, RootToken: root})
	w := r.create(`{"seed":"saas-billing-small","name":"main","keys":[{"label":"agent","secret":"sk_test_agent"}]}`)
	r.create(`{"seed":"empty","name":"other"}`)
	r.stripe("sk_test_agent", "POST", "/v1/customers", "name=Ann")
	r.stripe("sk_test_agent", "GET", "/v1/customers", "")
	r.stripe("sk_test_agent", "POST", "/v1/customers", "nme=Ann")
	listener := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer listener.Close()
	event := firstEvent(r, w)
	export := string(r.want(200, "", "GET", "/admin/worlds/"+w.ID+"/journal/export", w.AdminToken, "").body)
	hash := w.Seed.Hash
	long := strings.Repeat("x", 101)
	for _, row := range []row{
		// the server
		{200, `"ok"`, "GET", "/healthz", "", ""},
		{200, `"ready"`, "GET", "/readyz", "", ""},
		{200, "worlds_worlds 2", "GET", "/metrics", "", ""},
		{200, `"openapi":"3.1.0"`, "GET", "/admin/openapi.json", "", ""},
		{200, `"path":"/v1/refunds"`, "GET", "/admin/fidelity", "", ""},
		{404, "no-such-route", "GET", "/", "", ""},
		{404, "no-such-route", "GET", "/admin", "", ""},
		{404, "no-such-route", "GET", "/admin/", "", ""},
		{404, "no-such-route", "GET", "/admin/worlds/", "", ""},
		{404, "no-such-route", "GET", "/admin//worlds", "", ""},
		{404, "no-such-route", "GET", "/admin/worlds/W/", w.AdminToken, ""},
		{404, "no-such-route", "GET", "/admin/worlds/../seeds", "", ""},
		{404, "no-such-route", "GET", "/favicon.ico", "", ""},
		{405, "no-such-method", "PUT", "/admin/worlds", "", ""},
		{405, "no-such-method", "POST", "/healthz", "", ""},
		{405, "no-such-method", "DELETE", "/admin/worlds/W/reset", w.AdminToken, ""},
		{400, `"path":"?api"`, "GET", "/admin/worlds/W/stream/events?api=strip", w.AdminToken, ""},
		{400, `"path":"?type"`, "GET", "/admin/worlds/W/stream/events?type=invoice.%5b", w.AdminToken, ""},
		// creating
		{400, "missing-seed", "POST", "/admin/worlds", "", ""},
		{400, "missing-seed", "POST", "/admin/worlds", "", "{}"},
		{400, `"path":"$.seed"`, "POST", "/admin/worlds", "", `{"seed":7}`},
		{404, "no-such-seed", "POST", "/admin/worlds", "", `{"seed":"saas-biling-small"}`},
		{404, "no-such-seed", "POST", "/admin/worlds", "", `{"seed":"sha256:00"}`},
		{400, "invalid-seed", "POST", "/admin/worlds", "", `{"seed":{"name":"x"}}`},
		{400, "$.data.customers[0].nme", "POST", "/admin/worlds", "", `{"seed":` + inline(`{"id":"cus_1","nme":"A"}`) + `}`},
		{400, "invalid-json", "POST", "/admin/worlds", "", `{"Seed":"empty"}`},
		{400, "invalid-json", "POST", "/admin/worlds", "", `{"seed":"empty","seed":"empty"}`},
		{400, "invalid-json", "POST", "/admin/worlds", "", `{"seed":"empty"} {}`},
		{400, "invalid-json", "POST", "/admin/worlds", "", `{"seed":"empty","name":7}`},
		{400, "invalid-json", "POST", "/admin/worlds", "", `{"seed":"\ud83d"}`},
		{400, "invalid-json", "POST", "/admin/worlds", "", `[]`},
		{400, "invalid-json", "POST", "/admin/worlds", "", `{"seed":"empty",`},
		{400, "invalid-name", "POST", "/admin/worlds", "", `{"seed":"empty","name":"a b"}`},
		{400, "invalid-name", "POST", "/admin/worlds", "", `{"seed":"empty","name":"a/b"}`},
		{400, "invalid-name", "POST", "/admin/worlds", "", `{"seed":"empty","name":"` + long + `"}`},
		{409, "name-taken", "POST", "/admin/worlds", "", `{"seed":"empty","name":"main"}`},
		{400, "invalid-secret", "POST", "/admin/worlds", "", `{"seed":"empty","admin_token":"short"}`},
		{400, "invalid-secret", "POST", "/admin/worlds", "", `{"seed":"empty","keys":[{"secret":"has a space"}]}`},
		{400, "invalid-secret", "POST", "/admin/worlds", "", `{"seed":"empty","keys":[{"secret":"has:a:colon"}]}`},
		{409, "secret-taken", "POST", "/admin/worlds", "", `{"seed":"empty","keys":[{"secret":"sk_test_agent"}]}`},
		{409, "secret-taken", "POST", "/admin/worlds", "", `{"seed":"empty","keys":[{"secret":"sk_test_x"},{"secret":"sk_test_x"}]}`},
		{409, "label-taken", "POST", "/admin/worlds", "", `{"seed":"empty","keys":[{"label":"a"},{"label":"a"}]}`},
		{400, "too-many-keys", "POST", "/admin/worlds", "", `{"seed":"empty","keys":[` + strings.Repeat("{},", 100) + `{}]}`},
		{201, `"label":"key:2"`, "POST", "/admin/worlds", "", `{"seed":"` + hash + `","keys":[{},{}]}`},
		{201, `"name":"inline"`, "POST", "/admin/worlds", "", `{"seed":` + inline(`{"id":"cus_1","name":"A","email":"a@example.com"}`) + `}`},
		// a world
		{200, `"name":"main"`, "GET", "/admin/worlds", "", ""},
		{200, `"name":"saas-billing-small"`, "GET", "/admin/worlds", "", ""},
		{400, "unknown-parameter", "GET", "/admin/worlds?limit=1", "", ""},
		{200, `"seq":3`, "GET", "/admin/worlds/W", w.AdminToken, ""},
		{200, `"seq":3`, "GET", "/admin/worlds/main", w.AdminToken, ""},
		{404, "no-such-world", "GET", "/admin/worlds/nope", w.AdminToken, ""},
		{200, `"mode":"manual"`, "GET", "/admin/worlds/W/clock", w.AdminToken, ""},
		{200, `"clock":`, "POST", "/admin/worlds/W/clock/advance", w.AdminToken, `{"seconds":60}`},
		{400, "invalid-arguments", "POST", "/admin/worlds/W/clock/advance", w.AdminToken, `{}`},
		{400, "invalid-arguments", "POST", "/admin/worlds/W/clock/advance", w.AdminToken, `{"seconds":1,"days":1}`},
		{400, "invalid-advance", "POST", "/admin/worlds/W/clock/advance", w.AdminToken, `{"days":-1}`},
		{400, `"path":"$.seconds"`, "POST", "/admin/worlds/W/clock/advance", w.AdminToken, `{"seconds":-1}`},
		{400, `"path":"$.to"`, "POST", "/admin/worlds/W/clock/advance", w.AdminToken, `{"to":1}`},
		{400, "invalid-json", "POST", "/admin/worlds/W/clock/advance", w.AdminToken, `{"seconds":1.5}`},
		{400, "invalid-json", "POST", "/admin/worlds/W/clock/advance", w.AdminToken, `{"hours":1}`},
		{200, `"objects":{`, "GET", "/admin/worlds/W/dump", w.AdminToken, ""},
		{200, `"sha256":"`, "GET", "/admin/worlds/W/dump/hash", w.AdminToken, ""},
		{200, `"name":"fork"`, "GET", "/admin/worlds/W/export-seed?name=fork", w.AdminToken, ""},
		{200, `"lossy":[]`, "GET", "/admin/worlds/W/export-seed?at=0", w.AdminToken, ""},
		{200, `{"count":1,"what":"events"}`, "GET", "/admin/worlds/W/export-seed", w.AdminToken, ""},
		{400, "invalid-seed", "GET", "/admin/worlds/W/export-seed?name=Not+Kebab", w.AdminToken, ""},
		{400, "unknown-parameter", "GET", "/admin/worlds/W/export-seed?nme=x", w.AdminToken, ""},
		// marks and diffs; the clock took entries 4 and 5
		{201, `{"name":"m1","seq":5}`, "POST", "/admin/worlds/W/marks", w.AdminToken, `{"name":"m1"}`},
		{409, "mark-exists", "POST", "/admin/worlds/W/marks", w.AdminToken, `{"name":"m1"}`},
		{409, `"path":"$.name"`, "POST", "/admin/worlds/W/marks", w.AdminToken, `{"name":"m1"}`},
		{400, `"path":"$.name"`, "POST", "/admin/worlds/W/marks", w.AdminToken, `{"name":"1st"}`},
		{400, "invalid-mark", "POST", "/admin/worlds/W/marks", w.AdminToken, `{"name":""}`},
		{400, "invalid-mark", "POST", "/admin/worlds/W/marks", w.AdminToken, `{}`},
		{400, "invalid-json", "POST", "/admin/worlds/W/marks", w.AdminToken, `{"nme":"m"}`},
		{200, `"name":"m1"`, "GET", "/admin/worlds/W/marks", w.AdminToken, ""},
		{200, `"created":[{`, "GET", "/admin/worlds/W/diff?from=0", w.AdminToken, ""},
		{200, `"created":[]`, "GET", "/admin/worlds/W/diff?from=m1", w.AdminToken, ""},
		{200, `"to":{"mark":"m1","seq":5}`, "GET", "/admin/worlds/W/diff?from=1&to=m1", w.AdminToken, ""},
		{400, "missing-parameter", "GET", "/admin/worlds/W/diff", w.AdminToken, ""},
		{400, "invalid-parameter", "GET", "/admin/worlds/W/diff?from=m1&to=1", w.AdminToken, ""},
		{400, "unknown-parameter", "GET", "/admin/worlds/W/diff?from=1&til=2", w.AdminToken, ""},
		{404, "no-such-mark", "GET", "/admin/worlds/W/diff?from=m2", w.AdminToken, ""},
		{404, "no-such-mark", "GET", "/admin/worlds/W/diff?from=1&to=", w.AdminToken, ""},
		{404, "no-such-entry", "GET", "/admin/worlds/W/diff?from=99", w.AdminToken, ""},
		{404, "no-such-entry", "GET", "/admin/worlds/W/diff?from=1&to=99999999999999999999", w.AdminToken, ""},
		// logs
		{200, `"customer.created"`, "GET", "/admin/worlds/W/events", w.AdminToken, ""},
		{200, `{"events":[],"has_more":false}`, "GET", "/admin/worlds/W/events?after=1", w.AdminToken, ""},
		{400, "invalid-parameter", "GET", "/admin/worlds/W/events?limit=0", w.AdminToken, ""},
		{400, "invalid-parameter", "GET", "/admin/worlds/W/events?limit=1001", w.AdminToken, ""},
		{400, "invalid-parameter", "GET", "/admin/worlds/W/events?after=-1", w.AdminToken, ""},
		{400, "unknown-parameter", "GET", "/admin/worlds/W/events?before=1", w.AdminToken, ""},
		{200, `"actor":"agent"`, "GET", "/admin/worlds/W/requests", w.AdminToken, ""},
		{200, `"has_more":true`, "GET", "/admin/worlds/W/requests?limit=1", w.AdminToken, ""},
		{200, `{"has_more":false,"requests":[]}`, "GET", "/admin/worlds/W/requests?after=99", w.AdminToken, ""},
		{200, `"head":{`, "GET", "/admin/worlds/W/journal", w.AdminToken, ""},
		{200, `"entries":[]`, "GET", "/admin/worlds/W/journal?after=99", w.AdminToken, ""},
		{200, `"seq":1`, "GET", "/admin/worlds/W/journal/1", w.AdminToken, ""},
		{200, `"op":"genesis"`, "GET", "/admin/worlds/W/journal/0", w.AdminToken, ""},
		{404, "no-such-entry", "GET", "/admin/worlds/W/journal/99", w.AdminToken, ""},
		{404, "no-such-entry", "GET", "/admin/worlds/W/journal/99999999999999999999", w.AdminToken, ""},
		{404, "no-such-route", "GET", "/admin/worlds/W/journal/x", w.AdminToken, ""},
		{200, `"op":"genesis"`, "GET", "/admin/worlds/W/journal/export", w.AdminToken, ""},
		{200, "event: event", "GET", "/admin/worlds/W/stream/events", w.AdminToken, ""},
		{200, "event: entry", "GET", "/admin/worlds/W/stream/journal", w.AdminToken, ""},
		{400, "invalid-parameter", "GET", "/admin/worlds/W/stream/journal?after=x", w.AdminToken, ""},
		// what the table of routes does not have
		{400, "unknown-parameter", "GET", "/admin/worlds/W/journal/1?at=1", w.AdminToken, ""},
		{400, "unknown-parameter", "GET", "/admin/worlds/W/keys?x=1", w.AdminToken, ""},
		{400, "unknown-parameter", "POST", "/admin/worlds/W/marks?name=x", w.AdminToken, `{"name":"x"}`},
		{400, "unknown-parameter", "POST", "/admin/worlds/W/verify?x=1", w.AdminToken, ""},
		{400, "more than once", "GET", "/admin/worlds/W/events?limit=1&limit=2", w.AdminToken, ""},
		{400, "invalid-query", "GET", "/admin/worlds/W/events?limit=%zz", w.AdminToken, ""},
		{400, `"path":"?limit"`, "GET", "/admin/worlds/W/events?limit=", w.AdminToken, ""},
		{200, `"requests":[]`, "GET", "/admin/worlds/W/requests?request=", w.AdminToken, ""},
		{400, `"path":"$.x"`, "POST", "/admin/worlds/W/verify", w.AdminToken, `{"x":1}`},
		{200, `"valid":true`, "POST", "/admin/worlds/W/verify", w.AdminToken, `{}`},
		// proofs
		{200, `"valid":true`, "POST", "/admin/worlds/W/verify", w.AdminToken, ""},
		{200, `"mode":"re-decide"`, "POST", "/admin/worlds/W/replay", w.AdminToken, ""},
		{200, `"mode":"fold"`, "POST", "/admin/worlds/W/replay", w.AdminToken, `{"mode":"fold"}`},
		{200, `"entries":2`, "POST", "/admin/worlds/W/replay", w.AdminToken, `{"to":"2"}`},
		{200, `"valid":true`, "POST", "/admin/worlds/W/replay", w.AdminToken, `{"to":"m1","mode":"fold"}`},
		{404, "no-such-mark", "POST", "/admin/worlds/W/replay", w.AdminToken, `{"to":"m9"}`},
		{400, "invalid-mode", "POST", "/admin/worlds/W/replay", w.AdminToken, `{"mode":"faith"}`},
		// branches
		{201, `"fork":{`, "POST", "/admin/worlds/W/fork", w.AdminToken, `{"at":"m1","key":"k"}`},
		{201, `"fork":{`, "POST", "/admin/worlds/W/fork", w.AdminToken, ``},
		{409, "fork-exists", "POST", "/admin/worlds/W/fork", w.AdminToken, `{"at":"1","key":"k"}`},
		{409, "name-taken", "POST", "/admin/worlds/W/fork", w.AdminToken, `{"name":"other"}`},
		{404, "no-such-mark", "POST", "/admin/worlds/W/fork", w.AdminToken, `{"at":"m2"}`},
		{404, "no-such-entry", "POST", "/admin/worlds/W/fork", w.AdminToken, `{"at":"999"}`},
		{409, "fork-exists", "POST", "/admin/worlds/W/fork", w.AdminToken, `{"at":1,"key":"k"}`},
		{200, `"seq":5`, "POST", "/admin/worlds/W/fork", w.AdminToken, `{"at":5,"key":"k"}`},
		{404, "no-such-entry", "POST", "/admin/worlds/W/fork", w.AdminToken, `{"at":999}`},
		{404, `"path":"$.at"`, "POST", "/admin/worlds/W/fork", w.AdminToken, `{"at":""}`},
		{400, "invalid-json", "POST", "/admin/worlds/W/fork", w.AdminToken, `{"at":1.5}`},
		{400, "invalid-position", "POST", "/admin/worlds/W/fork", w.AdminToken, `{"at":[1]}`},
		{400, "invalid-position", "POST", "/admin/worlds/W/simulate", w.AdminToken, `{"at":-1,"commands":[]}`},
		{200, `"dump_hash":"`, "POST", "/admin/worlds/W/simulate", w.AdminToken, `{"commands":[{"method":"POST","path":"/v1/customers","body":"name=Eve"}]}`},
		{200, `"answers":[`, "POST", "/admin/worlds/W/simulate", w.AdminToken, `{"at":"m1","commands":[{"advance_seconds":60}]}`},
		{400, `"path":"$.commands[0].method"`, "POST", "/admin/worlds/W/simulate", w.AdminToken, `{"commands":[{}]}`},
		{400, `"path":"$.commands[1]"`, "POST", "/admin/worlds/W/simulate", w.AdminToken, `{"commands":[{"advance_seconds":1},{"advance_seconds":1,"method":"GET"}]}`},
		{400, `"path":"$.commands[0].api"`, "POST", "/admin/worlds/W/simulate", w.AdminToken, `{"commands":[{"api":"nope","method":"GET","path":"/v1/customers"}]}`},
		{400, `"path":"$.commands[0].path"`, "POST", "/admin/worlds/W/simulate", w.AdminToken, `{"commands":[{"method":"GET","path":"/v1/customers?limit=1"}]}`},
		{400, `"path":"$.commands[0].key"`, "POST", "/admin/worlds/W/simulate", w.AdminToken, `{"commands":[{"method":"GET","path":"/v1/customers","key":"key:9"}]}`},
		{200, `"answers":[`, "POST", "/admin/worlds/W/simulate", w.AdminToken, `{"commands":[{"method":"GET","path":"/v1/customers","key":"agent"}]}`},
		{400, "too-many-commands", "POST", "/admin/worlds/W/simulate", w.AdminToken, `{"commands":[` + strings.Repeat("{},", world.SimulateMax) + `{}]}`},
		{404, "no-such-mark", "POST", "/admin/worlds/W/simulate", w.AdminToken, `{"at":"m2","commands":[]}`},
		// deliveries and faults
		{404, "no-endpoint", "GET", "/admin/worlds/W/webhooks/endpoint", w.AdminToken, ""},
		{400, "invalid-endpoint", "PUT", "/admin/worlds/W/webhooks/endpoint", w.AdminToken, `{"url":"ftp://127.0.0.1/"}`},
		{400, "invalid-endpoint", "PUT", "/admin/worlds/W/webhooks/endpoint", w.AdminToken, `{"url":"http://127.0.0.1:99999/"}`},
		{400, "invalid-endpoint", "PUT", "/admin/worlds/W/webhooks/endpoint", w.AdminToken, `{"url":"` + listener.URL + `","signature_time":"never"}`},
		{400, "invalid-endpoint", "PUT", "/admin/worlds/W/webhooks/endpoint", w.AdminToken, `{"url":"` + listener.URL + `","enabled_events":["no.such"]}`},
		{200, `"signature_time":"wall"`, "PUT", "/admin/worlds/W/webhooks/endpoint", w.AdminToken, `{"url":"` + listener.URL + `"}`},
		{200, `"url":"` + listener.URL, "GET", "/admin/worlds/W/webhooks/endpoint", w.AdminToken, ""},
		{200, `"deliveries":[`, "POST", "/admin/worlds/W/webhooks/flush", w.AdminToken, ""},
		{200, `"deliveries":[`, "GET", "/admin/worlds/W/webhooks/deliveries", w.AdminToken, ""},
		{400, "invalid-parameter", "GET", "/admin/worlds/W/webhooks/deliveries?limit=0", w.AdminToken, ""},
		{200, `"deliveries":[`, "POST", "/admin/worlds/W/webhooks/resend", w.AdminToken, `{"event":"` + event + `"}`},
		{404, "no-such-event", "POST", "/admin/worlds/W/webhooks/resend", w.AdminToken, `{"event":"evt_nope"}`},
		{200, `"quiet":true`, "POST", "/admin/worlds/W/quiesce", w.AdminToken, ""},
		{204, "", "DELETE", "/admin/worlds/W/webhooks/endpoint", w.AdminToken, ""},
		{201, `"id":"storm"`, "POST", "/admin/worlds/W/scenarios", w.AdminToken, `{"id":"storm","match":{"path":"/v1/refunds"},"effect":{"answer":{"status":503}}}`},
		{409, "rule-exists", "POST", "/admin/worlds/W/scenarios", w.AdminToken, `{"id":"storm","match":{"path":"/v1/refunds"},"effect":{"answer":{"status":503}}}`},
		{400, "invalid-rule", "POST", "/admin/worlds/W/scenarios", w.AdminToken, `{"match":{"key":"nobody"},"effect":{"answer":{"status":503}}}`},
		{400, "invalid-rule", "POST", "/admin/worlds/W/scenarios", w.AdminToken, `{"effect":{}}`},
		{200, `"id":"storm"`, "GET", "/admin/worlds/W/scenarios", w.AdminToken, ""},
		{204, "", "DELETE", "/admin/worlds/W/scenarios/storm", w.AdminToken, ""},
		{404, "no-such-rule", "DELETE", "/admin/worlds/W/scenarios/storm", w.AdminToken, ""},
		// keys
		{201, `"label":"second"`, "POST", "/admin/worlds/W/keys", w.AdminToken, `{"label":"second","secret":"sk_test_second"}`},
		{201, `"secret":"sk_test_`, "POST", "/admin/worlds/W/keys", w.AdminToken, ``},
		{409, "label-taken", "POST", "/admin/worlds/W/keys", w.AdminToken, `{"label":"second"}`},
		{409, "secret-taken", "POST", "/admin/worlds/W/keys", w.AdminToken, `{"secret":"sk_test_second"}`},
		{400, "invalid-name", "POST", "/admin/worlds/W/keys", w.AdminToken, `{"label":"a b"}`},
		{200, `{"label":"second"}`, "GET", "/admin/worlds/W/keys", w.AdminToken, ""},
		{204, "", "DELETE", "/admin/worlds/W/keys/second", w.AdminToken, ""},
		{404, "no-such-key", "DELETE", "/admin/worlds/W/keys/second", w.AdminToken, ""},
		// seeds
		{200, `"source":"library"`, "GET", "/admin/seeds", "", ""},
		{201, `"name":"inline"`, "POST", "/admin/seeds", "", inline(`{"id":"cus_2","name":"B","email":"b@example.com"}`)},
		{201, `"name":"inline"`, "POST", "/admin/seeds", "", inline(`{"id":"cus_2","name":"B","email":"b@example.com"}`)},
		{200, `"source":"published"`, "GET", "/admin/seeds", "", ""},
		{400, "invalid-seed", "POST", "/admin/seeds", "", `{"name":"x"}`},
		{400, "invalid-seed", "POST", "/admin/seeds", "", ``},
		{200, `"name":"saas-billing-small"`, "GET", "/admin/seeds/" + hash, "", ""},
		{200, `"name":"empty"`, "GET", "/admin/seeds/empty", "", ""},
		{404, "no-such-seed", "GET", "/admin/seeds/nope", "", ""},
		// journals
		{200, `{"end":true`, "POST", "/admin/backup", root, ""},
		{401, "unauthorized", "POST", "/admin/backup", w.AdminToken, ""},
		{401, "unauthorized", "POST", "/admin/backup", "", ""},
		{201, `"label":"agent"`, "POST", "/admin/import?name=again", "", export},
		{409, "name-taken", "POST", "/admin/import?name=again", "", export},
		{400, "invalid-name", "POST", "/admin/import?name=a%20b", "", export},
		{400, "unknown-parameter", "POST", "/admin/import?nme=x", "", export},
		{400, "invalid-journal", "POST", "/admin/import", "", ""},
		{400, "invalid-journal", "POST", "/admin/import", "", "{}"},
		{422, "journal-refused", "POST", "/admin/import", "", export + export},
		// the end
		{200, `"seq":0`, "POST", "/admin/worlds/W/reset", w.AdminToken, ""},
		{204, "", "DELETE", "/admin/worlds/W", w.AdminToken, ""},
		{404, "no-such-world", "GET", "/admin/worlds/W", w.AdminToken, ""},
	} {
		row.path = strings.Replace(row.path, "/W", "/"+w.ID, 1)
		r.want(row.status, row.want, row.method, row.path, row.token, row.body)
	}
	for key := range r.doc.operations {
		if !r.doc.succeeded[key] {
			t.Errorf("no row shows %s at work", key)
		}
	}
}

// firstEvent is the id of the world's first event.
func firstEvent(r *rig, w admin.CreatedWorld) string {
	r.t.Helper()
	var list struct {
		Events []struct{ Event struct{ ID string } }
	}
	a := r.want(200, "", "GET", "/admin/worlds/"+w.ID+"/events?limit=1", w.AdminToken, "")
	if err := json.Unmarshal(a.body, &list); err != nil || len(list.Events) != 1 {
		r.t.Fatalf("%v: %s", err, a.body)
	}
	return list.Events[0].Event.ID
}

// inline is a seed with one customer.
func inline(customer string) string {
	return `{"name":"inline","version":1,"epoch":1767225600,"clock_mode":"manual","data":{"customers":[` + customer + `]}}`
}

// TestAllow: who has the wrong method is told the right ones.
func TestAllow(t *testing.T) {
	r := newRig(t, admin.Options{Open: true})
	for path, want := range map[string]string{"/admin/worlds": "POST, GET", "/admin/worlds/w/reset": "POST", "/healthz": "GET"} {
		res := r.begin("PATCH", path, "")
		res.Body.Close()
		if got := res.Header.Get("Allow"); res.StatusCode != 405 || got != want {
			t.Errorf("%s: %d %q", path, res.StatusCode, got)
		}
	}
}

// TestBrokenBody: a body that does not come whole is no large one.
func TestBrokenBody(t *testing.T) {
	r := newRig(t, admin.Options{Open: true})
	conn, err := net.Dial("tcp", strings.TrimPrefix(r.http.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, "POST /admin/worlds HTTP/1.1\r\nHost: h\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}")
	got, err := io.ReadAll(conn)
	if err != nil || !strings.HasPrefix(string(got), "HTTP/1.1 400 ") || !strings.Contains(string(got), `"code":"invalid-body"`) {
		t.Errorf("%v %s", err, got)
	}
}
