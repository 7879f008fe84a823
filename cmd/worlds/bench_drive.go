package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"worlds/admin"
)

// benchJob is one kind of request, or a round of several. next writes the text of
// the n-th request of a client.
type benchJob struct {
	name string
	next func(c *benchClient, n int) string
}

// benchJobs are the jobs, in the order of the table.
func benchJobs() []benchJob {
	return []benchJob{
		{"create", func(c *benchClient, n int) string {
			return c.post("/v1/customers", "email=bench"+strconv.Itoa(n)+"%40bench.example&name=Bench&metadata[n]="+strconv.Itoa(n))
		}},
		{"retrieve", func(c *benchClient, _ int) string { return c.get("/v1/customers/cus_seed0001") }},
		{"list 10", func(c *benchClient, _ int) string { return c.get("/v1/customers?limit=10") }},
		{"refund", func(c *benchClient, n int) string {
			// A charge bears so many refunds of a cent; then the next.
			charge := benchCharges[n/benchRefunds%len(benchCharges)]
			return c.post("/v1/refunds", "amount=1&charge="+charge)
		}},
		{"search", func(c *benchClient, _ int) string {
			return c.get("/v1/customers/search?query=email%3A%27dana%40doublepay.example%27")
		}},
		{"support job", func(c *benchClient, n int) string {
			switch n % 5 {
			case 0:
				return c.get("/v1/customers?email=dana%40doublepay.example")
			case 1:
				return c.get("/v1/invoices?customer=cus_seed0001")
			case 2:
				return c.get("/v1/invoice_payments?invoice=in_seed0103&expand[]=data.payment.payment_intent")
			case 3:
				return c.post("/v1/customers/cus_seed0001", "metadata[round]="+strconv.Itoa(n))
			}
			return c.get("/v1/charges/ch_seed0104")
		}},
	}
}

// benchCharges can be refunded; a refusal is an answer too, and costs alike.
var benchCharges = [...]string{"ch_seed0104", "ch_seed0103", "ch_seed0101", "ch_seed0102", "ch_seed0201", "ch_seed0202"}

const benchRefunds = 300

// benchClient is one keep-alive connection that works in one world.
type benchClient struct {
	conn    net.Conn
	in      *bufio.Reader
	host    string
	key     string
	number  int
	request int
	body    []byte
	spread  []admin.CreatedWorld // worlds to take turns in, if any
}

func (c *benchClient) get(path string) string {
	return "GET " + path + " HTTP/1.1\r\nHost: " + c.host + "\r\nAuthorization: Bearer " + c.key + "\r\n\r\n"
}

// post has an idempotency key, as every SDK sends one.
func (c *benchClient) post(path, form string) string {
	c.request++
	return "POST " + path + " HTTP/1.1\r\nHost: " + c.host + "\r\nAuthorization: Bearer " + c.key +
		"\r\nContent-Type: application/x-www-form-urlencoded\r\nIdempotency-Key: bench-" + strconv.Itoa(c.number) + "-" +
		strconv.Itoa(c.request) + "\r\nContent-Length: " + strconv.Itoa(len(form)) + "\r\n\r\n" + form
}

func dialBench(addr, key string, number int) (*benchClient, error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	return &benchClient{conn: conn, in: bufio.NewReaderSize(conn, 64<<10), host: addr, key: key, number: number}, nil
}

// do sends one request and reads its answer: status and length.
func (c *benchClient) do(request string) (status, length int, err error) {
	if _, err := io.WriteString(c.conn, request); err != nil {
		return 0, 0, err
	}
	for {
		line, err := c.in.ReadString('\n')
		if err != nil {
			return 0, 0, err
		}
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, "HTTP/1.1 "):
			if status, err = strconv.Atoi(line[9:12]); err != nil {
				return 0, 0, err
			}
		case strings.HasPrefix(line, "Content-Length: "):
			if length, err = strconv.Atoi(line[16:]); err != nil {
				return 0, 0, err
			}
		case line == "":
			c.body = slices.Grow(c.body[:0], length)[:length]
			_, err := io.ReadFull(c.in, c.body)
			return status, length, err
		}
	}
}

