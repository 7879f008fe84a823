package main

import (
	"context"
	"encoding/json"
	"fmt"

	"worlds/admin"
)

type worldResetCmd struct {
	target
	output
	ID string `arg:"" optional:"" name:"world" help:"World, by id or name." predictor:"world"`
}

// Run takes a world back to its genesis. Keys and tokens survive.
func (c *worldResetCmd) Run(ctx context.Context, t *terminal) error {
	c.use(c.ID)
	w, err := c.open(ctx)
	if err != nil {
		return err
	}
	var raw json.RawMessage
	if err := w.post(ctx, w.path("/reset"), nil, &raw); err != nil {
		return err
	}
	if c.JSON {
		return t.print(raw)
	}
	var info admin.WorldInfo
	if err := json.Unmarshal(raw, &info); err != nil {
		return err
	}
	_, err = fmt.Fprintf(t.out, "world %s is at its beginning, %s\n", info.ID, moment(info.Clock))
	return err
}
