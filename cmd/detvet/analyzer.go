package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
)

var analyzer = &analysis.Analyzer{
	Name: "detvet",
	Doc:  "keep pure packages deterministic, and clocks and randomness at the boundary",
	Run:  run,
}

func run(pass *analysis.Pass) (any, error) {
	// go vet calls a package compiled for its tests "path [path.test]".
	pkg, _, _ := strings.Cut(pass.Pkg.Path(), " ")
	for _, f := range pass.Files {
		name := pass.Fset.File(f.FileStart).Name()
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		c := &checker{
			pass: pass,
			pkg:  pkg,
			file: name,
			pure: slices.Contains(purePackages, pkg),
			fine: map[*ast.Ident]bool{},
		}
		if err := c.readMarkers(f); err != nil {
			return nil, err
		}
		c.checkFile(f)
		c.reportStaleMarkers()
	}
	return nil, nil
}

// A checker holds one file to the rules of its package.
type checker struct {
	pass    *analysis.Pass
	pkg     string
	file    string
	pure    bool
	markers []*marker
	fine    map[*ast.Ident]bool // banned names whose use right here is harmless
}

func (c *checker) checkFile(f *ast.File) {
	c.imports(f)
	ast.Inspect(f, c.names)
	if !c.pure {
		return
	}
	ast.Inspect(f, c.concurrency)
	ast.Inspect(f, c.mapWalks)
	ast.Inspect(f, c.floats)
	ast.Inspect(f, c.printing)
	ast.Inspect(f, c.variables)
}

// The words of markers.
const (
	sorted   = "sorted"
	boundary = "boundary"
)

// A marker is a comment that excuses the offences of one line.
type marker struct {
	pos    token.Pos
	word   string
	reason string
	line   int
	used   bool
}

func (c *checker) readMarkers(f *ast.File) error {
	src, err := c.pass.ReadFile(c.file)
	if err != nil {
		return fmt.Errorf("detvet: reading %s: %w", c.file, err)
	}
	file := c.pass.Fset.File(f.FileStart)
	for _, group := range f.Comments {
		for _, comment := range group.List {
			text, ok := strings.CutPrefix(comment.Text, "//worlds:")
			if !ok {
				continue
			}
			m := &marker{pos: comment.Pos(), line: file.Line(comment.Pos())}
			text, _, _ = strings.Cut(text, "//")
			m.word, m.reason, _ = strings.Cut(text, " ")
			start, end := file.Offset(file.LineStart(m.line)), file.Offset(m.pos)
			if strings.TrimSpace(string(src[start:end])) == "" {
				m.line++ // alone on its line: speaks of the next
			}
			c.markers = append(c.markers, m)
		}
	}
	return nil
}

// excused reports whether a marker of this word stands at pos.
func (c *checker) excused(pos token.Pos, word string) bool {
	line := c.pass.Fset.File(pos).Line(pos)
	for _, m := range c.markers {
		if m.line == line && m.word == word {
			m.used = true
			return true
		}
	}
	return false
}

func (c *checker) reportStaleMarkers() {
	for _, m := range c.markers {
		switch {
		case m.word != sorted && m.word != boundary:
			c.pass.Reportf(m.pos, "unknown marker //worlds:%s: use //worlds:%s or //worlds:%s", m.word, sorted, boundary)
		case !m.used:
			c.pass.Reportf(m.pos, "marker //worlds:%s excuses nothing here: remove it", m.word)
		case strings.TrimSpace(m.reason) == "":
			c.pass.Reportf(m.pos, "marker //worlds:%s without a reason: say why the line is harmless", m.word)
		}
	}
}

// pureOffence reports an offence that nothing excuses.
func (c *checker) pureOffence(pos token.Pos, what, instead string) {
	c.pass.Reportf(pos, "%s in pure package %s: %s", what, c.pkg, instead)
}

