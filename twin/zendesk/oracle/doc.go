// Package oracle judges the answers of the Zendesk twin by JSON Schemas of our
// own, which are strict: no object may hold what its schema does not name. It is
// test support: nothing but test files imports it.
//
// Nouns: a definition is one schema of schemas.json (a record, an envelope, a
// shape of an error); routes.go says which of them each route answers with.
//
// # Caveats
//
// Answers are judged as a client sees them, links with their address. A 429 is a
// text and has no schema.
package oracle
