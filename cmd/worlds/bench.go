package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"time"
)

type benchCmd struct {
	output
	Part       []string `enum:"requests,lifecycle,lists,replay,dump,start,disk" default:"requests,lifecycle,lists,replay,dump,start,disk" help:"What to measure: requests,lifecycle,lists,replay,dump,start,disk (default all)."`
	Worlds     []int    `default:"1,100,1000" placeholder:"N" help:"Numbers of worlds that the clients spread over (default 1,100,1000); the start is measured with the largest."`
	Clients    []int    `default:"1,32" placeholder:"N" help:"Numbers of connections to try (default 1,32)."`
	Objects    []int    `default:"1000,10000,100000" placeholder:"N" help:"Numbers of customers a world has when its lists are measured (default 1000,10000,100000); the largest is folded, the middle one decided again and dumped."`
	Seconds    float64  `default:"0.5" placeholder:"S" help:"How long one round of a cell lasts (default 0.5)."`
	Rounds     int      `default:"3" placeholder:"N" help:"How often, one server after the other each time; the median counts (default 3)."`
	Durability []string `enum:"sync,relaxed" default:"sync,relaxed" help:"Durabilities to try (default both)."`
	Job        []string `placeholder:"JOB" help:"Only these kinds of requests."`
	Beside     []string `placeholder:"NAME=URL" help:"Let another server that speaks the same requests take its turn too: NAME=http://HOST:PORT, or NAME=http://HOST:PORT#PID to see its processor time. Repeatable."`
	Targets    bool     `help:"Hold the figures against the product's targets."`
	Check      bool     `help:"Measure nothing: drive the worlds at once by one script, and see that one state comes of it."`
	Compare    string   `placeholder:"FILE" help:"Put the figures of an earlier --json beside these." predictor:"file"`
	Profile    string   `placeholder:"FILE" help:"Write what the server of the first --durability spends its processor time on, for go tool pprof." predictor:"file"`
	ServeFloor bool     `hidden:"" help:"Serve the bare handler."`
}

// Help is the long help of the verb.
func (*benchCmd) Help() string {
	return "It starts servers of its own, each a process, on folders that it removes, and drives them over HTTP. Figures of " +
		"one run can be compared with each other, those of two runs hardly: look at the ratios to the floor, a bare " +
		"handler of net/http that answers as many bytes and takes its turn in every round. docs/bench.md says more."
}

// Parts of a bench.
const (
	partRequests  = "requests"
	partLifecycle = "lifecycle"
	partLists     = "lists"
	partReplay    = "replay"
	partDump      = "dump"
	partStart     = "start"
	partDisk      = "disk"
)

// benchRun is a bench under way.
type benchRun struct {
	cmd    *benchCmd
	dir    string // of everything it writes
	sync   *benchServer
	own    []*benchServer // of the durabilities asked for
	floor  *benchServer
	peers  []*benchServer
	report benchReport
	weight float64 // bytes of memory that a customer of the largest world takes
	say    func(format string, args ...any)
}

// Run measures, or checks.
func (c *benchCmd) Run(ctx context.Context, t *terminal) error {
	if c.ServeFloor {
		return serveFloor(ctx, t)
	}
	if err := c.valid(); err != nil {
		return err
	}
	earlier, err := c.earlier()
	if err != nil {
		return err
	}
	b, err := c.begin(t)
	if err != nil {
		return err
	}
	if c.Check {
		err = b.check(ctx, t)
	} else {
		err = b.measure(ctx)
	}
	if err = errors.Join(err, b.end()); err != nil || c.Check {
		return err
	}
	if c.Targets {
		b.report.judge()
	}
	if c.JSON {
		return t.json(&b.report)
	}
	return b.report.print(t.out, earlier)
}

func (c *benchCmd) valid() error {
	least := func(list []int) int { return slices.Min(append(list, 1)) }
	switch {
	case least(c.Worlds) < 1 || least(c.Clients) < 1 || least(c.Objects) < 1:
		return usage("--worlds, --clients and --objects are above zero")
	case c.Rounds < 1 || c.Seconds <= 0:
		return usage("--rounds and --seconds are above zero")
	}
	for _, job := range c.Job {
		if !slices.ContainsFunc(benchJobs(), func(b benchJob) bool { return b.name == job }) {
			return usage("--job %q: there is none of that name", job)
		}
	}
	slices.Sort(c.Worlds)
	slices.Sort(c.Objects)
	return nil
}

// begin starts the servers that the parts ask for.
func (c *benchCmd) begin(t *terminal) (b *benchRun, err error) {
	b = &benchRun{cmd: c, say: func(string, ...any) {}}
	b.report = benchReport{Format: benchFormat, Go: runtime.Version(), CPUs: runtime.GOMAXPROCS(0), Seconds: c.Seconds, Rounds: c.Rounds,
		Cells: []benchCell{}, Figures: []benchFigure{}}
	if !c.JSON {
		b.say = t.say
	}
	for _, text := range c.Beside {
		p, err := peer(text)
		if err != nil {
			return nil, err
		}
		b.peers = append(b.peers, p)
	}
	if b.dir, err = os.MkdirTemp("", "worlds-bench"); err != nil {
		return nil, err
	}
	begun := b // of which an error returns nothing
	defer func() {
		if err != nil {
			err = errors.Join(err, begun.end())
		}
	}()
	own := func(d string) (*benchServer, error) {
		if d == c.Durability[0] && c.Profile != "" {
			return serveOwn("worlds "+d, b.folder(d), d, "--cpu-profile", c.Profile)
		}
		return serveOwn("worlds "+d, b.folder(d), d)
	}
	if b.sync, err = own("sync"); err != nil {
		return nil, err
	}
	for _, d := range c.Durability {
		s := b.sync
		if d != "sync" {
			if s, err = own(d); err != nil {
				return nil, err
			}
		}
		b.own = append(b.own, s)
	}
	b.floor, err = serveBare()
	return b, err
}

