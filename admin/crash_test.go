package admin_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"worlds/admin"
	"worlds/journal/store"
)

// image is the folder as a kill at that moment would have left it.
type image struct {
	dir   string
	point store.Point
}

// At every point of an entry's life, of everything that begins and ends worlds, the
// folder is copied as if the process were killed there. A server on the copy finds
// what was acknowledged, and what was under way whole or not at all.
func TestKilledAtEveryPoint(t *testing.T) {
	r := &rig{t: t, dir: t.TempDir(), opt: admin.Options{Open: true}, doc: parseDocument(t)}
	var mu sync.Mutex
	var images []image
	watching := false
	r.hook = func(p store.Point) error {
		mu.Lock()
		defer mu.Unlock()
		if watching {
			images = append(images, image{copyFolder(t, r.dir), p})
		}
		return nil
	}
	r.open()
	t.Cleanup(r.close)
	w := r.create(`{"seed":"saas-billing-small"}`)
	r.must(w.Keys[0].Secret, "POST", "/v1/customers", "name=Ann")
	export := string(r.want(200, "", "GET", "/admin/worlds/"+w.ID+"/journal/export", w.AdminToken, "").body)
	var f admin.CreatedWorld
	path := "/admin/worlds/" + w.ID
	points := map[store.Point]bool{}
	for _, step := range []struct {
		name string
		do   func()
	}{
		{"change", func() { r.must(w.Keys[0].Secret, "POST", "/v1/customers", "name=Bob") }},
		{"create", func() { r.create(`{"seed":"empty"}`) }},
		{"fork", func() { f = r.fork(w, `{"at":"1"}`) }},
		{"change of the fork", func() { r.must(f.Keys[0].Secret, "POST", "/v1/customers", "name=Cid") }},
		{"reset with a fork", func() { r.want(200, "", "POST", path+"/reset", w.AdminToken, "") }},
		{"reset", func() { r.want(200, "", "POST", path+"/reset", w.AdminToken, "") }},
		{"import", func() { r.want(201, "", "POST", "/admin/import", "", export) }},
		{"refused import", func() { r.want(422, "", "POST", "/admin/import", "", export+export) }},
		{"shelving", func() {
			if err := r.journal.Shelve(); err != nil {
				t.Error(err)
			}
		}},
		{"delete", func() { r.want(204, "", "DELETE", path, w.AdminToken, "") }},
		{"delete of the fork", func() { r.want(204, "", "DELETE", "/admin/worlds/"+f.ID, f.AdminToken, "") }},
		{"clearing", func() {
			if err := r.journal.Compact(); err != nil {
				t.Error(err)
			}
		}},
	} {
		before := r.settled()
		mu.Lock()
		images, watching = nil, true
		mu.Unlock()
		step.do()
		mu.Lock()
		watching = false
		taken := slices.Clone(images)
		mu.Unlock()
		after := r.settled()
		if len(taken) == 0 {
			t.Errorf("%s passed no point", step.name)
		}
		for _, i := range taken {
			points[i.point] = true
			left := &rig{t: t, dir: i.dir, opt: r.opt, doc: r.doc}
			left.open()
			if found := left.settled(); found != before && found != after {
				t.Errorf("killed at %q during %s, a server finds\n%sneither\n%snor\n%s", i.point, step.name, found, before, after)
			}
			left.create(`{"seed":"empty"}`)
			left.close()
			left.open() // and once more, with what it wrote itself
			left.settled()
			left.close()
			if err := os.RemoveAll(i.dir); err != nil {
				t.Error(err)
			}
		}
	}
	for _, p := range []store.Point{store.PointWrite, store.PointWritten, store.PointSynced, store.PointShelve, store.PointShelved, store.PointCompact, store.PointCompact2} {
		if !points[p] {
			t.Errorf("nothing was killed at %q", p)
		}
	}
}

// copyFolder copies a folder in which segments may be made and renamed meanwhile.
func copyFolder(t *testing.T, from string) string {
	for {
		dir := t.TempDir()
		err := os.CopyFS(dir, os.DirFS(from))
		switch {
		case err == nil:
			return dir
		case !errors.Is(err, fs.ErrNotExist):
			t.Error(err)
			return dir
		}
	}
}

// A folder that cannot be written is refused, by name, and left as it is.
func TestFolderThatCannotBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(file, []byte("mine"), 0o400); err != nil {
		t.Fatal(err)
	}
	dirs := []string{file, filepath.Join(file, "below")}
	if os.Geteuid() != 0 { // who may write anywhere is not stopped by a mode
		dir := t.TempDir()
		if err := os.Chmod(dir, 0o500); err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, dir, filepath.Join(dir, "new"))
	}
	for _, dir := range dirs {
		if _, err := store.Open(dir, store.Options{}); err == nil || !strings.Contains(err.Error(), filepath.Dir(dir)) {
			t.Errorf("%s: %v", dir, err)
		}
	}
	if left, err := os.ReadFile(file); err != nil || string(left) != "mine" {
		t.Errorf("the file now holds %q, %v", left, err)
	}
}
