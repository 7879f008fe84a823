package testscripts

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"worlds/admin"
	"worlds/journal/canon"
	"worlds/seed"
	"worlds/twin/world"
)

// Rig is what one scenario works with.
type Rig struct {
	opt    Options
	dir    string
	work   string
	wrap   func(http.Handler) http.Handler
	server *Server
	worlds map[string]*scene
	order  []*scene
	now    *scene
	last   Answer
	hooks  map[string]*Listener
}

// scene is one world of a scenario.
type scene struct {
	name       string
	info       admin.CreatedWorld
	events     uint64 // shown so far
	hookSecret string // of its endpoint
}

// Answer is a response that a scenario got.
type Answer struct {
	Status int
	Header http.Header
	Body   canon.Raw
}

func (r *Rig) start() error {
	if r.server != nil {
		return nil
	}
	if err := os.MkdirAll(r.dir, 0o700); err != nil {
		return err
	}
	start := StartServer
	if r.opt.Start != nil {
		start = r.opt.Start
	}
	s, err := start(ServerOptions{Dir: r.dir, Wrap: r.wrap})
	r.server = s
	return err
}

func (r *Rig) stop() {
	if r.server != nil {
		_ = r.end() // the scenario has been judged
	}
	for _, h := range r.hooks {
		h.Close()
	}
}

// end stops the server, unless it is somebody else's.
func (r *Rig) end() error {
	s := r.server
	r.server = nil
	if r.opt.Start != nil {
		return nil
	}
	return s.Stop()
}

// world makes a world of a seed file in the scenario, or of a library seed.
func (r *Rig) world(ref, name string) (*scene, error) {
	if err := r.start(); err != nil {
		return nil, err
	}
	doc, err := r.seed(ref)
	if err != nil {
		return nil, err
	}
	opt := admin.CreateOptions{Name: name}
	if r.opt.Start != nil {
		opt.Name = "" // it may serve other scenarios
	}
	info, err := r.server.Admin.Create(doc, opt)
	if err != nil {
		return nil, err
	}
	s := &scene{name: name, info: *info}
	r.worlds[name] = s
	r.order = append(r.order, s)
	r.now = s
	return s, nil
}

func (r *Rig) seed(ref string) (*seed.Seed, error) {
	if !strings.HasSuffix(ref, ".json") {
		return seed.Lookup(ref)
	}
	src, err := os.ReadFile(filepath.Join(r.work, ref))
	if err != nil {
		return nil, err
	}
	return seed.Parse(src)
}

// Server is the scenario's server, nil before its first world.
func (r *Rig) Server() *Server { return r.server }

// Worlds are the worlds of the scenario that are there, in the order they were made,
// with their names in it.
func (r *Rig) Worlds() (names []string, worlds []*world.World) {
	for _, s := range r.order {
		if w, err := r.live(s); err == nil {
			names, worlds = append(names, s.name), append(worlds, w)
		}
	}
	return names, worlds
}

// World is the present world, nil if there is none.
func (r *Rig) World() *world.World {
	if r.now == nil || r.server == nil {
		return nil
	}
	w, _ := r.live(r.now)
	return w
}

// HasKey reports whether the present world has an API key of that label.
func (r *Rig) HasKey(label string) bool {
	_, err := r.now.secret(label)
	return err == nil
}

// AddKey gives the present world an API key.
func (r *Rig) AddKey(label string) error {
	if err := r.admin("POST", "/keys", `{"label":`+string(canon.AppendString(nil, label))+`}`); err != nil {
		return err
	}
	if r.last.Status != http.StatusCreated {
		return fmt.Errorf("a key %s: %s", label, r.last.Body)
	}
	r.now.addKey(r.last.Body)
	return nil
}

// Reset takes a world of the scenario back to its beginning.
func (r *Rig) Reset(ctx context.Context, name string) error {
	return r.server.Admin.Reset(ctx, r.worlds[name].info.ID)
}

// Last is the last answer; SetLast makes another one that.
func (r *Rig) Last() Answer { return r.last }

// SetLast makes an answer the one that json, status, header and save read.
func (r *Rig) SetLast(a Answer) { r.last = a }

// live is the world of a scene in the running server.
func (r *Rig) live(s *scene) (*world.World, error) {
	o, ok := r.server.Admin.Resolve("stripe", s.info.Keys[0].Secret)
	if !ok {
		return nil, fmt.Errorf("world %s is not there", s.name)
	}
	return o.World, nil
}

