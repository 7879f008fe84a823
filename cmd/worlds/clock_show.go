package main

import (
	"context"
	"fmt"

	"worlds/admin"
)

type clockShowCmd struct {
	target
	output
}

// Run prints the time in the world.
func (c *clockShowCmd) Run(ctx context.Context, t *terminal) error {
	w, err := c.open(ctx)
	if err != nil {
		return err
	}
	var clock admin.ClockInfo
	if err := w.get(ctx, w.path("/clock"), &clock); err != nil {
		return err
	}
	if c.JSON {
		return t.json(&clock)
	}
	_, err = fmt.Fprintf(t.out, "%s (%d), %s%s\n", moment(clock.Clock), clock.Clock, clock.Mode, pending(clock.Pending))
	return err
}

// pending tells of renewals that are due still, and what to do.
func pending(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d pending (worlds clock advance --seconds 0)", n)
}
