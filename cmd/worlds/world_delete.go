package main

import (
	"context"
	"fmt"
	"net/http"
)

type worldDeleteCmd struct {
	server
	output
	ID string `arg:"" name:"world" help:"World, by id or name; there is no default." predictor:"world"`
}

// Run deletes a world and forgets its secrets.
func (c *worldDeleteCmd) Run(ctx context.Context, t *terminal) error {
	w, err := (&target{server: c.server, World: c.ID}).open()
	if err != nil {
		return err
	}
	if err := w.call(ctx, http.MethodDelete, w.path(""), nil, nil); err != nil {
		return err
	}
	if w.notes != nil {
		tryRemember(t, func(r *remembered) { r.drop(w.id) })
	}
	if c.JSON {
		return t.json(map[string]string{"deleted": w.id})
	}
	_, err = fmt.Fprintf(t.out, "world %s is deleted\n", w.id)
	return err
}
