package main

import (
	"errors"
	"io"

	"worlds/seed"
)

// seedComposeCmd joins a Stripe seed and a help desk.
type seedComposeCmd struct {
	output
	outFile
	Stripe  string `required:"" placeholder:"FILE" help:"Seed without a help desk." predictor:"file"`
	Zendesk string `required:"" placeholder:"FILE" help:"Seed with a native help desk and nothing else." predictor:"file"`
	Name    string `default:"composed" placeholder:"NAME" help:"Name of the seed, in kebab-case (default composed)."`
}

// Help is the long help of the verb.
func (*seedComposeCmd) Help() string {
	return "The later of the two epochs is the new one; everything stays at the moment it was. Clock and settings are the Stripe seed's."
}

// Run joins the two and writes the seed. The answer is no when they do not go
// together.
func (c *seedComposeCmd) Run(t *terminal) error {
	billing, err := readSeed(t, c.Stripe)
	if err != nil {
		return prefixed("--stripe "+c.Stripe, err)
	}
	desk, err := readSeed(t, c.Zendesk)
	if err != nil {
		return prefixed("--zendesk "+c.Zendesk, err)
	}
	both, err := seed.Compose(billing, desk, c.Name)
	var invalid *seed.Invalid
	if errors.As(err, &invalid) {
		for _, p := range invalid.Problems {
			t.say("%s", p)
		}
		return &answered{exitNo}
	}
	if err != nil {
		return err
	}
	return c.write(t, func(w io.Writer) error {
		_, err := w.Write(append(both.Canonical, '\n'))
		return err
	})
}
