package zendesk

import (
	"fmt"
	"strconv"
	"strings"

	"worlds/journal/canon"
	"worlds/twin"
)

// plainError is the most common shape of a refusal.
type plainError struct {
	Description string `json:"description,omitempty"`
	Error       string `json:"error"`
	Message     string `json:"message,omitempty"`
}

func fail(status int64, e plainError) *twin.Error {
	return &twin.Error{Status: status, Body: canon.Marshal(&e)}
}

// titled is the shape of refusals that come from the front of the API.
type titled struct {
	Error title `json:"error"`
}

type title struct {
	Message string `json:"message"`
	Title   string `json:"title"`
}

func failTitled(status int64, name, message string) *twin.Error {
	return &twin.Error{Status: status, Body: canon.Marshal(&titled{title{Message: message, Title: name}})}
}

// listed is the shape of refusals by the pagination.
type listed struct {
	Errors []listedError `json:"errors"`
}

type listedError struct {
	Code   string `json:"code"`
	Detail string `json:"detail"`
	Title  string `json:"title"`
}

func failListed(status int64, code, name, detail string) *twin.Error {
	return &twin.Error{Status: status, Body: canon.Marshal(&listed{[]listedError{{Code: code, Detail: detail, Title: name}}})}
}

// problem is one thing wrong with one field of a record.
type problem struct {
	Description string  `json:"description"`
	Error       *string `json:"error"`
	FieldType   string  `json:"ticket_field_type,omitempty"`
}

type invalidRecord struct {
	Description string               `json:"description"`
	Details     map[string][]problem `json:"details"`
	Error       string               `json:"error"`
}

// errRecord is the 422 for a record that one field makes invalid; base is the
// record as a whole.
func errRecord(field string, p problem) *twin.Error {
	return &twin.Error{Status: 422, Body: canon.Marshal(&invalidRecord{
		Description: "Record validation errors", Error: "RecordInvalid", Details: map[string][]problem{field: {p}},
	})}
}

// errField is errRecord with a code; "" is none.
func errField(field, code, format string, args ...any) *twin.Error {
	p := problem{Description: label(field) + ": " + fmt.Sprintf(format, args...)}
	if code != "" {
		p.Error = &code
	}
	return errRecord(field, p)
}

// errTaken is an external id that another record of the kind has.
func errTaken() *twin.Error {
	code := duplicateValue
	return errRecord("external_id", problem{Description: "External has already been taken", Error: &code})
}

