package main

import (
	"context"
	"encoding/json"
	"fmt"
)

type worldSimulateCmd struct {
	target
	output
	File string `arg:"" name:"file" help:"JSON: a list of commands, each {\"method\", \"path\", \"query\", \"body\", …} or {\"advance_seconds\"}; - is stdin." predictor:"file"`
	At   string `placeholder:"MARK|N" help:"After this entry; by default the last."`
}

// simulation is the part of the answer that is for people.
type simulation struct {
	Answers []struct {
		Status int
		Body   json.RawMessage
	}
	Diff struct {
		Created, Updated, Deleted []json.RawMessage
	}
	DumpHash string `json:"dump_hash"`
}

// Run asks what a list of commands would do. Nothing happens in the world.
func (c *worldSimulateCmd) Run(ctx context.Context, t *terminal) error {
	src, err := readJSON(c.File, t.in)
	if err != nil {
		return usage("%w", err)
	}
	w, err := c.open(ctx)
	if err != nil {
		return err
	}
	body := map[string]any{"commands": src}
	if c.At != "" {
		body["at"] = c.At
	}
	var raw json.RawMessage
	if err := w.post(ctx, w.path("/simulate"), body, &raw); err != nil {
		return err
	}
	if c.JSON {
		return t.json(raw)
	}
	var s simulation
	if err := json.Unmarshal(raw, &s); err != nil {
		return err
	}
	for i, a := range s.Answers {
		fmt.Fprintf(t.out, "%d  %d  %s\n", i+1, a.Status, plain(string(a.Body)))
	}
	_, err = fmt.Fprintf(t.out, "%d created, %d updated, %d deleted; the dump would be %s\n",
		len(s.Diff.Created), len(s.Diff.Updated), len(s.Diff.Deleted), s.DumpHash)
	return err
}
