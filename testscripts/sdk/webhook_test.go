package sdk_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stripe/stripe-go/v85"
	stripewebhook "github.com/stripe/stripe-go/v85/webhook"

	"worlds/admin"
	"worlds/seed"
	"worlds/testscripts"
)

// site is a world with a listener.
type site struct {
	t       *testing.T
	server  *testscripts.Server
	world   *admin.CreatedWorld
	listens *testscripts.Listener
}

func newSite(t *testing.T) *site {
	t.Helper()
	server, err := testscripts.StartServer(testscripts.ServerOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop() })
	listener, err := testscripts.StartListener()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(listener.Close)
	doc, err := seed.Lookup("saas-billing-small")
	if err != nil {
		t.Fatal(err)
	}
	auto := false
	created, err := server.Admin.Create(doc, admin.CreateOptions{Endpoint: &admin.EndpointRequest{URL: listener.URL, AutoDeliver: &auto}})
	if err != nil {
		t.Fatal(err)
	}
	return &site{t, server, created, listener}
}

// admin calls the admin API on the world.
func (s *site) admin(method, path, body string) []byte {
	s.t.Helper()
	req, err := http.NewRequest(method, s.world.URLs.Admin+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.world.AdminToken)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode >= 300 {
		s.t.Fatalf("%s %s: %d %s %v", method, path, res.StatusCode, text, err)
	}
	return text
}

// client is stripe-go as it comes out of the box, retries and all.
func (s *site) client() *stripe.Client { return s.clientIn("") }

// clientIn is client in another API version than its own, if not "".
func (s *site) clientIn(version string) *stripe.Client {
	return stripe.NewClient(s.world.Keys[0].Secret, stripe.WithBackends(stripe.NewBackendsWithConfig(&stripe.BackendConfig{
		HTTPClient:      &http.Client{Transport: &speaks{version: version}},
		URL:             stripe.String(s.server.URL),
		EnableTelemetry: stripe.Bool(false),
		LeveledLogger:   &stripe.LeveledLogger{Level: stripe.LevelNull},
	})))
}

