// Package serve is the HTTP shell of the twins: it finds the world by the
// credential, turns a request into a command and an outcome into a response.
//
// Nouns: a Shell is the handler of all twins of a server; a Resolver knows whose
// credential a secret is; a Server speaks HTTP: a lane reads the plain requests of
// one connection, net/http everything else.
//
// # Caveats
//
// Every answer below a twin's prefix is JSON in that API's shape, for any path,
// method, refusal and panic; there are no redirects. What differs between two
// runs of one script (raw keys, masked secrets) is put in here, after the entry.
//
// A lane uses the http.Request and its header again: a handler below a twin's prefix
// must not change them, nor keep them when it has returned. Its answer is sent then,
// in one piece; it cannot flush.
package serve
