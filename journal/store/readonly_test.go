package store_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"worlds/journal/store"
)

// A folder is read as it lies, by several at once, and not one byte of it changes:
// entries on the shelf and in the tail, of a store that was closed or killed.
func TestReadOnly(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, small)
	control(t, s, store.Create, 1, 1)
	for range 40 {
		put(t, s, 1, 5000)
	}
	if err := s.PutBlob("seed", []byte("text")); err != nil {
		t.Fatal(err)
	}
	killed := t.TempDir()
	for name, data := range folder(t, dir) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(killed, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		replace(t, killed, name, data)
	}
	want, _ := s.Head(1)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for name, dir := range map[string]string{"closed": dir, "killed": killed} {
		t.Run(name, func(t *testing.T) {
			before := folder(t, dir)
			for range 2 {
				s, err := store.OpenReadOnly(dir)
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				check(t, s)
				if got, ok := s.Head(1); got != want || !ok {
					t.Errorf("the head is %v, want %v", got, want)
				}
				if got, err := s.Blob("seed"); string(got) != "text" {
					t.Error(err)
				}
				_, refused := s.Append(next(t, s, 1, 10))
				for _, err := range []error{refused, s.PutBlob("other", nil), s.Reopen(), s.Shelve(), s.Compact()} {
					if !errors.Is(err, store.ErrReadOnly) {
						t.Errorf("a change: %v", err)
					}
				}
			}
			if after := folder(t, dir); !maps.Equal(before, after) {
				t.Error("the folder is changed")
			}
		})
	}
	if err := os.Remove(filepath.Join(killed, "LOCK")); err != nil { // copied without it
		t.Fatal(err)
	}
	s, err := store.OpenReadOnly(killed)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	if _, err := store.OpenReadOnly(t.TempDir()); !errors.Is(err, store.ErrForeign) {
		t.Errorf("an empty folder: %v", err)
	}
}
