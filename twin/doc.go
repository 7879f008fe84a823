// Package twin is the kernel both API twins stand on: it turns commands into
// facts and replies, purely.
//
// Nouns: a Catalog is one API as a table (kinds, routes, wire dialect); a
// Command is what was asked, with everything observed from outside; a Machine
// executes commands on a State; a Tx is what a decide function may do; a Doc is
// one stored object as canonical bytes; a Reply is what was answered.
//
// Everything here is deterministic: the same commands on the same genesis give
// the same facts and replies, byte for byte.
//
// # Caveats
//
// A Machine has one owner at a time; nothing here locks. A *T from Get is
// read-only: copy, change, Put. Do not Put while ranging over rows of the same
// table: collect first. Errors of decide functions roll back what the function
// changed, unless the error says that its effects stay.
package twin
