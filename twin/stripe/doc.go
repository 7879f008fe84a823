// Package stripe is the Stripe twin: its resources, one a file, as pure
// functions of (state, parameters).
//
// Nouns: a resource file holds, in this order, the struct as the newest API
// version shows it, the identity var, the API func (routes, expansions, seed
// section), the parameter structs, the decide functions, and the transitions.
// catalog.go lists the resources; errors.go holds every refusal, one constructor
// each; dialect.go tells the kernel how Stripe words things.
//
// # Caveats
//
// Structs are the wire shape of API version 2026-08-26.dahlia; a member that is
// nullable is a pointer (or a canon.Raw, when the twin never sets it). What Get
// returns is read-only: copy, change, Put.
//
// A balance transaction is stored pending; whether it is available is worked out
// from the clock when it is shown, in answers and expansions alike.
package stripe
