package testscripts_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/testscript"

	"worlds/journal"
	"worlds/journal/canon"
	"worlds/testscripts"
	"worlds/twin"
	"worlds/twin/stripe"
	"worlds/twin/world"
	"worlds/twin/zendesk"
)

// golden is where the journals of one set of rules are kept, each an export.
func golden(rules int64) string { return filepath.Join("testdata", fmt.Sprintf("rules-%d", rules)) }

func catalogs() []*twin.Catalog { return []*twin.Catalog{stripe.Catalog(), zendesk.Catalog()} }

// TestGolden decides the journals again that these rules made once: every one must
// come out byte for byte. If one does not, an answer or a fact has changed, and
// twin.Rules must be raised (docs/format.md, section 8); then -update keeps the
// scenarios' journals under the new number, and never writes over those of another
// run. Journals of older rules must still be refused by name, and still fold.
func TestGolden(t *testing.T) {
	if _, err := os.Stat(golden(twin.Rules)); *update && os.IsNotExist(err) {
		keepGolden(t)
	}
	for rules := int64(1); rules <= twin.Rules; rules++ {
		files, err := filepath.Glob(filepath.Join(golden(rules), "*.jsonl.zst"))
		if err != nil || len(files) == 0 {
			t.Fatalf("there are no journals of the rules %d (%v): record them with -update", rules, err)
		}
		for _, file := range files {
			t.Run(file, func(t *testing.T) {
				t.Parallel()
				g, entries := readGolden(t, file)
				fold, _ := world.Replay(world.Fold, g, entries, catalogs(), nil)
				again, _ := world.Replay(world.Redecide, g, entries, catalogs(), nil)
				switch {
				case !fold.Valid:
					t.Errorf("it does not fold: %+v", fold)
				case rules < twin.Rules && again.Failure != world.FailRules:
					t.Errorf("older rules are not refused: %+v", again)
				case rules == twin.Rules && (!again.Valid || again.DumpHash != fold.DumpHash || again.Head != fold.Head):
					t.Errorf("decided again it differs: %s at entry %d: %s\n%s\n%v\nraise twin.Rules if that is meant",
						again.Failure, again.Seq, again.Detail, again.Command, again.Changes)
				}
			})
		}
	}
}

func readGolden(t *testing.T, file string) (*world.Genesis, world.Entries) {
	t.Helper()
	packed, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	z, err := zstd.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	var list []*journal.Entry
	for e, err := range journal.ReadLines(bytes.NewReader(text), len(text)) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	g, err := world.ParseGenesis(list[0].Body)
	if err != nil {
		t.Fatal(err)
	}
	return g, func(yield func(*journal.Entry, error) bool) {
		for _, e := range list[1:] {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// run is one world's journal as a scenario left it.
type run struct {
	name  string
	lines []byte
	shows map[string]bool // routes that changed or read something, and kinds of facts
}

// keepGolden runs the scenarios and keeps as few of their journals as show
// everything that all of them show.
func keepGolden(t *testing.T) {
	var mu sync.Mutex
	var runs []*run
	t.Run("scenarios", func(t *testing.T) {
		testscript.Run(t, testscripts.Params(".", nil, testscripts.Options{Path: bin,
			Keep: func(name string, g *world.Genesis, entries []*journal.Entry) {
				mu.Lock()
				defer mu.Unlock()
				runs = append(runs, newRun(strings.TrimPrefix(name, "script-"), g, entries))
			}}))
	})
	slices.SortFunc(runs, func(a, b *run) int { return strings.Compare(a.name, b.name) })
	dir := golden(twin.Rules)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for {
		var best *run
		most := 0
		for _, r := range runs {
			if n := r.news(seen); n > most {
				best, most = r, n
			}
		}
		if best == nil {
			break
		}
		maps.Copy(seen, best.shows)
		if err := os.WriteFile(filepath.Join(dir, best.name+".jsonl.zst"), z.EncodeAll(best.lines, nil), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("the journals show %d routes and kinds of facts", len(seen))
}

func newRun(name string, g *world.Genesis, entries []*journal.Entry) *run {
	r := &run{name: name, lines: journal.AppendLine(nil, &g.Entry), shows: map[string]bool{}}
	for _, e := range entries {
		r.lines = journal.AppendLine(r.lines, e)
		frame, err := journal.ParseBody(e.Body)
		var cmd twin.Command
		var reply twin.Reply
		if err != nil || canon.Unmarshal(frame.Command, &cmd) != nil || canon.Unmarshal(frame.Reply, &reply) != nil {
			continue // it joins a fork
		}
		for _, c := range catalogs() {
			if pattern := c.Pattern(cmd.Method, cmd.Path); c.Name == cmd.API {
				r.shows[fmt.Sprintf("%s %s %s %d", cmd.API, cmd.Method, pattern, reply.Status)] = true
			}
		}
		r.shows["operation "+cmd.Op] = true
		for _, f := range frame.Facts {
			var words []string
			for part := range canon.Elements(f) {
				if word, ok := canon.Unquote(part); ok && len(words) < 2 {
					words = append(words, word)
				}
			}
			if words[0] == "put" || words[0] == "delete" {
				r.shows[strings.Join(words, " ")] = true
			}
			r.shows[words[0]] = true
		}
	}
	return r
}

// news counts what the run shows that is not seen yet.
func (r *run) news(seen map[string]bool) (n int) {
	for what := range r.shows {
		if !seen[what] {
			n++
		}
	}
	return n
}
