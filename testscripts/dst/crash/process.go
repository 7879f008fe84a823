package crash

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"worlds/journal/store"
)

// Process is one server in a process of its own.
type Process struct {
	URL    string
	cmd    *exec.Cmd
	orders io.WriteCloser
	lines  *bufio.Reader
	stderr bytes.Buffer
	dead   chan struct{} // closed once it is
}

// Start starts this program again as a server on dir, and returns once it serves.
func Start(dir string, level store.Durability) (*Process, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(childConfig{Dir: dir, Durability: level})
	if err != nil {
		return nil, err
	}
	p := &Process{cmd: exec.Command(exe), dead: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), childVar+"="+string(text))
	p.cmd.Stderr = &p.stderr
	if p.orders, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	p.lines = bufio.NewReader(out)
	line, err := p.lines.ReadString('\n')
	if err != nil {
		_ = p.cmd.Wait()
		return nil, fmt.Errorf("the server did not start: %s", p.stderr.String())
	}
	p.URL = strings.TrimSpace(line)
	return p, nil
}

// errDied: the server was killed while it did something.
var errDied = errors.New("the server is dead")

// order has something done and waits for it.
func (p *Process) order(words ...any) error {
	if _, err := fmt.Fprintln(p.orders, words...); err != nil {
		return errDied
	}
	line, err := p.lines.ReadString('\n')
	if err != nil {
		return errDied
	}
	if line = strings.TrimSpace(line); line != "done <nil>" {
		return fmt.Errorf("%v: %s", words, line)
	}
	return nil
}

// watch closes dead once the server has ended; nothing is ordered any more.
func (p *Process) watch() {
	_, _ = io.Copy(io.Discard, p.lines) // until it ends
	_ = p.cmd.Wait()
	close(p.dead)
}

// kill ends the server if it lives still, and reports whether it did.
func (p *Process) kill(after time.Duration) (lived bool) {
	select {
	case <-p.dead:
	case <-time.After(after): //worlds:boundary a server that lives on is waited for
		lived = true
		_ = p.cmd.Process.Kill()
		<-p.dead
	}
	return lived
}

// killed reports whether the server ended by SIGKILL.
func (p *Process) killed() bool {
	status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// KillAt has the server killed when it passes a point (see Place) for the count-th
// time from now on, and returns once it is dead. When ctx ends first it is killed
// then.
func (p *Process) KillAt(ctx context.Context, point string, count int) error {
	if err := p.order("arm", point, count); err != nil {
		return err
	}
	go p.watch()
	select {
	case <-p.dead:
	case <-ctx.Done():
		p.kill(0)
	}
	return nil
}

// Kill kills the server now.
func (p *Process) Kill() {
	go p.watch()
	p.kill(0)
}
