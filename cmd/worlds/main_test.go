package main

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

var update = flag.Bool("update", false, "write testdata/help.txt anew")

// asProgram makes the test binary the program itself, for tests of signals and of
// whole processes.
const asProgram = "WORLDS_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// outcome is what a run of the program left.
type outcome struct {
	code           int
	stdout, stderr string
}

// clean takes the environment of the person who tests away.
func clean(t *testing.T) {
	t.Helper()
	for _, name := range []string{"WORLDS_URL", "WORLDS_TOKEN", "WORLDS_WORLD", "WORLDS_ROOT_TOKEN", "COMP_LINE"} {
		t.Setenv(name, "")
		os.Unsetenv(name)
	}
	t.Setenv(contextEnv, filepath.Join(t.TempDir(), "worlds", "context.json"))
}

func worlds(t *testing.T, args ...string) outcome { t.Helper(); return worldsIn(t, "", args...) }

func worldsIn(t *testing.T, stdin string, args ...string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := runContext(context.Background(), args, strings.NewReader(stdin), &stdout, &stderr)
	return outcome{code, stdout.String(), stderr.String()}
}

// must is worlds for what cannot fail.
func must(t *testing.T, args ...string) string {
	t.Helper()
	got := worlds(t, args...)
	if got.code != exitDone {
		t.Fatalf("worlds %s: exit %d\n%s%s", strings.Join(args, " "), got.code, got.stdout, got.stderr)
	}
	return got.stdout
}

// refuses checks that a run ended with the code, printed one line on stderr that
// holds each of the words, and nothing on stdout.
func (o outcome) refuses(t *testing.T, code int, words ...string) {
	t.Helper()
	if o.code != code || o.stdout != "" || strings.Count(o.stderr, "\n") != 1 {
		t.Fatalf("exit %d, want %d; stdout %q; stderr %q", o.code, code, o.stdout, o.stderr)
	}
	for _, word := range words {
		if !strings.Contains(o.stderr, word) {
			t.Fatalf("stderr %q does not name %q", o.stderr, word)
		}
	}
}

func TestUsage(t *testing.T) {
	clean(t)
	for _, row := range []struct {
		args  string
		names string
	}{
		{"", "expected one of"},
		{"srve", "srve"},
		{"world shw", `did you mean "show"`},
		{"world list --jsn", "--jsn"},
		{"world create", "--seed"},
		{"world create --seed nowhere.json", "--seed nowhere.json"},
		{"world list --url nonsense", `--url "nonsense"`},
		{"world list --url ftp://h", `--url "ftp://h"`},
		{"world list --url http://user@h", `--url "http://user@h"`},
		{"world list --url http://h?x=1", `--url "http://h?x=1"`},
		{"world list --token café", "--token"},
		{"world show", "--world"},
		{"world delete", "<world>"},
		{"world dump w --hash --out f", "--out"},
		{"world show w --secrets", "--secrets"},
		{"world diff", "<from>"},
		{"world diff -1", "-1: positions are marks or numbers of entries, from 0 on"},
		{"world dump w --out nowhere/f", "--out nowhere/f: stat nowhere: no such file"},
		{"mark", "<name>"},
		{"events --limit x", "--limit"},
		{"events --limit -1", `--limit: expected a valid 64 bit uint but got "-1"`},
		{"journal cat --entry=-2", "--entry"},
		{"journal cat --data d --file f", "--data"},
		{"journal cat --file nowhere.jsonl", "--file"},
		{"journal verify --file .", "read .: is a directory"},
		{"journal import .", "read .: is a directory"},
		{"help srve", "srve"},
		{"test .", "is a folder"},
		{"journal verify --data nowhere", "no such file or directory"},
		{"journal verify --data .", "--data ."},
		{"journal verify --file - --world w", "--file"},
		{"replay --mode guess", "--mode"},
		{"replay --data nowhere", "nowhere"},
		{"seed show sass-billing-small", `did you mean "saas-billing-small"`},
		{"seed show sha256:12", "sha256:12"},
		{"seed validate nowhere.json", "nowhere.json"},
		{"serve --seed nowhere", `"nowhere"`},
		{"serve --seed ./nowhere.json", "--seed ./nowhere.json"},
		{"serve --key k", "--key"},
		{"serve --durability perhaps", "--durability"},
		{"serve --listen nonsense", `--listen "nonsense"`},
		{"serve --listen :0", "--root-token"},
		{"serve --root-token x", "8 to"},
		{"serve --forks-max 0", "--forks-max"},
		{"serve --unload-after=-1s", "--unload-after"},
		{"serve --listen 0.0.0.0:0", "--root-token"},
		{"test nowhere.txtar", "nowhere.txtar"},
		{"completion tcsh", "tcsh"},
	} {
		t.Run(row.args, func(t *testing.T) {
			t.Chdir(t.TempDir())
			worlds(t, strings.Fields(row.args)...).refuses(t, exitUsage, row.names)
			if left, _ := os.ReadDir("."); len(left) > 0 {
				t.Errorf("it left %v", left)
			}
		})
	}
}

