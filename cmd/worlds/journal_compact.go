package main

import (
	"fmt"
)

type journalCompactCmd struct {
	output
	Data string `required:"" placeholder:"DIR" help:"The data folder of a stopped server." predictor:"folder"`
}

// compacted is what a compaction gave back.
type compacted struct {
	Before int64 `json:"before"` // bytes
	After  int64 `json:"after"`
}

// Run writes the folder's shelf anew, without what nobody reads any more.
func (c *journalCompactCmd) Run(t *terminal) (err error) {
	s, err := openFolder(c.Data)
	if err != nil {
		return err
	}
	defer func() {
		if closed := s.Close(); err == nil {
			err = closed
		}
	}()
	done := compacted{Before: s.Stats().ShelfBytes}
	if err := s.Compact(); err != nil {
		return prefixed("--data "+c.Data, err)
	}
	done.After = s.Stats().ShelfBytes
	if c.JSON {
		return t.json(&done)
	}
	_, err = fmt.Fprintf(t.out, "%s: %d bytes, before %d\n", c.Data, done.After, done.Before)
	return err
}
