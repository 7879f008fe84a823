package main

import (
	"context"
	"fmt"

	"worlds/admin"
	"worlds/journal/store"
	"worlds/twin/world"
)

type journalVerifyCmd struct {
	target
	offline
	output
}

// Run proves the chain and folds the facts: of a live world, which must then stand
// where its journal says, of all worlds of a folder, or of an exported file.
func (c *journalVerifyCmd) Run(ctx context.Context, t *terminal) error {
	if c.given() {
		return c.runOffline(t)
	}
	w, err := c.open(ctx)
	if err != nil {
		return err
	}
	var report admin.LiveReport
	if err := w.post(ctx, w.path("/verify"), nil, &report); err != nil {
		return err
	}
	return c.print(t, w.id, &judged{LiveReport: report})
}

func (c *journalVerifyCmd) runOffline(t *terminal) error {
	damage := c.files(t)
	list, done, err := c.histories(t, c.World)
	if err != nil {
		return err
	}
	defer func() { _ = done() }()
	if err := replayAll(t, list, replaying{mode: world.Fold}, c.print); err != nil {
		return err
	}
	return damage
}

// files examines the files of a folder and lists all damage of more than one place,
// of which opening the folder would name the first alone. It returns that first.
func (c *journalVerifyCmd) files(t *terminal) error {
	if c.Data == "" || isFolder(c.Data) != nil {
		return nil
	}
	found, err := store.Verify(c.Data)
	if err != nil || len(found.Damage) == 0 {
		return nil // opening the folder says what it is
	}
	if len(found.Damage) > 1 {
		for _, d := range found.Damage {
			t.say("worlds: --data %s: %s", c.Data, d)
		}
	}
	return prefixed("--data "+c.Data, found.Damage[0])
}

// print prints one report; the answer no is an error that says nothing more.
func (c *journalVerifyCmd) print(t *terminal, name string, r *judged) error {
	if c.JSON {
		return printReport(t, name, r)
	}
	if r.Valid {
		_, err := fmt.Fprintf(t.out, "%s: the chain holds, %d entries, head %s\n", name, r.Entries, r.Head)
		return err
	}
	return printDivergence(t, name, r)
}
