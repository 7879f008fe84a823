package store_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"worlds/journal"
	"worlds/journal/store"
)

// The test binary runs itself as a process that is killed in the middle of its
// work. These say to the child what to do.
const (
	childDir   = "STORE_CHILD_DIR"
	childLevel = "STORE_CHILD_LEVEL"
	childPoint = "STORE_CHILD_POINT" // kill at this point,
	childCount = "STORE_CHILD_COUNT" // when it is passed the n-th time
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		if err := child(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const (
	childWorlds  = 4
	childEntries = 50              // between resets of a world
	childTime    = 2 * time.Minute // a busy machine takes its time; whoever hangs is told of in the end
)

// child works until it is killed: each world appends, now and then lazily, and
// is reset or dropped and made again; shelving and compacting go on beside.
// Each acknowledgement is a line on standard output.
func child(dir string) error {
	opt := store.Options{SegmentBytes: 64 << 10}
	if os.Getenv(childLevel) == "relaxed" {
		opt.Durability = store.Relaxed
	}
	var count int64
	fmt.Sscan(os.Getenv(childCount), &count)
	var left atomic.Int64
	left.Store(count)
	point := store.Point(os.Getenv(childPoint))
	opt.Hook = func(p store.Point) error {
		if p == point && left.Add(-1) == 0 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
		return nil
	}
	s, err := store.Open(dir, opt)
	if err != nil {
		return err
	}
	c := &client{s: s}
	var wg sync.WaitGroup
	errs := make(chan error, childWorlds+1)
	for i := range childWorlds {
		wg.Go(func() { errs <- c.live(i) })
	}
	go func() {
		for {
			time.Sleep(20 * time.Millisecond)
			if err := s.Compact(); err != nil {
				errs <- err
			}
		}
	}()
	select {
	case err := <-errs:
		return err
	case <-time.After(childTime):
		return errors.New("was not killed")
	}
}

// client is the work of a child.
type client struct {
	s      *store.Store
	server sync.Mutex // orders the entries of world 0
}

func (c *client) control(op store.ControlOp, w store.World, inc store.Incarnation) error {
	fmt.Printf("try 0 0 0 %s %d %d\n", op, w, inc)
	c.server.Lock()
	h, _ := c.s.Head(0)
	r := record(0, h, 50)
	r.Entry.Side = []byte(fmt.Sprintf("%s %d ", op, w))
	r.Control = &store.Control{Op: op, World: w, Inc: inc}
	t, err := c.s.Append(r)
	c.server.Unlock()
	if err == nil {
		err = t.Wait()
	}
	if err == nil {
		fmt.Printf("ack 0 0 %d %s %d %d\n", r.Entry.Seq, op, w, inc)
	}
	return err
}

// live works on the worlds with numbers i+1 modulo childWorlds.
func (c *client) live(i int) error {
	w := store.World(i + 1)
	for c.known(w + childWorlds) {
		w += childWorlds
	}
	if _, ok := c.s.Head(w); !ok {
		for c.wasUsed(w) {
			w += childWorlds
		}
		if err := c.control(store.Create, w, 1); err != nil {
			return err
		}
	}
	for n := 1; ; n++ {
		h, _ := c.s.Head(w)
		switch {
		case n%(childEntries*6) == 0 && i%2 == 0:
			if err := c.control(store.Drop, w, 0); err != nil {
				return err
			}
			w += childWorlds
			if err := c.control(store.Create, w, 1); err != nil {
				return err
			}
		case n%childEntries == 0:
			if err := c.control(store.Reset, w, h.Inc+1); err != nil {
				return err
			}
		default:
			size := n * 37 % 2500
			if n%11 == 3 {
				size = 300 << 10 // written ahead
			}
			r := record(w, h, size)
			r.Lazy = n%5 == 0
			t, err := c.s.Append(r)
			if err == nil {
				err = t.Wait()
			}
			if err != nil {
				return err
			}
			if !r.Lazy {
				fmt.Printf("ack %d %d %d\n", w, h.Inc, r.Entry.Seq)
			}
		}
	}
}

func (c *client) known(w store.World) bool {
	for _, there := range c.s.Worlds() {
		if there >= w && (there-w)%childWorlds == 0 {
			return true
		}
	}
	return false
}

// wasUsed reads world 0 for a create of w: numbers are not used twice.
func (c *client) wasUsed(w store.World) bool {
	used := false
	_ = c.s.Scan(0, 0, 1, 0, func(e *journal.Entry) error {
		used = used || strings.Contains(string(e.Side), fmt.Sprintf("create %d ", w))
		return nil
	})
	return used
}

func record(w store.World, h store.Head, n int) store.Record {
	body := frame(h.Seq+1, n)
	return store.Record{World: w, Inc: h.Inc, Entry: journal.Entry{
		Seq: h.Seq + 1, Prev: h.Hash, Hash: journal.Link(h.Hash, h.Seq+1, body), Body: body,
	}}
}

// killed is what a child has said before its end.
type killed struct {
	heads map[store.World]store.Head // acknowledged; without hashes
	gone  map[store.World]bool       // dropped, acknowledged
	tried map[store.World]bool       // dropped or made, not acknowledged
}

// runChild runs a child until it is killed at the count-th passing of point,
// or after the delay if point is "".
func runChild(t *testing.T, dir, level string, point store.Point, count int, delay time.Duration, k *killed) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), childDir+"="+dir, childLevel+"="+level,
		childPoint+"="+string(point), fmt.Sprintf("%s=%d", childCount, count))
	var errOut strings.Builder
	cmd.Stderr = &errOut
	out := &lines{}
	cmd.Stdout = out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if point == "" {
		time.Sleep(delay)
		_ = cmd.Process.Kill()
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("child at %s: %v %s", point, err, errOut.String())
	}
	for _, line := range strings.Split(out.String(), "\n") {
		k.note(line)
	}
}

type lines struct {
	mu sync.Mutex
	strings.Builder
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Builder.Write(b)
}

func (k *killed) note(line string) {
	var what, op string
	var w, target store.World
	var inc, targetInc store.Incarnation
	var seq journal.Seq
	n, _ := fmt.Sscan(line, &what, &w, &inc, &seq, &op, &target, &targetInc)
	if n == 7 && what == "try" {
		k.tried[target] = true
	}
	if what != "ack" || n != 4 && n != 7 {
		return
	}
	if h := k.heads[w]; inc > h.Inc || seq > h.Seq { // acknowledgements may overtake
		k.heads[w] = store.Head{Inc: inc, Seq: seq}
	}
	if n == 7 {
		delete(k.tried, target)
		switch op {
		case "drop":
			k.gone[target] = true
			delete(k.heads, target)
		default:
			k.heads[target] = store.Head{Inc: targetInc}
		}
	}
}
