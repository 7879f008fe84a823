// Package invariant holds a journal, and the rows that a world made of it, to what
// must be true of any run. It is a second opinion: it reads entries and facts as
// docs/format.md describes them and stored objects as any reader of a dump would,
// with code of its own, and shares none with the kernel or the twins.
//
// Nouns: an invariant has an ID that never changes (docs/invariants.md lists them
// all); a Violation is one place where one does not hold; a Checker walks one
// history, entry by entry, and folds it for itself; a Picture is the state that
// somebody else made of the same entries.
//
// A run that is held to the invariants at every step calls Next for each entry,
// which looks at what that entry touched, and Rows at the end, which looks at
// everything. Check does both.
//
// # Concurrency
//
// A Checker is for one goroutine. Check may run in any number of them.
//
// # Caveats
//
// A Checker keeps every image of every row, since diffs and marks are held against
// the past. The bytes are its own: an entry may be overwritten once Next returns.
// After a violation the Checker goes on with what the journal says, so one fault can
// show as several.
// Where the law of an API leaves a choice, only what no choice allows is a violation:
// a wrong price is for a model of the API to see, a wrong sum is seen here.
package invariant
