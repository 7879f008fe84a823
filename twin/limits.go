package twin

// Limits on what one request may carry. Each is refused before anything changes.
const (
	ParamsMax       = 1000 // parameters in one request
	ParamDepthMax   = 8    // nesting of brackets in one parameter's name
	ParamNameMax    = 500  // bytes of one parameter's name
	ExpandMax       = 50   // expand paths in one request
	ExpandDepthMax  = 4    // segments of one expand path, the "data" of a list included
	IdemKeyMax      = 255  // bytes of an idempotency key
	MarkNameMax     = 100  // bytes of a mark's name
	MetadataKeysMax = 50
	MetadataKeyMax  = 40
	MetadataValMax  = 500
	StringMax       = 5000 // characters of a text parameter that names no smaller limit
)

// Rules is the number of the decision rules of this engine. It changes whenever
// the same command on the same state would be decided differently; journals
// carry it, and executing under another number is refused.
const Rules = 5
