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
	"worlds/journal"
	"worlds/journal/canon"
	"worlds/seed"
	"worlds/twin/world"
)

// rig is what one scenario works with.
type rig struct {
	keep   func(string, *world.Genesis, []*journal.Entry) // Options.Keep
	dir    string
	work   string
	wrap   func(http.Handler) http.Handler
	server *Server
	worlds map[string]*scene
	order  []*scene
	now    *scene
	last   answer
	hooks  map[string]*Listener
}

// scene is one world of a scenario.
type scene struct {
	name       string
	info       admin.CreatedWorld
	events     uint64 // shown so far
	hookSecret string // of its endpoint
}

// answer is the last response a scenario got.
type answer struct {
	status int
	header http.Header
	body   canon.Raw
}

func (r *rig) start() error {
	if r.server != nil {
		return nil
	}
	if err := os.MkdirAll(r.dir, 0o700); err != nil {
		return err
	}
	s, err := StartServer(ServerOptions{Dir: r.dir, Wrap: r.wrap})
	r.server = s
	return err
}

func (r *rig) stop() {
	if r.server != nil {
		_ = r.server.Stop() // the scenario has been judged
		r.server = nil
	}
	for _, h := range r.hooks {
		h.Close()
	}
}

// world makes a world of a seed file in the scenario, or of a library seed.
func (r *rig) world(ref, name string) (*scene, error) {
	if err := r.start(); err != nil {
		return nil, err
	}
	doc, err := r.seed(ref)
	if err != nil {
		return nil, err
	}
	info, err := r.server.Admin.Create(doc, admin.CreateOptions{Name: name})
	if err != nil {
		return nil, err
	}
	s := &scene{name: name, info: *info}
	r.worlds[name] = s
	r.order = append(r.order, s)
	r.now = s
	return s, nil
}

func (r *rig) seed(ref string) (*seed.Seed, error) {
	if !strings.HasSuffix(ref, ".json") {
		return seed.Lookup(ref)
	}
	src, err := os.ReadFile(filepath.Join(r.work, ref))
	if err != nil {
		return nil, err
	}
	return seed.Parse(src)
}

// live is the world of a scene in the running server.
func (r *rig) live(s *scene) (*world.World, error) {
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

// call is one request of a scenario.
type call struct {
	method, path string
	form         string
	body         string // sent as it is
	header       http.Header
}

// do sends a request and keeps the answer.
func (r *rig) do(c call) error {
	target, body := r.server.URL+c.path, io.Reader(nil)
	if c.body != "" {
		body = strings.NewReader(c.body)
	} else if c.form != "" {
		if c.method == http.MethodGet || c.method == http.MethodDelete {
			target += "?" + c.form
		} else {
			body = strings.NewReader(c.form)
		}
	}
	req, err := http.NewRequestWithContext(context.Background(), c.method, target, body)
	if err != nil {
		return err
	}
	req.Header = c.header
	if body != nil && req.Header.Get("Content-Type") == "" {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	r.last = answer{status: res.StatusCode, header: res.Header}
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/plain") {
		r.last.body = canon.AppendString(nil, string(text))
	} else if len(text) > 0 {
		if r.last.body, err = canon.Canonicalize(quoteDecimals(text)); err != nil {
			return fmt.Errorf("%s %s answered %d with something that is not JSON: %w: %.200s", c.method, c.path, res.StatusCode, err, text)
		}
	}
	return nil
}

// admin calls the admin API on the present world.
func (r *rig) admin(method, path, body string) error {
	if r.now == nil {
		return fmt.Errorf("there is no world; begin with: world new SEED")
	}
	return r.do(call{method: method, path: "/admin/worlds/" + r.now.info.ID + path, form: body,
		header: http.Header{"Authorization": {"Bearer " + r.now.info.AdminToken}, "Content-Type": {"application/json"}}})
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
