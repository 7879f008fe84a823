package stripe

import (
	"fmt"
	"strings"

	"worlds/journal/canon"
	"worlds/twin"
)

// wireError is Stripe's error object; members that say nothing are left out.
type wireError struct {
	Charge        string    `json:"charge,omitempty"`
	Code          string    `json:"code,omitempty"`
	DeclineCode   string    `json:"decline_code,omitempty"`
	DocURL        string    `json:"doc_url,omitempty"`
	Message       string    `json:"message,omitempty"`
	Param         string    `json:"param,omitempty"`
	PaymentIntent canon.Raw `json:"payment_intent,omitempty"`
	PaymentMethod canon.Raw `json:"payment_method,omitempty"`
	Type          string    `json:"type"`
}

type errorDoc struct {
	Error wireError `json:"error"`
}

// The values of an error's type.
const (
	invalidRequest   = "invalid_request_error"
	cardError        = "card_error"
	idempotencyError = "idempotency_error"
	apiError         = "api_error"
)

const docURL = "https://stripe.com/docs/error-codes/"

// fail builds an error. A code of an invalid request or a card error gets its
// documentation link.
func fail(status int64, e wireError) *twin.Error {
	if e.Code != "" && (e.Type == invalidRequest || e.Type == cardError) {
		e.DocURL = docURL + strings.ReplaceAll(e.Code, "_", "-")
	}
	return &twin.Error{Status: status, Body: canon.Marshal(&errorDoc{e})}
}

// invalid is a 400 without code: param may be "".
func invalid(param, format string, args ...any) *twin.Error {
	return fail(400, wireError{Type: invalidRequest, Param: param, Message: fmt.Sprintf(format, args...)})
}

// invalidCode is a 400 with a code: param may be "".
func invalidCode(code, param, format string, args ...any) *twin.Error {
	return fail(400, wireError{Type: invalidRequest, Code: code, Param: param, Message: fmt.Sprintf(format, args...)})
}

// errNoSuch is the 404 for an object named in the path. param is what Stripe
// calls that path segment in this resource ("id" for most).
func errNoSuch(noun, param, id string) *twin.Error {
	return fail(404, wireError{Type: invalidRequest, Code: "resource_missing", Param: param,
		Message: fmt.Sprintf("No such %s: '%s'", noun, id)})
}

// errNoSuchRef is the 400 for an object named by a parameter.
func errNoSuchRef(noun, param, id string) *twin.Error {
	return invalidCode("resource_missing", param, "No such %s: '%s'", noun, id)
}

// errNoRoute is the 404 for a path or method that Stripe does not have either.
func errNoRoute(method, path string) *twin.Error {
	return fail(404, wireError{Type: invalidRequest, Message: fmt.Sprintf(
		"Unrecognized request URL (%s: %s). Please see https://stripe.com/docs or we can help at https://support.stripe.com/.",
		method, path)})
}

// errUnserved is the 501 for what Stripe has and this twin does not.
func errUnserved(what, param string) *twin.Error {
	e := fail(501, wireError{Type: invalidRequest, Param: param,
		Message: "This twin does not serve " + what + ". The world is unchanged."})
	e.Headers = []string{"Stripe-Should-Retry", "false"}
	e.Unstored = true
	return e
}

// errMissing is a required parameter that was not sent.
func errMissing(param string) *twin.Error {
	return invalidCode("parameter_missing", param, "Missing required param: %s.", param)
}

// errUnknown is one or more parameters that the route does not have.
func errUnknown(names []string) *twin.Error {
	if len(names) == 1 {
		return invalidCode("parameter_unknown", names[0], "Received unknown parameter: %s", names[0])
	}
	return invalidCode("parameter_unknown", names[0], "Received unknown parameters: %s", strings.Join(names, ", "))
}

// errInternal is a fault of the twin itself.
func errInternal() *twin.Error {
	return fail(500, wireError{Type: apiError, Message: "The twin failed to answer this request. The world is unchanged."})
}

// errKeyReused is an idempotency key used again for something else. The raw key
// is spliced into the text when it is rendered.
func errKeyReused(sameTarget bool, first, now string) *twin.Error {
	text := "Keys for idempotent requests can only be used with the same parameters they were first used with. " +
		"Try using a key other than '" + twin.SpliceIdemKey + "' if you meant to execute a different request."
	if !sameTarget {
		text = "Keys for idempotent requests can only be used for the same endpoint they were first used for ('" +
			first + "' vs '" + now + "'). Try using a key other than '" + twin.SpliceIdemKey +
			"' if you meant to execute a different request."
	}
	e := fail(400, wireError{Type: idempotencyError, Message: text})
	e.Splice = []string{twin.SpliceIdemKey}
	return e
}

