// Detvet is a go vet tool that holds the module to its determinism rules:
//
//	go build -o bin/detvet ./cmd/detvet
//	go vet -vettool=$PWD/bin/detvet ./...
//
// It knows two kinds of package. A pure package (lists.go names them) is a
// function from inputs to bytes: it may not read a clock, draw a random
// number, touch the machine, start a goroutine, use a channel, walk a map in
// map order, compute with floats, print an address, or change a package
// variable. Every other package is at the boundary: there too, clock reads,
// waits and randomness stay in the few places that lists.go names.
//
// Names are resolved by type, so an alias, a dot import or a method value does
// not hide an offence. Each diagnostic says what to use instead.
//
// # Exceptions
//
// A comment on the offending line, or alone on the line above, excuses it:
//
//	//worlds:sorted <reason>    pure code: the order of this map walk cannot be seen
//	//worlds:boundary <reason>  elsewhere: this clock read, wait or randomness is meant
//
// A marker without a reason, with another word, or that excuses nothing is
// itself an offence, so that exceptions do not outlive their cause.
//
// # Caveats
//
// Test files are not checked. A map walk inside a package of others (sort by
// reflection, a template) is not seen; package cmd/arch limits which packages
// of others pure code can reach. Printed addresses are found by static type:
// a pointer inside an interface value passes.
package main
