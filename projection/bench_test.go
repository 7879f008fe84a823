package projection_test

import (
	"fmt"
	"io"
	"iter"
	"runtime"
	"syscall"
	"testing"

	"worlds/journal/canon"
	"worlds/projection"
)

// customerBytes is about the size of a customer's body.
const customerBytes = 700

// scattered is n in an order that no index likes, as minted ids are.
func scattered(n int) uint64 { return (uint64(n) + 1) * 0x9E3779B97F4A7C15 }

func customerBody(n int) canon.Raw {
	body := fmt.Appendf(nil, `{"created":%d,"email":"person%d@example.com","id":"%s","object":"customer","padding":"`,
		1_700_000_000+n, n, customerID(n))
	for len(body) < customerBytes-2 {
		body = append(body, "null,\\\"tax_exempt\\\":none "...)
	}
	return append(body, `"}`...)
}

func customerID(n int) string { return fmt.Sprintf("cus_%014x", scattered(n)>>8) }

// customerCreate are the facts of the creation of customer n, as the stripe
// twin makes them for a request with an idempotency key.
func customerCreate(n int) []projection.Fact {
	body := customerBody(n)
	request := fmt.Sprintf("req_%014x", scattered(n)>>8)
	key := fmt.Sprintf("ik_%d", n+1)
	return []projection.Fact{
		&projection.Log{Count: int64(n) + 1},
		&projection.Put{
			Table: "stripe.customer", ID: customerID(n), Body: body,
			Terms: []string{"live=true", fmt.Sprintf("email=person%d@example.com", n)},
		},
		&projection.Event{
			ID: fmt.Sprintf("evt_1%023x", scattered(n)), API: "stripe", Type: "customer.created",
			Created: 1_700_000_000 + int64(n), Ref: 1, Object: body,
			Meta: fmt.Appendf(nil, `{"api_version":"2026-08-26.dahlia","pending_webhooks":0,"request":{"id":"%s","idempotency_key":"%s"}}`,
				request, key),
		},
		&projection.Minted{Count: 2 * int64(n)},
		&projection.Idem{
			Key: key, API: "stripe", Target: "POST /v1/customers", Fingerprint: fmt.Sprintf("%064x", scattered(n)),
			Request: request, Version: "2026-08-26.dahlia", Status: 200, Ref: 1, Reply: body,
		},
	}
}

// encoded are the facts as an entry holds them: cut from one buffer.
func encoded(facts []projection.Fact) []canon.Raw {
	var buf []byte
	ends := make([]int, len(facts))
	for i, f := range facts {
		buf = f.Append(buf)
		ends[i] = len(buf)
	}
	buf = append(make([]byte, 0, len(buf)), buf...)
	out := make([]canon.Raw, len(facts))
	start := 0
	for i, end := range ends {
		out[i] = buf[start:end:end]
		start = end
	}
	return out
}

func customerEntries(n int) [][]canon.Raw {
	entries := make([][]canon.Raw, n)
	for i := range entries {
		entries[i] = encoded(customerCreate(i))
	}
	return entries
}

func folded(tb testing.TB, entries [][]canon.Raw) *projection.State {
	tb.Helper()
	s := projection.New()
	for i, facts := range entries {
		if err := s.Fold(uint64(i)+1, facts); err != nil {
			tb.Fatal(err)
		}
	}
	return s
}

func BenchmarkFold(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			entries := customerEntries(n)
			b.ReportAllocs()
			began := cpuSeconds(b)
			b.ResetTimer()
			for i := 0; i < b.N; {
				s := projection.New()
				for seq := 0; seq < n && i < b.N; seq, i = seq+1, i+1 {
					if err := s.Fold(uint64(seq)+1, entries[seq]); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "entries/s")
			b.ReportMetric(float64(b.N)/(cpuSeconds(b)-began), "entries/cpu-s")
		})
	}
}

// cpuSeconds is what the process has used, collector included: the only figure
// that other work on the machine leaves in peace.
func cpuSeconds(b *testing.B) float64 {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

func BenchmarkParse(b *testing.B) {
	facts := encoded(customerCreate(1))
	b.ReportAllocs()
	for b.Loop() {
		var prior []projection.Fact
		for _, raw := range facts {
			f, err := projection.ParseFact(raw, prior)
			if err != nil {
				b.Fatal(err)
			}
			prior = append(prior, f)
		}
	}
}

// kept keeps the compiler from leaving a copy out.
var kept *projection.State

func BenchmarkState(b *testing.B) {
	for _, n := range []int{1_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := folded(b, customerEntries(n))
			b.Run("Get", func(b *testing.B) { benchGet(b, s, n) })
			b.Run("Newest10", func(b *testing.B) {
				benchPage(b, func(before uint64) iter.Seq[*projection.Row] { return s.Newest("stripe.customer", before) }, n)
			})
			b.Run("NewestWith10", func(b *testing.B) {
				benchPage(b, func(before uint64) iter.Seq[*projection.Row] {
					return s.NewestWith("stripe.customer", "live=true", before)
				}, n)
			})
			b.Run("Copy", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					kept = s.Copy()
				}
			})
			b.Run("WriteAfterCopy", func(b *testing.B) {
				b.ReportAllocs()
				for i := range b.N {
					kept = s.Copy()
					touch(s, i, n, "{}")
				}
			})
			b.Run("Compare10", func(b *testing.B) {
				base := s.Copy()
				for i := range 10 {
					touch(s, i, n, fmt.Sprintf(`{"n":%d}`, b.N))
				}
				b.ReportAllocs()
				b.ResetTimer()
				for range b.N {
					if d := projection.Compare(base, s); len(d.Updated) != 10 {
						b.Fatal(len(d.Updated))
					}
				}
			})
		})
	}
}

func touch(s *projection.State, i, n int, body string) {
	id := customerID(int(scattered(i) % uint64(n)))
	s.Apply(&projection.Put{Table: "stripe.customer", ID: id, Terms: []string{"live=true"}, Body: canon.Raw(body)}, 0)
}

func benchGet(b *testing.B, s *projection.State, n int) {
	ids := make([]string, 4096)
	for i := range ids {
		ids[i] = customerID(int(scattered(i) % uint64(n)))
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		if s.Get("stripe.customer", ids[i%len(ids)]) == nil {
			b.Fatal("lost")
		}
	}
}

func benchPage(b *testing.B, page func(before uint64) iter.Seq[*projection.Row], n int) {
	b.ReportAllocs()
	for i := range b.N {
		left := 10
		for range page(1 + scattered(i)%uint64(n)) {
			if left--; left == 0 {
				break
			}
		}
	}
}

func BenchmarkDump10k(b *testing.B) {
	s := folded(b, customerEntries(10_000))
	var size counter
	if err := s.WriteDump(&size); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		if err := s.WriteDump(io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}

type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// BenchmarkBytesPerCustomer reports the live heap of a State per created
// customer, with and without the bytes of the entries' facts.
func BenchmarkBytesPerCustomer(b *testing.B) {
	const n = 100_000
	for range b.N {
		before := liveBytes()
		entries := customerEntries(n)
		facts := 0
		for _, entry := range entries {
			for _, raw := range entry {
				facts += len(raw)
			}
		}
		s := folded(b, entries)
		clear(entries)
		b.ReportMetric(float64(liveBytes()-before)/n, "B/customer")
		b.ReportMetric(float64(facts)/n, "fact-B/customer")
		runtime.KeepAlive(s)
	}
}

func liveBytes() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
