package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
)

type keyRmCmd struct {
	target
	output
	Label string `arg:"" help:"Label of the key."`
}

// Run removes a key: requests with it are refused from then on.
func (c *keyRmCmd) Run(ctx context.Context, t *terminal) error {
	w, err := c.open(ctx)
	if err != nil {
		return err
	}
	if err := w.call(ctx, http.MethodDelete, w.path("/keys/"+url.PathEscape(c.Label)), nil, nil); err != nil {
		return err
	}
	if w.notes != nil {
		tryRemember(t, func(r *remembered) {
			if n := r.find("", w.id); n != nil {
				n.setKey(c.Label, "")
			}
		})
	}
	if c.JSON {
		return t.json(map[string]string{"removed": c.Label})
	}
	_, err = fmt.Fprintf(t.out, "key %s is removed\n", c.Label)
	return err
}
