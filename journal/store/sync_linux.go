package store

import (
	"os"
	"syscall"
)

// syncData makes what was written to f durable. Segments are written over in
// place, so that no metadata needs to follow.
func syncData(f *os.File) error {
	for {
		err := syscall.Fdatasync(int(f.Fd()))
		if err != syscall.EINTR {
			return os.NewSyscallError("fdatasync", err)
		}
	}
}
