package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"time"

	"worlds/journal/store"
	"worlds/twin/heap"
	"worlds/twin/world"
)

// Names of figures that targets ask for.
const (
	figureFlat       = "list 10, slowest of the sizes, x fastest"
	figureDurable    = "durable create p50, x (fdatasync + floor)"
	figureStartEmpty = "start to first answer, empty folder"
	figureIdle       = "resident at rest, empty folder"
	figureFold       = "fold"
	figureRedecide   = "re-decide"
)

// dialOne is a client that takes turns in no worlds.
func (s *benchServer) dialOne() (*benchClient, error) {
	s.rounds++
	return dialBench(s.addr, s.rounds*1000, nil)
}

// timed is how long something takes.
func timed(fn func() error) (time.Duration, error) {
	start := time.Now()
	err := fn()
	return time.Since(start), err
}

// lifecycle measures what operators do: a world is made, forked, reset and deleted,
// with a customer made in between, which is what they are held against; and clocks
// are moved.
func (b *benchRun) lifecycle(ctx context.Context) error {
	if err := b.sync.raise(1, 1); err != nil {
		return err
	}
	c, err := b.sync.dialOne()
	if err != nil {
		return err
	}
	defer c.close()
	spent := map[string][]float64{}
	for start, n := time.Now(), 0; time.Since(start) < b.cmd.span()*time.Duration(b.cmd.Rounds) || n == 0; n++ {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := c.lives(&b.sync.worlds[0], n, spent); err != nil {
			return err
		}
	}
	customer := median(spent["customer create"])
	b.report.note(customer, "us", "customer create, p50")
	for _, name := range []string{"world create", "world fork", "world reset", "world delete"} {
		b.report.note(median(spent[name]), "us", "%s, p50", name)
		b.report.note(median(spent[name])/customer, "", "%s, x customer create", name)
	}
	return b.clocks(ctx, c)
}

// lives leads one world through its life.
func (c *benchClient) lives(w *benchWorld, n int, spent map[string][]float64) error {
	var made, fork benchWorld
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"customer create", func() error {
			c.world = w
			c.post("/v1/customers", customerForm(n))
			status, err := c.send()
			if err == nil && status != http.StatusOK {
				err = fmt.Errorf("status %d: %.300s", status, c.body)
			}
			return err
		}},
		{"world create", func() (err error) { made, err = c.newWorld(); return err }},
		{"world fork", func() (err error) {
			err = c.operate("POST", "/admin/worlds/"+made.id+"/fork", made.token, "{}")
			if err == nil {
				fork, err = c.madeWorld()
			}
			return err
		}},
		{"world reset", func() error { return c.operate("POST", "/admin/worlds/"+made.id+"/reset", made.token, "") }},
		{"", func() error { return c.operate("DELETE", "/admin/worlds/"+fork.id, fork.token, "") }},
		{"world delete", func() error { return c.operate("DELETE", "/admin/worlds/"+made.id, made.token, "") }},
	} {
		took, err := timed(step.do)
		if err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		spent[step.name] = append(spent[step.name], micros(took))
	}
	return nil
}

// benchAdvanceDays is how far clocks are moved: every subscription renews once.
const benchAdvanceDays = 31

func (b *benchRun) clocks(ctx context.Context, c *benchClient) error {
	var spent []float64
	for range b.cmd.Rounds {
		w, err := c.newWorld()
		if err != nil {
			return err
		}
		took, err := timed(func() error {
			return c.operate("POST", "/admin/worlds/"+w.id+"/clock/advance", w.token, `{"days":`+strconv.Itoa(benchAdvanceDays)+`}`)
		})
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		spent = append(spent, micros(took)/1000)
	}
	b.report.note(median(spent), "ms", "clock advance of %d days, %s", benchAdvanceDays, benchSeed)
	return nil
}

