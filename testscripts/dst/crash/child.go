package crash

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"

	"context"

	"worlds/journal/store"
	"worlds/testscripts"
	"worlds/twin/world"
)

// childVar tells a process that it is a server to be killed, and on which folder.
const childVar = "WORLDS_CRASH_CHILD"

// rootToken opens everything on a child, which is on loopback for one run.
const rootToken = "crash-root-token"

// childConfig is the value of childVar, as JSON.
type childConfig struct {
	Dir        string
	Durability store.Durability
}

// segmentBytes makes segments small, so that they are often made.
const segmentBytes = 64 << 10

// Child returns at once in a process that Run did not start. In one that it did it
// serves until it is killed or its standard input ends, and exits.
func Child() {
	text := os.Getenv(childVar)
	if text == "" {
		return
	}
	if err := serve(text, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// fuse kills the process when a point is passed for the n-th time after it was armed.
type fuse struct {
	mu    sync.Mutex
	point string
	left  int
}

func (f *fuse) arm(point string, count int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.point, f.left = point, count
}

func (f *fuse) pass(point string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.point != point {
		return
	}
	if f.left--; f.left == 0 {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // nothing more happens here, the lock is never given back
	}
}

// Write lets a backup pass its point.
func (f *fuse) Write(b []byte) (int, error) {
	f.pass(pointBackup)
	return len(b), nil
}

// serve is a child: it says its URL, then takes orders, one a line: "arm POINT
// COUNT", "compact", "backup". Each is answered by a line.
func serve(text string, orders io.Reader, out io.Writer) error {
	var c childConfig
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return err
	}
	f := &fuse{}
	s, err := testscripts.StartServer(testscripts.ServerOptions{
		Dir: c.Dir, Durability: c.Durability, RootToken: rootToken, SegmentBytes: segmentBytes,
		Hook: func(_ context.Context, at *world.Passing) error {
			f.pass(string(at.Point))
			return nil
		},
		StoreHook: func(p store.Point) error {
			f.pass(string(p))
			return nil
		},
	})
	if err != nil {
		return err
	}
	fmt.Fprintln(out, s.URL)
	lines := bufio.NewScanner(orders)
	for lines.Scan() {
		err := error(nil)
		words := strings.Fields(lines.Text())
		switch words[0] {
		case "arm":
			count := 0
			if _, err = fmt.Sscan(words[2], &count); err == nil {
				f.arm(words[1], count)
			}
		case "compact":
			err = s.Compact()
		case "backup":
			err = s.Host.Backup(f)
		}
		fmt.Fprintln(out, "done", err)
	}
	return s.Stop()
}
