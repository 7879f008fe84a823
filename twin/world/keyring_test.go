package world_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"worlds/twin/world"
)

// A keyring and its forks give each key its place in the order of first use, as a
// list would that every fork copies.
func TestKeyring(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type ring struct {
			real world.Keyring
			list []string // the model: keys in the order of first use
		}
		rings := []*ring{{real: world.NewKeyring()}}
		pick := func() *ring { return rapid.SampledFrom(rings).Draw(t, "ring") }
		raw := rapid.Map(rapid.IntRange(0, 12), func(n int) string { return fmt.Sprintf("raw-%d", n) })
		t.Repeat(map[string]func(*rapid.T){
			"alias": func(t *rapid.T) {
				r, key := pick(), raw.Draw(t, "key")
				fresh := !slices.Contains(r.list, key)
				if fresh {
					r.list = append(r.list, key)
				}
				want := fmt.Sprintf("ik_%d", slices.Index(r.list, key)+1)
				if got, isNew := r.real.Alias(key); got != want || isNew != fresh {
					t.Fatalf("%s is %s (new: %v), want %s (%v) of %v", key, got, isNew, want, fresh, r.list)
				}
			},
			"forget": func(t *rapid.T) { // of a key that was not used after all
				r, key := pick(), raw.Draw(t, "key")
				if _, fresh := r.real.Alias(key); fresh {
					r.real.Forget(key)
				}
			},
			"fork": func(t *rapid.T) {
				r := pick()
				n := rapid.IntRange(0, len(r.list)).Draw(t, "count")
				rings = append(rings, &ring{r.real.Fork(n), slices.Clone(r.list[:n])})
			},
		})
	})
}
