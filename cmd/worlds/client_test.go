package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// serverOf answers everything with h.
func serverOf(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// TestRefusals: whatever a server answers, the exit code tells, and stdout is empty.
func TestRefusals(t *testing.T) {
	clean(t)
	const doc = "application/problem+json"
	for _, row := range []struct {
		name   string
		status int
		media  string
		body   string
		code   int
		names  string
	}{
		{"other rules", 409, doc, `{"status":409,"code":"version-refused","detail":"rules 2"}`, exitVersion, "rules 2"},
		{"damaged", 500, doc, `{"status":500,"code":"journal-damaged","detail":"entry 7"}`, exitDamaged, "entry 7"},
		{"not a seed", 400, doc, `{"status":400,"code":"invalid-seed","detail":"must be","path":"$.data"}`, exitNo, "$.data"},
		{"a field", 400, doc, `{"status":400,"code":"invalid-name","detail":"too long","path":"$.name"}`, exitUsage, "$.name"},
		{"no token", 401, doc, `{"status":401,"code":"unauthorized","detail":"needs the token"}`, exitServer, "needs the token"},
		{"conflict", 409, doc, `{"status":409,"code":"mark-exists","title":"Conflict"}`, exitServer, "mark-exists"},
		{"sealed", 503, doc, `{"status":503,"code":"journal-unavailable","detail":"disk full"}`, exitServer, "disk full"},
		{"another server", 404, "text/html", "<html>", exitServer, "not the admin API"},
		{"a broken problem", 500, doc, "{", exitServer, "not the admin API"},
		{"a redirect", 302, "text/plain", "", exitServer, "302"},
		{"not JSON", 200, "application/json", "<", exitServer, "cannot be read"},
	} {
		t.Run(row.name, func(t *testing.T) {
			url := serverOf(t, func(w http.ResponseWriter, r *http.Request) {
				if row.status == http.StatusFound {
					w.Header().Set("Location", "/elsewhere")
				}
				w.Header().Set("Content-Type", row.media)
				w.WriteHeader(row.status)
				io.WriteString(w, row.body)
			})
			for i, verb := range []string{
				"world create --seed empty", "world list", "world show w", "world reset w", "world diff a --world w", "mark m --world w",
				"mark list --world w", "clock show --world w", "events --world w", "requests --world w", "journal cat --world w",
				"journal verify --world w", "replay w", "key add --world w", "key list --world w", "world dump --hash w",
				"seed list",
			} {
				args := append(strings.Fields(verb), "--url", url)
				if (i+len(row.name))%2 == 0 {
					args = append(args, "--json")
				}
				worlds(t, args...).refuses(t, row.code, row.names)
			}
		})
	}
}

func TestUnreachable(t *testing.T) {
	clean(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + l.Addr().String()
	l.Close()
	worlds(t, "world", "list", "--url", url).refuses(t, exitServer, url, "worlds serve")
}

// A token that the context file holds is shown to its own server only.
func TestTokenStaysHome(t *testing.T) {
	clean(t)
	var seen []string
	echo := func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Header.Get("Authorization"))
		io.WriteString(w, `{"clock":0,"mode":"manual"}`)
	}
	home, stranger := serverOf(t, echo), serverOf(t, echo)
	err := remember(func(r *remembered) {
		r.put(worldNotes{URL: home, ID: "w_1", Name: "shop", AdminToken: "secret"})
		r.Current = "w_1"
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ args, want string }{
		{"", "Bearer secret"},
		{"--world shop", "Bearer secret"},
		{"--world shop --url " + home, "Bearer secret"},
		{"--world shop --url " + stranger, ""},
		{"--world w_1 --url " + stranger + " --token own", "Bearer own"},
		{"--token own", "Bearer own"},
	} {
		seen = nil
		must(t, append([]string{"clock", "show"}, strings.Fields(row.args)...)...)
		if len(seen) != 1 || seen[0] != row.want {
			t.Errorf("%q: %q, want %q", row.args, seen, row.want)
		}
	}
}

// Who spells the server's address in another way is told why the token is not sent.
func TestTokenOfAnotherAddress(t *testing.T) {
	clean(t)
	url := serverOf(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusUnauthorized)
		io.WriteString(w, `{"code":"unauthorized","detail":"this needs a token"}`)
	})
	if err := remember(func(r *remembered) {
		r.put(worldNotes{URL: "http://home:1", ID: "w_1", Name: "shop", AdminToken: "secret"})
	}); err != nil {
		t.Fatal(err)
	}
	worlds(t, "clock", "show", "--world", "shop", "--url", url).refuses(t, exitServer, "this needs a token; the context file has one, for http://home:1 and no other")
	got := worlds(t, "clock", "show", "--world", "other", "--url", url)
	if strings.Contains(got.stderr, "context file") {
		t.Error(got.stderr)
	}
}

