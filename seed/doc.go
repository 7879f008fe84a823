// Package seed reads the file that says where a world starts.
//
// The nouns: a Document is what the file says, with the defaults filled in; a
// Seed is a Document together with its canonical bytes and its Hash; a Problem
// is one thing wrong with a file, at one JSON path; Invalid is all of them.
// Parse is the only way from bytes to a Seed; Document.JSON is the way back, and
// Document.Mended drops what the format cannot hold, for those who make documents of
// something else (an export, an import). The library (Names, Lookup) holds
// the seeds that come with the program.
//
// The package is pure: the same bytes give the same Seed, or the same Problems
// in the same order, on every machine. It does not know how an object is served;
// a twin turns Data into facts.
//
// # Caveats
//
// The Hash is that of the document as written, in canonical form: leaving a key
// out and writing its default are two different seeds with equal Data.
//
// Every canon.Raw in a Document aliases Seed.Canonical. Neither may be changed.
//
// Parse accepts all of the format. What this version of the program cannot yet
// serve is listed by Seed.Unserved, and who creates a world must ask.
package seed
