package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A document is read as editors leave it; where it is none the place is said.
func TestReadJSON(t *testing.T) {
	for _, row := range []struct{ name, src, want, err string }{
		{"plain", `[1]`, `[1]`, ""},
		{"a byte-order mark", "\ufeff{\"a\":1}\r\n", `{"a":1}`, ""},
		{"empty", "", "", "unexpected end of JSON input (at byte 0)"},
		{"more than one", `{} {}`, "", "after top-level value (at byte 4)"},
		{"no JSON", `{a}`, "", "(at byte 2)"},
	} {
		t.Run(row.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "doc.json")
			if err := os.WriteFile(file, []byte(row.src), 0o600); err != nil {
				t.Fatal(err)
			}
			for name, stdin := range map[string]string{file: "", "-": row.src} {
				got, err := readJSON(name, strings.NewReader(stdin))
				if string(got) != row.want || (err == nil) != (row.err == "") || err != nil && (!strings.Contains(err.Error(), row.err) || !strings.HasPrefix(err.Error(), name+": it is not JSON")) {
					t.Errorf("%s: %q, %v", name, got, err)
				}
			}
		})
	}
	if _, err := readJSON(filepath.Join(t.TempDir(), "none"), nil); err == nil {
		t.Error("a file that is not there was read")
	}
}
