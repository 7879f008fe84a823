package testscripts_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"worlds/admin"
	"worlds/journal/canon"
	"worlds/seed"
	"worlds/testscripts"
	"worlds/twin"
	"worlds/twin/heap"
	"worlds/twin/world"
)

// manySubscriptions is a seed of n monthly subscriptions, each of its own
// customer, renewing at different seconds of one day.
func manySubscriptions(t testing.TB, n int) *seed.Seed {
	t.Helper()
	var customers, subscriptions strings.Builder
	comma := ""
	for i := range n {
		fmt.Fprintf(&customers, `%s{"id":"cus_%06d"}`, comma, i)
		fmt.Fprintf(&subscriptions, `%s{"id":"sub_%06d","customer":"cus_%06d","price":"price_m","created_offset":%d}`, comma, i, i, i%86400)
		comma = ","
	}
	s, err := seed.Parse([]byte(`{"name":"many","version":1,"epoch":1767225600,"data":{"customers":[` + customers.String() + `],
		"products":[{"id":"prod_a","name":"A"}],"prices":[{"id":"price_m","product":"prod_a","unit_amount":2000,"recurring":{"interval":"month"}}],
		"subscriptions":[` + subscriptions.String() + `]}}`))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// advanceMonth advances a world by 31 days, durably, until nothing pends.
func advanceMonth(t testing.TB, w *world.World) (renewals int64) {
	t.Helper()
	seconds := int64(31 * 86400)
	for {
		answer, err := w.Do(context.Background(), world.Request{Command: twin.Command{Actor: "admin", API: "admin", Op: "advance", Args: twin.AdvanceBy(seconds)}})
		if err != nil || answer.Status != 200 {
			t.Fatalf("advance: %v %s", err, answer.Body)
		}
		var done twin.Advanced
		if err := canon.Unmarshal(answer.Body, &done); err != nil {
			t.Fatal(err)
		}
		if renewals += done.Renewed; done.Pending == 0 {
			return renewals
		}
		seconds = 0
	}
}

// BenchmarkRenewals advances a world of so many subscriptions by a month, on a
// server, until it is durable.
func BenchmarkRenewals(b *testing.B) {
	heap.Settle() // as a server does
	for _, subs := range []int{10, 1000, 10000} {
		b.Run(fmt.Sprintf("subs=%d", subs), func(b *testing.B) {
			s, err := testscripts.StartServer(testscripts.ServerOptions{Dir: b.TempDir()})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Stop()
			created, err := s.Admin.Create(manySubscriptions(b, subs), admin.CreateOptions{})
			if err != nil {
				b.Fatal(err)
			}
			w, err := s.Admin.World(created.ID)
			if err != nil {
				b.Fatal(err)
			}
			renewals := int64(0)
			before := spent(b)
			for b.Loop() {
				renewals += advanceMonth(b, w)
			}
			n := float64(renewals)
			after := spent(b)
			b.ReportMetric(n/b.Elapsed().Seconds(), "renewals/s")
			b.ReportMetric(float64((after.cpu-before.cpu).Microseconds())/n, "cpu-µs/renewal")
			b.ReportMetric(float64(after.allocated-before.allocated)/n, "B/renewal")
			b.ReportMetric(float64(after.written-before.written)/n, "disk-B/renewal")
		})
	}
}

// cost is what the process has used so far: it does not depend on who else uses the
// machine, as time does.
type cost struct {
	cpu       time.Duration
	allocated uint64
	written   uint64 // bytes, to files
}

func spent(tb testing.TB) (c cost) {
	tb.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		tb.Fatal(err)
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	c.cpu, c.allocated = time.Duration(used.Utime.Nano()+used.Stime.Nano()), m.TotalAlloc
	if io, err := os.ReadFile("/proc/self/io"); err == nil { // on Linux
		_, text, _ := strings.Cut(string(io), "wchar: ")
		_, _ = fmt.Sscan(text, &c.written)
	}
	return c
}

// neighbourRounds is how often quiet and loud take turns: what the machine does
// besides meets both.
const neighbourRounds = 5

// BenchmarkNeighbours: while one world renews 10,000 subscriptions, the others
// answer. The server is a process of its own, as users have it. It reports medians
// of the rounds: the 99th percentile of changes and of reads, quiet and loud, and
// how many times the one is the other.
func BenchmarkNeighbours(b *testing.B) {
	url := serveProcess(b)
	var neighbours []*admin.CreatedWorld
	for range 4 {
		neighbours = append(neighbours, createWorld(b, url, `"saas-billing-small"`))
	}
	big := createWorld(b, url, string(manySubscriptions(b, 10000).Canonical))
	month := func() { advanceOver(b, url, big, 31) }
	month() // loads the world
	figures := map[string][]float64{}
	for b.Loop() {
		for range neighbourRounds {
			quiet := latencies(b, url, neighbours, func() { time.Sleep(2 * time.Second) })
			loud := latencies(b, url, neighbours, month)
			for kind, name := range [...]string{"change", "read"} {
				figures["quiet-"+name+"-p99-ms"] = append(figures["quiet-"+name+"-p99-ms"], quiet[kind])
				figures["loud-"+name+"-p99-ms"] = append(figures["loud-"+name+"-p99-ms"], loud[kind])
				figures[name+"-times"] = append(figures[name+"-times"], loud[kind]/quiet[kind])
			}
		}
	}
	for name, list := range figures {
		slices.Sort(list)
		b.ReportMetric(list[len(list)/2], name)
	}
}

// serveProcess starts the worlds command on a folder of its own and returns its URL.
func serveProcess(b *testing.B) (url string) {
	b.Helper()
	server := exec.Command(filepath.Join(bin, "worlds"), "serve", "--json", "--data", b.TempDir(), "--listen", "127.0.0.1:0")
	out, err := server.StdoutPipe()
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = server.Process.Signal(syscall.SIGTERM)
		_ = server.Wait()
	})
	var ready struct{ URL string }
	if err := json.NewDecoder(out).Decode(&ready); err != nil {
		b.Fatal(err)
	}
	return ready.URL
}

