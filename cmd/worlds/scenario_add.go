package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

type scenarioAddCmd struct {
	target
	output
	Rule string `arg:"" help:"The rule as JSON, a file that holds it, or - for stdin." predictor:"file"`
}

// Help is the long help of the verb.
func (*scenarioAddCmd) Help() string {
	return `A rule says what it is about, at which of its matches it acts, and what it does:
{"match": {"api": "stripe", "method": "POST", "path": "/v1/refunds"}, "from": 4, "count": 3,
 "effect": {"answer": {"status": 429, "code": "rate_limit"}}}
Effects: answer, latency_ms, close, expire_after; of deliveries drop_every_nth, reorder, duplicate, delay_seconds.`
}

// Run adds a fault rule and prints its id.
func (c *scenarioAddCmd) Run(ctx context.Context, t *terminal) error {
	spec, err := c.read(t)
	if err != nil {
		return err
	}
	w, err := c.open(ctx)
	if err != nil {
		return err
	}
	var rule struct{ ID string }
	var raw json.RawMessage
	if err := w.post(ctx, w.path("/scenarios"), spec, &raw); err != nil {
		return err
	}
	if c.JSON {
		return t.print(raw)
	}
	if err := json.Unmarshal(raw, &rule); err != nil {
		return err
	}
	_, err = fmt.Fprintf(t.out, "rule %s is on\n", rule.ID)
	return err
}

func (c *scenarioAddCmd) read(t *terminal) (json.RawMessage, error) {
	read := func() (json.RawMessage, error) { return readJSON(c.Rule, t.in) }
	if strings.HasPrefix(strings.TrimSpace(c.Rule), "{") {
		read = func() (json.RawMessage, error) { return checkJSON("the rule", []byte(c.Rule)) }
	}
	src, err := read()
	if err != nil {
		return nil, coded(exitUsage, err)
	}
	return src, nil
}
