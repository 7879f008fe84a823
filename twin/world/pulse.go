package world

import "sync"

// pulse tells whoever waits that the world has a new durable entry or a new life.
type pulse struct {
	mu   sync.Mutex
	next chan struct{}
}

// after returns a channel that is closed at the next beat.
func (p *pulse) after() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.next == nil {
		p.next = make(chan struct{})
	}
	return p.next
}

func (p *pulse) beat() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.next != nil {
		close(p.next)
		p.next = nil
	}
}

// Changed returns a channel that is closed when the world has a new durable entry
// or a new life. Take it before looking, so that nothing is missed in between.
func (w *World) Changed() <-chan struct{} { return w.pulse.after() }
