package world

import (
	"context"
	"errors"
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
	late   chan struct{} // closed when a reset has waited its time: what runs on gives up
	life   uint64        // changes under the world's lock
}

// admit lets one operation in and returns the life it belongs to; or, while a reset
// is under way, what is closed at its end.
func (g *gate) admit() (life uint64, shut <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shut != nil {
		return 0, g.shut
	}
	g.inside++
	return g.life, nil
}

// enter admits one operation and returns the life it belongs to. It waits while a
// reset is under way.
func (w *World) enter(ctx context.Context) (uint64, error) {
	for {
		life, shut := w.gate.admit()
		if shut == nil {
			return life, nil
		}
		switch err := w.Pass(ctx, Passing{Point: Waiting, For: ForReset}); {
		case errors.Is(err, ErrAgain):
			continue
		case err != nil:
			return 0, err
		}
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

// close shuts the gate. It returns false if another reset has it.
func (g *gate) close() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shut != nil {
		return false
	}
	g.shut = make(chan struct{})
	return true
}

// empty returns nil when nobody is inside, and otherwise what is closed once nobody
// is.
func (g *gate) empty() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.inside == 0 {
		return nil
	}
	if g.idle == nil {
		g.idle = make(chan struct{})
	}
	return g.idle
}

// giveUp says that a reset has waited its time.
func (g *gate) giveUp() { close(g.lateness()) }

// lateness is closed when a reset has waited its time for what is inside.
func (g *gate) lateness() chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.late == nil {
		g.late = make(chan struct{})
	}
	return g.late
}

// clear waits until nobody is inside the shut gate, at most the Host's bound.
func (w *World) clear(ctx context.Context) {
	for {
		idle := w.gate.empty()
		if idle == nil {
			return
		}
		switch err := w.Pass(ctx, Passing{Point: Waiting, For: ForFlight}); {
		case errors.Is(err, ErrAgain):
			continue
		case err != nil:
			w.gate.giveUp()
			return
		}
		timer := time.NewTimer(w.host.resetWait)
		defer timer.Stop()
		select {
		case <-idle:
		case <-timer.C:
			w.gate.giveUp()
		}
		return
	}
}

// overdue reports that a reset has waited long enough for what is inside.
func (g *gate) overdue() bool {
	select {
	case <-g.lateness():
		return true
	default:
		return false
	}
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
	g.idle, g.late = nil, nil
	close(g.shut)
	g.shut = nil
}

// current reports whether an operation admitted in life may still run.
func (g *gate) current(life uint64) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.life == life
}