// label is how a message names a field: "Group" for group_id.
func label(field string) string {
	name := strings.ReplaceAll(strings.TrimSuffix(field, "_id"), "_", " ")
	if name == "" {
		return name
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

// Codes of field problems.
const (
	blankValue     = "BlankValue"
	duplicateValue = "DuplicateValue"
	invalidValue   = "InvalidValue"
	valueTooLong   = "ValueTooLong"
)

func errBlankDescription() *twin.Error {
	code := blankValue
	return errRecord("base", problem{Description: "Description: cannot be blank", Error: &code})
}

// errNameless is a requester to be made who has no name.
func errNameless() *twin.Error {
	return errRecord("requester", problem{Description: "Requester: Name:  is too short (minimum is 1 character)"})
}

func errSolvedUnassigned() *twin.Error {
	code := blankValue
	return errRecord("base", problem{Description: "Assignee: is required when solving a ticket", Error: &code, FieldType: "FieldAssignee"})
}

// errClosed is any write to a ticket whose life is over.
func errClosed() *twin.Error {
	return errRecord("status", problem{Description: "Status: closed prevents ticket update"})
}

func errNoSuch(field string, id int64) *twin.Error {
	return errField(field, invalidValue, "%d is not valid", id)
}

func errNotFound() *twin.Error {
	return fail(404, plainError{Error: "RecordNotFound", Description: "Not found"})
}

func errNoRoute() *twin.Error {
	return fail(404, plainError{Error: "InvalidEndpoint", Description: "Not found"})
}

// errAuth is what a caller without a valid credential reads.
func errAuth() *twin.Error {
	e := fail(401, plainError{Error: "Couldn't authenticate you"})
	e.Headers = []string{"WWW-Authenticate", `Basic realm="Web Password"`}
	return e
}

// tokenError is the shape of what OAuth refuses.
type tokenError struct {
	Error       string `json:"error"`
	Description string `json:"error_description"`
}

// errToken is what a bearer of an unknown token reads.
func errToken() *twin.Error {
	return &twin.Error{Status: 401, Headers: []string{"WWW-Authenticate", `Bearer error="invalid_token"`},
		Body: canon.Marshal(&tokenError{Error: "invalid_token",
			Description: "The access token provided is expired, revoked, malformed or invalid for other reasons."})}
}

func errForbidden() *twin.Error {
	return failTitled(403, "Forbidden", "You do not have access to this page. Please contact the account owner of this help desk for further help.")
}

func errConflict() *twin.Error {
	return fail(409, plainError{Error: "UpdateConflict", Description: "Safe Update prevented the update due to outdated ticket data. Please fetch the latest ticket data and try again."})
}

func errDepth() *twin.Error {
	return failListed(400, "InvalidPaginationDepth", "Pagination depth exceeded",
		fmt.Sprintf("Offset pagination goes no further than %d records; use cursor pagination.", depthMax))
}

func errPage(detail string) *twin.Error {
	return failListed(400, "InvalidPaginationParameter", "Invalid pagination parameter", detail)
}

func errAttribute(name, must string) *twin.Error {
	return failTitled(400, "Invalid attribute", fmt.Sprintf("You passed an invalid value for the %s attribute. Invalid parameter: %s %s", name, name, must))
}

func errParse(why string) *twin.Error {
	return fail(422, plainError{Error: "Unprocessable Entity", Message: "Server could not parse JSON: " + why})
}

func errTooManyIDs() *twin.Error {
	return fail(400, plainError{Error: "TooManyIds", Description: fmt.Sprintf("A request names at most %d records", bulkMax)})
}

func errKeyReused(sameTarget bool, _, _ string) *twin.Error {
	return fail(400, plainError{Error: "IdempotentRequestError",
		Description: "Request parameters are different from the existing request with the same idempotency key"})
}

func errKeyTooLong() *twin.Error {
	return fail(400, plainError{Error: "IdempotentRequestError",
		Description: fmt.Sprintf("An idempotency key has at most %d bytes", twin.IdemKeyMax)})
}

// errUnserved is the refusal of what Zendesk has and this twin does not. It is a 403,
// as for what an account's plan lacks: node-zendesk takes a 501 for a success.
func errUnserved(what string) *twin.Error {
	e := fail(403, plainError{Error: "NotImplemented", Description: "This twin does not serve " + what + ". The world is unchanged."})
	e.Unstored = true
	return e
}

func errTick(why string) *twin.Error {
	return fail(500, plainError{Error: "InternalError", Description: "The clock could not move on: " + why})
}

func errInternal() *twin.Error {
	return fail(500, plainError{Error: "InternalError", Description: "Something went wrong on our end. The world is unchanged."})
}

// errTransport is what a request gets that never reached a world.
func errTransport(status int64, message string) *twin.Error {
	return fail(status, plainError{Error: "TransportError", Description: message})
}

// refuse words a violation of a route's parameter table: of a record as the
// record's own problem, of a query as a bad attribute.
func refuse(r *twin.Route, v *twin.Violation) *twin.Error {
	if v.Kind == twin.Malformed || v.Kind == twin.TooMany {
		why := v.Value
		if v.Kind == twin.TooMany {
			why = fmt.Sprintf("more than %d parameters", v.Limit)
		}
		return errParse(why)
	}
	name := v.Param
	if i := strings.LastIndexByte(name, '['); i >= 0 {
		name = strings.TrimSuffix(name[i+1:], "]")
	}
	if r.Method == "GET" || r.Method == "DELETE" || v.Kind == twin.Missing || !strings.Contains(v.Param, "[") {
		return errAttribute(name, must(v))
	}
	code := invalidValue
	if v.Kind == twin.TooLong {
		code = valueTooLong
	}
	if v.Kind == twin.BadEnum {
		return errField(name, code, "%s is not included in the list", v.Value)
	}
	return errField(name, code, "%s", must(v))
}

func must(v *twin.Violation) string {
	limit := strconv.FormatInt(v.Limit, 10)
	switch v.Kind {
	case twin.BadInteger:
		return "must be an integer"
	case twin.BadType:
		if v.Want == "object" {
			return "must be a hash"
		}
		return "must be of type " + v.Want
	case twin.BelowMin:
		return "must be at least " + limit
	case twin.AboveMax:
		return "must be at most " + limit
	case twin.TooLong:
		return "is too long (maximum is " + limit + " characters)"
	case twin.BadEnum:
		return "must be one of " + strings.Join(v.Options, ", ")
	case twin.Missing:
		return "is missing"
	}
	return "cannot be empty"
}
