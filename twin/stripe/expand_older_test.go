package stripe_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"worlds/twin/stripe"
	"worlds/twin/stripe/oracle"
)

// notHereOlder are the paths that an older document has and the twin has not, and why.
var notHereOlder = map[string]string{}

// An older version expands nothing whose outermost member it does not have.
func TestExpansionsAgainstTheOlderDocuments(t *testing.T) {
	for _, d := range []struct{ version, mock string }{{"2022-11-15", oracle.MockOld}, {"2025-03-31.basil", oracle.MockBasil}} {
		text, err := oracle.Document(d.mock)
		if err != nil {
			if os.Getenv("WORLDS_FORCE_SDK") != "" {
				t.Fatal(err)
			}
			t.Skipf("no document of %s: %v", d.version, err)
		}
		var document struct {
			Components struct{ Schemas map[string]*expandSchema }
		}
		if err := json.Unmarshal(text, &document); err != nil {
			t.Fatal(err)
		}
		catalog := stripe.Catalog()
		for _, kind := range catalog.Kinds() {
			schema := document.Components.Schemas[kind.Object]
			if schema == nil {
				continue
			}
			for _, path := range catalog.Expands(kind.Object, d.version) {
				first, _, _ := strings.Cut(path, ".")
				if schema.Properties[first] == nil && first != "plan" { // Stripe sends it undeclared
					t.Errorf("%s has no %s.%s", d.version, kind.Object, path)
				}
			}
			for _, name := range schema.Expandable {
				p := schema.Properties[name]
				if p == nil || p.Resources == nil && (p.Items == nil || p.Items.Resources == nil) {
					continue
				}
				if !slices.Contains(catalog.Expands(kind.Object, d.version), name) && notHereOlder[kind.Object+" "+name] == "" {
					t.Errorf("%s expands %s.%s", d.version, kind.Object, name)
				}
			}
		}
	}
}