// addKey notes a key that was made.
func (s *scene) addKey(body canon.Raw) {
	label, _ := member(body, ".label")
	secret, _ := member(body, ".secret")
	s.info.Keys = append(s.info.Keys, admin.KeyInfo{Label: label, Secret: secret})
}

// secret is the API key of a label; "" is the first.
func (s *scene) secret(label string) (string, error) {
	for _, k := range s.info.Keys {
		if label == "" || k.Label == label {
			return k.Secret, nil
		}
	}
	return "", fmt.Errorf("the world has no key %q", label)
}

// Call is one request of a scenario.
type Call struct {
	Method, Path string
	Form         string
	Body         string // sent as it is
	Header       http.Header
}

// do sends a request and keeps the answer.
func (r *Rig) do(c Call) error {
	a, err := r.Send(context.Background(), c)
	if err == nil {
		r.last = a
	}
	return err
}

// Send sends a request. It may be called by several at once.
func (r *Rig) Send(ctx context.Context, c Call) (Answer, error) {
	target, body := r.server.URL+c.Path, io.Reader(nil)
	if c.Body != "" {
		body = strings.NewReader(c.Body)
	} else if c.Form != "" {
		if c.Method == http.MethodGet || c.Method == http.MethodDelete {
			target += "?" + c.Form
		} else {
			body = strings.NewReader(c.Form)
		}
	}
	req, err := http.NewRequestWithContext(ctx, c.Method, target, body)
	if err != nil {
		return Answer{}, err
	}
	req.Header = c.Header
	if body != nil && req.Header.Get("Content-Type") == "" {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	client := http.Client{Transport: r.opt.Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		return Answer{}, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return Answer{}, err
	}
	a := Answer{Status: res.StatusCode, Header: res.Header}
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/plain") {
		a.Body = canon.AppendString(nil, string(text))
	} else if len(text) > 0 {
		if a.Body, err = canon.Canonicalize(quoteDecimals(text)); err != nil {
			return a, fmt.Errorf("%s %s answered %d with something that is not JSON: %w: %.200s", c.Method, c.Path, res.StatusCode, err, text)
		}
	}
	return a, nil
}

// admin calls the admin API on the present world.
func (r *Rig) admin(method, path, body string) error {
	if r.now == nil {
		return fmt.Errorf("there is no world; begin with: world new SEED")
	}
	return r.do(r.Operator(method, path, body))
}

// Operator is a call of the admin API on the present world; path is what follows
// the world's own.
func (r *Rig) Operator(method, path, body string) Call {
	return Call{Method: method, Path: "/admin/worlds/" + r.now.info.ID + path, Form: body,
		Header: http.Header{"Authorization": {"Bearer " + r.now.info.AdminToken}, "Content-Type": {"application/json"}}}
}

// encodePairs form-encodes NAME=VALUE words: the value is escaped, the name is
// kept as written.
func encodePairs(words []string) (string, error) {
	pairs := make([]string, 0, len(words))
	for _, w := range words {
		name, value, ok := strings.Cut(w, "=")
		if !ok {
			return "", fmt.Errorf("%q is not NAME=VALUE", w)
		}
		pairs = append(pairs, name+"="+url.QueryEscape(value))
	}
	return strings.Join(pairs, "&"), nil
}

// quoteDecimals makes texts of the numbers of a JSON text that are not integers, so
// that it has a canonical form: an API may show a percentage as 12.5.
func quoteDecimals(text []byte) []byte {
	out, quoted := make([]byte, 0, len(text)+16), false
	for i := 0; i < len(text); i++ {
		c := text[i]
		if quoted || c != '-' && (c < '0' || c > '9') {
			if out = append(out, c); c == '\\' && quoted && i+1 < len(text) {
				i++
				out = append(out, text[i])
			} else if c == '"' {
				quoted = !quoted
			}
			continue
		}
		end := i
		for end < len(text) && bytes.IndexByte([]byte("+-.0123456789Ee"), text[end]) >= 0 {
			end++
		}
		if number := text[i:end]; bytes.ContainsAny(number, ".Ee") {
			out = append(append(append(out, '"'), number...), '"')
		} else {
			out = append(out, number...)
		}
		i = end - 1
	}
	return out
}
