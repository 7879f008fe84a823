package webhook_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"worlds/twin/webhook"
)

// hook is a listener that does one thing with each connection.
func hook(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				serve(c)
			}()
		}
	}()
	t.Cleanup(func() { l.Close(); <-ended })
	return "http://" + l.Addr().String() + "/hook"
}

// asked reads a request up to its body and some of that.
func asked(c net.Conn) string {
	buf := make([]byte, 64<<10)
	n, _ := c.Read(buf)
	return string(buf[:n])
}

func answer(text string) func(net.Conn) {
	return func(c net.Conn) {
		asked(c)
		_, _ = io.WriteString(c, text)
	}
}

// quick bounds what an attempt with a decided answer may take.
const quick = 3 * time.Second

func TestOutcomes(t *testing.T) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := "http://" + free.Addr().String()
	free.Close()
	pour := func(head string) func(net.Conn) {
		return func(c net.Conn) {
			asked(c)
			chunk := make([]byte, 64<<10)
			_, err := io.WriteString(c, head)
			for err == nil {
				_, err = c.Write(chunk)
			}
		}
	}
	for _, row := range []struct {
		name, url, want string
		within          time.Duration
	}{
		{"success", hook(t, answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")), "200", quick},
		{"no content", hook(t, answer("HTTP/1.1 204 No Content\r\n\r\n")), "204", quick},
		{"failure", hook(t, answer("HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n")), "500", quick},
		{"redirect", hook(t, answer("HTTP/1.1 302 Found\r\nLocation: /final\r\nContent-Length: 0\r\n\r\n")), "302", quick},
		{"endless body", hook(t, pour("HTTP/1.1 200 OK\r\n\r\n")), "200", quick},
		{"endless head", hook(t, pour("HTTP/1.1 200 OK\r\nX: ")), "garbled", quick},
		{"not HTTP", hook(t, answer("220 mail ESMTP\r\n")), "garbled", quick},
		{"status beyond", hook(t, answer("HTTP/1.1 999 What\r\nContent-Length: 0\r\n\r\n")), "garbled", quick},
		{"cut before an answer", hook(t, func(c net.Conn) { asked(c); _ = c.(*net.TCPConn).SetLinger(0) }), "reset", quick},
		{"closed before an answer", hook(t, func(c net.Conn) { asked(c) }), "reset", quick},
		{"nobody listens", nobody, "refused", quick},
		{"no such name", "http://nobody.invalid/", "dns", 6 * time.Second},
		{"plain where TLS is asked", "https" + strings.TrimPrefix(hook(t, answer("HTTP/1.1 400 Bad\r\n\r\n")), "http"), "tls", quick},
		{"not this machine", "http://192.0.2.1:9/", "forbidden", quick},
		{"hangs", hook(t, func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }), "timeout", webhook.AttemptTimeout + quick},
		{"half an answer", hook(t, func(c net.Conn) {
			_, _ = c.Read(make([]byte, 1024)) // an answer before the request is another fault
			_, _ = io.WriteString(c, "HTTP/1.1 20")
			_, _ = io.Copy(io.Discard, c)
		}), "timeout", webhook.AttemptTimeout + quick},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := webhook.NewSender(webhook.Allow{})
			began := time.Now()
			got := s.Send(context.Background(), row.url, "t=1,v1=00", []byte("{}"))
			if got != row.want {
				t.Errorf("the outcome is %q, not %q", got, row.want)
			}
			if took := time.Since(began); took > row.within {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// TestEndlessBodiesCostLittle sends to a listener that pours out bytes: the heap
// grows by nothing worth mentioning.
func TestEndlessBodiesCostLittle(t *testing.T) {
	url := hook(t, func(c net.Conn) {
		asked(c)
		_, err := io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n")
		chunk := make([]byte, 64<<10)
		for err == nil {
			_, err = c.Write(chunk)
		}
	})
	s := webhook.NewSender(webhook.Allow{})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	const attempts = 20
	for range attempts {
		if got := s.Send(context.Background(), url, "t=1,v1=00", []byte("{}")); got != "200" {
			t.Fatal(got)
		}
	}
	runtime.ReadMemStats(&after)
	const most = 30 << 20
	if grown := after.TotalAlloc - before.TotalAlloc; grown > most {
		t.Errorf("%d attempts allocated %d bytes", attempts, grown)
	}
}

func TestRequest(t *testing.T) {
	got := make(chan *http.Request, 1)
	body := make(chan string, 1)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		got <- r
		body <- string(text)
	})}
	go server.Serve(l)
	defer server.Close()
	payload := "{\"name\":\"Zoë 😀 <b>&\u2028\"}\n"
	header := webhook.Signature("whsec_test", 1700000000, []byte(payload))
	webhook.NewSender(webhook.Allow{}).Send(context.Background(), "http://"+l.Addr().String()+"/in?x=1", header, []byte(payload))
	r := <-got
	for name, want := range map[string]string{
		"Content-Type": "application/json; charset=utf-8", "User-Agent": "Stripe/1.0 (+https://stripe.com/docs/webhooks)",
		"Stripe-Signature": header,
	} {
		if r.Header.Get(name) != want {
			t.Errorf("%s is %q, not %q", name, r.Header.Get(name), want)
		}
	}
	if text := <-body; text != payload || r.ContentLength != int64(len(payload)) || r.Method != "POST" || r.URL.String() != "/in?x=1" {
		t.Errorf("%s %s with %d bytes: %q", r.Method, r.URL, r.ContentLength, text)
	}
}

