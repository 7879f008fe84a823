//go:build planted_maporder

package world_test

import (
	"worlds/journal/canon"
	"worlds/twin"
)

// plant lets map order into what an event keeps: the word that names its cause is
// whichever the map yields last.
func plant(c *twin.Catalog) {
	words := map[string]bool{}
	for _, w := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		words[w] = true
	}
	meta := c.Meta
	c.Meta = func(tx *twin.Tx, previous canon.Raw) canon.Raw {
		order := ""
		for w := range words {
			order += w
		}
		sound := meta(tx, previous)
		return append(canon.AppendString([]byte(`{"a_order":`), order), append([]byte{','}, sound[1:]...)...)
	}
}
