package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"

	"worlds/journal/store"
	"worlds/twin/world"
)

type journalRestoreCmd struct {
	File string `arg:"" name:"file" help:"A backup; - is stdin." predictor:"file"`
	Data string `required:"" placeholder:"DIR" help:"Data folder to make; it must not be there yet, or be empty." predictor:"folder"`
}

// Run makes a data folder of a backup, whole or not at all.
func (c *journalRestoreCmd) Run(t *terminal) (err error) {
	in := io.NopCloser(t.in)
	if c.File != "-" {
		if in, err = os.Open(c.File); err != nil {
			return usage("%w", err)
		}
	}
	defer func() { _ = in.Close() }()
	if there, err := os.ReadDir(c.Data); err == nil && len(there) > 0 {
		return usage("--data %s: there is something in it", c.Data)
	}
	body, err := expand(in)
	if err != nil {
		return prefixed(c.File, err)
	}
	dir, err := os.MkdirTemp(filepath.Dir(filepath.Clean(c.Data)), "."+filepath.Base(c.Data)+".*")
	if err != nil {
		return usage("--data: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := c.fill(dir, body); err != nil {
		return err
	}
	if err := os.Remove(c.Data); err != nil && !errors.Is(err, os.ErrNotExist) {
		return usage("--data: %w", err)
	}
	if err := os.Rename(dir, c.Data); err != nil {
		return usage("--data: %w", err)
	}
	_, err = fmt.Fprintf(t.out, "%s is restored; serve it: worlds serve --data %s\n", c.Data, c.Data)
	return err
}

func (c *journalRestoreCmd) fill(dir string, in io.Reader) (err error) {
	s, err := store.Open(dir, store.Options{})
	if err != nil {
		return err
	}
	defer func() {
		if closed := s.Close(); err == nil {
			err = closed
		}
	}()
	if err := world.Restore(s, in); err != nil {
		return coded(exitDamaged, prefixed(c.File, err))
	}
	return nil
}

// zstdMagic begins a compressed file.
var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// expand reads a file that may be compressed.
func expand(in io.Reader) (io.Reader, error) {
	r := bufio.NewReaderSize(in, 1<<20)
	head, err := r.Peek(len(zstdMagic))
	if err != nil || !bytes.Equal(head, zstdMagic) {
		return r, nil // too short for either
	}
	return zstd.NewReader(r)
}
