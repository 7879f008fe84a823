package serve_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"worlds/twin"
	"worlds/twin/serve"
	"worlds/twin/stripe"
)

// plainRequests are what SDKs send, and what differs from that by a little.
var plainRequests = []string{
	"GET /v1/customers HTTP/1.1\r\nHost: worlds\r\n\r\n",
	"GET /v1/customers/cus_1?limit=3&expand[]=data.x HTTP/1.1\r\nHost: 127.0.0.1:7357\r\nAuthorization: Bearer sk\r\nX-Empty:\r\n\r\n",
	"POST /v1/customers HTTP/1.1\r\nHost: worlds\r\nContent-Length: 8\r\nidempotency-key:  a b \t\r\n\r\nname=Ann",
	"POST /v1/customers HTTP/1.1\r\nHost: worlds\r\nContent-Length: 0\r\nConnection: Keep-Alive\r\n\r\n",
	"DELETE /v1//x/../y HTTP/1.1\r\nHost: [::1]:80\r\nAccept: */*\r\nX-Stripe-Client-User-Agent: {\"lang\":\"node\"}\r\n\r\n",
	"PUT /v1/a~b_c HTTP/1.1\r\nhost: worlds\r\ncontent-length: 003\r\n\r\nabc",
}

// otherRequests are for net/http.
var otherRequests = []string{
	"GET /v2/customers HTTP/1.1\r\nHost: worlds\r\n\r\n",
	"GET  HTTP/1.1\r\nHost: worlds\r\n\r\n",
	"GET /v1 HTTP/1.1\r\nHost: worlds\r\n\r\n",
	"GET /v1/a%20b HTTP/1.1\r\nHost: worlds\r\n\r\n",
	"GET /v1/a? HTTP/1.1\r\nHost: worlds\r\n\r\n",
	"GET /v1/a?b#c HTTP/1.1\r\nHost: worlds\r\n\r\n",
	"GET /v1/a HTTP/1.0\r\nHost: worlds\r\n\r\n",
	"GET /v1/a  HTTP/1.1\r\nHost: worlds\r\n\r\n",
	"GET http://worlds/v1/a HTTP/1.1\r\nHost: worlds\r\n\r\n",
	"HEAD /v1/a HTTP/1.1\r\nHost: worlds\r\n\r\n",
	"GET /v1/a HTTP/1.1\r\n\r\n",
	"GET /v1/a HTTP/1.1\r\nHost:\r\n\r\n",
	"GET /v1/a HTTP/1.1\r\nHost: worlds\r\nHost: worlds\r\n\r\n",
	"GET /v1/a HTTP/1.1\r\nHost: wor lds\r\n\r\n",
	"GET /v1/a HTTP/1.1\r\nHost: worlds\r\nA: 1\r\na: 2\r\n\r\n",
	"GET /v1/a HTTP/1.1\r\nHost: worlds\r\nA : 1\r\n\r\n",
	"GET /v1/a HTTP/1.1\r\nHost: worlds\r\nA: 1\r\n 2\r\n\r\n",
	"GET /v1/a HTTP/1.1\r\nHost: worlds\r\nA: 1\n2\r\n\r\n",
	"GET /v1/a HTTP/1.1\r\nHost: worlds\r\nA: \xff\r\n\r\n",
	"GET /v1/a HTTP/1.1\r\nHost: worlds\r\nA_B: 1\r\n\r\n",
	"GET /v1/a HTTP/1.1\r\nHost: worlds\r\nno colon\r\n\r\n",
	"GET /v1/a HTTP/1.1\nHost: worlds\r\n\r\n",
	"GET /v1/a HTTP/1.1\r\nHost: worlds\r\nConnection: close\r\n\r\n",
	"GET /v1/a HTTP/1.1\r\nHost: worlds\r\nUpgrade: h2c\r\n\r\n",
	"POST /v1/a HTTP/1.1\r\nHost: worlds\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
	"POST /v1/a HTTP/1.1\r\nHost: worlds\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\na",
	"POST /v1/a HTTP/1.1\r\nHost: worlds\r\nContent-Length: -1\r\n\r\na",
	"POST /v1/a HTTP/1.1\r\nHost: worlds\r\nContent-Length: +1\r\n\r\na",
	"POST /v1/a HTTP/1.1\r\nHost: worlds\r\nContent-Length:\r\n\r\na",
	"POST /v1/a HTTP/1.1\r\nHost: worlds\r\nContent-Length: 1, 1\r\n\r\na",
	"POST /v1/a HTTP/1.1\r\nHost: worlds\r\nContent-Length: 9999999\r\n\r\na",
}

