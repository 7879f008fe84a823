package main

import (
	"context"
	"net/http"
)

type webhookRmCmd struct {
	target
}

// Run removes the endpoint: events go nowhere.
func (c *webhookRmCmd) Run(ctx context.Context, _ *terminal) error {
	w, err := c.open(ctx)
	if err != nil {
		return err
	}
	return w.call(ctx, http.MethodDelete, w.path("/webhooks/endpoint"), nil, nil)
}
