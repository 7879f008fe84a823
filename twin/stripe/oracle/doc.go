// Package oracle judges the answers of the Stripe twin by Stripe's own OpenAPI
// document. It is test support: nothing but test files imports it.
//
// Nouns:
//
//   - Oracle: the document, and the schemas compiled from it so far.
//   - component: one named schema of the document. It is converted from
//     OpenAPI 3.0 to JSON Schema 2020-12 and compiled when the first value
//     reaches it; a reference to another component is followed only then.
//     So the price of a process is the components its answers use.
//   - strict: an object that lists its properties may hold no other, except
//     the few keys of undeclared (allow.go) that the live API sends as well.
//
// Beyond the schema it checks what the document cannot say: the layout of the
// wire (layout.go), the url of lists, the prefixes of ids, the payload of
// events and the link between an error's code and its doc_url (laws.go).
//
// Caveats: the document is of API version 2026-08-26.dahlia, so only answers
// of that shape can be judged. A string's format is not checked. Keys that the
// live API always sends but the schema does not require may be absent.
package oracle