func TestWhatIsPlain(t *testing.T) {
	for _, text := range plainRequests {
		if _, _, ok := serve.ReadPlain([]byte(text)); !ok {
			t.Errorf("not plain: %q", text)
		}
	}
	for _, text := range otherRequests {
		if _, _, ok := serve.ReadPlain([]byte(text)); ok {
			t.Errorf("plain: %q", text)
		}
	}
}

// A lane reads a request as net/http does, or not at all, whatever it read before.
func FuzzPlain(f *testing.F) {
	for i, text := range append(slices.Clone(plainRequests), otherRequests...) {
		f.Add([]byte(plainRequests[i%len(plainRequests)]), []byte(text))
	}
	f.Fuzz(func(t *testing.T, before, in []byte) {
		got, body, ok := serve.ReadPlain(before, in)
		if !ok {
			if got, body, ok = serve.ReadPlain(in); !ok {
				return
			}
		}
		want, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(in)))
		if err != nil {
			t.Fatalf("net/http refuses %q: %v", in, err)
		}
		its, err := io.ReadAll(want.Body)
		if err != nil || !bytes.Equal(body, its) {
			t.Errorf("body %q, of net/http %q %v", body, its, err)
		}
		ours, err := io.ReadAll(got.Body)
		if err != nil || !bytes.Equal(ours, its) {
			t.Errorf("body reads as %q, %v", ours, err)
		}
		if a, b := described(got), described(want); a != b || !reflect.DeepEqual(got.Header, want.Header) {
			t.Errorf("%q is read as\n%s\n%v, by net/http as\n%s\n%v", in, a, got.Header, b, want.Header)
		}
	})
}

func described(r *http.Request) string {
	return fmt.Sprintf("%s %+v %s %s %d.%d host %s length %d close %v encoding %v body %v", r.Method, *r.URL, r.RequestURI, r.Proto, r.ProtoMajor,
		r.ProtoMinor, r.Host, r.ContentLength, r.Close, r.TransferEncoding, r.Body == http.NoBody)
}

// twinServer serves a handler below /v1 and returns its address.
func twinServer(t *testing.T, h http.HandlerFunc) (*serve.Server, string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := serve.NewTwinServer(h, []*twin.Catalog{stripe.Catalog()})
	done := make(chan error)
	go func() { done <- s.Serve(l) }()
	t.Cleanup(func() {
		s.Close()
		<-done
	})
	return s, l.Addr().String()
}

// talk sends texts over one connection, one at a time, and returns what is answered:
// status, body and header, without the date.
func talk(t *testing.T, addr string, texts ...string) []string {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	in := bufio.NewReader(c)
	var out []string
	for _, text := range texts {
		if _, err := io.WriteString(c, text); err != nil {
			t.Fatal(err)
		}
		for range strings.Count(text, "HTTP/1.1\r\n") {
			res, err := http.ReadResponse(in, nil)
			if err != nil {
				t.Fatalf("%q: %v", text, err)
			}
			body, err := io.ReadAll(res.Body)
			if err != nil || res.Header.Get("Date") == "" {
				t.Fatal(err, res.Header)
			}
			for _, name := range []string{"Date", "Content-Length"} { // or chunks
				res.Header.Del(name)
			}
			out = append(out, fmt.Sprintf("%d %.200s %x %v", res.StatusCode, body, sha256.Sum256(body), res.Header))
		}
	}
	return out
}

// echo answers with what it was asked, in the manner that the path names.
func echo(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	text := fmt.Sprint(described(r), r.Header, string(body), err)
	switch {
	case strings.HasSuffix(r.URL.Path, "/nothing"):
	case strings.HasSuffix(r.URL.Path, "/none"):
		w.WriteHeader(http.StatusNoContent)
	case strings.HasSuffix(r.URL.Path, "/refused"):
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("X-Lines", "one\r\ntwo: three")
		w.WriteHeader(http.StatusConflict)
		_, _ = io.WriteString(w, text)
	default:
		w.Header()["Content-Type"] = []string{"application/json"}
		w.Header().Add("X-Two", "b")
		w.Header().Add("X-Two", "a")
		w.Header().Set("X-Long", strings.Repeat("x", len(body)/20))
		for range 2 {
			_, _ = io.WriteString(w, text)
		}
	}
}

