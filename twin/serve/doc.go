// Package serve is the HTTP shell of the twins: it finds the world by the
// credential, turns a request into a command and an outcome into a response.
//
// Nouns: a Shell is the handler of all twins of a server; a Resolver knows whose
// credential a secret is.
//
// # Caveats
//
// Every answer below a twin's prefix is JSON in that API's shape, for any path,
// method, refusal and panic; there are no redirects. What differs between two
// runs of one script (raw keys, masked secrets) is put in here, after the entry.
package serve
