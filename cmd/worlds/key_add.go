package main

import (
	"context"
	"fmt"

	"worlds/admin"
)

type keyAddCmd struct {
	target
	output
	Label        string `placeholder:"LABEL" help:"Label, which stands in the journal; key:N by default."`
	Secret       string `placeholder:"SECRET" help:"The key itself; made by default."`
	ExpiresAfter int64  `placeholder:"N" help:"The key lasts for so many requests, in each life of the world."`
}

// Run adds a key, remembers it and prints it.
func (c *keyAddCmd) Run(ctx context.Context, t *terminal) error {
	w, err := c.open(ctx)
	if err != nil {
		return err
	}
	var key admin.KeyInfo
	if err := w.post(ctx, w.path("/keys"), &admin.KeyInfo{Label: c.Label, Secret: c.Secret, ExpiresAfter: c.ExpiresAfter}, &key); err != nil {
		return err
	}
	if w.notes != nil {
		tryRemember(t, func(r *remembered) {
			if n := r.find("", w.id); n != nil {
				n.setKey(key.Label, key.Secret)
			}
		})
	}
	if c.JSON {
		return t.json(&key)
	}
	_, err = fmt.Fprintf(t.out, "%s  %s\n", key.Label, key.Secret)
	return err
}
