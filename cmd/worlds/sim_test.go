package main

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"worlds/testscripts/sim"
)

// simBook writes a book of one green and one red scenario.
func simBook(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"book.txt":    "green 0\nred 1\n",
		"green.txtar": "# Two agents.\nworld new empty\nkey:1 stripe POST /v1/customers name=a\nkey:2 stripe POST /v1/customers name=b\nsettle\n",
		"red.txtar": "# Ben is to be last.\nworld new empty\nkey:1 stripe POST /v1/customers name=Ben\nkey:2 stripe POST /v1/customers name=Ann\nsettle\n" +
			"stripe GET /v1/customers\ncheck 'Ben is last' json .data[0].name Ben\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestSim(t *testing.T) {
	clean(t)
	dir := simBook(t)
	out := must(t, "sim", "--dir", dir, "green")
	if !strings.HasPrefix(out, "ok   run=green outcome=settled events=2 deliveries=0 worldCalls=8 virtual=+0s wall=") ||
		!strings.HasSuffix(out, "replay=ok\n1 scenario(s): 1 passed, 0 failed, 0 consistency violation(s)\n") {
		t.Errorf("green: %s", out)
	}
	red := worlds(t, "sim", "--dir", dir)
	if red.code != exitDone || !strings.Contains(red.stdout, "FAIL red: Ben is to be last\n") || !strings.Contains(red.stdout, "problem check: Ben is last (Ann)\n") ||
		!strings.HasSuffix(red.stdout, "2 scenario(s): 1 passed, 0 failed, 1 known, 0 consistency violation(s)\n") {
		t.Errorf("red: %+v", red)
	}
	if strings.Contains(red.stdout, "\x1b[") {
		t.Error("it is in colour without a terminal")
	}
	if o := worlds(t, "sim", "--dir", dir, "--color", "red"); !strings.Contains(o.stdout, "\x1b[31m") {
		t.Errorf("--color: %q", o.stdout)
	}
	for declared, want := range map[string]string{ // a red that nobody knows of, and a known one that is gone
		"green 0\nred 0\n": "1 passed, 1 failed, 0 consistency",
		"green 1\nred 1\n": "0 passed, 0 failed, 1 known, 1 mended, 0 consistency",
	} {
		if err := os.WriteFile(filepath.Join(dir, "book.txt"), []byte(declared), 0o600); err != nil {
			t.Fatal(err)
		}
		if o := worlds(t, "sim", "--dir", dir); o.code != exitNo || !strings.Contains(o.stdout, want) {
			t.Errorf("%q: %+v", declared, o)
		}
		if o := worlds(t, "sim", "--dir", dir, "--report-only"); o.code != exitDone {
			t.Errorf("--report-only: %+v", o)
		}
	}
	if o := worlds(t, "sim", "--dir", dir, "nothing-like-it"); o.code != exitUsage || !strings.Contains(o.stderr, "No scenario matches nothing-like-it") {
		t.Errorf("no match: %+v", o)
	}
	worlds(t, "sim", "--dir", dir, "--title").refuses(t, exitUsage, "--title")
	worlds(t, "sim", "--dir", dir, "--schedule", "ab").refuses(t, exitUsage, "2 match")
	worlds(t, "sim", "--dir", t.TempDir()).refuses(t, exitUsage, "book.txt")
	if out := must(t, "sim", "smoke"); !strings.Contains(out, "run=smoke outcome=settled") {
		t.Errorf("the built-in book: %s", out)
	}
}

// What -v prints more, no scenario sees: those with deliveries and a golden trace end
// as they do without it.
func TestSimVerbose(t *testing.T) {
	clean(t)
	out := must(t, "sim", "-v", "webhook")
	if !strings.Contains(out, "  -- sent evt@") || !strings.Contains(out, "  -- answered evt@") {
		t.Errorf("no attempt is shown: %s", out)
	}
	if bare := must(t, "sim", "webhook"); strings.Contains(bare, "FAIL") {
		t.Errorf("%s", bare)
	}
}

