package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func TestWriteFile(t *testing.T) {
	boom := errors.New("boom")
	for _, row := range []struct {
		name string
		fill func(io.Writer) error
		err  error
		want string
	}{
		{"whole", func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err }, nil, "new"},
		{"fails at once", func(io.Writer) error { return boom }, boom, "old"},
		{"fails in the middle", func(w io.Writer) error { w.Write(make([]byte, 1<<20)); return boom }, boom, "old"},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "out")
			os.WriteFile(path, []byte("old"), 0o600)
			if err := writeFile(path, 0o644, row.fill); !errors.Is(err, row.err) {
				t.Fatal(err)
			}
			if got, _ := os.ReadFile(path); string(got) != row.want {
				t.Errorf("the file holds %q, want %q", got, row.want)
			}
			if left, _ := os.ReadDir(dir); len(left) != 1 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestOutFileNowhere(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	os.WriteFile(file, nil, 0o600)
	for _, path := range []string{filepath.Join(dir, "no", "out"), filepath.Join(file, "out"), dir} {
		o := outFile{Out: path}
		err := o.write(&terminal{}, func(w io.Writer) error { _, err := io.WriteString(w, "x"); return err })
		if exitCode(err) != exitUsage || !bytes.Contains([]byte(err.Error()), []byte("--out "+path)) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

// What is not complete does not reach stdout.
func TestStdoutWhole(t *testing.T) {
	var stdout bytes.Buffer
	boom := errors.New("boom")
	o := outFile{}
	err := o.write(&terminal{out: &stdout}, func(w io.Writer) error { w.Write(make([]byte, 1<<20)); return boom })
	if !errors.Is(err, boom) || stdout.Len() > 0 {
		t.Errorf("%v, %d bytes", err, stdout.Len())
	}
}
