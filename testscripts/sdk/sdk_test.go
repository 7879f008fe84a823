package sdk_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"testing"

	"worlds/admin"
	"worlds/journal"
	"worlds/journal/canon"
	"worlds/projection"
	"worlds/seed"
	"worlds/testscripts"
	"worlds/twin/stripe/oracle"
	"worlds/twin/world"
)

// python is Debian's: the package python3-stripe belongs to it and to no other.
const python = "/usr/bin/python3"

// scripts is one support job in three languages: how to tell that the SDK is
// there, and the command.
var scripts = []struct {
	name    string
	present func() bool
	command []string
}{
	{"stripe-node", func() bool { return found("node") && exists("node/node_modules/stripe") }, []string{"node", "node/support.js"}},
	{"stripe-go", func() bool { return true }, []string{"go", "run", "./go"}},
	{"stripe-python", func() bool { return exec.Command(python, "-c", "import stripe").Run() == nil }, []string{python, "python/support.py"}},
}

func found(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// mustHave skips a test whose SDK is not installed; where WORLDS_FORCE_SDK is set, as
// in the gate, it fails instead.
func mustHave(t *testing.T, name string, there bool) {
	t.Helper()
	switch {
	case there:
	case os.Getenv("WORLDS_FORCE_SDK") != "":
		t.Fatalf("%s is not installed, and this run must have it", name)
	default:
		t.Skipf("%s is not installed; README.md says how", name)
	}
}

// TestSupportJob runs each SDK twice. Its random idempotency keys must leave no
// trace: equal heads, equal dumps, equal before-images.
func TestSupportJob(t *testing.T) {
	want, err := os.ReadFile("support.want")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range scripts {
		t.Run(s.name, func(t *testing.T) {
			mustHave(t, s.name, s.present())
			first, second := support(t, s.command), support(t, s.command)
			if !bytes.Equal(first.output, want) {
				t.Errorf("the script printed\n%s, not\n%s", first.output, want)
			}
			if !bytes.Equal(first.output, second.output) {
				t.Errorf("two runs printed\n%s and\n%s", first.output, second.output)
			}
			if first.head != second.head {
				t.Errorf("two runs end in the heads %s and %s: %s", first.head, second.head, first.parts(second))
			}
			if first.dump != second.dump {
				t.Errorf("two runs end in the dumps %s and %s", first.dump, second.dump)
			}
			if !bytes.Equal(first.before, second.before) {
				t.Errorf("two runs differ in before-images:\n%s\n%s", first.before, second.before)
			}
			if len(first.before) == 0 {
				t.Error("the refund changed nothing that was there before")
			}
			foreign(t, first)
		})
	}
}

// outcome is what one run of a script left behind.
type outcome struct {
	output, before []byte
	head, dump     string
	export         []byte
}

// partsShown is how much of an entry is shown before the place where it differs.
const partsShown = 200

// unchained is what an entry carries beside its hash: the idempotency key as it came.
var unchained = regexp.MustCompile(`,"side":"[^"]*"`)

// parts shows the first entry in which two runs differ, from shortly before the place.
func (o outcome) parts(other outcome) string {
	lines := func(o outcome) [][]byte { return bytes.Split(unchained.ReplaceAll(o.export, nil), []byte("\n")) }
	one, two := lines(o), lines(other)
	for i := range min(len(one), len(two)) {
		if !bytes.Equal(one[i], two[i]) {
			at := 0
			for at < min(len(one[i]), len(two[i])) && one[i][at] == two[i][at] {
				at++
			}
			from := max(0, at-partsShown)
			return fmt.Sprintf("line %d of the journals is, from byte %d,\n%.1500s and\n%.1500s", i+1, from, one[i][from:], two[i][from:])
		}
	}
	return fmt.Sprintf("the journals have %d and %d lines", len(one), len(two))
}

// support runs a script on a fresh world of the support job's seed.
func support(t *testing.T, command []string) outcome {
	t.Helper()
	doc, err := seed.Lookup("saas-billing-small")
	if err != nil {
		t.Fatal(err)
	}
	return job(t, doc, command)
}

// job runs a script on a fresh world of a fresh server.
func job(t *testing.T, doc *seed.Seed, command []string) outcome {
	t.Helper()
	return judgedJob(t, doc, command, func(h http.Handler) http.Handler { return oracle.Wrap(t, h) })
}

// judgedJob is job with a judge of the answers of its own, nil for none.
func judgedJob(t *testing.T, doc *seed.Seed, command []string, judge func(http.Handler) http.Handler) outcome {
	t.Helper()
	server, err := testscripts.StartServer(testscripts.ServerOptions{Dir: t.TempDir(), Wrap: judge})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	created, err := server.Admin.Create(doc, admin.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), "WORLDS_URL="+server.URL, "STRIPE_KEY="+created.Keys[0].Secret)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	output, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", command, err, complaints.Bytes())
	}
	origin, _ := server.Admin.Resolve("stripe", created.Keys[0].Secret)
	out := outcome{output: output}
	out.read(t, origin.World)
	if err := testscripts.Law(origin.World, testscripts.Catalogs(), func(ctx context.Context) error { return server.Admin.Reset(ctx, created.ID) }); err != nil {
		t.Errorf("the law is broken: %v", err)
	}
	return out
}

// read takes down what the script left in a world.
func (o *outcome) read(t *testing.T, w *world.World) {
	t.Helper()
	ctx := context.Background()
	view, err := w.View(ctx)
	if err != nil {
		t.Fatal(err)
	}
	g, err := w.Genesis()
	if err != nil {
		t.Fatal(err)
	}
	o.head, o.dump = view.Hash.String(), world.DumpHash(view.State)
	for _, change := range projection.Compare(g.State(), view.State).Updated {
		o.before = append(append(o.before, change.Before...), '\n')
	}
	o.export = journal.AppendLine(nil, &g.Entry)
	err = w.Entries(ctx, 1, 0, func(e *journal.Entry) error {
		o.export = journal.AppendLine(o.export, e)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// foreign replays an exported journal where the world was never seen.
func foreign(t *testing.T, o outcome) {
	t.Helper()
	lines := bytes.SplitAfter(bytes.TrimSuffix(o.export, []byte("\n")), []byte("\n"))
	first, err := journal.ParseLine(lines[0])
	if err != nil {
		t.Fatal(err)
	}
	g, err := world.ParseGenesis(first.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range []world.Mode{world.Fold, world.Redecide} {
		report, _ := world.Replay(mode, g, parsed(lines[1:]), testscripts.Catalogs(), nil)
		if !report.Valid || report.Head != o.head || report.DumpHash != o.dump {
			t.Errorf("%s of the exported journal: %s", mode, canon.Marshal(report))
		}
	}
}

func parsed(lines [][]byte) world.Entries {
	return func(yield func(*journal.Entry, error) bool) {
		for _, line := range lines {
			e, err := journal.ParseLine(line)
			if !yield(&e, err) {
				return
			}
		}
	}
}
