package admin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"worlds/journal/canon"
	"worlds/seed"
	"worlds/twin"
	"worlds/twin/world"
)

// Problem is a refusal as RFC 9457 shapes it. Code is stable; Path is the JSON
// path of the offending value, where there is one.
type Problem struct {
	Type     string        `json:"type"`
	Title    string        `json:"title"`
	Status   int64         `json:"status"`
	Detail   string        `json:"detail"`
	Code     string        `json:"code"`
	Path     string        `json:"path,omitempty"`
	Problems []SeedProblem `json:"problems,omitempty"`
}

// SeedProblem is one fault of a seed.
type SeedProblem struct {
	Path   string `json:"path"`
	Detail string `json:"detail"`
}

// Error implements error.
func (p *Problem) Error() string { return p.Code + ": " + p.Detail }

func problem(status int, code, format string, args ...any) *Problem {
	return &Problem{Type: "urn:worlds:problem:" + code, Title: http.StatusText(status), Status: int64(status), Code: code,
		Detail: fmt.Sprintf(format, args...)}
}

func (p *Problem) at(path string) *Problem {
	p.Path = path
	return p
}

// problemOf words any error of an operation.
func problemOf(err error) *Problem {
	var p *Problem
	var refusal *twin.Refusal
	var faults *seed.Invalid
	var syntax *canon.Error
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &refusal):
		return problem(refusalStatus(refusal.Code), refusal.Code, "%s", refusal.Text).at(refusal.Path)
	case errors.As(err, &faults):
		return seedProblem(faults)
	case errors.As(err, &syntax):
		return problem(http.StatusBadRequest, "invalid-json", "%s", syntax.Msg).at(syntax.Path)
	case errors.Is(err, world.ErrUnserved):
		return problem(http.StatusNotImplemented, "seed-unserved", "%v", err)
	case errors.Is(err, world.ErrRules):
		return problem(http.StatusConflict, "version-refused", "%v", err)
	case errors.Is(err, world.ErrNoSuchSeq):
		return problem(http.StatusNotFound, "no-such-entry", "%v", err)
	case errors.Is(err, world.ErrBusy), errors.Is(err, world.ErrReset):
		return problem(http.StatusConflict, "reset", "%v", err)
	case errors.Is(err, world.ErrGone):
		return problem(http.StatusNotFound, "no-such-world", "%v", err)
	case errors.Is(err, world.ErrNoSuchSeed):
		return problem(http.StatusNotFound, "no-such-seed", "there is no such seed")
	case errors.Is(err, world.ErrDamaged):
		return problem(http.StatusInternalServerError, "journal-damaged", "%v", err)
	case errors.Is(err, world.ErrJournal):
		return problem(http.StatusServiceUnavailable, "journal-unavailable", "%v", err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return problem(http.StatusServiceUnavailable, "canceled", "the request was given up")
	}
	return problem(http.StatusInternalServerError, "internal", "%v", err)
}

// blamed adds to a refusal with one of the codes the place in the request that it
// is about.
func blamed(err error, path string, codes ...string) error {
	var refusal *twin.Refusal
	if errors.As(err, &refusal) && refusal.Path == "" && slices.Contains(codes, refusal.Code) {
		return problemOf(err).at(path)
	}
	return err
}

// refusalStatus is the status of an admin operation's refusal.
func refusalStatus(code string) int {
	switch code {
	case "no-such-rule", "no-such-event":
		return http.StatusNotFound
	case "mark-exists", "advance-refused", "rule-exists", "no-endpoint":
		return http.StatusConflict
	case "internal":
		return http.StatusInternalServerError
	}
	return http.StatusBadRequest
}

// seedProblem lists the faults of a seed; the first is the problem's own.
func seedProblem(faults *seed.Invalid) *Problem {
	first := faults.Problems[0]
	p := problem(http.StatusBadRequest, "invalid-seed", "%s: %s", first.Path, first.Msg).at(first.Path)
	if first.Offset >= 0 {
		p.Detail += " (at byte " + strconv.FormatInt(first.Offset, 10) + ")"
	}
	for _, f := range faults.Problems {
		p.Problems = append(p.Problems, SeedProblem{Path: f.Path, Detail: f.Msg})
	}
	return p
}

func (p *Problem) write(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", "application/problem+json")
	if p.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="worlds admin"`)
	}
	w.WriteHeader(int(p.Status))
	_, _ = w.Write(append(canon.Marshal(p), '\n'))
}
