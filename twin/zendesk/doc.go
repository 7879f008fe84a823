// Package zendesk is the Zendesk Support twin: its resources, one a file, as pure
// functions of (state, parameters), laid out as package stripe is.
//
// Nouns: the account is what of a world's help desk is not a record (the
// principal, the closure); the caller is the user whom a request acts as; a
// listing is what a list route pages through; a life is what the twin must know
// of a ticket beyond its wire shape (when it was solved, when a sweep closes it,
// what it was before it was deleted).
//
// catalog.go lists the resources; errors.go holds every refusal, one constructor
// each; dialect.go tells the kernel how Zendesk words things; page.go pages.
//
// # Caveats
//
// Structs are the wire shape; a member that is nullable is a pointer (or a
// canon.Raw, when the twin never sets it). Links begin with twin.Origin, and only
// rendering puts an address there. Numbers in bodies are integers: a body with a
// fraction anywhere is refused. Rate limit headers are arithmetic on the logical
// clock; nothing is refused for its rate unless a fault rule says so. What a write
// names that the route does not have is ignored, as Zendesk does, and listed in
// the request log.
package zendesk
