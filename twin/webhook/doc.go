// Package webhook sends the events of worlds to the endpoints that want them: it
// signs, sends, and takes down in the world what came of it.
//
// Nouns: a Deliverer drains the ledgers of a server's worlds; a Sender makes one
// attempt; Allow says where a server may send; a Batch is what one flush did.
//
// # Concurrency
//
// Everything exported is safe for concurrent use. No lock of a world is held while
// something is on the wire. Of the deliveries of one world to one endpoint one is
// on its way at a time, in the order of the ledger; endpoints do not wait for each
// other.
//
// # Caveats
//
// An attempt is taken down after it was made: a process that dies between the two
// makes it again after its restart, so that deliveries are at least once. Nothing
// is delivered at a start by itself; the first answer of a world, or the first
// flush, goes on with what is pending. A world that is reset while an attempt is on
// its way gets no outcome of it.
package webhook
