package sdk_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
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

// TestSupportJobAfterReset runs each SDK on one world, resets it, and runs it again:
// what is left is what the first run left, and what a run on another world leaves.
func TestSupportJobAfterReset(t *testing.T) {
	for _, s := range scripts {
		t.Run(s.name, func(t *testing.T) {
			mustHave(t, s.name, s.present())
			server, created, w := fresh(t, supportSeed(t), nil)
			var runs [2]outcome
			for i := range runs {
				runs[i] = outcome{output: run(t, s.command, server.URL, created.Keys[0].Secret)}
				runs[i].read(t, w())
				for _, path := range [...]string{"events", "dump", "export-seed"} {
					runs[i].seen += fetch(t, server.URL+"/admin/worlds/"+created.ID+"/"+path, created.AdminToken)
				}
				if err := server.Admin.Reset(t.Context(), created.ID); err != nil {
					t.Fatal(err)
				}
			}
			if runs[0].head != runs[1].head || runs[0].seen != runs[1].seen || !bytes.Equal(runs[0].output, runs[1].output) {
				t.Errorf("after a reset the same script ends otherwise: %s", runs[0].parts(runs[1]))
			}
			if other := support(t, s.command); other.head != runs[1].head || other.dump != runs[1].dump {
				t.Errorf("another world ends otherwise: %s", other.parts(runs[1]))
			}
		})
	}
}

// fetch reads something of the operator's API.
func fetch(t *testing.T, url, token string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK || len(body) == 0 {
		t.Fatalf("%s: %d %s %v", url, answer.StatusCode, body, err)
	}
	return string(body)
}

// outcome is what one run of a script left behind.
type outcome struct {
	output, before []byte
	head, dump     string
	export         []byte
	seen           string // what the operator's API shows of it
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
	return job(t, supportSeed(t), command)
}

func supportSeed(t *testing.T) *seed.Seed {
	t.Helper()
	doc, err := seed.Lookup("saas-billing-small")
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// job runs a script on a fresh world of a fresh server.
func job(t *testing.T, doc *seed.Seed, command []string) outcome {
	t.Helper()
	return judgedJob(t, doc, command, func(h http.Handler) http.Handler { return oracle.Wrap(t, h) })
}

// judgedJob is job with a judge of the answers of its own, nil for none.
func judgedJob(t *testing.T, doc *seed.Seed, command []string, judge func(http.Handler) http.Handler) outcome {
	t.Helper()
	server, created, w := fresh(t, doc, judge)
	out := outcome{output: run(t, command, server.URL, created.Keys[0].Secret)}
	out.read(t, w())
	if err := testscripts.Law(w(), testscripts.Catalogs(), func(ctx context.Context) error { return server.Admin.Reset(ctx, created.ID) }); err != nil {
		t.Errorf("the law is broken: %v", err)
	}
	return out
}

// fresh is a server with a fresh world, which is looked up each time.
func fresh(t *testing.T, doc *seed.Seed, judge func(http.Handler) http.Handler) (*testscripts.Server, *admin.CreatedWorld, func() *world.World) {
	t.Helper()
	server, err := testscripts.StartServer(testscripts.ServerOptions{Dir: t.TempDir(), Wrap: judge})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop() })
	created, err := server.Admin.Create(doc, admin.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return server, created, func() *world.World {
		origin, _ := server.Admin.Resolve("stripe", created.Keys[0].Secret)
		return origin.World
	}
}

// run runs a script against a world and returns what it printed.
func run(t *testing.T, command []string, url, key string) []byte {
	t.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), "WORLDS_URL="+url, "STRIPE_KEY="+key)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	output, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", command, err, complaints.Bytes())
	}
	return output
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
