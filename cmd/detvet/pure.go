package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// concurrency finds goroutines and channels: a world has one writer, and its
// order is the journal's.
func (c *checker) concurrency(n ast.Node) bool {
	const instead = "a world has one writer; twin/world and above may overlap work"
	switch n := n.(type) {
	case *ast.GoStmt:
		c.pureOffence(n.Pos(), "go statement", instead)
	case *ast.SelectStmt:
		c.pureOffence(n.Pos(), "select", instead)
	case *ast.SendStmt:
		c.pureOffence(n.Arrow, "channel send", instead)
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			c.pureOffence(n.Pos(), "channel receive", instead)
		}
	case *ast.ChanType:
		c.pureOffence(n.Pos(), "channel type", instead)
	}
	return true
}

// mapWalks finds range statements over maps that can see the order.
func (c *checker) mapWalks(n ast.Node) bool {
	loop, ok := n.(*ast.RangeStmt)
	if ok && loop.Key != nil && isMap(c.pass.TypesInfo.TypeOf(loop.X)) {
		c.orderOffence(loop.Pos(), "range over a map", useSorted)
	}
	return true
}

func isMap(t types.Type) bool {
	if param, ok := t.(*types.TypeParam); ok {
		return constraintHas(param.Constraint(), isMap)
	}
	_, ok := t.Underlying().(*types.Map)
	return ok
}

// constraintHas reports whether some type in a constraint's type set is like
// that.
func constraintHas(constraint types.Type, like func(types.Type) bool) bool {
	iface, ok := constraint.Underlying().(*types.Interface)
	if !ok {
		return like(constraint)
	}
	for t := range iface.EmbeddedTypes() {
		union, ok := t.(*types.Union)
		if !ok {
			if constraintHas(t, like) {
				return true
			}
			continue
		}
		for term := range union.Terms() {
			if like(term.Type()) {
				return true
			}
		}
	}
	return false
}

// floats finds the outermost expressions and the types that are floating
// point: their text and their rounding differ between Go versions and CPUs.
func (c *checker) floats(n ast.Node) bool {
	e, ok := n.(ast.Expr)
	if !ok {
		return true
	}
	t := c.pass.TypesInfo.Types[e].Type
	if t == nil || !isFloat(t) {
		return true
	}
	c.pureOffence(e.Pos(), "float", "use integers (minor units, seconds) or the typed decimal of journal/canon")
	return false
}

func isFloat(t types.Type) bool {
	switch t := t.(type) {
	case *types.Tuple:
		for v := range t.Variables() {
			if isFloat(v.Type()) {
				return true
			}
		}
		return false
	case *types.TypeParam:
		return false
	}
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&(types.IsFloat|types.IsComplex) != 0
}

// printing finds values whose printed form is an address, or a map's form that
// belongs to package fmt and may change with it.
func (c *checker) printing(n ast.Node) bool {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return true
	}
	callee := c.callee(call)
	if b, ok := callee.(*types.Builtin); ok && strings.HasPrefix(b.Name(), "print") {
		c.pureOffence(call.Pos(), "builtin "+b.Name(), useBytes)
	}
	fn, ok := callee.(*types.Func)
	if !ok || fn.Pkg() == nil || fn.Pkg().Path() != "fmt" || !fn.Signature().Variadic() || call.Ellipsis.IsValid() {
		return true
	}
	first := fn.Signature().Params().Len() - 1
	var verbs []rune
	if first > 0 && fn.Signature().Params().At(first-1).Name() == "format" {
		verbs = c.verbs(call.Args[first-1])
	}
	for i, arg := range call.Args[first:] {
		if i < len(verbs) && verbs[i] == 'T' {
			continue
		}
		if t := c.pass.TypesInfo.TypeOf(arg); showsAddress(t, nil) {
			c.pureOffence(arg.Pos(), fmt.Sprintf("printing a %s", types.TypeString(t, types.RelativeTo(c.pass.Pkg))),
				"it shows an address or a map's form: print the fields that are meant, or give the type a String method")
		}
	}
	return true
}

