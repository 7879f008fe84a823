package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"worlds/journal"
	"worlds/twin/world"
)

type journalExportCmd struct {
	target
	outFile
	Data string `placeholder:"DIR" help:"Read the data folder of a stopped server instead." predictor:"folder"`
}

// Run writes a journal whose chain it has proved on the way.
func (c *journalExportCmd) Run(ctx context.Context, t *terminal) error {
	if c.Data != "" {
		return c.fromFolder(t)
	}
	w, err := c.open(ctx)
	if err != nil {
		return err
	}
	res, err := w.do(ctx, http.MethodGet, w.path("/journal/export"), nil)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	lines := &lineReader{path: "the export", in: bufio.NewReaderSize(res.Body, 1<<20)}
	return c.write(t, func(out io.Writer) error {
		h, err := lines.history()
		if err == nil {
			var head journal.Hash
			head, err = c.copy(t, out, h)
			if want := res.Header.Get("Worlds-Head"); err == nil && want != head.String() {
				err = fmt.Errorf("the export ends in %s, the server said %s", head, want)
			}
		}
		var chain *journal.ChainError
		if err != nil && !errors.As(err, &chain) {
			return coded(exitServer, err)
		}
		return err
	})
}

func (c *journalExportCmd) fromFolder(t *terminal) error {
	h, done, err := (&offline{Data: c.Data}).one(t, c.World)
	if err != nil {
		return err
	}
	defer func() { _ = done() }()
	return c.write(t, func(out io.Writer) error {
		_, err := c.copy(t, out, h)
		return err
	})
}

// copy writes a history as JSON Lines and returns the hash it ends in.
func (c *journalExportCmd) copy(t *terminal, out io.Writer, h *history) (journal.Hash, error) {
	p := t.progress("entries")
	defer p.end()
	genesis := &h.genesis.Entry
	buf := journal.AppendLine(nil, genesis)
	if _, err := out.Write(buf); err != nil {
		return journal.Hash{}, err
	}
	v := world.NewLinks(genesis.Hash)
	for e, err := range h.entries {
		if err != nil {
			return journal.Hash{}, h.failed
		}
		if _, err := v.Next(e); err != nil {
			return journal.Hash{}, coded(exitDamaged, err)
		}
		buf = journal.AppendLine(buf[:0], e)
		if _, err := out.Write(buf); err != nil {
			return journal.Hash{}, err
		}
		p.at(int64(e.Seq))
	}
	_, head := v.Head()
	return head, nil
}
