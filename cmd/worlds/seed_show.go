package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"worlds/journal/canon"
	"worlds/seed"
)

type seedShowCmd struct {
	server
	output
	Name string `arg:"" name:"seed" help:"Name of the library, or sha256:… of a seed published on the server." predictor:"seed"`
}

// Run prints a seed as a person would edit it, or in canonical form.
func (c *seedShowCmd) Run(ctx context.Context, t *terminal) error {
	src, err := c.source(ctx)
	if err != nil {
		return err
	}
	_, err = t.out.Write(src)
	return err
}

func (c *seedShowCmd) source(ctx context.Context) ([]byte, error) {
	if strings.HasPrefix(c.Name, "sha256:") {
		return c.published(ctx)
	}
	src, ok := seed.Source(c.Name)
	if !ok {
		_, err := seed.Lookup(c.Name)
		return nil, coded(exitUsage, err)
	}
	if !c.JSON {
		return src, nil
	}
	s, err := seed.Parse(src)
	if err != nil {
		return nil, err
	}
	return append(s.Canonical, '\n'), nil
}

// published fetches a seed and holds it against its hash.
func (c *seedShowCmd) published(ctx context.Context) ([]byte, error) {
	want, err := seed.ParseHash(c.Name)
	if err != nil {
		return nil, coded(exitUsage, err)
	}
	server, err := c.client()
	if err != nil {
		return nil, err
	}
	var raw json.RawMessage
	if err := server.get(ctx, "/admin/seeds/"+c.Name, &raw); err != nil {
		return nil, err
	}
	s, err := seed.Parse(raw)
	if err != nil || s.Hash != want {
		return nil, coded(exitServer, fmt.Errorf("%s answered another document than %s", server.base, c.Name))
	}
	if c.JSON {
		return append(s.Canonical, '\n'), nil
	}
	return append(canon.AppendPretty(nil, s.Canonical), '\n'), nil
}
