package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/klauspost/compress/zstd"
)

type journalBackupCmd struct {
	server
	Out string `required:"" short:"o" placeholder:"FILE" help:"Write to FILE, whole or not at all; compressed if it ends in .zst." predictor:"file"`
}

// Run writes everything the server holds to a file. It needs the root token.
func (c *journalBackupCmd) Run(ctx context.Context, t *terminal) error {
	s, err := c.client()
	if err != nil {
		return err
	}
	res, err := s.do(ctx, http.MethodPost, "/admin/backup", nil)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	return writeFile(c.Out, contextFileMode, func(out io.Writer) error {
		if !strings.HasSuffix(c.Out, ".zst") {
			return copyWhole(out, res)
		}
		z, err := zstd.NewWriter(out)
		if err != nil {
			return err
		}
		if err := copyWhole(z, res); err != nil {
			_ = z.Close()
			return err
		}
		return z.Close()
	})
}

// copyWhole copies an answer whose length is known.
func copyWhole(out io.Writer, res *http.Response) error {
	n, err := io.Copy(out, res.Body)
	if err == nil && n != res.ContentLength {
		err = fmt.Errorf("it has %d bytes, not %d", n, res.ContentLength)
	}
	if err != nil {
		return coded(exitServer, fmt.Errorf("the answer broke off: %w", err))
	}
	return nil
}
