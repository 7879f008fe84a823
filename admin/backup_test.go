package admin_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"worlds/admin"
	"worlds/journal/store"
	"worlds/twin/world"
)

// A backup that is made while worlds change, begin, fork, are reset and end holds
// every world whole, with everything that was acknowledged before it began.
func TestBackupWhileServing(t *testing.T) {
	r := newRig(t, admin.Options{Open: true, RootToken: root})
	w := r.create(`{"seed":"empty"}`)
	var acked atomic.Int64
	var stop atomic.Bool
	var running sync.WaitGroup
	for range 4 {
		running.Go(func() {
			for !stop.Load() {
				if a := r.stripe(w.Keys[0].Secret, "POST", "/v1/customers", "name=Ann"); a.status == 200 {
					acked.Add(1)
				}
			}
		})
	}
	running.Go(func() {
		for !stop.Load() {
			var f, g admin.CreatedWorld
			if json.Unmarshal(r.call("POST", "/admin/worlds/"+w.ID+"/fork", w.AdminToken, ``).body, &f) != nil {
				t.Error("no fork")
			}
			r.stripe(f.Keys[0].Secret, "POST", "/v1/customers", "name=Bob")
			if json.Unmarshal(r.call("POST", "/admin/worlds/"+f.ID+"/fork", f.AdminToken, ``).body, &g) != nil {
				t.Error("no fork of the fork")
			}
			r.call("POST", "/admin/worlds/"+f.ID+"/reset", f.AdminToken, ``)
			r.call("DELETE", "/admin/worlds/"+f.ID, f.AdminToken, ``)
		}
	})
	type backup struct {
		before int64
		data   []byte
	}
	var backups []backup
	for acked.Load() < 20 {
		time.Sleep(time.Millisecond)
	}
	for range 4 {
		before := acked.Load()
		a := r.call("POST", "/admin/backup", root, "")
		if a.status != 200 {
			t.Errorf("%d %s", a.status, a.body)
		}
		backups = append(backups, backup{before, a.body})
	}
	stop.Store(true)
	running.Wait()
	for i, b := range backups {
		r.restored(w, b.data, b.before, fmt.Sprintf("Restored%d", i))
	}
}

// restored restores a backup on a server of its own: every world is whole, w has what
// was acknowledged before, and it goes on.
func (r *rig) restored(w admin.CreatedWorld, data []byte, before int64, name string) {
	t := r.t
	t.Helper()
	left := &rig{t: t, dir: t.TempDir(), opt: r.opt, doc: r.doc}
	journal, err := store.Open(left.dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := world.Restore(journal, bytes.NewReader(data)); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if err := journal.Close(); err != nil {
		t.Fatal(err)
	}
	left.open()
	for _, info := range left.admin.Worlds() {
		a := left.want(200, `"valid":true`, "POST", "/admin/worlds/"+info.ID+"/verify", root, "")
		var report admin.LiveReport
		if err := json.Unmarshal(a.body, &report); err != nil {
			t.Fatal(err)
		}
		if info.ID == w.ID && report.Entries < before {
			t.Errorf("%s has %d entries, %d were acknowledged before", name, report.Entries, before)
		}
	}
	left.must(w.Keys[0].Secret, "POST", "/v1/customers", "name="+name)
	left.close()
}
