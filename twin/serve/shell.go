package serve

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/gorilla/mux"

	"worlds/journal/canon"
	"worlds/twin"
	"worlds/twin/world"
)

// Resolver finds the world of a credential. It must be quick and safe for
// concurrent use, and must not tell secrets apart by timing.
type Resolver func(api, secret string) (world.Origin, bool)

// Shell serves the twins.
type Shell struct {
	resolve Resolver
	log     *slog.Logger
	// Observe, if not nil, is told of every answer (for metrics).
	Observe func(api string, status int)
	origin  atomic.Pointer[string] // the last one: most requests have the same
}

// NewShell returns a Shell.
func NewShell(resolve Resolver, log *slog.Logger) *Shell {
	return &Shell{resolve: resolve, log: log}
}

// Mount adds the catalogs' prefixes to a router, which must not clean paths.
func (s *Shell) Mount(r *mux.Router, catalogs []*twin.Catalog) {
	for _, c := range catalogs {
		h := s.handler(c)
		r.MatcherFunc(below(c.Wire.Prefix)).Handler(h)
		r.MatcherFunc(func(r *http.Request, _ *mux.RouteMatch) bool { return c.Wire.Stray(r.URL.Path) }).Handler(h)
	}
}

// below matches a prefix and what is below it, as Path and PathPrefix would with
// their regular expressions.
func below(prefix string) mux.MatcherFunc {
	return func(r *http.Request, _ *mux.RouteMatch) bool {
		rest, ok := strings.CutPrefix(r.URL.Path, prefix)
		return ok && (rest == "" || rest[0] == '/')
	}
}

// buffers are reused between answers.
var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 4<<10); return &b }}

// bufferKeepMax is the largest buffer that is kept for reuse.
const bufferKeepMax = 256 << 10

func (s *Shell) handler(c *twin.Catalog) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			switch p := recover(); p {
			case nil:
			case http.ErrAbortHandler:
				panic(p) // the connection is to be cut
			default:
				s.log.Error("request panicked", "path", r.URL.Path, "panic", p)
				s.refuse(w, r, c, c.Internal())
			}
		}()
		s.serve(w, r, c)
	})
}

func (s *Shell) serve(w http.ResponseWriter, r *http.Request, c *twin.Catalog) {
	authorization := r.Header.Get("Authorization")
	secret, as := c.Wire.Secret(authorization)
	if secret == "" {
		at, _ := twin.PathOf(r.URL.Path, r.URL.EscapedPath())
		s.refuse(w, r, c, c.Wire.NoKey(r.Method, at, authorization))
		return
	}
	origin, ok := s.resolve(c.Name, secret)
	if !ok {
		s.refuse(w, r, c, c.Wire.BadKey(authorization, Mask(secret)))
		return
	}
	req, refusal := s.command(w, r, c, origin.Actor)
	req.Command.As, req.Command.Expires = text(as), origin.Expires
	if refusal != nil {
		s.refuse(w, r, c, refusal)
		return
	}
	if at := r.Header.Get(atHeader); at != "" {
		s.lookBack(w, r, c, origin.World, req, at, secret)
		return
	}
	answer, err := origin.World.Do(r.Context(), req)
	if err != nil {
		s.failed(w, r, c, err)
		return
	}
	defer origin.World.Answered()
	_ = origin.World.Pass(r.Context(), world.Passing{Point: world.Served, Command: &req.Command, Answer: answer})
	if answer.Close {
		cut(w)
		return
	}
	s.write(w, r, c, &answer.Outcome, private{idemKey: req.IdemKey, secret: secret})
}

