// Package projection folds facts into state. It knows tables, rows, events and
// counters; it knows no API.
//
// Nouns: a Fact is one change, carried whole (a full after-image, never a
// delta); State is what a list of facts folds to; a Row is one object in one
// table; an Event is one line of the world's event log; a Diff is what two
// states disagree about; a Dump is the canonical text of a state.
//
// # How it is kept
//
// Everything that grows with a world is a trie of 64-way nodes: ordered by
// number (rows by creation order, events, the rows of a term), and index by the
// hash of a name (rows by id, the terms of a table, events by id where somebody asks). Copies of a
// State share nodes until one of them changes, so a copy costs nothing, and
// Compare looks only at what two copies do not share. Fold copies the facts that it
// keeps, and nothing else of an entry, side by side into blocks, and makes one
// allocation for each row, event and record. A Keeper does the copying beforehand, on
// another goroutine than the one that folds.
//
// # Concurrency
//
// A State has one owner at a time. Copy gives an independent State: it may be
// read, or changed by its own owner, on another goroutine while the original
// goes on changing. A State that nobody changes may be read by many goroutines
// at once, and, once it has been copied the first time, copied by many.
//
// # Caveats
//
// Bodies, terms and ids of facts handed to Apply are kept, not copied: whoever made
// them must never change them afterwards. A row that was folded keeps alive the block
// that its fact stands in, which is 32 KiB at most. Rows, events and lists handed out are
// read-only.
// The order of rows in a table is the order of their first Put and survives
// replacement; a deleted id that is put again goes to the end. A Diff compares
// bodies by id and does not show such a move.
// Fold trusts its bytes to be canonical; ParseFact is the check for facts that
// come from elsewhere.
// A Savepoint holds until its transaction is committed or rolled back to an
// earlier one.
package projection
