package webhook

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"worlds/projection"
	"worlds/twin"
	"worlds/twin/world"
)

// Deliverer drains the ledgers of a server's worlds.
type Deliverer struct {
	// Queue, if not nil, is told of every world that may have something to deliver,
	// instead of a worker being started: nothing is sent but by Flush and Next, one
	// attempt after the other. It must be set before the Deliverer is used, and must
	// not block.
	Queue func(*world.World)

	sender   *Sender
	catalogs []*twin.Catalog
	log      *slog.Logger
	ctx      context.Context
	stop     context.CancelFunc
	workers  sync.WaitGroup

	// mu guards the maps and the flags in them, nothing else.
	mu      sync.Mutex
	ended   bool
	offices map[*world.World]*office
}

// office is the deliveries of one world.
type office struct {
	looking bool // someone looks for what is due
	again   bool // and must look again
	flush   chan struct{}
	lanes   map[laneKey]*lane
}

// laneKey names an endpoint in one life of a world.
type laneKey struct {
	inc      world.Incarnation
	endpoint string
}

// lane is the way to one endpoint; who holds slot may send.
type lane struct {
	slot    chan struct{}
	running bool // a worker drains it
	again   bool // and must look again before it ends
}

// NewDeliverer returns a Deliverer for worlds with these catalogs. Close ends it.
func NewDeliverer(sender *Sender, catalogs []*twin.Catalog, log *slog.Logger) *Deliverer {
	ctx, stop := context.WithCancel(context.Background())
	return &Deliverer{sender: sender, catalogs: catalogs, log: log, ctx: ctx, stop: stop, offices: map[*world.World]*office{}}
}

// Close cuts what is on its way, takes nothing of it down, and waits for the
// workers.
func (d *Deliverer) Close() {
	d.mu.Lock()
	d.ended = true
	d.mu.Unlock()
	d.stop()
	d.workers.Wait()
}

// office returns the office of a world. The caller holds mu.
func (d *Deliverer) office(w *world.World) *office {
	o := d.offices[w]
	if o == nil {
		o = &office{flush: make(chan struct{}, 1), lanes: map[laneKey]*lane{}}
		d.offices[w] = o
	}
	return o
}

// lane returns the way to an endpoint. The caller holds mu.
func (o *office) lane(key laneKey) *lane {
	l := o.lanes[key]
	if l == nil {
		for other, old := range o.lanes {
			if other.inc < key.inc && !old.running {
				delete(o.lanes, other)
			}
		}
		l = &lane{slot: make(chan struct{}, 1)}
		o.lanes[key] = l
	}
	return l
}

