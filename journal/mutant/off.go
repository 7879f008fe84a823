//go:build !mutant

package mutant

// Is reports whether the mutant is on, which it never is without the build tag.
func Is(string) bool { return false }
