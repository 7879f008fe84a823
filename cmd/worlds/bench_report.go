package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
)

// benchFormat is the version of the form of a report. It grows when a field goes or
// changes its meaning, not when one is added.
const benchFormat = 1

// benchReport is what a run found.
type benchReport struct {
	Format  int            `json:"format"`
	Go      string         `json:"go"`
	CPUs    int            `json:"cpus"`
	Seconds float64        `json:"seconds"` // of a round
	Rounds  int            `json:"rounds"`
	Cells   []benchCell    `json:"cells"`
	Figures []benchFigure  `json:"figures"`
	Targets []benchVerdict `json:"targets,omitempty"`
}

// benchCell is one job under one load on one server: medians of the rounds.
type benchCell struct {
	Job       string  `json:"job"`
	Server    string  `json:"server"` // "worlds sync", "worlds relaxed", "floor", or of --beside
	Clients   int     `json:"clients"`
	Worlds    int     `json:"worlds"`
	PerSecond float64 `json:"per_second"`
	P50Micros float64 `json:"p50_us"`
	P99Micros float64 `json:"p99_us"`
	CPUMicros float64 `json:"cpu_us"`    // of the server, a request; 0 if it is not known
	Allocs    float64 `json:"allocs"`    // of the server, a request; 0 if it is not known
	RSSBytes  int64   `json:"rss_bytes"` // of the server, after the last round
	Refused   int     `json:"refused"`   // answers above 399, of all rounds
	// Times are the requests a second as a multiple of each other server's: medians of
	// the rounds' ratios.
	Times map[string]float64 `json:"times"`
}

func (c *benchCell) same(o *benchCell) bool {
	return c.Job == o.Job && c.Server == o.Server && c.Clients == o.Clients && c.Worlds == o.Worlds
}

// benchFigure is something measured that is no request under load.
type benchFigure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
}

func (r *benchReport) note(value float64, unit, name string, args ...any) {
	r.Figures = append(r.Figures, benchFigure{fmt.Sprintf(name, args...), value, unit})
}

// figure is a figure by name.
func (r *benchReport) figure(name string) (float64, bool) {
	for _, f := range r.Figures {
		if f.Name == name {
			return f.Value, true
		}
	}
	return 0, false
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
	if r.Format != benchFormat {
		return nil, usage("--compare %s: its form has number %d, ours %d", c.Compare, r.Format, benchFormat)
	}
	return &r, nil
}

// print is the report for people.
func (r *benchReport) print(out io.Writer, earlier *benchReport) error {
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', tabwriter.AlignRight)
	if len(r.Cells) > 0 {
		r.printCells(w, earlier)
	}
	if len(r.Figures) > 0 {
		fmt.Fprintln(w, "\nfigure\tvalue\t"+then(earlier, "then\t"))
		for _, f := range r.Figures {
			fmt.Fprintf(w, "%s\t%s %s\t", f.Name, brief(f.Value), f.Unit)
			if earlier != nil {
				was, ok := earlier.figure(f.Name)
				fmt.Fprintf(w, "%s\t", known(was, ok))
			}
			fmt.Fprintln(w)
		}
	}
	if len(r.Targets) > 0 {
		fmt.Fprintln(w, "\ntarget\tmeasured\tfloor\taim\t\t")
		for _, v := range r.Targets {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t\n", v.Name, known(v.Value, v.Verdict != unmeasured), v.bound(v.Floor), v.bound(v.Aim), v.Verdict)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\n%s, %d CPUs, %d rounds of %g s. Processor time, allocations and memory are the server's.\n",
		r.Go, r.CPUs, r.Rounds, r.Seconds)
	return err
}

// printCells prints a block a job and load: one row a server, its speed as a
// multiple of the others'.
func (r *benchReport) printCells(w io.Writer, earlier *benchReport) {
	others := map[string]bool{}
	for _, c := range r.Cells {
		for name := range c.Times {
			others[name] = !strings.HasPrefix(name, "worlds ")
		}
	}
	var columns []string
	for _, name := range slices.Sorted(maps.Keys(others)) {
		if others[name] {
			columns = append(columns, name)
		}
	}
	head := "job\tserver\tworlds\tclients\treq/s\tp50 us\tp99 us\tCPU us\tallocs\tMiB\t"
	for _, name := range columns {
		head += "x " + name + "\t"
	}
	fmt.Fprintln(w, head+then(earlier, "x floor then\t"))
	for _, c := range r.Cells {
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%.0f\t%.0f\t%.0f\t%s\t%s\t%s\t", c.Job, c.Server, c.Worlds, c.Clients, c.PerSecond, c.P50Micros, c.P99Micros,
			known(c.CPUMicros, c.CPUMicros > 0), known(c.Allocs, c.Allocs > 0), known(float64(c.RSSBytes>>20), c.RSSBytes > 0))
		for _, name := range columns {
			ratio, ok := c.Times[name]
			fmt.Fprintf(w, "%s\t", known(ratio, ok))
		}
		if earlier != nil {
			ratio, ok := 0.0, false
			for i := range earlier.Cells {
				if earlier.Cells[i].same(&c) {
					ratio, ok = earlier.Cells[i].Times["floor"]
				}
			}
			fmt.Fprintf(w, "%s\t", known(ratio, ok))
		}
		fmt.Fprintln(w)
	}
}

func then(earlier *benchReport, head string) string {
	if earlier == nil {
		return ""
	}
	return head
}

func known(value float64, ok bool) string {
	if !ok {
		return "-"
	}
	return brief(value)
}

// brief prints a number with three digits that count.
func brief(v float64) string {
	switch {
	case v >= 100 || v == float64(int64(v)):
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}