// Wake looks, in the background, for what is due in a world, unless its endpoint
// is delivered to only when told. It never blocks.
func (d *Deliverer) Wake(w *world.World) {
	if !automatic(w) {
		return
	}
	if d.Queue != nil {
		d.Queue(w)
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ended {
		return
	}
	o := d.office(w)
	if o.looking {
		o.again = true
		return
	}
	o.looking = true
	d.workers.Add(1)
	go d.dispatch(w, o)
}

// automatic reports whether a world delivers by itself. It does unless its
// operator says otherwise.
func automatic(w *world.World) bool {
	e := w.Endpoint()
	return e == nil || e.Auto
}

// dispatch starts a worker for each endpoint that something is due for.
func (d *Deliverer) dispatch(w *world.World, o *office) {
	defer d.workers.Done()
	for {
		p, err := d.look(d.ctx, w)
		d.mu.Lock()
		if errors.Is(err, world.ErrGone) {
			delete(d.offices, w)
		}
		if err == nil {
			for _, endpoint := range p.endpoints(false) {
				l := o.lane(laneKey{p.view.Inc, endpoint})
				if l.running {
					l.again = true
					continue
				}
				l.running = true
				d.workers.Add(1)
				go d.work(w, endpoint, l)
			}
		}
		if !o.again || err != nil {
			o.looking, o.again = false, false
			d.mu.Unlock()
			return
		}
		o.again = false
		d.mu.Unlock()
	}
}

// work drains the rows of one endpoint until none is due.
func (d *Deliverer) work(w *world.World, endpoint string, l *lane) {
	defer d.workers.Done()
	for {
		more := d.drain(w, endpoint, l)
		d.mu.Lock()
		if !more && !l.again {
			l.running = false
			d.mu.Unlock()
			return
		}
		l.again = false
		d.mu.Unlock()
	}
}

// drain sends what is due for an endpoint, once; more says that it is worth to
// look again.
func (d *Deliverer) drain(w *world.World, endpoint string, l *lane) (more bool) {
	if w.Take(d.ctx, world.ForLane, l.slot) != nil {
		return false
	}
	defer func() { <-l.slot }()
	p, err := d.look(d.ctx, w)
	if err != nil || !automatic(w) {
		return false
	}
	dropping := twin.Dropping(p.view.State, endpoint)
	for _, row := range p.rows {
		if row.Endpoint != endpoint || row.Turn == 0 {
			continue
		}
		outcome := d.attempt(d.ctx, w, p, row, dropping(row.Event))
		if d.ctx.Err() != nil {
			return false
		}
		answer, err := d.record(d.ctx, w, p, row, outcome)
		if err != nil {
			return false // another life of the world, or none
		}
		more = true
		if answer.Status != statusDone {
			return true // the world has changed: look again
		}
	}
	return more
}

// statusDone is the status of an operation that was done.
const statusDone = 200

// attempt makes one attempt to deliver, or not, if it is to be dropped. ctx is who
// makes it; what is on its way is cut when the Deliverer closes.
func (d *Deliverer) attempt(ctx context.Context, w *world.World, p *plan, row *projection.Delivery, dropped bool) string {
	at := world.Passing{Point: world.Claimed, Row: row, Type: p.typeOf(row)}
	_ = w.Pass(ctx, at)
	at.Outcome = twin.OutcomeDropped
	if !dropped {
		to := p.targets[row.Endpoint]
		body := p.body(row)
		at.Point, at.Outcome = world.Sent, ""
		_ = w.Pass(ctx, at)
		at.Outcome = d.sender.Send(d.ctx, to.url, Signature(to.secret, p.stamp(to), body), body)
	}
	at.Point = world.Answered
	_ = w.Pass(ctx, at)
	return at.Outcome
}

// record takes the outcome of an attempt down.
func (d *Deliverer) record(ctx context.Context, w *world.World, p *plan, row *projection.Delivery, outcome string) (*world.Answer, error) {
	answer, err := w.Deliver(ctx, p.view.Inc, twin.DeliverArgs(row.Number, row.Attempts+1, outcome))
	if err == nil {
		_ = w.Pass(ctx, world.Passing{Point: world.Recorded, Answer: answer, Row: row, Type: p.typeOf(row), Outcome: outcome})
	}
	return answer, err
}

// Due is an attempt that a world waits to make.
type Due struct {
	Number   int64 // of the row in the ledger
	Endpoint string
	Type     string // of the event
	Event    string
	At       int64 // logical time
	Now      bool  // it is due, and not held back
}

// Dues lists the attempts a world waits to make to endpoints that are there, in the
// order they will be made to each.
func (d *Deliverer) Dues(ctx context.Context, w *world.World) ([]Due, error) {
	p, err := d.look(ctx, w)
	if err != nil {
		return nil, err
	}
	var out []Due
	now := map[int64]bool{}
	for _, row := range p.rows {
		now[row.Number] = row.Turn != 0
		out = append(out, Due{row.Number, row.Endpoint, p.typeOf(row), row.Event, row.Due, row.Turn != 0})
	}
	for _, row := range p.view.State.PendingDeliveries() {
		if _, known := p.targets[row.Endpoint]; known && row.Due > p.view.State.Now() {
			out = append(out, Due{row.Number, row.Endpoint, p.typeOf(row), row.Event, row.Due, false})
		}
	}
	return out, nil
}

// Next makes one attempt, that of row number, and takes it down, as a worker would.
// It returns false when the row is not due any more.
func (d *Deliverer) Next(ctx context.Context, w *world.World, endpoint string, number int64) (bool, error) {
	v, err := w.View(ctx)
	if err != nil {
		return false, err
	}
	d.mu.Lock()
	l := d.office(w).lane(laneKey{v.Inc, endpoint})
	d.mu.Unlock()
	if err := w.Take(ctx, world.ForLane, l.slot); err != nil {
		return false, err
	}
	defer func() { <-l.slot }()
	p, err := d.look(ctx, w)
	if err != nil {
		return false, err
	}
	dropping := twin.Dropping(p.view.State, endpoint)
	for _, row := range p.rows {
		if row.Endpoint != endpoint || row.Number != number {
			continue
		}
		_, err := d.record(ctx, w, p, row, d.attempt(ctx, w, p, row, dropping(row.Event)))
		return err == nil, err
	}
	return false, nil
}

// Forsake gives up the ways to the endpoints of a world, as a server does that dies:
// what is on its way goes on, and others may go ahead of it.
func (d *Deliverer) Forsake(w *world.World) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.offices, w)
}
