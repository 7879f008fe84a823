//go:build unix

package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

const (
	lockName  = "LOCK"
	lockRetry = 20 * time.Millisecond
)

// lockFolder takes the folder's lock, which a process loses when it ends.
// journal.db cannot carry it: compacting puts another file in its place.
func lockFolder(dir string, exclusive bool, timeout time.Duration) (*os.File, error) {
	path := filepath.Join(dir, lockName)
	flags, how := os.O_RDWR|os.O_CREATE, syscall.LOCK_EX
	if !exclusive {
		flags, how = os.O_RDONLY, syscall.LOCK_SH
	}
	f, err := os.OpenFile(path, flags, 0o644)
	if !exclusive && errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("store: %s: %w: no %s", dir, ErrForeign, lockName)
	}
	if err != nil {
		return nil, fmt.Errorf("store: lock: %w", err)
	}
	deadline := time.Now().Add(timeout) //worlds:boundary how long an opener waits
	for {
		err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		if err == nil {
			return f, nil
		}
		if err != syscall.EWOULDBLOCK && err != syscall.EINTR {
			_ = f.Close()
			return nil, fmt.Errorf("store: lock %s: %w", path, err)
		}
		if !time.Now().Before(deadline) { //worlds:boundary as above
			_ = f.Close()
			return nil, fmt.Errorf("store: %s: %w by another process", path, ErrLocked)
		}
		time.Sleep(lockRetry)
	}
}

// unlock gives a file's lock back at once, also where a memory map that bbolt
// left behind keeps the file open.
func unlock(f *os.File) { _ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
