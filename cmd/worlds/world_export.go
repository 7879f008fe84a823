package main

import (
	"context"
	"encoding/json"
	"io"
	"net/url"

	"worlds/journal/canon"
	"worlds/seed"
	"worlds/twin"
)

// worldExportCmd writes a world as a seed, a new place to start from.
type worldExportCmd struct {
	target
	output
	outFile
	ID   string `arg:"" optional:"" name:"world" help:"World, by id or name." predictor:"world"`
	Name string `default:"export" placeholder:"NAME" help:"Name of the seed, in kebab-case (default export)."`
	At   string `placeholder:"MARK|SEQ" help:"As the world stood at a mark or after an entry, instead of now."`
}

// Help is the long help of the verb.
func (*worldExportCmd) Help() string {
	return "The epoch is the world's clock. What a seed cannot hold (refund objects, events, canceled subscriptions, …) is counted on stderr, and in the answer with --json."
}

type exportedWorld struct {
	Seed  json.RawMessage `json:"seed"`
	Lossy []twin.Lost     `json:"lossy"`
}

// Run writes the seed and says what it lacks.
func (c *worldExportCmd) Run(ctx context.Context, t *terminal) error {
	c.use(c.ID)
	w, err := c.open(ctx)
	if err != nil {
		return err
	}
	query := url.Values{"name": {c.Name}}
	if c.At != "" {
		query.Set("at", c.At)
	}
	var got exportedWorld
	if err := w.get(ctx, w.path("/export-seed?"+query.Encode()), &got); err != nil {
		return err
	}
	made, err := seed.Parse(got.Seed)
	if err != nil {
		return coded(exitServer, prefixed("the server's export is no seed", err))
	}
	for _, lost := range got.Lossy {
		if !c.JSON {
			t.say("not in the seed: %d %s", lost.Count, lost.What)
		}
	}
	return c.write(t, func(out io.Writer) error {
		if c.JSON && c.Out == "" {
			return (&terminal{out: out}).json(&got)
		}
		_, err := out.Write(append(canon.AppendPretty(nil, made.Canonical, "id", "name", "version", "epoch"), '\n'))
		return err
	})
}
