// Package projection folds facts into state. It knows tables, rows, events and
// counters; it knows no API.
//
// Nouns: a Fact is one change, carried whole (a full after-image, never a
// delta); State is what a list of facts folds to; a Row is one object in one
// table; an Event is one line of the world's event log; a Diff is what two
// states disagree about; a Dump is the canonical text of a state.
//
// # Concurrency
//
// A State has one owner at a time. Copy is cheap (it shares structure) and gives
// an independent State; the copy may be read on another goroutine while the
// original goes on changing.
//
// # Caveats
//
// Bodies, terms and ids handed to a State are kept, not copied: whoever folds
// bytes must never change them afterwards. Rows handed out are read-only.
// The order of rows in a table is the order of their first Put and survives
// replacement; a deleted id that is put again goes to the end.
package projection
