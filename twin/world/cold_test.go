package world_test

import (
	"testing"

	"worlds/journal/store"
)

// BenchmarkColdFork is the first answer of a fork that no memory has the state of:
// one read of its parent's entries.
func BenchmarkColdFork(b *testing.B) {
	r := newRig(b, "saas-billing-small", func(r *rig) { r.store.Durability = store.Relaxed })
	r.lengthen(long)
	f := r.fork(long, 2)
	for b.Loop() {
		b.StopTimer()
		r.restart()
		f = r.reattach(f)
		b.StartTimer()
		f.do("GET", "/v1/customers/cus_seed0001", "", "")
	}
}
