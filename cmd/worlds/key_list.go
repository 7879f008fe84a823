package main

import (
	"context"

	"worlds/admin"
)

type keyListCmd struct {
	target
	output
	Secrets bool `help:"Print the secrets that the context file remembers, too."`
}

// Run prints the labels of the keys.
func (c *keyListCmd) Run(ctx context.Context, t *terminal) error {
	w, err := c.open(ctx)
	if err != nil {
		return err
	}
	if c.Secrets && w.notes == nil {
		return usage("--secrets: the context file has none of world %s on %s", w.id, w.base)
	}
	var list struct {
		Keys []admin.KeyInfo `json:"keys"`
	}
	if err := w.get(ctx, w.path("/keys"), &list); err != nil {
		return err
	}
	if c.Secrets {
		w.reveal(list.Keys)
	}
	if c.JSON {
		return t.json(&list)
	}
	var rows [][]string
	for _, k := range list.Keys {
		rows = append(rows, []string{k.Label, dash(k.Secret)})
	}
	return t.table("KEY SECRET", rows)
}
