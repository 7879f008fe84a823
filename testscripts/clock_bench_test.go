package testscripts_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
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

// gcPercent is that of a server.
const gcPercent = 400

// BenchmarkRenewals advances a world of so many subscriptions by a month, on a
// server, until it is durable.
func BenchmarkRenewals(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
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

// BenchmarkNeighbours: while one world renews 10,000 subscriptions, the others
// answer. It reports the 99th percentile of their requests, quiet and then.
func BenchmarkNeighbours(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	s, err := testscripts.StartServer(testscripts.ServerOptions{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Stop()
	small, err := seed.Lookup("saas-billing-small")
	if err != nil {
		b.Fatal(err)
	}
	var neighbours []*admin.CreatedWorld
	for range 4 {
		n, err := s.Admin.Create(small, admin.CreateOptions{})
		if err != nil {
			b.Fatal(err)
		}
		neighbours = append(neighbours, n)
	}
	created, err := s.Admin.Create(manySubscriptions(b, 10000), admin.CreateOptions{})
	if err != nil {
		b.Fatal(err)
	}
	big, err := s.Admin.World(created.ID)
	if err != nil {
		b.Fatal(err)
	}
	advanceMonth(b, big) // loads the world
	for b.Loop() {
		quiet := latencies(b, s, neighbours, func() { time.Sleep(3 * time.Second) })
		loud := latencies(b, s, neighbours, func() { advanceMonth(b, big) })
		b.ReportMetric(quiet, "quiet-p99-ms")
		b.ReportMetric(loud, "loud-p99-ms")
	}
}

// latencies drives the worlds, a client each, while during runs, and returns the
// 99th percentile in milliseconds.
func latencies(b *testing.B, s *testscripts.Server, worlds []*admin.CreatedWorld, during func()) float64 {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: len(worlds)}}
	defer client.CloseIdleConnections()
	var over atomic.Bool
	var mu sync.Mutex
	var all []time.Duration
	var running sync.WaitGroup
	for _, w := range worlds {
		running.Go(func() {
			for !over.Load() {
				time.Sleep(2 * time.Millisecond)
				begin := time.Now()
				req, err := http.NewRequest("POST", s.URL+"/v1/customers", strings.NewReader("name=Ann"))
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
				res.Body.Close()
				took := time.Since(begin)
				mu.Lock()
				all = append(all, took)
				mu.Unlock()
			}
		})
	}
	during()
	over.Store(true)
	running.Wait()
	slices.Sort(all)
	return float64(all[len(all)*99/100].Microseconds()) / 1000
}
