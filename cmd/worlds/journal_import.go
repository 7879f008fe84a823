package main

import (
	"context"
	"fmt"
	"net/url"

	"worlds/admin"
)

type journalImportCmd struct {
	server
	output
	File string `arg:"" name:"file" help:"An exported journal; - is stdin." predictor:"file"`
	Name string `placeholder:"NAME" help:"Name of the world, once a server."`
}

// Run sends the journal, which the server decides again and makes a world of.
func (c *journalImportCmd) Run(ctx context.Context, t *terminal) error {
	in, err := openInput(t, c.File)
	if err != nil {
		return usage("%w", err)
	}
	defer func() { _ = in.Close() }()
	body, err := expand(in)
	if err != nil {
		return prefixed(c.File, err)
	}
	s, err := c.client()
	if err != nil {
		return err
	}
	path := "/admin/import"
	if c.Name != "" {
		path += "?name=" + url.QueryEscape(c.Name)
	}
	var made admin.CreatedWorld
	if err := s.upload(ctx, path, "application/jsonl", body, &made); err != nil {
		return err
	}
	tryRemember(t, func(r *remembered) {
		r.put(notesOf(s.base, &made))
		r.Current = made.ID
	})
	if c.JSON {
		return t.json(&made)
	}
	if err := t.fields("world", made.ID, "name", made.Name, "seed", made.Seed.Name+" "+made.Seed.Hash, "clock", moment(made.Clock)); err != nil {
		return err
	}
	fmt.Fprintln(t.out)
	return printPaste(t, &paste{URL: s.base, World: made.ID, AdminToken: made.AdminToken, Key: made.Keys[0].Secret, Desk: made.Zendesk})
}