// TestWords: what a variable that is not set leaves behind is not taken for the current
// world, and what JSON cannot hold is not changed on the way.
func TestWords(t *testing.T) {
	clean(t)
	for _, row := range []struct {
		args []string
		says string
	}{
		{[]string{"world", "delete", ""}, "<world>: it is empty (see worlds world delete --help)"},
		{[]string{"world", "reset", ""}, "<world>: it is empty"},
		{[]string{"world", "reset", "--world", ""}, "--world: it is empty"},
		{[]string{"replay", "w", ""}, "<world>: it is empty"},
		{[]string{"journal", "verify", "--data="}, "--data: it is empty"},
		{[]string{"mark", "w\xff"}, `"w\xff": it is not UTF-8`},
		{[]string{"world", "create", "--seed", "empty", "--name", "w\xff"}, `"w\xff": it is not UTF-8`},
	} {
		worlds(t, row.args...).refuses(t, exitUsage, row.says)
	}
	t.Setenv("WORLDS_WORLD", "")
	worlds(t, "world", "show").refuses(t, exitUsage, "which one?")
}

// TestHelp holds the help of every verb against testdata/help.txt.
func TestHelp(t *testing.T) {
	clean(t)
	t.Setenv("COLUMNS", "100")
	parser, err := newParser(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	for _, path := range commandPaths(parser.Model.Node, nil) {
		got.WriteString("$ worlds " + strings.Join(append(path, "--help"), " ") + "\n")
		got.WriteString(must(t, append(path, "--help")...) + "\n")
	}
	golden := filepath.Join("testdata", "help.txt")
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("the help is not that of %s; read it and run with -update:\n%s", golden, got.Bytes())
	}
}

func commandPaths(n *kong.Node, path []string) [][]string {
	paths := [][]string{path}
	for _, child := range n.Children {
		paths = append(paths, commandPaths(child, append(slices.Clone(path), child.Name))...)
	}
	return paths
}

func TestVersion(t *testing.T) {
	clean(t)
	if got := must(t, "version", "--json"); !strings.Contains(got, `"rules":`) || !strings.Contains(got, `"stripe_version":"2`) {
		t.Error(got)
	}
	if got := must(t, "version"); !strings.HasPrefix(got, "worlds ") || must(t, "--version") != got {
		t.Error(got)
	}
}

// The help is where people look for it.
func TestHelpVerb(t *testing.T) {
	clean(t)
	for verb, flag := range map[string]string{"help": "--help", "help world": "world --help", "help clock advance": "clock advance --help"} {
		if got, want := must(t, strings.Fields(verb)...), must(t, strings.Fields(flag)...); got != want {
			t.Errorf("worlds %s: %s", verb, got)
		}
	}
	if got := must(t, "clock", "advance", "--help"); !strings.Contains(got, "clock advance (--seconds=N | --days=N | --to=WHEN) [<world>]") {
		t.Error(got)
	}
}

func TestCompletion(t *testing.T) {
	clean(t)
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if got := must(t, "completion", shell); !strings.Contains(got, "complete -") || !strings.Contains(got, os.Args[0]) {
			t.Errorf("%s: %s", shell, got)
		}
	}
	if err := remember(func(r *remembered) { r.put(worldNotes{ID: "w_1", Name: "shop"}) }); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"worlds se":                  "seed\nserve\n",
		"worlds journal ":            "backup\ncat\ncompact\nexport\nimport\nrestore\nsalvage\nverify\n",
		"worlds replay --mode ":      "fold\nre-decide\n",
		"worlds world reset ":        "shop\nw_1\n",
		"worlds seed show s":         "saas-billing-mid\nsaas-billing-small\n",
		"worlds serve --durability ": "relaxed\nsync\n",
	} {
		t.Setenv("COMP_LINE", line)
		got := strings.SplitAfter(must(t), "\n")
		slices.Sort(got)
		if strings.Join(got, "") != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}
