package dst

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"worlds/journal/mutant"
)

// kill is a planted bug and the smallest story known that shows it.
type kill struct {
	Mutant   string `json:"mutant"`
	Seed     uint64 `json:"seed"` // by whose run it was found
	Profile  string `json:"profile"`
	Delivery string `json:"delivery"`
	Property string `json:"property"`
	Whole    int    `json:"whole"` // operations of the run, up to where it failed
	Story    *Story `json:"story"`
}

// Where the kills are kept, one a line, and where the table of them is.
const (
	killsFile = "testdata/mutants.jsonl"
	killsDoc  = "../../docs/dst.md"
)

// What a hunt may cost, and what must come of it.
const (
	huntSeeds    = 200
	killLongest  = 12 // operations of a story
	killsBefore  = "<!-- mutants -->\n"
	killsBehind  = "<!-- /mutants -->\n"
	killsHead    = "| bug | family | seed | property | operations | shrunk to |\n|---|---|---|---|---|---|\n"
	elsewhereRow = "| `%s` | %s | | %s | | |\n"
)

// elsewhere are the bugs that no history of requests shows, one after the other on a
// sound disk and a clock that the operator moves, and the test that kills each.
var elsewhere = map[string]string{
	"double-outcome":           "schedules: `sim`, claim-lost",
	"early-publish":            "kills: `crash`, TestMutantEarlyPublish; a disk that fails: `sim`, disk-fails",
	"fork-sees-later":          "schedules: `sim`, fork-against-request",
	"late-outcome":             "schedules: `sim`, reset-against-delivery",
	"lost-update":              "clients that overlap: `linear`; schedules: `sim`, read-against-delivery",
	"mark-moves-on":            "schedules: `sim`, mark-against-request",
	"reset-unfenced":           "schedules: `sim`, reset-against-request",
	"tick-outside-transaction": "an automatic clock: `invariant`; schedules: `sim`, ticks-of-two",
}

// elsewhereTests are the files whose tests kill those.
var elsewhereTests = []string{"../sim/mutant_test.go", "crash/mutant_test.go", "linear/mutant_test.go", "../invariant/mutant_test.go"}

func readKills(t *testing.T) (list []kill) {
	t.Helper()
	text, err := os.ReadFile(killsFile)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var k kill
		if err := json.Unmarshal(lines.Bytes(), &k); err != nil {
			t.Fatal(err)
		}
		list = append(list, k)
	}
	return list
}

// TestEveryMutantIsKilled: of each bug of the catalog there is a story that shows it, as
// small and found as soon as promised, or another suite whose test names it. The table
// of the docs is the one that follows from that. That the stories do show it is
// TestMutants'.
func TestEveryMutantIsKilled(t *testing.T) {
	kills := readKills(t)
	var table strings.Builder
	table.WriteString(killsHead)
	for _, m := range mutant.All() {
		at := slices.IndexFunc(kills, func(k kill) bool { return k.Mutant == m.Name })
		other := elsewhere[m.Name]
		switch {
		case at >= 0 && other != "":
			t.Errorf("%s is killed by a story: it needs no other suite", m.Name)
		case at < 0 && other == "":
			t.Errorf("no story kills %s: hunt it with TestMutants -update, or say in elsewhere what kills it", m.Name)
		case at < 0:
			if !namedIn(t, m.Name) {
				t.Errorf("%s is to be killed elsewhere, and no test of %v names it", m.Name, elsewhereTests)
			}
			fmt.Fprintf(&table, elsewhereRow, m.Name, m.Family, other)
		default:
			k := kills[at]
			if k.Seed > huntSeeds || k.Story.Len() > killLongest {
				t.Errorf("%s was found by seed %d and shrank to %d operations; %d and %d are the most", m.Name, k.Seed, k.Story.Len(), huntSeeds, killLongest)
			}
			by := fmt.Sprintf("%d, %s, %s", k.Seed, k.Profile, k.Delivery)
			fmt.Fprintf(&table, "| `%s` | %s | %s | `%s` | %d | %d |\n", m.Name, m.Family, by, k.Property, k.Whole, k.Story.Len())
		}
	}
	between(t, table.String())
}

func namedIn(t *testing.T, name string) bool {
	t.Helper()
	return slices.ContainsFunc(elsewhereTests, func(file string) bool {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Contains(text, []byte(`"`+name+`"`))
	})
}

// between compares what stands between the marks of the docs with the table, or writes it.
func between(t *testing.T, table string) {
	t.Helper()
	doc, err := os.ReadFile(killsDoc)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(doc), killsBefore)
	was, behind, ends := strings.Cut(rest, killsBehind)
	switch {
	case !ok || !ends:
		t.Fatalf("%s has no place for the table", killsDoc)
	case was == table:
	case *update:
		if err := os.WriteFile(killsDoc, []byte(before+killsBefore+table+killsBehind+behind), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s has another table; write it with -update", killsDoc)
	}
}