// TestSignature holds the digest against one made with another tool:
// printf '1700000000.{"id":"evt_1"}' | openssl dgst -sha256 -hmac whsec_test
func TestSignature(t *testing.T) {
	const want = "t=1700000000,v1=c89214b5b5da833daed6f0b8c5bb6bd58cea9022bd80ccc78230f3942d632925"
	if got := webhook.Signature("whsec_test", 1700000000, []byte(`{"id":"evt_1"}`)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAllow(t *testing.T) {
	ok := hook(t, answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
	var port uint16
	_, _ = fmt.Sscanf(ok[strings.LastIndex(ok, ":")+1:], "%d", &port)
	here := func(host string) string { return fmt.Sprintf("http://%s:%d/", host, port) }
	own := func() []uint16 { return []uint16{port} }
	for _, row := range []struct {
		name  string
		allow webhook.Allow
		url   string
		want  string
	}{
		{"loopback", webhook.Allow{}, here("127.0.0.1"), "200"},
		{"loopback by name", webhook.Allow{}, here("localhost"), "200"},
		{"the server itself", webhook.Allow{Ports: own}, here("127.0.0.1"), "forbidden"},
		{"itself, though everything is allowed", webhook.Allow{Hosts: []string{"*"}, Ports: own}, here("localhost"), "forbidden"},
		{"itself by another name", webhook.Allow{Hosts: []string{"*"}, Ports: own}, here("0.0.0.0"), "forbidden"},
		{"itself by another loopback address", webhook.Allow{Ports: own}, here("127.0.0.2"), "forbidden"},
		{"elsewhere", webhook.Allow{}, here("192.0.2.1"), "forbidden"},
		{"elsewhere in the other family", webhook.Allow{}, here("[2001:db8::1]"), "forbidden"},
		{"loopback in the other family", webhook.Allow{}, here("[::ffff:127.0.0.1]"), "200"},
		{"another server's port", webhook.Allow{Ports: func() []uint16 { return []uint16{port + 1} }}, here("127.0.0.1"), "200"},
	} {
		s := webhook.NewSender(row.allow)
		if got := s.Send(context.Background(), row.url, "t=1,v1=00", nil); got != row.want {
			t.Errorf("%s: %q, not %q", row.name, got, row.want)
		}
	}
}
