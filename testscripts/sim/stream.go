package sim

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"worlds/twin/world"
)

// stream is a reader of a live stream. It changes nothing and stands at no point; it
// runs beside the scheduler.
type stream struct {
	name, what string
	world      *world.World
	cancel     context.CancelFunc
	ended      chan struct{}

	mu    sync.Mutex
	grown chan struct{} // closed when text grows
	text  strings.Builder
	head  http.Header
}

// Header implements http.ResponseWriter.
func (s *stream) Header() http.Header { return s.head }

// WriteHeader implements http.ResponseWriter.
func (s *stream) WriteHeader(int) {}

// Write implements http.ResponseWriter.
func (s *stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.grown)
	s.grown = make(chan struct{})
	return s.text.Write(p)
}

// Flush implements http.Flusher.
func (s *stream) Flush() {}

func orderStream(p *play, _ *testscript.TestScript, args []string) error {
	if len(args) != 2 || args[1] != "events" && args[1] != "journal" {
		return usage("stream NAME events|journal")
	}
	if p.streams[args[0]] != nil || p.rig.World() == nil {
		return fmt.Errorf("there is a stream %s already, or no world", args[0])
	}
	c := p.rig.Operator("GET", "/stream/"+args[1], "")
	ctx, cancel := context.WithCancel(context.Background())
	req, err := http.NewRequestWithContext(ctx, c.Method, p.rig.Server().URL+c.Path, http.NoBody)
	if err != nil {
		cancel()
		return err
	}
	req.Header, req.RequestURI = c.Header, c.Path
	s := &stream{name: args[0], what: args[1], world: p.rig.World(), cancel: cancel, ended: make(chan struct{}), grown: make(chan struct{}), head: http.Header{}}
	p.streams[s.name] = s
	handler := p.rig.Server().Handler
	go func() {
		defer close(s.ended)
		handler.ServeHTTP(s, req)
	}()
	return nil
}

// streamWait is how long a reader may take to come to what has happened.
const streamWait = 5 * time.Second

// orderStreamed prints the events of a stream once it has come to the present.
func orderStreamed(p *play, ts *testscript.TestScript, args []string) error {
	if len(args) != 1 || p.streams[args[0]] == nil {
		return usage("streamed NAME, of a stream that was begun")
	}
	s := p.streams[args[0]]
	v, err := s.world.View(p.script.context())
	if err != nil {
		return err
	}
	last := uint64(v.Seq)
	if s.what == "events" {
		last = v.State.Events()
	}
	want := fmt.Sprintf("id: %d-%d\n", uint64(v.Inc), last)
	over := bound(streamWait)
	defer over.Stop()
	for {
		s.mu.Lock()
		text, grown := s.text.String(), s.grown
		s.mu.Unlock()
		if last == 0 || strings.Contains(text, want) {
			fmt.Fprint(ts.Stdout(), streamedLines(text))
			return nil
		}
		select {
		case <-grown:
		case <-s.ended:
			return fmt.Errorf("the stream %s has ended before %s", s.name, strings.TrimSpace(want))
		case <-over.C:
			return fmt.Errorf("the stream %s has not come to %s", s.name, strings.TrimSpace(want))
		}
	}
}

// streamedLines shows what came on a stream, one event a line: id and name.
func streamedLines(text string) string {
	var out strings.Builder
	for chunk := range strings.SplitSeq(text, "\n\n") {
		id, name := "", ""
		for line := range strings.Lines(chunk) {
			line = strings.TrimSpace(line)
			if v, ok := strings.CutPrefix(line, "id: "); ok {
				id = v
			}
			if v, ok := strings.CutPrefix(line, "event: "); ok {
				name = v
			}
		}
		if name != "" {
			fmt.Fprintf(&out, "%s %s\n", id, name)
		}
	}
	return out.String()
}

// closeStreams aborts the readers that are left, and says so.
func (p *play) closeStreams() {
	for _, s := range p.streams {
		s.cancel()
		select {
		case <-s.ended:
		case <-bound(streamWait).C:
			p.problem("the stream %s did not end when its reader went", s.name)
		}
	}
	if n := len(p.streams); n > 0 {
		p.warn("%d readers of streams were open at the end", n)
	}
}
