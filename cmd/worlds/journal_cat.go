package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"worlds/journal"
	"worlds/journal/canon"
	"worlds/twin"
)

type journalCatCmd struct {
	target
	offline
	output
	window
	Entry *uint64 `placeholder:"N" help:"Print entry N alone, in full; 0 is the genesis."`
}

var entryLog = log{
	path: "/journal", member: "entries", number: "seq", headings: "ENTRY\tTIME\tBY\tOPERATION\tSTATUS\tFACTS\tHASH",
	row: func(raw json.RawMessage) ([]string, error) {
		e, err := journal.ParseLine(raw)
		if err != nil {
			return nil, coded(exitServer, err)
		}
		return entryRow(&e)
	},
}

// hashShown is how much of a hash a table shows.
const hashShown = 12

// entryRow is an entry for people.
func entryRow(e *journal.Entry) ([]string, error) {
	frame, err := journal.ParseBody(e.Body)
	if err != nil {
		return nil, err
	}
	var cmd twin.Command
	var reply twin.Reply
	if err := canon.Unmarshal(frame.Command, &cmd); err != nil {
		return nil, fmt.Errorf("entry %d: %w", e.Seq, err)
	}
	if err := canon.Unmarshal(frame.Reply, &reply); err != nil {
		return nil, fmt.Errorf("entry %d: %w", e.Seq, err)
	}
	op := strings.TrimSpace(cmd.Method + " " + cmd.Path)
	if cmd.Op != "" {
		op = cmd.Op + " " + string(cmd.Args)
	}
	return []string{fmt.Sprint(e.Seq), moment(frame.At), cmd.Actor, op, fmt.Sprint(reply.Status),
		fmt.Sprint(len(frame.Facts)), e.Hash.String()[:hashShown]}, nil
}

// bareLine is an entry as the server answers it: without its side, where the raw
// idempotency keys are.
func bareLine(e *journal.Entry) []byte {
	bare := *e
	bare.Side = nil
	return journal.AppendLine(nil, &bare)
}

// Run prints entries: of a live world, of a folder or of an exported file.
func (c *journalCatCmd) Run(ctx context.Context, t *terminal) error {
	if c.given() {
		return c.runOffline(t)
	}
	w, err := c.open(ctx)
	if err != nil {
		return err
	}
	if c.Entry == nil {
		return t.printLog(ctx, w, &entryLog, c.window, c.JSON)
	}
	raw, err := w.fetch(ctx, fmt.Sprintf("/journal/%d", *c.Entry))
	if err != nil {
		return err
	}
	return c.printEntry(t, raw)
}

// printEntry prints one canonical entry in full.
func (c *journalCatCmd) printEntry(t *terminal, line []byte) error {
	text := string(line)
	if !c.JSON {
		text = lines(string(canon.AppendPretty(nil, line)))
	}
	_, err := fmt.Fprintln(t.out, text)
	return err
}

// runOffline prints the entries of a folder or a file.
func (c *journalCatCmd) runOffline(t *terminal) error {
	h, done, err := c.one(t, c.World)
	if err != nil {
		return err
	}
	defer func() { _ = done() }()
	table := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
	if c.Entry == nil && !c.JSON {
		fmt.Fprintln(table, entryLog.headings)
	}
	err = c.walk(t, table, h)
	if flushed := table.Flush(); err == nil {
		err = flushed
	}
	return err
}

// walk prints the entries that the flags choose.
func (c *journalCatCmd) walk(t *terminal, table *tabwriter.Writer, h *history) error {
	if c.Entry != nil && *c.Entry == 0 {
		return c.printEntry(t, trimLine(bareLine(&h.genesis.Entry)))
	}
	rows := uint(0)
	for e, err := range h.entries {
		switch {
		case err != nil:
			return h.failed
		case c.Entry != nil && uint64(e.Seq) == *c.Entry:
			return c.printEntry(t, trimLine(bareLine(e)))
		case c.Entry != nil || uint64(e.Seq) <= c.After:
			continue
		case c.JSON:
			_, err = t.out.Write(bareLine(e))
		default:
			var row []string
			if row, err = entryRow(e); err == nil {
				_, err = fmt.Fprintln(table, cells(row))
			}
		}
		if rows++; err == nil && rows%pageLimit == 0 {
			err = table.Flush()
		}
		if err != nil || rows == c.Limit {
			return err
		}
	}
	if c.Entry != nil {
		return usage("--entry %d: the journal has no such entry", *c.Entry)
	}
	return nil
}

func trimLine(line []byte) []byte { return line[:len(line)-1] }
