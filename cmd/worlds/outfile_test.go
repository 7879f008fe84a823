package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
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

// What stands at the path says how it is written: a link is followed, a private
// file stays private, a pipe gets the bytes and stays a pipe.
func TestWriteFileOver(t *testing.T) {
	fill := func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err }
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	os.WriteFile(in("file"), []byte("old"), 0o600)
	os.Symlink("file", in("link"))
	if err := writeFile(in("link"), 0o644, fill); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(in("file")); string(got) != "new" {
		t.Errorf("through a link: the file holds %q", got)
	}
	if info, _ := os.Lstat(in("link")); info.Mode().Type() != os.ModeSymlink {
		t.Errorf("the link is %v now", info.Mode())
	}
	if info, _ := os.Stat(in("file")); info.Mode().Perm() != 0o600 {
		t.Errorf("a private file is %v now", info.Mode())
	}
	if err := syscall.Mkfifo(in("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := make(chan []byte)
	go func() {
		all, _ := os.ReadFile(in("pipe"))
		got <- all
	}()
	if err := writeFile(in("pipe"), 0o644, fill); err != nil {
		t.Fatal(err)
	}
	if all := <-got; string(all) != "new" {
		t.Errorf("the pipe's reader got %q", all)
	}
	if info, _ := os.Stat(in("pipe")); info.Mode().Type() != os.ModeNamedPipe {
		t.Errorf("the pipe is %v now", info.Mode())
	}
	if left, _ := os.ReadDir(dir); len(left) != 3 {
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
