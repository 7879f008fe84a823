package main

import "strings"

type helpCmd struct {
	Command []string `arg:"" optional:"" help:"The command; without one, all of them."`
}

// Run prints what --help prints.
func (c *helpCmd) Run(t *terminal) error {
	parser, err := newParser(t.out, t.err)
	if err != nil {
		return err
	}
	if _, err := parser.Parse(append(c.Command, "--help")); err != nil { // help itself leaves
		return usage("%s: %w", strings.Join(c.Command, " "), err)
	}
	return nil
}
