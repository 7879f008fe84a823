package store

import (
	"os"
	"syscall"
)

// SyncData makes what was written to f durable. Segments are written over in
// place, so that no metadata needs to follow.
func SyncData(f *os.File) error {
	for {
		err := syscall.Fdatasync(int(f.Fd()))
		if err != syscall.EINTR {
			return os.NewSyscallError("fdatasync", err)
		}
	}
}

// startWriting writes n bytes of f from an offset to the disk and waits for it:
// less is left for a sync, behind which those of other files stand.
func startWriting(f *os.File, from, n int64) error {
	const writeAndWait = 2 | 4 // SYNC_FILE_RANGE_WRITE, SYNC_FILE_RANGE_WAIT_AFTER
	for {
		err := syscall.SyncFileRange(int(f.Fd()), from, n, writeAndWait)
		switch err {
		case syscall.EINTR:
			continue
		case syscall.ENOSYS, syscall.EINVAL, syscall.ESPIPE:
			return nil // not on this file system: the sync does it all
		}
		return os.NewSyscallError("sync_file_range", err)
	}
}
