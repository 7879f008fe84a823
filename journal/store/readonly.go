package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// OpenReadOnly opens the journal in dir for those who read it, of whom there may be
// several at once. It writes nothing, so that a folder, or a disk, that takes nothing
// will do; what would change the journal fails with ErrReadOnly. Its errors are those
// of Open.
func OpenReadOnly(dir string) (*Store, error) {
	opt, err := Options{}.filled()
	if err != nil {
		return nil, err
	}
	lock, err := lockFolder(dir, false, opt.LockTimeout)
	if err != nil && !errors.Is(err, ErrForeign) { // without a LOCK nobody has it
		return nil, err
	}
	s := newStore(dir, opt, lock)
	s.readOnly, s.sealed = true, ErrReadOnly
	if err := s.openReadOnly(); err != nil {
		_ = s.release()
		return nil, err
	}
	s.running.Go(s.warm)
	return s, nil
}

func (s *Store) openReadOnly() error {
	_, err := os.Lstat(filepath.Join(s.dir, shelfName))
	if errors.Is(err, os.ErrNotExist) {
		if _, err := s.orphans(); err != nil {
			return err
		}
		return fmt.Errorf("store: %s: %w: no %s", s.dir, ErrForeign, shelfName)
	}
	if err != nil {
		return err
	}
	_, _, err = s.load()
	return err
}
