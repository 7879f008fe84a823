// Package arch holds the architecture test: what may import what, what lies at
// the top level, and how long things may grow. It has no code of its own.
//
// The rules are functions of a described module (module_test.go): packages with
// their imports, and files with their text. Import rules are in layers_test.go,
// rules about text in source_test.go. TestRules applies them to modules
// described in testdata, each with a planted offence and the complaint it must
// cause; TestThisModule applies them to this repository, described by go list.
// TestLintConfig plants offences for golangci-lint, whose configuration mirrors
// the import rules for editors.
//
// A complaint names the offender (an import chain, or file:line) and what to do
// instead. To add a package, give it a row in layers.
//
// # Caveats
//
// Files that build tags exclude here have their text checked, not their
// imports. Chains inside the standard library are not followed: fmt imports os,
// and no pure package can call it through fmt.
package arch
