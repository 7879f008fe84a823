package serve_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"worlds/journal/canon"
	"worlds/journal/store"
	"worlds/twin"
	"worlds/twin/serve"
	"worlds/twin/world"
)

const authorized = "Authorization: Bearer " + secret + "\r\n"

func length(body string) string { return fmt.Sprintf("Content-Length: %d\r\n", len(body)) }

func basic(user string) string {
	return "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(user)) + "\r\n"
}

// Whatever is asked below the prefix, the answer is JSON in Stripe's shape, no
// redirect, and what is refused changes nothing.
func TestEveryRequestGetsStripesShape(t *testing.T) {
	r := newRig(t, nil, nil)
	good := "name=Ann"
	rows := []struct {
		line, headers, body string
		status              int
		want                string // in the body
	}{
		// credentials
		{"GET /v1/customers", "", "", 401, "You did not provide an API key"},
		{"GET /v1/customers", "Authorization: \r\n", "", 401, "You did not provide an API key"},
		{"GET /v1/customers", "Authorization: Bearer\r\n", "", 401, "You did not provide an API key"},
		{"GET /v1/customers", "Authorization: Bearer  \r\n", "", 401, "You did not provide an API key"},
		{"GET /v1/customers", "Authorization: Digest abc\r\n", "", 401, "You did not provide an API key"},
		{"GET /v1/customers", "Authorization: Basic !!!\r\n", "", 401, "You did not provide an API key"},
		{"GET /v1/customers", basic(":password"), "", 401, "You did not provide an API key"},
		{"GET /v1/customers", "Authorization: Bearer sk_test_wrong\r\n", "", 401, "Invalid API Key provided: sk_test_*****"},
		{"GET /v1/customers", "Authorization: Bearer " + secret + "x\r\n", "", 401, "Invalid API Key provided: sk_test_*************defx"},
		{"GET /v1/customers", "Authorization: Bearer \xff\xfe_\xff\r\n", "", 401, "Invalid API Key provided: %FF%FE_*"},
		{"GET /v1/nothing", "", "", 401, "You did not provide an API key"},
		{"POST /v1/customers", length(good), good, 401, "You did not provide an API key"},
		{"GET /v1/customers?limit=1", authorized, "", 200, `"object": "list"`},
		{"GET /v1/customers?limit=1", "authorization: bearer " + secret + "\r\n", "", 200, `"object": "list"`},
		{"GET /v1/customers?limit=1", basic(secret + ":"), "", 200, `"object": "list"`},
		{"GET /v1/customers?limit=1", basic(secret), "", 200, `"object": "list"`},
		// paths
		{"GET /v1", authorized, "", 404, "Unrecognized request URL (GET: /v1)"},
		{"GET /v1/", authorized, "", 404, "Unrecognized request URL"},
		{"GET /v1/nothing", authorized, "", 404, "(GET: /v1/nothing). Please see https://stripe.com/docs"},
		{"GET /v1/customers/", authorized, "", 404, "(GET: /v1/customers/). If you are trying to list objects, remove the trailing slash."},
		{"GET /v1//customers", authorized, "", 404, "valid (non-empty) identifier"},
		{"POST /v1/payment_intents//confirm", authorized, "", 404, "valid (non-empty) identifier"},
		{"GET /v1/customers//cus_seed0001", authorized, "", 404, "valid (non-empty) identifier"},
		{"GET /v1/./customers", authorized, "", 404, "Unrecognized request URL"},
		{"GET /v1/invoices/../customers", authorized, "", 404, "Unrecognized request URL"},
		{"GET /v1/../v1/customers", authorized, "", 404, "Unrecognized request URL"},
		{"GET /v1/customers/cus_seed0001%2F..", authorized, "", 404, "No such customer: 'cus_seed0001/..'"},
		{"GET /v1/customers/cus_seed0001%2fpayment_methods", authorized, "", 404, "No such customer: 'cus_seed0001/payment_methods'"},
		{"GET /v1/customers/a%2Fb%20%25/x", authorized, "", 404, "Unrecognized request URL (GET: /v1/customers/a%2Fb%20%25/x)"},
		{"GET /v1/customers%2Fcus_seed0001", authorized, "", 404, "Unrecognized request URL"},
		{"GET /v1/customers/%2e%2e", authorized, "", 404, "No such customer: '..'"},
		{"GET /v1/customers/a%00b", authorized, "", 404, `a\u0000b`},
		{"GET /v1/customers/%ff", authorized, "", 404, "No such customer"},
		{"GET /v1/customers/\xff", authorized, "", 404, "No such customer"},
		{"GET /v1/customers/%F0%9F%98%80", authorized, "", 404, "No such customer: '😀'"},
		{"GET /v1/customers/%3Cscript%3E", authorized, "", 404, "<script>"},
		{"GET /v1/Customers", authorized, "", 404, "Unrecognized request URL"},
		{"GET /v1/customers;a=b", authorized, "", 404, "Unrecognized request URL"},
		{"GET http://worlds/v1/customers/cus_nope", authorized, "", 404, "No such customer"},
		{"GET /v1/terminal/readers", authorized, "", 501, "does not serve GET /v1/terminal/readers"},
		{"GET /v1/" + strings.Repeat("x", serve.PathBytesMax), authorized, "", 414, "too long"},
		{"GET /v1/customers?email=" + strings.Repeat("x", serve.QueryBytesMax), authorized, "", 414, "too long"},
		// paths that only a client of Stripe's asks for: an SDK takes an answer without
		// an error object for a success, whatever its status
		{"POST /v2/core/accounts", authorized + "Content-Type: application/json\r\n" + length("{}"), "{}", 404, "Unrecognized request URL (POST: /v2/core/accounts)"},
		{"GET /v2/core/events?limit=1", authorized, "", 404, "Unrecognized request URL"},
		{"GET //v1/customers", authorized, "", 404, "Unrecognized request URL (GET: //v1/customers)"},
		{"GET /V1/customers", authorized, "", 404, "Unrecognized request URL"},
		{"GET /v2", authorized, "", 404, "Unrecognized request URL"},
		{"GET /v2/core/events", "", "", 401, "You did not provide an API key"},
		// methods
		{"HEAD /v1/customers", authorized, "", 404, ""},
		{"OPTIONS /v1/customers", authorized, "", 404, "Unrecognized request URL (OPTIONS: /v1/customers)"},
		{"PUT /v1/customers", authorized, "", 404, "Unrecognized request URL (PUT"},
		{"PATCH /v1/customers/cus_seed0001", authorized, "", 404, "Unrecognized request URL (PATCH"},
		{"DELETE /v1/customers", authorized, "", 404, "Unrecognized request URL (DELETE"},
		{"TRACE /v1/customers", authorized, "", 404, "Unrecognized request URL (TRACE"},
		{"BREW /v1/customers", authorized, "", 404, "Unrecognized request URL (BREW"},
		// queries
		{"GET /v1/customers?limit=abc", authorized, "", 400, `"param": "limit"`},
		{"GET /v1/customers?%zz=1", authorized, "", 400, `"type": "invalid_request_error"`},
		{"GET /v1/customers?a%00b=1", authorized, "", 400, `"type": "invalid_request_error"`},
		{"GET /v1/customers?a;b=1", authorized, "", 400, `"type": "invalid_request_error"`},
		{"GET /v1/customers?%ff=%fe", authorized, "", 400, `"type": "invalid_request_error"`},
		{"GET /v1/customers?" + strings.Repeat("a=1&", twin.ParamsMax+1), authorized, "", 400, `"type": "invalid_request_error"`},
		{"GET /v1/customers?a" + strings.Repeat("[b]", twin.ParamDepthMax+1) + "=1", authorized, "", 400, `"type": "invalid_request_error"`},
		// bodies
		{"POST /v1/customers", form(good), good, 200, `"name": "Ann"`},
		{"POST /v1/customers", authorized + length(good), good, 200, `"name": "Ann"`},
		{"POST /v1/customers", authorized, "", 200, `"name": null`},
		{"POST /v1/customers", authorized + "Content-Type: application/x-www-form-urlencoded; charset=UTF-8\r\n" + length(good), good, 200, `"name": "Ann"`},
		{"POST /v1/customers", authorized + "Transfer-Encoding: chunked\r\n", "8\r\nname=Ann\r\n0\r\n\r\n", 200, `"name": "Ann"`},
		{"POST /v1/customers", authorized + "Transfer-Encoding: chunked\r\n", "zz\r\nname=Ann\r\n0\r\n\r\n", 400, "could not be read"},
		{"POST /v1/customers", authorized + "Content-Type: application/json\r\n" + length(`{"name":"A"}`), `{"name":"A"}`, 400, "application/json"},
		{"POST /v1/customers", authorized + "Content-Type: multipart/form-data; boundary=x\r\n" + length("--x--"), "--x--", 400, "multipart/form-data"},
		{"POST /v1/customers", authorized + "Content-Type: ;;;\r\n" + length(good), good, 400, ";;;"},
		{"POST /v1/customers", authorized + "Content-Type: \xff/x\r\n" + length(good), good, 400, `"type": "invalid_request_error"`},
		{"POST /v1/customers", form(`{"name":"A"}`), `{"name":"A"}`, 400, `"type": "invalid_request_error"`},
		{"POST /v1/customers", form("name=%ff"), "name=%ff", 400, `"type": "invalid_request_error"`},
		{"POST /v1/customers", form("name=\xff\xfe"), "name=\xff\xfe", 400, `"type": "invalid_request_error"`},
		{"POST /v1/customers", form("name=%"), "name=%", 400, `"type": "invalid_request_error"`},
		{"POST /v1/customers", form("name=\xf0\x9f\x98\x80"), "name=\xf0\x9f\x98\x80", 200, "😀"},
		{"POST /v1/customers", form(strings.Repeat("x", serve.BodyBytesMax+1)), strings.Repeat("x", serve.BodyBytesMax+1), 413, "too large"},
		// headers
		{"GET /v1/customers?limit=1", authorized + "Stripe-Version: 1999-01-01\r\n", "", 501, "1999-01-01"},
		{"GET /v1/customers?limit=1", authorized + "Stripe-Version: nonsense\xff\r\n", "", 400, "Invalid Stripe API version"},
		{"GET /v1/customers?limit=1", authorized + "Stripe-Account: acct_1\r\n", "", 501, "Stripe-Account"},
		{"POST /v1/customers", form(good) + "Idempotency-Key: " + strings.Repeat("k", 256) + "\r\n", good, 400, "idempotency_error"},
		{"POST /v1/customers", form(good) + "Idempotency-Key: k\xff\r\n", good, 200, `"name": "Ann"`},
		{"POST /v1/customers", form(good) + "Idempotency-Key: one\r\nIdempotency-Key: two\r\n", good, 400, "several Idempotency-Key headers"},
		{"POST /v1/customers", form(good) + "Idempotency-Key: same\r\nIdempotency-Key: same\r\n", good, 200, `"name": "Ann"`},
		{"GET /v1/customers?limit=1", authorized + "X: " + strings.Repeat("x", 2*serve.HeaderBytesMax) + "\r\n", "", 431, "Request Header Fields Too Large"},
		// what net/http refuses before there is a request
		{"GET /v1/customers/%zz", authorized, "", 400, "could not be read"},
		{"GET /v1/customers", "no colon\r\n", "", 400, "could not be read"},
		{"GET /v1/customers", authorized + "X: \x00\r\n", "", 400, "could not be read"},
		{"GET /v1/customers", authorized + "Transfer-Encoding: gzip\r\n", "", 501, "could not be read"},
		{"GET /v1/customers", authorized + "Content-Length: -1\r\n", "", 400, "could not be read"},
		{"G@T /v1/customers", authorized, "", 400, "could not be read"},
	}
	for _, row := range rows {
		t.Run(fmt.Sprintf("%.60q %.40q", row.line, row.headers), func(t *testing.T) {
			before := r.dump()
			res, body := r.send(row.line, row.headers, row.body)
			if res.StatusCode != row.status || !strings.Contains(string(body), row.want) {
				t.Errorf("%d %.500s; want %d with %q", res.StatusCode, body, row.status, row.want)
			}
			if got := res.Header.Get("Content-Type"); got != "application/json" || res.Header.Get("Location") != "" {
				t.Errorf("content type %q, location %q", got, res.Header.Get("Location"))
			}
			if strings.HasPrefix(row.line, "HEAD") {
				if len(body) != 0 {
					t.Errorf("a body for HEAD: %q", body)
				}
				return
			}
			judgeShape(t, row.status, body)
			if row.status >= 400 && r.dump() != before {
				t.Error("a refused request changed the world")
			}
		})
	}
}