// TestBrokenOff: a document that did not come whole is not printed, and takes no
// file's place.
func TestBrokenOff(t *testing.T) {
	clean(t)
	const dump = `{"a":1}`
	sum := sha256.Sum256([]byte(dump))
	answers := map[string]http.HandlerFunc{
		"cut": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, dump)
		},
		"another hash": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Worlds-Dump-SHA256", hex.EncodeToString(sum[:]))
			io.WriteString(w, dump+" ")
		},
		"no hash":    func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, dump) },
		"empty":      func(w http.ResponseWriter, r *http.Request) {},
		"not a line": func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "{}\n") },
		"panics": func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, `{"at":`)
			panic(http.ErrAbortHandler)
		},
	}
	for name, answer := range answers {
		t.Run(name, func(t *testing.T) {
			url := serverOf(t, answer)
			dir := t.TempDir()
			out := filepath.Join(dir, "out")
			os.WriteFile(out, []byte("good"), 0o600)
			for _, verb := range []string{"world dump", "journal export"} {
				args := append(strings.Fields(verb), "--world", "w", "--url", url)
				worlds(t, args...).refuses(t, exitServer)
				worlds(t, append(args, "--out", out)...).refuses(t, exitServer)
			}
			if got, _ := os.ReadFile(out); string(got) != "good" {
				t.Errorf("the file holds %q", got)
			}
			if left, _ := os.ReadDir(dir); len(left) != 1 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// TestInterrupted: Ctrl-C in the middle of a download leaves the old file, and
// nothing beside it.
func TestInterrupted(t *testing.T) {
	clean(t)
	for _, verb := range []string{"world dump", "journal export"} {
		t.Run(verb, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			url := serverOf(t, func(w http.ResponseWriter, r *http.Request) {
				io.WriteString(w, `{"half":`)
				w.(http.Flusher).Flush()
				cancel()
				<-r.Context().Done()
			})
			dir := t.TempDir()
			out := filepath.Join(dir, "out")
			os.WriteFile(out, []byte("good"), 0o600)
			var stdout, stderr bytes.Buffer
			args := append(strings.Fields(verb), "--world", "w", "--url", url, "--out", out)
			code := runContext(ctx, args, strings.NewReader(""), &stdout, &stderr)
			outcome{code, stdout.String(), stderr.String()}.refuses(t, exitNo, "interrupted")
			if got, _ := os.ReadFile(out); string(got) != "good" {
				t.Errorf("the file holds %q", got)
			}
			if left, _ := os.ReadDir(dir); len(left) != 1 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// TestWebhookWarning: what the server doubts is said to people, beside the answer.
func TestWebhookWarning(t *testing.T) {
	clean(t)
	url := serverOf(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, `{"url":"http://h.example/","warning":"it may not arrive"}`)
	})
	got := worlds(t, "webhook", "set", "http://h.example/", "--world", "w", "--url", url)
	if got.code != exitDone || !strings.Contains(got.stdout, "http://h.example/") || got.stderr != "worlds: http://h.example/: it may not arrive\n" {
		t.Errorf("%+v", got)
	}
}
