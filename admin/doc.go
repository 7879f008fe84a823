// Package admin is how operators reach worlds: create, list, reset, delete, mark,
// diff, dump, read the logs and the past, replay, fork, simulate, stream, import,
// back up, and keep keys. It knows worlds, not APIs.
//
// Nouns: the Server is the admin API of one Host; the registry is the fold of the
// server's own stream (which worlds there are, under which names, keys and
// tokens); a Problem is a refusal (RFC 9457); a route is one line of routes.go,
// from which the OpenAPI document is made too.
//
// # Caveats
//
// Secrets are shown once, when they are made, and kept as SHA-256. They are
// harness identity: nothing random made here (identity.go) enters a world's
// journal. Creating and listing worlds is open where Options.Open says so
// (loopback); everything on a world needs its admin token or the root token.
package admin