func createWorld(b *testing.B, url, seed string) (created *admin.CreatedWorld) {
	b.Helper()
	operate(b, url+"/admin/worlds", "", `{"seed":`+seed+`}`, &created)
	return created
}

// advanceOver advances a world by so many days, until nothing pends.
func advanceOver(b *testing.B, url string, w *admin.CreatedWorld, days int) {
	b.Helper()
	var done twin.Advanced
	for body := fmt.Sprintf(`{"days":%d}`, days); body != ""; {
		operate(b, url+"/admin/worlds/"+w.ID+"/clock/advance", w.AdminToken, body, &done)
		if body = ""; done.Pending > 0 {
			body = `{"seconds":0}`
		}
	}
}

// operate makes a request of the admin API.
func operate(b *testing.B, url, token, body string, answer any) {
	b.Helper()
	req, err := http.NewRequest("POST", url, strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(answer); err != nil || res.StatusCode > 201 {
		b.Fatalf("%s: %s %v", url, res.Status, err)
	}
}

// latencies drives the worlds, a client each that changes and reads in turns, while
// during runs, and returns the 99th percentiles of both in milliseconds.
func latencies(b *testing.B, url string, worlds []*admin.CreatedWorld, during func()) (p99 [2]float64) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: len(worlds)}}
	defer client.CloseIdleConnections()
	var over atomic.Bool
	var mu sync.Mutex
	var all [2][]time.Duration
	var running sync.WaitGroup
	for _, w := range worlds {
		running.Go(func() {
			for n := 0; !over.Load(); n++ {
				time.Sleep(2 * time.Millisecond)
				begin := time.Now()
				req, err := http.NewRequest("POST", url+"/v1/customers", strings.NewReader("name=Ann"))
				if n%2 == 1 {
					req, err = http.NewRequest("GET", url+"/v1/products?limit=1", nil)
				}
				if err != nil {
					b.Error(err)
					return
				}
				req.Header = http.Header{"Authorization": {"Bearer " + w.Keys[0].Secret}, "Content-Type": {"application/x-www-form-urlencoded"}}
				res, err := client.Do(req)
				if err != nil {
					b.Error(err)
					return
				}
				_, err = io.Copy(io.Discard, res.Body)
				res.Body.Close()
				if err != nil || res.StatusCode != 200 {
					b.Errorf("%s %v", res.Status, err)
					return
				}
				took := time.Since(begin)
				mu.Lock()
				all[n%2] = append(all[n%2], took)
				mu.Unlock()
			}
		})
	}
	during()
	over.Store(true)
	running.Wait()
	for kind, list := range all {
		if len(list) == 0 {
			b.Fatal("nobody was answered")
		}
		slices.Sort(list)
		p99[kind] = float64(list[len(list)*99/100].Microseconds()) / 1000
	}
	return p99
}