// disk measures what durability costs at least: how long the same bytes take to
// reach the disk, in turn with a durable create and an answer of the bare handler.
func (b *benchRun) disk(ctx context.Context) error {
	if err := b.sync.raise(1, 1); err != nil {
		return err
	}
	f, err := os.Create(b.folder("sync.probe"))
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if _, err := f.Write(make([]byte, probeFileBytes)); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	one := load{clients: 1, worlds: 1, span: b.cmd.span()}
	var ratios, syncs []float64
	for range b.cmd.Rounds {
		runs, err := race(ctx, []*benchServer{b.sync, b.floor}, createJob, one, 1)
		if err != nil {
			return err
		}
		bare, err := probe(f, b.cmd.span())
		if err != nil {
			return err
		}
		syncs = append(syncs, bare)
		ratios = append(ratios, runs[b.sync.name][0].p50/(bare+runs[b.floor.name][0].p50))
	}
	b.report.note(median(syncs), "us", "fdatasync of %d bytes, p50", probeBytes)
	b.report.note(median(ratios), "", figureDurable)
	return nil
}

// The probe writes as the tail of the journal is written: into a file that has its
// blocks, each write a create's entry in whole blocks.
const (
	probeFileBytes = 4 << 20
	probeBytes     = 4096
)

// probe is the p50 of a write and its fdatasync, in microseconds.
func probe(f *os.File, span time.Duration) (float64, error) {
	block := make([]byte, probeBytes)
	var spent []float64
	for start, n := time.Now(), 0; time.Since(start) < span; n++ {
		block[0]++
		took, err := timed(func() error {
			if _, err := f.WriteAt(block, int64(n%(probeFileBytes/probeBytes))*probeBytes); err != nil {
				return err
			}
			return store.SyncData(f)
		})
		if err != nil {
			return 0, err
		}
		spent = append(spent, micros(took))
	}
	return median(spent), nil
}

// lists measures a page of a list in worlds of different sizes, what a customer
// costs in memory, and then the replay of those worlds.
func (b *benchRun) lists(ctx context.Context) error {
	dir := b.folder("lists")
	s, err := serveOwn("worlds relaxed", dir, "relaxed")
	if err != nil {
		return err
	}
	defer func() { _ = s.stop() }()
	sizes := b.cmd.Objects
	worlds := make([]benchWorld, len(sizes))
	for i, size := range sizes {
		if worlds[i], err = s.populated(ctx, size); err != nil {
			return err
		}
	}
	var fastest, slowest float64
	speeds := make([][]float64, len(sizes))
	for range b.cmd.Rounds {
		for i := range sizes {
			s.worlds = worlds[i : i+1]
			one, err := s.drive(ctx, listJob, load{clients: 1, worlds: 1, span: b.cmd.span()})
			if err != nil {
				return err
			}
			speeds[i] = append(speeds[i], one.p50)
		}
	}
	for i, size := range sizes {
		p50 := median(speeds[i])
		b.report.note(p50, "us", "list 10 of %d, p50", size)
		if fastest == 0 || p50 < fastest {
			fastest = p50
		}
		slowest = max(slowest, p50)
	}
	b.report.note(slowest/fastest, "", figureFlat)
	if err := s.stop(); err != nil {
		return err
	}
	s.child = nil
	return b.replays(dir, worlds)
}

// populated makes a world with so many customers.
func (s *benchServer) populated(ctx context.Context, size int) (benchWorld, error) {
	c, err := s.dialOne()
	if err != nil {
		return benchWorld{}, err
	}
	defer c.close()
	w := benchWorld{key: "sk_test_dump" + strconv.Itoa(s.rounds)}
	if s.own {
		if w, err = c.newWorld(); err != nil {
			return w, err
		}
	}
	s.worlds = []benchWorld{w}
	const hands = 16
	_, err = s.drive(ctx, createJob, load{clients: min(hands, size), worlds: 1, count: (size + hands - 1) / hands})
	return w, err
}

