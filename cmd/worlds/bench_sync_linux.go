package main

import (
	"os"
	"syscall"
)

// dataSync has what was written to the file on disk, as the store does it.
func dataSync(f *os.File) error { return syscall.Fdatasync(int(f.Fd())) }
