package admin

import (
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/gorilla/mux"

	"worlds/journal/canon"
	"worlds/twin/world"
)

// call is one request to the admin API.
type call struct {
	s     *Server
	w     http.ResponseWriter
	r     *http.Request
	entry *entry       // of routes on a world
	world *world.World // of routes on a world

	status int       // of the answer, 0 for none, or one that is streamed
	answer canon.Raw // its body; nil for none
}

// handle does what a route does and answers, with no lock held any more: an answer
// on a world passes the points that are left of its operation.
func (c *call) handle(route *route) error {
	if err := route.handle(c); err != nil {
		return err
	}
	if c.status == 0 {
		return nil
	}
	c.serve()
	if c.answer != nil {
		c.w.Header().Set("Content-Type", "application/json")
	}
	c.w.WriteHeader(c.status)
	if c.answer != nil {
		_, _ = c.w.Write(append(c.answer, '\n'))
	}
	return nil
}

// unlogged makes a change op of a world that no entry of the world holds: the server's
// own stream holds it, under a lock of its own, so that it passes no point in between.
func unlogged(op string, change func(*call) error) func(*call) error {
	return func(c *call) error {
		ctx, cmd := c.r.Context(), operation(op, nil)
		if err := c.world.Pass(ctx, world.Passing{Point: world.Produced, Command: &cmd}); err != nil {
			return err
		}
		if err := change(c); err != nil {
			return err
		}
		_ = c.world.Pass(ctx, world.Passing{Point: world.Committed, Command: &cmd})
		return nil
	}
}

// serve says that the answer is about to be written.
func (c *call) serve() {
	if c.world == nil {
		return
	}
	cmd := operation("", nil)
	cmd.Method, cmd.Path = c.r.Method, c.r.URL.Path
	_ = c.world.Pass(c.r.Context(), world.Passing{Point: world.Served, Command: &cmd})
}

// bodyBytesMax bounds the body of an admin request; seeds are the largest.
const bodyBytesMax = 40 << 20

// body reads the request's body into v, strictly: the JSON path of what is wrong
// is in the error. An empty body is an empty object.
func body[T any](c *call, v *T) error {
	src, err := readBody(c)
	if err != nil {
		return err
	}
	if len(src) == 0 {
		src = []byte("{}")
	}
	canonical, err := canon.Canonicalize(src)
	if err != nil {
		return err
	}
	return canon.Unmarshal(canonical, v)
}

// view is the world as it stands or, with ?at, as it stood at a mark or after an
// entry.
func (c *call) view() (world.View, error) {
	v, err := c.world.View(c.r.Context())
	if err != nil || !c.r.URL.Query().Has(atParameter) {
		return v, err
	}
	at, err := c.position(&v, atParameter)
	if err != nil {
		return v, err
	}
	return c.world.ViewAt(c.r.Context(), v, at.seq)
}

// atParameter names a position in the past to read at.
const atParameter = "at"

func readBody(c *call) ([]byte, error) {
	src, err := io.ReadAll(http.MaxBytesReader(c.w, c.r.Body, bodyBytesMax))
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return nil, problem(http.StatusRequestEntityTooLarge, "too-large", "the body has more than %d bytes", large.Limit)
	}
	if err != nil {
		return nil, problem(http.StatusBadRequest, "invalid-body", "the body could not be read: %v", err)
	}
	return src, nil
}

// reply answers with the canonical JSON of v.
func reply[T any](c *call, status int, v *T) error { return c.raw(status, canon.Marshal(v)) }

func (c *call) raw(status int, body canon.Raw) error {
	c.status, c.answer = status, body
	return nil
}

func (c *call) none() error {
	c.status = http.StatusNoContent
	return nil
}

func (c *call) path(name string) string { return mux.Vars(c.r)[name] }

// check refuses what the table of routes does not have: query parameters, or a body
// where none is taken.
func (c *call) check(route *route) error {
	given, err := url.ParseQuery(c.r.URL.RawQuery)
	if err != nil {
		return problem(http.StatusBadRequest, "invalid-query", "the query string cannot be read: %v", err)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		switch {
		case !slices.Contains(route.query, name):
			return problem(http.StatusBadRequest, "unknown-parameter", "this route has no parameter %q", name).at("?" + name)
		case len(given[name]) > 1:
			return problem(http.StatusBadRequest, "invalid-parameter", "%s is given more than once", name).at("?" + name)
		}
	}
	if route.takes != "" || c.r.ContentLength == 0 {
		return nil
	}
	return body(c, &struct{}{})
}

// number reads an integer query parameter within bounds; def when absent.
func (c *call) number(name string, def, least, most int64) (int64, error) {
	if !c.r.URL.Query().Has(name) {
		return def, nil
	}
	text := c.r.URL.Query().Get(name)
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most {
		return 0, problem(http.StatusBadRequest, "invalid-parameter", "%s is an integer from %d to %d, not %q", name, least, most, text).at("?" + name)
	}
	return n, nil
}

// Pages of logs.
const (
	pageDefault = 100
	pageMax     = 1000
)

// page reads after and limit.
func (c *call) page() (after uint64, limit int, err error) {
	n, err := c.number("after", 0, 0, 1<<53-1)
	if err != nil {
		return 0, 0, err
	}
	l, err := c.number("limit", pageDefault, 1, pageMax)
	return uint64(n), int(l), err
}
