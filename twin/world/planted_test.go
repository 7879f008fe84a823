package world_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"worlds/journal"
	"worlds/journal/canon"
	"worlds/twin/world"
	"worlds/twin/zendesk"
)

// What a replay is for: a bug that makes two runs differ must be caught, by entry
// and by member. Three builds of this test record a world and re-decide it: one
// sound, one with a map-order bug, one that reads the clock (planted_*_test.go,
// each behind its build tag, so that no ordinary build holds the bug). What they
// recorded is then given to the worlds command of the sound build.
func TestReplayCatchesPlantedBugs(t *testing.T) {
	worlds := filepath.Join(t.TempDir(), "worlds")
	if out, err := exec.Command("go", "build", "-o", worlds, "worlds/cmd/worlds").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, row := range []struct {
		tag, failure string
		seq          int64
		part         string
	}{
		{"planted_none", "", 0, ""},
		{"planted_maporder", world.FailFacts, 2, ".a_order"},
		{"planted_clock", world.FailReply, 3, "reply.body.error.message"},
	} {
		t.Run(row.tag, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			child := exec.Command("go", "test", "-count=1", "-tags", row.tag, "-run", "^TestRecordPlanted$", ".")
			child.Env = append(os.Environ(), recordEnv+"="+dir)
			if out, err := child.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			judgePlanted(t, readFile(t, dir, "report.json"), row.failure, row.seq, row.part)

			command := exec.Command(worlds, "replay", "--json", "--file", filepath.Join(dir, "journal.jsonl"))
			out, err := command.Output()
			var exit *exec.ExitError
			if caught := errors.As(err, &exit) && exit.ExitCode() == 1; caught != (row.failure != "") {
				t.Fatalf("worlds replay: %v\n%s", err, out)
			}
			judgePlanted(t, out, row.failure, row.seq, row.part)
		})
	}
}

// judgePlanted checks that a report names the entry and shows both values.
func judgePlanted(t *testing.T, text []byte, failure string, seq int64, part string) {
	t.Helper()
	var r struct {
		Valid   bool
		Failure string
		Seq     int64
		Changes []world.Difference
		Command json.RawMessage
	}
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if r.Failure != failure || r.Seq != seq || r.Valid != (failure == "") {
		t.Errorf("valid %v, %q at %d; want %q at %d", r.Valid, r.Failure, r.Seq, failure, seq)
	}
	if failure == "" {
		return
	}
	if len(r.Changes) != 1 || !strings.HasSuffix(r.Changes[0].Part, part) || r.Changes[0].Recorded == r.Changes[0].Replayed {
		t.Errorf("the differences are %+v; want one, at %s", r.Changes, part)
	}
	if len(r.Command) == 0 {
		t.Error("the report does not show the command")
	}
}

func readFile(t *testing.T, dir, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// recordEnv names the folder TestRecordPlanted writes to.
const recordEnv = "WORLDS_TEST_RECORD"

// TestRecordPlanted is the child of TestReplayCatchesPlantedBugs: it records three
// entries and replays them with the same build. On its own it checks the control.
func TestRecordPlanted(t *testing.T) {
	r := newRig(t, "empty", func(r *rig) { // the twins that the worlds command has
		plant(r.catalogs[0])
		r.catalogs = append(r.catalogs, zendesk.Catalog())
	})
	r.do("GET", "/v1/customers", "", "")
	r.do("POST", "/v1/customers", "name=Ann", "")
	r.do("POST", "/v1/nothing", "", "")
	g, err := r.world.Genesis()
	if err != nil {
		t.Fatal(err)
	}
	report, _ := world.Replay(world.Redecide, g, r.entries(), r.catalogs, nil)
	dir := os.Getenv(recordEnv)
	if dir == "" {
		judgePlanted(t, canon.Marshal(report), "", 0, "")
		return
	}
	lines := journal.AppendLine(nil, &g.Entry)
	for e := range r.entries() {
		lines = journal.AppendLine(lines, e)
	}
	for name, text := range map[string][]byte{"report.json": canon.Marshal(report), "journal.jsonl": lines} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
