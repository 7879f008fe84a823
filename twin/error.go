package twin

import "worlds/journal/canon"

// Error is an answer that refuses, in the wire shape of its API. Each twin
// builds them in its errors.go, one constructor a kind.
type Error struct {
	Status  int64
	Body    canon.Raw
	Splice  []string // placeholders in Body
	Headers []string // name, value pairs
	// Keep says that what the decide function changed stays (a declined card
	// leaves its failed charge); otherwise it is rolled back.
	Keep bool
	// Unstored says that the answer is not kept under an idempotency key even
	// though the endpoint gave it.
	Unstored bool
}

// Error implements error; it is for logs, the wire uses Body.
func (e *Error) Error() string { return string(e.Body) }

// ViolationKind says what is wrong with a parameter.
type ViolationKind int

// The kinds of violation, in the order a request is checked for them.
const (
	Malformed       ViolationKind = iota // the text cannot be decoded; Value says why
	TooMany                              // more than Limit parameters
	Unknown                              // Names are not parameters of the route
	BadType                              // Value is not a Want
	BadInteger                           // Value is not an integer
	BelowMin                             // Value is below Limit
	AboveMax                             // Value is above Limit
	TooLong                              // Value is longer than Limit
	BadEnum                              // Value is none of Options
	BadEmail                             // Value is no e-mail address
	EmptyNotAllowed                      // sent empty, and cannot be unset
	Missing                              // required and absent
)

// Violation is a request that its route's parameter table refuses.
type Violation struct {
	Kind  ViolationKind
	Param string // bracket path, e.g. items[0][price]
	Value string
	// Want is, of BadType: "boolean", "array", "object", "string"; of AboveMax: "array"
	// when it counts elements; of TooLong: "key" or "value" of metadata.
	Want    string
	Names   []string // Unknown: all of them
	Version string   // Unknown: the API version asked for
	Limit   int64
	Options []string
}
