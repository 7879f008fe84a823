package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"worlds/admin"
)

// benchServer is one of the servers that are measured: this program as another
// process, the bare handler, or a server of somebody else's.
type benchServer struct {
	name   string
	addr   string
	pid    int // 0 if it is not known: its processor time and memory are not, either
	own    bool
	bare   bool
	child  *exec.Cmd
	worlds []benchWorld
	rounds int // driven so far: idempotency keys differ between them
}

// benchWorld is a world as its clients know it; a server of somebody else's has
// keys and customers alone.
type benchWorld struct {
	id, key, token string
	customer       string // one that is there
}

// benchSeed is what the worlds of a bench begin with.
const benchSeed = "saas-billing-small"

// launch starts this program anew with the arguments and waits until it says, in
// JSON, where it serves.
func launch(args ...string) (*benchServer, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	child := exec.Command(program, args...)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := child.Start(); err != nil {
		return nil, err
	}
	var ready readiness
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &ready)
	}
	s := &benchServer{child: child, pid: child.Process.Pid, addr: strings.TrimPrefix(ready.URL, "http://")}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("worlds %s: %w", strings.Join(args, " "), err), s.stop())
	}
	return s, nil
}

// serveOwn starts a server on a folder.
func serveOwn(name, dir, durability string, more ...string) (*benchServer, error) {
	s, err := launch(append([]string{"serve", "--json", "--data", dir, "--listen", "127.0.0.1:0", "--durability", durability, "--forks-max", "1000000"}, more...)...)
	if err == nil {
		s.name, s.own = name, true
	}
	return s, err
}

// serveBare starts the bare handler.
func serveBare() (*benchServer, error) {
	s, err := launch("bench", "--serve-floor")
	if err == nil {
		s.name, s.bare = "floor", true
		s.worlds = []benchWorld{{}}
	}
	return s, err
}

// stop ends a server that was started here.
func (s *benchServer) stop() error {
	if s == nil || s.child == nil {
		return nil
	}
	_ = s.child.Process.Signal(syscall.SIGTERM)
	return s.child.Wait()
}

// peer is a server of somebody else's, as --beside names it: NAME=URL, or
// NAME=URL#PID.
func peer(text string) (*benchServer, error) {
	name, address, _ := strings.Cut(text, "=")
	u, err := url.Parse(address)
	if err != nil || name == "" || u.Scheme != "http" || u.Host == "" || u.Path != "" {
		return nil, usage("--beside %q: want NAME=http://HOST:PORT or NAME=http://HOST:PORT#PID", text)
	}
	s := &benchServer{name: name, addr: u.Host}
	if u.Fragment != "" {
		if s.pid, err = strconv.Atoi(u.Fragment); err != nil {
			return nil, usage("--beside %q: %q is no process", text, u.Fragment)
		}
	}
	return s, nil
}

// raise sees that the server has n worlds, and makes some customers in each new one.
func (s *benchServer) raise(n, customers int) error {
	c, err := dialBench(s.addr, 0, nil)
	if err != nil {
		return err
	}
	defer c.close()
	for len(s.worlds) < n && !s.bare {
		w := benchWorld{key: "sk_test_bench" + strconv.Itoa(len(s.worlds))}
		if s.own {
			if w, err = c.newWorld(); err != nil {
				return err
			}
		}
		s.worlds = append(s.worlds, w)
		if err := c.people(&s.worlds[len(s.worlds)-1], customers); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

// benchPage is how many customers a list asks for.
const benchPage = 10

// newWorld makes a world.
func (c *benchClient) newWorld() (benchWorld, error) {
	if err := c.operate("POST", "/admin/worlds", "", `{"seed":"`+benchSeed+`"}`); err != nil {
		return benchWorld{}, err
	}
	return c.madeWorld()
}

// madeWorld is the world that was just answered.
func (c *benchClient) madeWorld() (benchWorld, error) {
	var made admin.CreatedWorld
	if err := json.Unmarshal(c.body, &made); err != nil {
		return benchWorld{}, err
	}
	return benchWorld{id: made.ID, key: made.Keys[0].Secret, token: made.AdminToken}, nil
}

// people makes customers in a world.
func (c *benchClient) people(w *benchWorld, n int) error {
	c.world = w
	for i := range n {
		c.post("/v1/customers", customerForm(i))
		status, err := c.send()
		var made struct{ ID string }
		if err == nil && status == http.StatusOK {
			err = json.Unmarshal(c.body, &made)
		}
		if err != nil || made.ID == "" {
			return fmt.Errorf("a customer: status %d: %.300s: %w", status, c.body, err)
		}
		w.customer = made.ID
	}
	return nil
}

// serveFloor serves the bare handler until the context ends.
func serveFloor(ctx context.Context, t *terminal) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if err := t.json(&readiness{URL: baseURL("http", l)}); err != nil {
		return err
	}
	return serveHTTP(ctx, l, http.HandlerFunc(bare), func() {})
}

// bare answers as many bytes as its query says, and does nothing else: what
// net/http itself costs.
func bare(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.URL.RawQuery)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	h := w.Header()
	h["Content-Type"] = []string{"application/json"}
	h["Content-Length"] = []string{r.URL.RawQuery}
	_, _ = w.Write(zeros[:min(n, len(zeros))])
}

// zeros are what the bare handler answers.
var zeros [1 << 20]byte

// burden is what a server has used of the machine so far.
type burden struct {
	cpu      time.Duration
	mallocs  float64
	resident int64 // bytes
}

// ticksPerSecond is the unit of processor times under /proc.
const ticksPerSecond = 100

// burden reads what a server has used, zeros where that cannot be known.
func (s *benchServer) burden() (b burden) {
	if s.pid == 0 {
		return b
	}
	folder := filepath.Join("/proc", strconv.Itoa(s.pid))
	if stat, err := os.ReadFile(filepath.Join(folder, "stat")); err == nil {
		_, rest, _ := strings.Cut(string(stat), ") ")
		if f := strings.Fields(rest); len(f) > 12 {
			user, _ := strconv.Atoi(f[11])
			system, _ := strconv.Atoi(f[12])
			b.cpu = time.Duration(user+system) * time.Second / ticksPerSecond
		}
	}
	if statm, err := os.ReadFile(filepath.Join(folder, "statm")); err == nil {
		if f := strings.Fields(string(statm)); len(f) > 1 {
			pages, _ := strconv.ParseInt(f[1], 10, 64)
			b.resident = pages * int64(os.Getpagesize())
		}
	}
	if s.own {
		b.mallocs = s.mallocs()
	}
	return b
}

// mallocs is how often a server of ours has allocated.
func (s *benchServer) mallocs() float64 {
	c, err := dialBench(s.addr, 0, nil)
	if err != nil {
		return 0
	}
	defer c.close()
	if c.operate("GET", "/metrics", "", "") != nil {
		return 0
	}
	for line := range strings.Lines(string(c.body)) {
		if value, ok := strings.CutPrefix(line, "go_memstats_mallocs_total "); ok {
			n, _ := strconv.ParseFloat(strings.TrimSpace(value), 64)
			return n
		}
	}
	return 0
}

// answers gets the first answer of a server.
func (s *benchServer) answers() error {
	c, err := dialBench(s.addr, 0, nil)
	if err != nil {
		return err
	}
	defer c.close()
	return c.operate("GET", "/readyz", "", "")
}
