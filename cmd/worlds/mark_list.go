package main

import (
	"context"
	"strconv"

	"worlds/admin"
)

type markListCmd struct {
	target
	output
}

// Run prints the marks in order.
func (c *markListCmd) Run(ctx context.Context, t *terminal) error {
	w, err := c.open(ctx)
	if err != nil {
		return err
	}
	var list struct {
		Marks []admin.MarkInfo `json:"marks"`
	}
	if err := w.get(ctx, w.path("/marks"), &list); err != nil {
		return err
	}
	if c.JSON {
		return t.json(&list)
	}
	var rows [][]string
	for _, m := range list.Marks {
		rows = append(rows, []string{m.Name, strconv.FormatInt(m.Seq, 10)})
	}
	return t.table("MARK SEQ", rows)
}
