package oracle

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// fault is one thing wrong at one place of a body.
type fault struct {
	pointer string // RFC 6901; "" is the whole body
	text    string
}

type faults []fault

// under moves faults of a part to where the part stands in the whole.
func (f faults) under(pointer string) faults {
	for i := range f {
		f[i].pointer = pointer + f[i].pointer
	}
	return f
}

// err returns nil without faults, else one error with a sorted line for each.
func (f faults) err() error {
	if len(f) == 0 {
		return nil
	}
	slices.SortStableFunc(f, func(a, b fault) int { return strings.Compare(a.pointer, b.pointer) })
	var lines strings.Builder
	for i, fault := range f {
		if i > 0 {
			lines.WriteByte('\n')
		}
		if fault.pointer == "" {
			fault.pointer = "(body)"
		}
		fmt.Fprintf(&lines, "%s: %s", fault.pointer, fault.text)
	}
	return errors.New(lines.String())
}

func decode(body []byte) (any, error) {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("oracle: the body is not JSON: %w", err)
	}
	return value, nil
}

func validate(schema *jsonschema.Schema, value any) faults {
	err := schema.Validate(value)
	if err == nil {
		return nil
	}
	var verr *jsonschema.ValidationError
	if !errors.As(err, &verr) {
		return faults{{"", err.Error()}}
	}
	return leaves(verr)
}

// leaves flattens a validation error into its leaf faults. Of a union it keeps
// the branch that was meant, so that one wrong key is one line.
func leaves(e *jsonschema.ValidationError) faults {
	if len(e.Causes) == 0 {
		return faults{{pointer(e.InstanceLocation), describe(e.ErrorKind)}}
	}
	if _, ok := e.ErrorKind.(*kind.AnyOf); ok {
		return meant(e)
	}
	var all faults
	for _, cause := range e.Causes {
		all = append(all, leaves(cause)...)
	}
	return all
}

// meant picks, among the branches of a union that accept the value's JSON type
// and its "object", the one with the fewest faults.
func meant(e *jsonschema.ValidationError) faults {
	here := pointer(e.InstanceLocation)
	var best faults
	bestWeight := -1
	var wanted []string
	for _, branch := range e.Causes {
		if t, ok := typeMismatch(branch, len(e.InstanceLocation)); ok {
			wanted = append(wanted, t)
			continue
		}
		weight := weigh(branch, here+"/object")
		if bestWeight < 0 || weight < bestWeight {
			best, bestWeight = leaves(branch), weight
		}
	}
	if best == nil {
		return faults{{here, "fits no branch of the union: " + strings.Join(wanted, "; ")}}
	}
	return best
}

// typeMismatch tells whether a branch failed because the value, at that depth,
// has the wrong JSON type.
func typeMismatch(e *jsonschema.ValidationError, depth int) (string, bool) {
	if t, ok := e.ErrorKind.(*kind.Type); ok && len(e.InstanceLocation) == depth {
		return describe(t), true
	}
	for _, cause := range e.Causes {
		if text, ok := typeMismatch(cause, depth); ok {
			return text, true
		}
	}
	return "", false
}

const wrongObject = 1 << 20 // outweighs any number of faults

// weigh counts the faults of a branch, each unknown or missing key for itself.
func weigh(e *jsonschema.ValidationError, objectKey string) int {
	weight := 0
	switch k := e.ErrorKind.(type) {
	case *kind.AdditionalProperties:
		weight = len(k.Properties)
	case *kind.Required:
		weight = len(k.Missing)
	case *kind.Enum:
		weight = 1
		if pointer(e.InstanceLocation) == objectKey {
			weight = wrongObject
		}
	default:
		if len(e.Causes) == 0 {
			weight = 1
		}
	}
	for _, cause := range e.Causes {
		weight += weigh(cause, objectKey)
	}
	return weight
}

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

func pointer(location []string) string {
	var p strings.Builder
	for _, token := range location {
		p.WriteByte('/')
		p.WriteString(pointerEscaper.Replace(token))
	}
	return p.String()
}

var english = message.NewPrinter(language.English)

func describe(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Required:
		return "missing: " + strings.Join(k.Missing, ", ")
	case *kind.AdditionalProperties:
		return "unknown: " + strings.Join(slices.Sorted(slices.Values(k.Properties)), ", ")
	}
	return k.LocalizedString(english)
}
