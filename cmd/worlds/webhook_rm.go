package main

import (
	"context"
	"fmt"
	"net/http"

	"worlds/twin"
)

type webhookRmCmd struct {
	target
	output
}

// Run removes the endpoint: events go nowhere.
func (c *webhookRmCmd) Run(ctx context.Context, t *terminal) error {
	w, err := c.open(ctx)
	if err != nil {
		return err
	}
	if err := w.call(ctx, http.MethodDelete, w.path("/webhooks/endpoint"), nil, nil); err != nil {
		return err
	}
	if c.JSON {
		return t.json(map[string]string{"removed": twin.EndpointLabel})
	}
	_, err = fmt.Fprintln(t.out, "the operator's endpoint is removed")
	return err
}