// sample is what one round of one job came to.
type sample struct {
	perSecond, p50, p99 float64 // micros
	cpu, allocs         float64 // a request
	bytes               int     // of the last answer
}

// drive lets clients do a job for a while, each in a world of its own as far as
// there are enough.
func (s *benchServer) drive(ctx context.Context, job benchJob, clients int, span time.Duration) (sample, error) {
	s.rounds++
	list := make([]*benchClient, clients)
	for i := range list {
		c, err := dialBench(s.addr, s.worlds[i%len(s.worlds)].Keys[0].Secret, s.rounds*1000+i)
		if err != nil {
			return sample{}, err
		}
		defer func() { _ = c.conn.Close() }()
		c.spread = s.worlds
		list[i] = c
	}
	return measureClients(ctx, list, job.next, span)
}

// driveFloor does the same against the bare handler.
func (s *benchServer) driveFloor(ctx context.Context, bytes, clients int, span time.Duration) (sample, error) {
	list := make([]*benchClient, clients)
	for i := range list {
		c, err := dialBench(s.floor, "none", i)
		if err != nil {
			return sample{}, err
		}
		defer func() { _ = c.conn.Close() }()
		list[i] = c
	}
	return measureClients(ctx, list, func(c *benchClient, _ int) string { return c.get("/?" + strconv.Itoa(bytes)) }, span)
}

// measureClients runs clients side by side for a while.
func measureClients(ctx context.Context, list []*benchClient, next func(*benchClient, int) string, span time.Duration) (sample, error) {
	type result struct {
		times []time.Duration
		bytes int
		err   error
	}
	results := make(chan result, len(list))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cpu, start := cpuTime(), time.Now()
	for _, c := range list {
		go func() {
			var r result
			for n := 0; r.err == nil && time.Since(start) < span && ctx.Err() == nil; n++ {
				c.turn(n)
				began := time.Now()
				var status int
				status, r.bytes, r.err = c.do(next(c, n))
				r.times = append(r.times, time.Since(began))
				if status >= http.StatusInternalServerError {
					r.err = fmt.Errorf("status %d: %.300s", status, c.body)
				}
			}
			results <- r
		}()
	}
	var out sample
	var times []time.Duration
	var errs []error
	for range list {
		r := <-results
		times, errs = append(times, r.times...), append(errs, r.err)
		out.bytes = r.bytes
	}
	took, used := time.Since(start), cpuTime()-cpu
	runtime.ReadMemStats(&after)
	if err := errors.Join(errs...); err != nil || len(times) == 0 {
		return out, err
	}
	slices.Sort(times)
	n := float64(len(times))
	out.perSecond = n / took.Seconds()
	out.p50 = float64(times[len(times)/2].Nanoseconds()) / 1000
	out.p99 = float64(times[len(times)*99/100].Nanoseconds()) / 1000
	out.cpu = float64(used.Microseconds()) / n
	out.allocs = float64(after.Mallocs-before.Mallocs) / n
	return out, nil
}

// turn moves a client on to the next of its worlds, so that many worlds are worked
// in by few connections.
func (c *benchClient) turn(n int) {
	if len(c.spread) > 0 {
		c.key = c.spread[(c.number+n)%len(c.spread)].Keys[0].Secret
	}
}

// cpuTime is what this process has used of the processors.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// script is what every world of a check goes through.
func (s *benchServer) script(i int) error {
	c, err := dialBench(s.addr, s.worlds[i].Keys[0].Secret, i)
	if err != nil {
		return err
	}
	defer func() { _ = c.conn.Close() }()
	for n := range benchScriptSteps {
		for _, job := range benchJobs() {
			status, _, err := c.do(job.next(c, n))
			if err != nil || status >= http.StatusInternalServerError {
				return fmt.Errorf("%s: status %d: %w", job.name, status, err)
			}
		}
	}
	return nil
}

// benchScriptSteps is how often a check goes through the jobs.
const benchScriptSteps = 10

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

func each(list []sample, value func(sample) float64) []float64 {
	out := make([]float64, len(list))
	for i := range list {
		out[i] = value(list[i])
	}
	return out
}
