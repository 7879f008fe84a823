package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// benchJob is one kind of request, or a round of several. next writes the n-th
// request of a client.
type benchJob struct {
	name string
	next func(c *benchClient, n int)
	own  bool // it needs the seed, so that others cannot do it
}

func customerForm(n int) string {
	return "email=bench" + strconv.Itoa(n) + "%40bench.example&name=Bench&metadata[n]=" + strconv.Itoa(n)
}

var createJob = benchJob{name: "create", next: func(c *benchClient, n int) { c.post("/v1/customers", customerForm(n)) }}

var listJob = benchJob{name: "list 10", next: func(c *benchClient, _ int) {
	c.get("/v1/customers?limit=" + strconv.Itoa(benchPage))
}}

// benchJobs are the jobs, in the order of the table.
func benchJobs() []benchJob {
	return []benchJob{
		createJob,
		{name: "retrieve", next: func(c *benchClient, _ int) { c.get("/v1/customers/" + c.world.customer) }},
		listJob,
		{name: "refund", own: true, next: func(c *benchClient, n int) {
			// A charge bears so many refunds of a cent; then the next.
			charge := benchCharges[n/benchRefunds%len(benchCharges)]
			c.post("/v1/refunds", "amount=1&charge="+charge)
		}},
		{name: "search", own: true, next: func(c *benchClient, _ int) {
			c.get("/v1/customers/search?query=email%3A%27dana%40doublepay.example%27")
		}},
		{name: "support job", own: true, next: func(c *benchClient, n int) {
			switch n % 5 {
			case 0:
				c.get("/v1/customers?email=dana%40doublepay.example")
			case 1:
				c.get("/v1/invoices?customer=cus_seed0001")
			case 2:
				c.get("/v1/invoice_payments?invoice=in_seed0103&expand[]=data.payment.payment_intent")
			case 3:
				c.post("/v1/customers/cus_seed0001", "metadata[round]="+strconv.Itoa(n))
			default:
				c.get("/v1/charges/ch_seed0104")
			}
		}},
	}
}

// benchCharges can be refunded; a refusal is an answer too, and costs alike.
var benchCharges = [...]string{"ch_seed0104", "ch_seed0103", "ch_seed0101", "ch_seed0102", "ch_seed0201", "ch_seed0202"}

const benchRefunds = 300

// floorJob asks the bare handler for as many bytes as another job was answered.
func floorJob(bytes int) benchJob {
	path := "/?" + strconv.Itoa(bytes)
	return benchJob{name: "floor", next: func(c *benchClient, _ int) { c.get(path) }}
}

// load is how a server is driven: by clients side by side, for a time or, where
// count is above zero, until each has sent so many; each takes turns in so many
// worlds.
type load struct {
	clients, worlds, count int
	span                   time.Duration
}

// sample is what one round of one job came to.
type sample struct {
	perSecond, p50, p99 float64 // micros
	cpu, allocs         float64 // of the server, a request
	resident            int64   // of the server, afterwards
	bytes               int     // of the last answer
	refused             int     // answers above 399
}

// drive lets clients do a job on a server.
func (s *benchServer) drive(ctx context.Context, job benchJob, l load) (sample, error) {
	s.rounds++
	list := make([]*benchClient, l.clients)
	for i := range list {
		c, err := dialBench(s.addr, s.rounds*1000+i, s.worlds[:min(max(l.worlds, 1), len(s.worlds))])
		if err != nil {
			return sample{}, err
		}
		defer c.close()
		list[i] = c
	}
	before, start := s.burden(), time.Now()
	results := make(chan result, len(list))
	for _, c := range list {
		go func() { results <- c.work(ctx, job, l, start) }()
	}
	var all result
	for range list {
		r := <-results
		all.times, all.refused, all.bytes = append(all.times, r.times...), all.refused+r.refused, r.bytes
		all.err = errors.Join(all.err, r.err)
	}
	took, after := time.Since(start), s.burden()
	if all.err != nil || len(all.times) == 0 {
		return sample{}, fmt.Errorf("%s: %s: %w", s.name, job.name, all.err)
	}
	slices.Sort(all.times)
	n := float64(len(all.times))
	return sample{
		perSecond: n / took.Seconds(),
		p50:       micros(all.times[len(all.times)/2]), p99: micros(all.times[len(all.times)*99/100]),
		cpu: micros(after.cpu-before.cpu) / n, allocs: max(0, after.mallocs-before.mallocs) / n,
		resident: after.resident, bytes: all.bytes, refused: all.refused,
	}, nil
}

// result is what one client came to.
type result struct {
	times          []time.Duration
	bytes, refused int
	err            error
}

// work sends requests until the time is over or they are done.
func (c *benchClient) work(ctx context.Context, job benchJob, l load, start time.Time) (r result) {
	for n := 0; r.err == nil && ctx.Err() == nil; n++ {
		if l.count > 0 && n == l.count || l.count == 0 && time.Since(start) >= l.span {
			break
		}
		c.turn(n)
		job.next(c, n)
		began := time.Now()
		var status int
		status, r.err = c.send()
		r.times, r.bytes = append(r.times, time.Since(began)), len(c.body)
		if status >= http.StatusBadRequest {
			r.refused++
		}
		if status >= http.StatusInternalServerError {
			r.err = fmt.Errorf("status %d: %.300s", status, c.body)
		}
	}
	if r.err == nil {
		r.err = ctx.Err()
	}
	return r
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

// race lets servers do a job in turn, round by round, so that what else the machine
// does meets them alike. The bare one answers as many bytes as the one before it.
func race(ctx context.Context, servers []*benchServer, job benchJob, l load, rounds int) (map[string][]sample, error) {
	out := map[string][]sample{}
	for range rounds {
		bytes := 0
		for _, s := range servers {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			its := job
			if s.bare {
				its = floorJob(bytes)
			}
			one, err := s.drive(ctx, its, l)
			if err != nil {
				return nil, err
			}
			bytes = one.bytes
			out[s.name] = append(out[s.name], one)
		}
	}
	return out, nil
}

// times is how often b's speed a has: the median of the rounds' ratios.
func times(a, b []sample) float64 {
	ratios := make([]float64, min(len(a), len(b)))
	for i := range ratios {
		ratios[i] = a[i].perSecond / b[i].perSecond
	}
	return median(ratios)
}

func median(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(list))
	return sorted[len(sorted)/2]
}

// middle is the median of a figure of samples.
func middle(list []sample, figure func(sample) float64) float64 {
	values := make([]float64, len(list))
	for i := range list {
		values[i] = figure(list[i])
	}
	return median(values)
}