// orderOffence reports an offence that //worlds:sorted excuses.
func (c *checker) orderOffence(pos token.Pos, what, instead string) {
	if !c.excused(pos, sorted) {
		c.pureOffence(pos, what, instead+", or say why the order cannot be seen: //worlds:sorted <reason>")
	}
}

// banned reports a banned name or import, by the rules of the file's package.
func (c *checker) banned(pos token.Pos, what string, b ban) {
	switch {
	case c.pure && b.order:
		c.orderOffence(pos, what, b.instead)
	case c.pure:
		c.pureOffence(pos, what, b.instead)
	case b.kind != "" && !allowed(b.kind, c.pkg, c.file) && !c.excused(pos, boundary):
		c.pass.Reportf(pos, "%s in %s: %s belongs in %s; take it as a parameter, or say why it is meant: //worlds:boundary <reason>",
			what, c.pkg, b.kind, strings.Join(boundaries[b.kind], ", "))
	}
}

func (c *checker) imports(f *ast.File) {
	for _, spec := range f.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue // the compiler reports it
		}
		if b, ok := lookupImport(path); ok {
			c.banned(spec.Pos(), "import of "+path, b)
		}
	}
}

// names finds uses of banned names, however they were imported.
func (c *checker) names(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CallExpr:
		c.markHarmless(n)
	case *ast.Ident:
		name := qualifiedName(c.pass.TypesInfo.Uses[n])
		if b, ok := bannedNames[name]; ok && !c.fine[n] {
			c.banned(n.Pos(), name, b)
		}
	}
	return true
}

// compositions are the calls that undo the offence in their argument or
// receiver: time.Unix(…).UTC(), slices.Sorted(maps.Keys(…)). The keys of a map
// are distinct, so any strict order of them is total; of its values only the
// natural one is.
var compositions = map[string][]string{
	"time.Time.UTC":     {"time.Unix", "time.UnixMicro", "time.UnixMilli"},
	"slices.Sorted":     {"maps.Keys", "maps.Values"},
	"slices.SortedFunc": {"maps.Keys"},
}

func (c *checker) markHarmless(outer *ast.CallExpr) {
	undone := compositions[qualifiedName(c.callee(outer))]
	if len(undone) == 0 {
		return
	}
	inner := ast.Unparen(outer.Fun)
	if sel, ok := inner.(*ast.SelectorExpr); ok {
		inner = sel.X
	}
	if len(outer.Args) > 0 {
		inner = outer.Args[0]
	}
	call, ok := ast.Unparen(inner).(*ast.CallExpr)
	if ok && slices.Contains(undone, qualifiedName(c.callee(call))) {
		c.fine[calleeIdent(call)] = true
	}
}

// callee is the function, method or builtin that a call names, or nil.
func (c *checker) callee(call *ast.CallExpr) types.Object {
	if id := calleeIdent(call); id != nil {
		return c.pass.TypesInfo.Uses[id]
	}
	return nil
}

func calleeIdent(call *ast.CallExpr) *ast.Ident {
	fun := ast.Unparen(call.Fun)
	switch f := fun.(type) {
	case *ast.IndexExpr: // an explicit instantiation
		fun = f.X
	case *ast.IndexListExpr:
		fun = f.X
	}
	switch f := fun.(type) {
	case *ast.Ident:
		return f
	case *ast.SelectorExpr:
		return f.Sel
	}
	return nil
}

// qualifiedName is "path.Name" for what a package declares, "path.Type.Name"
// for a method, "" for anything else.
func qualifiedName(obj types.Object) string {
	if obj == nil || obj.Pkg() == nil {
		return ""
	}
	path := obj.Pkg().Path()
	if f, ok := obj.(*types.Func); ok && f.Signature().Recv() != nil {
		t := f.Signature().Recv().Type()
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem()
		}
		if named, ok := t.(*types.Named); ok {
			return path + "." + named.Obj().Name() + "." + f.Name()
		}
		return ""
	}
	if obj.Parent() != obj.Pkg().Scope() {
		return ""
	}
	return path + "." + obj.Name()
}
