package store_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"worlds/journal/store"
)

// A process is killed at each point of an entry's life, and at any time. What
// it acknowledged is there; what it did not is there whole or not at all; no
// number is missing; another process goes on with the same folder.
func TestKilled(t *testing.T) {
	points := []struct {
		point  store.Point
		counts []int
	}{
		{store.PointWrite, []int{1, 2, 300}},
		{store.PointWritten, []int{1, 2, 300}},
		{store.PointSynced, []int{1, 2, 300}},
		{store.PointSegment, []int{1, 2, 8}},
		{store.PointShelve, []int{1, 2, 6}},
		{store.PointShelved, []int{1, 2, 6}},
		{store.PointClear, []int{1, 3, 6}},
		{store.PointCleared, []int{1, 3, 6}},
		{store.PointCompact, []int{1, 3}},
		{store.PointCompact2, []int{1, 3}},
	}
	for _, level := range []string{"sync", "relaxed"} {
		for _, p := range points {
			t.Run(fmt.Sprintf("%s/%s", level, p.point), func(t *testing.T) {
				t.Parallel()
				if level == "relaxed" && p.point == store.PointSynced {
					p.counts = []int{1} // passed at the start of a run alone
				}
				dir := t.TempDir()
				k := newKilled()
				for _, count := range p.counts {
					runChild(t, dir, level, p.point, count, 0, k)
					k.check(t, dir)
				}
			})
		}
		t.Run(level+"/anytime", func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			k := newKilled()
			r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
			for range 8 {
				runChild(t, dir, level, "", 0, time.Duration(r.IntN(300))*time.Millisecond, k)
				k.check(t, dir)
			}
		})
	}
}

func newKilled() *killed {
	return &killed{heads: map[store.World]store.Head{}, gone: map[store.World]bool{}, tried: map[store.World]bool{}}
}

// check compares the folder with what was acknowledged.
func (k *killed) check(t *testing.T, dir string) {
	t.Helper()
	if len(k.heads) > 0 { // else it may have been killed before there was a journal
		report, err := store.Verify(dir)
		if err != nil || len(report.Damage) > 0 {
			t.Fatal(err, report.Damage)
		}
		secondReaderAgrees(t, dir)
	}
	s, err := store.Open(dir, small)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for w, acked := range k.heads {
		h, ok := s.Head(w)
		if !ok && k.tried[w] {
			continue // its drop was under way
		}
		if !ok || h.Inc < acked.Inc || h.Inc == acked.Inc && h.Seq < acked.Seq {
			t.Errorf("world %d: acknowledged %d/%d, found %d/%d %v", w, acked.Inc, acked.Seq, h.Inc, h.Seq, ok)
		}
		if h.Inc > acked.Inc && !k.tried[w] {
			t.Errorf("world %d: incarnation %d, never asked for", w, h.Inc)
		}
	}
	for _, w := range s.Worlds() {
		if k.gone[w] {
			t.Errorf("world %d: dropped, and there", w)
		}
		if _, ok := k.heads[w]; !ok && w != 0 && !k.tried[w] {
			t.Errorf("world %d: never asked for", w)
		}
	}
	check(t, s)
	// What was under way is decided now.
	k.tried = map[store.World]bool{}
	for _, w := range s.Worlds() {
		k.heads[w], _ = s.Head(w)
	}
	for w := range k.heads {
		if _, ok := s.Head(w); !ok {
			delete(k.heads, w)
			k.gone[w] = true
		}
	}
}
