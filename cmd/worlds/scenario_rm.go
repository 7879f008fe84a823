package main

import (
	"context"
	"net/http"
	"net/url"
)

type scenarioRmCmd struct {
	target
	Rule string `arg:"" help:"Id of the rule."`
}

// Run removes a fault rule.
func (c *scenarioRmCmd) Run(ctx context.Context, _ *terminal) error {
	w, err := c.open(ctx)
	if err != nil {
		return err
	}
	return w.call(ctx, http.MethodDelete, w.path("/scenarios/"+url.PathEscape(c.Rule)), nil, nil)
}