func errKeyTooLong() *twin.Error {
	return fail(400, wireError{Type: idempotencyError, Message: fmt.Sprintf(
		"Idempotency keys can be at most %d characters long.", twin.IdemKeyMax)})
}

// ErrNoKey is the answer to a request without an API key.
func ErrNoKey() *twin.Error {
	e := fail(401, wireError{Type: invalidRequest, Message: "You did not provide an API key. You need to provide your API key in the " +
		"Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY'). See " +
		"https://stripe.com/docs/api#authentication for details."})
	e.Headers = []string{"WWW-Authenticate", `Basic realm="Stripe"`}
	return e
}

// ErrBadKey is the answer to a request with an unknown API key.
func ErrBadKey(masked string) *twin.Error {
	e := fail(401, wireError{Type: invalidRequest, Message: "Invalid API Key provided: " + masked})
	e.Headers = []string{"WWW-Authenticate", `Basic realm="Stripe"`}
	return e
}

// ErrTransport is a request that never reaches a route: a body over the limit, a
// header over the limit, a server that is going away.
func ErrTransport(status int64, message string) *twin.Error {
	e := fail(status, wireError{Type: invalidRequest, Message: message})
	if status >= 500 {
		e = fail(status, wireError{Type: apiError, Message: message})
	}
	return e
}

// refuse words a violation of a parameter table.
func refuse(r *twin.Route, v *twin.Violation) *twin.Error {
	switch v.Kind {
	case twin.Malformed:
		return invalid(v.Param, "Invalid request: %s. Requests are form-encoded (application/x-www-form-urlencoded).", v.Value)
	case twin.TooMany:
		return invalid("", "Invalid request: more than %d parameters.", v.Limit)
	case twin.Unknown:
		return refuseUnknown(r, v.Names)
	case twin.BadType:
		if v.Value == "" || v.Want == "array" || v.Want == "object" {
			return invalid(v.Param, "Invalid %s", v.Want)
		}
		return invalid(v.Param, "Invalid %s: %s", v.Want, v.Value)
	case twin.BadInteger:
		return invalidCode("parameter_invalid_integer", v.Param, "Invalid integer: %s", v.Value)
	case twin.BelowMin:
		return refuseBelow(v)
	case twin.AboveMax:
		return invalidCode("parameter_invalid_integer", v.Param, "This value must be less than or equal to %d.", v.Limit)
	case twin.TooLong:
		return invalid(v.Param, "Invalid string: must be at most %d characters", v.Limit)
	case twin.BadEnum:
		return invalid(v.Param, "Invalid %s: must be %s", lastSegment(v.Param), oneOf(v.Options))
	case twin.EmptyNotAllowed:
		return invalidCode("parameter_invalid_empty", v.Param, "You passed an empty string for '%s'. We assume empty values are an "+
			"attempt to unset a parameter; however '%s' cannot be unset. You should remove '%s' from your request or supply "+
			"a non-empty value.", v.Param, v.Param, v.Param)
	}
	return errMissing(v.Param)
}

// refuseBelow words an integer under its minimum; sums of money have a wording
// of their own.
func refuseBelow(v *twin.Violation) *twin.Error {
	if strings.HasSuffix(v.Param, "amount") && v.Limit == 1 {
		return invalidCode("parameter_invalid_integer", v.Param, "Invalid positive integer")
	}
	return invalidCode("parameter_invalid_integer", v.Param, "This value must be greater than or equal to %d.", v.Limit)
}

// oneOf lists options as Stripe does: one of a, b, or c.
func oneOf(options []string) string {
	switch n := len(options); n {
	case 1:
		return options[0]
	case 2:
		return "one of " + options[0] + " or " + options[1]
	default:
		return "one of " + strings.Join(options[:n-1], ", ") + ", or " + options[n-1]
	}
}

// lastSegment is the innermost name of a bracket path.
func lastSegment(param string) string {
	i := strings.LastIndexByte(param, '[')
	return strings.TrimSuffix(param[i+1:], "]")
}

func notExpandable(path string, hint bool) *twin.Error {
	if hint {
		return invalid("expand", "This property cannot be expanded (%s). You may want to try expanding 'data.%s' instead.", path, path)
	}
	return invalid("expand", "This property cannot be expanded (%s).", path)
}

func tooDeep(path string) *twin.Error {
	return invalidCode("property_expansion_max_depth", "expand", "You cannot expand more than %d levels of a property. Property: %s",
		twin.ExpandDepthMax, path)
}

func errBothCursors() *twin.Error {
	return invalid("", "Received both starting_after and ending_before parameters. Please pass in only one.")
}