// An id that callers choose may hold what paths are made of: it is found again under
// its encoded form, and under no other.
func TestChosenIDs(t *testing.T) {
	r := newRig(t, nil, nil)
	for _, id := range []string{"a/b", "a b", "50%OFF", "a%2Fb", "a+b", "a?b#c", "é😀", "..", "a/../b", "search", "A/B"} {
		for path, body := range map[string]string{
			"/v1/products": "name=x&id=" + url.QueryEscape(id),
			"/v1/coupons":  "percent_off=10&duration=once&id=" + url.QueryEscape(id),
		} {
			if path == "/v1/products" && id == "search" {
				continue // a route of its own
			}
			if res, answer := r.send("POST "+path, form(body), body); res.StatusCode != 200 {
				t.Fatalf("%s %q: %d %s", path, id, res.StatusCode, answer)
			}
			res, answer := r.send("GET "+path+"/"+url.PathEscape(id), authorized, "")
			raw, err := canon.Canonicalize(answer)
			if got, _ := canon.Get(raw, "id"); err != nil || res.StatusCode != 200 || string(got) != string(canon.AppendString(nil, id)) {
				t.Errorf("%s/%s: %d %.200s", path, url.PathEscape(id), res.StatusCode, answer)
			}
			if res, _ := r.send("DELETE "+path+"/"+url.PathEscape(id), authorized, ""); res.StatusCode != 200 {
				t.Errorf("%s/%s: deleted with %d", path, url.PathEscape(id), res.StatusCode)
			}
		}
	}
}

