package main

import (
	"errors"
	"fmt"
	"strings"

	"worlds/seed"
	"worlds/twin"
)

type seedValidateCmd struct {
	output
	File string `arg:"" help:"Seed file; - is stdin." predictor:"file"`
}

// verdict is what there is to say of a seed file.
type verdict struct {
	Valid    bool           `json:"valid"`
	Name     string         `json:"name,omitempty"`
	Hash     string         `json:"hash,omitempty"`
	Unserved []string       `json:"unserved,omitempty"`
	Problems []problemPlace `json:"problems,omitempty"`
	More     int            `json:"more,omitempty"`
}

type problemPlace struct {
	Path   string `json:"path"`
	Offset *int64 `json:"offset,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	Detail string `json:"detail"`
}

// Run checks a seed file. The answer is no for a file that is not a seed, and for
// one that uses what this version does not serve.
func (c *seedValidateCmd) Run(t *terminal) error {
	s, err := readSeed(t, c.File)
	if err == nil && len(s.Unserved()) == 0 {
		_, err = twin.Genesis(s, catalogs()...) // what a world would be made of
	}
	var invalid *seed.Invalid
	switch {
	case errors.As(err, &invalid):
		return c.refuse(t, invalid)
	case err != nil:
		return err
	}
	unserved := s.Unserved()
	if c.JSON {
		if err := t.json(&verdict{Valid: true, Name: s.Document.Name, Hash: s.Hash.String(), Unserved: unserved}); err != nil {
			return err
		}
	}
	if len(unserved) > 0 {
		if c.JSON {
			return &answered{exitNo}
		}
		return coded(exitNo, fmt.Errorf("%s: a valid seed, but this version does not serve %s", c.File, strings.Join(unserved, ", ")))
	}
	if c.JSON {
		return nil
	}
	d := &s.Document.Data
	tickets := len(d.Tickets)
	if z := s.Document.Zendesk; z != nil {
		tickets = len(z.Tickets)
	}
	return t.fields("seed", s.Document.Name, "hash", s.Hash.String(), "clock", moment(s.Document.Epoch),
		"holds", strings.Join([]string{
			count(len(d.Customers), "customer"), count(len(d.Products), "product"), count(len(d.Prices), "price"), count(len(d.Invoices), "invoice"),
			count(len(d.Subscriptions), "subscription"), count(len(d.Disputes), "dispute"), count(tickets, "ticket"),
		}, ", "))
}

func (c *seedValidateCmd) refuse(t *terminal, invalid *seed.Invalid) error {
	if !c.JSON {
		for _, p := range invalid.Problems {
			t.say("%s: %s", c.File, p)
		}
		if invalid.More > 0 {
			t.say("%s: and %d more", c.File, invalid.More)
		}
		return &answered{exitNo}
	}
	v := verdict{More: invalid.More}
	for _, p := range invalid.Problems {
		place := problemPlace{Path: p.Path, Line: p.Line, Column: p.Column, Detail: p.Msg}
		if p.Offset != seed.NoOffset {
			place.Offset = &p.Offset
		}
		v.Problems = append(v.Problems, place)
	}
	if err := t.json(&v); err != nil {
		return err
	}
	return &answered{exitNo}
}
