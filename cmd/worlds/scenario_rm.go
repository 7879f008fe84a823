package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
)

type scenarioRmCmd struct {
	target
	output
	Rule string `arg:"" help:"Id of the rule."`
}

// Run removes a fault rule.
func (c *scenarioRmCmd) Run(ctx context.Context, t *terminal) error {
	w, err := c.open(ctx)
	if err != nil {
		return err
	}
	if err := w.call(ctx, http.MethodDelete, w.path("/scenarios/"+url.PathEscape(c.Rule)), nil, nil); err != nil {
		return err
	}
	if c.JSON {
		return t.json(map[string]string{"removed": c.Rule})
	}
	_, err = fmt.Fprintf(t.out, "rule %s is removed\n", plain(c.Rule))
	return err
}
