package zendesk_test

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"worlds/journal/canon"
	"worlds/twin"
	"worlds/twin/zendesk"
)

func TestSecret(t *testing.T) {
	basic := func(s string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(s)) }
	for _, row := range []struct{ header, secret, as string }{
		{basic("ana@x.example/token:abc"), "abc", "ana@x.example"},
		{basic("ana@x.example:pass"), "pass", "ana@x.example"},
		{basic("ana@x.example:pa:ss"), "pa:ss", "ana@x.example"},
		{"Bearer tok", "tok", ""},
		{"bearer  tok ", "tok", ""},
		{basic("nobody"), "", "nobody"},
		{"Basic ???", "", ""},
		{"Digest x", "", ""},
		{"", "", ""},
	} {
		if secret, as := zendesk.Catalog().Wire.Secret(row.header); secret != row.secret || as != row.as {
			t.Errorf("%q is %q of %q, want %q of %q", row.header, secret, as, row.secret, row.as)
		}
	}
}

// Who names nobody is told that they are nobody; who names somebody and has no token is
// refused.
func TestNoKey(t *testing.T) {
	noKey := zendesk.Catalog().Wire.NoKey
	for _, row := range []struct {
		path, header string
		status       int64
	}{
		{"/api/v2/users/me.json", "", 200}, {"/api/v2/users/me", "", 200}, {"/api/v2/tickets", "", 401},
		{"/api/v2/users/me", "Basic " + base64.StdEncoding.EncodeToString([]byte("ana@x.example/token:")), 401},
		{"/api/v2/users/me", "Bearer ", 401}, {"/api/v2/users/me", "Basic ???", 401},
	} {
		if e := noKey("GET", row.path, row.header); e.Status != row.status {
			t.Errorf("%s with %q: %d", row.path, row.header, e.Status)
		}
	}
}

func TestRender(t *testing.T) {
	for _, row := range [][2]string{
		{`{"url":"${origin}/api/v2/x"}`, `{"url":"http://h/api/v2/x"}`},
		{`{"next_page":"${origin}/a","previous_page":"${origin}/b?q=${origin}/c"}`, `{"next_page":"http://h/a","previous_page":"http://h/b?q=${origin}/c"}`},
		{`{"subject":"${origin}/a"}`, `{"subject":"${origin}/a"}`},
		{`{"body":"\"url\":\"${origin}/a\""}`, `{"body":"\"url\":\"${origin}/a\""}`},
		{`{"links":{"next":"${origin}/n","prev":null}}`, `{"links":{"next":"http://h/n","prev":null}}`},
		{`{"a":1}`, `{"a":1}`},
		{`"too many"`, `too many`},
	} {
		if got := zendesk.Catalog().Wire.Render(nil, canon.Raw(row[0]), "http://h"); string(got) != row[1] {
			t.Errorf("%s is shown as %s", row[0], got)
		}
	}
}

func TestHead(t *testing.T) {
	w := zendesk.Catalog().Wire
	head := func(o *twin.Outcome, key string) string { return strings.Join(w.Head(o, key), " ") }
	made := &twin.Outcome{Status: 201, Request: "req_1", Now: 1767225615, Body: canon.Raw(`{"audit":{"id":1},"ticket":{"url":"${origin}/api/v2/tickets/1.json"}}`)}
	got := head(made, "k")
	for _, part := range []string{"X-Request-Id req_1", "Ratelimit-Reset 45", "X-Rate-Limit 700", "Location ${origin}/api/v2/tickets/1.json", "X-Idempotency-Lookup miss"} {
		if !strings.Contains(got, part) {
			t.Errorf("%s lacks %s", got, part)
		}
	}
	if strings.Contains(got, "Retry-After") || strings.Contains(got, "ETag") {
		t.Errorf("%s", got)
	}
	made.Replayed = "req_0"
	if !strings.Contains(head(made, "k"), "X-Idempotency-Lookup hit") {
		t.Error("a replayed answer is no hit")
	}
	job := &twin.Outcome{Status: 200, Body: canon.Raw(`{"job_status":{"url":"${origin}/api/v2/job_statuses/V3-1.json"}}`)}
	if !slices.Contains(w.Head(job, ""), "ETag") || strings.Contains(head(job, ""), "Location") {
		t.Errorf("%s", head(job, ""))
	}
}

func TestFaultsInZendesksWords(t *testing.T) {
	fault := zendesk.Catalog().Fault
	for _, status := range []int64{400, 401, 403, 404, 409, 422, 429, 500, 502, 503, 504} {
		e := fault(&twin.RuleAnswer{Status: status})
		if e == nil || e.Status != status || !e.Unstored {
			t.Errorf("%d is %v", status, e)
			continue
		}
		if retry := slices.Contains(e.Headers, "Retry-After"); retry != (status == 429) {
			t.Errorf("%d has headers %v", status, e.Headers)
		}
	}
	yes := true
	for _, a := range []twin.RuleAnswer{{Status: 402}, {Status: 503, RetryAfter: 1}, {Status: 429, Code: "x"}, {Status: 500, ShouldRetry: &yes}, {Status: 422, DeclineCode: "x"}} {
		if e := fault(&a); e != nil {
			t.Errorf("%+v is answered %s", a, e.Body)
		}
	}
	if e := fault(&twin.RuleAnswer{Status: 418, Body: canon.Raw(`{"error":"x"}`)}); e == nil || string(e.Body) != `{"error":"x"}` {
		t.Errorf("a body of one's own: %v", e)
	}
}

// What only a client of Zendesk's can mean is answered in Zendesk's shape.
func TestStray(t *testing.T) {
	is := zendesk.Catalog().Wire.Stray
	for path, want := range map[string]bool{
		"//api/v2/tickets.json": true, "/api/v3/tickets": true, "/API/v2/tickets": true, "/api/sunshine/x": true,
		"/api": false, "/apis/v2": false, "/v1/customers": false, "/admin/api/v2": false, "/": false, "": false,
	} {
		if is(path) != want {
			t.Errorf("%q: %v", path, !want)
		}
	}
}
