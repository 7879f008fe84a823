package dst

import "hash/fnv"

// Rand is a stream of numbers that a seed determines, the same on every machine and
// with every release of Go: SplitMix64.
type Rand struct{ state uint64 }

// NewRand returns the stream of a seed.
func NewRand(seed uint64) *Rand { return &Rand{state: seed} }

// The constants of SplitMix64.
const (
	splitStep = 0x9e3779b97f4a7c15
	splitMixA = 0xbf58476d1ce4e5b9
	splitMixB = 0x94d049bb133111eb
)

// Uint64 is the next number.
func (r *Rand) Uint64() uint64 {
	r.state += splitStep
	return mix(r.state)
}

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * splitMixA
	z = (z ^ z>>27) * splitMixB
	return z ^ z>>31
}

// N is a number from 0 to n-1; n is at least 1.
func (r *Rand) N(n int) int { return int(r.Uint64() % uint64(n)) }

// Of is true so many times in a thousand.
func (r *Rand) Of(perMille int) bool { return r.N(1000) < perMille }

// Fork is the stream of a part of the simulation: what one part draws moves no other.
func (r *Rand) Fork(part string) *Rand { return NewRand(hashOf(r.state, part)) }

// Perm is a permutation of 0 to n-1.
func (r *Rand) Perm(n int) []int {
	p := make([]int, n)
	for i := range p {
		j := r.N(i + 1)
		p[i], p[j] = p[j], i
	}
	return p
}

// pick is one of a list that is not empty.
func pick[T any](r *Rand, list []T) T { return list[r.N(len(list))] }

// hashOf is a number that a seed and some texts determine.
func hashOf(seed uint64, parts ...string) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		_, _ = h.Write([]byte(p))
		_, _ = h.Write([]byte{0})
	}
	return mix(seed ^ h.Sum64())
}
