package oracle_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"worlds/twin/stripe/oracle"
)

func TestLayout(t *testing.T) {
	rows := []struct{ what, body, want string }{
		{"right", "{\n  \"id\": \"cus_1\",\n  \"object\": \"customer\",\n  \"a\": [],\n  \"metadata\": {},\n  \"n\": [\n    1,\n    null\n  ]\n}\n", ""},
		{"without the last newline", "{\n  \"id\": \"cus_1\"\n}", ""},
		{"error", "{\n  \"error\": {\n    \"message\": \"a & <b>\",\n    \"type\": \"api_error\"\n  }\n}\n", ""},
		{"above the surrogates", "{\n  \"\U0001F600\": 1,\n  \"\uFF5E\": 1\n}", ""},
		{"by code point, not code unit", "{\n  \"\uFF5E\": 1,\n  \"\U0001F600\": 1\n}", "(body): key \"\U0001F600\" comes after \"\uFF5E\""},
		{"object before id", "{\n  \"object\": \"customer\",\n  \"id\": \"cus_1\"\n}", `(body): key "id" comes after "object"`},
		{"alphabetical id", "{\n  \"balance\": 0,\n  \"id\": \"cus_1\"\n}", `(body): key "id" comes after "balance"`},
		{"wrong key order", "{\n  \"id\": \"cus_1\",\n  \"email\": null,\n  \"balance\": 0\n}", `(body): key "balance" comes after "email"`},
		{"nested, in a list", "{\n  \"data\": [\n    {\n      \"b\": 1,\n      \"a\": 1\n    }\n  ]\n}", `/data/0: key "a" comes after "b"`},
		{"a key twice", "{\n  \"a\": 1,\n  \"a\": 1\n}", `(body): key "a" comes after "a"`},
		{"compact", `{"id":"cus_1"}`, "oracle: layout: line 1"},
		{"four spaces", "{\n    \"id\": \"cus_1\"\n}", "oracle: layout: line 2"},
		{"empty list spread", "{\n  \"a\": [\n  ]\n}", "oracle: layout: line 2"},
		{"two newlines", "{\n  \"a\": 1\n}\n\n", "oracle: layout: got 4 lines, want 3"},
		{"text behind", "{\n  \"a\": 1\n}x", "oracle: the body is not JSON"},
		{"not JSON", "oops", "oracle: the body is not JSON"},
	}
	for _, row := range rows {
		got := ""
		if err := oracle.Default().Layout([]byte(row.body)); err != nil {
			got = err.Error()
		}
		if (row.want == "" && got != "") || !strings.Contains(got, row.want) {
			t.Errorf("%s:\n got %s\nwant %s", row.what, got, row.want)
		}
	}
}

// listener stands in for the test that Wrap reports to.
type listener struct {
	testing.TB
	heard []string
}

func (l *listener) Errorf(format string, args ...any) {
	l.heard = append(l.heard, fmt.Sprintf(format, args...))
}

const stub = "{\n  \"id\": \"cus_1\",\n  \"object\": \"customer\",\n  \"deleted\": true\n}\n"

func TestWrap(t *testing.T) {
	answer := func(status int, contentType, requestID, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			w.Header().Set("Request-Id", requestID)
			w.WriteHeader(status)
			io.WriteString(w, body)
		}
	}
	rows := []struct {
		what, path string
		handler    http.HandlerFunc
		status     int
		heard      []string // what each report holds
	}{
		{"right", "/v1/customers/cus_1?expand[]=x", answer(200, "application/json", "req_1", stub), 200, nil},
		{"elsewhere", "/api/v2/tickets", answer(201, "text/html", "", "hello"), 201, nil},
		{"schema", "/v1/charges/ch_1?a=b", answer(200, "application/json", "req_1", stub), 200,
			[]string{"GET /v1/charges/ch_1?a=b → 200\n(body): missing: amount,"}},
		{"layout", "/v1/customers/cus_1", answer(200, "application/json", "req_1", strings.TrimSpace(strings.ReplaceAll(stub, "\n", ""))), 200,
			[]string{"oracle: layout: line 1"}},
		{"status", "/v1/customers/cus_1", answer(302, "application/json", "req_1", stub), 302, []string{"oracle: status 302"}},
		{"headers", "/v1/customers/cus_1", answer(200, "text/plain", "", stub), 200,
			[]string{"Content-Type: got text/plain, want application/json\nRequest-Id: got \"\", want req_…"}},
		{"plain text", "/v1/customers/cus_1", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "oops", 500) }, 500,
			[]string{"Content-Type", "not JSON", "not JSON"}},
		{"nothing written", "/v1/customers/cus_1", func(http.ResponseWriter, *http.Request) {}, 200,
			[]string{"Content-Type", "not JSON", "not JSON"}},
	}
	for _, row := range rows {
		t.Run(row.what, func(t *testing.T) {
			l := &listener{TB: t}
			got := httptest.NewRecorder()
			oracle.Wrap(l, row.handler).ServeHTTP(got, httptest.NewRequest("GET", row.path, nil))
			want := httptest.NewRecorder()
			row.handler.ServeHTTP(want, httptest.NewRequest("GET", row.path, nil))
			if got.Code != row.status || got.Body.String() != want.Body.String() {
				t.Errorf("passed on %d %q, want %d %q", got.Code, got.Body, row.status, want.Body)
			}
			if len(l.heard) != len(row.heard) {
				t.Fatalf("reports: %q, want %d", l.heard, len(row.heard))
			}
			for i := range row.heard {
				if !strings.Contains(l.heard[i], row.heard[i]) {
					t.Errorf("report %q, want %q in it", l.heard[i], row.heard[i])
				}
			}
		})
	}
}

func TestWrapLeavesHijackedConnectionsAlone(t *testing.T) {
	l := &listener{TB: t}
	server := httptest.NewServer(oracle.Wrap(l, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		conn.Close()
	})))
	defer server.Close()
	if _, err := http.Get(server.URL + "/v1/customers"); err == nil {
		t.Error("the connection was not closed")
	}
	if len(l.heard) > 0 {
		t.Errorf("reports: %q", l.heard)
	}
}
