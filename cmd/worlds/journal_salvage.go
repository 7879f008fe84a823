package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"worlds/admin"
	"worlds/journal"
)

type journalSalvageCmd struct {
	output
	Data string `required:"" placeholder:"DIR" help:"The damaged data folder." predictor:"folder"`
	Out  string `required:"" short:"o" placeholder:"DIR" help:"Folder for one exported journal a world; made if missing." predictor:"folder"`
}

// salvaged is what became of one world.
type salvaged struct {
	World   string `json:"world"`
	File    string `json:"file,omitempty"`
	Entries int    `json:"entries"`
	Head    string `json:"head"`
	Lost    string `json:"lost,omitempty"`
}

// Run writes every world whose chain still holds as an exported journal, which
// `journal import` makes a world again. It changes nothing in the damaged folder and
// ends with exit code 1 if something is lost.
func (c *journalSalvageCmd) Run(t *terminal) error {
	if info, err := os.Stat(c.Data); err != nil || !info.IsDir() {
		return usage("--data %s: there is no such folder", c.Data)
	}
	worlds, err := admin.Salvage(c.Data)
	if err != nil {
		return prefixed("--data "+c.Data, err)
	}
	if err := os.MkdirAll(c.Out, 0o755); err != nil {
		return usage("--out: %w", err)
	}
	lost := false
	for i := range worlds {
		s, err := c.save(&worlds[i])
		if err != nil {
			return err
		}
		lost = lost || s.Lost != "" && worlds[i].Head != journal.Hash{}
		if c.JSON {
			err = t.json(s)
		} else if s.File != "" {
			_, err = fmt.Fprintf(t.out, "%s: %d entries in %s\n", s.World, s.Entries, s.File)
		} else {
			_, err = fmt.Fprintf(t.out, "%s: lost: %s\n", s.World, s.Lost)
		}
		if err != nil {
			return err
		}
	}
	if lost {
		return &answered{exitNo}
	}
	return nil
}

func (c *journalSalvageCmd) save(w *admin.Rescued) (*salvaged, error) {
	s := &salvaged{World: w.Name, Head: w.Head.String(), Lost: w.Lost}
	if w.Lost != "" {
		return s, nil
	}
	s.File, s.Entries = filepath.Join(c.Out, w.Name+".jsonl"), len(w.Entries)-1
	return s, writeFile(s.File, outFileMode, func(out io.Writer) error {
		var buf []byte
		for i := range w.Entries {
			buf = journal.AppendLine(buf[:0], &w.Entries[i])
			if _, err := out.Write(buf); err != nil {
				return err
			}
		}
		return nil
	})
}
