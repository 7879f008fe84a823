package seed

import (
	_ "embed" // the library's files are part of the program
	"fmt"
	"slices"
	"strings"
)

//go:embed library/billing-edges.json
var billingEdgesJSON []byte

//go:embed library/empty.json
var emptyJSON []byte

//go:embed library/marketplace-orders.json
var marketplaceOrdersJSON []byte

//go:embed library/saas-billing-mid.json
var saasBillingMidJSON []byte

//go:embed library/saas-billing-small.json
var saasBillingSmallJSON []byte

// libraryFile is one seed of the library. The files are written by package gen.
type libraryFile struct {
	name string
	json []byte
}

// libraryFiles lists the library in order of name.
func libraryFiles() []libraryFile {
	return []libraryFile{
		{"billing-edges", billingEdgesJSON},
		{"empty", emptyJSON},
		{"marketplace-orders", marketplaceOrdersJSON},
		{"saas-billing-mid", saasBillingMidJSON},
		{"saas-billing-small", saasBillingSmallJSON},
	}
}

// Names returns the names of the library's seeds in order.
func Names() []string {
	var names []string
	for _, f := range libraryFiles() {
		names = append(names, f.name)
	}
	return names
}

// Unknown is the error for a name that no library seed has.
type Unknown struct {
	Name string
}

// Error says which names there are.
func (e *Unknown) Error() string {
	return fmt.Sprintf("seed: the library has no %q%s (it has %s)",
		e.Name, DidYouMean(e.Name, Names()), strings.Join(Names(), ", "))
}

// Lookup parses the library seed of a name. The error is an *Unknown. The
// result is the caller's own.
func Lookup(name string) (*Seed, error) {
	src, ok := Source(name)
	if !ok {
		return nil, &Unknown{Name: name}
	}
	return Parse(src)
}

// Source returns a copy of the library file of a name, as a person would edit it.
func Source(name string) ([]byte, bool) {
	for _, f := range libraryFiles() {
		if f.name == name {
			return slices.Clone(f.json), true
		}
	}
	return nil, false
}
