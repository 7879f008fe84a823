package main

import (
	"bytes"
	"io"
	"slices"

	"worlds/seed"
	"worlds/seed/gen"
)

// seedGenCmd makes a library seed anew.
type seedGenCmd struct {
	outFile
	Name  string `arg:"" optional:"" name:"seed" help:"Name of the library." predictor:"seed"`
	Check bool   `help:"Make all of the library and compare it with what this program carries."`
}

// Help is the long help of the verb.
func (*seedGenCmd) Help() string {
	return "The same program makes the same bytes, everywhere and always. With --check the answer is no if a library seed and its generator disagree."
}

// Run writes the generator's bytes, or compares them.
func (c *seedGenCmd) Run(t *terminal) error {
	files := gen.Files()
	if c.Check {
		return c.compare(t, files)
	}
	if c.Name == "" {
		return usage("seed gen: which one? --check compares them all")
	}
	i := slices.IndexFunc(files, func(f gen.File) bool { return f.Name == c.Name })
	if i < 0 {
		return coded(exitUsage, &seed.Unknown{Name: c.Name})
	}
	return c.write(t, func(w io.Writer) error {
		_, err := w.Write(files[i].Bytes)
		return err
	})
}

func (c *seedGenCmd) compare(t *terminal, files []gen.File) error {
	same := true
	for _, f := range files {
		if src, _ := seed.Source(f.Name); !bytes.Equal(src, f.Bytes) {
			t.say("%s differs from its generator", f.Name)
			same = false
		}
	}
	if !same || len(files) != len(seed.Names()) {
		return &answered{exitNo}
	}
	return nil
}
