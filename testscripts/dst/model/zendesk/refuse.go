package zendesk

import (
	"strings"

	"worlds/testscripts/dst/model"
)

// refusal is why a request is refused: nil if it is not.
type refusal struct {
	status int
	name   string  // of the error
	faults []fault // of RecordInvalid: a twin names at least one of them
}

// fault is what is wrong with one field; code is "" where it is null.
type fault struct{ field, code string }

// The names of errors, and the codes of faults.
const (
	recordInvalid = "RecordInvalid"
	notFoundName  = "RecordNotFound"
	blank         = "BlankValue"
	invalid       = "InvalidValue"
	duplicate     = "DuplicateValue"
)

var notFound = &refusal{status: 404, name: notFoundName}

// faults collects what is wrong with one record.
type faults []fault

func (f *faults) add(field, code string) { *f = append(*f, fault{field, code}) }

func (f faults) refusal() *refusal {
	if len(f) == 0 {
		return nil
	}
	return &refusal{status: 422, name: recordInvalid, faults: f}
}

// expect is the prediction of a refusal.
func (r *refusal) expect() model.Expect {
	want := model.Expect{Known: true, Status: r.status, Type: r.name, Body: model.Free}
	switch r.name {
	case recordInvalid:
		var fields, codes []string
		for _, f := range r.faults {
			fields, codes = append(fields, f.field), append(codes, f.code)
		}
		want.Param, want.Code = strings.Join(fields, ","), strings.Join(codes, ",")
	case "Invalid attribute", "Forbidden":
		want.Body = model.Obj("error", model.Obj("title", r.name, "message", model.Any))
	case "InvalidPaginationParameter", "InvalidPaginationDepth":
		want.Body = model.Obj("errors", model.Seq(model.Obj("code", r.name, "title", model.Any, "detail", model.Any)))
	case "Couldn't authenticate you":
		want.Body = model.Obj("error", r.name)
	case notFoundName, "InvalidEndpoint":
		want.Body = model.Obj("error", r.name, "description", "Not found")
	case "Unprocessable Entity":
		want.Body = model.Obj("error", r.name, "message", model.Any)
	default:
		want.Body = model.Obj("error", r.name, "description", model.Any)
	}
	return want
}

// Faults whose words are fixed: the field, and what the fault is.
const (
	faultClosed   = "status.closed"
	faultUnsolved = "base.unsolved"
	faultNoBody   = "base.nobody"
)

// texts are the words that clients are known to match on.
var texts = map[string]string{
	faultClosed:   "Status: closed prevents ticket update",
	faultUnsolved: "Assignee: is required when solving a ticket",
	faultNoBody:   "Description: cannot be blank",
}

// checkFaults checks that a RecordInvalid names one or more of the faults, and
// nothing else.
func checkFaults(want model.Expect, got model.Value) (diffs []model.Diff) {
	fields, codes := strings.Split(want.Param, ","), strings.Split(want.Code, ",")
	details := got.Get("details")
	if got.Get("error").Text != recordInvalid || len(details.Members) == 0 {
		return []model.Diff{{Path: ".error", Got: got.String(), Want: recordInvalid + " " + want.Param}}
	}
	for _, d := range details.Members {
		for _, e := range d.Value.List {
			if !known(fields, codes, d.Name, e) {
				diffs = append(diffs, model.Diff{Path: ".details." + d.Name, Got: e.String(), Want: want.Param + " " + want.Code})
			}
		}
	}
	return diffs
}

// known reports whether one of the faults is what an entry of the details says.
func known(fields, codes []string, name string, entry model.Value) bool {
	for i, f := range fields {
		field, _, _ := strings.Cut(f, ".")
		text, fixed := texts[f]
		if field == name && codes[i] == entry.Get("error").Text && (!fixed || text == entry.Get("description").Text) {
			return true
		}
	}
	return false
}
