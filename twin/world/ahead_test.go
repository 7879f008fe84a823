package world

import (
	"errors"
	"testing"

	"worlds/journal"
)

// What is read ahead is the journal, in its order, up to what ends it; and nobody
// reads on who is not asked any more.
func TestAhead(t *testing.T) {
	const n = 3*aheadEntries + 7
	broken := errors.New("broken")
	reading := false
	entries := func(yield func(*journal.Entry, error) bool) {
		reading = true
		defer func() { reading = false }()
		for i := range n {
			e := journal.Entry{Seq: journal.Seq(i + 1), Body: (&journal.Frame{Command: []byte("{}"), Reply: []byte("null")}).AppendBody(nil)}
			if e.Hash = journal.Link(e.Prev, e.Seq, e.Body); i%10 == 9 {
				e.Hash[0]++
			}
			if !yield(&e, nil) {
				return
			}
		}
		yield(nil, broken)
	}
	for _, stop := range []int{0, 1, aheadEntries, aheadEntries + 1, n, n + 1} {
		seen := 0
		var failed error
		for e, err := range ahead(entries) {
			if seen++; seen == stop {
				break
			}
			if failed = err; err == nil && (e.Seq != journal.Seq(seen) || e.Whole() == (seen%10 == 0)) {
				t.Fatalf("the %d-th is entry %d, whole: %v", seen, e.Seq, e.Whole())
			}
		}
		if want := min(stop, n+1); stop > 0 && seen != want || stop == 0 && (seen != n+1 || !errors.Is(failed, broken)) {
			t.Errorf("stopped at %d: %d seen, %v", stop, seen, failed)
		}
		if reading {
			t.Errorf("stopped at %d: it is read on", stop)
		}
	}
}
