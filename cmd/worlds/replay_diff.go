package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"

	"worlds/journal"
	"worlds/journal/canon"
	"worlds/twin/world"
)

// journalDiff is where two journals part.
type journalDiff struct {
	Equal   bool               `json:"equal"`
	Entries int64              `json:"entries"` // that are equal, the genesis not counted
	Seq     *journal.Seq       `json:"seq,omitempty"`
	Detail  string             `json:"detail,omitempty"`
	Command json.RawMessage    `json:"command,omitempty"` // of the first journal
	Changes []world.Difference `json:"changes,omitempty"`
}

// diffJournals names the first entry at which two exported journals differ. It ends
// with exit code 1 if there is one.
func diffJournals(t *terminal, pathA, pathB string, asJSON bool) error {
	a, closeA, err := exportFile(t, "--diff", pathA)
	if err != nil {
		return err
	}
	defer func() { _ = closeA() }()
	b, closeB, err := exportFile(t, "--diff", pathB)
	if err != nil {
		return err
	}
	defer func() { _ = closeB() }()
	d, err := compareHistories(a, b)
	if err != nil {
		return err
	}
	switch {
	case asJSON:
		err = t.json(d)
	case d.Equal:
		_, err = fmt.Fprintf(t.out, "equal, %d entries\n", d.Entries)
	default:
		d.print(t, pathA, pathB)
	}
	if err == nil && !d.Equal {
		err = &answered{exitNo}
	}
	return err
}

func compareHistories(a, b *history) (*journalDiff, error) {
	d := &journalDiff{}
	if a.genesis.Entry.Hash != b.genesis.Entry.Hash {
		d.differ(&a.genesis.Entry, &b.genesis.Entry)
		return d, nil
	}
	nextA, stopA := iter.Pull2(a.entries)
	defer stopA()
	nextB, stopB := iter.Pull2(b.entries)
	defer stopB()
	for {
		x, errA, okA := nextA()
		y, errB, okB := nextB()
		switch {
		case errA != nil:
			return nil, a.failed
		case errB != nil:
			return nil, b.failed
		case !okA && !okB:
			d.Equal = true
			return d, nil
		case !okA:
			d.ends(a.name, y)
			return d, nil
		case !okB:
			d.ends(b.name, x)
			return d, nil
		case x.Hash != y.Hash || x.Seq != y.Seq || !bytes.Equal(x.Body, y.Body):
			d.differ(x, y)
			return d, nil
		}
		d.Entries = int64(x.Seq)
	}
}

// ends says that a journal ends before an entry of the other.
func (d *journalDiff) ends(name string, e *journal.Entry) {
	d.Seq, d.Detail = &e.Seq, name+" ends before it"
	if frame, err := journal.ParseBody(e.Body); err == nil {
		d.Command = json.RawMessage(frame.Command)
	}
}

// differ names the places in which two entries part.
func (d *journalDiff) differ(x, y *journal.Entry) {
	d.Seq, d.Changes = &x.Seq, world.CompareEntries(x, y)
	frame, err := journal.ParseBody(x.Body)
	if err == nil && frame.Command != nil {
		d.Command = json.RawMessage(frame.Command)
	}
	member := func(name string, recorded, replayed canon.Raw) {
		if !bytes.Equal(recorded, replayed) {
			d.Changes = append(d.Changes, world.Difference{Part: name, Recorded: string(recorded), Replayed: string(replayed)})
		}
	}
	other, _ := journal.ParseBody(y.Body)
	member("at", canon.AppendInt(nil, frame.At), canon.AppendInt(nil, other.At))
	member("seq", canon.AppendInt(nil, int64(x.Seq)), canon.AppendInt(nil, int64(y.Seq)))
	if len(d.Changes) == 0 {
		member("prev", canon.Raw(x.Prev.String()), canon.Raw(y.Prev.String()))
		member("hash", canon.Raw(x.Hash.String()), canon.Raw(y.Hash.String()))
	}
}

func (d *journalDiff) print(t *terminal, a, b string) {
	fmt.Fprintf(t.out, "entry %d differs", *d.Seq)
	if d.Detail != "" {
		fmt.Fprintf(t.out, ": %s", plain(d.Detail))
	}
	fmt.Fprintln(t.out)
	for _, c := range d.Changes {
		fmt.Fprintf(t.out, "  %s\n    %s  %s\n    %s  %s\n", plain(c.Part), a, plain(string(c.Recorded)), b, plain(string(c.Replayed)))
	}
}