func TestSimFiles(t *testing.T) {
	clean(t)
	dir, out := simBook(t), t.TempDir()
	summary, detail := filepath.Join(out, "summary.md"), filepath.Join(out, "detail.txt")
	worlds(t, "sim", "--dir", dir, "--summary-file", summary, "--detail-file", detail, "--title", "Tonight")
	text, err := os.ReadFile(summary)
	if err != nil {
		t.Fatal(err)
	}
	want := "<details>\n<summary>🟠 Tonight: 1 of 2 scenarios red</summary>\n\n| | scenario | outcome | reds | known | conditions |\n|---|---|---|---|---|---|\n" +
		"| 🟢 | `green` Two agents | settled | 0 | 0 | |\n| 🟠 | `red` Ben is to be last | settled | 1 | 1 | |\n\n" +
		"2 scenario(s): 1 passed, 0 failed, 1 known, 0 consistency violation(s)\n</details>\n"
	if string(text) != want {
		t.Errorf("the summary is\n%s", text)
	}
	if text, err := os.ReadFile(detail); err != nil || !strings.Contains(string(text), "#  2      +0s  key:2       POST /v1/customers 200  cus@2  customer.created\n") {
		t.Errorf("the traces are %v\n%s", err, text)
	}
}

// What --explore prints can be played with --schedule.
func TestSimExplore(t *testing.T) {
	clean(t)
	dir := simBook(t)
	o := worlds(t, "sim", "--dir", dir, "--explore", "red", "--json")
	var all []sim.Exploration
	if err := json.Unmarshal([]byte(o.stdout), &all); err != nil || o.code != exitNo || len(all) != 1 || all[0].Schedules != 20 || all[0].Failed == 0 {
		t.Fatalf("%v %+v", err, o)
	}
	x := all[0]
	again := worlds(t, "sim", "--dir", dir, "red", "--schedule", x.Failures[0].Schedule, "--json")
	var results []sim.Result
	if err := json.Unmarshal([]byte(again.stdout), &results); err != nil || again.code != exitNo || results[0].Worlds[0].Head != x.Failures[0].Worlds[0].Head {
		t.Errorf("%v %+v", err, again)
	}
	if o := worlds(t, "sim", "--dir", dir, "--explore", "red"); !strings.Contains(o.stdout, "replay it: worlds sim --dir "+dir+" red --schedule ") {
		t.Errorf("%s", o.stdout)
	}
	if out := must(t, "sim", "--dir", dir, "--explore", "green"); !strings.HasPrefix(out, "ok   green: 20 schedules (exhaustive), each twice, 2 different journals, 0 failed\n") {
		t.Errorf("%s", out)
	}
	if out := must(t, "sim", "--dir", dir, "--explore", "--max", "5", "green"); !strings.HasPrefix(out, "ok   green: 5 schedules (exhaustive, not all of them), each twice, ") {
		t.Errorf("%s", out)
	}
	if out := must(t, "sim", "--explore", "webhook-before-answer", "mark-against-request"); !strings.HasSuffix(out, "1 scenario(s) say themselves who goes when, and were not explored\n") {
		t.Errorf("%s", out)
	}
	worlds(t, "sim", "--explore", "webhook-before-answer").refuses(t, exitUsage, "says itself who goes when")
}

// Nobody can hold a server that serves: outside the packages of simulations, no code
// names the seam's options.
func TestServeCannotHold(t *testing.T) {
	root := filepath.Join("..", "..")
	options := []string{"Hook", "Queue", "Webhooks"}
	files := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		switch {
		case d.IsDir() && (rel == "testscripts" || d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && rel != "."):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		files++
		parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			if sel, ok := lit.Type.(*ast.SelectorExpr); !ok || sel.Sel.Name != "Options" {
				return true
			}
			for _, e := range lit.Elts {
				kv, ok := e.(*ast.KeyValueExpr)
				if !ok {
					continue
				}
				if name, ok := kv.Key.(*ast.Ident); ok && slices.Contains(options, name.Name) {
					t.Errorf("%s sets %s: what serves cannot hold", rel, name.Name)
				}
			}
			return true
		})
		return nil
	})
	if err != nil || files < 100 {
		t.Errorf("%d files were read: %v", files, err)
	}
}
