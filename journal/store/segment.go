package store

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const (
	tailName      = "tail"
	segmentSuffix = ".seg"
	newSuffix     = ".new"  // being made
	zeroBytes     = 1 << 20 // written at a time when a file is filled
)

// segment is one file of the tail. The header is durable before the file has
// its name, so a *.seg file with a bad header is damaged, never torn.
type segment struct {
	head segmentHead
	seed uint32
	path string
	file File
	end  int64 // behind the last acknowledged batch; Store.mu
	// Set once, when the segment is full.
	rows      []dirtied // what its batches changed
	nextBatch uint64    // the number of the batch that follows
}

// dirtied is a world as it stood when a segment was full.
type dirtied struct {
	world *world
	row   row
}

func segmentPath(dir string, number uint64) string {
	return filepath.Join(dir, tailName, fmt.Sprintf("%016x%s", number, segmentSuffix))
}

// createSegment makes a zero-filled file and heads it. The folder is not
// synced.
func createSegment(open opener, dir string, head segmentHead) (*segment, error) {
	path := segmentPath(dir, head.number)
	f, err := open(path+newSuffix, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return nil, fmt.Errorf("store: segment: %w", err)
	}
	zero := make([]byte, min(head.size, zeroBytes))
	for at := int64(0); at < head.size && err == nil; at += int64(len(zero)) {
		_, err = f.WriteAt(zero[:min(int64(len(zero)), head.size-at)], at)
	}
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		_ = f.Close()
		_ = os.Remove(path + newSuffix)
		return nil, fmt.Errorf("store: segment: %w", err)
	}
	s := &segment{path: path + newSuffix, file: f}
	if err := s.reuse(dir, head); err != nil {
		_ = f.Close()
		return nil, err
	}
	return s, nil
}

// reuse heads the file for its next use and gives it the name that goes with
// it. The present name must be one that no reader looks at. The folder is not
// synced.
func (s *segment) reuse(dir string, head segmentHead) error {
	if _, err := s.file.WriteAt(head.encode(), 0); err != nil {
		return fmt.Errorf("store: segment: %w", err)
	}
	if err := s.file.SyncData(); err != nil {
		return fmt.Errorf("store: segment: %w", err)
	}
	path := segmentPath(dir, head.number)
	if err := os.Rename(s.path, path); err != nil {
		return fmt.Errorf("store: segment: %w", err)
	}
	s.path, s.head, s.seed, s.end, s.rows = path, head, head.seed(), segmentHeaderBytes, nil
	return nil
}

// discard closes and removes the file.
func (s *segment) discard() error {
	err := s.file.Close()
	if e := os.Remove(s.path); err == nil {
		err = e
	}
	return err
}

// tailFiles are the files of the tail folder by kind.
type tailFiles struct {
	segments []uint64 // numbers, ascending
	others   []string // paths of files whose making was cut short
	foreign  []string // paths of what is not ours
}

func listTail(dir string) (tailFiles, error) {
	var t tailFiles
	list, err := os.ReadDir(filepath.Join(dir, tailName))
	if err != nil {
		return t, fmt.Errorf("store: tail: %w", err)
	}
	for _, item := range list {
		name, path := item.Name(), filepath.Join(dir, tailName, item.Name())
		stem, isSegment := strings.CutSuffix(name, segmentSuffix)
		number, err := strconv.ParseUint(stem, 16, 64)
		switch {
		case isSegment && err == nil && segmentPath(dir, number) == path:
			t.segments = append(t.segments, number)
		case strings.HasSuffix(name, segmentSuffix+newSuffix):
			t.others = append(t.others, path)
		default:
			t.foreign = append(t.foreign, path)
		}
	}
	slices.Sort(t.segments)
	return t, nil
}

// syncFolder makes creations and renames in dir durable.
func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("store: sync folder: %w", err)
	}
	err = f.Sync()
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return fmt.Errorf("store: sync folder: %w", err)
	}
	return nil
}

// readAll reads n bytes from the start of f.
func readAll(f io.ReaderAt, n int64) ([]byte, error) {
	b := make([]byte, n)
	got, err := f.ReadAt(b, 0)
	if err == io.EOF {
		err = nil
	}
	return b[:got], err
}
