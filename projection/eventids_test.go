package projection_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"worlds/projection"
)

// Events are found by their ids whenever somebody asks first: before some of them,
// within a transaction that is taken back, of a copy, or never. The last event of an
// id is found.
func TestEventByIDAskedSeldom(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		type world struct {
			s      *projection.State
			events []string
		}
		worlds := []*world{{s: projection.New()}}
		emit := func(w *world) {
			id := fmt.Sprint("evt_", r.IntN(30))
			w.events = append(w.events, id)
			w.s.Apply(&projection.Event{ID: id, Ref: projection.NoRef}, 1)
		}
		ask := func(w *world) {
			id := fmt.Sprint("evt_", r.IntN(30))
			want := uint64(0)
			for i := range slices.Backward(w.events) {
				if w.events[i] == id {
					want = uint64(i) + 1
					break
				}
			}
			switch e := w.s.EventByID(id); {
			case e == nil && want != 0, e != nil && (e.Number != want || e.ID != id):
				t.Fatalf("seed %d: %s is event %d of %q, not %+v", seed, id, want, w.events, e)
			}
		}
		for range 60 {
			w := worlds[r.IntN(len(worlds))]
			switch r.IntN(12) {
			case 0:
				ask(w)
			case 4:
				if r.IntN(5) == 0 {
					w.s.IndexEvents()
				}
			case 1:
				worlds = append(worlds, &world{w.s.Copy(), slices.Clone(w.events)})
			case 2, 3:
				before := slices.Clone(w.events)
				w.s.Begin()
				for range r.IntN(4) {
					switch emit(w); r.IntN(12) {
					case 0:
						w.s.IndexEvents()
					case 1, 2, 3:
						ask(w)
					}
				}
				w.s.Rollback(0)
				w.s.Commit()
				w.events = before
			default:
				emit(w)
			}
		}
		for _, w := range worlds {
			for range 40 {
				ask(w)
			}
		}
	}
}

// Many may ask copies for the first time at once, while the original goes on.
func TestEventByIDAskedAtOnce(t *testing.T) {
	s := projection.New()
	for i := range 200 {
		s.Apply(&projection.Event{ID: fmt.Sprint("evt_", i), Ref: projection.NoRef}, 1)
	}
	var done sync.WaitGroup
	for i := range 8 {
		c := s.Copy()
		for range 2 {
			done.Go(func() {
				for n := range 200 + i {
					if e := c.EventByID(fmt.Sprint("evt_", n)); e == nil || e.Number != uint64(n)+1 {
						t.Errorf("copy %d: event %d is %+v", i, n, e)
						return
					}
				}
				if e := c.EventByID(fmt.Sprint("evt_", 200+i)); e != nil {
					t.Errorf("copy %d has %+v", i, e)
				}
			})
		}
		s.Apply(&projection.Event{ID: fmt.Sprint("evt_", 200+i), Ref: projection.NoRef}, 1)
	}
	done.Wait()
}
