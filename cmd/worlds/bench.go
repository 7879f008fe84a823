package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"

	"worlds/seed"
)

type benchCmd struct {
	output
	Worlds     int      `default:"100" placeholder:"N" help:"Worlds that the clients spread over (default 100)."`
	Clients    []int    `default:"1,32" placeholder:"N" help:"Numbers of connections to try (default 1,32)."`
	Seconds    float64  `default:"1" placeholder:"S" help:"How long each cell is measured (default 1)."`
	Rounds     int      `default:"3" placeholder:"N" help:"How often, one job after the other each time; the median counts (default 3)."`
	Durability []string `enum:"sync,relaxed" default:"sync,relaxed" help:"Durabilities to try (default both)."`
	Job        []string `placeholder:"JOB" help:"Only these jobs."`
	Check      bool     `help:"Measure nothing: drive the worlds at once by one script, and see that one state comes of it."`
	Compare    string   `placeholder:"FILE" help:"Put the ratios of an earlier --json beside these." predictor:"file"`
}

// Help is the long help of the verb.
func (*benchCmd) Help() string {
	return "It starts a server of its own in this process and drives it over HTTP. Figures of one run can be compared " +
		"with each other, those of two runs hardly: look at the ratios to the floor, a bare handler of net/http that " +
		"answers as many bytes, measured between the jobs of the same run."
}

// benchReport is what a run found.
type benchReport struct {
	Go      string      `json:"go"`
	CPUs    int         `json:"cpus"`
	Worlds  int         `json:"worlds"`
	Cells   []benchCell `json:"cells"`
	RSSByte int64       `json:"rss_bytes"`
}

// benchCell is one job under one load.
type benchCell struct {
	Job        string  `json:"job"`
	Durability string  `json:"durability"`
	Clients    int     `json:"clients"`
	PerSecond  float64 `json:"per_second"`
	Floor      float64 `json:"floor_ratio"` // requests a second, to those of the bare handler
	P50Micros  float64 `json:"p50_us"`
	P99Micros  float64 `json:"p99_us"`
	CPUMicros  float64 `json:"cpu_us"` // of the whole process, client included
	Allocs     float64 `json:"allocs"` // of the whole process, client included
}

// Run measures, or checks.
func (c *benchCmd) Run(ctx context.Context, t *terminal) error {
	if c.Worlds < 1 || c.Rounds < 1 || c.Seconds <= 0 {
		return usage("--worlds, --rounds and --seconds are above zero")
	}
	collectLess()
	if c.Check {
		return c.check(ctx, t)
	}
	report := benchReport{Go: runtime.Version(), CPUs: runtime.GOMAXPROCS(0), Worlds: c.Worlds}
	p := t.progress("cells")
	for _, durability := range c.Durability {
		if err := c.measure(ctx, durability, &report, func() { p.at(int64(len(report.Cells))) }); err != nil {
			return err
		}
	}
	p.end()
	report.RSSByte = residentBytes()
	if c.JSON {
		return t.json(&report)
	}
	earlier, err := c.earlier()
	if err != nil {
		return err
	}
	return report.print(t.out, earlier)
}

// benchServer starts a server on a folder of its own, with so many worlds.
func (c *benchCmd) server(durability string) (*benchServer, error) {
	dir, err := os.MkdirTemp("", "worlds-bench")
	if err != nil {
		return nil, err
	}
	s, err := startBench(dir, durability, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	doc, err := seed.Lookup("saas-billing-small")
	if err != nil {
		return nil, errors.Join(err, s.stop())
	}
	for range c.Worlds {
		if err := s.world(doc); err != nil {
			return nil, errors.Join(err, s.stop())
		}
	}
	return s, nil
}

// measure adds the cells of one durability: the jobs and the floor take turns.
func (c *benchCmd) measure(ctx context.Context, durability string, report *benchReport, tick func()) (err error) {
	s, err := c.server(durability)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	for _, clients := range c.Clients {
		for _, job := range benchJobs() {
			if !c.wants(job.name) {
				continue
			}
			cell := benchCell{Job: job.name, Durability: durability, Clients: clients}
			var jobs, floors []sample
			for range c.Rounds {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				one, err := s.drive(ctx, job, clients, c.span())
				if err != nil {
					return fmt.Errorf("%s: %w", job.name, err)
				}
				floor, err := s.driveFloor(ctx, one.bytes, clients, c.span()/2)
				if err != nil {
					return err
				}
				jobs, floors = append(jobs, one), append(floors, floor)
			}
			cell.fill(jobs, floors)
			report.Cells = append(report.Cells, cell)
			tick()
		}
	}
	return nil
}

func (c *benchCmd) span() time.Duration { return time.Duration(c.Seconds * float64(time.Second)) }

func (c *benchCmd) wants(job string) bool {
	if len(c.Job) == 0 {
		return true
	}
	for _, j := range c.Job {
		if j == job {
			return true
		}
	}
	return false
}

// fill takes the medians of the rounds.
func (b *benchCell) fill(jobs, floors []sample) {
	ratios := make([]float64, len(jobs))
	for i := range jobs {
		ratios[i] = jobs[i].perSecond / floors[i].perSecond
	}
	b.Floor = median(ratios)
	b.PerSecond = median(each(jobs, func(s sample) float64 { return s.perSecond }))
	b.P50Micros = median(each(jobs, func(s sample) float64 { return s.p50 }))
	b.P99Micros = median(each(jobs, func(s sample) float64 { return s.p99 }))
	b.CPUMicros = median(each(jobs, func(s sample) float64 { return s.cpu }))
	b.Allocs = median(each(jobs, func(s sample) float64 { return s.allocs }))
}

// earlier reads the report of --compare, nil without one.
func (c *benchCmd) earlier() (*benchReport, error) {
	if c.Compare == "" {
		return nil, nil
	}
	text, err := os.ReadFile(c.Compare)
	if err != nil {
		return nil, usage("--compare: %w", err)
	}
	var r benchReport
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, usage("--compare %s: %w", c.Compare, err)
	}
	return &r, nil
}

// print is the table for people.
func (r *benchReport) print(out io.Writer, earlier *benchReport) error {
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', tabwriter.AlignRight)
	head := "job\tdurability\tclients\treq/s\tx floor\tp50 us\tp99 us\tCPU us\tallocs\t"
	if earlier != nil {
		head += "x floor then\t"
	}
	fmt.Fprintln(w, head)
	for _, c := range r.Cells {
		fmt.Fprintf(w, "%s\t%s\t%d\t%.0f\t%.2f\t%.0f\t%.0f\t%.0f\t%.0f\t", c.Job, c.Durability, c.Clients, c.PerSecond, c.Floor,
			c.P50Micros, c.P99Micros, c.CPUMicros, c.Allocs)
		if earlier != nil {
			fmt.Fprintf(w, "%s\t", earlier.floorOf(&c))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "\n")
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "%s, %d CPUs, %d worlds, %d MiB resident; CPU and allocations include the client.\n",
		r.Go, r.CPUs, r.Worlds, r.RSSByte>>20)
	return err
}

func (r *benchReport) floorOf(c *benchCell) string {
	for _, e := range r.Cells {
		if e.Job == c.Job && e.Durability == c.Durability && e.Clients == c.Clients {
			return fmt.Sprintf("%.2f", e.Floor)
		}
	}
	return "-"
}

// residentBytes is the memory of this process, 0 where the system does not say.
func residentBytes() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var size, resident int64
	if _, err := fmt.Sscan(strings.TrimSpace(string(text)), &size, &resident); err != nil {
		return 0
	}
	return resident * int64(os.Getpagesize())
}
