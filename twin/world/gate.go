package world

import (
	"context"
	"sync"
	"time"
)

// gate counts the operations in flight and lets a reset wait for them while new
// ones wait for the reset.
type gate struct {
	mu     sync.Mutex
	inside int
	shut   chan struct{} // nil when open; closed by reopen
	idle   chan struct{} // nil unless someone waits for inside == 0
	late   bool          // a reset has waited its time: what runs on gives up
	life   uint64        // changes under the world's lock
}

// enter admits one operation and returns the life it belongs to. It waits while a
// reset is under way.
func (g *gate) enter(ctx context.Context) (uint64, error) {
	for {
		g.mu.Lock()
		if g.shut == nil {
			g.inside++
			life := g.life
			g.mu.Unlock()
			return life, nil
		}
		shut := g.shut
		g.mu.Unlock()
		select {
		case <-shut:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inside--
	if g.inside == 0 && g.idle != nil {
		close(g.idle)
		g.idle = nil
	}
}

// close shuts the gate and waits until nobody is inside, at most bound. It
// returns false if another reset has it.
func (g *gate) close(bound time.Duration) bool {
	g.mu.Lock()
	if g.shut != nil {
		g.mu.Unlock()
		return false
	}
	g.shut = make(chan struct{})
	if g.inside == 0 {
		g.mu.Unlock()
		return true
	}
	idle := make(chan struct{})
	g.idle = idle
	g.mu.Unlock()
	timer := time.NewTimer(bound)
	defer timer.Stop()
	select {
	case <-idle:
	case <-timer.C:
		g.mu.Lock()
		g.late = true
		g.mu.Unlock()
	}
	return true
}

// overdue reports that a reset has waited long enough for what is inside.
func (g *gate) overdue() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.late
}

// turn begins another life: what was admitted before belongs to an earlier one.
func (g *gate) turn() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.life++
}

// reopen lets operations in again.
func (g *gate) reopen() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.idle, g.late = nil, false
	close(g.shut)
	g.shut = nil
}

// current reports whether an operation admitted in life may still run.
func (g *gate) current(life uint64) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.life == life
}
