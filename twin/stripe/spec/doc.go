// Package spec knows which operations and parameters the real Stripe has, as a
// small table made from its OpenAPI document. The twin asks it when it refuses
// something: what Stripe has and the twin has not is answered differently from
// what Stripe does not know either.
//
// Nouns:
//
//   - Operation: a method with a path template, and a tree of parameters.
//   - Param: one node of that tree: a name and the Forms its value may take.
//   - Form: one way to write the value: a text, an object, a list and so on.
//
// The table is table.txt, embedded and generated; its grammar is:
//
//	operation = METHOD " " template " @" shape
//	shape     = "@" number *(" " field)                  fields sorted by name
//	field     = name "=" type ["~"] ["!"]                ~ may be sent empty to unset, ! required
//	type      = form *("|" form)
//	form      = "string" / "int" / "bool" / "number" / "(" value *("," value) ")"
//	          / "[" type ["~"] "]" list / "{" type ["~"] "}" map / "@" number
//
// Caveats: the document is of API version 2026-08-26.dahlia; the few things of
// the endive train that the twin must know are laid over it by the generator.
// Lengths, ranges and formats are not in the table.
package spec

//go:generate go test -run TestTableIsCurrent . -update
