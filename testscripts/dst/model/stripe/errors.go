package stripe

import "worlds/testscripts/dst/model"

// refusal is an answer that is no success. A decide function unwinds with it by
// panic, as a recursive-descent parser does with a syntax error; Do recovers it.
type refusal struct {
	status            int
	kind, code, param string
	body              model.Value // members of error beside those, or Free
	keep              bool        // what was changed stays: a declined card
	unknown           string      // why there is no opinion
}

func refuse(status int, kind, code, param string) *refusal {
	return &refusal{status: status, kind: kind, code: code, param: param}
}

// invalid is a 400 with a code and a parameter, either of which may be "".
func invalid(code, param string) *refusal { return refuse(400, "invalid_request_error", code, param) }

func badInteger(param string) *refusal { return invalid("parameter_invalid_integer", param) }

func wrongType(param string) *refusal { return invalid("", param) }

// missingRef is a parameter that names nothing.
func missingRef(param string) *refusal { return invalid("resource_missing", param) }

// missingPath is a path that names nothing.
func missingPath(param string) *refusal {
	return refuse(404, "invalid_request_error", "resource_missing", param)
}

func noOpinion(why string) *refusal { return &refusal{unknown: why} }
