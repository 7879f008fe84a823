package stripe

import (
	"slices"

	"worlds/journal/canon"
	"worlds/seed"
)

// byAge orders seeded objects oldest first, those of one age in file order:
// the order in which they would have been created.
func byAge[T any](list []T, offset func(T) int64) []T {
	out := slices.Clone(list)
	slices.SortStableFunc(out, func(a, b T) int {
		switch x, y := offset(a), offset(b); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	return out
}

// misseeded is a seed that says at path what this twin cannot make.
func misseeded(path string, why error) error {
	return &seed.Invalid{Problems: []seed.Problem{{Path: path, Offset: seed.NoOffset, Msg: why.Error()}}}
}

func textOrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// seedMetadata reads a metadata object of a seed, which has been validated.
func seedMetadata(raw canon.Raw) map[string]string {
	out := map[string]string{}
	for k, v := range canon.Members(raw) {
		out[k], _ = canon.Unquote(v)
	}
	return out
}
