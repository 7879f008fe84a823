package arch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"
)

// root is the module's folder, seen from this package's.
const root = "../.."

// A module is all that the rules look at.
type module struct {
	packages map[string]pkg // by import path: its own, and those of others they reach
	files    []file         // sorted by path
}

// A pkg is who imports whom.
type pkg struct {
	imports     []string
	testImports []string
}

// A file is one file of the module, with its slash path from the root.
type file struct {
	path string
	text []byte
}

// own lists the module's own packages, in order.
func (m module) own() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(m.packages)), func(p string) bool {
		return !isOwn(p)
	})
}

func isOwn(importPath string) bool { return strings.HasPrefix(importPath, "worlds/") }

// isStd knows the standard library by the lack of a dot in the first element.
func isStd(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	return !strings.Contains(first, ".") && !isOwn(importPath)
}

// loadModule describes the module under dir.
func loadModule(dir string) (module, error) {
	m := module{packages: map[string]pkg{}}
	cmd := exec.Command("go", "list", "-e", "-deps", "-json=ImportPath,Imports,TestImports,XTestImports", "./...")
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return m, fmt.Errorf("go list: %w", err)
	}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath                         string
			Imports, TestImports, XTestImports []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return m, fmt.Errorf("go list: %w", err)
		}
		m.packages[p.ImportPath] = pkg{p.Imports, append(p.TestImports, p.XTestImports...)}
	}
	m.files, err = readFiles(dir)
	return m, err
}

// readFiles reads every regular file that .gitignore does not name.
func readFiles(dir string) (files []file, err error) {
	ignore, err := os.ReadFile(filepath.Join(dir, ".gitignore"))
	if err != nil {
		return nil, err
	}
	patterns := strings.Fields(string(ignore))
	err = filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || name == dir {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		switch {
		case ignored(patterns, rel), entry.Name() == ".git":
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case !entry.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(name)
		files = append(files, file{rel, text})
		return err
	})
	return files, err
}

// ignored knows the two forms our .gitignore uses: "/name" at the root, and a
// pattern for a base name anywhere.
func ignored(patterns []string, rel string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		pattern = strings.TrimSuffix(pattern, "/")
		if anchored, ok := strings.CutPrefix(pattern, "/"); ok {
			return anchored == rel
		}
		match, _ := path.Match(pattern, path.Base(rel))
		return match
	})
}

// describedModule reads a module from an archive: its file "imports" has lines
// "package: import import" ("package test: …" for those of its tests), "want"
// is not part of it, every other file stands for itself.
func describedModule(a *txtar.Archive) module {
	m := module{packages: map[string]pkg{}}
	for _, f := range a.Files {
		switch f.Name {
		case "imports":
			readImports(m.packages, string(f.Data))
		case "want":
		default:
			m.files = append(m.files, file{f.Name, f.Data})
		}
	}
	return m
}

func readImports(packages map[string]pkg, text string) {
	for line := range strings.Lines(text) {
		left, right, _ := strings.Cut(line, ":")
		name, ofTests := strings.CutSuffix(left, " test")
		p := packages[name]
		if ofTests {
			p.testImports = strings.Fields(right)
		} else {
			p.imports = strings.Fields(right)
		}
		packages[name] = p
	}
}
