package world

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"worlds/journal"
	"worlds/journal/canon"
	"worlds/projection"
)

// What is read ahead is the journal, in its order, up to what ends it; and nobody
// reads on who is not asked any more.
func TestAhead(t *testing.T) {
	testAhead(t, nil)
	testAhead(t, new(projection.Keeper))
}

func testAhead(t *testing.T, fold *projection.Keeper) {
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
			more := yield(&e, nil)
			if clear(e.Body); !more {
				return
			}
		}
		yield(nil, broken)
	}
	for _, stop := range []int{0, 1, aheadEntries, aheadEntries + 1, n, n + 1} {
		seen := 0
		var failed error
		for e, err := range ahead(entries, fold) {
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

// What reads ahead goes on as long as nobody folds: it may not need the bytes of an
// entry that the journal has taken back. What was kept of facts is good for ever, and
// without a keeper all of an entry is.
func TestAheadKeeps(t *testing.T) {
	const n = aheadBatches*aheadEntries + 9
	facts := func(i int) []canon.Raw {
		put := &projection.Put{Table: "t", ID: "id" + strconv.Itoa(i), Body: canon.Raw(`{"text":"` + strings.Repeat("x", i%7*300) + `"}`)}
		return []canon.Raw{(&projection.Log{Count: int64(i)}).Append(nil), put.Append(nil)}
	}
	side := func(i int) []byte { return []byte("key" + strconv.Itoa(i)) }
	entries := func(yield func(*journal.Entry, error) bool) {
		var room []byte
		for i := range n {
			room = (&journal.Frame{Command: canon.Raw("{}"), Facts: facts(i), Reply: canon.Raw("null")}).AppendBody(room[:0])
			e := journal.Entry{Seq: journal.Seq(i + 1), Body: room, Side: side(i)}
			e.Hash = journal.Link(e.Prev, e.Seq, e.Body)
			more := yield(&e, nil)
			clear(e.Body)
			if clear(e.Side); !more {
				return
			}
		}
	}
	for _, fold := range []*projection.Keeper{nil, new(projection.Keeper)} {
		var kept []journal.Checked
		for e, err := range ahead(entries, fold) {
			i := len(kept)
			want := facts(i)
			if err != nil || !e.Whole() || !bytes.Equal(e.Side, side(i)) || !equalFacts(e.Frame.Facts, want) {
				t.Fatalf("entry %d: %v %+v", i, err, e)
			}
			own := *e
			own.Frame.Facts = slices.Clone(e.Frame.Facts)
			kept = append(kept, own)
		}
		if len(kept) != n {
			t.Fatalf("%d entries of %d", len(kept), n)
		}
		for i, e := range kept {
			switch {
			case !bytes.Equal(e.Frame.Facts[1], facts(i)[1]):
				t.Fatalf("the put of entry %d has become %.60q", i, e.Frame.Facts[1])
			case fold == nil && (!bytes.Equal(e.Frame.Facts[0], facts(i)[0]) || !bytes.Equal(e.Side, side(i))):
				t.Fatalf("entry %d has become %.60q, %q", i, e.Body, e.Side)
			}
		}
	}
}

// Reading ahead what is folded takes memory for what is kept of it, in blocks, and
// nothing for an entry.
func TestAheadBudget(t *testing.T) {
	const n = 20_000
	put := &projection.Put{Table: "t", ID: "id", Body: canon.Raw(`{"text":"` + strings.Repeat("x", 600) + `"}`)}
	e := journal.Entry{Seq: 1, Side: []byte("key"), Body: (&journal.Frame{
		Command: canon.Raw("{}"), Reply: canon.Raw("null"),
		Facts: []canon.Raw{(&projection.Log{Count: 1}).Append(nil), put.Append(nil)},
	}).AppendBody(nil)}
	e.Hash = journal.Link(e.Prev, e.Seq, e.Body)
	entries := func(yield func(*journal.Entry, error) bool) {
		for range n {
			if !yield(&e, nil) {
				return
			}
		}
	}
	got := testing.AllocsPerRun(2, func() {
		for c, err := range ahead(entries, new(projection.Keeper)) {
			if err != nil || !c.Whole() {
				t.Fatal(err)
			}
		}
	})
	if got /= n; got > .1 {
		t.Errorf("%.3f allocations an entry, the budget is 0.1", got)
	}
}