// verbs lists the verb of each argument of a constant format; with explicit
// argument indexes or a computed format it knows none.
func (c *checker) verbs(format ast.Expr) []rune {
	v := c.pass.TypesInfo.Types[format].Value
	if v == nil || v.Kind() != constant.String || strings.Contains(constant.StringVal(v), "[") {
		return nil
	}
	var verbs []rune
	inside := false
	for _, r := range constant.StringVal(v) {
		switch {
		case !inside:
			inside = r == '%'
		case r == '*': // a width takes an argument of its own
			verbs = append(verbs, r)
		case r == '%':
			inside = false
		case !strings.ContainsRune("+-# 0123456789.", r):
			verbs = append(verbs, r)
			inside = false
		}
	}
	return verbs
}

// showsAddress reports whether fmt shows a machine address or a map for a value
// of type t. seen are the types that enclose it.
func showsAddress(t types.Type, seen []types.Type) bool {
	if t == nil || slices.Contains(seen, t) || printsItself(t) {
		return false
	}
	seen = append(seen, t)
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Chan, *types.Signature:
		return true
	case *types.Basic:
		return u.Kind() == types.UnsafePointer || u.Kind() == types.Uintptr
	case *types.Slice:
		return showsAddress(u.Elem(), seen)
	case *types.Array:
		return showsAddress(u.Elem(), seen)
	case *types.Struct:
		for field := range u.Fields() {
			if showsAddress(field.Type(), seen) {
				return true
			}
		}
	}
	return false
}

func printsItself(t types.Type) bool {
	for _, method := range []string{"Error", "Format", "String"} {
		obj, _, _ := types.LookupFieldOrMethod(t, false, nil, method)
		if _, ok := obj.(*types.Func); ok {
			return true
		}
	}
	return false
}

// variables finds package variables that change, or whose address escapes so
// that they could.
func (c *checker) variables(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for _, left := range n.Lhs {
			c.changed(left, "assignment to")
		}
	case *ast.IncDecStmt:
		c.changed(n.X, "assignment to")
	case *ast.RangeStmt:
		if n.Tok == token.ASSIGN {
			c.changed(n.Key, "assignment to")
			c.changed(n.Value, "assignment to")
		}
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			c.changed(n.X, "address of")
		}
	case *ast.CallExpr:
		c.changedByCall(n)
	}
	return true
}

func (c *checker) changedByCall(call *ast.CallExpr) {
	if b, ok := c.callee(call).(*types.Builtin); ok {
		switch b.Name() {
		case "clear", "copy", "delete":
			c.changed(call.Args[0], b.Name()+" on")
		}
		return
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return
	}
	method := c.pass.TypesInfo.Selections[sel]
	if method == nil || method.Kind() != types.MethodVal {
		return
	}
	fn := method.Obj().(*types.Func)
	if isPointer(fn.Signature().Recv().Type()) && !isPointer(method.Recv()) {
		c.changed(sel.X, "pointer method "+fn.Name()+" on")
	}
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// changed reports e when it is a package variable or a part of one.
func (c *checker) changed(e ast.Expr, how string) {
	v, ok := c.root(e).(*types.Var)
	if !ok || v.Pkg() == nil || v.Parent() != v.Pkg().Scope() || servesCaches(v.Type()) {
		return
	}
	c.pureOffence(e.Pos(), how+" package variable "+v.Name(),
		"keep it in the state, pass it as a parameter, or build it once in its declaration")
}

// servesCaches reports whether t is one of the sync types that hold
// compile-once caches and scratch memory, which nobody can see from outside.
func servesCaches(t types.Type) bool {
	named, ok := t.(*types.Named)
	return ok && slices.Contains([]string{"sync.Map", "sync.Once", "sync.Pool"}, qualifiedName(named.Obj()))
}

// root is the variable at the far left of an expression such as v.f[i].g.
func (c *checker) root(e ast.Expr) types.Object {
	switch e := e.(type) {
	case *ast.Ident:
		return c.pass.TypesInfo.Uses[e]
	case *ast.ParenExpr:
		return c.root(e.X)
	case *ast.StarExpr:
		return c.root(e.X)
	case *ast.IndexExpr:
		return c.root(e.X)
	case *ast.SliceExpr:
		return c.root(e.X)
	case *ast.TypeAssertExpr:
		return c.root(e.X)
	case *ast.SelectorExpr:
		if c.pass.TypesInfo.Selections[e] == nil { // another package's
			return c.pass.TypesInfo.Uses[e.Sel]
		}
		return c.root(e.X)
	}
	return nil
}
