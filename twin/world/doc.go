// Package world runs worlds: it takes the lock, lets the kernel decide, chains
// the entry, waits until it is durable and only then answers.
//
// Nouns: a Host is the worlds of one server over one journal; a World is one
// append-only journal with one writer; a Genesis is the state a world of one seed
// begins with, shared by all of them; a Point is a place an operation passes; a
// Report is what a replay found; a View is a world at one position; a Base is where
// a fork left its parent, a Branch one that can begin; Links prove a history across
// forks. Import, Backup, Restore and Salvage carry journals in and out.
//
// # Concurrency
//
// Everything exported is safe for concurrent use. A World's lock is a channel of
// capacity one; it is never held over network I/O, nor over a wait for the disk but
// that of a large entry, and nothing parks inside a transaction of the store. Worlds
// share nothing but the Host, its journal and the processors: of long operations only so
// many are decided at a time, on threads that give way to all others, and on a small
// machine the process uses more processors meanwhile.
//
// # Caveats
//
// An answer is given after its entry is durable; an operation whose entry could
// not be written is answered with an error and is not there after a restart. When
// the journal is sealed, reads go on from memory without an entry and writes are
// refused until the journal opens again.
//
// A world's memory is a reading of its journal and can be given up at any time
// (Host.Unload): the next to use the world waits while it is read again, which for a
// long history takes a while.
//
// A fork reads its parent's entries for as long as it lives: whoever resets or
// deletes a world must know of its forks (End), and keeps its entries for them.
package world
