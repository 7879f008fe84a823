// Package stripe is the Stripe twin: its resources, one a file, as pure
// functions of (state, parameters).
//
// Nouns: a resource file holds, in this order, the struct as the newest API
// version shows it, the identity var, the API func (routes, expansions, seed
// section), the parameter structs, the decide functions, and the transitions.
// catalog.go lists the resources; errors.go holds every refusal, one constructor
// each; dialect.go tells the kernel how Stripe words things.
//
// A decide function refuses in the order that docs/determinism.md has: Check what the
// parameters say by themselves, named (or its first lines) what they name, and then
// what the state forbids.
//
// # Caveats
//
// Structs are the wire shape of API version 2026-08-26.dahlia; a member that is
// nullable is a pointer (or a canon.Raw, when the twin never sets it). What Get
// returns is read-only: copy, change, Put.
//
// A balance transaction is stored pending; whether it is available is worked out
// from the clock when it is shown, in answers and expansions alike.
//
// The account takes cards only. A test card that wants its owner there leaves an
// intent in requires_action, and nobody can authenticate: it is confirmed with
// another payment method, or canceled. What other test cards set off happens at a
// fixed time: a dispute opens in the call that takes the money, a refund that is
// slow or fails is decided a day later, money held is let go after a week, and a
// dispute that nobody answers is lost at the end of the ninth day. A bank under
// whose review a dispute is says nothing unless the evidence is one of the test
// texts. Searches find what was just written.
//
// A backdated subscription bills the time that has passed with its first invoice; its
// billing mode says in how many lines. A subscription that is paused takes no trial and
// no new cycle but by being resumed: what Stripe does with either is not known. Tax ids
// are verified at once or never, payment links lead nowhere.
//
// A decimal (the percent_off of a coupon) is stored as text and shown as a JSON
// number by the last step before the wire; what is stored stays canonical.
//
// A preview (of an invoice, of a credit note) is made like the real one, in the same
// transaction, which then goes back to where it was: it never stores anything.
//
// No request can build an invoice that gives credit in a currency which the
// customer's balance is not kept in: each door that takes an amount below zero asks
// for the pinned currency (admit, pinCurrency, revision.prepare).
package stripe
