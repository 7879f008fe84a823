package spec_test

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"worlds/twin/stripe/oracle"
	"worlds/twin/stripe/spec"
)

const olderFile = "older.txt"

// olderDocuments are the documents of the older shapes, oldest first, and the API
// version each is of.
var olderDocuments = []struct{ version, mock string }{
	{"2022-11-15", oracle.MockOld},
	{"2025-03-31", oracle.MockBasil},
}

// TestOlderIsCurrent makes the list of what older versions had and the newest has
// not, and compares.
func TestOlderIsCurrent(t *testing.T) {
	var lines []string
	for _, d := range olderDocuments {
		text, err := oracle.Document(d.mock)
		if err != nil {
			if os.Getenv("WORLDS_FORCE_SDK") != "" {
				t.Fatal(err)
			}
			t.Skipf("no document of %s: %v", d.version, err)
		}
		var doc document
		if err := json.Unmarshal(text, &doc); err != nil {
			t.Fatal(err)
		}
		for path, operations := range doc.Paths {
			for method, op := range operations {
				method = strings.ToUpper(method)
				if path == "/v1/invoices/upcoming" { // what the preview was
					method, path = "POST", "/v1/invoices/create_preview"
				}
				if path == "/v1/invoices/upcoming/lines" {
					continue
				}
				now, _, ok := spec.Lookup(method, regexp.MustCompile(`\{[^}]*\}`).ReplaceAllString(path, "x"))
				if !ok {
					lines = append(lines, d.version+" "+method+" "+path)
					continue
				}
				for _, name := range gone(now, op.form(), nil) {
					lines = append(lines, d.version+" "+method+" "+now.Path+" "+name)
				}
			}
		}
	}
	slices.Sort(lines)
	want := strings.Join(lines, "\n") + "\n"
	if *update {
		if err := os.WriteFile(olderFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(olderFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the documents give: run the test with -update", olderFile)
	}
}

// gone lists the parameters of an older form that an operation has no more, the
// outermost of each, without the numbers of list elements.
func gone(now *spec.Operation, s *schema, at []string) (out []string) {
	if s == nil {
		return nil
	}
	for _, one := range append([]*schema{s}, s.AnyOf...) {
		if one.Items != nil {
			out = append(out, gone(now, one.Items, append(slices.Clone(at), "0"))...)
		}
		for _, name := range slices.Sorted(maps.Keys(one.Properties)) {
			path := append(slices.Clone(at), name)
			if _, ok := now.Param(path); ok {
				out = append(out, gone(now, one.Properties[name], path)...)
				continue
			}
			out = append(out, strings.ReplaceAll(path[0]+strings.Join(append([]string{""}, path[1:]...), "."), ".0", ""))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
