package crash

import (
	"bufio"
	"bytes"
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

// process is one server.
type process struct {
	url    string
	cmd    *exec.Cmd
	orders io.WriteCloser
	lines  *bufio.Reader
	stderr bytes.Buffer
	dead   chan struct{} // closed once it is
}

// start starts this program again as a server on dir.
func start(exe, dir string, level store.Durability) (*process, error) {
	text, err := json.Marshal(childConfig{Dir: dir, Durability: level})
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.Command(exe), dead: make(chan struct{})}
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
	p.url = strings.TrimSpace(line)
	return p, nil
}

// errDied: the server was killed while it did something.
var errDied = errors.New("the server is dead")

// order has something done and waits for it.
func (p *process) order(words ...any) error {
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
func (p *process) watch() {
	_, _ = io.Copy(io.Discard, p.lines) // until it ends
	_ = p.cmd.Wait()
	close(p.dead)
}

// kill ends the server if it lives still, and reports whether it did.
func (p *process) kill(after time.Duration) (lived bool) {
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
func (p *process) killed() bool {
	status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}
