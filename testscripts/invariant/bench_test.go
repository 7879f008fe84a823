package invariant_test

import (
	"testing"

	"worlds/testscripts/invariant"
)

// BenchmarkNext is what an entry of the story costs a Checker.
func BenchmarkNext(b *testing.B) {
	h := story(b)
	entries, size := 0, 0
	for b.Loop() {
		b.StopTimer()
		c := invariant.New(&h.genesis)
		b.StartTimer()
		for _, e := range h.entries {
			c.Next(e)
			size += len(e.Body)
		}
		entries += len(h.entries)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(entries), "ns/entry")
	b.ReportMetric(float64(size)/float64(entries), "B/entry")
}
