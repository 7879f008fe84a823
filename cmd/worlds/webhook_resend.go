package main

import (
	"context"
	"encoding/json"
)

type webhookResendCmd struct {
	target
	output
	Event    string `arg:"" help:"Id of the event."`
	Endpoint string `placeholder:"ENDPOINT" help:"The endpoint, as the ledger names it (default: all that want it)."`
}

// Run delivers an event once more and prints what came of it.
func (c *webhookResendCmd) Run(ctx context.Context, t *terminal) error {
	w, err := c.open(ctx)
	if err != nil {
		return err
	}
	req := map[string]string{"event": c.Event}
	if c.Endpoint != "" {
		req["endpoint"] = c.Endpoint
	}
	var raw json.RawMessage
	if err := w.post(ctx, w.path("/webhooks/resend"), req, &raw); err != nil {
		return err
	}
	return t.printBatch(raw, c.JSON)
}
