package testscripts_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"worlds/admin"
	"worlds/journal/canon"
	"worlds/seed"
	"worlds/testscripts"
	"worlds/twin/stripe/oracle"
	"worlds/twin/world"
)

// hundredScript is one run of an agent: method, path, form. $n stands for the id
// in the answer to step n; a step that begins with = sends the step before again,
// with the same idempotency key.
var hundredScript = []string{
	"GET /v1/customers?email=dana@doublepay.example",
	"GET /v1/invoice_payments?invoice=in_seed0103",
	"POST /v1/customers name=Ann&email=ann@example.com",
	"=",
	"POST /v1/payment_methods/pm_card_visa/attach customer=$2",
	"POST /v1/customers/$2 invoice_settings[default_payment_method]=$4",
	"POST /v1/customers name=",
	"POST /v1/refunds charge=ch_nope",
	"POST /v1/products name=Seat&default_price_data[currency]=usd&default_price_data[unit_amount]=700",
	"POST /v1/prices product=$8&currency=usd&unit_amount=900&recurring[interval]=month",
	"POST /v1/subscriptions customer=$2&items[0][price]=$9",
	"GET /v1/subscriptions/$10?expand[]=latest_invoice",
	"POST /v1/subscriptions/$10 cancel_at_period_end=true",
	"POST /v1/invoices customer=$2",
	"POST /v1/invoices/$13/finalize",
	"POST /v1/invoices/in_seed0103/pay",
	"GET /v1/charges?limit=3",
	"GET /v1/nothing",
	"POST /v1/customers/$2 metadata[a]=1",
	"=",
	"DELETE /v1/subscriptions/$10",
	"DELETE /v1/customers/$2",
	"GET /v1/events?limit=100",
}

// A hundred worlds of one seed, driven at once by one script, in any interleaving
// unloaded now and then, and with random idempotency keys, end in one dump and one head; a reset and the
// script again, ids included, end in them too, and so does a server that has only
// one world.
func TestHundredWorlds(t *testing.T) {
	const worlds = 100
	doc, err := seed.Lookup("saas-billing-small")
	if err != nil {
		t.Fatal(err)
	}
	ends := map[string]int{}
	run := func(worlds, rounds int) {
		s, err := testscripts.StartServer(testscripts.ServerOptions{
			Dir: t.TempDir(), Wrap: func(h http.Handler) http.Handler { return oracle.Wrap(t, h) },
		})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Stop()
		defer unloading(s.Host)()
		driven := make([]*admin.CreatedWorld, worlds)
		for i := range driven {
			if driven[i], err = s.Admin.Create(doc, admin.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		for round := range rounds {
			for end, n := range drive(t, s, driven) {
				ends[end] += n
			}
			for _, w := range driven {
				if round < rounds-1 {
					reset(t, s, w)
				}
			}
		}
	}
	run(worlds, 2)
	run(1, 1)
	if len(ends) != 1 {
		t.Errorf("%d different ends: %v", len(ends), ends)
	}
}

// unloading takes worlds out of memory all the time, until stop is called.
func unloading(h *world.Host) (stop func()) {
	ended, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-ended:
				return
			case <-time.After(time.Millisecond):
				h.Unload()
			}
		}
	}()
	return func() { close(ended); <-done }
}

// drive runs the script on every world at once and counts the ends.
func drive(t *testing.T, s *testscripts.Server, worlds []*admin.CreatedWorld) map[string]int {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: len(worlds)}}
	defer client.CloseIdleConnections()
	var mu sync.Mutex
	ends := map[string]int{}
	var running sync.WaitGroup
	for _, w := range worlds {
		running.Go(func() {
			ids, key, last := make([]string, len(hundredScript)), "", ""
			for n, line := range hundredScript {
				time.Sleep(rand.N(2 * time.Millisecond))
				if line == "=" {
					line = last
				} else {
					key = fmt.Sprintf("stripe-node-retry-%016x", rand.Uint64())
				}
				last = line
				for i := n - 1; i >= 0; i-- { // $10 before $1
					line = strings.ReplaceAll(line, fmt.Sprintf("$%d", i), ids[i])
				}
				ids[n] = step(t, client, s.URL, w.Keys[0].Secret, key, line)
			}
			end := endOf(t, s, w)
			mu.Lock()
			defer mu.Unlock()
			ends[end]++
		})
	}
	running.Wait()
	return ends
}

// step sends one line of the script and returns the id in the answer.
func step(t *testing.T, client *http.Client, url, secret, key, line string) string {
	words := append(strings.SplitN(line, " ", 3), "")
	req, err := http.NewRequest(words[0], url+words[1], strings.NewReader(words[2]))
	if err != nil {
		t.Error(err)
		return ""
	}
	req.Header = http.Header{"Authorization": {"Bearer " + secret}, "Content-Type": {"application/x-www-form-urlencoded"}}
	if words[0] != http.MethodGet {
		req.Header.Set("Idempotency-Key", key)
	}
	res, err := client.Do(req)
	if err != nil {
		t.Error(err)
		return ""
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	refused := strings.Contains(line, "nope") || strings.Contains(line, "nothing") || strings.HasSuffix(line, "/pay")
	if err != nil || (res.StatusCode != http.StatusOK) != refused {
		t.Errorf("%s: %d %v %s", line, res.StatusCode, err, text)
		return ""
	}
	id, _ := canon.Get(mustCanonical(t, text), "id")
	out, _ := canon.Unquote(id)
	return out
}

// endOf is dump hash, head hash and sequence of a world.
func endOf(t *testing.T, s *testscripts.Server, w *admin.CreatedWorld) string {
	t.Helper()
	found, err := s.Admin.World(w.ID)
	if err != nil {
		t.Fatal(err)
	}
	v, err := found.View(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s %s %d", world.DumpHash(v.State), v.Hash, v.Seq)
}

func reset(t *testing.T, s *testscripts.Server, w *admin.CreatedWorld) {
	t.Helper()
	req, err := http.NewRequest("POST", s.URL+"/admin/worlds/"+w.ID+"/reset", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+w.AdminToken)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Fatalf("reset: %d", res.StatusCode)
	}
}
