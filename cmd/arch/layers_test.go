package arch

import (
	"fmt"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A layer is what one package may import besides the standard library.
type layer struct {
	pure    bool     // deterministic: must not reach I/O through anything
	inside  []string // packages of this module, below it
	outside []string // modules of others, by path
}

// anything stands in a list for all that is not forbidden to everyone.
const anything = "*"

// layers goes from the bottom up: imports only go down.
var layers = map[string]layer{
	"worlds/journal/canon": {pure: true},
	// Bugs on purpose, which are there in builds with the tag mutant only.
	"worlds/journal/mutant": {pure: true},
	"worlds/journal": {pure: true,
		inside: []string{"worlds/journal/canon"}},
	"worlds/journal/store": {
		inside:  []string{"worlds/journal", "worlds/journal/canon"},
		outside: []string{"go.etcd.io/bbolt", "golang.org/x/sys", "github.com/klauspost/compress/s2"}},
	"worlds/projection": {pure: true,
		inside:  []string{"worlds/journal", "worlds/journal/mutant", "worlds/journal/canon"},
		outside: []string{"github.com/tidwall/btree"}},
	"worlds/seed": {pure: true,
		inside: []string{"worlds/projection", "worlds/journal/canon"}},
	"worlds/seed/gen": {pure: true,
		inside: []string{"worlds/seed", "worlds/journal/canon"}},
	"worlds/seed/fromstripe": { // reads an account over the network
		inside:  []string{"worlds/seed", "worlds/journal/canon"},
		outside: []string{"github.com/stripe/stripe-go"}},
	"worlds/twin": {pure: true,
		inside: []string{"worlds/projection", "worlds/seed", "worlds/journal/mutant", "worlds/journal/canon"}},
	"worlds/twin/stripe/spec": {pure: true},
	"worlds/twin/stripe": {pure: true,
		inside: []string{"worlds/twin/stripe/spec", "worlds/twin", "worlds/projection", "worlds/seed", "worlds/journal/mutant", "worlds/journal/canon"}},
	"worlds/twin/zendesk": {pure: true,
		inside:  []string{"worlds/twin", "worlds/projection", "worlds/seed", "worlds/journal/mutant", "worlds/journal/canon"},
		outside: []string{"golang.org/x/net/html"}}, // what is markup is a browser's word
	"worlds/twin/heap": {outside: []string{"golang.org/x/sys"}}, // which pages worlds live in
	"worlds/twin/world": {
		inside:  []string{"worlds/twin", "worlds/projection", "worlds/seed", "worlds/journal", "worlds/journal/mutant", "worlds/journal/canon", "worlds/journal/store"},
		outside: []string{"golang.org/x/sys"}}, // how urgent a thread is
	"worlds/twin/serve": {
		inside:  []string{"worlds/twin/world", "worlds/twin", "worlds/projection", "worlds/journal", "worlds/journal/canon"},
		outside: []string{"github.com/gorilla/mux", "github.com/prometheus/client_golang"}},
	"worlds/twin/webhook": {
		inside: []string{"worlds/twin/world", "worlds/twin", "worlds/projection", "worlds/journal", "worlds/journal/mutant", "worlds/journal/canon"}},
	"worlds/admin": {
		inside:  []string{"worlds/twin/world", "worlds/twin/webhook", "worlds/twin", "worlds/seed", "worlds/projection", "worlds/journal", "worlds/journal/mutant", "worlds/journal/canon"},
		outside: []string{"github.com/gorilla/mux", "github.com/prometheus/client_golang"}},
	"worlds/testscripts/invariant": { // a second opinion: it knows facts, and no API's code
		inside: []string{"worlds/projection", "worlds/journal", "worlds/journal/canon"}},
	"worlds/testscripts": {inside: []string{anything}, outside: []string{anything}},
	"worlds/testscripts/sim": {
		inside:  []string{"worlds/testscripts", "worlds/testscripts/invariant", "worlds/twin/world", "worlds/twin/webhook", "worlds/twin", "worlds/projection", "worlds/journal", "worlds/journal/canon", "worlds/journal/store"},
		outside: []string{"github.com/rogpeppe/go-internal", "golang.org/x/tools/txtar"}},
	"worlds/cmd/worlds": {inside: []string{anything}, outside: []string{anything}},
	"worlds/cmd/detvet": {outside: []string{"golang.org/x/tools"}},
	"worlds/cmd/arch":   {},

	// Tools of tests, which no product code imports: a judge of answers, and an
	// agent that knows the product by its HTTP surface alone.
	"worlds/twin/stripe/oracle":  {outside: []string{anything}},
	"worlds/twin/zendesk/oracle": {outside: []string{anything}},
	"worlds/testscripts/sdk":     {},
	// A second opinion on the twins knows none of their code.
	"worlds/testscripts/dst/crash": {inside: []string{anything}, outside: []string{anything}},
	"worlds/testscripts/dst":       {inside: []string{anything}, outside: []string{anything}},
	"worlds/testscripts/dst/linear": { // it knows a server by its answers alone
		outside: []string{"github.com/anishathalye/porcupine"}},
	"worlds/testscripts/dst/model":         {inside: []string{"worlds/journal/canon"}},
	"worlds/testscripts/dst/model/stripe":  {inside: []string{"worlds/testscripts/dst/model", "worlds/journal/canon"}},
	"worlds/testscripts/dst/model/zendesk": {inside: []string{"worlds/testscripts/dst/model", "worlds/journal/canon"}},
	"worlds/testscripts/sdk/go":            {outside: []string{"github.com/stripe/stripe-go"}},
}

// strangers must not import each other, not even in tests.
var strangers = []string{"worlds/twin/stripe", "worlds/twin/zendesk"}

// impure is what no pure package may reach through packages of others:
// path prefixes.
var impure = []string{
	"crypto/rand", "math/rand", "net", "os", "os/exec", "os/signal", "os/user", "plugin", "syscall",
	"go.etcd.io/bbolt", "golang.org/x/sys",
}

// checkImports complains about every import that goes up or aside.
func checkImports(m module) (complaints []string) {
	for _, name := range m.own() {
		l, ok := layers[name]
		if !ok {
			complaints = append(complaints, fmt.Sprintf(
				"%s is in no layer: give it a row in cmd/arch/layers_test.go, or put its code in a package that has one", name))
			continue
		}
		for _, imported := range m.packages[name].imports {
			complaints = append(complaints, judge(name, l, imported)...)
		}
		for _, imported := range m.packages[name].testImports {
			complaints = append(complaints, judgeForAll(name, imported)...)
		}
		if l.pure {
			complaints = append(complaints, reachesImpure(m, name)...)
		}
	}
	return append(complaints, checkReaders(m)...)
}

// judge complains about one import of a layer.
func judge(name string, l layer, imported string) []string {
	if bad := judgeForAll(name, imported); bad != nil {
		return bad
	}
	switch {
	case isStd(imported):
		return nil
	case !isOwn(imported):
		if !mayImport(l.outside, imported) {
			return []string{fmt.Sprintf("%s imports %s: of others it may import %s; put the adapter in the package that may",
				name, imported, list(l.outside))}
		}
	case !mayImport(l.inside, imported) && imported != name:
		return []string{fmt.Sprintf("%s imports %s: it may import %s; move what it needs down, or let the caller pass it in",
			name, imported, list(l.inside))}
	}
	return nil
}

// judgeForAll complains about what not even a test may import.
func judgeForAll(name, imported string) []string {
	switch {
	case strings.HasPrefix(imported, "worlds/cmd/") && imported != name:
		return []string{fmt.Sprintf("%s imports %s: nothing imports cmd; move the code down to the package it is about", name, imported)}
	case slices.Contains(strangers, name) && slices.Contains(strangers, imported) && name != imported:
		return []string{fmt.Sprintf("%s imports %s: twins never know each other; what both need belongs in worlds/twin", name, imported)}
	}
	return nil
}

// mayImport reports whether a list holds a package; a module holds all of its
// packages, a package of ours only itself.
func mayImport(list []string, imported string) bool {
	return slices.ContainsFunc(list, func(allowed string) bool {
		return allowed == anything || allowed == imported || !isOwn(allowed) && strings.HasPrefix(imported, allowed+"/")
	})
}

func list(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}

// reachesImpure complains, with the shortest chain, about the impure packages
// that a pure one reaches. It follows neither the standard library nor pure
// packages, which answer for themselves.
func reachesImpure(m module, name string) (complaints []string) {
	seen := map[string]bool{name: true}
	for queue := [][]string{{name}}; len(queue) > 0; queue = queue[1:] {
		chain := queue[0]
		for _, imported := range m.packages[chain[len(chain)-1]].imports {
			if seen[imported] || layers[imported].pure {
				continue
			}
			seen[imported] = true
			longer := append(slices.Clone(chain), imported)
			if slices.ContainsFunc(impure, func(p string) bool { return imported == p || strings.HasPrefix(imported, p+"/") }) {
				complaints = append(complaints, fmt.Sprintf(
					"%s is pure and reaches %s: %s; use a package that does no input or output, or do this above twin/world",
					name, imported, strings.Join(longer, " → ")))
			} else if !isStd(imported) {
				queue = append(queue, longer)
			}
		}
	}
	return complaints
}

// readerTest is the second reader of the journal's files, which proves that
// docs/format.md is enough to write one: it must not lean on the first.
const readerTest = "*second*reader*.go"

// checkReaders complains about what the second reader imports.
func checkReaders(m module) (complaints []string) {
	for _, f := range m.files {
		named, _ := path.Match(readerTest, path.Base(f.path))
		if !named || !strings.HasPrefix(f.path, "journal/") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), f.path, f.text, parser.ImportsOnly)
		if err != nil {
			complaints = append(complaints, err.Error())
			continue
		}
		for _, spec := range parsed.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			if !isStd(imported) && imported != "go.etcd.io/bbolt" {
				complaints = append(complaints, fmt.Sprintf(
					"%s imports %s: the second reader may import only the standard library and bbolt; write it from docs/format.md alone",
					f.path, imported))
			}
		}
	}
	return complaints
}