func (b *benchRun) folder(name string) string { return filepath.Join(b.dir, name) }

// end stops the servers and removes what they wrote.
func (b *benchRun) end() error {
	err := errors.Join(b.sync.stop(), b.floor.stop())
	for _, s := range b.own {
		if s != b.sync {
			err = errors.Join(err, s.stop())
		}
	}
	return errors.Join(err, os.RemoveAll(b.dir))
}

// measure does the parts, the ones that leave the most behind last.
func (b *benchRun) measure(ctx context.Context) error {
	for _, part := range []struct {
		name    string
		measure func(context.Context) error
	}{
		{partStart, b.start},
		{partDisk, b.disk},
		{partRequests, b.requests},
		{partLifecycle, b.lifecycle},
		{partDump, b.dump},
		{partLists, b.lists},
	} {
		if !slices.Contains(b.cmd.Part, part.name) && (part.name != partLists || !slices.Contains(b.cmd.Part, partReplay)) {
			continue
		}
		b.say("measuring: %s", part.name)
		if err := part.measure(ctx); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return nil
}

func (c *benchCmd) span() time.Duration { return time.Duration(c.Seconds * float64(time.Second)) }

// requests measures each kind of request under each load.
func (b *benchRun) requests(ctx context.Context) error {
	for _, worlds := range b.cmd.Worlds {
		servers := append(slices.Clone(b.own), b.floor)
		if worlds <= besideWorldsMax {
			servers = append(servers, b.peers...)
		}
		for _, s := range servers {
			if err := s.raise(worlds, benchPage); err != nil {
				return err
			}
		}
		for _, clients := range b.cmd.Clients {
			for _, job := range benchJobs() {
				if len(b.cmd.Job) > 0 && !slices.Contains(b.cmd.Job, job.name) {
					continue
				}
				taking := servers
				if job.own {
					taking = append(slices.Clone(b.own), b.floor)
				}
				if err := b.cells(ctx, taking, job, load{clients: clients, worlds: worlds, span: b.cmd.span()}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// besideWorldsMax is the most worlds that other servers have to hold.
const besideWorldsMax = 100

// cells measures one job under one load on several servers.
func (b *benchRun) cells(ctx context.Context, servers []*benchServer, job benchJob, l load) error {
	runs, err := race(ctx, servers, job, l, b.cmd.Rounds)
	if err != nil {
		return err
	}
	for _, s := range servers {
		b.report.Cells = append(b.report.Cells, cellOf(s, servers, runs, job.name, l))
	}
	return nil
}

func cellOf(s *benchServer, servers []*benchServer, runs map[string][]sample, job string, l load) benchCell {
	own := runs[s.name]
	cell := benchCell{
		Job: job, Server: s.name, Clients: l.clients, Worlds: l.worlds, Times: map[string]float64{},
		PerSecond: middle(own, func(s sample) float64 { return s.perSecond }),
		P50Micros: middle(own, func(s sample) float64 { return s.p50 }),
		P99Micros: middle(own, func(s sample) float64 { return s.p99 }),
		CPUMicros: middle(own, func(s sample) float64 { return s.cpu }),
		Allocs:    middle(own, func(s sample) float64 { return s.allocs }),
		RSSBytes:  own[len(own)-1].resident,
	}
	for _, one := range own {
		cell.Refused += one.refused
	}
	for _, other := range servers {
		if other != s {
			cell.Times[other.name] = times(own, runs[other.name])
		}
	}
	return cell
}

// check drives all worlds at once by one script, each with keys of its own, and
// compares what they end in.
func (b *benchRun) check(ctx context.Context, t *terminal) error {
	s, n := b.sync, b.cmd.Worlds[len(b.cmd.Worlds)-1]
	if err := s.raise(n, 1); err != nil {
		return err
	}
	errs := make(chan error, n)
	for i := range n {
		go func() { errs <- s.script(ctx, i) }()
	}
	var err error
	for range n {
		err = errors.Join(err, <-errs)
	}
	if err != nil {
		return err
	}
	c, err := dialBench(s.addr, 0, nil)
	if err != nil {
		return err
	}
	defer c.close()
	ends := map[string]int{}
	var end struct{ SHA256, Head string }
	for _, w := range s.worlds[:n] {
		if err := c.operate("GET", "/admin/worlds/"+w.id+"/dump/hash", w.token, ""); err != nil {
			return err
		}
		if err := json.Unmarshal(c.body, &end); err != nil {
			return err
		}
		ends[end.Head+" "+end.SHA256]++
	}
	if len(ends) != 1 {
		return coded(exitNo, fmt.Errorf("%d worlds of one script end in %d states", n, len(ends)))
	}
	_, err = fmt.Fprintf(t.out, "%d worlds, one state\nhead %s\ndump %s\n", n, end.Head, end.SHA256)
	return err
}

// script is what every world of a check goes through.
func (s *benchServer) script(ctx context.Context, i int) error {
	c, err := dialBench(s.addr, i+1, s.worlds[i:i+1])
	if err != nil {
		return err
	}
	defer c.close()
	for _, job := range benchJobs() {
		if r := c.work(ctx, job, load{count: benchScriptSteps}, time.Now()); r.err != nil {
			return fmt.Errorf("world %s: %s: %w", strconv.Itoa(i), job.name, r.err)
		}
	}
	return nil
}

// benchScriptSteps is how often a check does each job.
const benchScriptSteps = 10