// command turns a request into a command, holding it against the limits.
func (s *Shell) command(w http.ResponseWriter, r *http.Request, c *twin.Catalog, actor string) (world.Request, *twin.Error) {
	var req world.Request
	if len(r.URL.Path) > PathBytesMax || len(r.URL.RawQuery) > QueryBytesMax {
		return req, c.Wire.Transport(http.StatusRequestURITooLong, "The URL of the request is too long.")
	}
	if keys := r.Header.Values(c.Wire.IdemHeader); len(keys) > 1 && slices.ContainsFunc(keys, func(k string) bool { return k != keys[0] }) {
		return req, c.Wire.Transport(http.StatusBadRequest, "The request has several "+c.Wire.IdemHeader+" headers that differ.")
	}
	body, refusal := readBody(w, r, c)
	if refusal != nil {
		return req, refusal
	}
	at, escaped := twin.PathOf(r.URL.Path, r.URL.EscapedPath())
	req.Command = twin.Command{
		Actor: actor, API: c.Name, Method: r.Method, Path: at, Escaped: escaped,
		Query: twin.EscapeForm([]byte(r.URL.RawQuery)), Version: text(r.Header.Get(c.Wire.VersionHeader)),
		Behalf: text(r.Header.Get(c.Wire.BehalfHeader)),
	}
	switch {
	case len(body) == 0:
	case c.JSON:
		req.Command.Media = foreignMedia(r.Header.Get("Content-Type"), jsonMedia)
		if req.Command.Body = string(body); !utf8.Valid(body) {
			req.Command.Body, req.Command.Media = "", notUTF8
		}
	default:
		req.Command.Media = foreignMedia(r.Header.Get("Content-Type"), formMedia)
		req.Command.Body = twin.EscapeForm(body)
	}
	for _, name := range c.Wire.Unserved {
		if r.Header.Get(name) != "" {
			req.Command.Header = name
		}
	}
	if r.Method != http.MethodGet {
		req.IdemKey = text(r.Header.Get(c.Wire.IdemHeader))
	}
	return req, nil
}

func readBody(w http.ResponseWriter, r *http.Request, c *twin.Catalog) ([]byte, *twin.Error) {
	if r.Body == nil || r.Body == http.NoBody {
		return nil, nil
	}
	body, err := []byte(nil), error(nil)
	if r.ContentLength > 0 && r.ContentLength <= BodyBytesMax {
		body = make([]byte, r.ContentLength)
		_, err = io.ReadFull(r.Body, body)
	} else {
		body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, BodyBytesMax))
	}
	if err == nil {
		return body, nil
	}
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return nil, c.Wire.Transport(http.StatusRequestEntityTooLarge, "The body of the request is too large; the limit is "+
			strconv.Itoa(BodyBytesMax)+" bytes.")
	}
	return nil, c.Wire.Transport(http.StatusBadRequest, "The body of the request could not be read.")
}

// text makes a header value storable.
func text(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return twin.EscapeForm([]byte(s))
}

// Media types of bodies; notUTF8 stands for that of a body which is no text.
const (
	formMedia = "application/x-www-form-urlencoded"
	jsonMedia = "application/json"
	notUTF8   = "not UTF-8"
)

// foreignMedia is the media type of a body that is not as wanted, "" for one that
// is.
func foreignMedia(header, want string) string {
	if header == "" || header == want {
		return ""
	}
	media, _, err := mime.ParseMediaType(header)
	switch {
	case err != nil:
		return text(header)
	case media == want:
		return ""
	}
	return text(media)
}

// private is what differs between two runs of one script and is only put in when
// an answer is rendered.
type private struct{ idemKey, secret string }

// originOf is the scheme and host by which the client found the server.
func (s *Shell) originOf(r *http.Request) string {
	scheme := "http://"
	if secure(r) {
		scheme = "https://"
	}
	if last := s.origin.Load(); last != nil {
		if host, ok := strings.CutPrefix(*last, scheme); ok && host == r.Host {
			return *last
		}
	}
	origin := scheme + r.Host
	s.origin.Store(&origin)
	return origin
}

func (s *Shell) write(w http.ResponseWriter, r *http.Request, c *twin.Catalog, o *twin.Outcome, p private) {
	h := w.Header()
	h["Content-Type"] = jsonType
	head := c.Wire.Head(o, p.idemKey)
	for i := 0; i+1 < len(head); i += 2 {
		if head[i] == "Location" {
			head[i+1] = strings.Replace(head[i+1], twin.Origin, s.originOf(r), 1)
		}
		h[http.CanonicalHeaderKey(head[i])] = head[i+1 : i+2 : i+2] // no slice of its own
	}
	body := o.Body
	if len(o.Splice) > 0 {
		body = splice(body, o.Splice, p.idemKey, p.secret)
	}
	s.send(w, r, c, int(o.Status), body)
}

