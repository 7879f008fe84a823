package main

import (
	"context"
	"encoding/json"

	"worlds/admin"
)

// seedPublishCmd puts a seed into the catalog of a server.
type seedPublishCmd struct {
	server
	output
	File string `arg:"" name:"file" help:"Seed file; - is stdin." predictor:"file"`
}

// Help is the long help of the verb.
func (*seedPublishCmd) Help() string {
	return "A published seed is known by its hash and never changes: the same document again is the same seed, another one is another. Drafts are files until then."
}

// Run checks the file and publishes it.
func (c *seedPublishCmd) Run(ctx context.Context, t *terminal) error {
	s, err := readSeed(t, c.File)
	if err != nil {
		return prefixed(c.File, err)
	}
	server, err := c.client()
	if err != nil {
		return err
	}
	var info admin.SeedInfo
	if err := server.post(ctx, "/admin/seeds", json.RawMessage(s.Canonical), &info); err != nil {
		return err
	}
	if c.JSON {
		return t.json(&info)
	}
	return t.fields("seed", info.Name, "hash", info.Hash)
}
