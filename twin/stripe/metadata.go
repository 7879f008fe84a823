package stripe

import (
	"strings"

	"worlds/twin"
)

// applyMetadata changes a metadata map as a request says: a key with a value is
// set, a key sent empty is deleted, metadata sent empty clears all. The result is
// a new map; old is left as it is.
func applyMetadata(old map[string]string, p twin.Opt[twin.Metadata]) (map[string]string, *twin.Error) {
	if !p.Sent() {
		return old, nil
	}
	out := map[string]string{}
	if p.Given() {
		for k, v := range old { //worlds:sorted a copy
			out[k] = v
		}
		for k, v := range p.V { //worlds:sorted keys are independent
			if v == "" {
				delete(out, k)
			} else {
				out[k] = v
			}
		}
	}
	if len(out) > twin.MetadataKeysMax {
		return nil, unstored(invalid("metadata", "You can have up to %d metadata keys. Please remove some.", twin.MetadataKeysMax))
	}
	for k := range out { //worlds:sorted any offender is refused alike
		if k == "" || strings.ContainsAny(k, "[]") {
			return nil, unstored(invalid("metadata", "Metadata keys cannot be empty or contain square brackets."))
		}
	}
	return out, nil
}

// unstored marks a refusal as one of validation: it leaves the idempotency key
// free, as a mistyped parameter does.
func unstored(e *twin.Error) *twin.Error {
	e.Unstored = true
	return e
}
