package world_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"worlds/journal"
	"worlds/journal/canon"
	"worlds/journal/store"
	"worlds/twin/world"
)

// disk is a disk that fails at one point of a batch's life while it is full.
type disk struct {
	point store.Point
	full  atomic.Bool
}

var errFull = errors.New("no space left on the device")

func (d *disk) hook(p store.Point) error {
	if p == d.point && d.full.Load() {
		return errFull
	}
	return nil
}

// faulty makes a rig on a disk that can fail.
func faulty(t *testing.T, point store.Point, durability store.Durability) (*rig, *disk) {
	t.Helper()
	d := &disk{point: point}
	r := newRig(t, "empty", func(r *rig) { r.store = store.Options{Hook: d.hook, Durability: durability} })
	world.SetWaits(r.host, time.Second, 0)
	return r, d
}

// levels are the places where a change can fail, by durability.
var levels = []struct {
	name       string
	point      store.Point
	durability store.Durability
}{
	{"write, sync", store.PointWrite, store.Sync},
	{"sync, sync", store.PointWritten, store.Sync},
	{"write, relaxed", store.PointWrite, store.Relaxed},
}

// refused checks that the journal refuses a request.
func (r *rig) refused(req world.Request) {
	r.t.Helper()
	a, err := r.world.Do(context.Background(), req)
	if !errors.Is(err, world.ErrJournal) {
		r.t.Errorf("%s %s on a full disk: %+v %v", req.Command.Method, req.Command.Path, a, err)
	}
}

// A disk that is full: what is refused leaves no trace in memory or on disk, its
// key is not taken, reads go on; once there is room, so do writes, and ids
// continue without a gap.
func TestFullDisk(t *testing.T) {
	for _, level := range levels {
		t.Run(level.name, func(t *testing.T) {
			r, d := faulty(t, level.point, level.durability)
			first := r.ok("POST", "/v1/customers", "name=a", "k1")
			d.full.Store(true)
			for range 3 {
				r.refused(request("POST", "/v1/customers", "name=lost", "k2"))
				a := r.do("GET", "/v1/customers", "", "")
				if a.Status != 200 || a.Seq != 0 || strings.Contains(string(a.Body), "lost") || !strings.Contains(string(a.Body), first) {
					t.Errorf("a read while the disk is full: #%d %d %s", a.Seq, a.Status, a.Body)
				}
			}
			if got := r.names(); got != "a" {
				t.Errorf("memory has %q", got)
			}
			d.full.Store(false)
			r.refused(request("POST", "/v1/customers", "name=lost", "k2")) // meets the seal, and opens the journal
			a := r.do("POST", "/v1/customers", "name=b", "k2")
			if a.Status != 200 || a.Replayed != "" {
				t.Errorf("the key of a failed call: %d %s %s", a.Status, a.Replayed, a.Body)
			}
			r.replay()
			end := r.end()
			r.restart()
			if got := r.names(); got != "a b" || r.end() != end {
				t.Errorf("after a restart: %q, %s, before %s", got, r.end(), end)
			}
			r.replay()

			never := newRig(t, "empty", nil)
			never.ok("POST", "/v1/customers", "name=a", "k1")
			if id := never.ok("POST", "/v1/customers", "name=b", "k2"); id != idOf(a) {
				t.Errorf("ids have a gap: %s, without the failure %s", idOf(a), id)
			}
		})
	}
}

// Clients write and read while the disk fails and recovers. Nobody ever reads what
// was refused; at the end exactly what was acknowledged is there.
func TestFailuresUnderLoad(t *testing.T) {
	for _, level := range levels {
		t.Run(level.name, func(t *testing.T) {
			r, d := faulty(t, level.point, level.durability)
			acked, seen := loadWhileFailing(t, r, d)
			for i := 0; r.host.Ready() != nil && i < 3; i++ { // whoever meets the seal opens the journal
				r.world.Do(context.Background(), request("POST", "/v1/customers", "name=last", ""))
			}
			there := map[string]bool{}
			for name := range strings.FieldsSeq(r.names()) {
				if there[name] {
					t.Errorf("%s is there twice", name)
				}
				there[name] = true
			}
			count := allThere(t, acked, there, "was acknowledged and is lost")
			delete(there, "last")
			if len(there) != count {
				t.Errorf("%d are there, %d were acknowledged", len(there), count)
			}
			allThere(t, seen, there, "was read and is not there")
			r.replay()
			end := r.end()
			r.restart()
			if r.end() != end {
				t.Errorf("after a restart %s, before %s", r.end(), end)
			}
		})
	}
}

