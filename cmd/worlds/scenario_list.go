package main

import (
	"context"
	"encoding/json"
	"strconv"

	"worlds/twin"
)

type scenarioListCmd struct {
	target
	output
}

// Run prints the fault rules with their counts.
func (c *scenarioListCmd) Run(ctx context.Context, t *terminal) error {
	w, err := c.open(ctx)
	if err != nil {
		return err
	}
	raw, err := w.fetch(ctx, "/scenarios")
	if err != nil {
		return err
	}
	if c.JSON {
		return t.print(raw)
	}
	var list struct {
		Rules []struct {
			twin.RuleInfo
			Match  json.RawMessage `json:"match"`
			Effect json.RawMessage `json:"effect"`
		} `json:"rules"`
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return err
	}
	var rows [][]string
	for _, r := range list.Rules {
		rows = append(rows, []string{r.ID, strconv.FormatInt(r.Matched, 10), strconv.FormatInt(r.Acted, 10), string(r.Match), string(r.Effect)})
	}
	return t.table("RULE MATCHED ACTED MATCH EFFECT", rows)
}
