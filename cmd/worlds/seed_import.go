package main

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"worlds/seed"
)

// seedImportCmd makes a seed of somebody's real data, in which nobody can be
// recognised.
type seedImportCmd struct {
	output
	FromStripe       bool   `required:"" xor:"from" help:"Read an account through Stripe's list endpoints."`
	FromZendesk      bool   `required:"" xor:"from" help:"Read a native help desk from a file, without a network: a seed whose other sections are empty, or a worlds-zendesk-native-export document."`
	Input            string `placeholder:"FILE" help:"Help desk to read; - is stdin." predictor:"file"`
	Key              string `env:"STRIPE_API_KEY" placeholder:"KEY" help:"Key of the Stripe account; a restricted one that may only read is enough. It is stored nowhere."`
	BaseURL          string `default:"https://api.stripe.com" placeholder:"URL" help:"Stripe's API (default), or a worlds server."`
	Limit            int    `default:"100" placeholder:"N" help:"Stripe objects of each kind, newest first (default 100)."`
	KeepNames        bool   `help:"Keep names of products and nicknames of prices."`
	KeepDescriptions bool   `help:"Keep descriptions of invoice lines."`
	KeepMetadata     bool   `help:"Keep metadata of customers; for accounts in test mode."`
	Epoch            int64  `placeholder:"UNIX" help:"Where the clock of the Stripe seed starts (default: midnight UTC after the newest object)."`
	Name             string `default:"imported" placeholder:"NAME" help:"Name of the seed, in kebab-case (default imported)."`
	Out              string `short:"o" placeholder:"FILE" help:"Where to write the seed (default NAME.json)." predictor:"file"`
	Manifest         string `placeholder:"FILE" help:"Where to write what was replaced, dropped and kept (default NAME.manifest.json, beside the seed)." predictor:"file"`
	Map              string `placeholder:"FILE" help:"Also write which id became which; whoever has it can undo the import." predictor:"file"`
}

// Help is the long help of the verb.
func (*seedImportCmd) Help() string {
	return "Ids are given anew, names, addresses and texts are replaced, everything else of a person is dropped. " +
		"Statuses, amounts, moments, visibility and who did what stay. The same input gives the same files, byte for byte."
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

// made is what an import of either kind makes.
type made struct {
	seed          *seed.Seed
	manifest, ids []byte
}

// Run reads the source and writes the seed, its manifest and, if asked for, the
// map: all of them or none.
func (c *seedImportCmd) Run(ctx context.Context, t *terminal) error {
	if c.Out == "" {
		c.Out = c.Name + ".json"
	}
	if c.Manifest == "" {
		c.Manifest = strings.TrimSuffix(c.Out, ".json") + ".manifest.json"
	}
	got, err := c.read(ctx, t)
	var invalid *seed.Invalid
	if errors.As(err, &invalid) {
		for _, p := range invalid.Problems {
			t.say("%s: %s", c.source(), p)
		}
		return &answered{exitNo}
	}
	if err != nil {
		return err
	}
	files := []importFile{{c.Out, outFileMode, append(got.seed.Canonical, '\n')}, {c.Manifest, outFileMode, got.manifest}}
	if c.Map != "" {
		files = append(files, importFile{c.Map, privateMode, got.ids})
	}
	if err := writeFiles(files); err != nil {
		return coded(exitUsage, err)
	}
	if c.JSON {
		return t.json(&imported{c.Name, got.seed.Hash.String(), c.Out, c.Manifest, c.Map})
	}
	return t.fields("seed", c.Name, "hash", got.seed.Hash.String(), "written to", c.Out, "manifest", c.Manifest, "private map", c.Map)
}

func (c *seedImportCmd) read(ctx context.Context, t *terminal) (*made, error) {
	if c.FromStripe {
		return c.readStripe(ctx, t)
	}
	if c.Input == "" {
		return nil, usage("--from-zendesk needs --input")
	}
	src, err := c.readInput(t)
	if err != nil {
		return nil, coded(exitUsage, err)
	}
	got, err := seed.ImportZendesk(src, c.Name)
	if err != nil {
		return nil, err
	}
	return &made{got.Seed, got.Manifest, got.Map}, nil
}

// source is what is read, for problems with it.
func (c *seedImportCmd) source() string {
	if c.FromStripe {
		return "the seed"
	}
	return c.Input
}

type importFile struct {
	path string
	mode os.FileMode
	body []byte
}

// writeFiles writes all files or none: each takes its place when the ones before it
// have taken theirs, and when all are on disk.
func writeFiles(files []importFile) error {
	if len(files) == 0 {
		return nil
	}
	last := files[len(files)-1]
	return writeFile(last.path, last.mode, func(w io.Writer) error {
		if _, err := w.Write(last.body); err != nil {
			return err
		}
		return writeFiles(files[:len(files)-1])
	})
}

func (c *seedImportCmd) readInput(t *terminal) ([]byte, error) {
	if c.Input == "-" {
		return io.ReadAll(io.LimitReader(t.in, seed.MaxDocumentBytes+1))
	}
	return os.ReadFile(c.Input)
}