// A client cannot tell a lane from net/http.
func TestLanesAnswerAsNetHTTP(t *testing.T) {
	bare, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	plain := serve.NewServer(http.HandlerFunc(echo))
	go plain.Serve(bare)
	t.Cleanup(func() { plain.Close() })
	_, addr := twinServer(t, echo)
	post := func(n int) string {
		return fmt.Sprintf("POST /v1/customers HTTP/1.1\r\nHost: worlds\r\nContent-Length: %d\r\nIdempotency-Key: k%d\r\n\r\n%s", n, n, strings.Repeat("y", n))
	}
	get := func(path string) string { return "GET " + path + " HTTP/1.1\r\nHost: worlds\r\n\r\n" }
	for name, texts := range map[string][]string{
		"one":            {get("/v1/a?b=c")},
		"same again":     {get("/v1/a?b=c"), get("/v1/a?b=c")},
		"taking turns":   {get("/v1/a"), post(10), get("/v1/b"), post(3000), post(20_000), post(11), get("/v1/a")},
		"long ones":      {post(100_000), get("/v1/a")},
		"statuses":       {get("/v1/nothing"), get("/v1/none"), get("/v1/refused"), get("/v1/a")},
		"in one piece":   {get("/v1/a") + post(5) + get("/v1/b") + post(0)},
		"not plain":      {get("/v1/a"), get("/v1/%41"), get("/v1/a"), get("/healthz"), post(3)},
		"not plain tail": {get("/v1/a") + get("/v1/%41") + post(7)},
	} {
		t.Run(name, func(t *testing.T) {
			got, want := talk(t, addr, texts...), talk(t, bare.Addr().String(), texts...)
			for i := range want {
				if got[i] != want[i] {
					t.Errorf("answer %d of a lane\n%.600s\nof net/http\n%.600s", i, got[i], want[i])
				}
			}
		})
	}
}

// A body may come in pieces, and late.
func TestABodyInPieces(t *testing.T) {
	_, addr := twinServer(t, echo)
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	go func() {
		for _, piece := range []string{"POST /v1/a HTTP/1.1\r\nHost: worlds\r\nContent-Length: 6\r\n\r\n", "ab", "cd", "ef"} {
			_, _ = io.WriteString(c, piece)
			time.Sleep(5 * time.Millisecond)
		}
	}()
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(res.Body); err != nil || !strings.Contains(string(body), "abcdef") {
		t.Errorf("%s %v", body, err)
	}
}

// A client that goes away ends the context of what it waits for.
func TestAClientThatGoes(t *testing.T) {
	ended := make(chan error, 1)
	_, addr := twinServer(t, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
			ended <- r.Context().Err()
		case <-time.After(20 * time.Second):
			ended <- nil
		}
	})
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(c, plainRequests[0]); err != nil {
		t.Fatal(err)
	}
	c.Close()
	if err := <-ended; err == nil {
		t.Error("the handler was not told")
	}
}

// A shutdown ends idle connections, lets what is in flight finish, and then says so.
func TestShutdownOfLanes(t *testing.T) {
	inside, leave := make(chan bool), make(chan bool)
	s, addr := twinServer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/slow" {
			inside <- true
			<-leave
		}
		_, _ = io.WriteString(w, "done")
	})
	idle, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer idle.Close()
	if _, err := io.WriteString(idle, plainRequests[0]); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(idle)
	if res, err := http.ReadResponse(in, nil); err != nil || res.Close {
		t.Fatal(res, err)
	}
	answers := make(chan string, 1)
	go func() {
		answers <- talk(t, addr, "GET /v1/slow HTTP/1.1\r\nHost: worlds\r\n\r\n")[0]
	}()
	<-inside
	short, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := s.Shutdown(short); err != context.DeadlineExceeded {
		t.Errorf("a shutdown during a request: %v", err)
	}
	_, _ = in.Discard(len("done"))
	if _, err := in.ReadByte(); err != io.EOF {
		t.Errorf("the idle connection: %v", err)
	}
	leave <- true
	if got := <-answers; !strings.HasPrefix(got, "200 done") {
		t.Error(got)
	}
	if err := s.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if c, err := net.Dial("tcp", addr); err == nil {
		c.Close()
		t.Error("it still takes connections")
	}
}

// A handler that panics ends its connection, and takes nothing else down.
func TestPanicsInLanes(t *testing.T) {
	_, addr := twinServer(t, func(_ http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/panic") {
			panic(http.ErrAbortHandler)
		}
	})
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, "GET /v1/panic HTTP/1.1\r\nHost: worlds\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(c); len(got) > 0 || err != nil {
		t.Errorf("%q %v", got, err)
	}
	if got := talk(t, addr, plainRequests[0]); !strings.HasPrefix(got[0], "200 ") {
		t.Error(got)
	}
}
