// Package gen makes the library seeds of package seed. Each seed is a pure
// function of nothing: its bytes are equal on every run and every machine, and
// a test compares them with the committed files.
//
// The nouns: a File is a library seed's name and bytes; an account is one row
// of a seed's customer table; a plant is a function that gives an account one
// situation worth testing an agent with.
//
// A maker is the document of a larger seed while it is written, where rules of
// numbers take the place of rows.
//
// What looks random (hours of the day, days of the month) is the SHA-256 of a
// label, so that a new row changes no other.
//
// # Caveats
//
// Names and companies are invented and all mail domains end in .example. A
// published seed is known by its hash: changing a row makes a new seed, so raise
// its version.
package gen

// File is one library seed.
type File struct {
	Name  string // as in the seed's own name
	Bytes []byte // JSON for people: one object a line
}

// Files returns all library seeds in order of name.
func Files() []File {
	return []File{
		{"billing-edges", BillingEdges()},
		{"empty", Empty()},
		{"marketplace-orders", MarketplaceOrders()},
		{"saas-billing-mid", SaaSBillingMid()},
		{"saas-billing-small", SaaSBillingSmall()},
	}
}
