package sim_test

import (
	"context"
	"flag"
	"fmt"
	"testing"

	"worlds/journal/store"
	"worlds/testscripts/sim"
)

var update = flag.Bool("update", false, "rewrite the golden traces of the book")

// TestBook plays every scenario of the book: each has the reds that are known of it,
// no more and no fewer.
func TestBook(t *testing.T) {
	book, err := sim.LoadBook("book")
	if err != nil {
		t.Fatal(err)
	}
	for _, sc := range book {
		t.Run(sc.ID, func(t *testing.T) {
			t.Parallel()
			r := sim.Play(context.Background(), sc, sim.Options{Update: *update})
			if r.Reds != sc.Reds {
				t.Errorf("%d reds, %d are known\n%s%s", r.Reds, sc.Reds, sim.Render(r, false), r.Log)
			}
		})
	}
}

// TestBookInMemory plays every scenario on a journal on disk and on one in memory:
// the traces are the same, and so are the journals.
func TestBookInMemory(t *testing.T) {
	book, err := sim.LoadBook("book")
	if err != nil {
		t.Fatal(err)
	}
	for _, sc := range book {
		t.Run(sc.ID, func(t *testing.T) {
			t.Parallel()
			disk, memory := told(t, sc, sim.Options{Durability: store.Relaxed}), told(t, sc, sim.Options{Memory: true})
			if disk != memory {
				t.Errorf("on disk:\n%s\nin memory:\n%s", disk, memory)
			}
		})
	}
}

// told is all that a play says, but for how long it took.
func told(t *testing.T, sc *sim.Scenario, opt sim.Options) string {
	t.Helper()
	r := sim.Play(context.Background(), sc, opt)
	if len(r.Worlds) == 0 {
		t.Errorf("there is no world:\n%s", r.Log)
	}
	r.WallMS = 0
	return sim.Render(r, false) + fmt.Sprintf("%+v", r.Worlds)
}
