package main

import (
	"context"
	"fmt"

	"worlds/admin"
)

type markAddCmd struct {
	target
	output
	Name string `arg:"" help:"Name of the mark; it does not begin with a digit, and is used once a world."`
}

// Run names the present position.
func (c *markAddCmd) Run(ctx context.Context, t *terminal) error {
	w, err := c.open(ctx)
	if err != nil {
		return err
	}
	var mark admin.MarkInfo
	if err := w.post(ctx, w.path("/marks"), map[string]string{"name": c.Name}, &mark); err != nil {
		return err
	}
	if c.JSON {
		return t.json(&mark)
	}
	_, err = fmt.Fprintf(t.out, "mark %s is at %d\n", mark.Name, mark.Seq)
	return err
}
