package store_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"worlds/journal"
	"worlds/journal/canon"
	"worlds/journal/store"
)

var update = flag.Bool("update", false, "write testdata anew")

// secondReaderAgrees reads the folder of a stopped store with the second
// reader.
func secondReaderAgrees(t *testing.T, dir string) {
	t.Helper()
	if _, err := readSecond(dir); err != nil {
		t.Fatalf("second reader: %v", err)
	}
}

const (
	goldenFolder = "testdata/golden.tar.gz"
	goldenExport = "testdata/golden.jsonl"
)

// The golden folder, written once, has a shelf and a tail, a reset and a
// dropped world, a blob, sides, and spare segments with old batches. The store
// and the second reader read the same from it, now and in every later version.
func TestGolden(t *testing.T) {
	if *update {
		writeGolden(t)
	}
	want, err := os.ReadFile(goldenExport)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	unpack(t, goldenFolder, dir)
	j, err := readSecond(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := j.export(); got != string(want) {
		t.Errorf("second reader:\n%s\nwant:\n%s", got, want)
	}
	report, err := store.Verify(dir)
	if err != nil || len(report.Damage) > 0 || report.Blobs != 1 {
		t.Fatal(err, report)
	}
	s := open(t, dir, small)
	if got := export(t, s); got != string(want) {
		t.Errorf("store:\n%s\nwant:\n%s", got, want)
	}
	if b, err := s.Blob("seed:1"); err != nil || string(b) != "a seed" || j.blobs["seed:1"] != "a seed" {
		t.Fatal(b, err)
	}
}

// The golden folder is of version 1. Whoever may write to it makes it one that
// programs of version 1 refuse; one of a later version is refused, and stays as it is.
func TestFolderVersion(t *testing.T) {
	dir := t.TempDir()
	unpack(t, goldenFolder, dir)
	if _, err := store.Verify(dir); err != nil || folderVersion(t, dir, 0) != 1 {
		t.Fatalf("a look at it made it version %d: %v", folderVersion(t, dir, 0), err)
	}
	if err := open(t, dir, small).Close(); err != nil || folderVersion(t, dir, 0) != 2 {
		t.Fatalf("opened, it has version %d: %v", folderVersion(t, dir, 0), err)
	}
	if _, err := readSecond(dir); err != nil {
		t.Fatal(err)
	}
	folderVersion(t, dir, 3)
	before := folder(t, dir)
	_, opened := store.Open(dir, small)
	_, verified := store.Verify(dir)
	if !errors.Is(opened, store.ErrVersion) || !errors.Is(verified, store.ErrVersion) {
		t.Fatalf("version 3: %v, %v", opened, verified)
	}
	if !maps.Equal(before, folder(t, dir)) {
		t.Fatal("a folder that was refused is another")
	}
}

// folderVersion is the version that a folder's watermark says, after it was made set
// if that is not 0.
func folderVersion(t *testing.T, dir string, set uint32) (version uint32) {
	t.Helper()
	db, err := bbolt.Open(filepath.Join(dir, "journal.db"), 0o644, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		mark := slices.Clone(tx.Bucket([]byte("meta")).Get([]byte("watermark")))
		if set != 0 {
			binary.LittleEndian.PutUint32(mark[4:], set)
			binary.LittleEndian.PutUint32(mark, crcOf(mark[4:]))
		}
		version = u32(mark[4:])
		return tx.Bucket([]byte("meta")).Put([]byte("watermark"), mark)
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	return version
}

// export is every world as JSON Lines.
func export(t *testing.T, s *store.Store) string {
	t.Helper()
	var out []byte
	for _, w := range s.Worlds() {
		h, _ := s.Head(w)
		out = fmt.Appendf(out, "world %d, incarnation %d\n", w, h.Inc)
		err := s.Scan(w, h.Inc, 1, 0, func(e *journal.Entry) error {
			out = journal.AppendLine(out, e)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return string(out)
}

func (j *second) export() string {
	var out []byte
	var numbers []uint64
	for w := range j.worlds {
		numbers = append(numbers, w)
	}
	slices.Sort(numbers)
	for _, number := range numbers {
		w := j.worlds[number]
		out = fmt.Appendf(out, "world %d, incarnation %d\n", number, w.inc)
		for _, e := range w.entries {
			out = journal.AppendLine(out, &journal.Entry{
				Seq: journal.Seq(e.seq), Prev: e.prev, Hash: e.hash, Body: []byte(e.body), Side: []byte(e.side),
			})
		}
	}
	return string(out)
}

func writeGolden(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, small)
	say := func(w store.World, side string, facts ...canon.Raw) {
		h, _ := s.Head(w)
		f := journal.Frame{At: 1767225600 + int64(h.Seq), Command: canon.Raw(`{"do":"say","world":` + fmt.Sprint(w) + `}`),
			Facts: facts, Reply: canon.Raw(`{"status":200}`)}
		body := f.AppendBody(nil)
		r := store.Record{World: w, Inc: h.Inc, Lazy: len(facts) == 0, Entry: journal.Entry{
			Seq: h.Seq + 1, Prev: h.Hash, Hash: journal.Link(h.Hash, h.Seq+1, body), Body: body, Side: []byte(side)}}
		if err := add(t, s, r).Wait(); err != nil {
			t.Fatal(err)
		}
	}
	for w := range store.World(4) {
		control(t, s, store.Create, w+1, 1)
	}
	for range 3 {
		for w := range store.World(4) {
			say(w+1, "key-1", canon.Raw(`["put","customer",{"id":"cus_1","name":"Zoë"}]`), canon.Raw(`["clock",5]`))
			say(w+1, "")
		}
		if err := s.Shelve(); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.PutBlob("seed:1", []byte("a seed")); err != nil {
		t.Fatal(err)
	}
	control(t, s, store.Reset, 2, 2)
	control(t, s, store.Drop, 3, 0)
	for w := range store.World(2) {
		say(w+1, "key-2", canon.Raw(`["delete","customer","cus_1"]`))
	}
	if err := s.Sync(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(goldenExport, []byte(export(t, s)), 0o644); err != nil {
		t.Fatal(err)
	}
	pack(t, dir, goldenFolder)
}

// folder is the content of a data folder by name. If a store is at work there,
// it is what a crash now would leave.
func folder(t testing.TB, dir string) map[string]string {
	t.Helper()
	for before := map[string]string(nil); ; {
		files, err := readFolder(dir)
		if err != nil && !errors.Is(err, os.ErrNotExist) { // segments get other names now and then
			t.Fatal(err)
		}
		if err == nil && before != nil && maps.Equal(before, files) {
			return files
		}
		before = files
	}
}

func readFolder(dir string) (map[string]string, error) {
	files := map[string]string{}
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		files[name] = string(b)
		return err
	})
	return files, err
}

// restore makes dir hold exactly files.
func restore(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		replace(t, dir, name, data)
	}
}

// replace writes one file of dir; zeros at its end take no space.
func replace(t testing.TB, dir, name, data string) {
	t.Helper()
	path := filepath.Join(dir, name)
	err := os.WriteFile(path, []byte(strings.TrimRight(data, "\x00")), 0o644)
	if err == nil {
		err = os.Truncate(path, int64(len(data)))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func pack(t *testing.T, dir, path string) {
	t.Helper()
	var buf bytes.Buffer
	z := gzip.NewWriter(&buf)
	w := tar.NewWriter(z)
	files := folder(t, dir)
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if strings.HasSuffix(name, ".new") {
			continue // the maker is at it
		}
		err := w.WriteHeader(&tar.Header{Name: filepath.ToSlash(name), Mode: 0o644, Size: int64(len(files[name]))})
		if err == nil {
			_, err = io.WriteString(w, files[name])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close(), os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, buf.Bytes(), 0o644)); err != nil {
		t.Fatal(err)
	}
}

func unpack(t *testing.T, path, dir string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[h.Name] = string(b)
	}
	restore(t, dir, files)
}

// The second reader owes nothing to this module.
func TestSecondReaderImports(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "secondreader_test.go", nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range f.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		first, _, _ := strings.Cut(path, "/")
		if err != nil || first == "worlds" || strings.Contains(first, ".") && path != "go.etcd.io/bbolt" {
			t.Errorf("the second reader imports %s; use the standard library or bbolt alone", path)
		}
	}
}
