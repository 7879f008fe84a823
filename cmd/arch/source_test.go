package arch

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

const (
	maxFuncLines = 70
	maxFileLines = 900
)

// topLevel is all that lies in the root, besides dot files.
var topLevel = []string{
	"LICENSE", "README.md", "admin", "cmd", "docs", "go.mod", "go.sum", "journal",
	"justfile", "projection", "seed", "testscripts", "twin",
}

// sackNames are package names that say nothing of what is inside.
var sackNames = []string{"base", "common", "helper", "helpers", "misc", "shared", "types", "util", "utils"}

// unfinished finds the marks of work left for later; written so that it does
// not find itself.
var unfinished = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME)\b`)

// checkSource complains about the text of the module.
func checkSource(m module) []string {
	complaints := append(checkTopLevel(m), checkDocs(m)...)
	for _, f := range m.files {
		if inTestdata(f.path) {
			continue
		}
		complaints = append(complaints, checkFinished(f)...)
		if strings.HasSuffix(f.path, ".go") {
			complaints = append(complaints, checkGo(f)...)
		}
	}
	return complaints
}

func inTestdata(name string) bool {
	return slices.Contains(strings.Split(name, "/"), "testdata")
}

func checkTopLevel(m module) (complaints []string) {
	var last string
	for _, f := range m.files {
		top, _, _ := strings.Cut(f.path, "/")
		if top != last && !strings.HasPrefix(top, ".") && !slices.Contains(topLevel, top) {
			complaints = append(complaints, fmt.Sprintf(
				"%s: not one of the top level's entries; move it into the package or the docs it belongs to", top))
		}
		last = top
	}
	return complaints
}

// checkDocs complains about packages that do not say what they are in doc.go,
// or in their only file.
func checkDocs(m module) (complaints []string) {
	sources := map[string][]file{}
	for _, f := range m.files {
		if strings.HasSuffix(f.path, ".go") && !inTestdata(f.path) {
			folder := path.Dir(f.path)
			sources[folder] = append(sources[folder], f)
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(sources)) {
		described := slices.ContainsFunc(sources[folder], func(f file) bool {
			return (path.Base(f.path) == "doc.go" || len(sources[folder]) == 1) && hasPackageComment(f)
		})
		if !described {
			complaints = append(complaints, fmt.Sprintf(
				"%s: no package comment in %s/doc.go; say what the package is, its nouns, and its Caveats", folder, folder))
		}
	}
	return complaints
}

func hasPackageComment(f file) bool {
	parsed, err := parser.ParseFile(token.NewFileSet(), f.path, f.text, parser.ParseComments|parser.PackageClauseOnly)
	return err == nil && parsed.Doc != nil
}

func checkFinished(f file) (complaints []string) {
	number := 0
	for line := range bytes.Lines(f.text) {
		number++
		if mark := unfinished.Find(line); mark != nil {
			complaints = append(complaints, fmt.Sprintf("%s:%d: %s; do it now, or say in the docs what holds today",
				f.path, number, mark))
		}
	}
	return complaints
}

// checkGo complains about one Go file's names and sizes.
func checkGo(f file) (complaints []string) {
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, f.path, f.text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return []string{err.Error()}
	}
	if ast.IsGenerated(parsed) {
		return nil
	}
	say := func(node ast.Node, format string, args ...any) {
		where := fmt.Sprintf("%s:%d: ", f.path, fset.Position(node.Pos()).Line)
		complaints = append(complaints, where+fmt.Sprintf(format, args...))
	}
	if name := strings.TrimSuffix(parsed.Name.Name, "_test"); slices.Contains(sackNames, name) {
		say(parsed.Name, "package %s says nothing of what is inside; name it after what it provides", name)
	}
	if n := bytes.Count(f.text, []byte("\n")); n > maxFileLines {
		say(parsed.Name, "%d lines, more than %d; split the file by what it is about", n, maxFileLines)
	}
	for _, decl := range parsed.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		if fn.Name.Name == "init" && fn.Recv == nil {
			say(fn, "func init; list things explicitly where they are used")
		}
		n := linesBetween(fset, fn) + 1
		if strings.HasSuffix(f.path, "_test.go") {
			n -= rowLines(fset, fn)
		}
		if n > maxFuncLines {
			say(fn, "func %s has %d lines, more than %d; split it into steps that have names", fn.Name.Name, n, maxFuncLines)
		}
	}
	return complaints
}

func linesBetween(fset *token.FileSet, node ast.Node) int {
	return fset.Position(node.End()).Line - fset.Position(node.Pos()).Line
}

// rowLines counts the lines inside literals: a test's table of rows is data.
func rowLines(fset *token.FileSet, fn *ast.FuncDecl) (lines int) {
	ast.Inspect(fn, func(n ast.Node) bool {
		literal, ok := n.(*ast.CompositeLit)
		if ok {
			lines += linesBetween(fset, literal)
		}
		return !ok
	})
	return lines
}
