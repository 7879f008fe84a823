package sim_test

import (
	"context"
	"flag"
	"testing"

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
