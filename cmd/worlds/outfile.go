package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// writeFile lets fill write a file that takes path's place when it is complete and
// on disk. If anything fails path is as it was and nothing is left beside it.
func writeFile(path string, mode os.FileMode, fill func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	w := bufio.NewWriter(f)
	if err := fill(w); err != nil {
		return err
	}
	for _, step := range []func() error{
		w.Flush,
		func() error { return f.Chmod(mode) },
		f.Sync,
		f.Close,
		func() error { return os.Rename(f.Name(), path) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// outFileMode is the mode of files written for people.
const outFileMode = 0o644

// outFile is where a verb puts a document.
type outFile struct {
	Out string `short:"o" placeholder:"FILE" help:"Write to FILE, whole or not at all, instead of stdout." predictor:"file"`
}

// write lets fill make the document. On stdout it appears only once it is complete.
func (o *outFile) write(t *terminal, fill func(io.Writer) error) error {
	if o.Out != "" {
		var inner error
		err := writeFile(o.Out, outFileMode, func(w io.Writer) error {
			inner = fill(w)
			return inner
		})
		if err != nil && inner == nil {
			return usage("--out %s: %w", o.Out, err)
		}
		return err
	}
	spool, err := os.CreateTemp("", "worlds-*")
	if err != nil {
		return fmt.Errorf("spool: %w", err)
	}
	defer func() {
		_ = spool.Close()
		_ = os.Remove(spool.Name())
	}()
	w := bufio.NewWriter(spool)
	if err := fill(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("spool: %w", err)
	}
	if _, err := spool.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("spool: %w", err)
	}
	if _, err := io.Copy(t.out, spool); err != nil {
		return fmt.Errorf("stdout: %w", err)
	}
	return nil
}
