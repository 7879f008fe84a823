// Package heap settles how a process that holds worlds keeps its heap: how much
// garbage lies before it is collected, and in pages of which size it lives.
//
// # Huge pages
//
// A page that is touched for the first time makes the system stop the thread and find
// one; under a hypervisor that is dear, and so is the way from an address to its page.
// Pages of 2 MiB instead of 4 KiB make an advance of a clock a third faster and a
// retrieve a quarter cheaper (docs/bench.md). Where the system gives them on demand
// (/sys/kernel/mm/transparent_hugepage/enabled says madvise, as most do) somebody has
// to ask; the runtime of Go does not. Settle asks for the addresses that the heap will
// grow into: it allocates them, says so to the system, and lets the collector have
// them, which keeps addresses for ever and fills the lowest first. What is not
// touched takes no memory.
//
// # Caveats
//
// A huge page is in memory as a whole once a byte of it is used. Hence the lowest part
// of the heap keeps its small ones, which is all that a server at rest has.
//
// Addresses count where a system promises no more memory than it has, or limits them
// (ulimit -v). Hence no more are asked for than half of what it would give.
//
// Nothing but speed and resident memory depends on this package: where the system has
// no huge pages, or they are set to never, a process runs as it would without.
package heap
