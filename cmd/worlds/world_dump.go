package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"

	"worlds/admin"
)

type worldDumpCmd struct {
	target
	output
	outFile
	ID   string `arg:"" optional:"" name:"world" help:"World, by id or name." predictor:"world"`
	Hash bool   `help:"Print only the SHA-256 of the dump."`
}

// Run prints the dump as the server sent it: its bytes are what the hash is of.
func (c *worldDumpCmd) Run(ctx context.Context, t *terminal) error {
	c.use(c.ID)
	if c.Hash && c.Out != "" {
		return usage("--hash and --out: a hash is printed, not written")
	}
	w, err := c.open(ctx)
	if err != nil {
		return err
	}
	if c.Hash {
		return c.hash(ctx, t, w)
	}
	return c.write(t, func(out io.Writer) error { return w.dump(ctx, out) })
}

func (c *worldDumpCmd) hash(ctx context.Context, t *terminal, w *remote) error {
	var h admin.DumpHash
	if err := w.get(ctx, w.path("/dump/hash"), &h); err != nil {
		return err
	}
	if c.JSON {
		return t.json(&h)
	}
	_, err := fmt.Fprintln(t.out, h.SHA256)
	return err
}

// dump copies the dump and holds it against its hash, since a connection can end
// early.
func (r *remote) dump(ctx context.Context, out io.Writer) error {
	res, err := r.do(ctx, http.MethodGet, r.path("/dump"), nil)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	sum := sha256.New()
	if _, err := io.Copy(io.MultiWriter(out, sum), res.Body); err != nil {
		return coded(exitServer, fmt.Errorf("the dump broke off: %w", err))
	}
	if want, got := res.Header.Get("Worlds-Dump-SHA256"), hex.EncodeToString(sum.Sum(nil)); want != got {
		return coded(exitServer, fmt.Errorf("the dump has the hash %s, the server said %s", got, want))
	}
	return nil
}
