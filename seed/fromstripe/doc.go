// Package fromstripe makes a seed of the shape of a Stripe account in which nobody
// can be recognised.
//
// The nouns: an account is what Read found through ordinary list endpoints; Import
// makes of it the seed, the manifest (what became of what) and the private map (which
// id became which). Reading is the only input and output; the rest is a pure function
// of the account and the options, so that the same account gives the same bytes.
//
// Of every object only the fields that account.go declares are decoded: what it does
// not name (metadata of invoices, addresses, cards, …) is never in memory under a name.
//
// # Caveats
//
// This is pseudonymization, not anonymity: amounts, rhythm and timing survive and can
// identify an account by themselves. Product and price ids survive as they are, since
// the code under test names them; those that a merchant chose are listed in the
// manifest. Answers of all API versions since 2022-11-15 are understood: where a field
// has moved, both places are read.
package fromstripe
