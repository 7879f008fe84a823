package gen_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"worlds/seed/gen"
)

var update = flag.Bool("update", false, "write the library's files")

const library = "../library"

func TestCommittedFilesAreTheGeneratorsOwn(t *testing.T) {
	want := map[string]bool{}
	for _, file := range gen.Files() {
		path := filepath.Join(library, file.Name+".json")
		want[filepath.Base(path)] = true
		if *update {
			if err := os.WriteFile(path, file.Bytes, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		committed, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(committed, file.Bytes) {
			t.Errorf("%s differs from its generator; run go test ./seed/gen -update", path)
		}
	}
	entries, err := os.ReadDir(library)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if !want[entry.Name()] {
			t.Errorf("%s/%s has no generator", library, entry.Name())
		}
	}
}

func TestGeneratorsRepeatThemselves(t *testing.T) {
	first, second := gen.Files(), gen.Files()
	for i := range first {
		if !bytes.Equal(first[i].Bytes, second[i].Bytes) {
			t.Errorf("%s differs between two runs", first[i].Name)
		}
	}
}
