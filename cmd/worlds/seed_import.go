package main

import (
	"errors"
	"io"
	"os"

	"worlds/seed"
)

// seedImportCmd makes a seed of somebody's real data, in which nobody can be
// recognised.
type seedImportCmd struct {
	output
	FromZendesk bool   `required:"" help:"Read a native help desk from a file, without a network: a seed whose other sections are empty, or a worlds-zendesk-native-export document."`
	Input       string `required:"" placeholder:"FILE" help:"What to read; - is stdin." predictor:"file"`
	Name        string `default:"imported" placeholder:"NAME" help:"Name of the seed, in kebab-case (default imported)."`
	Out         string `short:"o" placeholder:"FILE" help:"Where to write the seed (default NAME.json)." predictor:"file"`
	Manifest    string `placeholder:"FILE" help:"Where to write what was replaced, dropped and kept (default NAME.manifest.json)." predictor:"file"`
	Map         string `placeholder:"FILE" help:"Also write which id became which; whoever has it can undo the import." predictor:"file"`
}

// Help is the long help of the verb.
func (*seedImportCmd) Help() string {
	return "Ids are given anew, names, addresses and texts are replaced, everything else of a person is dropped. " +
		"Statuses, moments, visibility and who did what stay. The same input gives the same files, byte for byte."
}

// privateMode is the mode of a file that undoes an import.
const privateMode = 0o600

// imported is what the verb prints for programs.
type imported struct {
	Name     string `json:"name"`
	Hash     string `json:"hash"`
	Out      string `json:"out"`
	Manifest string `json:"manifest"`
	Map      string `json:"map,omitempty"`
}

// Run reads the input and writes the seed, its manifest and, if asked for, the
// map, each whole or not at all.
func (c *seedImportCmd) Run(t *terminal) error {
	src, err := c.read(t)
	if err != nil {
		return coded(exitUsage, err)
	}
	made, err := seed.ImportZendesk(src, c.Name)
	var invalid *seed.Invalid
	if errors.As(err, &invalid) {
		for _, p := range invalid.Problems {
			t.say("%s: %s", c.Input, p)
		}
		return &answered{exitNo}
	}
	if err != nil {
		return err
	}
	if c.Out == "" {
		c.Out = c.Name + ".json"
	}
	if c.Manifest == "" {
		c.Manifest = c.Name + ".manifest.json"
	}
	for _, f := range []struct {
		path string
		mode os.FileMode
		body []byte
	}{{c.Map, privateMode, made.Map}, {c.Manifest, outFileMode, made.Manifest}, {c.Out, outFileMode, append(made.Seed.Canonical, '\n')}} {
		if f.path == "" {
			continue
		}
		if err := writeFile(f.path, f.mode, func(w io.Writer) error { _, err := w.Write(f.body); return err }); err != nil {
			return coded(exitUsage, err)
		}
	}
	if c.JSON {
		return t.json(&imported{c.Name, made.Seed.Hash.String(), c.Out, c.Manifest, c.Map})
	}
	return t.fields("seed", c.Name, "hash", made.Seed.Hash.String(), "written to", c.Out, "manifest", c.Manifest, "private map", c.Map)
}

func (c *seedImportCmd) read(t *terminal) ([]byte, error) {
	if c.Input == "-" {
		return io.ReadAll(io.LimitReader(t.in, seed.MaxDocumentBytes+1))
	}
	return os.ReadFile(c.Input)
}