// allThere checks a set of names against what is there, and counts it.
func allThere(t *testing.T, names *sync.Map, there map[string]bool, complaint string) (count int) {
	names.Range(func(name, _ any) bool {
		if count++; !there[name.(string)] {
			t.Errorf("%s %s", name, complaint)
		}
		return true
	})
	return count
}

// loadWhileFailing lets clients write and read while the disk fails now and then,
// and returns the names that were acknowledged and those that were read.
func loadWhileFailing(t *testing.T, r *rig, d *disk) (acked, seen *sync.Map) {
	acked, seen = &sync.Map{}, &sync.Map{}
	var stop atomic.Bool
	var running sync.WaitGroup
	for n := range 6 {
		running.Go(func() {
			for i := 0; !stop.Load(); i++ {
				name := fmt.Sprintf("c%d-%d", n, i)
				a, err := r.world.Do(context.Background(), request("POST", "/v1/customers", "name="+name, name))
				switch {
				case err == nil && a.Status == 200:
					acked.Store(name, true)
				case !errors.Is(err, world.ErrJournal):
					t.Errorf("%+v %v", a, err)
				}
			}
		})
	}
	for range 2 {
		running.Go(func() {
			for !stop.Load() {
				if a, err := r.world.Do(context.Background(), request("GET", "/v1/customers", "limit=20", "")); err == nil {
					for _, name := range namesIn(a.Body) {
						seen.Store(name, true)
					}
				} else if !errors.Is(err, world.ErrJournal) {
					t.Error(err)
				}
			}
		})
	}
	for range 25 {
		time.Sleep(3 * time.Millisecond)
		d.full.Store(true)
		time.Sleep(2 * time.Millisecond)
		d.full.Store(false)
	}
	stop.Store(true)
	running.Wait()
	return acked, seen
}

func namesIn(list canon.Raw) (names []string) {
	data, _ := canon.Get(list, "data")
	for row := range canon.Elements(data) {
		raw, _ := canon.Get(row, "name")
		name, _ := canon.Unquote(raw)
		names = append(names, name)
	}
	return names
}

// Reads whose entries are lost with a failed write are not counted by a view: what
// it says is what the journal holds.
func TestLostReadsAreNotCounted(t *testing.T) {
	r, d := faulty(t, store.PointWrite, store.Sync)
	r.ok("POST", "/v1/customers", "name=a", "")
	r.view()
	d.full.Store(true)
	for range 5 {
		r.do("GET", "/v1/customers", "", "")
	}
	v := r.view()
	for end := time.Now().Add(20 * time.Second); v.Seq != 1 && time.Now().Before(end); v = r.view() {
		time.Sleep(store.LazyDelay) // their batch fails, and nobody waits for it
	}
	if v.Seq != 1 {
		t.Errorf("the view counts %d entries", v.Seq)
	}
	r.replay()
	d.full.Store(false)
	r.refused(request("POST", "/v1/customers", "name=lost", ""))
	r.ok("POST", "/v1/customers", "name=b", "")
	r.replay()
}

func TestResetOnAFullDisk(t *testing.T) {
	for _, level := range levels {
		t.Run(level.name, func(t *testing.T) {
			r, d := faulty(t, level.point, level.durability)
			r.ok("POST", "/v1/customers", "name=a", "")
			d.full.Store(true)
			for name, err := range map[string]error{
				"reset":  r.world.Reset(context.Background(), world.Plainly(admin("reset", 1))),
				"delete": r.world.Delete(context.Background(), world.Plainly(admin("delete", 1))),
				"create": r.host.Create(2, admin("create", 2)),
			} {
				if !errors.Is(err, world.ErrJournal) {
					t.Errorf("%s: %v", name, err)
				}
			}
			if got := r.names(); got != "a" {
				t.Errorf("the world has %q", got)
			}
			d.full.Store(false)
			r.refused(request("POST", "/v1/customers", "name=lost", ""))
			r.ok("POST", "/v1/customers", "name=b", "")
			if v := r.view(); v.Inc != 1 || r.names() != "a b" {
				t.Errorf("life %d, %q", v.Inc, r.names())
			}
			r.reset()
			if err := r.host.Create(2, admin("create", 2)); err != nil {
				t.Error(err)
			}
			r.restart()
			if v := r.view(); v.Inc != 2 || v.Seq != 0 {
				t.Errorf("after a restart: life %d, entry %d", v.Inc, v.Seq)
			}
			n := 0
			err := r.host.ServerLog(func(journal.Seq, canon.Raw) error { n++; return nil })
			if err != nil || n != 3 { // create, reset, create
				t.Errorf("the server's own stream: %d entries, %v", n, err)
			}
		})
	}
}
