// Package store keeps the journal of the whole server on disk: the entries of
// every world, which worlds there are, and small immutable blobs.
//
// There are only a few nouns. A [World] is a stream of entries; World 0 is the
// server's own and always there. An [Incarnation] is one life of a world: a
// reset starts the next one. A [Record] is an entry on its way in, a [Ticket]
// the promise of its durability, a [Head] the last entry of a world. On disk
// there is the tail, segment files that take entries as they come, and the
// shelf, a bbolt file that holds them in order; docs/format.md specifies both.
//
// # Caveats
//
// Append fixes the order and returns before anything is written: nobody may
// see an entry's effects before Wait on its ticket has returned nil.
//
// Append trusts the entry's hash and body. It checks that the entry is the
// next of its world; calling it in order for one world is the caller's job.
//
// After a failed write the store is sealed: every Append fails with ErrSealed
// until Reopen. Heads are then those of the last acknowledged entries. A large record
// that could not be written fails alone, with ErrUnwritten: its file is removed.
//
// The number of a dropped world must not be used again.
//
// Open turns every folder it is given into a journal unless there is one: ask
// before whether that is meant. It needs a Unix, for flock.
//
// Verify and Salvage are for the folder of a stopped server.
//
// A [Memory] is the same to its users without files; one suite holds both to it.
package store
