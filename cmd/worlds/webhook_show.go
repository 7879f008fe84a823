package main

import (
	"context"

	"worlds/admin"
)

type webhookShowCmd struct {
	target
	output
}

// Run prints the endpoint, without its secret.
func (c *webhookShowCmd) Run(ctx context.Context, t *terminal) error {
	w, err := c.open(ctx)
	if err != nil {
		return err
	}
	var e admin.EndpointInfo
	if err := w.get(ctx, w.path("/webhooks/endpoint"), &e); err != nil {
		return err
	}
	if c.JSON {
		return t.json(&e)
	}
	return printEndpoint(t, &e)
}