// TestVerifiers: three stock SDKs accept deliveries with their default tolerance,
// and refuse one byte more.
func TestVerifiers(t *testing.T) {
	s := newSite(t)
	long := strings.Repeat("Zoë 😀 <b>&\u2028\"\\ ", 200)
	metadata := map[string]string{}
	for i := range 8 {
		metadata[fmt.Sprintf("part_%d", i)] = string([]rune(long)[i*300 : i*300+300])
	}
	_, err := s.client().V1Customers.Create(context.Background(), &stripe.CustomerCreateParams{
		Name: stripe.String("Zoë 😀 <b>&\u2028"), Metadata: metadata,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.listens.Answer("500", "200"); err != nil {
		t.Fatal(err)
	}
	s.admin("POST", "/webhooks/flush", "")
	s.admin("POST", "/clock/advance", `{"days":40}`)
	s.admin("POST", "/webhooks/flush", "")
	got := s.listens.Received()
	if len(got) < 20 || got[0].ID != got[1].ID || !bytes.Equal(got[0].Body, got[1].Body) || len(got[0].Body) < 3<<10 {
		t.Fatalf("%d deliveries, the first of %d bytes", len(got), len(got[0].Body))
	}
	folder, want := t.TempDir(), ""
	for i, d := range got {
		want += d.Type + "\n"
		for name, data := range map[string][]byte{"body": d.Body, "sig": []byte(d.Signature)} {
			if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%d.%s", i+1, name)), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	secret := s.world.Endpoint.Secret
	t.Run("stripe-go", func(t *testing.T) {
		types := ""
		for _, d := range got {
			e, err := stripewebhook.ConstructEvent(d.Body, d.Signature, secret)
			if err != nil {
				t.Fatal(err)
			}
			types += string(e.Type) + "\n"
		}
		if types != want {
			t.Errorf("it read %s", types)
		}
		if _, err := stripewebhook.ConstructEvent(append(got[0].Body, ' '), got[0].Signature, secret); err == nil {
			t.Error("it accepts a byte more")
		}
	})
	for _, row := range []struct {
		script  int // of scripts: whether it is there
		command []string
	}{
		{0, []string{"node", "node/verify.js"}},
		{2, []string{python, "python/verify.py"}},
	} {
		t.Run(scripts[row.script].name, func(t *testing.T) {
			mustHave(t, scripts[row.script].name, scripts[row.script].present())
			out, err := exec.Command(row.command[0], append(row.command[1:], folder, secret)...).CombinedOutput()
			if err != nil || string(out) != want {
				t.Errorf("%v: it read %.2000s", err, out)
			}
		})
	}
}

// storms are faults, and how often each SDK tries before it gives up.
var storms = []struct {
	name, effect string
	node, goes   int
}{
	{"conflict", `{"answer":{"status":409}}`, 3, 1},
	{"server error", `{"answer":{"status":500}}`, 3, 1},
	{"unavailable", `{"answer":{"status":503}}`, 3, 1},
	{"server error, not to be retried", `{"answer":{"status":500,"should_retry":false}}`, 1, 1},
	{"conflict, not to be retried", `{"answer":{"status":409,"should_retry":false}}`, 1, 1},
	{"declined", `{"answer":{"status":402}}`, 1, 1},
	{"expired", `{"answer":{"status":401}}`, 1, 1},
	{"rate limit", `{"answer":{"status":429}}`, 1, 1},
	{"lock timeout", `{"answer":{"status":429,"code":"lock_timeout"}}`, 1, 3},
	{"lock timeout, to be retried", `{"answer":{"status":429,"code":"lock_timeout","should_retry":true}}`, 3, 3},
	{"cut connection", `{"close":100}`, 3, 4},
}

// attempts adds a rule, makes one customer and returns how often that was tried.
func (s *site) attempts(effect string, create func()) int {
	s.t.Helper()
	s.admin("POST", "/scenarios", `{"id":"storm","match":{"api":"stripe","method":"POST","path":"/v1/customers"},"effect":`+effect+`}`)
	var before, after struct {
		Requests []struct {
			Seq    int
			Method string
		}
	}
	read := func(after string, into any) {
		if err := json.Unmarshal(s.admin("GET", "/requests?limit=1000"+after, ""), into); err != nil {
			s.t.Fatal(err)
		}
	}
	read("", &before)
	create()
	last := 0
	if n := len(before.Requests); n > 0 {
		last = before.Requests[n-1].Seq
	}
	read(fmt.Sprintf("&after=%d", last), &after)
	tries := 0
	for _, r := range after.Requests {
		if r.Method == "POST" {
			tries++
		}
	}
	s.admin("DELETE", "/scenarios/storm", "")
	return tries
}

// TestStorms counts what stock SDKs make of failures, which is the same in every
// shape of the API.
func TestStorms(t *testing.T) {
	for _, version := range []string{"", "2025-06-30.basil", "2024-06-20"} {
		t.Run("stripe-go "+version, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			client := s.clientIn(version)
			for _, row := range storms {
				got := s.attempts(row.effect, func() {
					for range client.V1Customers.List(context.Background(), &stripe.CustomerListParams{}).All(context.Background()) {
						break
					}
					_, _ = client.V1Customers.Create(context.Background(), &stripe.CustomerCreateParams{Email: stripe.String("storm@sdk.example")})
				})
				if got != row.goes {
					t.Errorf("%s: %d attempts, not %d", row.name, got, row.goes)
				}
			}
		})
		t.Run("stripe-node "+version, func(t *testing.T) {
			t.Parallel()
			mustHave(t, scripts[0].name, scripts[0].present())
			s := newSite(t)
			for _, row := range storms {
				got := s.attempts(row.effect, func() {
					cmd := exec.Command("node", "node/storm.js")
					cmd.Env = append(os.Environ(), "WORLDS_URL="+s.server.URL, "STRIPE_KEY="+s.world.Keys[0].Secret, "STRIPE_VERSION="+version)
					if out, err := cmd.CombinedOutput(); err != nil {
						t.Errorf("%s: %v %s", row.name, err, out)
					}
				})
				if got != row.node {
					t.Errorf("%s: %d attempts, not %d", row.name, got, row.node)
				}
			}
		})
	}
}
