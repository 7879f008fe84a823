package dst

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// network takes the place of the wire between the server and the listeners.
type network struct {
	mu   sync.Mutex
	post *post // of the present run
}

// RoundTrip hands one attempt to the listeners of the present run.
func (n *network) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	n.mu.Lock()
	p := n.post
	n.mu.Unlock()
	if p == nil {
		return nil, syscall.ECONNREFUSED
	}
	return p.take(r, body)
}

func (n *network) use(p *post) {
	n.mu.Lock()
	n.post = p
	n.mu.Unlock()
}

// post is the listeners of a run. How an attempt ends is a function of the run's
// seed, the event, the endpoint and the number of the attempt, so that it does not
// matter in which order endpoints are served.
type post struct {
	seed uint64
	luck swarm

	mu     sync.Mutex
	down   map[string]int // by box: rounds until it is up again
	healed bool
	plan   map[string]string // how attempts end that do not end well, if not as the seed has it
	boxes  map[string]*box   // by mark/name

	attempts, repeats, failures int
	changed                     string // how the last body that changed did
}

// box is what one listener got.
type box struct {
	letters []letter          // one for each attempt
	bodies  map[string]string // by event and API version: the bytes it came with
	tries   map[string]int    // attempts by event
	read    map[string]bool   // events that were acted upon, once each
}

// letter is one attempt as a listener saw it.
type letter struct {
	event  string
	answer string // the status, or why there was none
	seen   bool   // the listener got it, whatever the sender heard
	repeat bool   // the listener had it before
}

// operatorBox is the operator's endpoint; agentBox those that agents make.
const (
	operatorBox = "operator"
	agentBox    = "agent"
)

func newPost(seed uint64, luck swarm) *post {
	return &post{seed: seed, luck: luck, down: map[string]int{}, boxes: map[string]*box{}}
}

// url is where a listener of a space is reached.
func (p *post) url(mark, name string) string { return "http://127.0.0.1:9/" + mark + "/" + name }

// box is a listener's. The caller holds mu.
func (p *post) box(key string) *box {
	b := p.boxes[key]
	if b == nil {
		b = &box{bodies: map[string]string{}, tries: map[string]int{}, read: map[string]bool{}}
		p.boxes[key] = b
	}
	return b
}

// The ways an attempt can end, beside a status.
const (
	endTimeout = "timeout" // the listener acted on it, and its answer came too late
	endReset   = "reset"   // the connection was cut before anything came
	endLost    = "lost"    // the listener acted on it, and its answer was lost
	endRefused = "refused" // nobody listens
	endChanged = "changed" // an event came with other bytes than before
)

// end is how an attempt ends. The caller holds mu.
func (p *post) end(key, event string, attempt int) string {
	if p.healed {
		return "200"
	}
	if p.plan != nil {
		return cmp.Or(p.plan[attemptAt(key, len(p.boxes[key].letters))], "200")
	}
	if p.down[key] > 0 {
		return endRefused
	}
	r := NewRand(hashOf(p.seed, key, event, strconv.Itoa(attempt)))
	if !r.Of(p.luck.Fail) {
		return "200"
	}
	return pick(r, []string{"500", "503", "410", "302", "204", endTimeout, endReset, endLost, endRefused})
}

// attemptAt names the n-th attempt at a listener.
func attemptAt(key string, n int) string { return key + "#" + strconv.Itoa(n+1) }

// failed is a plan in which the attempts that failed fail again, and no others.
func (p *post) failed() map[string]string {
	p.mu.Lock()
	defer p.mu.Unlock()
	plan := map[string]string{}
	for key, b := range p.boxes {
		for n, l := range b.letters {
			if l.answer[0] != '2' && l.answer != endChanged {
				plan[attemptAt(key, n)] = l.answer
			}
		}
	}
	return plan
}

func (p *post) take(r *http.Request, body []byte) (*http.Response, error) {
	key := strings.TrimPrefix(r.URL.Path, "/")
	event := rendered(body, "id")
	p.mu.Lock()
	defer p.mu.Unlock()
	b := p.box(key)
	b.tries[event]++
	l := letter{event: event, answer: p.end(key, event, b.tries[event])}
	l.seen = l.answer != endReset && l.answer != endRefused
	if l.seen {
		l.repeat = b.read[event]
		b.read[event] = true
		shape := event + " " + rendered(body, "api_version")
		if old, ok := b.bodies[shape]; ok && old != string(body) {
			l.answer, p.changed = endChanged, firstDifference(old, string(body))
		}
		b.bodies[shape] = string(body)
	}
	b.letters = append(b.letters, l)
	p.attempts++
	if l.repeat {
		p.repeats++
	}
	if l.answer[0] != '2' {
		p.failures++
	}
	switch l.answer {
	case endTimeout:
		return nil, context.DeadlineExceeded
	case endReset, endLost:
		return nil, syscall.ECONNRESET
	case endRefused:
		return nil, syscall.ECONNREFUSED
	case endChanged:
		return nil, errors.New("the same event came with other bytes")
	}
	status, _ := strconv.Atoi(l.answer)
	return &http.Response{StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(nil)), Request: r}, nil
}

// tally is how many attempts there were, how many of them of something the listener
// had already, and how many failed.
func (p *post) tally() (attempts, repeats, failures int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.attempts, p.repeats, p.failures
}

// round lets one round pass for the listeners that are down.
func (p *post) round() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for key := range p.down {
		if p.down[key]--; p.down[key] <= 0 {
			delete(p.down, key)
		}
	}
}

// fall takes a listener down for some rounds; 0 brings it up.
func (p *post) fall(mark, name string, rounds int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down[mark+"/"+name] = rounds
}

// forget empties the listeners of a space, whose world has begun anew: its events have
// their ids again.
func (p *post) forget(mark string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, name := range []string{operatorBox, agentBox} {
		delete(p.boxes, mark+"/"+name)
	}
}

// heal ends every fault.
func (p *post) heal() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.healed, p.down = true, map[string]int{}
}
