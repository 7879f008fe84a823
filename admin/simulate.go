package admin

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"worlds/journal/canon"
	"worlds/projection"
	"worlds/twin"
	"worlds/twin/world"
)

// simulateRequest is the body of POST …/simulate.
type simulateRequest struct {
	At       canon.Raw         `json:"at,omitempty"` // a mark or a number; the present by default
	Commands []simulateCommand `json:"commands"`
}

// simulateCommand is a request of a twin, or an advance of the clock.
type simulateCommand struct {
	API     string `json:"api,omitempty"` // the first twin by default
	Method  string `json:"method,omitempty"`
	Path    string `json:"path,omitempty"`
	Query   string `json:"query,omitempty"`
	Body    string `json:"body,omitempty"`
	Key     string `json:"key,omitempty"` // label, key:1 by default
	Idem    string `json:"idempotency_key,omitempty"`
	Version string `json:"version,omitempty"`
	Advance *int64 `json:"advance_seconds,omitempty"`
}

// check refuses a command that no client could send, or that says two things.
func (s *simulateCommand) check(labels []string, catalogs []*twin.Catalog, where string) *Problem {
	invalid := func(member, format string, args ...any) *Problem {
		return problem(http.StatusBadRequest, "invalid-command", format, args...).at(where + member)
	}
	switch {
	case s.Advance != nil && *s != simulateCommand{Advance: s.Advance}:
		return invalid("", "a command is a request or an advance of the clock")
	case s.Advance != nil:
		return nil
	case s.API != "" && !slices.ContainsFunc(catalogs, func(c *twin.Catalog) bool { return c.Name == s.API }):
		return invalid(".api", "there is no API %q", s.API)
	case !slices.Contains(simulateMethods, s.Method):
		return invalid(".method", "a method is one of %s", strings.Join(simulateMethods, ", "))
	case !strings.HasPrefix(s.Path, "/") || strings.ContainsAny(s.Path, "?#"):
		return invalid(".path", "a path begins with / and has no query")
	case s.url() == nil:
		return invalid(".path", "a path is percent-encoded, and this one cannot be decoded")
	case s.Key != "" && !slices.Contains(labels, s.Key):
		return invalid(".key", "the world has no key %q", s.Key)
	}
	return nil
}

// url is the path as a server reads it, nil if none would.
func (s *simulateCommand) url() *url.URL {
	u, err := url.ParseRequestURI(s.Path)
	if err != nil {
		return nil
	}
	return u
}

// simulateMethods are the methods of requests.
var simulateMethods = []string{"GET", "POST", "PUT", "PATCH", "DELETE"}

// request is the command as it would have come.
func (s *simulateCommand) request(api string) world.Request {
	if s.Advance != nil {
		return world.Request{Command: operation("advance", twin.AdvanceBy(*s.Advance))}
	}
	at := s.url()
	cmd := twin.Command{Actor: s.Key, API: s.API, Method: s.Method, Version: s.Version,
		Query: twin.EscapeForm([]byte(s.Query)), Body: s.Body}
	cmd.Path, cmd.Escaped = twin.PathOf(at.Path, at.EscapedPath())
	if cmd.Actor == "" {
		cmd.Actor = "key:1"
	}
	if cmd.API == "" {
		cmd.API = api
	}
	return world.Request{Command: cmd, IdemKey: s.Idem}
}

// simulateWorld answers what a list of commands would do after a position: every
// answer, the diff, the hash of the state and of the whole exchange. The world is
// untouched; the same list gives the same answer.
func simulateWorld(c *call) error {
	var req simulateRequest
	if err := body(c, &req); err != nil {
		return err
	}
	v, err := c.world.View(c.r.Context())
	if err != nil {
		return err
	}
	at, err := positionIn(&v, req.At, "$.at")
	if err != nil {
		return err
	}
	if len(req.Commands) > world.SimulateMax {
		return problem(http.StatusBadRequest, "too-many-commands", "a simulation has at most %d commands", world.SimulateMax).at("$.commands")
	}
	labels := c.s.registry.labels(c.entry)
	requests := make([]world.Request, len(req.Commands))
	for i := range req.Commands {
		if p := req.Commands[i].check(labels, c.s.host.Catalogs(), "$.commands["+strconv.Itoa(i)+"]"); p != nil {
			return p
		}
		requests[i] = req.Commands[i].request(c.s.host.Catalogs()[0].Name)
	}
	s, err := c.world.Simulate(c.r.Context(), v, at.seq, requests)
	if err != nil {
		return err
	}
	out := []byte(`{"answers":[`)
	for i := range s.Answers {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendAnswer(out, &s.Answers[i])
	}
	out = canon.AppendString(append(out, `],"chain":`...), s.Chain)
	out = projection.Compare(s.From, s.To).Append(append(out, `,"diff":`...))
	out = canon.AppendString(append(out, `,"dump_hash":`...), world.DumpHash(s.To))
	return c.raw(http.StatusOK, append(out, '}'))
}

func appendAnswer(dst []byte, o *twin.Outcome) []byte {
	dst = append(dst, '{')
	if o.Body != nil {
		dst = append(append(append(dst, `"body":`...), o.Body...), ',')
	}
	return append(canon.AppendInt(append(dst, `"status":`...), o.Status), '}')
}
