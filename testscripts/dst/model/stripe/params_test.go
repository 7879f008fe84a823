package stripe

import (
	"os"
	"strings"
	"testing"
)

// The tables of parameters name everything that the product says it knows of, so
// that nothing is taken for unknown that is not.
func TestTablesNameEveryParameter(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/fidelity.md")
	if err != nil {
		t.Fatal(err)
	}
	tables := map[string]*shape{}
	for _, r := range routes {
		tables[r.method+" "+strings.Join(r.parts, "/")] = r.params
	}
	seen, table, operation := 0, (*shape)(nil), ""
	for _, line := range strings.Split(string(text), "\n") {
		if name, ok := strings.CutPrefix(line, "### "); ok {
			table, operation = tables[name], name
			if table != nil {
				seen++
			}
		}
		listed, served := strings.CutPrefix(line, "- parameters: ")
		if !served {
			var refused bool
			if listed, refused = strings.CutPrefix(line, "- *501*: "); !refused {
				continue
			}
		}
		for _, name := range strings.Fields(listed) {
			if table != nil && !table.holds(strings.Trim(name, "`")) {
				t.Errorf("%s: the table does not name %s (served: %v)", operation, name, served)
			}
		}
	}
	if seen != len(routes) {
		t.Errorf("%d of %d routes are in the document", seen, len(routes))
	}
}

// holds reports whether a table has a parameter, by its path.
func (s *shape) holds(name string) bool {
	path, _ := splitName(name)
	for _, key := range path {
		if s.kind == vague || s.kind == mapping || s.kind == rangeOf {
			return true
		}
		if key == "" {
			s = s.element
		} else {
			s = s.fields[key]
		}
		if s == nil {
			return false
		}
	}
	return true
}
