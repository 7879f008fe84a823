package twin

import (
	"worlds/journal/canon"
	"worlds/projection"
)

// Wire is what the HTTP shell must know of an API: everything else about a
// request is the Catalog's. Every function is pure.
type Wire struct {
	// Prefix is the path below which every request is this API's, "/v1".
	Prefix string
	// Stray reports a path that is not below Prefix, and that only a client of this
	// API can mean: another of its versions, or a base address with a slash too many.
	// It is answered as one that the API does not have either.
	Stray func(path string) bool
	// Secret finds the credential in an Authorization header, "" if there is none,
	// and who the header says the caller is, "" where it does not say.
	Secret func(authorization string) (secret, as string)
	// BehalfHeader names the request header by which a caller asks to act for
	// another, "" if the API has none.
	BehalfHeader string
	// Login names, in the state of a world's genesis, whom credentials of this API
	// stand for; nil if the API has no credentials of its own.
	Login func(st *projection.State) string
	// IdemHeader and VersionHeader name the request headers that carry an
	// idempotency key and an API version; "" if the API has none.
	IdemHeader    string
	VersionHeader string
	// Unserved names request headers that change the meaning of a request in a way
	// the twin does not serve.
	Unserved []string
	// NoKey, BadKey and Transport word what never reaches a world: no credential
	// (authorization is the header, if there is one), an unknown one (masked, with the
	// header it came in), a request over a limit or a server that cannot.
	NoKey     func(method, path, authorization string) *Error
	BadKey    func(authorization, masked string) *Error
	Transport func(status int64, message string) *Error
	// Head lists the response headers of an answer, name and value in turn.
	Head func(o *Outcome, idemKey string) []string
	// Render appends a canonical body as the wire shows it; origin is the scheme and
	// host that the client used.
	Render func(dst []byte, body canon.Raw, origin string) []byte
}
