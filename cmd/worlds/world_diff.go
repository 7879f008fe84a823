package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strings"

	"worlds/journal"
	"worlds/journal/canon"
)

type worldDiffCmd struct {
	target
	output
	From string `arg:"" help:"Where to begin: a mark or a sequence number."`
	To   string `arg:"" optional:"" help:"Where to end; by default the present."`
}

// diffAnswer is a diff as the server answers it.
type diffAnswer struct {
	From, To diffEnd
	Clock    struct{ From, To int64 }
	Created  []diffRow
	Updated  []diffRow
	Deleted  []diffRow
	Events   []diffEvent
}

type diffEnd struct {
	Seq  journal.Seq
	Mark string
}

type diffRow struct {
	ID, Table     string
	Before, After json.RawMessage
}

type diffEvent struct {
	ID, Type string
}

// Run prints what changed, with the fields before and after.
func (c *worldDiffCmd) Run(ctx context.Context, t *terminal) error {
	w, err := c.open(ctx)
	if err != nil {
		return err
	}
	query := url.Values{"from": {c.From}}
	if c.To != "" {
		query.Set("to", c.To)
	}
	raw, err := w.fetch(ctx, "/diff?"+query.Encode())
	if err != nil {
		return err
	}
	if c.JSON {
		return t.print(raw)
	}
	var d diffAnswer
	if err := json.Unmarshal(raw, &d); err != nil {
		return coded(exitServer, fmt.Errorf("the diff cannot be read: %w", err))
	}
	return d.print(t.out)
}

func (e diffEnd) String() string {
	if e.Mark != "" {
		return fmt.Sprintf("%s (%d)", e.Mark, e.Seq)
	}
	return fmt.Sprint(e.Seq)
}

func (d *diffAnswer) print(out io.Writer) error {
	fmt.Fprintf(out, "from %s to %s", d.From, d.To)
	if d.Clock.From != d.Clock.To {
		fmt.Fprintf(out, ", %s to %s", moment(d.Clock.From), moment(d.Clock.To))
	}
	fmt.Fprintln(out)
	for _, row := range d.Created {
		fmt.Fprintf(out, "+ %s %s\n", row.Table, plain(row.ID))
	}
	for _, row := range d.Updated {
		fmt.Fprintf(out, "~ %s %s\n", row.Table, plain(row.ID))
		if err := printFields(out, row.Before, row.After); err != nil {
			return err
		}
	}
	for _, row := range d.Deleted {
		fmt.Fprintf(out, "- %s %s\n", row.Table, plain(row.ID))
	}
	for _, e := range d.Events {
		fmt.Fprintf(out, "! %s %s\n", e.Type, e.ID)
	}
	return nil
}

// printFields prints the members in which two images of an object differ.
func printFields(out io.Writer, before, after json.RawMessage) error {
	a, err := canon.Canonicalize(before)
	if err != nil {
		return coded(exitServer, fmt.Errorf("the diff cannot be read: %w", err))
	}
	b, err := canon.Canonicalize(after)
	if err != nil {
		return coded(exitServer, fmt.Errorf("the diff cannot be read: %w", err))
	}
	printDifference(out, "", a, b)
	return nil
}

// printDifference walks two canonical values; objects are gone into, lists are not.
func printDifference(out io.Writer, path string, a, b canon.Raw) {
	switch {
	case bytes.Equal(a, b):
	case len(a) > 0 && len(b) > 0 && a[0] == '{' && b[0] == '{':
		for k, x := range canon.Members(a) {
			y, _ := canon.Get(b, k)
			printDifference(out, path+"."+k, x, y)
		}
		for k, y := range canon.Members(b) {
			if _, ok := canon.Get(a, k); !ok {
				printDifference(out, path+"."+k, nil, y)
			}
		}
	default:
		fmt.Fprintf(out, "    %s: %s → %s\n", plain(strings.TrimPrefix(path, ".")), shownValue(a), shownValue(b))
	}
}

// shownMax is the longest that a value is shown to people.
const shownMax = 80

func shownValue(v canon.Raw) string {
	switch {
	case v == nil:
		return "(absent)"
	case len(v) > shownMax:
		return plain(strings.ToValidUTF8(string(v[:shownMax]), "")) + "…"
	}
	return plain(string(v))
}
