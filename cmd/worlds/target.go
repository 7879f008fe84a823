package main

import (
	"context"
	"encoding/json"
	"net/url"
)

// defaultURL is where a server listens unless told otherwise.
const defaultURL = "http://127.0.0.1:7357"

// server are the flags that name a server.
type server struct {
	URL   string `env:"WORLDS_URL" placeholder:"URL" help:"Server; by default the one of the world in the context file, else http://127.0.0.1:7357."`
	Token string `env:"WORLDS_TOKEN" placeholder:"TOKEN" help:"Admin token of the world, or root token of the server."`
}

// target are the flags that name a world on a server.
type target struct {
	server
	World string `env:"WORLDS_WORLD" placeholder:"WORLD" help:"World, by id or name; by default the current one of the context file." predictor:"world"`
}

// output is the flag of verbs that print data.
type output struct {
	JSON bool `help:"Print JSON for programs."`
}

// client returns a client of the server, without a world.
func (s *server) client() (*client, error) {
	base := s.URL
	if base == "" {
		r, err := recall()
		if err != nil {
			return nil, err
		}
		base = defaultURL
		if n := r.find("", ""); n != nil {
			base = n.URL
		}
	}
	return newClient(base, s.Token)
}

// remote is a world on a server, ready to be spoken to.
type remote struct {
	*client
	id    string      // or its name, which the server takes too
	notes *worldNotes // nil if the context file has none
}

// path is the admin path of something of the world's: "/dump", or "" for itself.
func (r *remote) path(rest string) string {
	return "/admin/worlds/" + url.PathEscape(r.id) + rest
}

// use names the world by a verb's argument, which goes before --world.
func (t *target) use(arg string) {
	if arg != "" {
		t.World = arg
	}
}

// open finds the world, in the context file if that knows it. A token of the context
// file goes to the server that it came from, and to no other.
func (t *target) open() (*remote, error) {
	r, err := recall()
	if err != nil {
		return nil, err
	}
	base, token := t.URL, t.Token
	notes := r.find(base, t.World)
	if notes != nil {
		if base == "" {
			base = notes.URL
		}
		if token == "" {
			token = notes.AdminToken
		}
	}
	if base == "" {
		base = defaultURL
	}
	c, err := newClient(base, token)
	switch {
	case err != nil:
		return nil, err
	case notes != nil:
		return &remote{client: c, id: notes.ID, notes: notes}, nil
	case t.World == "":
		return nil, usage("--world: which one? The context file has no current world on %s", base)
	}
	return &remote{client: c, id: t.World}, nil
}

// fetch gets a path of the world's for printing as it is.
func (r *remote) fetch(ctx context.Context, rest string) (json.RawMessage, error) {
	var raw json.RawMessage
	err := r.get(ctx, r.path(rest), &raw)
	return raw, err
}
