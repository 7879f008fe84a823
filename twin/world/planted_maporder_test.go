//go:build planted_maporder

package world_test

import (
	"worlds/journal/canon"
	"worlds/twin"
)

// plant lets map order into what an event keeps. It asks many times: a map of eight
// has only eight orders, and two runs may meet in one.
func plant(c *twin.Catalog) {
	words := map[string]bool{}
	for _, w := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		words[w] = true
	}
	meta := c.Meta
	c.Meta = func(tx *twin.Tx, previous canon.Raw) canon.Raw {
		order := ""
		for range 16 {
			for w := range words {
				order += w
			}
		}
		sound := meta(tx, previous)
		return append(canon.AppendString([]byte(`{"a_order":`), order), append([]byte{','}, sound[1:]...)...)
	}
}
