package main

import (
	"context"
	"fmt"

	"worlds/admin"
)

type worldForkCmd struct {
	target
	output
	ID   string `arg:"" optional:"" name:"world" help:"World, by id or name." predictor:"world"`
	At   string `placeholder:"MARK|N" help:"Branch after this entry; by default the last."`
	Key  string `placeholder:"KEY" help:"The same key gives the same branch again."`
	Name string `placeholder:"NAME" help:"Name of the branch, once a server."`
}

// forkWorld is the request that branches a world.
type forkWorld struct {
	At   string `json:"at,omitempty"`
	Key  string `json:"key,omitempty"`
	Name string `json:"name,omitempty"`
}

// Run makes the branch, or finds the one of the key, whose secrets are then only in
// the context file.
func (c *worldForkCmd) Run(ctx context.Context, t *terminal) error {
	c.use(c.ID)
	w, err := c.open(ctx)
	if err != nil {
		return err
	}
	var made admin.CreatedWorld
	if err := w.post(ctx, w.path("/fork"), &forkWorld{At: c.At, Key: c.Key, Name: c.Name}, &made); err != nil {
		return err
	}
	tryRemember(t, func(r *remembered) {
		if made.AdminToken != "" {
			r.put(notesOf(w.base, &made))
		}
		r.Current = made.ID
	})
	if c.JSON {
		return t.json(&made)
	}
	from := fmt.Sprintf("%s at %d", made.Fork.Parent, made.Fork.Seq)
	if err := t.fields("world", made.ID, "name", made.Name, "fork of", from); err != nil || made.AdminToken == "" {
		return err
	}
	fmt.Fprintln(t.out)
	return printPaste(t, &paste{URL: w.base, World: made.ID, AdminToken: made.AdminToken, Key: made.Keys[0].Secret, Desk: made.Zendesk})
}
