package main

import (
	"context"
	"encoding/json"
	"fmt"
	"text/tabwriter"
)

// pageLimit is how many rows of a log are asked for at once, the most a server
// gives.
const pageLimit = 1000

// window are the flags that choose a part of a log.
type window struct {
	After uint64 `placeholder:"N" help:"Begin behind this number."`
	Limit uint   `placeholder:"N" help:"Print at most so many; 0 for all."`
}

// log is one kind of log of a world.
type log struct {
	path     string // "/events"
	member   string // of the answer: "events"
	number   string // of a row: what after counts
	headings string
	row      func(json.RawMessage) ([]string, error) // for people
}

// printLog prints the rows of a log, page by page: for programs one a line.
func (t *terminal) printLog(ctx context.Context, w *remote, l *log, part window, asJSON bool) error {
	table := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
	after, left := part.After, int(part.Limit)
	for first := true; ; first = false {
		limit := pageLimit
		if part.Limit > 0 {
			limit = min(limit, left)
		}
		rows, err := w.page(ctx, l, after, limit)
		if err != nil {
			return err
		}
		if first && !asJSON {
			fmt.Fprintln(table, l.headings)
		}
		for _, row := range rows {
			if after, err = rowNumber(row, l.number); err != nil {
				return err
			}
			if asJSON {
				_, err = fmt.Fprintln(t.out, string(row))
			} else if shown, bad := l.row(row); bad != nil {
				err = bad
			} else {
				_, err = fmt.Fprintln(table, cells(shown))
			}
			if err != nil {
				return err
			}
		}
		if err := table.Flush(); err != nil {
			return err
		}
		left -= len(rows)
		if len(rows) < limit || part.Limit > 0 && left == 0 {
			return nil
		}
	}
}

// page fetches rows of a log.
func (r *remote) page(ctx context.Context, l *log, after uint64, limit int) ([]json.RawMessage, error) {
	raw, err := r.fetch(ctx, fmt.Sprintf("%s?after=%d&limit=%d", l.path, after, limit))
	if err != nil {
		return nil, err
	}
	var answer map[string]json.RawMessage
	var rows []json.RawMessage
	if err = json.Unmarshal(raw, &answer); err == nil {
		err = json.Unmarshal(answer[l.member], &rows)
	}
	if err != nil {
		return nil, coded(exitServer, fmt.Errorf("%s: the answer cannot be read: %w", l.path, err))
	}
	return rows, nil
}

// rowNumber is the number that a row is at.
func rowNumber(row json.RawMessage, name string) (n uint64, err error) {
	var members map[string]json.RawMessage
	if err = json.Unmarshal(row, &members); err == nil {
		err = json.Unmarshal(members[name], &n)
	}
	if err != nil {
		return 0, coded(exitServer, fmt.Errorf("a row without %s: %w", name, err))
	}
	return n, nil
}
