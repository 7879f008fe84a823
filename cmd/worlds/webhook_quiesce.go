package main

import (
	"context"
	"fmt"

	"worlds/twin/webhook"
)

type webhookQuiesceCmd struct {
	target
	output
}

// Run waits until a world is at rest; that it is not, in time, is a no.
func (c *webhookQuiesceCmd) Run(ctx context.Context, t *terminal) error {
	w, err := c.open(ctx)
	if err != nil {
		return err
	}
	var rest webhook.Rest
	if err := w.post(ctx, w.path("/quiesce"), nil, &rest); err != nil {
		return err
	}
	if c.JSON {
		err = t.json(&rest)
	} else if rest.Quiet {
		_, err = fmt.Fprintf(t.out, "at rest after %s\n", count(rest.Attempts, "delivery"))
	}
	if err != nil || rest.Quiet {
		return err
	}
	return coded(exitNo, fmt.Errorf("not at rest: %s in flight, %s due", count(rest.InFlight, "request"), count(rest.Due, "delivery")))
}
