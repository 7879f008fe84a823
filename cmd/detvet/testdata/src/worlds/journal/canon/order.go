package canon

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

func intoOutput(m map[string]int) (out []string) {
	for k := range m { // want `range over a map in pure package worlds/journal/canon: range over slices.Sorted`
		out = append(out, k)
	}
	return out
}

type index map[string]int

func named(m index, f func(int)) {
	for _, v := range m { // want `range over a map`
		f(v)
	}
}

func generic[M ~map[K]V, K comparable, V any](m M, f func(V)) {
	for _, v := range m { // want `range over a map`
		f(v)
	}
}

func iterators(m map[string]int, f func(string)) {
	for k := range maps.Keys(m) { // want `maps.Keys in pure package`
		f(k)
	}
	values := slices.Collect(maps.Values(m)) // want `maps.Values in pure package`
	_ = values
	_ = slices.SortedFunc(maps.Values(m), func(a, b int) int { return 0 }) // want `maps.Values in pure package`
}

func reflected(v reflect.Value) []reflect.Value {
	return v.MapKeys() // want `reflect.Value.MapKeys in pure package .*sort the keys`
}

func harmless(m map[string]int) (n int, out []string) {
	for range m {
		n++
	}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, k)
	}
	out = slices.SortedFunc(maps.Keys(m), strings.Compare)
	//worlds:sorted addition does not care
	for _, v := range m {
		n += v
	}
	for _, v := range m { //worlds:sorted nor does this one
		n += v
	}
	return n, out
}

func bare(m map[string]int) (n int) {
	for _, v := range m { //worlds:sorted // want `marker //worlds:sorted without a reason`
		n += v
	}
	return n
}

//worlds:sorted nothing is walked here // want `excuses nothing here`
func stale() {}

//worlds:shuffled whatever // want `unknown marker //worlds:shuffled`
func misspelt() {}

//worlds:boundary pure code has none // want `excuses nothing here`
func misplaced() {}
