//go:build !linux

package main

import "os"

// dataSync has what was written to the file on disk, as the store does it.
func dataSync(f *os.File) error { return f.Sync() }
