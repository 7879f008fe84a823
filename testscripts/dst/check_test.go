package dst

import (
	"testing"

	"worlds/journal/canon"
	"worlds/projection"
	"worlds/twin/world"
)

// TestRowsAreUnique: two rows may not have what must be unique, and what is null,
// deleted or changed releases it.
func TestRowsAreUnique(t *testing.T) {
	const table = "zendesk.organization"
	named := func(name string) canon.Raw { return canon.Raw(`{"name":"` + name + `"}`) }
	for name, c := range map[string]struct {
		diffs []projection.Diff
		want  string
	}{
		"two": {[]projection.Diff{{Created: []projection.Change{{Table: table, ID: "1", After: named("a")}}},
			{Created: []projection.Change{{Table: table, ID: "2", After: named("a")}}}}, "rows.unique"},
		"two at once": {[]projection.Diff{{Created: []projection.Change{{Table: table, ID: "1", After: named("a")}, {Table: table, ID: "2", After: named("a")}}}}, "rows.unique"},
		"by a change": {[]projection.Diff{{Created: []projection.Change{{Table: table, ID: "1", After: named("a")}, {Table: table, ID: "2", After: named("b")}}},
			{Updated: []projection.Change{{Table: table, ID: "2", Before: named("b"), After: named("a")}}}}, "rows.unique"},
		"an exchange": {[]projection.Diff{{Created: []projection.Change{{Table: table, ID: "1", After: named("a")}, {Table: table, ID: "2", After: named("b")}}},
			{Updated: []projection.Change{{Table: table, ID: "1", Before: named("a"), After: named("b")}, {Table: table, ID: "2", Before: named("b"), After: named("a")}}}}, ""},
		"none has it": {[]projection.Diff{{Created: []projection.Change{{Table: table, ID: "1", After: canon.Raw(`{"name":null}`)}, {Table: table, ID: "2", After: canon.Raw(`{"name":null}`)}}}}, ""},
		"after one that is gone": {[]projection.Diff{{Created: []projection.Change{{Table: table, ID: "1", After: named("a")}}},
			{Deleted: []projection.Change{{Table: table, ID: "1", Before: named("a")}}, Created: []projection.Change{{Table: table, ID: "2", After: named("a")}}}}, ""},
	} {
		s := &space{sole: map[string]string{}}
		r := &run{spaces: []*space{s}}
		got := ""
		for i := range c.diffs {
			if f := r.rowsHold(s, &step{diff: &c.diffs[i], before: world.View{}, after: world.View{}}); f != nil {
				got = f.Property
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, not %q", name, got, c.want)
		}
	}
}
