package serve_test

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"worlds/journal/store"
	"worlds/twin/serve"
)

// caller is a client as cheap as can be: one connection, requests encoded before,
// answers skipped by their length.
type caller struct {
	b    testing.TB
	conn net.Conn
	in   *bufio.Reader
}

func dial(b testing.TB, addr string) *caller {
	b.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { c.Close() })
	return &caller{b: b, conn: c, in: bufio.NewReaderSize(c, 64<<10)}
}

// call sends a request and returns the length of the answer's body.
func (c *caller) call(request []byte) int {
	if _, err := c.conn.Write(request); err != nil {
		c.b.Fatal(err)
	}
	length, done := -1, false
	for {
		line, err := c.in.ReadSlice('\n') // it allocates nothing: budgets count what the server does
		if err != nil {
			c.b.Fatal(err)
		}
		done = done || bytes.HasPrefix(line, []byte("HTTP/1.1 200 "))
		if len(line) == len("\r\n") {
			break
		}
		if digits, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			length = 0
			for _, d := range digits[:len(digits)-len("\r\n")] {
				length = 10*length + int(d-'0')
			}
		}
	}
	if _, err := c.in.Discard(length); err != nil || !done {
		c.b.Fatal(done, length, err)
	}
	return length
}

func encoded(line, body string) []byte {
	return []byte(line + " HTTP/1.1\r\nHost: worlds\r\nUser-Agent: Stripe/v1 StripeBindings/18.0.0\r\nAccept: application/json\r\n" +
		form(body) + "Stripe-Version: 2026-08-26.dahlia\r\n\r\n" + body)
}

// bare is a handler of net/http that does nothing but answer so many bytes after it
// has read the body.
func bare(b *testing.B, bytes int) string {
	b.Helper()
	body := []byte(strings.Repeat("x", bytes))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	server := serve.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		h := w.Header()
		h["Content-Type"] = []string{"application/json"}
		h["Content-Length"] = []string{strconv.Itoa(len(body))}
		_, _ = w.Write(body)
	}))
	go server.Serve(l)
	b.Cleanup(func() { server.Close() })
	return l.Addr().String()
}

// turn is how many requests go to one server before it is the other's turn, so
// that both meet the same noise.
const turn = 100

// compare sends one request b.N times, and as often to a bare handler with an
// answer of the same size, and reports how near the twin comes: ×bare 1 would be
// equally fast.
func compare(b *testing.B, r *rig, request []byte) {
	twin := dial(b, r.addr)
	blank := dial(b, bare(b, twin.call(request)))
	blank.call(request)
	var ours, theirs time.Duration
	b.ReportAllocs()
	b.ResetTimer()
	for done := 0; done < b.N; done += turn {
		n := min(turn, b.N-done)
		start := time.Now()
		for range n {
			twin.call(request)
		}
		ours += time.Since(start)
		b.StopTimer()
		start = time.Now()
		for range n {
			blank.call(request)
		}
		theirs += time.Since(start)
		b.StartTimer()
	}
	b.ReportMetric(float64(theirs)/float64(ours), "×bare")
}

func BenchmarkRetrieve(b *testing.B) {
	compare(b, newRig(b, nil, nil), encoded("GET /v1/customers/cus_seed0001", ""))
}

func BenchmarkList(b *testing.B) {
	compare(b, newRig(b, nil, nil), encoded("GET /v1/customers?limit=10", ""))
}

// BenchmarkCreate waits for the disk or does not: relaxed shows what the twin
// itself costs.
func BenchmarkCreate(b *testing.B) {
	for _, level := range []store.Durability{store.Sync, store.Relaxed} {
		b.Run(map[store.Durability]string{store.Sync: "sync", store.Relaxed: "relaxed"}[level], func(b *testing.B) {
			compare(b, newRigAt(b, level), encoded("POST /v1/customers", "name=Ann&email=ann%40example.com&metadata[team]=a"))
		})
	}
}