// replays folds the largest world of a folder, and decides the middle one again.
func (b *benchRun) replays(dir string, worlds []benchWorld) error {
	heap.Settle()
	large, mid := worlds[len(worlds)-1].id, worlds[len(worlds)/2].id
	for _, way := range []struct {
		name, world string
		mode        world.Mode
	}{{figureFold, large, world.Fold}, {figureRedecide, mid, world.Redecide}} {
		var speeds, used []float64
		for range b.cmd.Rounds {
			r, err := replayed(dir, way.world, way.mode)
			if err != nil {
				return fmt.Errorf("%s: %w", way.name, err)
			}
			speeds, used = append(speeds, float64(r.entries)/r.took.Seconds()), append(used, micros(r.cpu)/float64(r.entries))
			if way.mode == world.Fold {
				b.weight = float64(r.heap) / float64(r.entries)
			}
		}
		b.report.note(median(speeds), "entries/s", "%s", way.name)
		b.report.note(median(used), "us", "%s, processor time an entry", way.name)
	}
	b.report.note(b.weight/1024, "KiB", "memory of a customer among %d", b.cmd.Objects[len(b.cmd.Objects)-1])
	return nil
}

// rerun is what a replay came to: without the hash of the dump that ends it, which
// has a figure of its own.
type rerun struct {
	entries   int64
	took, cpu time.Duration
	heap      int64 // bytes that its state takes
}

// replayed replays one world of a folder.
func replayed(dir, id string, mode world.Mode) (r rerun, err error) {
	list, done, err := folderHistories(dir, id)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, done()) }()
	debug.FreeOSMemory()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	self := benchServer{pid: os.Getpid()}
	start, cpu := time.Now(), self.burden().cpu
	report, state := world.Replay(mode, list[0].genesis, list[0].entries, catalogs(), nil)
	r.took, r.cpu = time.Since(start), self.burden().cpu-cpu
	start, cpu = time.Now(), self.burden().cpu
	_ = world.DumpHash(state)
	r.took, r.cpu = r.took-time.Since(start), r.cpu-(self.burden().cpu-cpu)
	debug.FreeOSMemory()
	runtime.ReadMemStats(&after)
	r.entries, r.heap = report.Entries, int64(after.HeapInuse)-int64(before.HeapInuse)
	if !report.Valid {
		err = coded(exitNo, fmt.Errorf("it fails at entry %d: %s", report.Seq, report.Detail))
	}
	runtime.KeepAlive(state)
	return r, err
}

// dump measures the canonical dump with its hash, beside that of other servers that
// have one.
func (b *benchRun) dump(ctx context.Context) error {
	size := b.cmd.Objects[len(b.cmd.Objects)/2]
	servers := []*benchServer{b.sync}
	for _, p := range b.peers {
		if p.dumps() {
			servers = append(servers, p)
		}
	}
	type taking struct {
		s *benchServer
		w benchWorld
		d []float64
	}
	var all []*taking
	for _, s := range servers {
		kept := s.worlds
		w, err := s.populated(ctx, size)
		s.worlds = kept
		if err != nil {
			return err
		}
		all = append(all, &taking{s: s, w: w})
	}
	for range b.cmd.Rounds {
		for _, t := range all {
			took, err := t.s.dump(&t.w)
			if err != nil {
				return err
			}
			t.d = append(t.d, micros(took)/1000)
		}
	}
	b.report.note(median(all[0].d), "ms", "dump of %d customers", size)
	for _, t := range all[1:] {
		ratios := make([]float64, len(t.d))
		for i := range t.d {
			ratios[i] = t.d[i] / all[0].d[i]
		}
		b.report.note(median(t.d), "ms", "dump of %d customers, %s", size, t.s.name)
		b.report.note(median(ratios), "", "dump of %d customers, x %s", size, t.s.name)
	}
	return nil
}

// dumps reports whether somebody else's server has a dump.
func (s *benchServer) dumps() bool {
	_, err := s.dump(&benchWorld{key: "sk_test_dump"})
	return err == nil
}

func (s *benchServer) dump(w *benchWorld) (time.Duration, error) {
	c, err := s.dialOne()
	if err != nil {
		return 0, err
	}
	defer c.close()
	path, token := "/dump", w.key
	if s.own {
		path, token = "/admin/worlds/"+w.id+"/dump", w.token
	}
	return timed(func() error { return c.operate("GET", path, token, "") })
}
