package store

import (
	"io"
	"os"
)

// File is one file of the tail as the store uses it. A sync that fails has synced
// any part of what was written, or none.
type File interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	// StartWriting says that what was written there will be synced soon.
	StartWriting(at, n int64) error
	// SyncData makes durable what was written over bytes that were there.
	SyncData() error
	// Sync makes durable the file's size too.
	Sync() error
	Truncate(size int64) error
	Stat() (os.FileInfo, error)
}

// opener opens files of the tail; see Options.OpenFile.
type opener func(path string, flag int, perm os.FileMode) (File, error)

// diskFile is a File on the disk.
type diskFile struct{ *os.File }

// SyncData implements File.
func (f diskFile) SyncData() error { return SyncData(f.File) }

// StartWriting implements File.
func (f diskFile) StartWriting(at, n int64) error { return startWriting(f.File, at, n) }

// OpenDisk is what Options.OpenFile stands for when it is nil.
func OpenDisk(path string, flag int, perm os.FileMode) (File, error) {
	f, err := os.OpenFile(path, flag, perm)
	if err != nil {
		return nil, err
	}
	return diskFile{f}, nil
}

// readFile reads a whole file of the tail.
func readFile(open opener, path string) ([]byte, error) {
	f, err := open(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return readAll(f, info.Size())
}
