package main

import (
	"context"
	"encoding/json"
	"fmt"

	"worlds/admin"
)

type requestsCmd struct {
	target
	output
	window
}

var requestLog = log{
	path: "/requests", member: "requests", number: "seq", headings: "ENTRY\tBY\tMETHOD\tPATH\tSTATUS\tREQUEST\tCHANGED",
	row: func(raw json.RawMessage) ([]string, error) {
		var r admin.RequestInfo
		err := json.Unmarshal(raw, &r)
		changed := "-"
		switch {
		case r.Rule != "":
			changed = "rule " + r.Rule
		case r.Replayed != "":
			changed = "replayed"
		case r.Changed:
			changed = "yes"
		}
		path := r.Path
		if r.Query != "" {
			path += "?" + r.Query
		}
		return []string{fmt.Sprint(r.Seq), r.Actor, r.Method, path, fmt.Sprint(r.Status), r.Request, changed}, err
	},
}

// Run prints the requests, oldest first.
func (c *requestsCmd) Run(ctx context.Context, t *terminal) error {
	w, err := c.open(ctx)
	if err != nil {
		return err
	}
	return t.printLog(ctx, w, &requestLog, c.window, c.JSON)
}
