package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"worlds/admin"
	"worlds/seed"
)

type worldCreateCmd struct {
	server
	output
	Seed       string   `required:"" placeholder:"SEED" help:"Seed: a name of the library, sha256:… of a published one, a file (with a slash or .json in its name), or - for stdin." predictor:"seed"`
	Name       string   `placeholder:"NAME" help:"Name of the world, once a server."`
	ClockMode  string   `enum:",manual,auto" default:"" placeholder:"MODE" help:"manual or auto, instead of what the seed says; it is then another seed, with another hash and other ids."`
	Key        []string `sep:"none" placeholder:"[LABEL=]SECRET" help:"API key to give it; may be repeated. One is made if there is none."`
	AdminToken string   `placeholder:"SECRET" help:"Admin token to give it; made by default."`
}

// createWorld is the request that makes a world.
type createWorld struct {
	Seed       json.RawMessage `json:"seed"`
	Name       string          `json:"name,omitempty"`
	ClockMode  string          `json:"clock_mode,omitempty"`
	Keys       []keyPair       `json:"keys,omitempty"`
	AdminToken string          `json:"admin_token,omitempty"`
}

// Run makes the world, remembers its secrets and prints them.
func (c *worldCreateCmd) Run(ctx context.Context, t *terminal) error {
	req := createWorld{Name: c.Name, ClockMode: c.ClockMode, AdminToken: c.AdminToken}
	var err error
	if req.Seed, err = seedArgument(t, c.Seed); err != nil {
		return err
	}
	for _, key := range c.Key {
		req.Keys = append(req.Keys, parseKey(key))
	}
	server, err := c.client()
	if err != nil {
		return err
	}
	var made admin.CreatedWorld
	if err := server.post(ctx, "/admin/worlds", &req, &made); err != nil {
		return unknownSeed(c.Seed, err)
	}
	tryRemember(t, func(r *remembered) {
		r.put(notesOf(server.base, &made))
		r.Current = made.ID
	})
	if c.JSON {
		return t.json(&made)
	}
	if err := t.fields("world", made.ID, "name", made.Name, "seed", made.Seed.Name+" "+made.Seed.Hash, "clock", moment(made.Clock)); err != nil {
		return err
	}
	fmt.Fprintln(t.out)
	return printPaste(t, &paste{URL: server.base, World: made.ID, AdminToken: made.AdminToken, Key: made.Keys[0].Secret, Desk: made.Zendesk})
}

// unknownSeed adds to the refusal of a seed's name what may have been meant.
func unknownSeed(ref string, err error) error {
	var p *problem
	if errors.As(err, &p) && p.Code == "no-such-seed" {
		return fmt.Errorf("--seed %s: %w; worlds seed list names them; the name of a file has a slash or ends in .json", ref, err)
	}
	return err
}

// parseKey reads [LABEL=]SECRET.
func parseKey(text string) keyPair {
	if label, secret, ok := strings.Cut(text, "="); ok {
		return keyPair{Label: label, Secret: secret}
	}
	return keyPair{Secret: text}
}

// notesOf are the secrets of a world that was just made.
func notesOf(url string, made *admin.CreatedWorld) worldNotes {
	n := worldNotes{URL: url, ID: made.ID, Name: made.Name, AdminToken: made.AdminToken, Zendesk: *made.Zendesk}
	for _, k := range made.Keys {
		n.Keys = append(n.Keys, keyPair{Label: k.Label, Secret: k.Secret})
	}
	return n
}

// isSeedFile tells the name of a file from that of a seed.
func isSeedFile(ref string) bool {
	return ref == "-" || strings.ContainsAny(ref, `/\`) || strings.HasSuffix(ref, ".json")
}

// seedArgument turns the seed a person names into what the server is told: its
// name, or the whole document, checked here so that errors name the file.
func seedArgument(t *terminal, ref string) (json.RawMessage, error) {
	if !isSeedFile(ref) {
		return json.Marshal(ref)
	}
	s, err := readSeed(t, ref)
	if err != nil {
		return nil, fmt.Errorf("--seed %s: %w", ref, err)
	}
	return s.Canonical, nil
}

// readSeed reads and checks a seed file, "-" being stdin.
func readSeed(t *terminal, path string) (*seed.Seed, error) {
	var src []byte
	var err error
	if path == "-" {
		src, err = io.ReadAll(io.LimitReader(t.in, seed.MaxDocumentBytes+1))
	} else {
		src, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, coded(exitUsage, err)
	}
	return seed.Parse(src)
}
