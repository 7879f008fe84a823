package main

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
)

// put notes a world under an id.
func put(id string) func(*remembered) {
	return func(r *remembered) {
		r.put(worldNotes{URL: "http://h", ID: id, Name: "n-" + id, AdminToken: "t-" + id})
	}
}

func TestContextFile(t *testing.T) {
	clean(t)
	path := os.Getenv(contextEnv)
	for _, id := range []string{"w_1", "w_2"} {
		if err := remember(put(id)); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v %v, want mode %o", name, info.Mode(), err, want)
		}
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
		t.Errorf("beside the file: %v", left)
	}
	r, err := recall()
	if err != nil {
		t.Fatal(err)
	}
	want := worldNotes{URL: "http://h", ID: "w_2", Name: "n-w_2", AdminToken: "t-w_2"}
	if got := r.find("http://h", "n-w_2"); got == nil || !reflect.DeepEqual(*got, want) {
		t.Errorf("found %+v, want %+v", got, want)
	}
}

// A file of an older, looser mode is tight after the next change.
func TestContextFileTightens(t *testing.T) {
	clean(t)
	path := os.Getenv(contextEnv)
	os.MkdirAll(filepath.Dir(path), 0o700)
	os.WriteFile(path, []byte(`{"worlds":[]}`), 0o644)
	if err := remember(put("w_1")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != contextFileMode {
		t.Errorf("%v %v", info.Mode(), err)
	}
}

// An empty file, /dev/null for one, is none.
func TestContextFileEmpty(t *testing.T) {
	clean(t)
	t.Setenv(contextEnv, os.DevNull)
	if r, err := recall(); err != nil || len(r.Worlds) != 0 {
		t.Errorf("%+v %v", r, err)
	}
	if err := remember(put("w_1")); err != nil {
		t.Error(err)
	}
}

func TestContextFileBroken(t *testing.T) {
	clean(t)
	path := os.Getenv(contextEnv)
	os.MkdirAll(filepath.Dir(path), 0o700)
	const broken = `{"worlds":[{"id":`
	os.WriteFile(path, []byte(broken), 0o600)
	worlds(t, "world", "show").refuses(t, exitUsage, path)
	if err := remember(put("w_1")); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("remember: %v", err)
	}
	if got, _ := os.ReadFile(path); string(got) != broken {
		t.Errorf("the file was changed: %s", got)
	}
}

func TestContextFileTogether(t *testing.T) {
	clean(t)
	const n = 30
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			if err := remember(put(fmt.Sprintf("w_%d", i))); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if r, err := recall(); err != nil || len(r.Worlds) != n {
		t.Errorf("%d worlds of %d: %v", len(r.Worlds), n, err)
	}
}

func TestRememberedFind(t *testing.T) {
	r := &remembered{Current: "w_2", Worlds: []worldNotes{
		{URL: "http://a", ID: "w_1", Name: "shop"}, {URL: "http://b", ID: "w_2", Name: "w_1"}, {URL: "http://b", ID: "w_3", Name: "shop"},
	}}
	for _, row := range []struct{ url, ref, want string }{
		{"", "", "w_2"},
		{"", "shop", "w_3"}, // the newest of a name
		{"http://a", "shop", "w_1"},
		{"", "w_1", "w_1"}, // an id before a name
		{"http://c", "shop", ""},
		{"http://a", "", ""}, // the current one is elsewhere
		{"", "w_9", ""},
	} {
		got := ""
		if n := r.find(row.url, row.ref); n != nil {
			got = n.ID
		}
		if got != row.want {
			t.Errorf("find(%q, %q): %q, want %q", row.url, row.ref, got, row.want)
		}
	}
	r.drop("w_2")
	if r.Current != "" || len(r.Worlds) != 2 || r.server() != "http://b" {
		t.Errorf("after the current one: %+v", r)
	}
	if r = (&remembered{}); r.server() != defaultURL {
		t.Errorf("of nothing: %s", r.server())
	}
}