func (s *Shell) send(w http.ResponseWriter, r *http.Request, c *twin.Catalog, status int, body canon.Raw) {
	buf := buffers.Get().(*[]byte)
	out := (*buf)[:0]
	if body != nil {
		out = c.Wire.Render(out, body, s.originOf(r))
	}
	h := w.Header()
	h["Content-Length"] = []string{strconv.Itoa(len(out))}
	switch status {
	case http.StatusNoContent:
		delete(h, "Content-Length")
		delete(h, "Content-Type")
	case http.StatusNotModified: // the body stays here too: what is held would wait for it
	default:
		hold(r, len(out))
	}
	w.WriteHeader(status)
	_, _ = w.Write(out) // a client that has gone is no fault of ours
	if cap(out) <= bufferKeepMax {
		*buf = out
		buffers.Put(buf)
	}
	if s.Observe != nil {
		s.Observe(c.Name, status)
	}
}

var jsonType = []string{"application/json"}

// splice fills in the placeholders of a body with what this run has in their
// place.
func splice(body canon.Raw, names []string, idemKey, secret string) canon.Raw {
	text := string(body)
	for _, name := range names {
		value := Mask(secret)
		if name == twin.SpliceIdemKey {
			value = idemKey
		}
		quoted := canon.AppendString(nil, value)
		text = strings.ReplaceAll(text, name, string(quoted[1:len(quoted)-1]))
	}
	return canon.Raw(text)
}

// refuse answers what never became a command.
func (s *Shell) refuse(w http.ResponseWriter, r *http.Request, c *twin.Catalog, e *twin.Error) {
	o := twin.Outcome{Status: e.Status, Body: e.Body, Headers: e.Headers, Version: c.DefaultVersion, Request: refusedRequest}
	s.write(w, r, c, &o, private{})
}

// refusedRequest is the request id of answers that belong to no world.
const refusedRequest = "req_00000000000000"

// failed answers an operation that a world could not do.
func (s *Shell) failed(w http.ResponseWriter, r *http.Request, c *twin.Catalog, err error) {
	switch {
	case r.Context().Err() != nil && errors.Is(err, context.Canceled):
		return // the client has gone
	case errors.Is(err, world.ErrReset):
		s.refuse(w, r, c, c.Wire.Transport(http.StatusInternalServerError,
			"The world was reset while this request was waiting; it was not executed."))
	case errors.Is(err, world.ErrGone):
		s.refuse(w, r, c, c.Wire.Transport(http.StatusUnauthorized, "The world of this key was deleted."))
	case errors.Is(err, world.ErrJournal):
		s.log.Error("journal", "path", r.URL.Path, "error", err)
		s.refuse(w, r, c, c.Wire.Transport(http.StatusServiceUnavailable,
			"The journal could not be written; the request was not executed."))
	default:
		s.log.Error("world", "path", r.URL.Path, "error", err)
		s.refuse(w, r, c, c.Wire.Transport(http.StatusInternalServerError, "The world could not answer: "+err.Error()))
	}
}

// maskShown is how many trailing characters of a secret a message may show.
const maskShown = 4

// maskKindMax bounds what counts as the kind of a secret, as in "sk_test_…": at most
// two words.
const maskKindMax = 12

// Mask hides a secret for a message: what kind it is and its last characters.
func Mask(secret string) string {
	kind, rest := "", secret
	for range 2 {
		if i := strings.IndexByte(rest, '_'); i > 0 && len(kind)+i < maskKindMax {
			kind, rest = kind+rest[:i+1], rest[i+1:]
		}
	}
	hidden := len(rest)
	if hidden >= 2*maskShown {
		hidden -= maskShown
	}
	return text(kind) + strings.Repeat("*", hidden) + text(rest[hidden:])
}

// cut closes the connection without an answer, with a reset where the transport
// has one.
func cut(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if l, ok := conn.(interface{ SetLinger(int) error }); ok {
		_ = l.SetLinger(0)
	}
	_ = conn.Close()
}
