package twin

import "worlds/journal/canon"

// Command is one operation as it was asked, with everything observed from
// outside. Nothing random is in it: callers are named by label ("key:1",
// "admin"), idempotency keys by alias ("ik_1").
type Command struct {
	Actor   string    `json:"actor"`
	API     string    `json:"api"`              // catalog name, or "admin"
	Method  string    `json:"method,omitempty"` // twin requests
	Path    string    `json:"path,omitempty"`
	Escaped bool      `json:"escaped,omitempty"` // the path's segments are percent-encoded, for one holds a slash
	Query   string    `json:"query,omitempty"`   // raw query string
	Body    string    `json:"body,omitempty"`    // raw body; bytes above 0x7f are percent-encoded in forms
	Media   string    `json:"media,omitempty"`   // content type of the body when it is not the API's own
	Idem    string    `json:"idem,omitempty"`
	As      string    `json:"as,omitempty"`      // who the credential says the caller is
	Behalf  string    `json:"behalf,omitempty"`  // whom the caller asks to act for
	Header  string    `json:"header,omitempty"`  // name of a header that the twin does not serve
	Version string    `json:"version,omitempty"` // API version asked for by header
	Op      string    `json:"op,omitempty"`      // admin operations
	Args    canon.Raw `json:"args,omitempty"`    // admin operations: a canonical object
	Hooks   string    `json:"hooks,omitempty"`   // the operator's endpoint, worded by HookText
	Expires int64     `json:"expires,omitempty"` // how many requests the actor's key lasts for, 0 for ever
	After   int64     `json:"after,omitempty"`   // the entry of the delay this request has waited for
}

// IdemTooLong stands in Command.Idem for a raw key over IdemKeyMax bytes.
const IdemTooLong = "(too long)"

// Reply is what an entry keeps of the answer. A change keeps the body (or the
// number of the fact whose body it is), a read its SHA-256.
type Reply struct {
	Body     canon.Raw `json:"body,omitempty"`
	Ignored  []string  `json:"ignored,omitempty"`  // parameters that were sent and not looked at
	Replayed string    `json:"replayed,omitempty"` // request id whose stored answer this was
	Request  string    `json:"request,omitempty"`  // request id
	SHA256   string    `json:"sha256,omitempty"`
	Rule     string    `json:"rule,omitempty"`   // the fault rule that answered
	Match    int64     `json:"match,omitempty"`  // and at which of its matches
	Splice   []string  `json:"splice,omitempty"` // placeholders to fill in when rendering
	Status   int64     `json:"status"`
}

// Placeholders stand in an entry for what differs between two runs of one
// script; they are filled in when the answer is rendered. They occur only in
// texts that hold nothing a caller wrote, and only where Reply.Splice says so.
const (
	SpliceIdemKey = "${idempotency_key}" // the raw idempotency key
	SpliceAPIKey  = "${api_key}"         // the masked API key
)

// Origin stands in bodies for the scheme and host of the server, at the beginning
// of links that the twin itself made.
const Origin = "${origin}"

// Outcome is the result of executing one Command.
type Outcome struct {
	Status  int64
	Body    canon.Raw // the whole answer, canonical; nil for none
	Facts   []canon.Raw
	Spilled int // facts before these, which Machine.Spill was given
	Reply   canon.Raw
	Request string
	// Replayed is the request whose stored answer this is, "" for a fresh one.
	Replayed string
	Version  string
	Splice   []string
	Location string // path of a created object, where the API says so
	// Changed says that state other than the request log changed.
	Changed bool
	// Aborted says that the operation was given up on the way; nothing changed and
	// nothing is to be journaled.
	Aborted error
	// Rule is the fault rule that answered, at its match number Match.
	Rule  string
	Match int64
	// Close says that the connection is cut instead of answering.
	Close bool
	// Headers to add, in order: name, value pairs.
	Headers []string
	// Now is the logical clock as the answer left it.
	Now int64
}
