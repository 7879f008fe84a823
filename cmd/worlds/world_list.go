package main

import (
	"cmp"
	"context"
	"strconv"

	"worlds/admin"
)

type worldListCmd struct {
	server
	output
}

// worldList is the answer of the server.
type worldList struct {
	Worlds []admin.WorldInfo `json:"worlds"`
}

// Run prints the worlds; the current one has a star.
func (c *worldListCmd) Run(ctx context.Context, t *terminal) error {
	server, err := c.client()
	if err != nil {
		return err
	}
	var list worldList
	if err := server.get(ctx, "/admin/worlds", &list); err != nil {
		return err
	}
	if c.JSON {
		return t.json(&list)
	}
	r, err := recall()
	if err != nil {
		return err
	}
	var rows [][]string
	for _, w := range list.Worlds {
		star := ""
		if w.ID == r.Current {
			star = "*"
		}
		rows = append(rows, []string{w.ID, w.Name, cmp.Or(w.Seed.Name, w.Seed.Hash), strconv.FormatInt(w.Rules, 10), star})
	}
	return t.table("WORLD NAME SEED RULES CURRENT", rows)
}
