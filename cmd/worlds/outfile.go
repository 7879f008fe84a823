package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// outTarget is where a file is written.
type outTarget struct {
	path string // links followed
	mode os.FileMode
	// through says that there is something other than a file, such as a pipe or
	// /dev/null: it is written to, never replaced.
	through bool
}

// targetOf finds out what stands at path. A file that is there keeps what it
// denies its readers; one that may not be written is refused.
func targetOf(path string, mode os.FileMode) (outTarget, error) {
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		if _, err := os.Stat(filepath.Dir(path)); err != nil {
			return outTarget{}, err
		}
		return outTarget{path: path, mode: mode}, nil
	}
	if err != nil {
		return outTarget{}, err
	}
	switch {
	case info.IsDir():
		return outTarget{}, &os.PathError{Op: "write", Path: path, Err: syscall.EISDIR}
	case !info.Mode().IsRegular():
		return outTarget{path: path, through: true}, nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return outTarget{}, err
	}
	_ = f.Close()
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return outTarget{}, err
	}
	return outTarget{path: path, mode: mode & info.Mode().Perm()}, nil
}

// beside makes an empty file next to path, to be renamed or removed.
func beside(path string) (*os.File, error) {
	return os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
}

// writeFile lets fill write a file that takes path's place when it is complete and
// on disk. If anything fails path is as it was and nothing is left beside it. What
// is no file (a pipe, a device) gets the bytes as they come.
func writeFile(path string, mode os.FileMode, fill func(io.Writer) error) (err error) {
	to, err := targetOf(path, mode)
	if err != nil {
		return err
	}
	if to.through {
		return writeThrough(path, fill)
	}
	f, err := beside(to.path)
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
		func() error { return f.Chmod(to.mode) },
		f.Sync,
		f.Close,
		func() error { return os.Rename(f.Name(), to.path) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func writeThrough(path string, fill func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	if err := fill(w); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := w.Flush(); err != nil {
		return errors.Join(err, f.Close())
	}
	return f.Close()
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
