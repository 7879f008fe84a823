package sim

import (
	"worlds/journal"
	"worlds/projection"
	"worlds/twin/world"
)

// invariants holds a history, and the rows that a world made of it, to all invariants.
func invariants(g *world.Genesis, entries []*journal.Entry, rows *projection.State) ([]Violation, error) {
	return nil, nil
}
