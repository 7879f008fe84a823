// Package journal is the form of a world's history: a chain of entries, each
// of which commits to everything before it.
//
// There are only a few nouns. A [Frame] is one operation: the command, the
// facts it caused and the reply, as canonical JSON that this package does not
// look into. An [Entry] is a frame at its place: a [Seq], the [Hash] of the
// entry before, and its own. A [Verifier] walks entries and proves the chain.
// docs/format.md specifies every byte.
//
// # Caveats
//
// [ParseBody] aliases the body it is given: a frame lives as long as that body
// is left alone. Bodies are immutable by rule.
//
// The side of an entry is outside its hash. What two equal runs may differ in
// (a random idempotency key) goes there and nowhere else.
package journal