// judgeShape checks that a body is an object of Stripe's, an error where the
// status says so.
func judgeShape(t *testing.T, status int, body []byte) {
	t.Helper()
	raw, err := canon.Canonicalize(body)
	if err != nil {
		t.Fatalf("not JSON: %v: %.200s", err, body)
	}
	fault, refused := canon.Get(raw, "error")
	kind, _ := canon.Get(fault, "type")
	text, _ := canon.Get(fault, "message")
	if refused != (status >= 400) || refused && (len(kind) < 3 || len(text) < 3) {
		t.Errorf("%d with %.300s", status, body)
	}
}

// The raw key is echoed, and named in the refusal that is about it; a replay says
// whose answer it is.
func TestHeadersOfAnAnswer(t *testing.T) {
	r := newRig(t, nil, nil)
	key := "Idempotency-Key: retry-1\r\n"
	first, _ := r.send("POST /v1/customers", form("name=A")+key, "name=A")
	again, _ := r.send("POST /v1/customers", form("name=A")+key, "name=A")
	other, body := r.send("POST /v1/customers", form("name=B")+key, "name=B")
	for name, want := range map[string][3]string{
		"Idempotency-Key":     {"retry-1", "retry-1", "retry-1"},
		"Idempotent-Replayed": {"", "true", ""},
		"Original-Request":    {"", first.Header.Get("Request-Id"), ""},
		"Stripe-Version":      {"2026-08-26.dahlia", "2026-08-26.dahlia", "2026-08-26.dahlia"},
	} {
		for i, res := range []*http.Response{first, again, other} {
			if got := res.Header.Get(name); got != want[i] {
				t.Errorf("answer %d: %s is %q, want %q", i, name, got, want[i])
			}
		}
	}
	if other.StatusCode != 400 || !strings.Contains(string(body), "'retry-1'") {
		t.Errorf("a key used for something else: %d %s", other.StatusCode, body)
	}
	ids := map[string]bool{}
	for _, res := range []*http.Response{first, again, other} {
		ids[res.Header.Get("Request-Id")] = true
	}
	if len(ids) != 3 || ids[""] {
		t.Errorf("request ids %v", ids)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if fmt.Sprint(r.observed) != "[200 200 400]" {
		t.Errorf("observed %v", r.observed)
	}
}

func TestMask(t *testing.T) {
	for secret, want := range map[string]string{
		"":                             "",
		"x":                            "*",
		"12345678":                     "****5678",
		"123456789":                    "*****6789",
		"sk_test_12345678":             "sk_test_****5678",
		"sk_test_your_secret_key_here": "sk_test_****************here",
		"sk_test_123456789":            "sk_test_*****6789",
		"sk_test_":                     "sk_test_",
		"rk_live_abcdefghijkl":         "rk_live_********ijkl",
		"_underscore":                  "*******core",
		"averylongwordbefore_1":        "*****************re_1",
		"\xff\xff_\xff":                "%FF%FF_*",
		"sk_test_1234567890é":          "sk_test_********90é",
		"sk_test_1234567\xff\xff":      "sk_test_*****67%FF%FF",
	} {
		if got := serve.Mask(secret); got != want {
			t.Errorf("Mask(%q) = %q, want %q", secret, got, want)
		}
	}
}

// A panic anywhere on the way is answered and logged, and takes nothing down.
func TestPanics(t *testing.T) {
	for _, point := range []world.Point{world.Produced, world.Decided, world.Committed, world.Served} {
		t.Run(string(point), func(t *testing.T) {
			r := newRig(t, func(_ context.Context, at *world.Passing) error {
				if at.Point == point && strings.Contains(at.Command.Body, "panic") {
					panic("planted")
				}
				return nil
			}, nil)
			body := "name=panic"
			res, answer := r.send("POST /v1/customers", form(body), body)
			if res.StatusCode != 500 || !strings.Contains(string(answer), `"api_error"`) {
				t.Errorf("%d %s", res.StatusCode, answer)
			}
			judgeShape(t, 500, answer)
			if !strings.Contains(r.log.text.String(), "planted") {
				t.Error("the panic is not in the log")
			}
			body = "name=sound"
			if res, answer := r.send("POST /v1/customers", form(body), body); res.StatusCode != 200 {
				t.Errorf("after the panic: %d %s", res.StatusCode, answer)
			}
		})
	}
}

// What a world cannot do is answered in the API's shape and says that nothing was
// executed.
func TestAWorldThatCannot(t *testing.T) {
	var full atomic.Bool
	r := newRig(t, nil, func(p store.Point) error {
		if p == store.PointWrite && full.Load() {
			return errors.New("no space left")
		}
		return nil
	})
	before := r.dump()
	full.Store(true)
	body := "name=A"
	for range 2 {
		res, answer := r.send("POST /v1/customers", form(body), body)
		if res.StatusCode != 503 || !strings.Contains(string(answer), "was not executed") {
			t.Errorf("%d %s", res.StatusCode, answer)
		}
		judgeShape(t, 503, answer)
		if res, answer := r.send("GET /v1/customers?limit=1", authorized, ""); res.StatusCode != 200 {
			t.Errorf("a read meanwhile: %d %s", res.StatusCode, answer)
		}
	}
	full.Store(false)
	if r.dump() != before {
		t.Error("the refused requests changed the world")
	}

	gone := newRig(t, nil, nil)
	if err := gone.world.Delete(t.Context(), world.Plainly(canon.Raw(`{"op":"delete"}`))); err != nil {
		t.Fatal(err)
	}
	res, answer := gone.send("GET /v1/customers", authorized, "")
	if res.StatusCode != 401 || !strings.Contains(string(answer), "was deleted") {
		t.Errorf("%d %s", res.StatusCode, answer)
	}
}

// An answer above what net/http collects goes out whole, whatever its length, and as
// much comes of a HEAD as of any other.
func TestLargeAnswers(t *testing.T) {
	r := newRig(t, nil, nil)
	const line = "/v1/customers?limit="
	for limit := range 12 {
		name := strings.Repeat("n", 20+limit*21)
		if res, answer := r.send("POST /v1/customers", form("name="+name), "name="+name); res.StatusCode != 200 {
			t.Fatal(res.StatusCode, string(answer))
		}
		for _, n := range []int{1, 2, 5, 6, 7, 8, 9, 10, 100} {
			c := dial(t, r.addr)
			for range 2 { // the second would meet what the first had left
				request := []byte("HEAD /v1/charges HTTP/1.1\r\nHost: worlds\r\n" + authorized + "\r\nGET " + line + strconv.Itoa(n) +
					" HTTP/1.1\r\nHost: worlds\r\n" + authorized + "\r\n")
				if _, err := c.conn.Write(request); err != nil {
					t.Fatal(err)
				}
				if res, err := http.ReadResponse(c.in, &http.Request{Method: "HEAD"}); err != nil || res.StatusCode != 404 {
					t.Fatal(res, err)
				}
				res, err := http.ReadResponse(c.in, nil)
				if err != nil {
					t.Fatal(err)
				}
				body, err := io.ReadAll(res.Body)
				if err != nil || int64(len(body)) != res.ContentLength {
					t.Fatal(len(body), res.ContentLength, err)
				}
				judgeShape(t, 200, body)
			}
		}
	}
}

// An answer whose status has no body is sent at once, however long the body is that a
// rule has for it, and the next one on its connection is none the worse.
func TestStatusesWithoutABody(t *testing.T) {
	r := newRig(unjudged{t}, nil, nil) // Stripe has no such answers: they are not held against its document
	for _, status := range []string{"204", "304"} {
		rule, err := canon.Canonicalize([]byte(`{"id":"` + status + `","match":{"method":"GET"},"count":1,"effect":{"answer":{"status":` + status +
			`,"body":{"text":"` + strings.Repeat("x", 8<<10) + `"}}}}`))
		if err != nil {
			t.Fatal(err)
		}
		add := twin.Command{Actor: "admin", API: "admin", Op: "scenario.add", Args: rule}
		if a, err := r.world.Do(t.Context(), world.Request{Command: add}); err != nil || a.Status != 200 {
			t.Fatalf("%v %v", a, err)
		}
		c := dial(t, r.addr)
		_ = c.conn.SetDeadline(time.Now().Add(20 * time.Second))
		for _, want := range []string{status, "200"} {
			if _, err := io.WriteString(c.conn, "GET /v1/customers?limit=1 HTTP/1.1\r\nHost: worlds\r\n"+authorized+"\r\n"); err != nil {
				t.Fatal(err)
			}
			res, err := http.ReadResponse(c.in, nil)
			if err != nil {
				t.Fatalf("%s: %v", want, err)
			}
			body, err := io.ReadAll(res.Body)
			if err != nil || strconv.Itoa(res.StatusCode) != want || (len(body) == 0) != (want != "200") {
				t.Errorf("%d, %d bytes, %v, want %s", res.StatusCode, len(body), err, want)
			}
		}
	}
}

// One connection serves many requests, refused ones included.
func TestConnectionsAreReused(t *testing.T) {
	r := newRig(t, nil, nil)
	dials := 0
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		dials++
		return new(net.Dialer).DialContext(ctx, network, addr)
	}}}
	defer client.CloseIdleConnections()
	for i := range 20 {
		req, err := http.NewRequest("POST", "http://"+r.addr+"/v1/customers", strings.NewReader("nme=x"))
		if err != nil {
			t.Fatal(err)
		}
		if i%2 == 0 {
			req.Header.Set("Authorization", "Bearer "+secret)
		}
		res, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		res.Body.Close()
	}
	if dials != 1 {
		t.Errorf("%d connections for 20 requests", dials)
	}
}
