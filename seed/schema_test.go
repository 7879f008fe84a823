package seed_test

import (
	"bytes"
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"worlds/seed"
)

var update = flag.Bool("update", false, "write schema.json")

func TestPublishedSchemaIsCurrent(t *testing.T) {
	const path = "schema.json"
	if *update {
		if err := os.WriteFile(path, seed.Schema(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	published, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(published, seed.Schema()) {
		t.Errorf("%s differs from the tables; run go test ./seed -update", path)
	}
}

// beyondSchema are the problems that a schema cannot see: they relate two places.
var beyondSchema = regexp.MustCompile(`no \w+ has the id|is already|must be later than|the charge's amount|add up to|only a paid invoice|` +
	`stand beside|reaches back|cannot be charged|is a one-time price|with interval|trial_end is`)

// The schema and Parse agree on every row of the rules, but for relations.
func TestSchemaAgreesWithParse(t *testing.T) {
	compiler := jsonschema.NewCompiler()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(seed.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	if err := compiler.AddResource("seed.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("seed.json")
	if err != nil {
		t.Fatal(err)
	}
	accepts := func(src []byte) bool {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(src))
		if err != nil {
			t.Fatal(err)
		}
		return schema.Validate(value) == nil
	}
	full := readFull(t)
	for _, c := range changes {
		want := true
		for _, problem := range strings.Split(c.want, "\n") {
			want = want && (problem == "" || beyondSchema.MatchString(problem))
		}
		if got := accepts(edit(t, full, c.from, c.to)); got != want {
			t.Errorf("%.60s → %.60s: the schema accepts it: %v; Parse says %q", c.from, c.to, got, c.want)
		}
	}
	for _, name := range seed.Names() {
		if src, _ := seed.Source(name); !accepts(src) {
			t.Errorf("the schema refuses the library's %s", name)
		}
	}
}
