package main

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"strings"
)

// defaultURL is where a server listens unless told otherwise.
const defaultURL = "http://127.0.0.1:7357"

// urlEnv stands for --url.
const urlEnv = "WORLDS_URL"

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
		base = r.server()
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
func (t *target) open(ctx context.Context) (*remote, error) {
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
		base = r.server()
	}
	c, err := newClient(base, token)
	switch {
	case err != nil:
		return nil, err
	case notes != nil:
		return &remote{client: c, id: notes.ID, notes: notes}, nil
	case t.World == "":
		return nil, usage("--world: which one? The context file has no current world on %s%s", base, c.choice(ctx))
	}
	if n := r.find("", t.World); n != nil && token == "" {
		c.elsewhere = n.URL
	}
	return &remote{client: c, id: t.World}, nil
}

// choiceMax is how many worlds are named to choose from.
const choiceMax = 10

// choice says which worlds there are to choose from, and nothing if the server does
// not tell. None is taken for being the only one: the next verb may be a reset.
func (c *client) choice(ctx context.Context) string {
	var list worldList
	if err := c.get(ctx, "/admin/worlds", &list); err != nil {
		return ""
	}
	if len(list.Worlds) == 0 {
		return ", and there is none: worlds world create"
	}
	names := []string{}
	for i, w := range list.Worlds {
		if i == choiceMax {
			names = append(names, "…")
			break
		}
		names = append(names, cmp.Or(w.Name, w.ID))
	}
	return ", which has " + strings.Join(names, ", ")
}

// fetch gets a path of the world's for printing as it is.
func (r *remote) fetch(ctx context.Context, rest string) (json.RawMessage, error) {
	var raw json.RawMessage
	err := r.get(ctx, r.path(rest), &raw)
	return raw, err
}
