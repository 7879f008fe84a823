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
	w, err := (&target{server: c.server, World: c.ID}).open(ctx)
	if err != nil {
		return err
	}
	if err := w.call(ctx, http.MethodDelete, w.path(""), nil, nil); err != nil {
		return err
	}
	wasCurrent := false
	if w.notes != nil {
		tryRemember(t, func(r *remembered) {
			wasCurrent = r.Current == w.id
			r.drop(w.id)
		})
	}
	if c.JSON {
		return t.json(map[string]string{"deleted": w.id})
	}
	if _, err = fmt.Fprintf(t.out, "world %s is deleted\n", w.id); err == nil && wasCurrent {
		_, err = fmt.Fprintln(t.out, "it was the current world; there is none now")
	}
	return err
}
