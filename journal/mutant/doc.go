// Package mutant names bugs that are planted in the product to see whether the tests
// find them. In an ordinary build Is is a constant and the planted code is gone; with
// the build tag mutant one of them can be turned on at a time.
//
// Nouns: a Mutant is one planted bug; its site is the one place that asks for it; it
// is killed by the check that fails when it is on.
//
//	if mutant.Is("refund-counted-twice") {
//		amount *= 2
//	}
//
// Only tests and tools that are built with the tag turn one on, with Set, or for a
// child process with the environment variable WORLDS_MUTANT. Reached says whether the
// site was passed meanwhile: a mutant that was not reached has not survived anything.
//
// # Caveats
//
// With the tag, one mutant is on in the whole process; tests that set one must not run
// beside others.
package mutant
